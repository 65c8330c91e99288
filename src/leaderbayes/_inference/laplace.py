"""Groups of a fit of a model of a board, without PyMC: of its draws, and of its prior."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import fitted
from leaderbayes._fits.require import require_tree
from leaderbayes._inference.log_likelihood import with_notice
from leaderbayes._numerics.places import draw_places
from leaderbayes._types import Floats, Ints

# Boards (chain, draw, round, player) of strengths (chain, draw, player).
Replicate = Callable[[Floats, np.random.Generator], Ints]

_AT_A_TIME = 100_000  # scores that are drawn, which processors keep at hand


def draw_prior(
    matches: xr.Dataset,
    prior_scale: float,
    prior_df: float,
    draws: int,
    seed: int,
    replicate: Replicate,
) -> xr.DataTree:
    """Draw the groups ``prior`` and ``prior_predictive`` of `fit`, in one chain."""
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(3)[2])  # after `draw_exactly`'s
    scale = prior_scale * abs(rng.standard_normal((1, draws)))
    epp = scale[..., None] * rng.standard_t(prior_df, (1, draws, matches.sizes["player"]))
    epp -= epp.mean(axis=-1, keepdims=True)
    return xr.DataTree.from_dict(
        {
            "prior": _strengths(matches, epp, scale),
            "prior_predictive": _boards(matches, replicate(epp, rng)),
        }
    )


def assemble(
    matches: xr.Dataset,
    eta: Floats,
    prior_scale: float,
    epp: Floats,
    scale: Floats,
    log_likelihood: Floats,
    again: Ints,
    step: int,
) -> xr.DataTree:
    """Make the groups of `fit` from draws of a posterior.

    Parameters
    ----------
    matches : Dataset
        As fitted.
    eta : (round,)
        Weights of the rounds' matches.
    prior_scale : float
        Of the half-normal prior on ``scale``.
    epp : (chain, draw, player)
    scale : (chain, draw)
    log_likelihood : (chain x draw, round)
        Before weighting.
    again : (chain, draw, round, player)
        Posterior predictive boards, of every ``step``-th draw.
    step : int
    """
    chains, draws = scale.shape
    cells = ("chain", "draw")
    by_round = (eta * log_likelihood).reshape(chains, draws, -1)
    # HalfNormal's density.
    log_prior = 0.5 * np.log(2.0 / np.pi) - np.log(prior_scale) - 0.5 * (scale / prior_scale) ** 2
    sampled = {"chain": np.arange(chains), "draw": np.arange(draws)}
    rounds = {"round": matches["round"].to_numpy()}
    return xr.DataTree.from_dict(
        {
            "posterior": _strengths(matches, epp, scale),
            "posterior_predictive": _boards(matches, again, step),
            "log_likelihood": with_notice(
                xr.Dataset(
                    {"place": ((*cells, "round"), by_round)},
                    sampled | rounds,
                )
            ),
            "log_prior": xr.Dataset({"epp_scale": (cells, log_prior)}, sampled),
            "observed_data": matches[["place"]].drop_attrs(),
            "constant_data": xr.Dataset({"weight": ("round", eta)}, rounds),
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


def fitted_arguments(dt: xr.DataTree, models: Sequence[str] = ("bradley_terry",)) -> dict[str, Any]:
    """Read the arguments of a fit of one of these models to one tournament.

    Raises
    ------
    LeaderbayesError
        If it is another fit, or none.
    """
    require_tree(dt)
    if dt.attrs.get("model") not in models:
        raise LeaderbayesError(
            f"This takes a fit of model={' or '.join(map(repr, models))}, not of "
            f"{dt.attrs.get('model')!r}."
        )
    options = ("weight", "test_fraction", "prior_scale", "prior_df")
    fitted(dt, "constant_data", "observed_data", arguments=options)
    arguments: dict[str, Any] = json.loads(dt.attrs["arguments"])
    return arguments


def replicates(matches: xr.Dataset) -> Replicate:
    """Give a function that draws Bradley-Terry's boards of these players and rounds."""
    present = (matches["place"] > 0).to_numpy()
    within = bool(matches.attrs["within_round"])

    def draw(epp: Floats, rng: np.random.Generator) -> Ints:
        every = epp.reshape(-1, 1, epp.shape[2])
        block = max(_AT_A_TIME // present.size, 1)
        places = np.empty((len(every), *present.shape), np.int32)
        for k in range(0, len(every), block):
            places[k : k + block] = draw_places(
                every[k : k + block], present, rng, within_round=within
            )
        return places.reshape(*epp.shape[:2], *present.shape)

    return draw
