"""Scale, errors and dependence of the scores of a competition board."""

from typing import Any

import numpy as np
import xarray as xr
from scipy.special import ndtri

from leaderbayes._arguments import number, share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics import auc
from leaderbayes._numerics.board_scale import CountScale, EstimateScale, Scale
from leaderbayes._numerics.counts import counts
from leaderbayes._scores.facts import facts, own_rho
from leaderbayes._types import Floats

CONCENTRATION = (5.0, 2.5)  # of betas: mean and standard deviation of the prior's logarithm
FEWEST = 20  # instances, for which the approximations given the test set's ease are good enough


def scale_of(
    board: xr.DataArray, rho: Any = None, theta_0: float | None = None, *, fine: float = 1.0
) -> tuple[xr.DataArray, Scale]:
    """Return teams above chance, and the scale of their scores, its cells as ``fine``; or raise."""
    known, rho = facts(board), _dependence(own_rho(board) if rho is None else rho)
    score = board.to_numpy().astype(float)
    if theta_0 is not None:
        share("theta_0", theta_0)
    if known.metric == "accuracy":
        n = known.n or 0
        if n < FEWEST:
            raise LeaderbayesError(
                f"n={n}: a posterior needs a test set of at least {FEWEST} instances."
            )
        seen = counts(score, n, known.chance)
        kept = board[np.round(score * n) > seen.floor]
        return kept, CountScale(seen, rho, seen.reference if theta_0 is None else theta_0, fine)
    if known.sizes is None:
        return board, EstimateScale(score, board["se"].to_numpy().astype(float), rho, fine=fine)
    if hasattr(rho, "logpdf"):
        raise LeaderbayesError("rho is a number for AUCs; a prior is for other boards.")
    latent, se = probits(score, known.sizes)
    # Scores correlate by rho with a reference, estimates by this with their common factor.
    common = float(auc.loading(np.array([score.max()]), *known.sizes, rho)[0])
    return board, EstimateScale(latent, se, common, probit=True, fine=fine)


def constants_of(kept: xr.DataArray, scale: Scale, rho: Any) -> xr.Dataset:
    """Return ``constant_data`` of a board, which answers need beside draws."""
    data: dict[str, Any] = {"score": ("team", kept.to_numpy().astype(float))}
    if kept.attrs["metric"] == "estimate":
        data["se"] = ("team", kept["se"].to_numpy().astype(float))
    for name in ("n", "chance", "classes", "positive_rate"):
        if name in kept.attrs:
            data[name] = kept.attrs[name]
    if isinstance(scale, CountScale):
        data["theta_0"] = ("model", [scale.theta_0])
    if np.ndim(rho) == 0:
        data["rho"] = ("model", [float(rho)])
    data["higher_is_better"] = ("model", [int(kept.attrs.get("higher_is_better", 1))])
    return xr.Dataset(data, {"team": kept["team"].to_numpy(), "model": ["sota"]})


def locations(scale: EstimateScale) -> tuple[float, float]:
    """Return mean and standard deviation of the prior of locations."""
    if scale.probit:
        return 1.0, 1.0
    estimate = scale.estimate
    return float(estimate.mean()), 2.0 * max(float(estimate.std()), float(scale.se.mean()))


def probits(score: Floats, sizes: tuple[int, int]) -> tuple[Floats, Floats]:
    """Return AUCs on the probit scale, where their errors are nearly normal, and these errors."""
    pairs = sizes[0] * sizes[1]
    inside = np.clip(score, 0.5 / pairs, 1.0 - 0.5 / pairs)
    latent = ndtri(inside)
    slope = np.exp(-0.5 * latent**2) / np.sqrt(2.0 * np.pi)
    different, where = np.unique(inside, return_inverse=True)
    spread = np.sqrt([auc.variance(float(a), *sizes) for a in different])
    return latent, spread[where] / slope


def _dependence(rho: Any) -> Any:
    """Check a correlation, or return its prior, a frozen beta distribution."""
    if np.ndim(rho) == 0:
        return number("rho", rho, at_least=0.0, below=1.0)
    from scipy.stats import beta  # which takes long to import

    try:
        mean, sd = map(float, rho)
        size = mean * (1.0 - mean) / sd**2 - 1.0
    except (TypeError, ValueError, ZeroDivisionError):
        mean = size = np.nan
    if not (0.0 < mean < 1.0 and size > 0.0):
        raise LeaderbayesError(
            f"rho={rho!r} must be a number from 0 to 1, or mean and standard deviation of a beta "
            "distribution, such as (0.6, 0.1)."
        )
    return beta(mean * size, (1.0 - mean) * size)
