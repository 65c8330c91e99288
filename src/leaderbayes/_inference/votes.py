"""Draw the posterior of votes, by Bradley-Terry's or Davidson's model."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._inference.bradley_terry import draw_board
from leaderbayes._inference.density import Target, draw_density, given_scale
from leaderbayes._inference.log_likelihood import NOTICE, with_notice
from leaderbayes._inference.log_prior import half_normal, normal
from leaderbayes._numerics import design
from leaderbayes._numerics.laplace import Board
from leaderbayes._numerics.log_density import (
    Coordinates,
    coordinates,
    fold,
    many_priors,
    prior_parts,
)
from leaderbayes._numerics.newton import inverse
from leaderbayes._numerics.vote_replicates import Again, misfit, wins_of
from leaderbayes._numerics.votes import Likelihood, counted, law_at, met_of
from leaderbayes._scores.matches import matches
from leaderbayes._scores.vote_matches import CLUSTERINGS
from leaderbayes._types import Floats
from leaderbayes.models._board import check_options
from leaderbayes.models._votes import VoteStatistics, VoteTarget, vote_statistics
from leaderbayes.models._weight import PRIOR_SCALE, check_board, degrees_of_freedom

_DIMS = ("chain", "draw", "player")
NO_LOO = "votes_have_no_loo"  # at which ``az.loo`` stops
_REPLICATES = 100
FEWEST = 50  # replicates that a check takes
_CELLS = 4_000_000  # votes drawn at once


def draw_votes(
    votes: xr.Dataset, sampling: dict[str, Any], seed: int, prior: bool = False,
    progressbar: bool = False, *, cluster: str | Sequence[str] = "auto",
    order_effect: bool = False, covariates: Sequence[str] | None = None,
    prior_scale: float = PRIOR_SCALE, prior_df: float | None = None, matched: bool | None = None,
) -> tuple[xr.DataTree, dict[str, Any]]:  # fmt: skip
    """Draw the groups of `fit` for votes by Bradley-Terry's model, and diagnose."""
    reading = {
        "cluster": cluster, "order_effect": order_effect, "covariates": covariates,
        "matched": matched,
    }  # fmt: skip
    return _draw(votes, sampling, seed, prior, progressbar, reading, prior_scale, prior_df, None)


def draw_davidson(
    votes: xr.Dataset, sampling: dict[str, Any], seed: int, prior: bool = False,
    progressbar: bool = False, *, cluster: str | Sequence[str] = "auto",
    order_effect: bool = False, covariates: Sequence[str] | None = None,
    prior_scale: float = PRIOR_SCALE, prior_df: float | None = None, matched: bool | None = None,
    tie_scale: float = 2.0,
) -> tuple[xr.DataTree, dict[str, Any]]:  # fmt: skip
    """Draw as `draw_votes`, by Davidson's model."""
    reading = {
        "cluster": cluster, "order_effect": order_effect, "covariates": covariates,
        "matched": matched, "tie": True,
    }  # fmt: skip
    return _draw(
        votes, sampling, seed, prior, progressbar, reading, prior_scale, prior_df, tie_scale
    )


def _draw(
    votes: xr.Dataset, sampling: dict[str, Any], seed: int, prior: bool, progressbar: bool,
    reading: dict[str, Any], prior_scale: float, prior_df: float | None, tie_scale: float | None,
) -> tuple[xr.DataTree, dict[str, Any]]:  # fmt: skip
    check_options(None, prior_scale=prior_scale, **({"tie_scale": tie_scale} if tie_scale else {}))
    played = matches(votes, ties=sampling["ties"])
    check_board(played)
    found = vote_statistics(votes, ties=sampling["ties"], **reading)
    df = degrees_of_freedom(prior_df, found.rows.votes.players)
    posterior, stats, diagnosed = _drawn(
        found, (prior_scale, df), tie_scale, sampling, seed, progressbar=progressbar
    )
    streams = np.random.SeedSequence(seed).spawn(4)
    shape = posterior["epp_scale"].shape
    coords = {"chain": np.arange(shape[0]), "draw": np.arange(shape[1])}
    names = found.rows.kept["player"].to_numpy()
    known = {"epp_scale": half_normal(posterior["epp_scale"].to_numpy(), prior_scale)}
    if tie_scale is not None:
        known["tie"] = normal(posterior["tie"].to_numpy(), tie_scale)
    own, again, value = replicated(
        found, posterior, sampling["replicates"], np.random.default_rng(streams[1])
    )
    effects = {"effect": found.rows.effects} if found.rows.effects else {}
    observed = played[["wins"]].drop_attrs()
    outcome = ("vote", found.rows.votes.won / found.rows.votes.n)
    tree = {
        "posterior": posterior.assign_coords(coords | effects | {"player": names}),
        "sample_stats": stats.assign_coords(coords),
        "posterior_predictive": again,
        "log_likelihood": with_notice(xr.Dataset({"wins": (_DIMS[:2], value)}, coords)).rename(
            {NOTICE: NO_LOO}
        ),
        "log_prior": xr.Dataset({k: (_DIMS[:2], v) for k, v in known.items()}, coords),
        "observed_data": observed.assign(misfit=own, outcome=outcome),
        "constant_data": _constant(found),
    }
    if prior:
        tree["prior"] = _prior(names, prior_scale, df, shape[1], streams[2], found.ways)
    weight = np.average(found.weight, weights=found.rows.votes.n)
    return xr.DataTree.from_dict(tree), diagnosed | {"weight": float(weight)}


