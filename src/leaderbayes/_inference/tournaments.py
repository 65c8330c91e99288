"""Draw the posterior of several tournaments' scores at once: strengths around players' means."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._inference.density import Target, draw_density
from leaderbayes._inference.log_likelihood import with_notice
from leaderbayes._inference.log_prior import half_normal
from leaderbayes._inference.replicates import step_of
from leaderbayes._numerics.pairs_by_round import round_log_likelihood, round_statistics
from leaderbayes._numerics.places import draw_places
from leaderbayes._numerics.tournaments import (
    Boards,
    Coordinates,
    boards,
    coordinates,
    expand,
    log_density,
    many,
)
from leaderbayes._types import Floats, Ints
from leaderbayes.models._board import check_options
from leaderbayes.models._tournament_boards import SPREAD_SCALE, MatchBoards, boards_of_matches
from leaderbayes.models._weight import PRIOR_SCALE, Weight

_MOST = 200  # coordinates, beyond which NUTS takes less time and memory than enough proposals
_CELLS = ("chain", "draw")
_BOARD = ("tournament_round", "player")
# What is drawn, and of what it is.
_DIMS: dict[str, tuple[str, ...]] = {
    "epp": ("player",),
    "epp_scale": (),
    "epp_spread": (),
    "epp_tournament": ("tournament", "player"),
}
_OF_GROUPS: dict[str, tuple[str, ...]] = {"epp_group": ("group",), "group_scale": ()}


def draw_tournaments(
    matches: xr.Dataset,
    sampling: dict[str, Any],
    seed: int,
    prior: bool = False,
    progressbar: bool = False,
    *,
    groups: Mapping[str, str] | None = None,
    weight: Weight = "composite",
    test_fraction: float | None = None,
    prior_scale: float = PRIOR_SCALE,
    spread_scale: float = SPREAD_SCALE,
    centring: float | None = None,
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw the groups of `fit` for ``models.tournaments``, and diagnose.

    Parameters
    ----------
    matches : Dataset
        Of several tournaments.
    sampling : dict
        Arguments of `fit`.
    groups, weight, test_fraction, prior_scale, spread_scale
        As of the model.
    centring : float, optional
        Of the model alone: here coordinates are chosen by the boards.
    """
    check_options(centring, prior_scale=prior_scale, spread_scale=spread_scale)
    own = boards_of_matches(matches, groups, weight, test_fraction)
    dims = _DIMS | (_OF_GROUPS if own.group is not None else {})
    sizes = {name: len(own.coords[name]) for names in dims.values() for name in names}
    given = boards(matches["place"].to_numpy(), own.present, own.weight, own.ties)
    at = coordinates(given, sizes["player"], own.weight, own.group)
    scales = prior_scale, spread_scale
    shapes = {name: tuple(sizes[dim] for dim in of) for name, of in dims.items()}
    posterior, stats, found = _draw(given, at, scales, shapes, sampling, seed, progressbar)
    # Streams are those of other models.
    _, of_replicates, of_prior, _ = np.random.SeedSequence(seed).spawn(4)
    each, shape = posterior["epp_tournament"], posterior["epp_scale"].shape
    step = step_of(shape, own.rows.size, sampling["replicates"])
    replicates = _replicates(each[:, ::step], own, np.random.default_rng(of_replicates))
    counted, by_round = _counted(shape), {"tournament_round": own.coords["tournament_round"]}
    scale_of = {"epp_scale": prior_scale, "epp_spread": spread_scale, "group_scale": prior_scale}
    log_prior = {
        name: (_CELLS, half_normal(posterior[name], scale))
        for name, scale in scale_of.items()
        if name in posterior
    }
    log_likelihood = xr.Dataset(
        {"place": ((*_CELLS, "tournament_round"), _log_likelihood(each, own))}, counted | by_round
    )
    observed = {"place": (_BOARD, own.rows)}
    tree = {
        "posterior": _strengths(posterior, dims, own),
        "sample_stats": stats.assign_coords(counted),
        "posterior_predictive": _boards(replicates, own, step),
        "log_likelihood": with_notice(log_likelihood),
        "log_prior": xr.Dataset(log_prior, counted),
        "observed_data": xr.Dataset(observed, {dim: own.coords[dim] for dim in _BOARD}),
        "constant_data": xr.Dataset(
            {"weight": ("tournament_round", np.concatenate(own.weight))}, by_round
        ),
    }
    if prior:
        rng = np.random.default_rng(of_prior)
        before = _prior(own, scales, sampling["draws"], rng)
        tree["prior"] = _strengths(before, dims, own)
        tree["prior_predictive"] = _boards(_replicates(before["epp_tournament"], own, rng), own)
    return xr.DataTree.from_dict(tree), found


