"""The leader by other aggregators."""

from functools import singledispatch
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import rankdata

from leaderbayes._answers.baselines import elo
from leaderbayes._answers.beside import head_to_head, win_rates
from leaderbayes._answers.parts import Parts, statistic_of
from leaderbayes._fits.posterior import Posterior, Strengths, StrengthsOfVotes
from leaderbayes._numerics.intervals import decimals
from leaderbayes._numerics.pairs import estimates
from leaderbayes._numerics.places import count, places
from leaderbayes._types import Floats

TOP = 5  # players that are compared as a set
_LEVEL = 1e-9  # of the range of values, within which two are level


def aggregators(post: Posterior, parts: Parts) -> xr.Dataset:
    """Rank players by other aggregators: ``value`` and ``rank`` (aggregator, player)."""
    values = {name: of for name, of in _values(post, parts).items() if np.isfinite(of[0]).any()}
    size, mine = min(TOP, len(post.players) - 1), int(post.order[0])
    rows: dict[str, list[Any]] = {
        name: [] for name in ("rank", "leader", "same_leader", "top_differs")
    }
    differ = []
    for name, (value, sign) in values.items():
        rank = _ranked(sign * value)
        best = int(np.argmin(rank - 0.5 * (np.arange(len(rank)) == mine)))
        rows["rank"].append(rank)
        rows["leader"].append(str(post.players[best]))
        rows["same_leader"].append(int(best == mine))
        rows["top_differs"].append(int((rank[post.order[:size]] > np.sort(rank)[size - 1]).sum()))
        if best != mine:
            digits = decimals([abs(float(value[best] - value[mine]))])
            shown = f"{value[best]:.{digits}f} against {value[mine]:.{digits}f}"
            differ.append(
                f"By {name} {post.players[best]} leads, with {shown}: {_why(post, mine, best)}."
            )
    dims = ("aggregator", "player")
    table = xr.Dataset(
        {
            "value": (dims, np.stack([value for value, _ in values.values()])),
            "rank": (dims, np.stack(rows.pop("rank"))),
            **{name: ("aggregator", each) for name, each in rows.items()},
        },
        {"aggregator": list(values), "player": post.players.to_numpy()},
        {"leader": str(post.players[mine]), "top": size},
    ).isel(player=post.order)
    return table.assign_attrs(message=_message(table, differ))


def _ranked(value: Floats) -> np.ndarray:
    """Rank values (player,), highest first; levels that differ by rounding errors are one."""
    known = np.where(np.isnan(value), -np.inf, value)
    steps = np.append(False, np.diff(np.sort(known)) > _LEVEL * np.ptp(known[np.isfinite(known)]))
    level = np.cumsum(steps)[rankdata(known, method="ordinal").astype(int) - 1]
    return rankdata(-level, method="min").astype(int)


def _scores(post: Posterior) -> Floats:
    """Return scores (round, player), higher is better; for several tournaments the mean of each."""
    scores = post.rows
    sign = 1.0 if scores.attrs["higher_is_better"] else -1.0
    y = scores.transpose("round", "player").to_numpy()
    return np.asarray(sign * y.astype(float))


@singledispatch
def _values(post: Posterior, parts: Parts) -> dict[str, tuple[Floats, float]]:
    """Return values by aggregator, each with 1 if higher is better and -1 otherwise."""
    place = places(_scores(post), higher_is_better=True, within_round=True)
    wins, n, _ = count(place, within_round=True, ties="half")
    return _of_scores(post, np.asarray(estimates(wins.sum(axis=1)[None], n[None])[0]))


@_values.register
def _of_strengths(post: Strengths, parts: Parts) -> dict[str, tuple[Floats, float]]:
    return _of_scores(post, parts.everything())


def _of_scores(post: Posterior, epp: Floats) -> dict[str, tuple[Floats, float]]:
    y = _scores(post)
    rank = pd.DataFrame(y).rank(axis=1, ascending=False)
    beaten = pd.DataFrame(y).rank(axis=1) - 1.0
    turned = 1.0 if post.data.attrs["higher_is_better"] else -1.0
    found = {
        "mean": (turned * statistic_of(y, "mean"), turned),
        "median": (turned * np.nanmedian(y, axis=0), turned),
        "mean rank": (rank.mean().to_numpy(), -1.0),
        "win rate": (win_rates(y), 1.0),
        "Borda": (beaten.sum().to_numpy(), 1.0),
        "EPP": (epp, 1.0),
    }
    if np.nanmin(turned * y) > 0.0:
        ratios = statistic_of(np.log(turned * y), "mean")
        found["geometric mean"] = (np.exp(ratios), turned)
    return found


@_values.register
def _of_votes(post: StrengthsOfVotes, parts: Parts) -> dict[str, tuple[Floats, float]]:
    board = post.matches()
    wins, n = (board[name].to_numpy().astype(float) for name in ("wins", "n"))
    share = np.divide(wins, n, out=np.full_like(n, np.nan), where=n > 0.0)
    found = {
        "win rate": (wins.sum(axis=1) / n.sum(axis=1), 1.0),
        "Borda": (np.nanmean(share, axis=1), 1.0),
        "EPP": (parts.everything(), 1.0),
    }
    votes = post.votes
    if not votes.attrs.get("counted") and (
        "time" not in votes.coords or votes["time"].notnull().all()
    ):
        rated = elo(votes).set_index("player")["elo"]
        found["Elo"] = (rated.reindex(post.players).to_numpy(), 1.0)
    return found


@singledispatch
def _why(post: Posterior, mine: int, other: int) -> str:
    """Return the head-to-head results of the leader and another."""
    return head_to_head(_scores(post)[:, [mine, other]], *post.players[[mine, other]])


@_why.register
def _why_of_votes(post: StrengthsOfVotes, mine: int, other: int) -> str:
    a, b = post.players[[mine, other]]
    pair = post.matches([a, b]).isel(player=0, opponent=1)
    if not float(pair["n"]):
        return f"{a} and {b} never met"
    return f"of their {float(pair['n']):g} votes {a} won {float(pair['wins']):g}, ties half"


def _message(table: xr.Dataset, differ: list[str]) -> str:
    names, same = table["aggregator"].to_numpy(), table["same_leader"].to_numpy() == 1
    by = (
        f"all {len(names)} aggregators"
        if same.all()
        else ", ".join(names[same]) or "the model alone"
    )
    said = [f"{table.attrs['leader']} leads by {by}.", *differ]
    top = table["top_differs"].to_series()
    listed = ", ".join(f"{name} ({count})" for name, count in top[top > 0].items())
    top_of = f"The top {table.attrs['top']}"
    said.append(
        f"{top_of} has other members by {listed}." if listed else f"{top_of} is the same by all."
    )
    return " ".join(said)