def _drawn(
    found: VoteStatistics, prior: tuple[float, float], tie_scale: float | None,
    sampling: dict[str, Any], seed: int, *, progressbar: bool,
) -> tuple[xr.Dataset, xr.Dataset, dict[str, Any]]:  # fmt: skip
    """Draw strengths and what stands beside them."""
    target = VoteTarget(found, tie=tie_scale is not None, tie_scale=tie_scale or 1.0)
    m, k = found.rows.votes.players, len(target.extra_scale)
    rows = target.likelihood.votes
    points = np.bincount(rows.first, rows.won, m) + np.bincount(rows.second, rows.n - rows.won, m)
    board = Board(points, met_of(rows), *prior)
    rng = np.random.default_rng([seed, 1])
    if not k:
        streams = np.random.SeedSequence(seed).spawn(4)
        tree, diagnosed = draw_board(board, sampling, streams, progressbar=progressbar)
        posterior = _named(target, tree["posterior"].to_dataset(), np.empty(0), rng)
        return posterior, tree["sample_stats"].to_dataset(), diagnosed
    shapes: dict[str, tuple[int, ...]] = {"epp": (m,), "epp_scale": ()}
    shapes |= {f"extra {i}": () for i in range(k)}

    def in_coordinates(at: Coordinates) -> Target:
        def density(x: Floats) -> tuple[float, Floats]:
            value, by_scale, a, slope, by_a, own = prior_parts(x[: m + 1], *at[:2], *prior)
            more, up, by_extra = target.log_likelihood(a[None], x[None, m + 1 :])
            fold(by_scale, by_a + up[0], a, slope, at.centring, own)
            extra = x[m + 1 :] / target.extra_scale
            value += float(more[0]) - 0.5 * float(extra @ extra)
            return value, np.append(own, by_extra[0] - extra / target.extra_scale)

        def many(x: Floats) -> tuple[dict[str, Floats], Floats]:
            value, _, a = many_priors(x, *at[:2], *prior)
            extra = x[:, m + 1 :]
            value += target.log_likelihood(a, extra, False)[0]
            value -= 0.5 * ((extra / target.extra_scale) ** 2).sum(axis=1)
            drawn = {"epp": target.strengths(a, extra), "epp_scale": np.exp(x[:, 0])}
            return drawn | {f"extra {i}": each for i, each in enumerate(extra.T)}, value

        def expand(x: Floats) -> dict[str, Any]:
            return {name: each[0] for name, each in many(np.ascontiguousarray(x[None]))[0].items()}

        return Target(density, expand, np.append(at.start, np.zeros(k)), many)

    at = coordinates(board)
    tree, diagnosed = draw_density(
        in_coordinates(at), shapes, sampling, seed, progressbar=progressbar,
        given_scale=given_scale(in_coordinates, at),
    )  # fmt: skip
    drawn = tree["posterior"].to_dataset()
    extra = np.stack([drawn[f"extra {i}"].to_numpy() for i in range(k)], axis=-1)
    return _named(target, drawn, extra, rng), tree["sample_stats"].to_dataset(), diagnosed


