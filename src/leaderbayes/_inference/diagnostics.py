"""Whether chains converged, by the limits that stand here."""

import warnings

import numpy as np
import xarray as xr

from leaderbayes._errors import ConvergenceWarning

MAX_RHAT = 1.01
MIN_ESS = 400.0


def diagnose(tree: xr.DataTree) -> dict[str, float | int]:
    """R-hat, effective sample sizes and divergences against the thresholds; warns on failure."""
    import arviz as az

    posterior = tree["posterior"].to_dataset()
    rhat, bulk, tail = (
        [float(v) for v in _extreme(statistic).values()]
        for statistic in (
            az.rhat(posterior),
            -az.ess(posterior, method="bulk"),
            -az.ess(posterior, method="tail"),
        )
    )
    # A nan (one chain, constant draws) is no evidence of convergence.
    max_rhat = float(np.max(rhat))
    min_ess = float(-np.max([*bulk, *tail]))
    divergences = int(tree["sample_stats"]["diverging"].sum())
    converged = max_rhat < MAX_RHAT and min_ess > MIN_ESS and divergences == 0
    if not converged:
        warnings.warn(
            f"LB001 not converged: max R-hat {max_rhat:.3f} (below {MAX_RHAT} is good), min "
            f"effective sample size {min_ess:.0f} (above {MIN_ESS:.0f}), {divergences} divergences "
            "(none). Do not report these numbers: take more draws or a longer tune.",
            ConvergenceWarning,
            stacklevel=4,
        )
    return {
        "converged": int(converged),
        "max_rhat": max_rhat,
        "min_ess": min_ess,
        "divergences": divergences,
    }


def _extreme(statistic: xr.Dataset) -> dict[str, float]:
    return {str(name): float(np.max(values.to_numpy())) for name, values in statistic.items()}
