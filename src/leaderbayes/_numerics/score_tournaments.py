r"""Log-density of mean scores over several data sets and its gradient, for NUTS.

.. math:: y_{qki} = \eta_q + \mu_i + \sigma \sqrt{w_q} z_{qi} + \sqrt{\rho}\, s_{qi} v_{qi}
          + a_{qk} + s_{qi} e_{qki}, \quad \mu = b - \bar b, \quad b_i \sim t_d(0, \tau), \quad
          w_q \sim \mathrm{InvGamma}(\nu / 2, \nu / 2), \\
          \eta_q \sim N(\eta, \lambda^2 + \rho\, \omega_q^2), \quad a_{qk} \sim N(0, \omega_q^2),
          \quad \log s_{qi} = \log s_q + w x_{qi}

is ``models.score_tournaments``, in units in which scores are centred and have the standard
deviation 1 within rounds. Of a data set all of whose players have all its rounds, the mean scores
and the scatter of rounds around them are sufficient, independent of each other, and normal and
Wishart's: z, v, the levels and the rounds' effects are integrated out. The rest is sampled in
coordinates in which it is nearly normal: b as in `mean_score`, and w by

.. math:: \log w_q = y_q \sqrt{2 / \nu},

nearly standard normal y if nu is large.
"""

import math
from typing import NamedTuple

import numba
import numpy as np

from leaderbayes._numerics.few_players import FEW, log_prior
from leaderbayes._numerics.few_players import nodes as nodes_for
from leaderbayes._numerics.mean_score import FLOOR, LEVEL, OWN, WIDE, Board, moments
from leaderbayes._numerics.student import student
from leaderbayes._types import Bools, Floats, Longs

HEAVY = 40.0  # mean of the exponential prior of nu - 1
_COMMON = 4  # coordinates that all share: log sigma, log (nu - 1), eta, log lambda


class Boards(NamedTuple):
    """What the posterior depends on: scores of data sets without holes, and the prior."""

    mean: Floats  # (tournament, player), over rounds; 0 where a player is absent
    present: Bools  # (tournament, player)
    root: Floats  # (tournament, row, player), R: R'R is the scatter of rounds around their mean
    rounds: Floats  # (tournament,)
    luck: float  # rho: of the shared luck's variance over that of a round's
    prior_scale: float  # of tau's prior
    df: float  # d: degrees of freedom of the players' law
    spread_scale: float  # of sigma's prior
    spread: float  # of all scores


class Coordinates(NamedTuple):
    """Where the posterior is sampled."""

    centring: Floats  # (player,), of b
    log_scale: float  # of tau_0
    start: Floats  # near the highest density; first those of players
    plane: Floats | None  # (player, player - 1): of few, effects of their coordinates
    nodes: tuple[Floats, Floats] | None  # over which their mean is integrated out


def boards(
    scores: Floats,
    luck: float,
    prior_scale: float,
    df: float,
    spread_scale: float,
) -> Boards:
    """Give scores (tournament, player, round), centred and in their unit, as what is sufficient.

    A player has all rounds that anybody has of a data set, or none; else NaN.
    """
    there = np.isfinite(scores)
    rounds = there.any(axis=1).sum(axis=1)
    present = there.any(axis=2)
    mean = np.where(present, np.nansum(scores, axis=2) / rounds[:, None], 0.0)
    left = np.where(there, scores - mean[:, :, None], 0.0).transpose(0, 2, 1)
    rows = min(int(rounds.max()), scores.shape[1])
    root = np.zeros((len(scores), rows, scores.shape[1]))
    for q, own in enumerate(left):
        short = np.linalg.qr(own, mode="r")[:rows]
        root[q, : len(short)] = short
    spread = max(float(scores[there].std()), 1.0)
    return Boards(
        mean, present, root, rounds.astype(float), luck, prior_scale, df, spread_scale, spread
    )


