r"""Whether some judges favour whoever is shown first, or second, beside strengths and opinions.

The effect of the order that all judges have in common (`order_shift`) is small where a few judges
always choose the first and the others never look: its own standard error has how judges differ in
it. Here each judge's residuals r are added up by themselves,

.. math:: S_g = \sum_{v \in g} \tilde x r, \quad
          V_g = \varphi \sum_{v \in g} w \tilde x^2 + \sum_c \tau^2_c
                \sum_{o \in g} \big( \sum_{v \in o} \pm w \tilde x \big)^2

with w the information that votes have, o the opinions of players in `votes` (without a vote's
product with itself), and :math:`\tilde x` what is left of 1 once the judge's own sharpness has
taken its part: a judge who follows strengths more closely than others do chooses the first more
often where the stronger is mostly first, and favours nobody. Where pairs do not add up, what they
have beside strengths is taken from r, shrunken to what it is beyond chance: of pairs seen in one
order only it would look like a favour that every judge has. The sum of all :math:`S_g^2`, the score
test of a variance of judges' favour, is held against a multiple of chi-square with the mean and
variance that it has where there is none.

References
----------
Lin (1997), Variance component testing in generalised linear models with random effects,
Biometrika 84. Satterthwaite (1946), Biometrics Bulletin 2, on the multiple.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import chdtrc

from leaderbayes._numerics.opinions import enlarged, squares
from leaderbayes._numerics.pair_parts import pair_parts
from leaderbayes._numerics.votes import (
    Dependence,
    Estimate,
    Moments,
    Votes,
    with_shared,
)
from leaderbayes._types import Floats, Longs


class Favour(NamedTuple):
    """What judges choose by where players stand."""

    z: Floats  # (judge,): how far towards the first, in standard errors
    p_value: float  # that no judge favours a side


def favour_of_judges(
    votes: Votes,
    at: Estimate,
    moments: Moments,
    judge: Longs,
    clusterings: tuple[Longs, ...],
    together: Dependence,
) -> Favour:
    """Test whether any judges favour whoever is shown first, or second.

    Parameters
    ----------
    votes : Votes
    at : Estimate
        Of strengths and effects, of which none is of the order.
    moments : Moments
        Of outcomes, at the estimate.
    judge : (vote,)
        Numbers of judges, from 0.
    clusterings : tuple of (vote,)
        As for `dependence`.
    together : Dependence
        As found by these.
    """
    judges = int(judge.max()) + 1
    weight = votes.n * moments.variance
    residual = _beside_pairs(votes, weight, votes.won - votes.n * moments.mean, together.phi)
    gap = at.epp[votes.first] - at.epp[votes.second]
    sharp = np.bincount(judge, weight * gap**2, judges)
    taken = np.bincount(judge, weight * gap, judges) / np.where(sharp > 0.0, sharp, 1.0)
    left = 1.0 - taken[judge] * gap
    score = np.bincount(judge, left * residual, judges)
    noise = together.phi * np.bincount(judge, weight * left**2, judges)
    groups = with_shared(clusterings)
    for group, tau2, few in zip(groups, together.tau2, together.clusters, strict=True):
        if tau2 > 0.0:
            size = enlarged(tau2, few, votes.players)
            noise += size * squares(votes, group, judge, weight * left)
    fourth = float((weight * left**4 * (1.0 - 6.0 * moments.variance)).sum())
    total = float(noise.sum())
    if not total > 0.0:
        return Favour(np.zeros(judges), 1.0)
    # Half the variance; of votes that are few for their judge it is not chi-square's alone.
    spread = float((noise**2).sum())
    multiple = (spread + 0.5 * max(fourth, -spread)) / total
    p_value = float(chdtrc(total / multiple, float((score**2).sum()) / multiple))
    z = np.divide(score, np.sqrt(noise), out=np.zeros(judges), where=noise > 0.0)
    return Favour(z, p_value)


def _beside_pairs(votes: Votes, weight: Floats, residual: Floats, phi: float) -> Floats:
    """Take from residuals (vote,) what pairs have in common, as far as pairs do not add up."""
    found = pair_parts(votes, weight, residual, phi)
    if found.variance == 0.0:
        return residual
    part = found.residual / (found.information + phi / found.variance)
    return np.asarray(residual - weight * found.pairs.sign * part[found.pairs.of])
