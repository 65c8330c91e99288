r"""Log-density of mean scores' hierarchical posterior and its gradient, for NUTS.

.. math:: y_{ki} = a_k + \theta_i + s_i e_{ki}, \quad \theta_i = \mu_i + \sqrt{\rho} s_i v_i, \quad
          \mu = b - \bar b, \quad b_i \sim t_\nu(0, \tau), \\
          \tau = p \sqrt{t^2 + f^2}, \quad t \sim N(0, 1), \quad
          a_k \sim N(\eta, \omega^2), \quad \log s_i = \log s + w x_i, \quad x_i \sim N(0, 1)

is ``models.mean_score``, whose rounds' effects a are integrated out and whose common luck of folds
(rho, v) is there where rounds share it. It is sampled in coordinates in which it is nearly normal:

.. math:: b_i = \tau^{1 - c_i} \tau_0^{c_i} T(z_i), \quad z = (1 + a a') u, \\
          \log s_i = (1 - d_i) \log s + d_i \log s_0 + w x_i

with T as in `student`; c is 1 for a player whom its scores leave where it is whatever tau, and 0
for one that the prior alone holds. Of few players T has :math:`\nu / (1 - c)` degrees of freedom:
where scores hold differences a straight T keeps them, however far the mean of b goes. Vector a and
shares d make coordinates nearly independent, and are 0 for a sampler that learns correlations by
itself: a is along the mean of b, which scores leave free, and d the share of the prior's variance
of log s_i that scores take away.

What scores leave wide along a bend is integrated out where that has a formula: the mean of two
players' b, whose difference is that of two Student numbers and is sampled as
:math:`\mu_1 = -\mu_2 = \tau^{1 - c} \tau_0^c T(z)` (`law_of_half_a_difference`), and the luck v
where every player played every round: it moves the mean of rounds alone, and `with_luck` draws it.
"""

from typing import NamedTuple

import numba
import numpy as np
from scipy.special import roots_jacobi

from leaderbayes._numerics.student import student
from leaderbayes._types import Bools, Floats

FLOOR = 0.1  # of tau, in units of its prior's scale
OWN = 0.5  # w: spread of players' noise on the log scale
WIDE = 2.0  # standard deviation of the normal prior of log s
LEVEL = 10.0  # of that of eta, in units of the scores' spread
_COMMON = 4  # coordinates: t, log omega, eta, log s; then u, x, v
_FEW = range(3, 8)  # players: of more, strengths say what their scale is
_NODES = 48  # of a quadrature: exact where degrees of freedom are odd and below 190
_MAX_DF = 1000.0  # at which its weights are numbers


class Board(NamedTuple):
    """What the posterior depends on: the scores, and the prior."""

    scores: Floats  # (round, player), 0 where there is none
    present: Bools  # (round, player)
    luck: float  # rho: of the shared luck's variance over that of a round's
    prior_scale: float  # p: of tau's prior, as the scores
    df: float  # degrees of freedom of the players' law
    unit: float  # spread of scores within rounds
    centre: float  # of the rounds' level
    spread: float  # of all scores


class Rows(NamedTuple):
    """What scores say, as rows with a common effect: rounds, or what they are turned into."""

    scores: Floats  # (row, player), 0 where there is none
    present: Bools  # (row, player)
    means: Floats  # (row,): how often theta and the level are in it
    stretch: Floats  # (row,): of the variance that is the player's own


class Coordinates(NamedTuple):
    """Where the posterior is sampled."""

    centring: Floats  # (strength,): c; one strength where the mean of two is integrated out
    log_scale: float  # of tau_0
    noise_centring: Floats  # (player,): d
    log_noise: float  # of s_0
    along: Floats  # (player,): a
    tails: Floats  # (strength,): degrees of freedom of T
    law: Floats  # (2, node): of the difference of two players; else no node
    rows: Rows
    start: Floats  # near the highest density


