"""From scores to places, and from places to counts of wins.

A *place* is a rank within a round (or within the whole board): 1 is best, tied
players share the lowest, 0 means that the player has no score there.
"""

import numpy as np
from scipy.sparse import csr_array

from leaderbayes._types import AnyInts, Bools, Floats, Ints

_BLOCK = 20_000_000  # comparisons at once


def places(scores: Floats, *, higher_is_better: bool, within_round: bool) -> Ints:
    """Rank scores (..., round, player); NaN becomes place 0."""
    missing = np.isnan(scores)
    # Who is missing ranks behind every other, and so shifts nobody's place.
    loss = np.where(missing, np.inf, -scores if higher_is_better else scores)
    items = loss.shape[-1] if within_round else loss.shape[-2] * loss.shape[-1]
    rows = loss.reshape(-1, items)
    order = np.argsort(rows, axis=1)
    ordered = np.take_along_axis(rows, order, axis=1)
    first = np.ones(rows.shape, bool)
    first[:, 1:] = ordered[:, 1:] > ordered[:, :-1]
    own = np.arange(1, items + 1, dtype=np.int32)
    rank = np.maximum.accumulate(np.where(first, own, 0), axis=1)
    out = np.empty(rows.shape, np.int32)
    np.put_along_axis(out, order, rank, axis=1)
    return np.where(missing, np.int32(0), out.reshape(loss.shape))