def _draw(
    given: Boards,
    at: Coordinates,
    scales: tuple[float, float],
    shapes: dict[str, tuple[int, ...]],
    sampling: dict[str, Any],
    seed: int,
    progressbar: bool,
) -> tuple[dict[str, Floats], xr.Dataset, dict[str, Any]]:
    """Draw strengths and scales; their statistics, and what was found of chains."""
    vectors = {name: math.prod(shape) for name, shape in shapes.items() if shape}

    # Chains have variables of one dimension beside theirs: one row of all that is drawn.
    def in_rows(found: dict[str, Floats], *points: int) -> dict[str, Any]:
        rows = [found[name].reshape(*points, -1) for name in vectors]
        numbers = {name: found[name] for name in shapes if name not in vectors}
        return {"epp": np.concatenate(rows, axis=-1)} | numbers

    def several(x: Floats) -> tuple[dict[str, Floats], Floats]:
        found, value = many(x, given, at, scales)
        return in_rows(found, len(x)), value

    target = Target(
        lambda x: log_density(x, given, at, scales),
        lambda x: in_rows(expand(x, given, at)),
        at.start,
        several,
    )
    drawn: dict[str, tuple[int, ...]] = {"epp": (sum(vectors.values()),)}
    drawn |= {name: () for name in shapes if name not in vectors}
    sampling, failed = sampler_of(at.start.size, sampling)
    tree, found = draw_density(
        target, drawn, sampling, seed, progressbar=progressbar, failed=failed
    )
    values = {name: tree["posterior"][name].to_numpy() for name in drawn}
    rows = np.split(values.pop("epp"), np.cumsum([*vectors.values()])[:-1], axis=-1)
    for name, row in zip(vectors, rows, strict=True):
        values[name] = row.reshape(*row.shape[:2], *shapes[name])
    return values, tree["sample_stats"].to_dataset(), found


def sampler_of(size: int, sampling: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Take NUTS at once where there are too many coordinates, and say so; unless it is asked for.

    ``sampling`` are the arguments of `fit`.
    """
    if size <= _MOST or sampling["sampler"] != "auto":
        return sampling, ""
    why = f"{size} coordinates ask for too many (up to {_MOST} is good)"
    return sampling | {"sampler": "nutpie"}, why


def _counted(shape: tuple[int, ...], step: int = 1) -> dict[str, Any]:
    """Count chains, and every ``step``-th draw."""
    return {"chain": np.arange(shape[0]), "draw": step * np.arange(shape[1])}


def _strengths(
    values: dict[str, Floats], dims: dict[str, tuple[str, ...]], own: MatchBoards
) -> xr.Dataset:
    """Name draws of strengths and scales."""
    named = {name: ((*_CELLS, *dims[name]), values[name]) for name in sorted(dims)}
    names = {dim: own.coords[dim] for of in dims.values() for dim in of}
    return xr.Dataset(named, _counted(values["epp_scale"].shape) | names)


def _boards(place: Ints, own: MatchBoards, step: int = 1) -> xr.Dataset:
    """Name places (chain, draw, tournament_round, player) of every ``step``-th draw."""
    names = {dim: own.coords[dim] for dim in _BOARD}
    counted = _counted(place.shape[:2], step)
    return xr.Dataset({"place": ((*_CELLS, *_BOARD), place)}, counted | names)


def _replicates(each: Floats, own: MatchBoards, rng: np.random.Generator) -> Ints:
    """Draw rounds (chain, draw, tournament_round, player) of strengths by tournament."""
    present = own.rows > 0
    place = np.empty((*each.shape[:2], *present.shape), np.int32)
    for cell in np.ndindex(each.shape[:2]):
        place[cell] = draw_places(each[cell][own.tournament], present, rng)
    return place


def _log_likelihood(each: Floats, own: MatchBoards) -> Floats:
    """Give the weighted log-likelihood (chain, draw, tournament_round) of strengths."""
    out = np.empty((*each.shape[:2], len(own.rows)))
    for t, (here, eta) in enumerate(zip(own.present, own.weight, strict=True)):
        rounds = own.tournament == t
        statistics = round_statistics(own.rows[rounds][:, here], within_round=True, ties=own.ties)
        strengths = each[:, :, t, here].reshape(-1, int(here.sum()))
        by_round = eta * round_log_likelihood(strengths, statistics)
        out[..., rounds] = by_round.reshape(*each.shape[:2], -1)
    return out


def _prior(
    own: MatchBoards, scales: tuple[float, float], draws: int, rng: np.random.Generator
) -> dict[str, Floats]:
    """Draw what the model has beside the rounds from its prior, in one chain."""

    def normal(scale: Floats, *size: int) -> Floats:
        return scale.reshape(1, draws, *[1] * len(size)) * rng.standard_normal((1, draws, *size))

    prior_scale, spread_scale = (np.full((1, draws), scale) for scale in scales)
    total, m = own.present.shape
    values = {"epp_scale": abs(normal(prior_scale)), "epp_spread": abs(normal(spread_scale))}
    epp = normal(values["epp_scale"], m)
    if own.group is not None:
        values["group_scale"] = abs(normal(prior_scale))
        of_group = normal(values["group_scale"], len(own.coords["group"]))
        values["epp_group"] = of_group - of_group.mean(axis=-1, keepdims=True)
        epp += values["epp_group"][..., own.group]
    values["epp"] = epp - epp.mean(axis=-1, keepdims=True)
    # Over the average of those present; who is absent deviates from nothing.
    share = own.present / own.present.sum(axis=1, keepdims=True)
    deviation = normal(values["epp_spread"], total, m)
    deviation -= (share * deviation).sum(axis=-1, keepdims=True)
    expected = values["epp"][:, :, None] - (values["epp"] @ share.T)[..., None]
    values["epp_tournament"] = expected + own.present * deviation
    return values
