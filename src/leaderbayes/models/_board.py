"""What the models share: their coordinates, and how their players are best sampled.

For strengths b with prior scale sigma the sampler moves sigma ** (centring - 1) * b. Centred (1),
a board of nearly equal players is a funnel; not centred (0), a board that decides everything is a
ridge. In between, both sample well.
"""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._arguments import number
from leaderbayes._numerics.bradley_terry import newton
from leaderbayes._numerics.newton import inverse
from leaderbayes._types import Floats, Ints
from leaderbayes.models._weight import check_scales


def coords_of(matches: xr.Dataset) -> dict[str, Any]:
    """Players and rounds."""
    return {dim: matches[dim].to_numpy() for dim in ("player", "round")}


def reliability(matches: xr.Dataset, eta: Floats) -> float:
    """Share of the estimates' variance that is not their error: 0 for equal players, at most 1."""
    epp, error = estimates(matches, eta)
    variance = float((epp**2).sum()) / (len(epp) - 1)
    return float(np.clip(1.0 - error / variance, 0.0, 1.0)) if variance > 0 else 0.0


def estimates(matches: xr.Dataset, eta: Floats) -> tuple[Floats, float]:
    """Estimate strengths, drawn to 0 by a pseudo-round, and the mean variance of their error."""
    points = matches["wins"].sum("opponent").to_numpy()
    epp, _, hessian = newton(points, matches["n"].to_numpy(), pseudo_rounds=1.0)
    m = len(epp)
    return epp, float(np.trace(inverse(eta.mean() * hessian, m)) / (m - 1))


def rank_reliability(place: Ints) -> float:
    """Share of the variance of players' mean log ranks that is not noise, from 0 to 1.

    A cheap stand-in for `reliability` on boards too large for tables of pairs.
    """
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


def check_options(centring: float | None, **scales: float) -> None:
    """Raise unless centring is from 0 to 1, and the scales of priors are above 0."""
    if centring is not None:
        number("centring", centring, at_least=0.0, at_most=1.0)
    check_scales(**scales)
