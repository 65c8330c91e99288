r"""Davidson's model of votes: ties have a parameter of their own.

.. math:: P(first) : P(tie) : P(second) = e^{\eta / 2} : e^\nu : e^{-\eta / 2}, \quad
          \eta = b_{first} - b_{second} + x'\beta

References
----------
Davidson (1970), On extending the Bradley-Terry model to accommodate ties in paired comparison
experiments, JASA 65.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from leaderbayes._numerics.newton import maximise
from leaderbayes._numerics.votes import Estimate, Moments, Votes, alike, information_of
from leaderbayes._types import Floats, Longs


class Shares(NamedTuple):
    """Probabilities of each vote's outcomes (vote,)."""

    first: Floats
    tie: Floats


def ties_of(votes: Votes) -> Floats:
    """Give how many votes of each row (vote,) are ties."""
    return 4.0 * (votes.won - votes.square)


def shares(eta: Floats, nu: float) -> Shares:
    """Give probabilities of outcomes at log-odds (vote,) of the first against the second."""
    less, tie = np.exp(-np.abs(eta)), np.exp(nu - 0.5 * np.abs(eta))
    total = 1.0 + less + tie
    return Shares(np.where(eta > 0.0, 1.0, less) / total, tie / total)


def moments(eta: Floats, nu: float) -> Moments:
    """Give mean and variance of an outcome (vote,), a tie being one half."""
    first, tie = shares(eta, nu)
    mean = first + 0.5 * tie
    # Of points 1, 1/2 and 0; not as a difference of what is nearly 1.
    second = 1.0 - first - tie
    return Moments(mean, np.maximum(0.25 * (first + second - (first - second) ** 2), 1e-300))


def maximum(votes: Votes, pseudo_rounds: float = 0.0, tie_scale: float | None = None) -> Estimate:
    """Estimate strengths, effects and nu, which stands last in ``beta``.

    With ``tie_scale`` nu has a normal prior of this standard deviation, and an estimate where no
    vote is a tie.

    Raises
    ------
    NotConvergedError
        If there is no finite estimate.
    """
    rows, m = alike(votes), votes.players
    k, tied = votes.effect.shape[1], ties_of(rows)
    tie_precision = 0.0 if tie_scale is None else tie_scale**-2.0

    def parts(x: Floats) -> tuple[float, Floats, Floats]:
        eta = x[rows.first] - x[rows.second] + rows.effect @ x[m : m + k]
        tie = shares(eta, x[-1]).tie
        mean, variance = moments(eta, x[-1])
        # The logarithm of the sum of all three, relative to the larger of the two.
        log_sum = 0.5 * np.abs(eta) + np.log1p(
            np.exp(-np.abs(eta)) + np.exp(x[-1] - 0.5 * np.abs(eta))
        )
        value = float(((rows.won - 0.5 * rows.n) * eta - rows.n * log_sum).sum())
        value += float(tied.sum()) * x[-1]
        residual, cross = rows.won - rows.n * mean, rows.n * tie * (0.5 - mean)
        sums = [
            np.concatenate(
                [
                    np.bincount(rows.first, each, m) - np.bincount(rows.second, each, m),
                    each @ rows.effect,
                ]
            )
            for each in (residual, cross)
        ]
        gradient = np.append(sums[0], (tied - rows.n * tie).sum())
        information = np.zeros((m + k + 1,) * 2)
        information[:-1, :-1] = information_of(rows, rows.n * variance)
        information[-1, :-1] = information[:-1, -1] = sums[1]
        information[-1, -1] = (rows.n * tie * (1.0 - tie)).sum()
        if pseudo_rounds > 0.0:
            p = expit(x[:m])
            value += pseudo_rounds * float((0.5 * x[:m] + np.log1p(-p)).sum())
            gradient[:m] += pseudo_rounds * (0.5 - p)
            gradient[:m] -= gradient[:m].mean()
            information[np.arange(m), np.arange(m)] += pseudo_rounds * p * (1.0 - p)
        if tie_precision > 0.0:
            value -= 0.5 * tie_precision * float(x[-1]) ** 2
            gradient[-1] -= tie_precision * x[-1]
            information[-1, -1] += tie_precision
        return value, gradient, information

    share = float(np.clip(tied.sum() / rows.n.sum(), 1e-3, 1.0 - 1e-3))
    start = np.append(np.zeros(m + k), np.log(2.0 * share / (1.0 - share)))
    x = maximise(parts, start, m).x
    x[:m] -= x[:m].mean()
    pseudo_rounds = tie_precision = 0.0  # the votes' own, as of Bradley-Terry
    _, gradient, information = parts(x)
    return Estimate(x[:m], x[m:], information, gradient)


def tie_excess(votes: Votes, tie: Floats, groups: list[Longs]) -> float:
    """Give the variance of the sum of ties beyond that of independent votes.

    Parameters
    ----------
    votes : Votes
    tie : (vote,)
        Probability of a tie.
    groups : list of (vote,)
        Clusters; of two clusterings also what they share, last.
    """
    tied = ties_of(votes)
    residual = tied - votes.n * tie
    own = tied - 2.0 * tie * tied + votes.n * tie**2
    found: list[float] = []
    for group in groups:
        # Votes that are each a cluster by themselves, -1, are no pairs of votes.
        kept = group >= 0
        sums = np.bincount(group[kept], residual[kept])
        there = int(np.count_nonzero(np.bincount(group[kept]))) + int(votes.n[~kept].sum())
        few = max(there, 2) / (max(there, 2) - 1.0)
        alone = float(own[~kept].sum()) * few
        found.append(float((sums**2).sum()) * few + alone - float(own.sum()))
    total = found[0] + found[1] - found[2] if len(found) == 3 else sum(found)
    return max(total, 0.0)


def vote_again(votes: Votes, eta: Floats, nu: float, rng: np.random.Generator) -> Floats:
    """Draw votes won by the first (vote,), ties half, of log-odds (vote,)."""
    first, tie = shares(eta, nu)
    size = np.ceil(votes.n).astype(np.int64)
    wins = rng.binomial(size, first)
    ties = rng.binomial(size - wins, np.clip(tie / np.maximum(1.0 - first, 1e-300), 0.0, 1.0))
    return np.asarray((wins + 0.5 * ties) * votes.n / size)
