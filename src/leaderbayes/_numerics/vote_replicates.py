"""Very many votes drawn again, and counted by pair as they are drawn."""

from collections.abc import Sequence

import numba
import numpy as np
from scipy.special import expit

from leaderbayes._numerics.votes import LARGEST, LOGISTIC, Estimate, Holders, Votes, alike
from leaderbayes._types import Floats, Longs


def tally_again(
    votes: Votes,
    at: Estimate,
    clusterings: Sequence[Holders],
    tau2: Floats,
    rng: np.random.Generator,
) -> Floats:
    """Draw votes without covariates again, as `votes.vote_again`: won by the first (first, second).

    It goes through the votes once, in a compiled loop, where that takes a dozen of their arrays.
    """
    m, rows = votes.players, alike(votes)
    base = at.epp[:, None] - at.epp + (at.beta.sum() if votes.effect.shape[1] else 0.0)
    p = expit(base[rows.first, rows.second])
    own = rows.square - 2.0 * p * rows.won + rows.n * p**2
    tied = max(1.0 - float(own.sum() / (rows.n * p * (1.0 - p)).sum()), 0.0)
    tau2 = tau2 * min(1.0, LARGEST / max(float(tau2.sum()), 1e-9))
    asked = [k for k, variance in enumerate(tau2) if variance > 0.0]
    count = len(votes.first)
    of = np.zeros((2 * len(asked), count), dtype=np.int64)
    opinions, start = [np.zeros(0)], np.zeros(len(asked) + 1, dtype=np.int64)
    for c, k in enumerate(asked):
        of[2 * c], of[2 * c + 1] = clusterings[k].of_first, clusterings[k].of_second
        drawn = rng.normal(0.0, np.sqrt(tau2[k]), clusterings[k].total)
        opinions.append(np.append(drawn, 0.0))
        start[c + 1] = start[c] + len(drawn) + 1
    won, heavy, win, tie = _tally(
        m, votes.first, votes.second, votes.n, base, of, np.concatenate(opinions), start,
        tau2[asked], tied, rng.random(count),
    )  # fmt: skip
    if len(heavy):  # rows that stand for several votes
        size = np.ceil(votes.n[heavy]).astype(np.int64)
        wins = rng.binomial(size, win)
        ties = rng.binomial(size - wins, np.clip(tie / np.maximum(1.0 - win, 1e-300), 0.0, 1.0))
        pair = votes.first[heavy].astype(np.int64) * m + votes.second[heavy]
        points = (wins + 0.5 * ties) * votes.n[heavy] / size
        won += np.bincount(pair, points, m * m).reshape(m, m)
    return np.asarray(won)


@numba.njit(cache=True, error_model="numpy")
def _tally(
    m: int, first: Longs, second: Longs, n: Floats, base: Floats, of: Longs, opinions: Floats,
    start: Longs, tau2: Floats, tied: float, u: Floats,
) -> tuple[Floats, Longs, Floats, Floats]:  # fmt: skip
    """Count points of the first by pair; of rows of several votes give probabilities."""
    won = np.zeros((m, m))
    several = 0
    for v in range(first.size):
        several += n[v] != 1.0
    heavy = np.empty(several, np.int64)
    win, tie = np.empty(several), np.empty(several)
    seen = 0
    for v in range(first.size):
        i, j = first[v], second[v]
        moved, total = 0.0, 0.0
        for c in range(tau2.size):
            one, other = of[2 * c, v], of[2 * c + 1, v]
            # The last is no opinion: of votes that are a cluster by themselves.
            if one < start[c + 1] - start[c] - 1:
                moved += opinions[start[c] + one] - opinions[start[c] + other]
                total += tau2[c]
        wider = np.sqrt(1.0 / (1.0 - 2.0 * LOGISTIC**2 * total))
        p = 1.0 / (1.0 + np.exp(-wider * (base[i, j] + moved)))
        t = min(4.0 * tied * p * (1.0 - p), 2.0 * min(p, 1.0 - p))
        if n[v] != 1.0:
            heavy[seen], win[seen], tie[seen] = v, p - 0.5 * t, t
            seen += 1
        elif u[v] < p - 0.5 * t:
            won[i, j] += 1.0
        elif u[v] < p + 0.5 * t:
            won[i, j] += 0.5
    return won, heavy, win, tie
