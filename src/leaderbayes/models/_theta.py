"""A competition's board as its models see it: scale, errors and dependence of the scores."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import ndtri

from leaderbayes._arguments import number, one_of, share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics import auc
from leaderbayes._numerics.board_scale import CountScale, EstimateScale, Scale
from leaderbayes._numerics.counts import counts_above
from leaderbayes._scores.facts import facts, own_rho
from leaderbayes._types import Floats

CONCENTRATION = (5.0, 2.5)  # of betas: mean and standard deviation of the prior's logarithm
FEWEST = 20  # instances, for which the approximations given the test set's ease are good enough


def scale_of(
    board: xr.DataArray, rho: Any = None, theta_0: float | None = None, *, fine: float = 1.0
) -> tuple[xr.DataArray, Scale]:
    """Return the teams that remain, those above chance, and the scale of their scores.

    Parameters
    ----------
    board : DataArray (team)
        Of any metric.
    rho : float or distribution, optional
        By default the board's own.
    theta_0 : float, optional
        P(the reference is right), of accuracies; by default the best score.
    fine : float
        Width of the cells for thetas, in their usual width.

    Raises
    ------
    LeaderbayesError
        If no team is above chance, the test set is too small, or an option is out of range.
    """
    known, rho = facts(board), _checked(own_rho(board) if rho is None else rho)
    score = board.to_numpy().astype(float)
    if theta_0 is not None:
        share("theta_0", theta_0)
    if known.metric == "accuracy":
        n = known.n or 0
        if n < FEWEST:
            raise LeaderbayesError(
                f"n={n}: a posterior needs a test set of {FEWEST} instances or more."
            )
        seen = counts_above(score, n, known.chance)
        kept = board[np.round(score * n) > seen.floor]
        return kept, CountScale(seen, rho, seen.reference if theta_0 is None else theta_0, fine)
    if known.sizes is None:
        return board, EstimateScale(score, board["se"].to_numpy().astype(float), rho, fine=fine)
    if hasattr(rho, "logpdf"):
        raise LeaderbayesError("rho: AUCs take a number; a prior is for accuracies and estimates.")
    latent, se = probits(score, known.sizes)
    # Scores correlate by rho with a reference, estimates by this with their common factor.
    common = float(auc.loading(np.array([score.max()]), *known.sizes, rho)[0])
    return board, EstimateScale(latent, se, common, probit=True, fine=fine)


def constants_of(kept: xr.DataArray, scale: Scale, law: Any, rho: Any) -> xr.Dataset:
    """Return what answers read of a board beside draws, ``constant_data``."""
    data: dict[str, Any] = {"score": ("team", kept.to_numpy().astype(float))}
    if kept.attrs["metric"] == "estimate":
        data["se"] = ("team", kept["se"].to_numpy().astype(float))
    for name in ("n", "chance", "classes", "positive_rate"):
        if name in kept.attrs:
            data[name] = kept.attrs[name]
    if isinstance(scale, CountScale):
        data["theta_0"] = scale.theta_0
    if not hasattr(rho, "logpdf"):
        data["rho"] = float(rho)
    data["higher_is_better"] = ("model", [int(kept.attrs.get("higher_is_better", 1))])
    coords = {"team": kept["team"].to_numpy(), "model": ["sota"]}
    if not isinstance(law, str):
        known = quantiles_of(law)
        data["law"], coords["level"] = ("level", known.to_numpy()), known.index.to_numpy()
    return xr.Dataset(data, coords)


def locations(scale: EstimateScale) -> tuple[float, float]:
    """Mean and standard deviation of the prior of locations; scales are about half of it."""
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


def quantiles_of(law: Any) -> pd.Series:
    """Quantiles of a frozen distribution by level, denser towards both ends."""
    tail = np.logspace(-9.0, -3.0, 121)
    level = np.concatenate([tail, np.linspace(0.002, 0.998, 997), 1.0 - tail[::-1]])
    theta, first = np.unique(law.ppf(level), return_index=True)
    return pd.Series(theta, pd.Index(level[first], name="level"))


def check_law(law: Any, *names: str) -> None:
    """Raise unless this is one of these names, or a frozen distribution of thetas."""
    if isinstance(law, str):
        one_of("law", law, *names)
    elif not hasattr(law, "ppf"):
        raise LeaderbayesError(
            "law: give a name, or a distribution frozen from scipy.stats, such as beta(9, 1)."
        )


def _checked(rho: Any) -> Any:
    """Check a correlation, or its prior."""
    if not hasattr(rho, "logpdf"):
        return number("rho", rho, at_least=0.0, below=1.0)
    if rho.support()[0] < 0.0 or rho.support()[1] > 1.0:
        raise LeaderbayesError("rho: its prior must lie between 0 and 1, such as beta(6, 4).")
    return rho