def coordinates(board: Board, *, independent: bool = False) -> Coordinates:
    """Choose coordinates by moments: shares of the prior's variance that scores take away.

    Parameters
    ----------
    independent : bool
        Whether they should be nearly independent, for a sampler that learns no correlations.
    """
    effect, noise = moments(board)
    rounds = np.maximum(board.present.sum(axis=0), 1)
    error = noise**2 * (1.0 / rounds + board.luck)
    between = float(effect.var(ddof=1))
    tau = np.sqrt(max(between - float(error.mean()), 0.05 * board.unit**2))
    # Cautiously: moments of few players say little of the scale.
    centring = np.clip(1.0 - error / between, 0.0, 1.0) ** 2 if between > 0.0 else 0.0 * error
    log_scale = float(np.log(tau))
    t = effect / tau
    law = np.zeros((2, 0))
    if len(t) == 2 and board.df <= _MAX_DF:
        # One difference says next to nothing of the scale: the middle of its prior, then.
        middle = 0.5 * (0.7 * board.prior_scale) ** 2
        centring = np.array([(middle / (middle + 0.5 * float(error.mean()))) ** 2])
        t, law = t[:1], law_of_half_a_difference(board.df)
    tails = np.full(len(t), board.df)
    if len(t) in _FEW:
        # Nor do few strengths: as much as four more, from about the middle of its prior.
        own = max(between - float(error.mean()), 0.0)
        middle = (2.0 * board.prior_scale**2 + (len(t) - 1.0) * own) / (len(t) + 3.0)
        centring = middle / (middle + error)
        # Where scores hold a strength its tails are not the prior's, and would only bend the mean.
        tails = board.df / np.maximum(1.0 - centring, 1e-4)
    z = np.sign(t) * np.sqrt((tails + 1.0) * np.log1p(t**2 / tails))
    log_noise = np.log(noise)
    ratio = tau / board.prior_scale
    common = [
        np.sqrt(max(ratio**2 - FLOOR**2, FLOOR**2)),
        np.log(board.spread),
        board.centre,
        log_noise.mean(),
    ]
    x = (log_noise - log_noise.mean()) / OWN
    noise_centring, along = np.zeros(len(x)), np.zeros(len(t))
    if independent:
        noise_centring = OWN**2 / (OWN**2 + 0.5 / np.maximum(rounds - 1.0, 0.5))
        # The mean of b, which the prior alone holds: so much wider than the rest.
        wider = np.sqrt(1.0 + tau**2 / float(error.mean()))
        along = 1.0 / np.array([student(*each)[1] for each in zip(z, tails, strict=True)])
        along /= np.sqrt(along @ along)
        z = z - (1.0 - 1.0 / wider) * along * (along @ z)
        along *= np.sqrt(wider - 1.0)
    sampled = board.luck > 0.0 and not luck_is_integrated_out(board)
    shared = np.zeros(len(x) if sampled else 0)
    start = np.concatenate([common, z, x, shared])
    return Coordinates(
        centring, log_scale, noise_centring, float(log_noise.mean()), along, tails, law,
        rows_of(board), start,
    )  # fmt: skip


def luck_is_integrated_out(board: Board) -> bool:
    """Tell whether players' luck is no coordinate: where every player played every round."""
    return board.luck > 0.0 and bool(board.present.all())


def rows_of(board: Board) -> Rows:
    """Give rounds, or where all played all and share luck, their mean and contrasts.

    Contrasts have no luck in them. The mean, times the root of the number of rounds, has each
    player's noise and luck, whose variances are one sum.
    """
    rounds = len(board.scores)
    if not luck_is_integrated_out(board):
        return Rows(board.scores, board.present, np.ones(rounds), np.ones(rounds))
    # The first row of an orthogonal matrix, whose others sum to 0.
    turn = np.linalg.qr(np.column_stack([np.ones(rounds), np.eye(rounds)[:, 1:]]))[0].T
    turn *= np.sign(turn[0, 0])
    first = np.arange(rounds) == 0
    means = np.where(first, np.sqrt(rounds), 0.0)
    stretch = np.where(first, 1.0 + rounds * board.luck, 1.0)
    return Rows(turn @ board.scores, board.present, means, stretch)


