r"""Strengths estimated from a part of the data: some rounds, judges or votes.

For matches and votes they are Bradley-Terry's estimates with a penalty as strong as the prior, of
scores the means (or the statistic) of those rounds, and of several tournaments the means over
tournaments. To first order a part's removal moves a contrast c of strengths by

.. math:: -\sum_v (c' H^+ x_v)\, (y_v - p_v)

over its matches v, with H the information, both with the penalty's.
"""

from collections.abc import Callable
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import expit

from leaderbayes._answers.votes import worth_of_votes
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import OfTournaments, Posterior, Strengths, StrengthsOfVotes
from leaderbayes._numerics.composite_weight import weighted_counts
from leaderbayes._numerics.items import pseudo_scores
from leaderbayes._numerics.pairs import estimates
from leaderbayes._numerics.rounds import weighing_of
from leaderbayes._numerics.two_way import column_means
from leaderbayes._types import Bools, Floats, Longs

_LEVEL = 1e-9  # of the range of strengths, within which two are level
_LEAST = 1e-3  # variance of strengths that a penalty goes by
_STEPS = 50  # of Newton's method
_BLOCK = 20_000_000  # numbers at once


class Parts(NamedTuple):
    """Parts of the data of a posterior, and strengths from a subset of them."""

    unit: str  # "round", "cluster", "tournament", "vote", "judge" or "prompt"
    names: np.ndarray  # (part,)
    share: Floats  # (part,): of all matches, votes or scores
    # From which parts are kept (part,) to strengths (player,); NaN for players with none.
    strengths: Callable[[Bools], Floats]
    # From a contrast (player,) to what each part adds to it (part,), to first order.
    adds: Callable[[Floats], Floats]

    @property
    def most(self) -> float:
        """The largest share that is removed unless another is asked for; single votes are many."""
        return 0.1 if self.unit == "vote" else 0.5

    def everything(self) -> Floats:
        """Return strengths (player,) from all parts."""
        return self.without(np.empty(0, dtype=np.int64))

    def without(self, removed: Longs | int) -> Floats:
        """Return strengths (player,) without some parts."""
        kept = np.ones(len(self.names), dtype=bool)
        kept[removed] = False
        return self.strengths(kept)


def units_of(post: Posterior) -> list[str]:
    """List the kinds of parts of the data; the first is the default."""
    *some, last = post.kind.parts
    return [*(name for name in some if name in post.data.coords), last]


def parts_of(post: Posterior, by: str) -> Parts:
    """Split the data of a posterior into parts; or raise, naming the parts that it has."""
    refuse_one(post)
    if by not in (known := units_of(post)):
        raise LeaderbayesError(
            f"by={by!r}: data of this posterior can be removed by {' or '.join(map(repr, known))}."
        )
    return _parts(post, by)


def refuse_one(post: Posterior) -> None:
    """Raise if the posterior has one player alone."""
    if len(post.players) < 2:
        raise LeaderbayesError(f"{post.called} has one {post.who}; comparisons need two.")


def leaders_of(strengths: Floats) -> Bools:
    """Return the leaders (player,), several if the best are tied."""
    best, least = float(np.nanmax(strengths)), float(np.nanmin(strengths))
    return np.asarray(np.nan_to_num(strengths, nan=-np.inf) >= best - _LEVEL * (best - least))


def leader_of(strengths: Floats, wanted: int) -> int:
    """Return the position of the leader, preferring the given one among ties."""
    return wanted if leaders_of(strengths)[wanted] else int(np.nanargmax(strengths))


def lead_of(strengths: Floats, leader: int) -> tuple[float, int]:
    """Return the lead over the best other player (0 for a tie), and that player."""
    others = np.nan_to_num(strengths, nan=-np.inf)
    others[leader] = -np.inf
    rival = int(np.argmax(others))
    lead = float(strengths[leader] - others[rival])
    level = abs(lead) <= _LEVEL * float(np.nanmax(strengths) - np.nanmin(strengths))
    return 0.0 if level else lead, rival


