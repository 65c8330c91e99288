r"""Bradley-Terry and Davidson on counts of unordered pairs: value, Newton, covariance.

.. math:: P(i\ wins) : P(tie) : P(j\ wins) = e^{b_i} : e^{\nu + (b_i + b_j)/2} : e^{b_j}

Bradley-Terry is :math:`\nu = -\infty`; its half-counted ties enter as half a win for both.
"""

import numba
import numpy as np
from scipy.special import expit

from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics.newton import Linear, jeffreys, maximise
from leaderbayes._types import Floats

_FAR = 12.0  # log-odds, where a start is taken back to
_STEPS = 1000  # at most; from nearby three are enough
_TOGETHER = 32  # draws
_SMALL, _TINY = 1e-150, 1e-130  # products whose logarithm is taken, and odds that are nearly none
_DIGITS = 1e-8  # squared remainder of a step: four digits of it
# Without NaN and infinity flags: those must come through.
_FAST = {"reassoc", "contract", "arcp", "nsz"}


def probability(epp: Floats) -> Floats:
    """P(row beats column), (player, player); 1/2 on the diagonal."""
    return np.asarray(expit(epp[:, None] - epp))


def log_likelihood(epp: Floats, points: Floats, n: Floats) -> float:
    """Bradley-Terry log-likelihood of wins (player,) in matches (player, opponent), each once."""
    return float(points @ epp - pair_sums(epp, 0.0, n)[0])


@numba.njit(cache=True, error_model="numpy")
def log_normaliser(strength: Floats, n: Floats) -> Floats:
    """Sum n log(e^a_i + e^a_j) over unordered pairs, for each of many draws (draw,).

    Parameters
    ----------
    strength : (draw, player)
    n : (player, opponent)
    """
    draws, m = strength.shape
    out = np.empty(draws)
    # Draws together, which processors multiply several at a time.
    u = np.empty((m, _TOGETHER))
    top, total, product = np.empty((3, _TOGETHER))
    for begin in range(0, draws, _TOGETHER):
        size = min(_TOGETHER, draws - begin)
        for k in range(_TOGETHER):
            # Of the last few once more.
            a = strength[begin + min(k, size - 1)]
            top[k], total[k] = np.max(a), 0.0
            for i in range(m):
                u[i, k] = np.exp(max(a[i] - top[k], -700.0))
        matches = 0.0
        for i in range(m):
            product[:] = 1.0
            count, small = 0.0, 0
            for j in range(i):
                met = n[i, j]
                if met == 0.0:
                    continue
                matches += met
                # One logarithm for many opponents that were met as often.
                if met != count or small:
                    for k in range(_TOGETHER):
                        if met != count or product[k] < _SMALL:
                            total[k] += count * np.log(product[k])
                            product[k] = 1.0
                    count = met
                small = 0
                for k in range(_TOGETHER):
                    product[k] *= u[i, k] + u[j, k]
                    small += product[k] < _SMALL
            for k in range(_TOGETHER):
                total[k] += count * np.log(product[k])
        for k in range(size):
            if np.min(u[:, k]) < _TINY:
                out[begin + k] = _far_log_normaliser(strength[begin + k], n)
            else:
                out[begin + k] = total[k] + matches * top[k]
    return out


@numba.njit(cache=True, error_model="numpy")
def _far_log_normaliser(a: Floats, n: Floats) -> float:
    """Give what `log_normaliser` does, of strengths (player,) some of which are very far apart."""
    m, top = a.size, np.max(a)
    u = np.empty(m)
    for i in range(m):
        u[i] = np.exp(max(a[i] - top, -700.0))
    total, matches = 0.0, 0.0
    for i in range(m):
        product, count = 1.0, 0.0
        for j in range(i):
            if n[i, j] == 0.0:
                continue
            matches += n[i, j]
            if u[i] < _TINY and u[j] < _TINY:
                high = max(a[i], a[j])
                total += n[i, j] * (high - top + np.log1p(np.exp(-abs(a[i] - a[j]))))
                continue
            if n[i, j] != count or product < _SMALL:
                total += count * np.log(product)
                product, count = 1.0, n[i, j]
            product *= u[i] + u[j]
        total += count * np.log(product)
    return float(total + matches * top)