def law_of_half_a_difference(df: float) -> Floats:
    r"""Give nodes and weights (2, node) of the law of half the difference of two Student numbers.

    .. math:: p(y) \propto (1 + y^2 / \nu)^{-(\nu + 1) / 2} \int_0^1 s^{(\nu - 1) / 2}
              (1 - s)^{-1/2} (1 - q s)^{(\nu - 1) / 2} ds, \quad q = \frac{y^2}{\nu + y^2}

    Given the share that one of the two numbers' variances has of both precisions, which is Beta's,
    the difference is Student's with twice the degrees of freedom (Ruben 1960). That mixture is a
    hypergeometric function, this integral by Pfaff's and Euler's formulas, without a peak however
    large y is.
    """
    nodes, weights = roots_jacobi(_NODES, -0.5, 0.5 * (df - 1.0))
    return np.stack([0.5 * (1.0 + nodes), weights / weights.sum()])


def with_luck(
    effect: Floats, noise: Floats, omega: Floats, eta: Floats, board: Board,
    rng: np.random.Generator,
) -> Floats:  # fmt: skip
    """Draw theta (draw, player), effects with the luck of this data set, where all played all.

    Parameters
    ----------
    effect, noise : (draw, player)
    omega, eta : (draw,)
    """
    rounds = len(board.scores)
    # What is seen of luck, by the mean of rounds: itself, noise and the rounds' common effect.
    luck = np.sqrt(board.luck) * noise * rng.standard_normal(noise.shape)
    error = noise * rng.standard_normal(noise.shape) / np.sqrt(rounds)
    error += (omega * rng.standard_normal(omega.shape) / np.sqrt(rounds))[:, None]
    off = board.scores.mean(axis=0) - eta[:, None] - effect - luck - error
    # Moved by what it explains of the rest, it is a draw given what is seen (Matheron).
    precision = noise**-2.0 / (board.luck + 1.0 / rounds)
    shared = (precision * off).sum(axis=1) / (rounds / omega**2 + precision.sum(axis=1))
    return np.asarray(effect + luck + board.luck * noise**2 * precision * (off - shared[:, None]))


def moments(board: Board) -> tuple[Floats, Floats]:
    """Estimate effects (player,) by the two-way model, and noise (player,), drawn to its mean."""
    y, on = board.scores, board.present.astype(float)
    size, rounds = np.maximum(on.sum(axis=1), 1.0), np.maximum(on.sum(axis=0), 1.0)
    effect = np.zeros(y.shape[1])
    # Rounds' and players' means in turn; a step or two of a complete board.
    for _ in range(50):
        level = (on * (y - effect)).sum(axis=1) / size
        new = (on * (y - level[:, None])).sum(axis=0) / rounds
        new -= new.mean()
        moved, effect = float(abs(new - effect).max()), new
        if moved < 1e-6 * board.unit:
            break
    left = (on * (y - level[:, None] - effect) ** 2).sum(axis=0)
    pooled = max(float(left.sum() / max(rounds.sum() - len(size) - len(rounds) + 1, 1)), 1e-300)
    return effect, np.sqrt((left + 3.0 * pooled) / (rounds + 2.0))


def log_density(x: Floats, board: Board, at: Coordinates) -> tuple[float, Floats]:
    """Give the log-density of coordinates x, up to a constant, and its gradient."""
    value, gradient = _log_density(x, *at[:7], *at.rows, *board[2:])
    return value, gradient


def parameters(x: Floats, board: Board, at: Coordinates) -> dict[str, Floats]:
    """Give what coordinates x stand for: of all, and theta, effects and noise (player,).

    Theta lacks luck where that is integrated out: see `with_luck`.
    """
    k = len(at.centring)
    log_tau = _log_tau(x[0], board.prior_scale)
    log_omega, eta, log_noise = x[1:_COMMON]
    z, own, v = np.split(x[_COMMON:], [k, k + len(at.noise_centring)])
    power = (1.0 - at.centring) * log_tau + at.centring * at.log_scale
    z = z + at.along * (at.along @ z)
    b = np.exp(power) * np.array([student(*each)[0] for each in zip(z, at.tails, strict=True)])
    if k < len(at.noise_centring):
        b = np.array([b[0], -b[0]])
    middle = (1.0 - at.noise_centring) * log_noise + at.noise_centring * at.log_noise
    noise, effect = np.exp(middle + OWN * own), b - b.mean()
    return {
        "effect": effect,
        "theta": effect + np.sqrt(board.luck) * noise * v if len(v) else effect,
        "noise": noise,
        "score_scale_raw": abs(x[0]),
        "score_scale": np.exp(log_tau),
        "round_scale": np.exp(log_omega),
        "level": eta,
        "noise_centre": np.exp(log_noise),
    }


