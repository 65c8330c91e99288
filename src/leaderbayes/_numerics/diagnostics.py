"""Convergence of chains, by ArviZ's diagnostics and the limits below."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtri

from leaderbayes._errors import warn
from leaderbayes._types import Floats

MAX_RHAT = 1.01
MIN_ESS = 400.0
MAX_PARETO_K = 0.7
PROB = 0.95  # of the intervals whose ends are reported
_MOST = 60  # players that are looked at


def diagnose(
    draws: Mapping[str, Floats], *, divergences: int = 0, pareto_k: float | None = None
) -> dict[str, float | int]:
    """Compare R-hat, effective sample sizes, divergences and Pareto k with the limits.

    Of each variable in ``draws`` (chain, draw, ...) the bulk counts, and both ends of its interval.
    ``divergences`` are NUTS', ``pareto_k`` is that of the weights of proposals.
    """
    from arviz_stats.base import array_stats

    flat = [np.asarray(value, float).reshape(*value.shape[:2], -1) for value in draws.values()]
    every = np.moveaxis(np.concatenate(flat, axis=2), 2, 0)  # (variable, chain, draw)
    half = every.shape[2] // 2
    split = np.concatenate([every[..., :half], every[..., every.shape[2] - half :]], axis=1)
    bulk = _normalised(split)
    folded = _normalised(abs(split - np.median(split, axis=(1, 2), keepdims=True)))
    below = np.quantile(every, (1.0 - PROB, PROB), axis=(1, 2))[..., None, None]
    with np.errstate(divide="ignore", invalid="ignore"):  # of chains that never moved
        rhat = [array_stats.rhat(values, method="identity") for values in (bulk, folded)]
        ess = [array_stats.ess(values, method="identity") for values in (bulk, *(split <= below))]
    if every.shape[1] < 2 or np.isnan(every).any():
        rhat.append(np.array(np.nan))
    # A NaN (one chain, constant draws) is no evidence of convergence, and is not skipped.
    found: dict[str, float | int] = {
        "max_rhat": float(np.max([np.max(each) for each in rhat])),
        "min_ess": float(np.min([np.min(each) for each in ess])),
        "divergences": divergences,
    }
    if pareto_k is not None:
        found["pareto_k"] = pareto_k
    return {"converged": int(not lacking(found)), **found}


def recorded(
    tree: xr.DataTree, arguments: Mapping[str, Any], read: Callable[[], Floats]
) -> dict[str, Any]:
    """Return what a fit with these arguments has recorded; or diagnose what is ``read``."""
    drawn = tuple(arguments.get(name) for name in ("chains", "draws"))
    attrs = {str(key): value for key, value in tree.attrs.items()}
    shape = tuple(tree["posterior"].sizes.get(dim, 0) for dim in ("chain", "draw"))
    if "converged" in attrs and drawn in ((None, None), shape):
        return attrs
    known = tree["sample_stats"].dataset if "sample_stats" in tree.children else xr.Dataset()
    diverging = int(known["diverging"].sum()) if "diverging" in known else 0
    values = read()
    some = values[:, :: -(-values.shape[1] // _MOST)].reshape(*shape, -1)
    found = diagnose({"read": some}, divergences=diverging)
    return found | {name: attrs[name] for name in ("converged",) if name in attrs}


def _normalised(values: Floats) -> Floats:
    """Replace values (variable, chain, draw) by normal scores of their ranks."""
    from scipy.stats import rankdata

    flat = values.reshape(len(values), -1)
    rank = rankdata(flat, axis=1, nan_policy="propagate")
    return np.asarray(ndtri((rank - 0.375) / (flat.shape[1] + 0.25)).reshape(values.shape))


def lacking(found: Mapping[str, float | int]) -> str:
    """List the limits that are not met; "" if all are."""
    faults = []
    if not found["max_rhat"] < MAX_RHAT:
        faults.append(f"R-hat {found['max_rhat']:.3f} (should be below {MAX_RHAT})")
    if not found["min_ess"] > MIN_ESS:
        faults.append(f"effective sample size {found['min_ess']:.0f} (above {MIN_ESS:.0f})")
    if found["divergences"]:
        faults.append(f"{found['divergences']} divergences (none)")
    if not found.get("pareto_k", 0.0) < MAX_PARETO_K:
        faults.append(f"Pareto k {found['pareto_k']:.2f} (below {MAX_PARETO_K})")
    if not faults and not found.get("converged", 1):
        faults.append("points still near where they began")
    return ", ".join(faults)


def warn_of(found: Mapping[str, Any], draws: int) -> None:
    """Warn (LB001) if chains did not converge, with the remedy."""
    if found["converged"]:
        return
    if np.isnan(found["max_rhat"]):
        remedy = "use several chains (chains=4), because a single chain cannot disagree"
    elif found["divergences"]:
        remedy = "sample with smaller steps: pm.sample(nuts={'target_accept': 0.99})"
    elif found.get("sampler") == "resample-move":
        remedy = "use NUTS (sampler='nutpie')"
    else:
        short = MIN_ESS / max(float(found["min_ess"]), 1.0)
        remedy = f"fit with draws={int(np.ceil(draws * max(2.0, 1.5 * short) / 100.0) * 100)}"
    warn(
        f"LB001 The chains did not converge: {lacking(found)}. Do not report these numbers; "
        f"{remedy}.",
    )
