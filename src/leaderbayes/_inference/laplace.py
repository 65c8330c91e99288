"""Bradley-Terry's posterior by nested Laplace approximation: milliseconds, and no PyMC."""

import json
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import fitted
from leaderbayes._fits.require import require_tree
from leaderbayes._inference.log_likelihood import with_notice
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
    return assemble(matches, eta, prior_scale, epp, scale, step, predictive)


def draw_prior(matches: xr.Dataset, prior_scale: float, draws: int, seed: int) -> xr.DataTree:
    """Draw the groups ``prior`` and ``prior_predictive`` of `fit`, in one chain."""
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(3)[2])  # after `approximate`'s
    place = matches["place"].to_numpy()
    scale = prior_scale * abs(rng.standard_normal((1, draws)))
    epp = scale[..., None] * rng.standard_normal((1, draws, place.shape[1]))
    epp -= epp.mean(axis=-1, keepdims=True)
    within = bool(matches.attrs["within_round"])
    return xr.DataTree.from_dict(
        {
            "prior": _strengths(matches, epp, scale),
            "prior_predictive": _boards(
                matches, _replicate(epp, place > 0, rng, within_round=within)
            ),
        }
    )


def assemble(
    matches: xr.Dataset,
    eta: float,
    prior_scale: float,
    epp: Floats,
    scale: Floats,
    step: int,
    rng: np.random.Generator,
) -> xr.DataTree:
    """Make the groups of `fit` from draws of Bradley-Terry's posterior.

    Parameters
    ----------
    matches : Dataset
        As fitted.
    eta : float
        Weight of a match.
    prior_scale : float
        Of the half-normal prior on ``scale``.
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
    cells = ("chain", "draw")
    by_round = log_likelihood.reshape(chains, draws, -1)
    # HalfNormal's density.
    log_prior = 0.5 * np.log(2.0 / np.pi) - np.log(prior_scale) - 0.5 * (scale / prior_scale) ** 2
    sampled = {"chain": np.arange(chains), "draw": np.arange(draws)}
    return xr.DataTree.from_dict(
        {
            "posterior": _strengths(matches, epp, scale),
            "posterior_predictive": _boards(matches, again, step),
            "log_likelihood": with_notice(
                xr.Dataset(
                    {"place": ((*cells, "round"), by_round)},
                    sampled | {"round": matches["round"].to_numpy()},
                )
            ),
            "log_prior": xr.Dataset({"epp_scale": (cells, log_prior)}, sampled),
            "observed_data": matches[["place"]].drop_attrs(),
            "constant_data": xr.Dataset({"weight": eta}),
        }
    )


def _strengths(matches: xr.Dataset, epp: Floats, scale: Floats) -> xr.Dataset:
    """Name draws of epp (chain, draw, player) and epp_scale (chain, draw)."""
    cells = ("chain", "draw")
    drawn = {"epp": ((*cells, "player"), epp), "epp_scale": (cells, scale)}
    counted = {dim: np.arange(size) for dim, size in zip(cells, scale.shape, strict=True)}
    return xr.Dataset(drawn, counted | {"player": matches["player"].to_numpy()})


def _boards(matches: xr.Dataset, place: Ints, step: int = 1) -> xr.Dataset:
    """Name places (chain, draw, round, player) of every ``step``-th draw."""
    dims = ("chain", "draw", "round", "player")
    chains, draws = place.shape[:2]
    counted = {"chain": np.arange(chains), "draw": step * np.arange(draws)}
    names = {dim: matches[dim].to_numpy() for dim in ("round", "player")}
    return xr.Dataset({"place": (dims, place)}, counted | names)


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