def coordinates(given: Boards) -> Coordinates:
    """Choose coordinates by moments, as `mean_score` does."""
    on = given.present.astype(float)
    board = Board(
        given.mean, given.present, given.luck, given.prior_scale, given.df, 1.0, 0.0, given.spread
    )
    effect, apart = moments(board)
    noise, omega = _scatter(given)
    kappa = 1.0 / given.rounds + given.luck
    error = float((noise**2 * kappa).mean())
    spread = np.sqrt(max(float((apart**2).mean()) - error, 0.1 * float((apart**2).mean()), 1e-4))
    between = max(float(effect.var(ddof=1)), 1e-12)
    of_each = (spread**2 + error) / on.sum(axis=0)
    tau = np.sqrt(max(between - float(of_each.mean()), 0.05 * between))
    centring = np.clip(1.0 - of_each / between, 0.0, 1.0) ** 2
    ratio = tau / given.prior_scale
    raw = np.sqrt(max(ratio**2 - FLOOR**2, FLOOR**2))
    m = len(effect)
    plane, nodes = None, None
    if m <= FEW:
        unit = math.sqrt(float(of_each.mean()))
        plane, nodes = unit * _sums_to_zero(m), nodes_for(m, given.df)
        players = effect @ plane / unit**2
    else:
        t = effect / tau
        players = np.sign(t) * np.sqrt((given.df + 1.0) * np.log1p(t**2 / given.df))
    levels = (on * (given.mean - effect)).sum(axis=1) / on.sum(axis=1)
    common = [
        np.log(spread),
        np.log(10.0),
        float(levels.mean()),
        np.log(max(float(levels.std()), 0.1)),
    ]
    each = np.concatenate([np.log(noise), np.log(omega), np.zeros(len(noise))])
    start = np.concatenate([[raw], players, common, each, np.zeros(given.present.size)])
    return Coordinates(centring, float(np.log(tau)), start, plane, nodes)


def _sums_to_zero(m: int) -> Floats:
    """Give an orthonormal basis (player, player - 1) of numbers that sum to 0 (Helmert)."""
    basis = np.tril(np.ones((m, m)), -1)[:, : m - 1] * 0.0
    for k in range(m - 1):
        basis[: k + 1, k], basis[k + 1, k] = 1.0, -(k + 1.0)
        basis[:, k] /= math.sqrt((k + 1.0) * (k + 2.0))
    return basis


def _scatter(given: Boards) -> tuple[Floats, Floats]:
    """Estimate the noise and the scale of rounds' effects of each data set (tournament,)."""
    size = given.present.sum(axis=1)
    total = (given.root**2).sum(axis=(1, 2))
    common = (given.root.sum(axis=2) ** 2).sum(axis=1)
    freedom = given.rounds - 1.0
    variance = (total - common / size) / (freedom * (size - 1.0))
    # A data set on which rounds agree has noise, too.
    variance = np.maximum(variance, 1e-3 * variance.mean() + 1e-8)
    shared = np.maximum(common / (size**2 * freedom) - variance / size, 0.05 * variance)
    return np.sqrt(variance), np.sqrt(shared)


def log_density(x: Floats, given: Boards, at: Coordinates) -> tuple[float, Floats]:
    """Give the log-density of coordinates x, up to a constant, and its gradient."""
    if at.plane is None or at.nodes is None:
        value, gradient = _of_strengths(x, *at[:2], *given)
        return value, gradient
    m = len(at.plane)
    t, effect = x[0], at.plane @ x[1:m]
    tau = given.prior_scale * math.hypot(t, FLOOR)
    prior, by_prior, by_log_tau = log_prior(effect, tau, given.df, *at.nodes)
    value, gradient, by_effect = _given_effects(x[m:], effect, *given)
    by_t = by_log_tau * t / (t**2 + FLOOR**2) - t
    own = np.append(by_t, (by_prior + by_effect) @ at.plane)
    return value + prior - 0.5 * t**2, np.append(own, gradient)


