r"""Bradley-Terry and Davidson on counts of unordered pairs: value, Newton, covariance.

.. math:: P(i\ wins) : P(tie) : P(j\ wins) = e^{b_i} : e^{\nu + (b_i + b_j)/2} : e^{b_j}

Bradley-Terry is :math:`\nu = -\infty`; its half-counted ties enter as half a win for both.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit, xlogy

from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics.newton import Linear, jeffreys, maximise
from leaderbayes._numerics.shrinkage import of_differences
from leaderbayes._types import Floats, Longs


class Law(NamedTuple):
    """Outcomes at given log-odds: a win is 1, a tie 1/2."""

    mean: Floats
    variance: Floats
    tie: Floats  # probability
    log_total: Floats  # of the terms, relative to the mean of both strengths


def law_of(eta: Floats, nu: Floats | float = -np.inf) -> Law:
    """Return mean, variance and probability of a tie at log-odds eta."""
    tied = nu - 0.5 * np.abs(eta)
    top = np.maximum(tied, 0.0)  # the largest term, by which all are divided
    more, less, tie = np.exp(-top), np.exp(-np.abs(eta) - top), np.exp(tied - top)
    total = more + less + tie
    first, second, tie = more / total, less / total, tie / total
    mean = np.where(eta > 0.0, first, second) + 0.5 * tie
    # Not as a difference of what is nearly 1.
    variance = first * second + 0.25 * tie * (first + second)
    return Law(mean, variance, tie, 0.5 * np.abs(eta) + top + np.log(total))


def probability(epp: Floats) -> Floats:
    """P(row beats column), (player, player); 1/2 on the diagonal."""
    return np.asarray(expit(epp[:, None] - epp))


def davidson_probability(epp: Floats, nu: float) -> tuple[Floats, Floats]:
    """P(row wins) and P(tie), each (player, player)."""
    law = law_of(epp[:, None] - epp, nu)
    return law.mean - 0.5 * law.tie, law.tie


def log_likelihood(epp: Floats, points: Floats, n: Floats) -> float:
    """Bradley-Terry log-likelihood of wins (player,) in matches (player, opponent), each once."""
    return float(points @ epp) - _sums(epp, -np.inf, pairs_of(n))[0]


def deviance(epp: Floats, nu: float, wins: Floats, ties: Floats, n: Floats) -> float:
    """Twice the log-likelihood that a saturated model gains over Davidson's."""
    i, j = np.nonzero(np.tril(n, -1))
    half = 0.5 * (epp[i] - epp[j])
    won, lost, tied, met = wins[i, j], wins[j, i], ties[i, j], n[i, j]
    likelihood = (
        (won - lost) * half + xlogy(tied, np.exp(nu)) - met * law_of(2.0 * half, nu).log_total
    )
    saturated = sum(xlogy(each, each / met) for each in (won, lost, tied))
    return 2.0 * float((saturated - likelihood).sum())


class Pairs(NamedTuple):
    """Unordered pairs that met."""

    players: int
    one: Longs  # (pair,)
    other: Longs  # (pair,)
    met: Floats  # (pair,): matches


def pairs_of(n: Floats) -> Pairs:
    """List the pairs of matches (player, opponent)."""
    one, other = np.nonzero(np.triu(n, 1))
    return Pairs(len(n), one, other, n[one, other])


def information(epp: Floats, n: Floats) -> Floats:
    """Return the negative Hessian of Bradley-Terry's log-likelihood (player, player)."""
    p = probability(epp)
    between = n * p * (1.0 - p)
    return np.asarray(np.diag(between.sum(axis=1)) - between)