def statistic_of(y: Floats, statistic: str, weight: Floats | None = None) -> Floats:
    """Return the mean (weighted by round), median or interquartile mean of scores, or NaN."""
    out = np.full(y.shape[1], np.nan)
    rows, players = np.isfinite(y).any(axis=1), np.isfinite(y).any(axis=0)
    if not rows.any():
        return out
    some = y[np.ix_(rows, players)]
    if statistic == "median":
        out[players] = np.nanmedian(some, axis=0)
    elif statistic == "iqm":
        upto = np.arange(len(some) + 1) / len(some)
        share = np.clip(np.minimum(upto[1:], 0.75) - np.maximum(upto[:-1], 0.25), 0.0, None)
        out[players] = share @ np.sort(some, axis=0) / 0.5
    else:
        out[players] = column_means(some, None if weight is None else weight[rows])
    return out


def pseudo_rounds(post: Posterior) -> float:
    """Return the number of pseudo-rounds that is as strong as the prior."""
    return 4.0 / max(float((post.draws**2).mean()), _LEAST)


@singledispatch
def _parts(post: Posterior, by: str) -> Parts:
    """Split scores by rounds or by clusters."""
    scores = post.data.transpose("round", "player")
    sign = 1.0 if scores.attrs["higher_is_better"] else -1.0
    code, names = pd.factorize(scores[by].to_numpy())
    statistic = str(post.option("statistic", "mean"))
    y = scores.to_numpy().astype(float)
    if "judge" in scores.coords:
        judge = scores["judge"].transpose("round", "player").to_numpy()
        y = pseudo_scores(y, judge, float(post.constant["power"].item()))
    return _of_table(by, sign * y, code, names, statistic, scores.coords.get("round_weight"))


@_parts.register
def _of_matches(post: Strengths, by: str) -> Parts:
    """Split a board by rounds."""
    board = post.matches()
    if not board.attrs["within_round"]:
        raise LeaderbayesError("Rounds cannot be removed from matches across rounds.")
    place, weight = board["place"].to_numpy(), post.constant["weight"].to_numpy()
    rules, penalty = {"within_round": True, "ties": str(board.attrs["ties"])}, pseudo_rounds(post)

    def tables(units: Bools) -> tuple[Floats, Floats]:
        wins, n, _ = weighted_counts(place[units], weight[units], **rules)  # type: ignore[arg-type]
        return wins, n

    def strengths(units: Bools) -> Floats:
        wins, n = tables(units)
        own = _estimate(wins, n, penalty, full)
        return np.where(n.any(axis=1), own, np.nan)

    everything = tables(np.ones(len(place), dtype=bool))
    full = _estimate(*everything, penalty)

    def adds(contrast: Floats) -> Floats:
        p = expit(full[:, None] - full)
        pull = _bread(full, everything[1], penalty) @ contrast
        # Each player's points in a round above those expected.
        out = np.empty(len(place))
        for k, row in enumerate(place):
            seen = np.flatnonzero(row)
            own, other = row[seen, None], row[seen]
            won = 0.5 * (1.0 + np.sign(other - own)) - p[np.ix_(seen, seen)]
            met = ~np.eye(len(seen), dtype=bool)
            if rules["ties"] == "drop":
                met &= own != other
            out[k] = weight[k] * ((won * met).sum(axis=1) @ pull[seen])
        return out

    met = (place > 0).sum(axis=1)
    share = weight * met * (met - 1.0)
    return Parts(by, board["round"].to_numpy(), share / share.sum(), strengths, adds)


def _estimate(wins: Floats, n: Floats, penalty: float, start: Floats | None = None) -> Floats:
    """Estimate strengths with so many pseudo-rounds."""
    points, n = wins.sum(axis=1)[None] / penalty, n[None] / penalty
    found = estimates(points, n, start=None if start is None else start[None])
    for _ in range(2):  # Newton's method from there on: to the last digit, by which players tie
        found = estimates(points, n, start=found)
    return np.asarray(found[0])


def _bread(epp: Floats, n: Floats, penalty: float) -> Floats:
    """Invert the penalised information of matches n (player, opponent)."""
    p, own = expit(epp[:, None] - epp), expit(epp)
    information = -n * p * (1.0 - p)
    information[np.diag_indices_from(information)] -= information.sum(axis=1)
    information[np.diag_indices_from(information)] += penalty * own * (1.0 - own)
    return np.asarray(np.linalg.inv(information))