def parameters(x: Floats, given: Boards, at: Coordinates) -> dict[str, Floats]:
    """Give what coordinates x stand for, as the model names it."""
    q, m = given.present.shape
    log_tau = math.log(given.prior_scale) + 0.5 * math.log(x[0] ** 2 + FLOOR**2)
    first = m if at.plane is not None else 1 + m
    if at.plane is not None:
        effect = at.plane @ x[1:first]
    else:
        power = (1.0 - at.centring) * log_tau + at.centring * at.log_scale
        b = np.exp(power) * np.array([student(each, given.df)[0] for each in x[1:first]])
        effect = b - b.mean()
    log_sigma, log_more, eta, log_lambda = x[first : first + _COMMON]
    nu = 1.0 + np.exp(log_more)
    log_noise, log_omega, y, own = np.split(x[first + _COMMON :], np.cumsum([q, q, q]))
    return {
        "effect": effect,
        "score_scale_raw": np.abs(x[0]),
        "score_scale": np.exp(log_tau),
        "score_spread": np.exp(log_sigma),
        "spread_df": nu,
        "level": eta,
        "level_scale": np.exp(log_lambda),
        "noise_centre": np.exp(log_noise),
        "noise": np.exp(log_noise[:, None] + OWN * own.reshape(q, m)),
        "round_scale": np.exp(log_omega),
        "spread_factor": np.exp(y * np.sqrt(0.5 / nu)),
    }