def count_wins(place: Ints, *, within_round: bool) -> AnyInts:
    """Count how often each player was strictly better than each other, as `count_matches`."""
    m = place.shape[-1]
    if within_round:
        # Behind whoever is absent is nobody, and who is absent, of place 0, is behind nobody.
        own = np.where(place > 0, place, np.iinfo(np.int32).max)
        wins = np.zeros((*place.shape[:-2], m, m), np.int32)
        size = max(_BLOCK // wins.size, 1)
        for begin in range(0, place.shape[-2], size):
            some = slice(begin, begin + size)
            ahead = own[..., some, :, None] < place[..., some, None, :]
            wins += ahead.sum(axis=-3, dtype=np.int32)
        return wins
    there = place > 0
    own, player = place[there], np.nonzero(there)[1]
    wins = np.zeros((m, m), np.int64)
    for j in range(m):
        # How many scores of j come after each score.
        sorted_j = np.sort(own[player == j])
        behind = len(sorted_j) - np.searchsorted(sorted_j, own, side="right")
        wins[:, j] = np.bincount(player, behind, m)
    np.fill_diagonal(wins, 0)
    return wins


def count_matches(place: Ints, *, within_round: bool) -> tuple[AnyInts, AnyInts]:
    """Count strict wins and matches of every pair (..., player, player), pooled over the rounds.

    ``wins[i, j]`` is how often i was strictly better than j. ``place`` (..., round, player) are of
    one board, or within rounds of several; else every score meets every other player's. O(m * m *
    r) time, O(m * m) memory.
    """
    present = place > 0
    if within_round:
        seen = present.astype(float)  # BLAS has no integer product
        n: AnyInts = (seen.swapaxes(-1, -2) @ seen).astype(np.int32)
    else:
        rounds = present.sum(axis=0, dtype=np.int64)
        n = rounds[:, None] * rounds
    player = np.arange(place.shape[-1])
    n[..., player, player] = 0
    return count_wins(place, within_round=within_round), n


def count(place: Ints, *, within_round: bool, ties: str) -> tuple[Floats, Floats, Floats]:
    """Count wins, matches and ties of pairs (..., player, opponent), as `count_matches`."""
    strict, n = count_matches(place, within_round=within_round)
    decided = strict + strict.swapaxes(-1, -2)
    tied = n - decided
    if ties == "drop":
        return strict.astype(float), decided.astype(float), tied.astype(float)
    wins = strict + tied / 2.0
    if ties == "floor":
        wins = np.floor(wins)
        return wins, wins + wins.swapaxes(-1, -2), tied.astype(float)
    return wins, n.astype(float), tied.astype(float)


def win_graph(place: Ints) -> csr_array:
    """Graph with the win graph's paths between players, by nodes for steps down each ranking."""
    m = place.shape[1]
    rounds, player = np.nonzero(place)
    # A step for each distinct place of each round, best first.
    steps, step = np.unique(
        np.column_stack([rounds, place[rounds, player]]), axis=0, return_inverse=True
    )
    step = step.reshape(-1)
    shared = np.bincount(step, minlength=len(steps))[step] > 1
    last = np.append(np.diff(steps[:, 0]) != 0, True)
    down = ~last[step]
    onwards = np.flatnonzero(~last)
    tail = np.concatenate([m + step, player[shared], player[down], m + onwards])
    head = np.concatenate([player, m + step[shared], m + step[down] + 1, m + onwards + 1])
    nodes = m + len(steps)
    return csr_array((np.ones(len(tail), np.int8), (tail, head)), shape=(nodes, nodes))


def draw_places(
    epp: Floats, present: Bools, rng: np.random.Generator, *, within_round: bool = True,
    tie: float = -np.inf,
) -> Ints:  # fmt: skip
    """Draw places (..., round, player) whose pairwise win probabilities are Bradley-Terry's.

    A score is the player's epp, log-odds of beating the average player, plus Gumbel noise, so a
    difference is logistic. ``epp`` is (player,) or (..., round or 1, player), and ``present``
    (round, player) who plays in which round. With ``tie`` = nu of Davidson's model, scores are
    rounded to a grid so coarse that two equal players tie with Davidson's probability e^nu / (2 +
    e^nu): whole rankings with ties, exact for equal players and close to Davidson's law for others.
    """
    scores = gumbel(rng.random(np.broadcast_shapes(epp.shape, present.shape)))
    scores += epp
    if np.isfinite(tie):
        width = tie_width(np.exp(tie) / (2.0 + np.exp(tie)))
        # A random offset per round makes P(tie | distance d) = max(0, 1 - d / width).
        scores = np.floor(scores / width + rng.uniform(size=(*scores.shape[:-1], 1)))
    return ranked(scores, present, within_round=within_round)


def ranked(scores: Floats, present: Bools, *, within_round: bool = True) -> Ints:
    """Rank scores (..., round, player), higher is better, among players that are present."""
    if not present.all():
        scores = np.where(present, scores, np.nan)
    return places(scores, higher_is_better=True, within_round=within_round)


def ranks_of(standing: Floats) -> Ints:
    """Rank players in each draw (sample, player), 1 is best."""
    order = np.argsort(-standing, axis=1)
    ranks = np.empty(order.shape, dtype=np.int32)
    np.put_along_axis(ranks, order, np.arange(1, order.shape[1] + 1, dtype=np.int32)[None], axis=1)
    return ranks


def gumbel(uniform: Floats) -> Floats:
    """Turn uniform numbers in place into standard Gumbel ones, as ``rng.gumbel`` does."""
    np.subtract(1.0, uniform, out=uniform)
    with np.errstate(divide="ignore"):  # of 1, one in 10^16
        for _ in range(2):
            np.log(uniform, out=uniform)
            np.negative(uniform, out=uniform)
    return uniform


def tie_width(probability: float) -> float:
    """Grid width at which two equal players tie with this probability.

    The distance d of two Gumbel scores is half-logistic, P(D > d) = 2 / (1 + e^d), so
    P(tie) = E max(0, 1 - D / w) = 1 - (1/w) int_0^w 2 / (1 + e^d) dd
    = 1 - (2/w) (log 2 - log(1 + e^-w)).
    """
    from scipy.optimize import brentq

    def excess(w: float) -> float:
        return float(1.0 - 2.0 / w * (np.log(2.0) - np.log1p(np.exp(-w))) - probability)

    probability = min(max(probability, 1e-9), 1.0 - 1e-6)
    return float(brentq(excess, 1e-10, 1e8))
