"""Groups of a fit of a model of a board, without PyMC: of its draws, and of its prior."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr
from xarray import Coordinates

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import fitted
from leaderbayes._fits.require import require_tree
from leaderbayes._inference.log_likelihood import NOTICE, notice
from leaderbayes._inference.log_prior import half_normal
from leaderbayes._inference.replicates import Replicate
from leaderbayes._types import Floats


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
            "prior_predictive": boards_of_draws(matches, replicate(epp, rng)),
        }
    )


def assemble(
    matches: xr.Dataset,
    eta: Floats,
    prior_scale: float,
    epp: Floats,
    scale: Floats,
    by_round: Any,
    again: Any,
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
    by_round : (chain, draw, round)
        Weighted log-likelihood.
    again : (chain, draw, round, player)
        Posterior predictive boards, of every ``step``-th draw.
    step : int
    """
    cells = ("chain", "draw")
    place, round_ = matches.variables["place"], _names(matches, "round")
    tree = xr.DataTree()
    tree.children = {
        name: xr.DataTree(group)
        for name, group in {
            "posterior": _strengths(matches, epp, scale),
            "posterior_predictive": boards_of_draws(matches, again, step),
            "log_likelihood": rounds_of_draws(matches, by_round),
            "log_prior": xr.Dataset(
                {"epp_scale": (cells, half_normal(scale, prior_scale))}, _counted(scale.shape)
            ),
            "observed_data": xr.Dataset(
                {"place": (place.dims, place.to_numpy())}, round_ | _names(matches, "player")
            ),
            "constant_data": xr.Dataset({"weight": ("round", eta)}, round_),
        }.items()
    }
    return tree


def _strengths(matches: xr.Dataset, epp: Floats, scale: Floats) -> xr.Dataset:
    """Name draws of epp (chain, draw, player) and epp_scale (chain, draw)."""
    cells = ("chain", "draw")
    drawn = {"epp": ((*cells, "player"), epp), "epp_scale": (cells, scale)}
    return xr.Dataset(drawn, _counted(scale.shape) | _names(matches, "player"))


def boards_of_draws(matches: xr.Dataset, place: Any, step: int = 1) -> xr.Dataset:
    """Name places (chain, draw, round, player) of every ``step``-th draw.

    After the rounds and players of matches, or of their places.
    """
    dims = ("chain", "draw", "round", "player")
    counted = _counted(place.shape[:2], step)
    return xr.Dataset(
        {"place": (dims, place)}, counted | _names(matches, "round") | _names(matches, "player")
    )


def rounds_of_draws(matches: xr.Dataset, by_round: Any) -> xr.Dataset:
    """Name log-likelihoods (chain, draw, round), and add what stands beside them."""
    dims = ("chain", "draw", "round")
    drawn = {"place": (dims, by_round), NOTICE: notice(by_round.shape[:2])}
    return xr.Dataset(drawn, _counted(by_round.shape[:2]) | _names(matches, "round"))


def _counted(shape: tuple[int, ...], step: int = 1) -> Coordinates:
    """Count chains, and every ``step``-th draw."""
    chains, draws = shape
    return Coordinates({"chain": np.arange(chains), "draw": step * np.arange(draws)})


def _names(matches: xr.Dataset, dim: str) -> Coordinates:
    """Take names, which are indexed already."""
    return Coordinates.from_xindex(matches.xindexes[dim])


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