def draw_means(
    drawn: dict[str, Floats], given: Boards, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    r"""Draw what was integrated out, given the rest.

    Draws of the prior and of the noise are moved by what they miss of the mean scores seen
    (Matheron's rule): exact, as all is normal.

    Parameters
    ----------
    drawn : dict
        As `parameters` gives it, with ``draw`` as the first dimension.

    Returns
    -------
    mean, here : (draw, tournament, player)
        Mean scores in each data set: those on fresh data, and, with the luck that its rounds
        share, those that its rounds are drawn around. For an absent player, what it would have.
    """
    draws = len(drawn["level"])
    shape = (draws, *given.present.shape)
    noise, omega = drawn["noise"], drawn["round_scale"]
    spread = (drawn["score_spread"][:, None] * drawn["spread_factor"])[:, :, None]
    level = drawn["level_scale"][:, None, None]

    def normal(own: Floats, shared: Floats) -> Floats:
        z, common = rng.standard_normal(shape), rng.standard_normal((*shape[:2], 1))
        return np.asarray(own * z + shared * common)

    few = np.sqrt(1.0 / given.rounds)[:, None]
    mean = (drawn["effect"] + drawn["level"][:, None])[:, None, :] + normal(spread, level)
    root = math.sqrt(given.luck)
    here = mean + normal(root * noise, root * omega[:, :, None])
    seen = here + normal(few * noise, few * omega[:, :, None])
    # The inverse of a diagonal and of one for all, of those present.
    kappa = (1.0 / given.rounds + given.luck)[:, None]
    own = spread**2 + kappa * noise**2
    precision = given.present / own
    total = precision.sum(axis=2, keepdims=True)
    shared = level**2 + kappa * omega[:, :, None] ** 2
    gap = precision * (given.mean - seen)
    moved = gap - precision * gap.sum(axis=2, keepdims=True) * shared / (1.0 + shared * total)
    together = moved.sum(axis=2, keepdims=True)
    by_spread = spread**2 * moved + level**2 * together
    by_luck = given.luck * (noise**2 * moved + omega[:, :, None] ** 2 * together)
    return mean + by_spread, here + by_spread + by_luck


def round_log_likelihood(
    here: Floats, noise: Floats, omega: Floats, scores: Floats, tournament: Longs
) -> Floats:
    """Give the log-density of each round's scores (draw, row), its effect integrated out.

    Parameters
    ----------
    here, noise : (draw, tournament, player)
    omega : (draw, tournament)
    scores : (row, player)
        NaN where there is none.
    tournament : (row,)
    """
    out = np.zeros((len(here), len(scores)))
    for k, (y, q) in enumerate(zip(scores, tournament, strict=True)):
        on = np.isfinite(y)
        precision = noise[:, q, on] ** -2.0
        d = y[on] - here[:, q, on]
        total = precision.sum(axis=1)
        at = (precision * d).sum(axis=1) / total
        variance = omega[:, q] ** 2 + 1.0 / total
        square = (precision * (d - at[:, None]) ** 2).sum(axis=1) + at**2 / variance
        logs = np.log(precision).sum(axis=1) - np.log(total) - np.log(variance)
        out[:, k] = 0.5 * (logs - square - on.sum() * math.log(2.0 * math.pi))
    return out


@numba.njit(cache=True, error_model="numpy", nogil=True)
def digamma(x: float) -> float:
    """Give the derivative of log Gamma, x > 0."""
    out = 0.0
    while x < 10.0:
        out -= 1.0 / x
        x += 1.0
    s = 1.0 / (x * x)
    series = s * (1.0 / 12.0 - s * (1.0 / 120.0 - s * (1.0 / 252.0 - s / 240.0)))
    return float(out + math.log(x) - 0.5 / x - series)


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _given_effects(
    x: Floats, effect: Floats,
    mean: Floats, present: Bools, root: Floats, rounds: Floats, luck: float, prior_scale: float,
    df: float, spread_scale: float, spread: float,
) -> tuple[float, Floats, Floats]:  # fmt: skip
    """Give the log-density of x but for the prior of effects, and its gradients by x and these."""
    q, m = mean.shape
    sigma, more, eta, lam = math.exp(x[0]), math.exp(x[1]), x[2], math.exp(x[3])
    h = 0.5 * (1.0 + more)
    gradient = np.zeros(x.size)
    # Priors of what all share, with the Jacobians of logarithms.
    value = x[0] - 0.5 * (sigma / spread_scale) ** 2
    gradient[0] = 1.0 - (sigma / spread_scale) ** 2
    value += x[1] - more / HEAVY
    gradient[1] = 1.0 - more / HEAVY
    far = eta / (LEVEL * spread)
    value -= 0.5 * far**2
    gradient[2] = -far / (LEVEL * spread)
    value += x[3] - 0.5 * (lam / spread) ** 2
    gradient[3] = 1.0 - (lam / spread) ** 2
    # Data sets.
    first = _COMMON
    last = first + 3 * q
    by_h = 0.0
    u, p, e, by_u = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
    by_effect = np.zeros(m)
    rows = root.shape[1]
    f = np.empty(rows)
    normal = q * (h * math.log(h) - math.lgamma(h) - 0.5 * math.log(h))
    value += normal
    by_h += q * (math.log(h) + 1.0 - digamma(h) - 0.5 / h)
    for j in range(q):
        at_s, at_omega, at_y = first + j, first + q + j, first + 2 * q + j
        off = x[at_s] / WIDE
        value -= 0.5 * off**2
        gradient[at_s] = -off / WIDE
        omega2 = math.exp(2.0 * x[at_omega])
        value += x[at_omega] - 0.5 * omega2 / spread**2
        gradient[at_omega] = 1.0 - omega2 / spread**2
        log_w = x[at_y] / math.sqrt(h)
        inverse = math.exp(-log_w)
        value -= h * (log_w + inverse)
        by_log_w = -h * (1.0 - inverse)
        by_h -= log_w + inverse
        kappa = 1.0 / rounds[j] + luck
        of_spread = sigma**2 / inverse
        c = lam**2 + omega2 * kappa
        precision, total = 0.0, 0.0
        free = rounds[j] - 1.0
        for i in range(m):
            own = x[last + j * m + i]
            value -= 0.5 * own**2
            gradient[last + j * m + i] = -own
            if present[j, i]:
                d = math.exp(2.0 * (x[at_s] + OWN * own))
                u[i], p[i] = 1.0 / d, 1.0 / (of_spread + kappa * d)
                e[i] = mean[j, i] - eta - effect[i]
                precision += u[i]
                total += p[i]
            else:
                u[i], p[i], e[i] = 0.0, 0.0, 0.0
        # Rounds around their mean.
        g = omega2 / (1.0 + omega2 * precision)
        value -= 0.5 * free * math.log1p(omega2 * precision)
        squares = 0.0
        by_u[:] = 0.0
        for k in range(rows):
            f[k] = 0.0
            for i in range(m):
                f[k] += root[j, k, i] * u[i]
            squares += f[k] ** 2
        for k in range(rows):
            for i in range(m):
                r = root[j, k, i]
                value -= 0.5 * r * r * u[i]
                by_u[i] -= 0.5 * r * r - g * f[k] * r
        value += 0.5 * g * squares
        by_omega2 = -0.5 * free * precision / (1.0 + omega2 * precision)
        by_omega2 += 0.5 * squares / (1.0 + omega2 * precision) ** 2
        # Their means.
        gain = c / (1.0 + c * total)
        value -= 0.5 * math.log1p(c * total)
        cross = 0.0
        for i in range(m):
            cross += e[i] * p[i]
            value -= 0.5 * e[i] ** 2 * p[i]
        value += 0.5 * gain * cross**2
        by_c = -0.5 * total / (1.0 + c * total) + 0.5 * (cross / (1.0 + c * total)) ** 2
        by_spread2 = 0.0
        for i in range(m):
            if not present[j, i]:
                continue
            value += 0.5 * free * math.log(u[i]) + 0.5 * math.log(p[i])
            by_u[i] += 0.5 * free * (1.0 / u[i] - g) - 0.5 * g * g * squares
            left = e[i] - gain * cross
            by_v = -0.5 * (p[i] - gain * p[i] ** 2) + 0.5 * (left * p[i]) ** 2
            by_spread2 += by_v
            by_effect[i] += p[i] * left
            gradient[2] += p[i] * left
            by_log_s = 2.0 / u[i] * (kappa * by_v - u[i] ** 2 * by_u[i])
            gradient[at_s] += by_log_s
            gradient[last + j * m + i] += by_log_s * OWN
        by_omega2 += by_c * kappa
        gradient[at_omega] += 2.0 * omega2 * by_omega2
        gradient[3] += 2.0 * lam**2 * by_c
        gradient[0] += 2.0 * of_spread * by_spread2
        by_log_w += of_spread * by_spread2
        gradient[at_y] = by_log_w / math.sqrt(h)
        by_h -= 0.5 * log_w / h * by_log_w
    gradient[1] += by_h * 0.5 * more
    return value, gradient, by_effect


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _of_strengths(
    x: Floats, centring: Floats, log_scale: float,
    mean: Floats, present: Bools, root: Floats, rounds: Floats, luck: float, prior_scale: float,
    df: float, spread_scale: float, spread: float,
) -> tuple[float, Floats]:  # fmt: skip
    """Give the log-density of x, whose first coordinates are of tau and b, and its gradient."""
    m = mean.shape[1]
    log_tau = math.log(prior_scale) + 0.5 * math.log(x[0] * x[0] + FLOOR * FLOOR)
    tau = math.exp(log_tau)
    value = -0.5 * x[0] ** 2
    by_log_tau = 0.0
    gradient = np.zeros(x.size)
    b, b_slope, by_b = np.empty(m), np.empty(m), np.empty(m)
    for i in range(m):
        t, t_slope, log_slope, log_slope_slope = student(x[1 + i], df)
        power = math.exp((1.0 - centring[i]) * log_tau + centring[i] * log_scale)
        b[i], b_slope[i] = power * t, power * t_slope
        ratio = b[i] ** 2 / (df * tau**2)
        value += log_slope - centring[i] * log_tau - 0.5 * (df + 1.0) * math.log1p(ratio)
        by_log_tau += (df + 1.0) * ratio / (1.0 + ratio) - centring[i]
        by_b[i] = -(df + 1.0) * b[i] / (df * tau**2 + b[i] ** 2)
        gradient[1 + i] = log_slope_slope
    more, gradient[1 + m :], by_effect = _given_effects(
        x[1 + m :], b - b.mean(), mean, present, root, rounds, luck, prior_scale, df,
        spread_scale, spread,
    )  # fmt: skip
    slope = by_effect.mean()
    for i in range(m):
        by_strength = by_b[i] + by_effect[i] - slope
        gradient[1 + i] += by_strength * b_slope[i]
        by_log_tau += by_strength * b[i] * (1.0 - centring[i])
    gradient[0] = by_log_tau * x[0] / (x[0] ** 2 + FLOOR**2) - x[0]
    return value + more, gradient
