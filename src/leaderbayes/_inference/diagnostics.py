"""Convergence of chains, by the limits that stand here, and warnings said again."""

import warnings

import numpy as np
import xarray as xr

from leaderbayes._errors import ConvergenceWarning, LeaderbayesWarning
from leaderbayes._inference.psis import MAX_PARETO_K
from leaderbayes._numerics.chains import agreement
from leaderbayes._types import Floats

MAX_RHAT = 1.01
MIN_ESS = 400.0
TAIL = 0.89  # quantile, and 1 less it: ArviZ' own


def diagnose(posterior: xr.Dataset, divergences: int = 0) -> dict[str, float | int]:
    """Hold R-hat, effective sample sizes and divergences against the limits."""
    found = [agreement(_by_quantity(values), TAIL) for values in posterior.data_vars.values()]
    # A nan (one chain, constant draws) is no evidence of convergence, and is not skipped.
    max_rhat = float(np.max([each.rhat.max() for each in found]))
    min_ess = float(np.min([size.min() for each in found for size in (each.bulk, each.tail)]))
    return {
        "converged": int(max_rhat < MAX_RHAT and min_ess > MIN_ESS and divergences == 0),
        "max_rhat": max_rhat,
        "min_ess": min_ess,
        "divergences": divergences,
    }


def _by_quantity(draws: xr.DataArray) -> Floats:
    """Give draws (quantity, chain, draw)."""
    values = draws.transpose(..., "chain", "draw").to_numpy()
    return np.asarray(values.reshape(-1, *values.shape[-2:]), float)


def warn(
    found: dict[str, float | int], draws: int, tune: int | None = None, target_accept: float = 0.9
) -> None:
    """Warn, LB001, where the limits are not kept; name what to change.

    Parameters
    ----------
    found : dict
        From `diagnose`.
    draws, tune, target_accept
        That the chains were drawn with; a tune of None where there is none.
    """
    if found["converged"]:
        return
    max_rhat, min_ess, divergences = (found[k] for k in ("max_rhat", "min_ess", "divergences"))
    longer = max(2 * (tune or 0), 1000)
    if divergences:
        remedy = f"target_accept={careful(target_accept):.3g} and tune={longer}"
    elif np.isnan(max_rhat):
        remedy = "several chains, which alone can disagree (chains=4)"
    else:
        # Half as many again as the least effective quantity asks for; twice where R-hat is wrong.
        few = 1.5 * MIN_ESS / min_ess if min_ess > 0.0 else 2.0
        more = few if max_rhat < MAX_RHAT else max(few, 2.0)
        remedy = f"draws={int(np.ceil(draws * more / 100.0) * 100)}"
        remedy += f" and tune={longer}" if max_rhat >= MAX_RHAT and tune is not None else ""
    after = "" if tune is None else f", after tune={tune}"
    warnings.warn(
        f"LB001 not converged: max R-hat {max_rhat:.3f} (below {MAX_RHAT} is good), min "
        f"effective sample size {min_ess:.0f} (above {MIN_ESS:.0f}), {divergences} divergences "
        f"(none){after}. Do not report these numbers: take {remedy}.",
        ConvergenceWarning,
        stacklevel=3,
    )


def warn_of_weights(found: dict[str, float | int]) -> None:
    """Warn, LB001, where chains of the Laplace approximation do not keep the limits."""
    warnings.warn(
        f"LB001 not converged: Pareto k of the proposals' weights {found['pareto_k']:.2f} (below "
        f"{MAX_PARETO_K} is good), max R-hat {found['max_rhat']:.3f}, min effective sample size "
        f"{found['min_ess']:.0f}. Do not report these numbers: take sampler='auto'.",
        ConvergenceWarning,
        stacklevel=3,
    )


def lacking(found: dict[str, float | int]) -> str:
    """Name the limits that chains of proposals do not keep, and those limits."""
    kept = {
        f"Pareto k {found['pareto_k']:.2f} (below {MAX_PARETO_K} is good)": (
            found["pareto_k"] < MAX_PARETO_K
        ),
        f"effective sample size {found['min_ess']:.0f} (above {MIN_ESS:.0f})": (
            found["min_ess"] > MIN_ESS
        ),
        f"R-hat {found['max_rhat']:.3f} (below {MAX_RHAT})": found["max_rhat"] < MAX_RHAT,
    }
    return ", ".join(text for text, good in kept.items() if not good)


def careful(target_accept: float) -> float:
    """Give a third of the way left to 1: shorter steps, which diverge less."""
    return 1.0 - (1.0 - target_accept) / 3.0


def repeat(caught: list[warnings.WarningMessage]) -> list[str]:
    """Warn again, at the line that called the caller, and give the texts that are ours."""
    for warning in caught:
        warnings.warn(warning.message, warning.category, stacklevel=3)
    return [str(w.message) for w in caught if issubclass(w.category, LeaderbayesWarning)]