def _sums(epp: Floats, nu: float, n: Pairs) -> tuple[float, Floats, Floats, float]:
    """Return log normaliser, expected points, information (nu last) and expected ties."""
    m, i, j, met = n
    law = law_of(epp[i] - epp[j], nu)
    value = float(met @ (0.5 * (epp[i] + epp[j]) + law.log_total))
    expected = np.bincount(i, met * law.mean, m) + np.bincount(j, met * (1.0 - law.mean), m)
    found = np.zeros((m + 1, m + 1))
    between = met * law.variance
    found[i, j] = found[j, i] = -between
    diagonal = np.bincount(i, between, m) + np.bincount(j, between, m)
    found[np.arange(m), np.arange(m)] = diagonal
    cross = met * law.tie * (0.5 - law.mean)
    cross = np.bincount(i, cross, m) - np.bincount(j, cross, m)
    found[:m, m] = found[m, :m] = cross
    found[m, m] = met @ (law.tie * (1.0 - law.tie))
    return value, expected, found, float(met @ law.tie)


def newton(
    points: Floats, n: Floats, tied: float | None = None, *, pseudo_rounds: float = 0.0,
    firth: bool = False, linear: Linear | None = None, start: Floats | None = None,
) -> tuple[Floats, float, Floats]:  # fmt: skip
    """Maximise the likelihood; return epp (player,), nu (-inf without ties) and the information.

    The information has a row for each player, whose null space is the constant vector, and with
    ties one for nu. ``points`` (player,) are wins, ties half; ``n`` (player, opponent) matches;
    ``tied`` the number of tied ones, of Davidson's model. An estimate exists on any board with
    ``pseudo_rounds``, matches of every player against one at 0, half of them won; and on any
    connected board with ``firth``, Jeffreys' penalty (Bradley-Terry only, without the former).
    ``linear`` are hypotheses K b = c. It raises if there is no finite estimate.
    """
    m = len(points)
    matches = n.sum() / 2.0
    if tied is not None and not 0.0 < tied < matches:
        raise NotConvergedError(
            "The tie parameter of Davidson's model has no finite estimate, because no match or "
            "every match is tied. Use likelihood.bradley_terry, or fit the posterior."
        )
    size = m if tied is None else m + 1
    met = pairs_of(n)

    def parts(x: Floats) -> tuple[float, Floats, Floats]:
        epp, nu = x[:m], -np.inf if tied is None else float(x[m])
        log_normaliser, expected, curve, ties = _sums(epp, nu, met)
        curve = curve[:size, :size]
        value = float(points @ epp) - log_normaliser
        gradient = points - expected
        if tied is not None:
            value += nu * tied
            gradient = np.append(gradient, tied - ties)
        if pseudo_rounds > 0.0:
            q = expit(epp)
            value -= pseudo_rounds * float((np.logaddexp(0.0, epp) - 0.5 * epp).sum())
            gradient[:m] += pseudo_rounds * (0.5 - q)
            curve[np.diag_indices(m)] += pseudo_rounds * q * (1.0 - q)
        if firth:
            penalty, slope = _jeffreys(epp, n, curve)
            return value + penalty, gradient + slope, curve
        return value, gradient, curve

    begin = np.zeros(size)
    if start is not None:
        begin[:m] = start - start.mean()
    if tied is not None:
        begin[m] = np.log(2.0 * (tied + 0.5) / (matches - tied + 0.5))
    x, hessian = maximise(parts, begin, m, linear=linear)
    return x[:m] - x[:m].mean(), -np.inf if tied is None else float(x[m]), hessian


def _jeffreys(epp: Floats, n: Floats, curve: Floats) -> tuple[float, Floats]:
    """Half the log pseudo-determinant of Bradley-Terry's information, and its gradient."""
    penalty, covariance = jeffreys(curve, len(epp))
    p = probability(epp)
    # d V_ij / d b_i times the variance of b_i - b_j.
    change = n * p * (1.0 - p) * (1.0 - 2.0 * p)
    return penalty, 0.5 * (change * of_differences(covariance)).sum(axis=1)


_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(61)


def expit_mean(location: Floats, scale: Floats | float) -> Floats:
    """E expit(location + scale z), z standard normal: to 1e-4, for scales beyond 5 to 4e-3."""
    total = np.zeros(np.broadcast_shapes(np.shape(location), np.shape(scale)))
    for node, weight in zip(_NODES, _WEIGHTS / _WEIGHTS.sum(), strict=True):
        total += weight * expit(location + node * np.asarray(scale))
    return total
