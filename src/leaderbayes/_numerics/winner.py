r"""Inference on the best of many noisy scores, and on the winner, without a distribution.

Team j scores x_j, whose law given theta_j is known: z(x; theta), the normal score of x, is standard
normal. The winner w has the highest x. On a scale g of equal spread errors have correlations, so
that, given what of the others does not move with x_w, the winner won where x_w is above

.. math:: \ell = \max_k \frac{g(x_k) - r_k g(x_w)}{1 - r_k}, \quad
          r_k = \mathrm{cov}(g_k, g_w) / \mathrm{var}(g_w) < 1

and below a like bound u of those with r_k > 1: given that, x_w has its own law, truncated.

References
----------
Andrews, Kitagawa, McCloskey (2024), Inference on winners, Quarterly Journal of Economics 139(1),
305-358, https://doi.org/10.1093/qje/qjad043. For the bound of the best, the two steps are those of
Romano, Shaikh, Wolf (2014), A practical two-step method for testing moment inequalities,
Econometrica 82(5), 1979-2002.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import betainc, betaln, log_ndtr, ndtr, ndtri, ndtri_exp
from scipy.stats import truncnorm

from leaderbayes._types import Floats

_FAR = 35.0  # standard deviations, beyond which probabilities are 0 to the computer
_NODES = 16  # of the integral of a tail so far out, whose integrand is all but exponential
_LEAST = 1e-300  # theta, in place of 0, of which no log is taken
_SURE = 12.0  # standard deviations, above which no normal score is
_WIDEST = 1e4  # standard deviations within which the bounds of a truncated normal are looked for
_FACTOR = np.linspace(-8.0, 8.0, 321)  # of one factor: products over many teams are steep in it
_STEPS = 40  # where the bound of the best is looked for, of teams with errors of their own


@dataclass(frozen=True)
class Shares:
    """Counts of right answers among n: binomial, made continuous by the beta function."""

    n: int

    def z(self, x: ArrayLike, theta: ArrayLike, team: ArrayLike) -> Floats:
        """Return the normal score of x; where the tail is no number, by its logarithm."""
        x, theta = np.broadcast_arrays(np.asarray(x, float), np.asarray(theta, float))
        inside = np.clip(x, 1e-9, self.n + 1.0 - 1e-9)
        above = betainc(inside, self.n + 1.0 - inside, theta)
        below = betainc(self.n + 1.0 - inside, inside, 1.0 - theta)
        with np.errstate(divide="ignore"):
            score = np.where(above < below, -ndtri_exp(np.log(above)), ndtri_exp(np.log(below)))
        far = ~(np.abs(score) < _FAR)
        if far.any():
            over = (above < below)[far]
            a = np.where(over, inside[far], self.n + 1.0 - inside[far])
            rare = np.asarray(theta, float)[far]
            tail = _log_far(a, self.n + 1.0 - a, np.where(over, rare, 1.0 - rare))
            score[far] = np.where(over, -1.0, 1.0) * ndtri_exp(tail)
        return np.where(x <= 0.0, -np.inf, np.where(x >= self.n + 1.0, np.inf, score))

    def even(self, x: ArrayLike) -> Floats:
        """Arcsine of the root: sd 1 / (2 sqrt(n)) whatever theta is."""
        share = (np.asarray(x, float) - 0.5) / self.n
        return np.asarray(np.arcsin(np.sqrt(np.clip(share, 0.0, 1.0))))

    def back(self, g: ArrayLike) -> Floats:
        """Turn it back; what is below 0 or above 1 is the end."""
        g = np.asarray(g, float)
        x = self.n * np.sin(np.clip(g, 0.0, np.pi / 2.0)) ** 2 + 0.5
        return np.where(g <= 0.0, 0.0, np.where(g >= np.pi / 2.0, self.n + 1.0, x))

    def bounds(self, x: float, team: int) -> tuple[float, float]:
        """All shares."""
        return 0.0, 1.0


@dataclass(frozen=True)
class Normals:
    """Estimates with standard errors (team,)."""

    se: Floats

    def z(self, x: ArrayLike, theta: ArrayLike, team: ArrayLike) -> Floats:
        """Return the normal score of x."""
        gap = np.asarray(x, float) - np.asarray(theta, float)
        return np.asarray(gap / self.se[np.asarray(team, int)])

    def even(self, x: ArrayLike) -> Floats:
        """As they are."""
        return np.asarray(x, float)

    def back(self, g: ArrayLike) -> Floats:
        """As they are."""
        return np.asarray(g, float)

    def bounds(self, x: float, team: int) -> tuple[float, float]:
        """As far as is looked."""
        return x - _WIDEST * float(self.se[team]), x + _WIDEST * float(self.se[team])


Scale = Shares | Normals


@dataclass(frozen=True)
class OneFactor:
    """Normal scores that load on one factor: two correlate by the product."""

    loading: float
    se: Floats  # (team,), on the even scale; of the ratios only

    def within(self, c: float) -> float:
        """By quadrature over the factor."""
        own, shift = self._own, self.loading * self._factor
        share = ndtr((c - shift) / own) - ndtr((-c - shift) / own)
        return self._mean(np.exp(len(self.se) * np.log(np.maximum(share, 1e-300))))

    def below(self, z: Floats) -> float:
        """By quadrature over the factor; of equal z once."""
        values, counts = np.unique(z[z < _SURE], return_counts=True)
        gaps = (values[:, None] - self.loading * self._factor) / self._own
        return self._mean(np.exp(counts @ log_ndtr(gaps)))

    def ratio(self, winner: int) -> Floats:
        """Return covariances with the winner over its variance, (team,)."""
        ratio = self.loading**2 * self.se / self.se[winner]
        return np.asarray(np.where(np.arange(len(self.se)) == winner, 1.0, ratio))

    @property
    def _factor(self) -> Floats:
        return _FACTOR if self.loading > 0.0 else np.zeros(1)

    def _mean(self, values: Floats) -> float:
        weights = np.exp(-0.5 * self._factor**2)
        return float(weights @ values / weights.sum())

    @property
    def _own(self) -> float:
        return float(np.sqrt(max(1.0 - self.loading**2, 1e-6)))


@dataclass(frozen=True)
class Drawn:
    """Normal scores of any covariance (team, team), by draws."""

    covariance: Floats
    count: int = 20_000

    @cached_property
    def _draws(self) -> Floats:
        """Draws (draw, team), of variance 1."""
        sd = np.sqrt(np.diag(self.covariance))
        value, vector = np.linalg.eigh(self.covariance / np.outer(sd, sd))
        kept = value > 1e-10 * value.max()
        root = (vector[:, kept] * np.sqrt(value[kept])).astype(np.float32)
        rng = np.random.default_rng(0)  # quantiles of one law: the same for the same covariance
        count = max(min(self.count, int(4e7 / len(sd))), 2000)
        drawn = rng.standard_normal((count, root.shape[1]), dtype=np.float32)
        return np.asarray(drawn @ root.T)

    @cached_property
    def _largest(self) -> Floats:
        return np.abs(self._draws).max(axis=1)

    def within(self, c: float) -> float:
        """By counting; and, where that is more, as of independent teams (Sidak's bound)."""
        alone = (1.0 - 2.0 * ndtr(-c)) ** len(self.covariance)
        return max(float((self._largest <= c).mean()), float(alone))

    def below(self, z: Floats) -> float:
        """By counting."""
        return float((self._draws <= z).all(axis=1).mean())

    def ratio(self, winner: int) -> Floats:
        """Return covariances with the winner over its variance, (team,)."""
        return np.asarray(self.covariance[winner] / self.covariance[winner, winner])


Luck = OneFactor | Drawn


class Cells(NamedTuple):
    """Scores as they are printed: (team,) each."""

    low: Floats
    middle: Floats
    high: Floats


class Bounds(NamedTuple):
    """A median-unbiased estimate and an interval; or, of the best, the interval alone."""

    middle: float
    lower: float
    upper: float


def truncation(x: Cells, scale: Scale, luck: Luck, winner: int) -> tuple[float, float, float]:
    """Find the scores between which the winner's must lie to win; ties are decided by lot."""
    ratio = luck.ratio(winner)
    rivals = np.arange(len(ratio)) != winner
    _, cell, counts = np.unique(x.middle[rivals], return_inverse=True, return_counts=True)
    part = np.zeros(len(ratio))
    part[rivals] = 1.0 / (counts[cell] + 1.0)
    # Of a tie the highest part is left, and the winner is in its middle.
    tied = rivals & (x.middle == x.middle[winner])
    part[winner] = np.max(part[tied], initial=0.0) or 1.0
    width = x.high - x.low
    place = float(x.high[winner] - 0.5 * part[winner] * width[winner])
    own = float(scale.even(place))
    edge = np.minimum(x.high - part * width, place)
    gap = scale.even(edge) - own
    less, more = rivals & (ratio < 1.0 - 1e-9), rivals & (ratio > 1.0 + 1e-9)
    low = np.max(gap[less] / (1.0 - ratio[less]), initial=-np.inf)
    high = np.min(gap[more] / (1.0 - ratio[more]), initial=np.inf)
    return float(scale.back(own + low)), place, float(scale.back(own + high))


def truncated_cdf(z: float, low: float, high: float) -> float:
    """P(Z <= z) of a standard normal between low and high, far in its tails too."""
    if not low < high:
        return 0.5
    with np.errstate(all="ignore"):
        chance = float(truncnorm.cdf(min(max(z, low), high), low, high))
    return 0.5 if np.isnan(chance) else chance


def won(x: Cells, scale: Scale, luck: Luck, winner: int, prob: float, share: float = 0.1) -> Bounds:
    """Bound the winner's theta given that it won and lies in the simultaneous interval."""
    beta, middle = share * (1.0 - prob), float(x.middle[winner])
    between, ends = truncation(x, scale, luck, winner), scale.bounds(middle, winner)
    c = two_sided(luck, 1.0 - beta) if share else np.inf
    if share:
        whole = simultaneous(x, scale, luck, winner, 1.0 - beta)
        ends = whole.lower, whole.upper
    tail = 0.5 * (1.0 - prob - beta) / (1.0 - beta)

    def at(level: float) -> float:
        return _root(lambda theta: beyond(scale, winner, between, theta, c) - level, ends)

    return Bounds(at(0.5), at(1.0 - tail), at(tail))


def beyond(
    scale: Scale, winner: int, between: tuple[float, float, float], theta: float, c: float = np.inf
) -> float:
    """P(winner's score <= what it is), between these scores and within c normal scores."""
    low, z, high = scale.z(np.array(between), np.array(theta), np.full(3, winner)).tolist()
    return truncated_cdf(z, max(low, -c), min(high, c))


def simultaneous(x: Cells, scale: Scale, luck: Luck, winner: int, prob: float) -> Bounds:
    """Interval that holds all teams' thetas, whoever wins: the winner's."""
    c, middle = two_sided(luck, prob), float(x.middle[winner])
    ends = scale.bounds(middle, winner)

    def z(theta: float) -> float:
        return float(scale.z(x.middle[winner], theta, winner))

    return Bounds(middle, _root(lambda t: z(t) - c, ends), _root(lambda t: z(t) + c, ends))


def best(
    x: Cells, scale: Scale, luck: Luck, prob: float, share: float = 0.1
) -> tuple[float, float]:
    r"""Interval for max theta, whatever the thetas are; exact for independent binomials.

    Above: the best team, whichever it is, scored no more than the winner, and has had bad luck with
    probability 1 - prob over 2, once. Below: first upper bounds u_j that hold for all teams, with a
    ``share`` of the error; then the highest t at which the highest of teams with
    :math:`\theta_j = \min(t, u_j)` is as high as was seen with no more than what is left of it.
    """
    tail, teams = (1.0 - prob) / 2.0, np.arange(len(x.low))
    upper = float(np.max(_theta_at(x.high, -float(ndtri(1.0 - tail)), scale, x)))
    c = _constant(lambda c: luck.below(np.full(len(teams), c)), 1.0 - share * tail)
    reach = _theta_at(x.high, -c, scale, x)
    left = (1.0 - share) * tail

    def p(t: float) -> float:
        theta = np.minimum(t, reach)
        if isinstance(scale, Normals):  # the largest excess over t in standard errors
            height = np.max((x.low - t) / scale.se)
            threshold = t + height * scale.se
        else:
            threshold = np.full(len(teams), x.low.max())
        return 1.0 - luck.below(scale.z(threshold, theta, teams))

    lowest = float(np.max(_theta_at(x.low, float(ndtri(1.0 - left / len(teams))), scale, x)))
    highest = float(np.max(x.middle if isinstance(scale, Normals) else x.high / (scale.n + 1.0)))
    if isinstance(scale, Normals) and np.ptp(scale.se) > 0.0:
        # With errors of their own p may fall again: the lowest t that is not refused.
        grid = np.linspace(lowest, highest, _STEPS)
        first = next((k for k, t in enumerate(grid) if p(float(t)) > left), len(grid) - 1)
        if first == 0:
            return lowest, upper
        lowest, highest = float(grid[first - 1]), float(grid[first])
    return _root(lambda t: left - p(t), (lowest, highest)), upper


def two_sided(luck: Luck, prob: float) -> float:
    """Return the normal score beyond which no team's is, with this probability."""
    return _constant(luck.within, prob)


def _constant(below: Callable[[float], float], prob: float) -> float:
    return _root(lambda c: prob - below(c), (0.0, 12.0))


def _theta_at(edge: Floats, z: float, scale: Scale, x: Cells) -> Floats:
    """Thetas (team,) of which the score has this normal score."""
    if isinstance(scale, Normals):
        return edge - z * scale.se
    values, where = np.unique(edge, return_inverse=True)
    low, high = np.zeros(len(values)), np.ones(len(values))
    for _ in range(50):
        middle = 0.5 * (low + high)
        above = scale.z(values, middle, np.zeros(1)) > z
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.asarray((0.5 * (low + high))[where])


def _log_far(a: Floats, b: Floats, theta: Floats) -> Floats:
    """Log of the regularised beta function far below a / (a + b), by Gauss and Laguerre's nodes."""
    v, weight = np.polynomial.laguerre.laggauss(_NODES)
    t = np.maximum(theta, _LEAST)
    odds = t / (1.0 - t)
    rate = a - (b - 1.0) * odds
    s = v / rate[:, None]
    rest = np.log1p(-odds[:, None] * np.expm1(-s))
    bent = np.exp(v - a[:, None] * s + (b - 1.0)[:, None] * rest) @ weight
    return a * np.log(t) + (b - 1.0) * np.log1p(-t) - betaln(a, b) + np.log(bent / rate)


def _root(excess: Callable[[float], float], ends: tuple[float, float]) -> float:
    """Where a falling function crosses 0, or the end next to it."""
    low, high = ends
    if excess(low) <= 0.0:
        return low
    if excess(high) >= 0.0:
        return high
    return float(brentq(excess, low, high, xtol=1e-12 * max(1.0, abs(high)), rtol=1e-12))
