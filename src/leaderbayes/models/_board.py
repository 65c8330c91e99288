"""What the models share: the prior on players; and the board of Bradley-Terry and Davidson."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pymc as pm
import xarray as xr
from pytensor.tensor.variable import TensorVariable

from leaderbayes._arguments import number
from leaderbayes._numerics.bradley_terry import newton
from leaderbayes._numerics.newton import inverse
from leaderbayes._numerics.places import draw_places
from leaderbayes._numerics.rounds import round_statistics
from leaderbayes._types import Floats, Ints
from leaderbayes.models._ops import known, pairs_log_likelihood
from leaderbayes.models._weight import (
    Weight,
    check_board,
    check_pairs,
    check_scales,
    resolve_weight,
)


def board_model(
    matches: xr.Dataset,
    *,
    weight: Weight,
    test_fraction: float | None,
    prior_scale: float,
    centring: float | None,
    tie_prior: Callable[[], TensorVariable] | None = None,
) -> pm.Model:
    """Build Bradley-Terry's model of one board; ``tie_prior`` makes Davidson's nu inside it."""
    check_board(matches)
    check_pairs(matches)
    eta = resolve_weight(matches, weight, test_fraction, with_ties=tie_prior is not None)
    within, ties = bool(matches.attrs["within_round"]), str(matches.attrs["ties"])
    place = matches["place"].to_numpy()

    def logp(value: Any, epp: Any, present: Any, weight: Any, *tie: Any) -> Any:
        # PyMC gives parameters the batch dimension of the rounds; all rounds share them.
        nu = tie[0].flatten()[:1] if tie else None
        statistics = round_statistics(known(value), within_round=within, ties=ties)
        return weight * pairs_log_likelihood(statistics, epp.reshape((1, epp.shape[-1])), nu)

    def random(
        epp: Any, present: Any, weight: Any, *tie: Any, rng: np.random.Generator, size: Any
    ) -> Any:
        nu = float(np.ravel(tie[0])[0]) if tie else -np.inf
        return draw_places(epp, present.astype(bool), rng, within_round=within, tie=nu)

    with pm.Model(coords=coords_of(matches)) as model:
        power = pm.Data("weight", eta)
        epp = strengths(prior_scale, reliability(matches, eta) if centring is None else centring)
        tie = [] if tie_prior is None else [tie_prior()]
        scalars = ",()" * (1 + len(tie))
        pm.CustomDist(
            "place",
            epp,
            (place > 0).astype("int8"),
            power,
            *tie,
            logp=logp,
            random=random,
            signature=f"(p),(p){scalars}->(p)",
            dtype="int32",
            observed=place,
            dims=("round", "player"),
        )
    return model


def coords_of(matches: xr.Dataset) -> dict[str, Any]:
    """Players and rounds."""
    return {dim: matches[dim].to_numpy() for dim in ("player", "round")}


def strengths(prior_scale: float, centring: float) -> TensorVariable:
    """Players' strengths ``epp``, sum to zero, around a half-normal scale, in the open model.

    Centred (1), a board of nearly equal players is a funnel; not centred (0), a board that
    decides everything is a ridge. In between, both sample well.
    """
    scale = pm.HalfNormal("epp_scale", prior_scale)
    unit = pm.ZeroSumNormal("epp_unit", sigma=scale**centring, dims="player")
    return pm.Deterministic("epp", scale ** (1.0 - centring) * unit, dims="player")


def reliability(matches: xr.Dataset, eta: float) -> float:
    """Share of the estimates' variance that is not their error: 0 for equal players, at most 1."""
    epp, error = estimates(matches, eta)
    variance = float((epp**2).sum()) / (len(epp) - 1)
    return float(np.clip(1.0 - error / variance, 0.0, 1.0)) if variance > 0 else 0.0


def estimates(matches: xr.Dataset, eta: float) -> tuple[Floats, float]:
    """Estimate strengths, drawn to 0 by a pseudo-round, and the mean variance of their error."""
    points = matches["wins"].sum("opponent").to_numpy()
    epp, _, hessian = newton(points, matches["n"].to_numpy(), pseudo_rounds=1.0)
    m = len(epp)
    return epp, float(np.trace(inverse(eta * hessian, m)) / (m - 1))


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
