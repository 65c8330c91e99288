"""A second column beside strengths or mean scores, and why its leader differs.

Strength counts who beat whom in a round, a mean score by how much: a player that wins often by
little and loses rarely by much leads by the one and not by the other.
"""

from collections.abc import Callable
from functools import singledispatch

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.parts import statistic_of
from leaderbayes._answers.votes import clustered_by, votes_by_player
from leaderbayes._fits.posterior import Posterior, Strengths, StrengthsOfVotes, Teams
from leaderbayes._numerics.intervals import decimals, two_digits
from leaderbayes._numerics.two_way import column_means
from leaderbayes._types import Floats

_UNEQUAL = 10.0  # times as much do scores spread in the wider rounds: scales differ, and not luck


@singledispatch
def with_beside(post: Posterior, table: pd.DataFrame) -> pd.DataFrame:
    """Add the second column to a leaderboard, and ``disagreement`` to its attrs."""
    if post.scores is not None:
        table.insert(4, "observed", _observed(post)[table["player"]].to_numpy())
    if (y := _ahead(post)) is None:
        return table
    return _inserted(post, table, "win_rate", "difference_upper", win_rates(y, _weight(post)))


def column_beside(table: pd.DataFrame) -> tuple[str, int] | None:
    """Return the second column and its decimals; None if the table has none."""
    if "win_rate" in table:
        column, digits = "win_rate", 2
    elif "score" in table and not {"epp", "elo"}.isdisjoint(table):
        column, digits = "score", 3
    else:
        return None
    low, high, first = table[column].min(), table[column].max(), table[column].iloc[0]
    # So many digits of the range, and two of what the leader is behind the best, above or below.
    return column, decimals([(high - low) * 10.0 ** (2 - digits), high - first, first - low])


def disagreement(dt: xr.DataTree, table: pd.DataFrame, name: Callable[[str], str]) -> str:
    """Explain why another player leads by the second column; "" if none does."""
    return _disagreement(Posterior(dt), table, name)


@with_beside.register
def _with_observed(post: Teams, table: pd.DataFrame) -> pd.DataFrame:
    """Add the observed scores of teams, which order teams with the same theta."""
    if post.board is None:
        return table
    table.insert(1, "score", post.board.to_series()[table["team"]].to_numpy())
    return table.sort_values(
        ["theta", "score"], ascending=not post.higher_is_better, ignore_index=True
    )


def _observed(post: Posterior) -> pd.Series:
    """Return the mean (or other statistic) of each player's scores."""
    y = post.rows.transpose("round", "player").to_numpy().astype(float)
    statistic = str(post.option("statistic", "mean"))
    return pd.Series(statistic_of(y, statistic, _weight(post)), post.players)


def _weight(post: Posterior) -> Floats | None:
    """Return weights of rounds (round,), if they are unequal."""
    return None if post.weighing is None else post.weighing.weight


@with_beside.register
def _with_votes(post: StrengthsOfVotes, table: pd.DataFrame) -> pd.DataFrame:
    table = table.join(votes_by_player(post), on="player")
    table.attrs["cluster"] = " and ".join(clustered_by(post)) or "none"
    return table


@with_beside.register
def _with_scores(post: Strengths, table: pd.DataFrame) -> pd.DataFrame:
    if (y := _ahead(post)) is None or post.scores is None:
        return table
    sign = 1.0 if post.scores.attrs["higher_is_better"] else -1.0
    after = "elo_upper" if "elo" in table else "epp_upper"
    return _inserted(post, table, "score", after, sign * column_means(y, _weight(post)))


def _inserted(
    post: Posterior, table: pd.DataFrame, column: str, after: str, values: Floats
) -> pd.DataFrame:
    """Insert the second column, and ``disagreement`` if another player leads by it."""
    at = post.players.get_indexer(pd.Index(table["player"]))
    table.insert(list(table).index(after) + 1, column, values[at])
    if said := _disagreement(post, table, lambda player: repr(player[:60])):
        table.attrs["disagreement"] = said
    return table


def _ahead(post: Posterior) -> Floats | None:
    """Return scores (round, player), higher is better; None if they cannot be compared."""
    scores = post.scores
    if scores is None or set(scores.dims) != {"player", "round"}:
        return None
    if not post.option("within_round", 1):
        return None
    sign = 1.0 if scores.attrs["higher_is_better"] else -1.0
    y = sign * scores.transpose("round", "player").to_numpy().astype(float)
    return None if np.isnan(column_means(y)).any() else y


def win_rates(y: Floats, weight: Floats | None = None) -> Floats:
    """Return the share of matches that each player won (player,), ties half."""
    # Ranked from below, ties at their middle: each has beaten those under it.
    beaten = pd.DataFrame(y).rank(axis=1).to_numpy() - 1.0
    seen = np.isfinite(y)
    met = seen * (seen.sum(axis=1, keepdims=True) - 1)
    each = np.ones(len(y)) if weight is None else weight
    return np.asarray(each @ np.nan_to_num(beaten) / np.maximum(each @ met, 1e-9))


def _disagreement(post: Posterior, table: pd.DataFrame, name: Callable[[str], str]) -> str:
    y, beside = _ahead(post), column_beside(table)
    if y is None or beside is None or post.option("statistic", "mean") != "mean":
        return ""
    of = win_rates if beside[0] == "win_rate" else column_means
    values = of(y, _weight(post))
    pair = [post.position(table["player"].iloc[0]), int(np.argmax(values))]
    gap = float(values[pair[1]] - values[pair[0]])
    if gap <= 1e-9 * float(np.ptp(values)):
        return ""
    shown = f"{gap:.2f}" if beside[0] == "win_rate" else two_digits(gap)
    by = "matches won" if beside[0] == "win_rate" else "mean score"
    first, second = (name(str(post.players[k])) for k in pair)
    why = head_to_head(y[:, pair], first, second)
    return f"By {by} {second} leads, by {shown} over {first}: {why}."


def head_to_head(pair: Floats, a: str, b: str) -> str:
    """Report how often, and by how much, a leads b in the rounds (round, 2) of both."""
    ahead = np.subtract(*pair[np.isfinite(pair).all(axis=1)].T)
    if not len(ahead):
        return f"{a} and {b} share no rounds"
    won, lost = ahead[ahead > 0.0], -ahead[ahead < 0.0]
    tied = len(ahead) - len(won) - len(lost)
    sizes = [
        f", by {two_digits(each.mean())} on average" if len(each) else "" for each in (won, lost)
    ]
    ties = f", ties {tied}" if tied else ""
    return (
        f"{a} wins {len(won)} of their {len(ahead)} rounds{sizes[0]}{ties} and loses "
        f"{len(lost)}{sizes[1]}{_of_scale(pair)}"
    )


def _of_scale(scores: Floats) -> str:
    """Report that scores (round, player) spread much more in some rounds than in others; or ""."""
    count = np.isfinite(scores).sum(axis=1)
    low, high = np.quantile(np.nanstd(scores[count > 1], axis=1), (0.25, 0.75))
    if not 0.0 < _UNEQUAL * low < high:
        return ""
    return f"; scores spread {two_digits(low)} in some rounds and {two_digits(high)} in others"