@numba.njit(cache=True, error_model="numpy")
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
    kappa = np.exp(nu)
    value = 0.0
    for i in range(len(epp)):
        for j in range(i):
            met = n[i, j]
            if met == 0.0:
                continue
            half = 0.5 * (epp[i] - epp[j])
            gap = abs(half)
            tie = kappa * np.exp(-gap) if kappa > 0.0 else 0.0
            log_total = gap + np.log1p(np.exp(-2.0 * gap) + tie)
            won, lost, tied = wins[i, j], wins[j, i], ties[i, j]
            if kappa == 0.0:
                won, lost, tied = won + 0.5 * tied, lost + 0.5 * tied, 0.0
            if won > 0.0:
                value += won * (np.log(won / met) - half + log_total)
            if lost > 0.0:
                value += lost * (np.log(lost / met) + half + log_total)
            if tied > 0.0:
                value += tied * (np.log(tied / met) - nu + log_total)
    return 2.0 * value


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
    likelihood = (epp * points).sum(axis=1) - log_normaliser(np.ascontiguousarray(epp), n)
    return np.asarray(2.0 * (saturated - 0.5 * x_log_x(n) - likelihood))


def x_log_x(counts: Floats) -> Floats:
    """Sum x log x of the counts of pairs (..., player, opponent), of which 0 adds nothing."""
    return np.asarray((counts * np.log(np.maximum(counts, _TINY))).sum(axis=(-2, -1)))


def davidson_probability(epp: Floats, nu: float) -> tuple[Floats, Floats]:
    """P(row wins) and P(tie), each (player, player)."""
    half = 0.5 * (epp[:, None] - epp)
    gap = np.abs(half)
    kappa = np.exp(nu)
    scale = 1.0 / (1.0 + np.exp(-2.0 * gap) + kappa * np.exp(-gap))
    return np.exp(half - gap) * scale, kappa * np.exp(-gap) * scale


