"""Bradley-Terry's posterior by nested Laplace approximation: milliseconds, and no PyMC."""

import json
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import fitted
from leaderbayes._fits.require import require_tree
from leaderbayes._numerics.laplace import sample
from leaderbayes._numerics.pairs_by_round import round_log_likelihood, round_statistics
from leaderbayes._numerics.places import draw_places
from leaderbayes._types import Bools, Floats, Ints
from leaderbayes.models._weight import (
    PRIOR_SCALE,
    Weight,
    check_board,
    check_pairs,
    check_scales,
    resolve_weight,
)


def approximate(
    matches: xr.Dataset,
    shape: tuple[int, int],
    replicates: int,
    seed: int,
    *,
    weight: Weight = "composite",
    test_fraction: float | None = None,
    prior_scale: float = PRIOR_SCALE,
) -> xr.DataTree:
    """Draw the groups of `fit` for ``models.bradley_terry``, (chain, draw) of ``shape``.

    Draws are independent; chains are parts of them. Up to ``replicates`` of them, evenly spread,
    have a posterior predictive board.
    """
    check_pairs(matches, "models.bradley_terry")
    check_board(matches)
    check_scales(prior_scale=prior_scale)
    chains, draws = shape
    # One stream for the posterior and one for replicates, as `fit` has them.
    posterior, predictive = (
        np.random.default_rng(s) for s in np.random.SeedSequence(seed).spawn(2)
    )
    eta = resolve_weight(matches, weight, test_fraction, with_ties=False)
    points = matches["wins"].to_numpy().sum(axis=1)
    n = matches["n"].to_numpy().astype(float)
    drawn = sample(points, n, eta, prior_scale, chains * draws, posterior)
    step = -(-draws * chains // replicates)
    epp, scale = drawn.epp.reshape(chains, draws, -1), drawn.scale.reshape(shape)
    return assemble(matches, eta, epp, scale, step, predictive)


def assemble(
    matches: xr.Dataset, eta: float, epp: Floats, scale: Floats, step: int, rng: np.random.Generator
) -> xr.DataTree:
    """Make the groups of `fit` from draws of Bradley-Terry's posterior.

    Parameters
    ----------
    matches : Dataset
        As fitted.
    eta : float
        Weight of a match.
    epp : (chain, draw, player)
    scale : (chain, draw)
    step : int
        Every so many draws have a posterior predictive board.
    """
    within, ties = bool(matches.attrs["within_round"]), str(matches.attrs["ties"])
    place = matches["place"].to_numpy()
    chains, draws, m = epp.shape
    again = _replicate(epp[:, ::step], place > 0, rng, within_round=within)
    statistics = round_statistics(place, within_round=within, ties=ties)
    log_likelihood = eta * round_log_likelihood(epp.reshape(-1, m), statistics)
    names = {dim: matches[dim].to_numpy() for dim in ("player", "round")}
    cells = ("chain", "draw")
    sampled = {"chain": np.arange(chains), "draw": np.arange(draws)}
    return xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset(
                {"epp": ((*cells, "player"), epp), "epp_scale": (cells, scale)},
                sampled | {"player": names["player"]},
            ),
            "posterior_predictive": xr.Dataset(
                {"place": ((*cells, "round", "player"), again)},
                sampled | {"draw": sampled["draw"][::step]} | names,
            ),
            "log_likelihood": xr.Dataset(
                {"place": ((*cells, "round"), log_likelihood.reshape(chains, draws, -1))},
                sampled | {"round": names["round"]},
            ),
            "observed_data": xr.Dataset({"place": (("round", "player"), place)}, names),
            "constant_data": xr.Dataset({"weight": eta}),
        }
    )


def fitted_arguments(dt: xr.DataTree) -> dict[str, Any]:
    """Read the arguments of a fit of Bradley-Terry's model to one tournament.

    Raises
    ------
    LeaderbayesError
        If it is another fit, or none.
    """
    require_tree(dt)
    if dt.attrs.get("model") != "bradley_terry":
        raise LeaderbayesError(
            f"This takes a fit of model='bradley_terry', not of {dt.attrs.get('model')!r}."
        )
    fitted(
        dt, "constant_data", "observed_data", arguments=("weight", "test_fraction", "prior_scale")
    )
    arguments: dict[str, Any] = json.loads(dt.attrs["arguments"])
    return arguments


def _replicate(
    epp: Floats, present: Bools, rng: np.random.Generator, *, within_round: bool
) -> Ints:
    """Draw a board for strengths (chain, draw, player): places (chain, draw, round, player)."""
    shape = (*epp.shape[:2], *present.shape)
    out = np.empty((shape[0] * shape[1], *present.shape), np.int32)
    for place, own in zip(out, epp.reshape(len(out), -1), strict=True):
        place[:] = draw_places(own, present, rng, within_round=within_round)
    return out.reshape(shape)
