"""Discrepancy of a board from its fit, and of the boards that the fit replicates."""

import warnings
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import batched
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._errors import MisfitWarning
from leaderbayes._fits.posterior import drawn, fitted, is_of_votes, refuse
from leaderbayes._inference.boards import boards_of, matches_of
from leaderbayes._inference.boards_alike import boards_alike
from leaderbayes._numerics import bradley_terry as bt
from leaderbayes._numerics.places import count_matches, count_wins
from leaderbayes._numerics.round_intercept import counts as listed_counts
from leaderbayes._types import AnyInts, Floats, Ints, Longs

MISFIT = 0.05  # p-value below which a board does not fit
_FEWEST, _MOST = 50, 200  # draws
_PAIRS = 2_000_000  # in all draws, about: beyond, fewer draws are taken
_CELLS = ("chain", "draw")
_AT_HAND = 50_000  # pairs
_PLAYERS = 1000  # most of whom every pair is looked at unasked
_OWN = ("davidson", "round_intercept")  # models whose replicates are those of the fit

Counts = tuple[Floats, Floats, Floats]  # strict wins, ties and matches (player, opponent)


def enough(players: int) -> int:
    """Count the draws of a check that nobody waits for, up to a thousand players or so."""
    return int(np.clip(_PAIRS // players**2, _FEWEST, _MOST))


def p_check(dt: xr.DataTree, board: xr.Dataset | None = None) -> float:
    """Compute the p-value of `leaderbayes.check`, and warn where the board does not fit.

    NaN where there are too few replicates, too many players, or nothing to check. Who has the
    matches of the fit gives them: else they are made again from its scores.
    """
    players, replicates = dt["posterior"].sizes["player"], dt["posterior_predictive"].sizes
    draws = min(enough(players), replicates["chain"] * replicates["draw"])
    if draws < _FEWEST or players > _PLAYERS:
        return float("nan")
    observed, by_round, _ = discrepancies(dt, draws, board=board)
    p = share_as_far(observed, by_round)
    if p < MISFIT and dt.attrs["converged"]:
        # A pair has a record in each tournament.
        of = " of study.select(fit, tournament)" if "epp_tournament" in dt["posterior"] else ""
        warnings.warn(
            "LB016 the model does not describe this board (check of fit: p "
            f"{'< 0.005' if p < 0.005 else f'= {p:.3f}'}). Intervals and probabilities can be "
            "wrong: of a pair go by its own record, compare() and win_probability(by='record')"
            f"{of}.",
            MisfitWarning,
            stacklevel=3,
        )
    return p


def share_as_far(observed: Floats, replicated: Floats) -> float:
    """Give the share of draws whose replicate is at least as discrepant as the board.

    NaN where the discrepancy of the board is none, or that of the replicates.
    """
    known = np.isfinite(observed).all() and np.isfinite(replicated).all()
    return float((replicated >= observed).mean()) if known else float("nan")


def against(observed: Floats, replicated: Floats) -> tuple[float, Floats]:
    """Give the number that replicates (draw,) are held against, and theirs, for a histogram.

    That of the board, where it is the same for all draws. Davidson's goes with each draw's nu: then
    it is 0, and theirs are the differences from the board's.
    """
    if np.ptp(observed) > 0.0:
        return 0.0, replicated - observed
    return float(observed[0]), replicated


def histogram(values: Floats, ends: tuple[float, float]) -> tuple[Longs, Floats]:
    """Count draws (draw,) in even bins between ends, and give the edges of these.

    As many bins however far the ends are apart: a board that does not fit may stand a hundred
    widths of its replicates away from them.
    """
    return np.histogram(values, int(np.ceil(2.0 * np.sqrt(len(values)))), ends)


def discrepancies(
    dt: xr.DataTree,
    draws: int,
    rng: np.random.Generator | None = None,
    board: xr.Dataset | None = None,
) -> tuple[Floats, Floats, Floats]:
    """Compute the deviance of the board, and of replicates, each at its own estimate.

    That is Bradley-Terry's with one pseudo-round. At the draw of strengths that makes a replicate
    the board would stand off by as much as draws are spread: with few rounds, or luck that all
    rounds share, misfit would be lost in that. Whole replicates of models whose rankings are
    Bradley-Terry's are those of `boards_alike`; Davidson's and PMRA's are those of the fit.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    draws : int
        Posterior draws to use, spread evenly over those that have replicates.
    rng : Generator, optional
        Of naive replicates, whose matches are each on its own; without one there are none.
    board : Dataset, optional
        Matches that one tournament was fitted to.

    Returns
    -------
    observed, by_round, naive : (draw,)
        Of the board (NaN where strengths describe any votes on the pairs that met), of its whole
        replicates, and of naive ones (NaN without ``rng``).
    """
    fitted(dt, "posterior_predictive", "constant_data")
    if is_of_votes(dt):
        return _of_votes(dt, draws)
    replicates = dt["posterior_predictive"].to_dataset()
    total = replicates.sizes["chain"] * replicates.sizes["draw"]
    picked = np.unique(np.linspace(0, total - 1, min(draws, total)).astype(int))
    cells = np.unravel_index(picked, [replicates.sizes[dim] for dim in _CELLS])
    at = _own_draws(dt, replicates, cells)
    if dt.attrs["model"] in _OWN:
        again = _picked(replicates["outcome" if "outcome" in replicates else "place"], cells)
        again_won = partial(_wins_of_fit, dt, again)
    else:
        again_won = partial(_wins_alike, dt, len(picked))
    nu = np.full(len(picked), -np.inf)
    if dt.attrs["model"] == "davidson":
        nu = drawn(dt, "tie").to_numpy()[at]
    observed, by_round, naive = np.zeros((3, len(picked)))
    if rng is None:
        naive[:] = np.nan
    first = 0
    own_board = [] if board is None else [(board, _players_of(board, drawn(dt, "epp")))]
    for board, strengths in own_board or boards_of(dt):
        epp = strengths.transpose(*_CELLS, "player").to_numpy()[at]
        rows = slice(first, first + board.sizes["round"])
        first = rows.stop
        wins, n, tied = (board[name].to_numpy().astype(float) for name in ("wins", "n", "tied"))
        equal = np.zeros_like(tied) if board.attrs["ties"] == "drop" else tied
        strict = wins - equal / 2.0
        by_round += _replicated(epp, nu, _counts(again_won(board, rows), board))
        own = _estimate(strict, equal, n, epp.mean(axis=0))
        levels, of = np.unique(nu, return_inverse=True)
        observed += np.array([bt.deviance(own, v, strict, equal, n) for v in levels])[of]
        if rng is not None:
            for k, (b, v) in enumerate(zip(epp, nu, strict=True)):
                alone = *_independent_matches(b, v, n, rng), n
                naive[k] += bt.deviance(_estimate(*alone, b), v, *alone)
    return observed, by_round, naive


def _of_votes(dt: xr.DataTree, draws: int) -> tuple[Floats, Floats, Floats]:
    """Read the distances of pairs from strengths, which were found while votes were drawn."""
    fitted(dt, "observed_data", "posterior_predictive")
    every = drawn(dt, "misfit", "posterior_predictive")
    again = every.sum([dim for dim in every.dims if dim not in _CELLS]).to_numpy().reshape(-1)
    again = again[np.unique(np.linspace(0, len(again) - 1, min(draws, len(again))).astype(int))]
    own = float(dt["observed_data"]["misfit"].sum()) if can_misfit(dt) else np.nan
    observed = np.full(len(again), own)
    return observed, again, np.full(len(again), np.nan)


def can_misfit(dt: xr.DataTree) -> bool:
    """Tell whether pairs of a fit of votes close a circle.

    Without one there are as many pairs as differences of strengths, which describe any votes then.
    """
    from scipy.sparse.csgraph import connected_components  # which takes long to import

    met = matches_of(dt)["n"].to_numpy() > 0.0
    groups = int(connected_components(met, directed=False)[0])
    return bool(np.count_nonzero(np.triu(met, 1)) > len(met) - groups)


def _players_of(board: xr.Dataset, values: xr.DataArray) -> xr.DataArray:
    """Take a board's players, in its order; where they are all there is no need to look them up."""
    players = board.get_index("player")
    same = players.equals(values.get_index("player"))
    return values if same else values.sel(player=players.to_numpy())


def _own_draws(dt: xr.DataTree, replicates: xr.Dataset, cells: tuple[Longs, ...]) -> Any:
    """Find where in the posterior the draws (chain, draw) of replicates are.

    Raises
    ------
    LeaderbayesError
        If a replicate is of a draw that the posterior does not have, or has twice.
    """
    found = []
    for dim, picked in zip(_CELLS, cells, strict=True):
        own, others = (each.get_index(dim) for each in (dt["posterior"].dataset, replicates))
        if own.has_duplicates or others.has_duplicates or not others.isin(own).all():
            raise refuse(dt, "has replicates of other draws than those in posterior")
        found.append(own.get_indexer(others)[picked])
    return tuple(found)


def _replicated(epp: Floats, nu: Floats, again: Iterable[Counts]) -> Floats:
    """Compute the deviance (draw,) of replicates of one tournament at their own estimates.

    Parameters
    ----------
    epp : (draw, player)
        Where their estimates begin.
    nu : (draw,)
        Of Davidson's model; -inf for Bradley-Terry's.
    again : iterable
        Counts of some after the others, (draw, player, opponent).
    """
    deviance, first = np.empty(len(epp)), 0
    for strict, equal, n in again:
        some = slice(first, first + len(strict))
        first = some.stop
        won = strict + equal / 2.0 if equal.any() else strict
        points = won.sum(axis=2)
        own = bt.estimates_near(epp[some], points, n)
        if len(n) == 1 and np.isneginf(nu).all():
            deviance[some] = bt.deviances(own, points, bt.x_log_x(won), n[0])
        else:
            tied, met = (np.broadcast_to(each, strict.shape) for each in (equal, n))
            every = own, nu[some], strict, tied, met
            deviance[some] = [bt.deviance(*each) for each in zip(*every, strict=True)]
    return deviance


def _picked(values: xr.DataArray, cells: tuple[Longs, ...]) -> xr.DataArray:
    """Take some draws (sample, ...), given by chain and draw, without those between them."""
    chain, draw = cells
    values = values.transpose(*_CELLS, ...)
    bare = values.variable  # whose names need not be taken, too
    parts = [bare.isel(chain=c, draw=draw[chain == c]).to_numpy() for c in np.unique(chain)]
    one = values.isel(chain=0, draw=0, drop=True)
    return xr.DataArray(np.concatenate(parts), one.coords, ("sample", *one.dims), values.name)


def _estimate(strict: Floats, equal: Floats, n: Floats, near: Floats) -> Floats:
    """Estimate strengths that exist on any board: ties half, one pseudo-round."""
    points = (strict + equal / 2.0).sum(axis=1)
    return np.asarray(bt.estimates_near(near[None], points[None], n[None])[0])


def _counts(wins: Iterable[AnyInts], board: xr.Dataset) -> Iterator[Counts]:
    """Count strict wins, ties and matches of boards of which strict wins are known.

    Of some after the others, as many as processors keep at hand: (board, player, opponent), and
    ties and matches of all at once where all have the same, those of one ``board``. Ties that its
    rule drops are no matches.
    """
    _, met = count_matches(_places(board), within_round=bool(board.attrs["within_round"]))
    block, none = max(_AT_HAND // met.size, 1), np.zeros((1, *met.shape))
    for some in batched(wins, block):
        strict = np.array(some, float)
        if 2.0 * strict.sum() == len(strict) * met.sum():
            yield strict, none, met[None].astype(float)
            continue
        decided = strict + strict.swapaxes(1, 2)
        n = decided if board.attrs["ties"] == "drop" else met[None].astype(float)
        yield strict, n - decided, n


def _places(board: xr.Dataset) -> Ints:
    """Give a board's places (round, player)."""
    return np.asarray(board["place"].transpose("round", "player"))


def _wins_alike(dt: xr.DataTree, boards: int, board: xr.Dataset, rows: slice) -> Iterator[AnyInts]:
    """Count strict wins (player, opponent) of boards like that of a tournament."""
    rng = np.random.default_rng([dt.attrs["seed"], rows.start])
    within_round, ties = bool(board.attrs["within_round"]), str(board.attrs["ties"])
    for each in boards_alike(_places(board), boards, rng, within_round=within_round, ties=ties):
        yield count_wins(each, within_round=within_round)


def _wins_of_fit(
    dt: xr.DataTree, replicates: xr.DataArray, board: xr.Dataset, rows: slice
) -> Iterator[AnyInts]:
    """Count strict wins (player, opponent) of a fit's replicates (sample, ...) of a tournament.

    Raises
    ------
    LeaderbayesError
        If others meet in them than on the board, whose rounds are ``rows``.
    """
    place, within_round = _places(board), bool(board.attrs["within_round"])
    others = refuse(dt, "has replicates in which others meet than on its board")
    if replicates.name == "outcome":
        _, met = count_matches(place, within_round=within_round)
        own = dt["constant_data"]["order"].sel(player=board["player"].to_numpy())
        order = np.argsort(own.to_numpy())
        if replicates.sizes["pair"] != len(order) * (len(order) - 1) // 2:
            raise refuse(dt, "has replicates of other players than those on its board")
        for outcome in replicates.transpose("sample", "round", "pair").to_numpy():
            strict, n = listed_counts(outcome, order)
            if not np.array_equal(n, met):
                raise others
            yield strict
        return
    own = _players_of(board, replicates)
    again = own.transpose("sample", ..., "player").to_numpy()[:, rows]
    if again.shape[1:] != place.shape or ((again > 0) != (place > 0)).any():
        raise others
    for each in again:
        yield count_wins(each, within_round=within_round)


def _independent_matches(
    epp: Floats, nu: float, n: Floats, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw strict wins and ties (player, opponent), every match on its own."""
    upper = np.triu_indices(len(epp), 1)
    p, t = bt.davidson_probability(epp, nu)
    met = n[upper].astype(np.int64)
    drawn = rng.binomial(met, np.clip(t[upper], 0.0, 1.0))
    won = rng.binomial(met - drawn, (p / (p + p.T))[upper])
    strict, equal = np.zeros_like(n), np.zeros_like(n)
    strict[upper] = won
    strict.T[upper] = met - drawn - won
    equal[upper] = drawn
    return strict, equal + equal.T