def round_log_likelihood(
    theta: Floats, noise: Floats, omega: Floats, eta: Floats, board: Board
) -> Floats:
    """Give the log-density of each round's scores (draw, round), its effect integrated out.

    Parameters
    ----------
    theta, noise : (draw, player)
    omega, eta : (draw,)
    """
    out = np.zeros((len(theta), len(board.scores)))
    for k, (y, on) in enumerate(zip(board.scores, board.present, strict=True)):
        precision = noise[:, on] ** -2.0
        d = y[on] - theta[:, on]
        total = precision.sum(axis=1)
        at = (precision * d).sum(axis=1) / total
        variance = omega**2 + 1.0 / total
        square = (precision * (d - at[:, None]) ** 2).sum(axis=1) + (at - eta) ** 2 / variance
        logs = np.log(precision).sum(axis=1) - np.log(total) - np.log(variance)
        out[:, k] = 0.5 * (logs - square - on.sum() * np.log(2.0 * np.pi))
    return out


def flat(board: Board, draws: int, rng: np.random.Generator) -> Floats:
    r"""Draw mean scores (draw, player) of a flat prior, whatever their covariance.

    .. math:: \mu = \bar y + c\,(Z D) / \sqrt{\chi^2_{r-1} / (r-1)}, \quad c^2 = 1 / r + \rho

    with D the centred scores over the root of r - 1. Of two players the difference is Student's law
    of the correlated t-test. Every round has all players.
    """
    y = board.scores
    rounds = len(y)
    centred = (y - y.mean(axis=0)) / np.sqrt(rounds - 1.0)
    wide = np.sqrt((1.0 / rounds + board.luck) * (rounds - 1.0) / rng.chisquare(rounds - 1, draws))
    return np.asarray(
        y.mean(axis=0) + wide[:, None] * (rng.standard_normal((draws, rounds)) @ centred)
    )


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _log_tau(t: float, prior_scale: float) -> float:
    return float(np.log(prior_scale) + 0.5 * np.log(t * t + FLOOR * FLOOR))


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _log_density(
    x: Floats, centring: Floats, log_scale: float, noise_centring: Floats, log_noise: float,
    along: Floats, tails: Floats, law: Floats, scores: Floats, present: Bools, means: Floats,
    stretch: Floats, luck: float, prior_scale: float, df: float, unit: float, centre: float,
    spread: float,
) -> tuple[float, Floats]:  # fmt: skip
    rows, m = scores.shape
    strengths = centring.size
    log_tau = _log_tau(x[0], prior_scale)
    tau, omega, eta = np.exp(log_tau), np.exp(x[1]), x[2]
    by_log_tau = 0.0
    gradient = np.zeros(x.size)
    # Priors of what all share, with the Jacobians of logarithms.
    value = -0.5 * x[0] ** 2
    value += x[1] - 0.5 * (omega / spread) ** 2
    gradient[1] = 1.0 - (omega / spread) ** 2
    far = (eta - centre) / (LEVEL * spread)
    value -= 0.5 * far**2
    gradient[2] = -far / (LEVEL * spread)
    off = (x[3] - np.log(unit)) / WIDE
    value -= 0.5 * off**2
    gradient[3] = -off / WIDE
    # Players: effects, noise, luck.
    at_own = 4 + strengths
    at_luck = at_own + m
    z, own, v = x[4:at_own], x[at_own:at_luck], x[at_luck:]
    z = z + along * (along * z).sum()
    b, b_slope, by_b = np.empty(m), np.empty(m), np.empty(m)
    s, theta = np.empty(m), np.empty(m)
    for i in range(m):
        if i < strengths:
            t, t_slope, log_slope, log_slope_slope = student(z[i], tails[i])
            power = np.exp((1.0 - centring[i]) * log_tau + centring[i] * log_scale)
            b[i], b_slope[i] = power * t, power * t_slope
            q = b[i] ** 2 / (df * tau**2)
            value += log_slope - centring[i] * log_tau - 0.5 * (df + 1.0) * np.log1p(q)
            by_log_tau += (df + 1.0) * q / (1.0 + q) - centring[i]
            by_b[i] = -(df + 1.0) * b[i] / (df * tau**2 + b[i] ** 2)
            gradient[4 + i] = log_slope_slope
        away = noise_centring[i] * (x[3] - log_noise)
        s[i] = np.exp(x[3] - away + OWN * own[i])
        far = own[i] - away / OWN
        value -= 0.5 * far**2
        gradient[at_own + i] = -far
        gradient[3] += far * noise_centring[i] / OWN
    if strengths < m:
        # Half a difference: its law beside Student's, and the other player's half.
        q = b[0] ** 2 / (df * tau**2)
        share = q / (1.0 + q)
        there, slope = 0.0, 0.0
        for j in range(law.shape[1]):
            part = law[1, j] * (1.0 - share * law[0, j]) ** (0.5 * (df - 3.0))
            there += part * (1.0 - share * law[0, j])
            slope -= part * law[0, j]
        by_share = 0.5 * (df - 1.0) * slope / there
        value += np.log(there)
        by_b[0] += 2.0 * by_share * b[0] / (df * tau**2 * (1.0 + q) ** 2)
        by_log_tau -= 2.0 * by_share * share / (1.0 + q)
        b[1] = -b[0]
    mean = b.mean()
    for i in range(m):
        theta[i] = b[i] - mean
        if v.size > 0:
            theta[i] += np.sqrt(luck) * s[i] * v[i]
            value -= 0.5 * v[i] ** 2
            gradient[at_luck + i] = -v[i]
    # Scores, with each round's effect integrated out.
    precision = s**-2.0
    log_precision, half_over = np.log(precision), 0.5 / precision
    by_theta, by_precision = np.zeros(m), np.zeros(m)
    for k in range(rows):
        narrow = 1.0 / stretch[k]
        total, first, second, one_over, logs = 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(m):
            if present[k, i]:
                d = scores[k, i] - means[k] * theta[i]
                own_precision = precision[i] * narrow
                total += own_precision
                first += own_precision * d
                second += own_precision * d * d
                logs += log_precision[i]
        if total == 0.0:
            continue
        at = first / total
        variance = omega**2 + 1.0 / total
        gap = at - means[k] * eta
        value += 0.5 * (logs - np.log(total) - second + first * at)
        value -= 0.5 * (np.log(variance) + gap**2 / variance)
        gradient[1] += (gap**2 / variance - 1.0) * omega**2 / variance
        gradient[2] += means[k] * gap / variance
        pull = gap / variance
        pull_over, half_total = pull / total, 0.5 / total * narrow
        one_over = 0.5 * (1.0 - gap**2 / variance) / (variance * total**2)
        for i in range(m):
            if present[k, i]:
                d = scores[k, i] - means[k] * theta[i] - at
                by_theta[i] += means[k] * precision[i] * narrow * (d + pull_over)
                by_precision[i] += half_over[i] - half_total - 0.5 * d * d * narrow
                by_precision[i] += (one_over - pull * d / total) * narrow
    mean_slope = by_theta.mean()
    for i in range(m):
        by_log_s = -2.0 * precision[i] * by_precision[i]
        if v.size > 0:
            by_log_s += by_theta[i] * np.sqrt(luck) * s[i] * v[i]
            gradient[at_luck + i] += by_theta[i] * np.sqrt(luck) * s[i]
        gradient[3] += by_log_s * (1.0 - noise_centring[i])
        gradient[at_own + i] += by_log_s * OWN
    for i in range(strengths):
        by_strength = by_b[i] + by_theta[i] - mean_slope
        if strengths < m:
            by_strength += mean_slope - by_theta[1]
        gradient[4 + i] += by_strength * b_slope[i]
        by_log_tau += by_strength * b[i] * (1.0 - centring[i])
    by_z = gradient[4:at_own]
    by_z += along * (along * by_z).sum()
    gradient[0] = by_log_tau * x[0] / (x[0] ** 2 + FLOOR**2) - x[0]
    return value, gradient
