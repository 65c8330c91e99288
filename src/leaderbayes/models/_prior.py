"""Priors of strengths, and how the sampler moves them."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._arguments import positive
from leaderbayes._numerics.bradley_terry import newton
from leaderbayes._numerics.newton import inverse
from leaderbayes._types import Floats, Ints

PRIOR_SCALE = 2.0  # of the half-normal prior on the scale of strengths, log-odds
# Degrees of freedom of the strengths' Student-t prior, of few players and of many. Heavy tails
# leave a dominant player where its matches put it.
_DF_OF_FEW, _FEW_PLAYERS, _DF_OF_MANY = 4.0, 10, 2.0


def degrees_of_freedom(prior_df: float | None, players: int) -> float:
    """Return those of the strengths' prior: as asked for, or by how many players there are."""
    if prior_df is not None:
        return positive("prior_df", prior_df)
    return _DF_OF_FEW if players <= _FEW_PLAYERS else _DF_OF_MANY


def half_normal(scale: float) -> Callable[[Floats], Floats]:
    """Return the log density of a half-normal distribution of this scale."""
    return lambda value: np.log(2.0) + normal(scale)(value)


def normal(scale: float) -> Callable[[Floats], Floats]:
    """Return the log density of a normal distribution around 0."""
    return lambda x: np.asarray(-0.5 * (np.log(2.0 * np.pi) + (x / scale) ** 2) - np.log(scale))


def strengths(data: Mapping[str, Any], centring: float) -> Any:
    """Add ``epp`` (player) and its raw variables to the pm.Model under construction.

    The sampler moves scale ** (centring - 1) * strength: centred (1), a board of equal players is
    a funnel; not centred (0), a board that decides everything is a ridge. In between both sample
    well.
    """
    import pymc as pm

    scale = pm.HalfNormal("epp_scale", data["prior_scale"])
    unit = pm.StudentT("epp_unit", nu=data["prior_df"], sigma=scale**centring, dims="player")
    apart = unit - unit.mean()
    return pm.Deterministic("epp", scale ** (1.0 - centring) * apart, dims="player")


def reliability(matches: xr.Dataset, eta: Floats) -> float:
    """Return the share of the variance of estimates that is not error, from 0 to 1."""
    epp, error = estimates(matches, eta)
    variance = float((epp**2).sum()) / (len(epp) - 1)
    return float(np.clip(1.0 - error / variance, 0.0, 1.0)) if variance > 0 else 0.0


def estimates(matches: xr.Dataset, eta: Floats) -> tuple[Floats, float]:
    """Estimate strengths, shrunk to 0 by a pseudo-round, and the mean variance of their error."""
    points = matches["wins"].sum("opponent").to_numpy()
    epp, _, hessian = newton(points, matches["n"].to_numpy(), pseudo_rounds=1.0)
    m = len(epp)
    return epp, float(np.trace(inverse(eta.mean() * hessian, m)) / (m - 1))


def rank_reliability(place: Ints) -> float:
    """Return the share of the variance of mean log ranks that is not noise, for large boards."""
    present = place > 0
    size = present.sum(axis=1, keepdims=True)
    # Log-odds of the place: about linear in strengths plus logistic-like noise.
    share = (np.where(present, place, 1) - 0.5) / np.maximum(size, 1)
    level = np.where(present, np.log1p(-share) - np.log(share), 0.0)
    rounds = present.sum(axis=0)
    mean = level.sum(axis=0) / np.maximum(rounds, 1)
    within = (np.where(present, level - mean, 0.0) ** 2).sum()
    freedom = np.maximum(rounds - 1, 0).sum()
    between = float(np.var(mean[rounds > 0]))
    if freedom == 0 or between == 0.0:
        return 0.0
    noise = float(within / freedom * np.mean(1.0 / rounds[rounds > 0]))
    return float(np.clip(1.0 - noise / between, 0.0, 1.0))