@_parts.register
def _of_votes(post: StrengthsOfVotes, by: str) -> Parts:
    """Split votes; other effects are fixed at their posterior means."""
    votes, m = post.votes, len(post.players)
    code, names = pd.factorize(votes[by].to_numpy())
    to = post.players.get_indexer(pd.Index(votes["player"].to_numpy()))
    first, second = (to[votes[name].to_numpy()] for name in ("first", "second"))
    n = votes["weight"].to_numpy().astype(float) if "weight" in votes else np.ones(len(first))
    won, offset = n * votes["outcome"].to_numpy(), post.offset
    penalty = pseudo_rounds(post) / worth_of_votes(post)

    def newton(kept: Floats, start: Floats) -> Floats:
        x = start.copy()
        for _ in range(_STEPS):
            p, own = expit(x[first] - x[second] + offset), expit(x)
            residual = kept * (won - n * p)
            slope = np.bincount(first, residual, m) - np.bincount(second, residual, m)
            slope += penalty * (0.5 - own)
            bread = _bread_of(kept * n * p * (1.0 - p), penalty * own * (1.0 - own))
            step = bread @ slope
            x += step / max(1.0, float(np.ptp(step)))
            if slope @ step < 1e-10:
                break
        return x - x.mean()

    def _bread_of(curve: Floats, own: Floats) -> Floats:
        pairs = np.bincount(first * m + second, curve, m * m).reshape(m, m)
        pairs = -pairs - pairs.T
        pairs[np.diag_indices(m)] -= pairs.sum(axis=1) - own
        return np.asarray(np.linalg.inv(pairs))

    full = newton(np.ones(len(first)), np.zeros(m))

    def strengths(units: Bools) -> Floats:
        kept = units[code].astype(float)
        seen = np.bincount(first, kept, m) + np.bincount(second, kept, m)
        return np.where(seen > 0.0, newton(kept, full), np.nan)

    def adds(contrast: Floats) -> Floats:
        p, own = expit(full[first] - full[second] + offset), expit(full)
        pull = _bread_of(n * p * (1.0 - p), penalty * own * (1.0 - own)) @ contrast
        return np.asarray(
            np.bincount(code, (won - n * p) * (pull[first] - pull[second]), len(names))
        )

    share = np.bincount(code, n, len(names)) / n.sum()
    return Parts(by, np.asarray(names), share, strengths, adds)


@_parts.register
def _of_tournaments(post: OfTournaments, by: str) -> Parts:
    """Split by tournament, using posterior means of players in each."""
    dims = ("tournament", "player")
    own = post.read(f"{post.parameter}_tournament", *dims).mean(axis=0)
    own = own if post.higher_is_better else -own
    if post.scores is not None:  # an absent player's is what the model expects
        own = np.where(post.scores.notnull().any("round").transpose(*dims), own, np.nan)
    names = post.tree["posterior"]["tournament"].to_numpy()
    return _of_table(by, own, np.arange(len(names)), names, "mean")


def _of_table(
    unit: str, y: Floats, code: Longs, names: np.ndarray, statistic: str, labels: Any = None
) -> Parts:
    """Split a table (row, player) by codes; ``labels`` are weights or categories of rows."""
    there = np.isfinite(y)

    def weight(rows: Bools) -> Floats | None:
        known = labels is not None and rows.any()
        return weighing_of(labels.to_numpy()[rows]).weight if known else None

    if np.isnan(statistic_of(y, statistic)).all():
        raise LeaderbayesError(
            "Groups of players share no rounds, so only the prior compares their rounds. Fit "
            "each group separately."
        )

    def strengths(units: Bools) -> Floats:
        rows = units[code]
        return statistic_of(y[rows], statistic, weight(rows))

    def adds(contrast: Floats) -> Floats:
        # Nothing, where one of those compared has no score.
        own = np.where(there[:, contrast != 0.0].all(axis=1), np.nan_to_num(y) @ contrast, 0.0)
        each = weight(np.ones(len(y), dtype=bool))
        own = own if each is None else own * each * len(y) / each.sum()
        return np.asarray(np.bincount(code, own, len(names)) / len(y))

    share = np.bincount(code, there.sum(axis=1), len(names))
    return Parts(unit, np.asarray(names), share / share.sum(), strengths, adds)
