r"""What the models of votes say of a vote's influence: their estimates, and what each vote adds.

PMRA's judges have intercepts, which move where votes leave: a vote of judge g shifts a contrast of
strengths :math:`a = H^{-1} c` by its residual times :math:`a'x + s\,a_g`, where

.. math:: a_g = -\frac{s\,v_g'a}{1 + s^2 w_g}, \quad v_g = \sum_{v \in g} w_v x_v

is what the judge's own intercept does along with it, to Laplace's order.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from leaderbayes._numerics import davidson_votes
from leaderbayes._numerics.newton import maximise
from leaderbayes._numerics.vote_intercept import Judged, marginal
from leaderbayes._numerics.votes import Estimate, Votes, maximum
from leaderbayes._types import Floats, Longs

_NODES = 10  # of the average over judges' intercepts


class Model(NamedTuple):
    """How strengths are estimated of votes, and what each adds to them."""

    # Of votes (some of weight 0), with so many pseudo-rounds.
    maximum: Callable[[Votes, float], Any]
    # Of all votes, at an estimate, along a direction (player + effect,): scores (vote,).
    pull: Callable[[Votes, Any, Floats], Floats]
    # Of an estimate: the precision of priors of all but strengths (effect,).
    prior: Callable[[Any], Floats]


def _along(votes: Votes, direction: Floats) -> Floats:
    m, k = votes.players, votes.effect.shape[1]
    own = direction[votes.first] - direction[votes.second]
    return np.asarray(own + votes.effect @ direction[m : m + k])


def _pull(votes: Votes, at: Estimate, direction: Floats) -> Floats:
    p = expit(at.epp[votes.first] - at.epp[votes.second] + votes.effect @ at.beta)
    return (votes.won - votes.n * p) * _along(votes, direction)


BRADLEY_TERRY = Model(maximum, _pull, lambda at: np.zeros(len(at.beta)))


def davidson(tie_scale: float) -> Model:
    """Davidson's, whose nu is normal with this standard deviation, so that it is never without."""

    def of(votes: Votes, pseudo_rounds: float) -> Estimate:
        return davidson_votes.maximum(votes, pseudo_rounds, tie_scale)

    def pull(votes: Votes, at: Estimate, direction: Floats) -> Floats:
        nu = float(at.beta[-1])
        eta = at.epp[votes.first] - at.epp[votes.second] + votes.effect @ at.beta[:-1]
        mean, _ = davidson_votes.moments(eta, nu)
        tie = davidson_votes.shares(eta, nu).tie
        own = (votes.won - votes.n * mean) * _along(votes, direction)
        tied = davidson_votes.ties_of(votes) - votes.n * tie
        return np.asarray(own + tied * direction[-1])

    return Model(of, pull, lambda at: np.append(np.zeros(len(at.beta) - 1), tie_scale**-2.0))


class Judgement(NamedTuple):
    """Where the likelihood of strengths and an average judge's favour has its maximum."""

    epp: Floats  # (player,)
    beta: Floats  # (1,)
    hessian: Floats  # (player + 1, player + 1)
    own: Floats  # (judge,): each one's favour beyond the average's
    weight: Floats  # (vote,): of its curvature, of the votes that it was made of


def intercept(judge: Longs, spread: float, scale: float) -> Model:
    """PMRA's: judges (vote,) differ by this spread in how they favour whoever is first.

    The average judge's favour is normal, of standard deviation ``scale``. How judges differ is
    held.
    """
    judges = int(judge.max()) + 1
    order = np.argsort(judge, kind="stable")
    start = np.searchsorted(judge[order], np.arange(judges + 1)).astype(np.int64)

    def of(votes: Votes, pseudo_rounds: float) -> Judgement:
        m = votes.players
        first, second = (each[order].astype(np.int64) for each in (votes.first, votes.second))
        rows = Judged(first, second, votes.won[order], votes.n[order], start)

        def parts(x: Floats) -> tuple[float, Floats, Floats]:
            at = marginal(np.append(x, spread), rows, _NODES)
            gradient, information = at.gradient[:-1], at.information[:-1, :-1]
            p = expit(x[:m])
            value = at.value - 0.5 * (x[m] / scale) ** 2
            value += pseudo_rounds * float((0.5 * x[:m] + np.log1p(-p)).sum())
            gradient[:m] += pseudo_rounds * (0.5 - p)
            gradient[:m] -= gradient[:m].mean()
            gradient[m] -= x[m] / scale**2
            information[np.arange(m), np.arange(m)] += pseudo_rounds * p * (1.0 - p)
            information[m, m] += scale**-2.0
            return value, gradient, information

        x = maximise(parts, np.zeros(m + 1), m).x
        x[:m] -= x[:m].mean()
        at = marginal(np.append(x, spread), rows, _NODES)
        own = spread * at.mode
        p = expit(x[votes.first] - x[votes.second] + x[m] + own[judge])
        return Judgement(
            x[:m], x[m:], at.information[:-1, :-1], own, votes.n * p * (1.0 - p)
        )  # fmt: skip

    def pull(votes: Votes, at: Judgement, direction: Floats) -> Floats:
        level = at.beta[0] + at.own[judge]
        p = expit(at.epp[votes.first] - at.epp[votes.second] + level)
        along = _along(votes, direction)
        moved = np.bincount(judge, at.weight * along, judges)
        heavy = np.bincount(judge, at.weight, judges)
        along = along - (spread**2 * moved / (1.0 + spread**2 * heavy))[judge]
        return np.asarray((votes.won - votes.n * p) * along)

    return Model(of, pull, lambda at: np.array([scale**-2.0]))
