"""Draw the posterior of votes of several tournaments at once: strengths around players' means."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import ScoresError
from leaderbayes._inference.density import Target, draw_density
from leaderbayes._inference.log_likelihood import NOTICE, with_notice
from leaderbayes._inference.log_prior import half_normal
from leaderbayes._inference.tournaments import sampler_of
from leaderbayes._inference.votes import (
    NO_LOO,
    draw_effects,
    log_likelihood,
    misfit_of,
    modelled_by_wins,
    replicated_draws,
    votes_again,
    worth_of_votes,
)
from leaderbayes._numerics.laplace import Board
from leaderbayes._numerics.vote_tournaments import (
    Cells,
    Parts,
    coordinates,
    expand,
    log_density,
    parts,
)
from leaderbayes._numerics.votes import Estimate
from leaderbayes._scores.matches import Ties, matches
from leaderbayes._scores.vote_matches import valid_votes
from leaderbayes._types import Floats
from leaderbayes.likelihood._vote_models import Modelled
from leaderbayes.likelihood._votes import clusterings, pair_worth, weigh
from leaderbayes.models._board import check_options
from leaderbayes.models._tournament_boards import SPREAD_SCALE
from leaderbayes.models._weight import PRIOR_SCALE, check_board

_CELLS = ("chain", "draw")
_PAIRS = ("tournament", "player", "opponent")
_EACH = (*_CELLS, *_PAIRS[:2])
_SCALES = ("epp_scale", "epp_spread")


def draw_vote_tournaments(
    votes: xr.Dataset,
    sampling: dict[str, Any],
    seed: int,
    prior: bool = False,
    progressbar: bool = False,
    *,
    cluster: str | Sequence[str] = "auto",
    order_effect: bool = False,
    covariates: Sequence[str] | None = None,
    prior_scale: float = PRIOR_SCALE,
    spread_scale: float = SPREAD_SCALE,
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw the groups of `fit` for votes of several tournaments, and diagnose.

    Parameters
    ----------
    votes : Dataset
        Of `read_votes`, with the coordinate ``tournament`` (vote,).
    sampling : dict
        Arguments of `fit`, as for `draw_exactly`; and ``ties``.
    cluster, order_effect, covariates
        As of `draw_votes`; judges and prompts may be in several tournaments. Effects are the same
        in all.
    prior_scale, spread_scale
        As of `models.tournaments`.
    """
    check_options(None, prior_scale=prior_scale, spread_scale=spread_scale)
    ties: Ties = sampling["ties"]
    votes = votes.assign_coords(tournament=("vote", _labels(votes)))
    kept = valid_votes(votes, ties)
    check_board(matches(votes, ties=ties))
    number, tournaments = pd.factorize(kept["tournament"].to_numpy())
    stacked = _stacked(votes, kept["player"].to_numpy(), tournaments)
    modelled = modelled_by_wins(
        weigh(stacked, ties=ties, cluster=cluster, order_effect=order_effect, covariates=covariates)
    )
    weighed, scales = modelled.weighed, (prior_scale, spread_scale)
    of, player = np.divmod(weighed.kept["cell"].to_numpy(), kept.sizes["player"])
    cells = Cells(player, of, kept.sizes["player"])
    found = parts(
        weighed.votes, weighed.at, modelled.moments(weighed.at), weighed.together,
        tuple(weighed.clusters.values()), cells,
    )  # fmt: skip
    drawn, stats, sampled = _draw(found, weighed.at, sampling, seed, scales, progressbar)
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(4)[1])
    beta = draw_effects(weighed, drawn["voted"], rng, covariance=found.matched.covariance)
    beta = beta - drawn["shared"] @ found.shared[len(player) :].T
    again = _replicates(modelled, drawn["strength"], beta, sampling["replicates"], cells, rng)
    played = _tables(matches(stacked, ties=ties), cells)
    own = np.bincount(of, misfit_of(modelled, weighed.at, weighed.votes.won))
    coords = {dim: np.arange(n) for dim, n in zip(_CELLS, drawn["epp_scale"].shape, strict=True)}
    names = {"player": kept["player"].to_numpy(), "tournament": np.asarray(tournaments)}
    sides = names | {"opponent": names["player"]}
    known = kept.drop_vars("tournament").assign(vote_tournament=("vote", tournaments[number]))
    tree = {
        "posterior": _posterior(drawn, beta, weighed.effects, cells, coords | names),
        "sample_stats": stats.assign_coords(coords),
        "posterior_predictive": again.assign_coords(sides),
        "log_likelihood": _log_likelihood(drawn["voted"], found, coords),
        "log_prior": xr.Dataset(
            {
                name: (_CELLS, half_normal(drawn[name], scale))
                for name, scale in zip(_SCALES, scales, strict=True)
            },
            coords,
        ),
        "observed_data": xr.Dataset(
            {"wins": played.pop("wins"), "misfit": (_PAIRS[0], own)}, sides
        ),
        "constant_data": known.reset_coords(drop=False)
        .assign(
            **played,
            effective=(_PAIRS, _squares(found.matched.n, cells)),
            worth=(_PAIRS, _squares(pair_worth(weighed), cells, absent=1.0)),
            opinion_variance=("clustering", weighed.together.tau2),
            shared_variance=("clustering", found.tau2),
        )
        .assign_coords(sides | {"clustering": np.array(clusterings(weighed.clusters))}),
    }
    if prior:
        tree["prior"] = _prior(names, scales, sampling["draws"], seed)
    return xr.DataTree.from_dict(tree), sampled | {"weight": worth_of_votes(weighed)}


