"""Convergence of chains, by the limits that stand here, and warnings said again."""

import warnings

import numpy as np
import xarray as xr

from leaderbayes._errors import ConvergenceWarning, LeaderbayesWarning

MAX_RHAT = 1.01
MIN_ESS = 400.0


def diagnose(tree: xr.DataTree) -> dict[str, float | int]:
    """Hold R-hat, effective sample sizes and divergences against the limits; warn on failure."""
    import arviz as az

    posterior = tree["posterior"].to_dataset()
    sizes = [az.ess(posterior, method=method) for method in ("bulk", "tail")]
    # A nan (one chain, constant draws) is no evidence of convergence, and is not skipped.
    max_rhat = float(np.max([v.to_numpy().max() for v in az.rhat(posterior).values()]))
    min_ess = float(np.min([v.to_numpy().min() for size in sizes for v in size.values()]))
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


def repeat(caught: list[warnings.WarningMessage]) -> list[str]:
    """Warn again, at the line that called the caller, and give the texts that are ours."""
    for warning in caught:
        warnings.warn(warning.message, warning.category, stacklevel=3)
    return [str(w.message) for w in caught if issubclass(w.category, LeaderbayesWarning)]