def _named(
    target: VoteTarget, drawn: xr.Dataset, extra: Floats, rng: np.random.Generator
) -> xr.Dataset:
    """Name what was drawn beside strengths."""
    epp = drawn["epp"].to_numpy()
    flat = epp.reshape(-1, epp.shape[2])
    posterior = drawn[["epp_scale"]].assign(epp=(_DIMS, epp))
    for name, each in target.others(
        flat, extra.reshape(len(flat), extra.size // len(flat)), rng
    ).items():
        dims = _DIMS[:2] if each.ndim == 1 else (*_DIMS[:2], "effect")
        posterior[name] = dims, each.reshape(*epp.shape[:2], *each.shape[1:])
    return posterior


def replicated(
    found: VoteStatistics, posterior: xr.Dataset, asked: int | None, rng: np.random.Generator
) -> tuple[float, xr.Dataset, Floats]:
    """Draw all votes again for some draws, evenly spread.

    Returns the votes' own distance from the model, a Dataset of ``wins`` (chain, draw, player,
    opponent) and ``misfit`` (chain, draw), and the weighted log-likelihood of all draws.
    """
    votes, tie = found.rows.votes, "tie" in posterior
    likelihood = Likelihood(votes, tie=tie)
    rows = likelihood.votes
    again = Again(rows, votes, tuple(found.rows.clusters.values()), found.together.tau2)
    parts = [posterior["epp"].to_numpy()]
    parts += [posterior["effect_size"].to_numpy()] if found.rows.effects else []
    parts += [posterior["tie"].to_numpy()[..., None]] if tie else []
    x = np.concatenate(parts, axis=-1)
    chains, draws, size = x.shape
    wanted = asked if asked is not None else _REPLICATES
    at = np.linspace(0, draws - 1, min(-(-wanted // chains), draws)).astype(int)
    inner = found.at.information[: size - tie, : size - tie]
    inner = inner + 1e-9 * np.trace(inner) * np.eye(len(inner))
    bread = inverse(inner, rows.players)
    picked, wins, distance = x[:, at].reshape(-1, size), [], []
    for some in np.array_split(picked, max(len(picked) * len(rows.n) // _CELLS, 1)):
        eta, nu, law = likelihood.law(some)
        won, _ = again.draw(eta, rng, nu=nu if tie else None, phi=found.together.phi)
        wins.append(wins_of(rows, won))
        distance.append(misfit(rows, likelihood.rows, bread, law, won))
    here = law_at(rows, found.at)
    own = misfit(rows, likelihood.rows, bread, here.as_column(), rows.won[:, None])
    names = found.rows.kept["player"].to_numpy()
    replicates = xr.Dataset(
        {
            "wins": ((*_DIMS[:2], "player", "opponent"), _stacked(wins, chains).astype(np.float32)),
            "misfit": (_DIMS[:2], _stacked(distance, chains)),
        },
        {"chain": np.arange(chains), "draw": at, "player": names, "opponent": names},
    )
    weighted = Likelihood(counted(votes, found.weight), tie=tie)
    parts = np.array_split(x.reshape(-1, size), max(x.size // size * len(rows.n) // _CELLS, 1))
    value = np.concatenate([weighted.value(some) for some in parts]).reshape(chains, draws)
    return float(own[0]), replicates, value


def _stacked(parts: list[Floats], chains: int) -> Floats:
    """Put draws together again (chain, draw, ...)."""
    found = np.concatenate(parts)
    return found.reshape(chains, -1, *found.shape[1:])


def _constant(found: VoteStatistics) -> xr.Dataset:
    """Return what `models._votes.observe_votes` gives a model as data, and names of judges."""
    rows, votes = found.rows, found.rows.votes
    values: dict[str, Any] = {
        "first": ("vote", votes.first), "second": ("vote", votes.second),
        "count": ("vote", votes.n), "weight": ("vote", found.weight),
        "opinion_variance": ("clustering", found.together.tau2),
    }  # fmt: skip
    coords: dict[str, Any] = {"clustering": rows.clusterings}
    labels = (*CLUSTERINGS, "tournament", "time", "alone")
    values |= {k: ("vote", rows.kept[k].to_numpy()) for k in labels if k in rows.kept.variables}
    if rows.effects:
        values["effect_value"] = ("vote", "effect"), votes.effect
        values["effect_unit"] = "effect", rows.units
        coords["effect"] = rows.effects
    if rows.both_bad is not None:
        values["both_bad"] = ("player", "opponent"), rows.both_bad
        names = rows.kept["player"].to_numpy()
        coords |= {"player": names, "opponent": names}
    return xr.Dataset(values, coords, rows.kept.attrs)


def _prior(
    names: Any, prior_scale: float, df: float, draws: int, stream: np.random.SeedSequence,
    ways: design.Ways | None,
) -> xr.Dataset:  # fmt: skip
    """Draw strengths from their prior, in one chain; of matched pairs by who met whom."""
    rng = np.random.default_rng(stream)
    scale = prior_scale * abs(rng.standard_normal((1, draws)))
    found = {"epp_scale": (_DIMS[:2], scale)}
    epp = scale[..., None] * rng.standard_t(df, (1, draws, len(names)))
    if ways is not None:
        alpha = rng.uniform(0.0, design.LARGEST, (1, draws))
        epp = design.along(epp[0], alpha[0], ways)[None]
        found["matching"] = _DIMS[:2], alpha
    epp = epp - epp.mean(axis=-1, keepdims=True)
    coords = {"chain": [0], "draw": np.arange(draws), "player": names}
    return xr.Dataset({"epp": (_DIMS, epp), **found}, coords)
