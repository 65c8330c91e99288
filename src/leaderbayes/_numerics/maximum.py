r"""Distribution of the highest of m counts of right answers on n instances.

Classifier j is right on an instance with probability :math:`\theta_j`. Boland's dependence: a
reference Y_0 is right with :math:`\theta_0`; given it, classifiers are independent, and right with
(equations 6 and 7)

.. math:: p_{1j} = \theta_j + \rho \sqrt{\theta_j (1 - \theta_j) (1 - \theta_0) / \theta_0}, \quad
          p_{0j} = \theta_j - \rho \sqrt{\theta_j (1 - \theta_j) \theta_0 / (1 - \theta_0)}.

Given the number s of instances on which the reference is right, X_j is the sum of a
Binomial(s, p_1j) and a Binomial(n - s, p_0j), independent over j, so that

.. math:: F(x) = \sum_s P(s) \prod_j G_j(x \mid s).

References
----------
Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark performance,
sections 3 and 4.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import chebpts1, chebvander
from scipy.optimize import brentq
from scipy.special import bdtr, gammaln, ndtr, ndtri, xlog1py, xlogy

from leaderbayes._types import Floats, Longs

_REACH = 9.0  # standard deviations beyond which a count has no mass
_NODES = 64  # in theta, for boards of more distinct values than that
_STEPS = 4  # values of s a standard deviation
_NORMAL = np.linspace(-9.0, 9.0, 801)  # difficulties of instances
_CHANCE = np.exp(-0.5 * _NORMAL**2) / np.exp(-0.5 * _NORMAL**2).sum()
_STEEPEST = 0.999  # loading; above it P(right) would jump between two difficulties
_LEAST = 1e-14  # where the best classifier's G is below it, F is too


class Tabled(NamedTuple):
    """F of the best score at low / steps, (low + 1) / steps, and so on."""

    steps: float
    low: int
    cdf: Floats

    @property
    def pmf(self) -> Floats:
        """Probability of each step."""
        step = np.diff(self.cdf, prepend=0.0)
        return np.asarray(step / step.sum())

    @property
    def x(self) -> Floats:
        """Scores at which F is tabled."""
        return np.asarray((self.low + np.arange(len(self.cdf))) / self.steps)

    @property
    def mean(self) -> float:
        """The expected best score."""
        return float(self.pmf @ self.x)

    @property
    def sd(self) -> float:
        """Standard deviation of the best score."""
        return math.sqrt(max(float(self.pmf @ (self.x - self.mean) ** 2), 0.0))

    def quantile(self, probability: Floats) -> Floats:
        """Lowest scores with F at least each probability."""
        at = np.searchsorted(self.cdf, probability - 1e-12)
        return np.asarray((self.low + at) / self.steps)


class Mixture(NamedTuple):
    """Thetas and weights: log F(x | s) = power log(sum_k share_k G_k), or sum_k count_k log G_k."""

    theta: Floats  # (node,)
    weight: Floats  # (node,): counts that sum to the number of classifiers, or shares
    power: float  # 0 for counts; else the number of draws from P(theta)


def of_board(theta: Floats, sd: float, power: float = 0.0) -> Mixture:
    """Classifiers of known thetas (classifier,), or so many draws from these with replacement.

    sd is that of the best one's score. More distinct values than _NODES are replaced by Chebyshev
    nodes: log G is smooth in theta, and G is, so that its sum over classifiers is a weighted sum
    over nodes. Classifiers too weak ever to be the highest are left out; among draws they count
    as if they were just that weak.
    """
    total = len(theta) if power else 1
    values, counts = np.unique(theta, return_counts=True)
    weakest = _least_best(Mixture(values, counts / total, power)) - 2.0 * _REACH * sd
    theta = np.maximum(theta, weakest) if power else theta[theta >= weakest]
    values, counts = np.unique(theta, return_counts=True)
    nodes = int(_NODES * max(1.0, (values[-1] - values[0]) / (2.0 * _REACH * sd)))
    if len(values) <= nodes:
        return Mixture(values, counts / total, power)
    node, share = _interpolation(theta, nodes)
    return Mixture(node, share.sum(axis=0) / total, power)


def _interpolation(values: Floats, count: int) -> tuple[Floats, Floats]:
    """Chebyshev nodes in the range of values, and how much of each node a value is made of."""
    low = values.min()
    span = (values.max() - low) or 1.0
    node = chebpts1(count)
    moments = chebvander(2.0 * (values - low) / span - 1.0, count - 1) * (2.0 / count)
    moments[:, 0] /= 2.0
    return low + span * (node + 1.0) / 2.0, moments @ chebvander(node, count - 1).T


def of_law(ppf: Callable[[Floats], Floats], m: int) -> Mixture:
    """Draw m classifiers from P(theta): Gauss-Legendre on panels that narrow towards either end."""
    node, weight = np.polynomial.legendre.leggauss(24)
    top = 1.0 - np.logspace(math.log10(0.5), -3.0 - math.log10(m), 5 + round(math.log10(m)))
    ends = np.concatenate([[0.0], np.logspace(-6.0, -1.0, 4), top, [1.0]])
    low, width = ends[:-1, None], np.diff(ends)[:, None]
    share = (width * weight / 2.0).ravel()
    theta = np.asarray(ppf((low + width * (node + 1.0) / 2.0).ravel()), dtype=float)
    return Mixture(theta, share, float(m))


def of_estimates(theta: Floats, se: Floats, power: float = 0.0) -> tuple[Mixture, Floats]:
    """Classifiers of thetas and errors (classifier,), and the errors of the nodes."""
    if np.all(se == se[0]):
        mixture = of_board(theta, float(se[0]), power)
        return mixture, np.full(len(mixture.theta), se[0])
    if power:
        return Mixture(theta, np.full(len(theta), 1.0 / len(theta)), power), se
    likely = theta + _REACH * se >= np.max(theta - _REACH * se)
    theta, se = theta[likely], se[likely]
    pairs, counts = np.unique(np.stack([theta, se]), axis=1, return_counts=True)
    errors = 6 + math.ceil(6.0 * math.log(se.max() / se.min()))
    # Where the node of the highest theta and the least error has no mass, F must have none, either.
    empty = np.max(theta) + float(ndtri(_LEAST)) * se.min()
    if len(counts) <= _NODES * errors or np.min(ndtr((empty - theta) / se)) > 1e-6:
        return Mixture(pairs[0], counts.astype(float), 0.0), pairs[1]
    node, share = _interpolation(theta, _NODES)
    log_se, portion = _interpolation(np.log(se), errors)
    weight = (share.T @ portion).ravel()
    return Mixture(np.repeat(node, errors), weight, 0.0), np.tile(np.exp(log_se), _NODES)


def binomial_sd(n: int, theta: float) -> float:
    """Return the standard deviation of X / n plus one step."""
    return math.sqrt(theta * (1.0 - theta) / n) + 1.0 / n


def conditionals(theta: Floats, rho: float, theta_0: float) -> tuple[Floats, Floats]:
    """P(right | reference right) and P(right | reference wrong), (node,); equations 6 and 7."""
    spread = rho * np.sqrt(theta * (1.0 - theta))
    up = theta + spread * math.sqrt((1.0 - theta_0) / theta_0)
    down = theta - spread * math.sqrt(theta_0 / (1.0 - theta_0))
    return up, down


def window(n: int, mixture: Mixture, extra: float = 0.0) -> tuple[int, int]:
    """Range of counts that the highest of classifiers can take; F is 0 below and 1 above."""
    top, bottom = float(np.max(mixture.theta)), _least_best(mixture)

    def reach(theta: float) -> float:
        return (_REACH + 1.0 + extra) * math.sqrt(n * theta * (1.0 - theta)) + 10.0

    low, high = math.floor(n * bottom - reach(bottom)), math.ceil(n * top + reach(top))
    return max(0, low), min(n, high)


def _least_best(mixture: Mixture) -> float:
    """Return the smallest theta that may be the best."""
    if not mixture.power:
        return float(np.max(mixture.theta))
    # The best of few draws may be a weak one.
    ascending = np.argsort(mixture.theta)
    below = np.cumsum(mixture.weight[ascending])
    likely = int(np.searchsorted(below, _LEAST ** (1.0 / mixture.power)))
    return float(mixture.theta[ascending][min(likely, len(below) - 1)])


def estimate_cdf(mixture: Mixture, se: Floats, rho: float, steps: float | None = None) -> Tabled:
    """F of the highest normal estimate, in multiples of 1 / steps; they correlate by one factor."""
    reach = (_REACH + 1.0) * se
    low, high = float(np.max(mixture.theta - reach)), float(np.max(mixture.theta + reach))
    if mixture.power:
        low = _least_best(mixture) - float(np.max(reach))
    steps = 2.0 ** math.ceil(math.log2(500.0 / (high - low))) if steps is None else steps
    first, last = math.floor(low * steps), math.ceil(high * steps)
    x = (np.arange(first, last + 1) + 0.5) / steps
    below = ndtr((x - mixture.theta[:, None]) / se[:, None])
    return Tabled(steps, first, factor_cdf(below, mixture, rho))


def independent_cdf(n: int, mixture: Mixture) -> Tabled:
    """F of the highest count of independent classifiers."""
    low, high = window(n, mixture)
    counts = np.arange(low, high + 1, dtype=float)
    return Tabled(n, low, combine(bdtr(counts, n, mixture.theta[:, None]), mixture))


def boland_cdf(n: int, mixture: Mixture, rho: float, theta_0: float) -> Tabled:
    """F of the highest count of classifiers that depend on a reference."""
    s, chance = _reference_counts(n, theta_0)
    up, down = (np.clip(p, 0.0, 1.0) for p in conditionals(mixture.theta, rho, theta_0))
    low, high = window(n, mixture, extra=_REACH)
    total = np.zeros(high - low + 1)
    for k, weight in zip(s, chance, strict=True):
        total += weight * combine(_two_binomials(int(k), n, up, down, low, high), mixture)
    return Tabled(n, low, total)


def right_given_difficulty(theta: Floats, load: float, difficulty: Floats) -> Floats:
    """P(right | difficulty) of classifiers with this loading on it, (node, difficulty)."""
    gap = (ndtri(theta)[:, None] - load * difficulty) / math.sqrt(1.0 - load * load)
    return np.asarray(ndtr(gap))


def loading(rho: float, theta: float) -> float:
    """Solve for the loading at which two classifiers of this theta correlate by rho^2."""

    def excess(load: float) -> float:
        right = right_given_difficulty(np.array([theta]), load, _NORMAL)[0]
        return float(_CHANCE @ (right - theta) ** 2) - rho * rho * theta * (1.0 - theta)

    if rho == 0.0 or excess(_STEEPEST) <= 0.0:
        return _STEEPEST if rho else 0.0
    return float(brentq(excess, 0.0, _STEEPEST, xtol=1e-12))


def copula_cdf(n: int, mixture: Mixture, rho: float, theta_0: float) -> Tabled:
    r"""F of the highest count of classifiers with a shared latent difficulty.

    On instance i classifier j is right where l z_i + sqrt(1 - l^2) e_ij is below theta_j's normal
    quantile, l being the `loading`. Given the difficulties z, X_j has mean sum_i p_j(z_i): these
    means are what counts share. Counts are given their binomial laws and one normal factor
    (`factor_cdf`), on which they load by their correlation with these means,

    .. math:: \lambda_j^2 = \mathrm{Var}\, p_j(Z) / (\theta_j (1 - \theta_j)).

    An approximation: on 400 instances (benchmarks/copula_law.py) the Kolmogorov distance is 0.003
    for 10 classifiers of theta 0.7 to 0.9, 0.010 for 100 and 0.018 for 1000; at theta 0.98 0.007,
    0.024 and 0.043. Its mean is less than a tenth of a standard deviation off.
    """
    theta = np.clip(mixture.theta, 1e-12, 1.0 - 1e-12)
    right = right_given_difficulty(theta, loading(rho, theta_0), _NORMAL)
    shared = np.maximum((right**2) @ _CHANCE - theta**2, 0.0)
    low, high = window(n, mixture)
    counts = np.arange(low, high + 1, dtype=float)
    below = bdtr(counts, n, mixture.theta[:, None])
    load = np.sqrt(shared / (theta * (1.0 - theta)))
    return Tabled(n, low, factor_cdf(below, mixture, load))


def factor_cdf(g: Floats, mixture: Mixture, load: Floats | float) -> Floats:
    r"""F from the cdfs G (node, x) of estimates that share one normal factor, (x,).

    .. math:: F(x) = \int \mathrm{combine}\Bigl(\Phi\Bigl(\frac{\Phi^{-1}(G(x)) - \lambda z}
              {\sqrt{1 - \lambda^2}}\Bigr)\Bigr) \, d\Phi(z)

    A Gaussian copula: every estimate keeps its law G, and normal scores of two estimates correlate
    by the product of their loads (a number, or one a node), 0 to 1.
    """
    if not np.any(load):
        return combine(g, mixture)
    load = np.minimum(np.broadcast_to(load, len(g)), _STEEPEST)[:, None]
    own = np.sqrt(1.0 - load * load)
    # Dependence makes F larger: where it is 1 without, or below what is seen, it needs no integral.
    result = combine(g, mixture)
    unsure = (_bound(g, mixture) > _LEAST) & (result < 1.0 - 1e-15)
    quantile = ndtri(g[:, unsure])
    step = min(0.25, float(own.min()) / 2.0)  # no step of z may leap over a cdf's rise
    factor = np.linspace(-8.0, 8.0, 2 * math.ceil(8.0 / step) + 1)
    chance = np.exp(-0.5 * factor**2)
    total = np.zeros(quantile.shape[1])
    for z, share in zip(factor, chance / chance.sum(), strict=True):
        total += share * combine(ndtr((quantile - load * z) / own), mixture)
    result[unsure] = np.minimum(total, 1.0)
    return result


def combine(g: Floats, mixture: Mixture) -> Floats:
    """F(x | s) from G (node, count)."""
    bound = _bound(g, mixture)
    if mixture.power:
        return np.asarray(bound**mixture.power)
    seen = bound > _LEAST
    result = np.zeros(g.shape[1])
    result[seen] = np.exp(np.minimum(mixture.weight @ np.log(np.maximum(g[:, seen], 1e-300)), 0.0))
    return result


def _bound(g: Floats, mixture: Mixture) -> Floats:
    """Bound F from above: by the best classifier, or by one drawn from P(theta)."""
    if mixture.power:
        return np.clip(mixture.weight @ g, 0.0, 1.0)
    return np.asarray(g[np.argmax(mixture.theta)])


def _reference_counts(n: int, theta_0: float) -> tuple[Longs, Floats]:
    """Values of s and their probabilities, evenly spaced where there are many."""
    sd = math.sqrt(n * theta_0 * (1.0 - theta_0))
    step = max(1, math.floor(sd / _STEPS))
    middle = round(n * theta_0)
    reach = math.ceil(_REACH * sd / step) + 1
    s = middle + step * np.arange(-reach, reach + 1)
    s = s[(s >= 0) & (s <= n)]
    chance = _pmf_at(s, n, theta_0)
    return s, chance / chance.sum()


def _pmf(n: int, p: float) -> tuple[int, Floats]:
    """First count and probabilities of a binomial, as far as it has mass."""
    reach = _REACH * math.sqrt(n * p * (1.0 - p)) + 10.0
    low = max(0, math.floor(n * p - reach))
    k = np.arange(low, min(n, math.ceil(n * p + reach)) + 1)
    return low, _pmf_at(k, n, p)


def _pmf_at(k: Longs, n: int, p: float) -> Floats:
    ways = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return np.asarray(np.exp(ways + xlogy(k, p) + xlog1py(n - k, -p)))


def _two_binomials(s: int, n: int, up: Floats, down: Floats, low: int, high: int) -> Floats:
    """P(Bin(s, up) + Bin(n - s, down) <= x), (node, count from low to high)."""
    g = np.empty((len(up), high - low + 1))
    for k in range(len(up)):
        (first, one), (second, two) = _pmf(s, up[k]), _pmf(n - s, down[k])
        below = np.append(0.0, np.minimum(np.cumsum(np.convolve(one, two)), 1.0))
        at = np.arange(low, high + 1) - first - second + 1
        g[k] = below[np.clip(at, 0, len(below) - 1)]
    return g