@numba.njit(cache=True, error_model="numpy")
def pair_sums(epp: Floats, kappa: float, n: Floats) -> tuple[float, Floats, Floats, Floats]:
    """Sum over unordered pairs, in one pass, what Newton's method needs.

    Returns the log normaliser; expected points (player,); the information of the players, and
    with nu (last row and column; zero where kappa is); and the expected number of ties (1,).
    """
    m = epp.size
    value, ties, corner = 0.0, 0.0, 0.0
    expected, diagonal, cross = np.zeros(m), np.zeros(m), np.zeros(m)
    information = np.zeros((m + 1, m + 1))
    top = np.max(epp)
    u = np.exp(0.5 * (epp - top))
    wide = np.min(u) < 1e-140
    for i in range(m):
        row = information[i]
        for j in range(i + 1, m):
            met = n[i, j]
            if met == 0.0:
                continue
            if wide:
                gap = 0.5 * (epp[i] - epp[j])
                a, b = np.exp(gap - abs(gap)), np.exp(-gap - abs(gap))
                middle, log_scale = np.exp(-abs(gap)), 0.5 * (epp[i] + epp[j]) + abs(gap)
            else:
                a, b, middle, log_scale = u[i] * u[i], u[j] * u[j], u[i] * u[j], top
            total = a + b + kappa * middle
            p, t = a / total, kappa * middle / total
            e = p + 0.5 * t
            value += met * (log_scale + np.log(total))
            expected[i] += met * e
            expected[j] += met * (1.0 - e)
            v = met * (p + 0.25 * t - e * e)
            row[j] = -v
            diagonal[i] += v
            diagonal[j] += v
            if kappa > 0.0:
                cross[i] += met * t * (0.5 - e)
                cross[j] -= met * t * (0.5 - e)
                corner += met * t * (1.0 - t)
                ties += met * t
    for i in range(m):
        information[i, i] = diagonal[i]
        information[i, m] = cross[i]
        for j in range(i + 1, m + 1):
            information[j, i] = information[i, j]
    information[m, m] = corner
    return value, expected, information, np.array([ties])


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

    def parts(x: Floats) -> tuple[float, Floats, Floats]:
        epp, kappa = x[:m], 0.0 if tied is None else float(np.exp(x[m]))
        log_normaliser, expected, information, ties = pair_sums(epp, kappa, n)
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
    """Estimate Bradley-Terry with pseudo-rounds by Newton's steps from nearby, all compiled.

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
    # Defaults, and arrays laid out in other ways, would cost Numba more than the steps do.
    laid_out = map(np.ascontiguousarray, (start, points, n))
    return np.asarray(_estimates_near(*laid_out, pseudo_rounds, enough))


@numba.njit(cache=True, error_model="numpy")
def _estimates_near(
    start: Floats, points: Floats, n: Floats, pseudo_rounds: float, enough: float
) -> Floats:
    """Estimate boards one by one."""
    out = np.empty(start.shape)
    for k in range(len(start)):
        matches = n[k if len(n) > 1 else 0]
        out[k] = _estimate_near(start[k], points[k], matches, pseudo_rounds, enough)
    return out


@numba.njit(cache=True, error_model="numpy")
def _estimate_near(
    start: Floats, points: Floats, n: Floats, pseudo_rounds: float, enough: float
) -> Floats:
    """Estimate one board."""
    # Far out nothing curves.
    epp = np.minimum(np.maximum(start, -_FAR), _FAR)
    information = np.empty(n.shape)
    for _ in range(_STEPS):
        expected = _curve(epp, n, information)
        q = 1.0 / (1.0 + np.exp(-epp))
        gradient = points - expected + pseudo_rounds * 0.5 - pseudo_rounds * q
        for i in range(epp.size):
            information[i, i] += pseudo_rounds * q[i] * (1.0 - q[i])
        step = _solve(information, gradient)
        epp += step / max(1.0, max(step.max(), 0.0) - min(step.min(), 0.0))
        if gradient @ step < enough:
            break
    return epp


@numba.njit(cache=True, fastmath=_FAST, error_model="numpy")
def _curve(epp: Floats, n: Floats, information: Floats) -> Floats:
    """Write the information (player, player), and give expected points (player,).

    Of strengths of some tens at most what `pair_sums` gives, without its logarithms.
    """
    m = epp.size
    odds, expected, won = np.exp(epp), np.empty(m), np.empty(m)
    for i in range(m):
        row, met = information[i], n[i]
        mine, curvature = 0.0, 0.0
        for j in range(m):
            p = odds[i] / (odds[i] + odds[j])
            won[j] = met[j] * p
            row[j] = -won[j] * (1.0 - p)
        for j in range(m):
            mine += won[j]
            curvature += row[j]
        expected[i] = mine
        # Nobody meets itself.
        row[i] = -curvature
    return expected


@numba.njit(cache=True, error_model="numpy")
def _solve(matrix: Floats, right: Floats) -> Floats:
    """Solve for a positive definite matrix, to four digits of differences, as good as steps are.

    By conjugate gradients: where all meet all a few products are enough. Else directly, which costs
    as much as m / 3 products.
    """
    scale = 1.0 / np.diag(matrix)
    x, rest = np.zeros(right.size), right.copy()
    way = scale * rest
    size = rest @ way
    goal = _DIGITS * size
    for _ in range(8 + right.size // 4):
        if not size > goal:
            return x
        along = matrix @ way
        far = size / (way @ along)
        x += far * way
        rest -= far * along
        scaled = scale * rest
        new = rest @ scaled
        way = scaled + new / size * way
        size = new
    return np.linalg.solve(matrix, right)


def _jeffreys(epp: Floats, n: Floats, information: Floats) -> tuple[float, Floats]:
    """Half the log pseudo-determinant of Bradley-Terry's information, and its gradient."""
    penalty, covariance = jeffreys(information, len(epp))
    spread = np.diag(covariance)
    p = probability(epp)
    # d V_ij / d b_i times the variance of b_i - b_j.
    change = n * p * (1.0 - p) * (1.0 - 2.0 * p)
    variance = spread[:, None] + spread - 2.0 * covariance
    return penalty, 0.5 * (change * variance).sum(axis=1)