def _labels(votes: xr.Dataset) -> np.ndarray:
    """Name each vote's tournament (vote,).

    Raises
    ------
    ScoresError
        If one has none.
    """
    labels = votes["tournament"].to_numpy()
    if (missing := np.asarray(pd.isna(labels))).any():
        raise ScoresError(
            f"Vote {int(np.argmax(missing))} has no tournament: name it, or leave such votes out."
        )
    return np.array([str(label) for label in labels], dtype=object)


def _stacked(votes: xr.Dataset, players: Any, tournaments: Any) -> xr.Dataset:
    """Take a player in each tournament for another one; ``cell`` (player,) is its number.

    Of tournaments and players that have a vote that counts.
    """
    code = pd.Index(tournaments).get_indexer(votes["tournament"].to_numpy())
    to = pd.Index(players).get_indexer(votes["player"].to_numpy())
    m = len(players)
    first, second = (to[votes[side].to_numpy()] for side in ("first", "second"))
    # Votes for nobody, of players who have no other.
    there = (code >= 0) & (first >= 0) & (second >= 0)
    cells = {"first": code * m + first, "second": code * m + second}
    names = [f"{player} in {name!r}" for name in tournaments for player in players]
    stacked = votes.drop_vars(["tournament", "player"]).assign(
        {side: ("vote", cell.astype(np.int32)) for side, cell in cells.items()}
    )
    return stacked.isel(vote=there).assign_coords(
        player=names, cell=("player", np.arange(len(names)))
    )


def _draw(
    found: Parts,
    estimate: Estimate,
    sampling: dict[str, Any],
    seed: int,
    scales: tuple[float, float],
    progressbar: bool,
) -> tuple[dict[str, Floats], xr.Dataset, dict[str, Any]]:
    """Draw means, cells and scales; their statistics, and what was found of chains."""
    at = coordinates(found, estimate)
    m, k, directions = found.cells.players, len(found.cells.player), found.shared.shape[1]
    sizes = {"epp": m, "strength": k, "shared": directions}

    def expanded(x: Floats) -> dict[str, Any]:
        scale, spread = np.exp(x[:2])
        values = np.concatenate([*expand(x, at), x[2 : 2 + directions]])
        return {"epp": values, "epp_scale": scale, "epp_spread": spread}

    sampling, failed = sampler_of(at.start.size, sampling)
    # Chains have variables of one dimension beside theirs: one row of all that is drawn.
    target = Target(lambda x: log_density(x, found.matched, at, scales), expanded, at.start)
    tree, sampled = draw_density(
        target, {"epp": (sum(sizes.values()),), "epp_scale": (), "epp_spread": ()},
        sampling, seed, progressbar=progressbar, failed=failed,
    )  # fmt: skip
    ends = np.cumsum([*sizes.values()])[:-1]
    values = np.split(tree["posterior"]["epp"].to_numpy(), ends, axis=-1)
    drawn = dict(zip(sizes, values, strict=True))
    drawn |= {name: tree["posterior"][name].to_numpy() for name in _SCALES}
    # What votes of these judges are about.
    drawn["voted"] = drawn["strength"] + drawn["shared"] @ at.shared.T
    return drawn, tree["sample_stats"].to_dataset(), sampled


