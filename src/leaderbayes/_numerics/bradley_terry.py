r"""Bradley-Terry and Davidson on counts of unordered pairs: value, Newton, covariance.

.. math:: P(i\ wins) : P(tie) : P(j\ wins) = e^{b_i} : e^{\nu + (b_i + b_j)/2} : e^{b_j}

Bradley-Terry is :math:`\nu = -\infty`; its half-counted ties enter as half a win for both.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit, xlogy

from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics.newton import Linear, jeffreys, maximise
from leaderbayes._types import Floats, Longs

_FAR = 12.0  # log-odds, where a start is taken back to
_STEPS = 1000  # at most; from nearby three are enough
_CELLS = 2_000_000  # of boards that are estimated together
_CHORDS = 20  # steps with one information for all, before each board has its own
_FARTHEST = 1200.0  # log-odds between strengths, beyond which exponentials overflow


class Law(NamedTuple):
    """Outcomes at given log-odds: a win is 1, a tie 1/2."""

    mean: Floats
    variance: Floats
    tie: Floats  # probability
    log_total: Floats  # of the terms, relative to the mean of both strengths

    def as_column(self) -> "Law":
        """Return the same of one draw (row, 1)."""
        return Law(*(each[:, None] for each in self))


def law_of(eta: Floats, nu: Floats | float = -np.inf) -> Law:
    """Return mean, variance and probability of a tie at log-odds eta."""
    less, tie = np.exp(-np.abs(eta)), np.exp(nu - 0.5 * np.abs(eta))
    total = 1.0 + less + tie
    first, second, tie = 1.0 / total, less / total, tie / total
    mean = np.where(eta > 0.0, first, second) + 0.5 * tie
    # Not as a difference of what is nearly 1.
    variance = first * second + 0.25 * tie * (first + second)
    return Law(mean, variance, tie, 0.5 * np.abs(eta) + np.log(total))


def probability(epp: Floats) -> Floats:
    """P(row beats column), (player, player); 1/2 on the diagonal."""
    return np.asarray(expit(epp[:, None] - epp))


def davidson_probability(epp: Floats, nu: float) -> tuple[Floats, Floats]:
    """P(row wins) and P(tie), each (player, player)."""
    law = law_of(epp[:, None] - epp, nu)
    return law.mean - 0.5 * law.tie, law.tie


def log_likelihood(epp: Floats, points: Floats, n: Floats) -> float:
    """Bradley-Terry log-likelihood of wins (player,) in matches (player, opponent), each once."""
    return float(points @ epp - pair_sums(epp, 0.0, n)[0])


def deviance(epp: Floats, nu: float, wins: Floats, ties: Floats, n: Floats) -> float:
    """Twice the log-likelihood that a saturated model gains, over unordered pairs.

    Parameters
    ----------
    epp : (player,)
    nu : float
        Of Davidson's model; -inf for Bradley-Terry's, with ties as half wins.
    wins, ties, n : (player, opponent)
        Matches won, tied, and played.
    """
    i, j = np.nonzero(np.tril(n, -1))
    half = 0.5 * (epp[i] - epp[j])
    won, lost, tied, met = wins[i, j], wins[j, i], ties[i, j], n[i, j]
    if np.isneginf(nu):
        won, lost, tied, nu = won + 0.5 * tied, lost + 0.5 * tied, 0.0 * tied, 0.0
        log_total = law_of(2.0 * half).log_total
    else:
        log_total = law_of(2.0 * half, nu).log_total
    likelihood = (won - lost) * half + tied * nu - met * log_total
    saturated = sum(xlogy(each, each / met) for each in (won, lost, tied))
    return 2.0 * float((saturated - likelihood).sum())


def deviances(epp: Floats, points: Floats, saturated: Floats, n: Floats) -> Floats:
    """Compute Bradley-Terry's `deviance` of many boards with the same matches, (draw,).

    Parameters
    ----------
    epp : (draw, player)
    points : (draw, player) or (player,)
        Wins of each player, ties half.
    saturated : (draw,) or ()
        `x_log_x` of the wins.
    n : (player, opponent)
    """
    likelihood = (epp * points).sum(axis=1) - log_normaliser(epp, n).value
    return np.asarray(2.0 * (saturated - 0.5 * x_log_x(n) - likelihood))


def x_log_x(counts: Floats) -> Floats:
    """Sum x log x of the counts of pairs (..., player, opponent), of which 0 adds nothing."""
    return np.asarray(xlogy(counts, counts).sum(axis=(-2, -1)))


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


def pair_sums(epp: Floats, kappa: float, n: Floats | Pairs) -> tuple[float, Floats, Floats, Floats]:
    """Sum over unordered pairs what Newton's method needs.

    Returns the log normaliser; expected points (player,); the information of the players, and
    with nu (last row and column; zero where kappa is); and the expected number of ties (1,).
    """
    m, i, j, met = n if isinstance(n, Pairs) else pairs_of(n)
    with np.errstate(divide="ignore"):
        law = law_of(epp[i] - epp[j], np.log(kappa))
    value = float(met @ (0.5 * (epp[i] + epp[j]) + law.log_total))
    expected = np.bincount(i, met * law.mean, m) + np.bincount(j, met * (1.0 - law.mean), m)
    information = np.zeros((m + 1, m + 1))
    between = met * law.variance
    information[i, j] = information[j, i] = -between
    diagonal = np.bincount(i, between, m) + np.bincount(j, between, m)
    information[np.arange(m), np.arange(m)] = diagonal
    if kappa > 0.0:
        cross = met * law.tie * (0.5 - law.mean)
        cross = np.bincount(i, cross, m) - np.bincount(j, cross, m)
        information[:m, m] = information[m, :m] = cross
        information[m, m] = met @ (law.tie * (1.0 - law.tie))
    return value, expected, information, np.array([met @ law.tie])


class Normaliser(NamedTuple):
    """Sum of n_ij log(e^(a_i + beta) + e^a_j + e^(nu + (a_i + a_j + beta) / 2)), and its slopes."""

    value: Floats  # (point,)
    expected: Floats  # (player, point): derivative in strengths
    ties: Floats  # (point,): in nu
    first: Floats  # (point,): in beta


def log_normaliser(
    a: Floats, n: Floats, *, nu: Floats | None = None, beta: Floats | float = 0.0,
    gradient: bool = False, value: bool = True,
) -> Normaliser:  # fmt: skip
    """Sum over pairs i < j at many points, without an exponential a pair.

    Parameters
    ----------
    a : (point, player)
    n : (player, opponent)
        Of which the upper triangle counts.
    nu, beta : (point,)
        Of Davidson's model, and the advantage of the row.
    gradient, value : bool
        Whether slopes, and the sum itself, are wanted; else they are empty, or not all.
    """
    beta = np.broadcast_to(beta, len(a))
    far = np.ptp(a, axis=1) + abs(beta) > _FARTHEST
    if far.any():
        return _far_normaliser(a, n, nu, beta, gradient=gradient)
    points, m = a.shape
    middle = 0.5 * (a.max(axis=1) + a.min(axis=1))
    half = np.exp(0.5 * (a - middle[:, None])).T  # (player, point)
    odds, kappa = half**2, None if nu is None else np.exp(nu)
    ahead, behind = np.exp(0.5 * beta), np.exp(-0.5 * beta)
    total_log = np.triu(n, 1).sum() * (middle + 0.5 * beta)
    expected = np.zeros((m, points) if gradient else (0, 0))
    ties, first = np.zeros((2, points))
    for i in range(m - 1):
        met = n[i, i + 1 :]
        if not met.any():
            continue
        total = odds[i] * ahead + odds[i + 1 :] * behind
        if kappa is not None:
            tied = kappa * half[i] * half[i + 1 :]
            total += tied
        if value:
            total_log += met @ np.log(total)
        if not gradient:
            continue
        won = odds[i] * ahead / total
        if kappa is not None:
            tied /= total
            won += 0.5 * tied
            ties += met @ tied
        of_row = met @ won
        first += of_row
        expected[i] += of_row
        expected[i + 1 :] += met[:, None] * (1.0 - won)
    return Normaliser(total_log, expected, ties, first)


def _far_normaliser(
    a: Floats, n: Floats, nu: Floats | None, beta: Floats, *, gradient: bool
) -> Normaliser:
    """Compute the same where strengths of a point lie too far apart for exponentials."""
    m, i, j, met = pairs_of(n)
    one, other = a[:, i].T + beta, a[:, j].T  # (pair, point)
    law = law_of(one - other, -np.inf if nu is None else nu)
    value = met @ (0.5 * (one + other) + law.log_total)
    if not gradient:
        return Normaliser(value, np.zeros((0, 0)), 0.0 * value, 0.0 * value)
    expected = np.zeros((m, len(a)))
    np.add.at(expected, i, met[:, None] * law.mean)
    np.add.at(expected, j, met[:, None] * (1.0 - law.mean))
    return Normaliser(value, expected, met @ law.tie, met @ law.mean)


def newton(
    points: Floats,
    n: Floats,
    tied: float | None = None,
    *,
    pseudo_rounds: float = 0.0,
    firth: bool = False,
    linear: Linear | None = None,
    start: Floats | None = None,
) -> tuple[Floats, float, Floats]:
    """Maximise the likelihood.

    Parameters
    ----------
    points : (player,)
        Wins, ties half: all that the estimate depends on, besides who met whom.
    n : (player, opponent)
        Matches of each pair.
    tied : float, optional
        Number of tied matches. Given: Davidson's model, nu is estimated. Absent: Bradley-Terry.
    pseudo_rounds : float
        Matches of every player, half of them won, against a player at 0. Makes the estimate
        exist on any board.
    firth : bool
        Add Jeffreys' penalty, half the log determinant of the information (Bradley-Terry only).
        Makes the estimate exist on any connected board, and takes its first-order bias away. Not
        with pseudo-rounds.
    linear : Linear, optional
        Hypotheses K b = c that the estimate has to satisfy.
    start : (player,), optional
        Where to begin: near the estimate half of the steps are enough. By default at 0.

    Returns
    -------
    epp : (player,)
        Sum to zero.
    nu : float
        -inf for Bradley-Terry.
    hessian : (player, player), or one larger with nu last
        Observed information. Its null space is the constant vector (without pseudo-rounds).

    Raises
    ------
    NotConvergedError
        If Newton's method does not converge, or nu has no finite estimate.
    """
    m = len(points)
    matches = n.sum() / 2.0
    if tied is not None and not 0.0 < tied < matches:
        raise NotConvergedError(
            "LB002 Davidson's nu has no finite estimate where no match, or every match, is tied."
        )
    size = m if tied is None else m + 1
    met = pairs_of(n)

    def parts(x: Floats) -> tuple[float, Floats, Floats]:
        epp, kappa = x[:m], 0.0 if tied is None else float(np.exp(x[m]))
        log_normaliser, expected, information, ties = pair_sums(epp, kappa, met)
        information = information[:size, :size]
        value = float(points @ epp) - log_normaliser
        gradient = points - expected
        if tied is not None:
            value += float(x[m]) * tied
            gradient = np.append(gradient, tied - ties)
        if pseudo_rounds > 0.0:
            q = expit(epp)
            value -= pseudo_rounds * float((np.logaddexp(0.0, epp) - 0.5 * epp).sum())
            gradient[:m] += pseudo_rounds * (0.5 - q)
            information[np.diag_indices(m)] += pseudo_rounds * q * (1.0 - q)
        if firth:
            penalty, slope = _jeffreys(epp, n, information)
            return value + penalty, gradient + slope, information
        return value, gradient, information

    begin = np.zeros(size)
    if start is not None:
        begin[:m] = start - start.mean()
    if tied is not None:
        begin[m] = np.log(2.0 * (tied + 0.5) / (matches - tied + 0.5))
    x, information = maximise(parts, begin, m, linear=linear)
    return x[:m] - x[:m].mean(), -np.inf if tied is None else float(x[m]), information


def estimates_near(
    start: Floats, points: Floats, n: Floats, pseudo_rounds: float = 1.0, enough: float = 1e-4
) -> Floats:
    """Estimate Bradley-Terry with pseudo-rounds by Newton's steps from nearby.

    A step that moves no match's log-odds by more than 1 always climbs, as the logistic's third
    derivative is nowhere above its second: nothing has to be tried twice.

    Parameters
    ----------
    start : (board, player)
    points : (board, player)
        Wins, ties half.
    n : (board, player, opponent)
        Or of one board, where all have the same matches.
    pseudo_rounds : float
        Above 0: how often each of them meets a player at 0, and wins half.
    enough : float
        Newton's decrement, about twice the log-likelihood to be gained, before the last step.

    Returns
    -------
    epp : (board, player)
        Against the player at 0: they have any mean.
    """
    epp, left = np.clip(start, -_FAR, _FAR), np.arange(len(start))  # far out nothing curves
    if len(n) == 1 and len(start) > 1:
        left = _by_chords(epp, points, n[0], pseudo_rounds, enough)
    size = max(_CELLS // start.shape[1] ** 2, 1)
    for begin in range(0, len(left), size):
        some = left[begin : begin + size]
        met = n[some] if len(n) > 1 else n
        epp[some] = _near(epp[some], points[some], met, pseudo_rounds, enough)
    return epp


def _by_chords(epp: Floats, points: Floats, n: Floats, few: float, enough: float) -> Longs:
    """Move boards with the same matches to their estimates, by one information for all.

    Returns those that do not get there soon.
    """
    mean = epp.mean(axis=0)
    information = pair_sums(mean, 0.0, n)[2][:-1, :-1]
    q = expit(mean)
    factor = cho_factor(information + np.diag(few * q * (1.0 - q)))
    left = np.arange(len(epp))
    for _ in range(_CHORDS):
        here = epp[left]
        expected = log_normaliser(here, n, gradient=True, value=False).expected.T
        gradient = points[left] - expected + few * (0.5 - expit(here))
        step = cho_solve(factor, gradient.T).T
        decrement = (gradient * step).sum(axis=1)
        epp[left] += np.clip(step, -1.0, 1.0)
        # Steps with an information of elsewhere leave a part of what is to be gained.
        left = left[decrement >= 0.1 * enough]
        if not len(left):
            break
    return left


def _near(start: Floats, points: Floats, n: Floats, few: float, enough: float) -> Floats:
    """Estimate some boards together, by Newton's steps."""
    epp = start.copy()
    left, player = np.arange(len(epp)), np.arange(epp.shape[1])
    for _ in range(_STEPS):
        here, met = epp[left], n[left] if len(n) > 1 else n
        p, q = expit(here[:, :, None] - here[:, None]), expit(here)
        won = met * p
        gradient = points[left] - won.sum(axis=2) + few * (0.5 - q)
        information = won * (p - 1.0)
        information[:, player, player] = few * q * (1.0 - q) - information.sum(axis=2)
        step = np.linalg.solve(information, gradient[..., None])[..., 0]
        reach = np.maximum(step.max(axis=1), 0.0) - np.minimum(step.min(axis=1), 0.0)
        epp[left] += step / np.maximum(reach, 1.0)[:, None]
        left = left[(gradient * step).sum(axis=1) >= enough]
        if not len(left):
            break
    return epp


def _jeffreys(epp: Floats, n: Floats, information: Floats) -> tuple[float, Floats]:
    """Half the log pseudo-determinant of Bradley-Terry's information, and its gradient."""
    penalty, covariance = jeffreys(information, len(epp))
    spread = np.diag(covariance)
    p = probability(epp)
    # d V_ij / d b_i times the variance of b_i - b_j.
    change = n * p * (1.0 - p) * (1.0 - 2.0 * p)
    variance = spread[:, None] + spread - 2.0 * covariance
    return penalty, 0.5 * (change * variance).sum(axis=1)
