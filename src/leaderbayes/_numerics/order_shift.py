r"""What votes say of whoever is shown first, beside strengths that were estimated without it.

One step of Newton's method from an estimate without an effect of the order to the one with it. With
:math:`\tilde x` what is left of the order, 1 for every vote, once strengths (and covariates) have
taken what they can of it, w the information that votes have, and r their residuals:

.. math:: \delta = \frac{\sum \tilde x r}{\sum w \tilde x^2}, \quad
          se^2 = \frac{\varphi \sum w \tilde x^2 + \sum_c \tau^2_c \sum_o
                 \big( \sum_{v \in o} \pm w \tilde x \big)^2}{(\sum w \tilde x^2)^2}

o are opinions of players that clusters have, as in `votes`, without a vote's product with itself.
That leans on strengths that add up: where each pair was seen in one order only, pairs that are
won otherwise than strengths say look like an effect of the order. So pairs have an own part of the
log-odds, too, of variance :math:`\psi^2`, which comes from pairs' residuals beside the order, and

.. math:: \psi^2 \sum_{pairs} \big( \sum_{v \in pair} \pm w \tilde x \big)^2

is added to the noise; of a pair that was seen in both orders equally often that is nothing. Or
:math:`\tilde x` is what pairs have not taken, each with any strength: such a comparison within
pairs needs no strengths, and has nothing where no pair was seen in both orders. Whichever of the
two is less noisy is given. Where strengths explain any pairs (there are no more than these have
parameters) nothing says how large psi is, and pairs in both orders are all there is.

The sum of residuals over its noise would ask too much: where the stronger is mostly shown first,
strengths have taken a part of the effect, and of that part there is no noise either. And noise of
sums by judge is none that few judges ever pass, the effect being in each sum. Judges of whom a few
always choose the first are `judge_favour`'s.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import stdtrit

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.opinions import enlarged, squares
from leaderbayes._numerics.pair_parts import Pairs, pairs_of
from leaderbayes._numerics.votes import (
    Dependence,
    Estimate,
    Moments,
    Votes,
    bread_of,
    groups_of,
    information_of,
    shared,
    with_shared,
)
from leaderbayes._types import Floats, Longs

_TOLD = 0.01  # of the order's information, below which players tell it


class Shift(NamedTuple):
    """Effect of being shown first on the log-odds."""

    size: float
    error: float
    both_orders: bool  # whether pairs were seen in both, so that they can say something


class _Evidence(NamedTuple):
    """What votes say of whatever is added to their log-odds."""

    votes: Votes
    weight: Floats  # (vote,): information
    residual: Floats  # (vote,)
    pairs: Pairs
    groups: list[Longs]  # clusterings, and what two share: (vote,)
    together: Dependence


def order_shift(
    votes: Votes,
    at: Estimate,
    moments: Moments,
    clusterings: tuple[Longs, ...],
    together: Dependence,
) -> Shift:
    """Estimate the effect of being shown first; its error is infinite where nothing tells it.

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
    weight = votes.n * moments.variance
    found = _Evidence(
        votes, weight, votes.won - votes.n * moments.mean, pairs_of(votes),
        with_shared(clusterings), together,
    )  # fmt: skip
    by_pairs = _shift(found, _left_by_pairs(found), 0.0)
    both = bool(np.isfinite(by_pairs[1]))
    left = _left_by_strengths(found, at)
    size, error = _UNTOLD if left is None else _by_strengths(found, left)
    return Shift(*((size, error) if error < by_pairs[1] else by_pairs), both)


_UNTOLD = (0.0, np.inf)


def _left_by_strengths(found: _Evidence, at: Estimate) -> Floats | None:
    """Give what strengths and effects leave of the order (vote,); None where one tells another."""
    votes, m, k = found.votes, found.votes.players, found.votes.effect.shape[1]
    # The order last, beside strengths and effects.
    ordered = votes._replace(effect=np.column_stack([votes.effect, np.ones(len(found.weight))]))
    information = information_of(ordered, found.weight)
    inner = Estimate(at.epp, at.beta[:k], information[:-1, :-1], information[-1, :-1])
    try:
        taken = bread_of(votes, inner) @ information[-1, :-1]
    except LeaderbayesError:
        return None
    return np.asarray(1.0 - (taken[votes.first] - taken[votes.second]) - votes.effect @ taken[m:])


def _left_by_pairs(found: _Evidence) -> Floats:
    """Give what pairs, each with any strength, and effects leave of the order (vote,)."""
    pairs, weight = found.pairs, found.weight
    of_pair = np.bincount(pairs.of, weight, pairs.total)

    def within(values: Floats) -> Floats:
        mean = np.bincount(pairs.of, weight * pairs.sign * values, pairs.total) / of_pair
        return np.asarray(values - pairs.sign * mean[pairs.of])

    left = within(np.ones(len(weight)))
    if found.votes.effect.size:
        root = np.sqrt(weight)
        others = np.column_stack([within(column) for column in found.votes.effect.T])
        taken = np.linalg.lstsq(root[:, None] * others, root * left, rcond=1e-8)[0]
        left = left - others @ taken
    return left


def _by_strengths(found: _Evidence, left: Floats) -> tuple[float, float]:
    """Estimate beside strengths; as unsure as pairs differ from what strengths say of them."""
    votes, weight, pairs = found.votes, found.weight, found.pairs
    size, error = _shift(found, left, 0.0)
    free = pairs.total - (votes.players - groups_of(votes)) - votes.effect.shape[1] - 1
    if np.isinf(error) or free < 1:
        return _UNTOLD
    apart = pairs.sign * (found.residual - weight * left * size)
    information = np.bincount(pairs.of, weight, pairs.total)
    noise = found.together.phi * information
    for group, tau2 in zip(found.groups, found.together.tau2, strict=True):
        kept = group >= 0
        both = shared(pairs.of[kept], group[kept])
        held = np.bincount(both, weight[kept])
        whose = np.zeros(len(held), dtype=np.int64)
        whose[both] = pairs.of[kept]
        own = np.bincount(pairs.of[kept], weight[kept] ** 2 / votes.n[kept], pairs.total)
        noise += 2.0 * tau2 * (np.bincount(whose, held**2, pairs.total) - own)
    chi2 = float((np.bincount(pairs.of, apart, pairs.total) ** 2 / noise).sum())
    psi2 = max(chi2 / free - 1.0, 0.0) / float((information**2 / noise).mean())
    return _shift(found, left, psi2 * (stdtrit(free, 0.975) / 1.96) ** 2)


def _shift(found: _Evidence, left: Floats, psi2: float) -> tuple[float, float]:
    """Give size and error of the order's effect by what is left of it (vote,)."""
    votes, weight, together = found.votes, found.weight, found.together
    known = float((weight * left**2).sum())
    if not known > _TOLD * weight.sum():
        return _UNTOLD
    noise = together.phi * known
    for group, tau2, few in zip(found.groups, together.tau2, together.clusters, strict=True):
        if tau2 > 0.0:
            (excess,) = squares(votes, group, np.zeros_like(group), weight * left)
            noise += enlarged(tau2, few, votes.players) * excess
    of_pairs = np.bincount(found.pairs.of, found.pairs.sign * weight * left, found.pairs.total)
    noise += psi2 * float((of_pairs**2).sum())
    return float((left * found.residual).sum()) / known, float(np.sqrt(noise)) / known