def _by_tournament(strength: Floats, mean: Floats, cells: Cells) -> Floats:
    """Give strengths (chain, draw, tournament, player) over the average of those present there.

    Of cells (chain, draw, cell); of who is absent what its mean has it expect.
    """
    total = int(cells.tournament.max()) + 1
    out = np.empty((*mean.shape[:2], total, cells.players))
    for t in range(total):
        own = cells.tournament == t
        who = cells.player[own]
        out[:, :, t] = mean - mean[..., who].mean(axis=-1, keepdims=True)
        here = strength[..., own]
        out[:, :, t, who] = here - here.mean(axis=-1, keepdims=True)
    return out


def _squares(table: Floats, cells: Cells, absent: float = 0.0) -> Floats:
    """Take values of pairs (tournament, player, opponent) out of those of cells (cell, cell)."""
    total = int(cells.tournament.max()) + 1
    out = np.full((total, cells.players, cells.players), absent, dtype=table.dtype)
    for t in range(total):
        own = np.flatnonzero(cells.tournament == t)
        who = cells.player[own]
        out[t][np.ix_(who, who)] = table[np.ix_(own, own)]
    return out


def _tables(counted: xr.Dataset, cells: Cells) -> dict[str, Any]:
    """Give the counts of votes of cells by tournament (tournament, player, opponent), by name."""
    return {
        str(name): (_PAIRS, _squares(table.to_numpy(), cells))
        for name, table in counted.data_vars.items()
    }


def _posterior(
    drawn: dict[str, Floats],
    beta: Floats,
    effects: list[str],
    cells: Cells,
    coords: dict[str, Any],
) -> xr.Dataset:
    values = {
        "epp": ((*_CELLS, "player"), drawn["epp"]),
        **{name: (_CELLS, drawn[name]) for name in _SCALES},
        "epp_tournament": (_EACH, _by_tournament(drawn["strength"], drawn["epp"], cells)),
    }
    if effects:
        values["effect_size"], coords = ((*_CELLS, "effect"), beta), coords | {"effect": effects}
    return xr.Dataset(values, coords)


def _log_likelihood(voted: Floats, found: Parts, coords: dict[str, Any]) -> xr.Dataset:
    """Of the matches that votes are worth (chain, draw)."""
    board = Board(found.matched.points, found.matched.n, np.inf, np.inf)
    values = xr.Dataset({"wins": (_CELLS, log_likelihood(voted, board))}, coords)
    return with_notice(values).rename({NOTICE: NO_LOO})


def _replicates(
    modelled: Modelled,
    strength: Floats,
    beta: Floats,
    asked: int | None,
    cells: Cells,
    rng: np.random.Generator,
) -> xr.Dataset:
    """Draw all votes again, of some draws evenly spread: ``wins`` and ``misfit``, as of votes."""
    at = replicated_draws(modelled, strength, asked)
    shape, total = (len(strength), len(at)), int(cells.tournament.max()) + 1
    wins = np.empty((*shape, total, cells.players, cells.players), dtype=np.float32)
    distance = np.empty((*shape, total))
    for c, k, won, far in votes_again(modelled, strength, beta, at, rng):
        wins[c, k], distance[c, k] = _squares(won, cells), np.bincount(cells.tournament, far)
    return xr.Dataset(
        {"wins": ((*_CELLS, *_PAIRS), wins), "misfit": ((*_CELLS, "tournament"), distance)},
        {"chain": np.arange(shape[0]), "draw": at},
    )


def _prior(names: dict[str, Any], scales: tuple[float, float], draws: int, seed: int) -> xr.Dataset:
    """Draw strengths from their prior, in one chain."""
    rng = np.random.default_rng(np.random.SeedSequence(seed).spawn(4)[2])
    scale, spread = (abs(s * rng.standard_normal((1, draws))) for s in scales)
    m, total = (len(names[dim]) for dim in ("player", "tournament"))
    epp = scale[..., None] * rng.standard_normal((1, draws, m))
    epp -= epp.mean(axis=-1, keepdims=True)
    own = spread[..., None, None] * rng.standard_normal((1, draws, total, m))
    own += epp[:, :, None] - own.mean(axis=-1, keepdims=True)
    values = {
        "epp": ((*_CELLS, "player"), epp),
        "epp_scale": (_CELLS, scale),
        "epp_spread": (_CELLS, spread),
        "epp_tournament": (_EACH, own),
    }
    return xr.Dataset(values, {"chain": [0], "draw": np.arange(draws), **names})
