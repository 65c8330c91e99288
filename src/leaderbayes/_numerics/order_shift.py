r"""What votes say of whoever is shown first, beside strengths that were estimated without it.

One step of Newton's method from an estimate without an effect of the order to the one with it. With
:math:`\tilde x` what is left of the order, 1 for every vote, once strengths (and covariates) have
taken what they can of it, w the information that votes have, and r their residuals:

.. math:: \delta = \frac{\sum \tilde x r}{\sum w \tilde x^2}, \quad
          se^2 = \frac{\varphi \sum w \tilde x^2 + \sum_c \tau^2_c \sum_o
                 \big( \sum_{v \in o} \pm w \tilde x \big)^2}{(\sum w \tilde x^2)^2}

o are opinions of players that clusters have, as in `votes`, without a vote's product with itself.
The sum of residuals over its noise would ask too much: where the stronger is mostly shown first,
strengths have taken a part of the effect, and of that part there is no noise either. And noise of
sums by judge is none that few judges ever pass, the effect being in each sum.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.votes import (
    Dependence,
    Estimate,
    Moments,
    Votes,
    bread_of,
    holders,
    information_of,
    with_others,
    with_shared,
)
from leaderbayes._types import Floats, Longs

_TOLD = 1e-6  # of the order's information, below which players tell it


class Shift(NamedTuple):
    """Effect of being shown first on the log-odds."""

    size: float
    error: float


_UNTOLD = Shift(0.0, np.inf)


def order_shift(
    votes: Votes,
    at: Estimate,
    moments: Moments,
    clusterings: tuple[Longs, ...],
    together: Dependence,
) -> Shift:
    """Estimate the effect of being shown first; its error is infinite where players tell who was.

    Parameters
    ----------
    votes : Votes
    at : Estimate
        Of strengths and effects, of which none is of the order; what else it has is passed over.
    moments : Moments
        Of outcomes, at the estimate.
    clusterings : tuple of (vote,)
        As for `dependence`.
    together : Dependence
        As found by these.
    """
    m, k = votes.players, votes.effect.shape[1]
    weight = votes.n * moments.variance
    # The order last, beside strengths and effects.
    ordered = votes._replace(effect=np.column_stack([votes.effect, np.ones(len(weight))]))
    information = information_of(ordered, weight)
    inner = Estimate(at.epp, at.beta[:k], information[:-1, :-1], information[-1, :-1])
    try:
        taken = bread_of(votes, inner) @ information[-1, :-1]
    except LeaderbayesError:
        return _UNTOLD
    left = 1.0 - (taken[votes.first] - taken[votes.second]) - votes.effect @ taken[m:]
    known = float((weight * left**2).sum())
    if not known > _TOLD * weight.sum():
        return _UNTOLD
    noise = together.phi * known
    groups = with_shared(clusterings)
    for group, tau2, few in zip(groups, together.tau2, together.clusters, strict=True):
        if tau2 > 0.0:
            excess = _of_opinions(votes, group, weight * left, (weight * left) ** 2 / votes.n)
            # As `dependence` has it of clusters that all see every player.
            df = max(0.5 * (few - 1.0) * (m - 1.0), 1.0)
            noise += tau2 * (stdtrit(df, 0.975) / 1.96) ** 2 * max(excess, 0.0)
    size = float((left * (votes.won - votes.n * moments.mean)).sum()) / known
    return Shift(size, float(np.sqrt(noise)) / known)


def _of_opinions(votes: Votes, group: Longs, pull: Floats, alone: Floats) -> float:
    """Sum of squares, over opinions, of what they pull; without votes by themselves."""
    of, which, (pull, alone) = with_others(votes, group, pull, alone)
    held = holders(of, which)
    total = np.bincount(held.of_first, pull, held.total)
    total -= np.bincount(held.of_second, pull, held.total)
    return float((total**2).sum() - 2.0 * alone.sum())
