"""Strength and mean score side by side; and why their leaders are two, where they are.

Strength counts who beat whom in a round, a mean score by how much: a player that wins often by
little and loses rarely by much leads by the one and not by the other.
"""

import json
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.draws import sign_of
from leaderbayes._fits.posterior import is_mean_score
from leaderbayes._inference.boards import matches_of
from leaderbayes._numerics.decimals import decimals, two_digits
from leaderbayes._numerics.two_way import column_means
from leaderbayes._scores.matches import valid_scores
from leaderbayes._types import Floats

_UNEQUAL = 10.0  # times as much do scores spread in the wider rounds: unequal scale, and not luck


class _Board(NamedTuple):
    """What a fit's rounds say without a model."""

    players: pd.Index
    scores: Floats  # (round, player), NaN where there is none
    score: Floats  # (player,), mean over all rounds
    win_rate: Floats  # (player,), of its own matches


def set_beside(dt: xr.DataTree, table: pd.DataFrame) -> None:
    """Put a column beside what a leaderboard ranks by, and ``disagreement`` into its attrs.

    As `leaderboard` says: ``score`` beside strengths, ``win_rate`` beside mean scores, where rounds
    and players hang together.
    """
    if (board := _board_of(dt)) is None:
        return
    column, after, values = (
        ("win_rate", "difference_upper", board.win_rate)
        if is_mean_score(dt)
        else ("score", "epp_upper", board.score)
    )
    at = board.players.get_indexer(pd.Index(table["player"]))
    table.insert(list(table).index(after) + 1, column, values[at])
    if text := _disagreement(dt, board, table, _quoted):
        table.attrs["disagreement"] = text


def disagreement(dt: xr.DataTree, table: pd.DataFrame, name: Callable[[str], str]) -> str:
    """Say who leads by what stands beside, if it is another, and why; "" if it is the same.

    Parameters
    ----------
    dt : DataTree
        Fit of a leaderboard.
    table : DataFrame
        Its leaderboard.
    name : callable
        How a player is called in the sentence.
    """
    board = _board_of(dt)
    return "" if board is None else _disagreement(dt, board, table, name)


def column_beside(table: pd.DataFrame) -> tuple[str, int] | None:
    """Name the column that stands beside, and its decimals; None of a table that has none."""
    if "win_rate" in table:
        column, digits = "win_rate", 2
    elif {"epp", "score"} <= set(table):
        column, digits = "score", 3
    else:
        return None
    low, high, first = table[column].min(), table[column].max(), table[column].iloc[0]
    # So many digits of the range, and two of what the leader is behind the best, above or below.
    return column, decimals([(high - low) * 10.0 ** (2 - digits), high - first, first - low])


def _quoted(player: str) -> str:
    return repr(player[:60])


def _board_of(dt: xr.DataTree) -> _Board | None:
    """Give means over rounds; None where the fit has no scores, or scores that do not compare."""
    if "constant_data" not in dt.children or "scores" not in dt["constant_data"].dataset:
        return None
    places = matches_of(dt, pairs=False)
    if "tournament" in places.dims or not places.attrs["within_round"]:
        return None
    scores = valid_scores(dt["constant_data"].to_dataset()["scores"])
    y = scores.transpose("round", "player").to_numpy()
    means = column_means(y)
    if np.isnan(means).any():
        return None
    place = places["place"].transpose("player", "round").to_numpy()
    seen = place > 0
    # Ranked from below, ties at their middle: each has beaten those under it.
    rank = pd.DataFrame(np.where(seen, -place, np.nan)).rank().to_numpy()
    met = (seen * (seen.sum(axis=0) - 1)).sum(axis=1)
    rate = np.nansum(rank - 1.0, axis=1) / met
    return _Board(pd.Index(scores["player"].to_numpy()), y, means, rate)


def _disagreement(
    dt: xr.DataTree, board: _Board, table: pd.DataFrame, name: Callable[[str], str]
) -> str:
    of_scores, sign = is_mean_score(dt), sign_of(dt)
    values = board.win_rate if of_scores else sign * board.score
    leader = int(board.players.get_indexer(pd.Index(table["player"][:1]))[0])
    other = int(values.argmax())
    gap = float(values[other] - values[leader])
    if gap <= 1e-9 * float(np.ptp(values)):
        return ""
    often, high = (other, leader) if of_scores else (leader, other)
    a, b = (name(str(board.players[i])) for i in (often, high))
    more, less = float(board.win_rate[often]), float(board.win_rate[high])
    won, lost = (f"{rate:.{decimals([more - less])}f}" for rate in (more, less))
    said = (
        f"By matches won {a} leads, with {won} of its matches against {lost} of {b}"
        if of_scores
        else f"By mean score {b} leads, by {two_digits(gap)} over {a}"
    )
    # A median is no sum of what was won and lost.
    if json.loads(dt.attrs["arguments"]).get("statistic", "mean") != "mean":
        return f"{said}."
    why = _of_pair(sign * board.scores[:, [often, high]], a)
    if not why and not of_scores and more > less:
        why = f"{a} wins {won} of all its matches, {b} {lost}"
    return f"{said}{': ' if why else ''}{why}.{of_scale(board.scores)}"


def _of_pair(pair: Floats, a: str) -> str:
    """Say that the first of a pair (round, 2) wins often by little and loses rarely by much.

    More is better. "" where it is not so.
    """
    there = np.isfinite(pair)
    ahead = np.subtract(*pair[there.all(axis=1)].T)
    won, lost = ahead[ahead > 0.0], -ahead[ahead < 0.0]
    if len(won) <= len(lost) or won.sum() >= lost.sum():
        return ""
    tied = len(ahead) - len(won) - len(lost)
    same = bool((there[:, 0] == there[:, 1]).all())
    where = f"their {len(ahead)} rounds" if same else f"the {len(ahead)} rounds that both have"
    return (
        f"{a} wins {len(won)} of {where}, by {two_digits(won.mean())} on average, "
        f"{f'ties {tied} ' if tied else ''}and loses {len(lost)}, by {two_digits(lost.mean())}"
    )


def of_scale(scores: Floats) -> str:
    """Say that scores (round, player) spread much more in some rounds than in others; or ""."""
    count = np.isfinite(scores).sum(axis=1)
    spread = np.nanstd(scores[count > 1], axis=1)
    low, high = np.quantile(spread, (0.25, 0.75))
    if not 0.0 < _UNEQUAL * low < high:
        return ""
    return (
        f" Scores spread about {two_digits(low)} in some rounds and {two_digits(high)} in others, "
        "and mean scores go by the latter."
    )
