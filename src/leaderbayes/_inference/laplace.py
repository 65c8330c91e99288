"""Bradley-Terry's posterior by nested Laplace approximation: milliseconds, and no PyMC."""

import json
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import fitted
from leaderbayes._fits.require import require_tree
from leaderbayes._numerics.laplace import Laplace, sample
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

    Draws are independent; chains are parts of them. Every few draws, evenly, up to ``replicates``
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
    eta, made = draw_posterior(
        matches, chains * draws, posterior,
        weight=weight, test_fraction=test_fraction, prior_scale=prior_scale,
    )  # fmt: skip
    step = -(-draws * chains // replicates)
    epp = made.epp.reshape(chains, draws, -1)
    return assemble(matches, eta, epp, made.scale.reshape(shape), step, predictive)


def draw_posterior(
    matches: xr.Dataset,
    draws: int,
    rng: np.random.Generator,
    *,
    weight: Weight,
    test_fraction: float | None,
    prior_scale: float,
) -> tuple[float, Laplace]:
    """Give the weight of the matches as a number, and independent draws."""
    eta = resolve_weight(matches, weight, test_fraction, with_ties=False)
    points = matches["wins"].to_numpy().sum(axis=1)
    n = matches["n"].to_numpy().astype(float)
    return eta, sample(points, n, eta, prior_scale, draws, rng)


def assemble(
    matches: xr.Dataset,
    eta: float,
    epp: Floats,
    scale: Floats,
    step: int,
    rng: np.random.Generator,
) -> xr.DataTree:
    """Make the groups of `fit` from draws of Bradley-Terry's posterior.

    Parameters
    ----------
    matches : Dataset
        What was fitted.
    eta : float
        Its weight.
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
    chain, draw = {"chain": np.arange(chains)}, {"draw": np.arange(draws)}
    sampled = chain | draw
    return xr.DataTree.from_dict(
        {
            "posterior": xr.Dataset(
                {
                    "epp": (("chain", "draw", "player"), epp),
                    "epp_scale": (("chain", "draw"), scale),
                },
                sampled | {"player": names["player"]},
            ),
            "posterior_predictive": xr.Dataset(
                {"place": (("chain", "draw", "round", "player"), again)},
                chain | {"draw": draw["draw"][::step]} | names,
            ),
            "log_likelihood": xr.Dataset(
                {
                    "place": (
                        ("chain", "draw", "round"),
                        log_likelihood.reshape(chains, draws, -1),
                    )
                },
                sampled | {"round": names["round"]},
            ),
            "observed_data": xr.Dataset({"place": (("round", "player"), place)}, names),
            "constant_data": xr.Dataset({"weight": eta}),
        }
    )


def fitted_arguments(dt: xr.DataTree) -> dict[str, Any]:
    """Arguments of a fit, which has to be one of Bradley-Terry's model to one tournament.

    Raises
    ------
    LeaderbayesError
        If it is another.
    """
    require_tree(dt)
    if dt.attrs.get("model") != "bradley_terry":
        raise LeaderbayesError(
            f"This takes a fit of model='bradley_terry', not of {dt.attrs.get('model')!r}."
        )
    if "posterior" not in dt.children:
        raise LeaderbayesError("This is a study of many fits: pick one, as study['iris'].")
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
