r"""Counts of right answers of a board, and their distribution given thetas.

.. math:: X \mid \theta, z \sim \mathrm{Bin}(s, p_1) + \mathrm{Bin}(n - s, p_0), \quad
          s = n \theta_0 + z \sqrt{n \theta_0 (1 - \theta_0)}

with the conditional probabilities of Boland's model (`maximum.conditionals`); where equation 8
forbids rho to a classifier, it has the largest that is allowed.

The sum of two binomials is taken as the shifted binomial with its first three cumulants, of a size
that need not be whole: no count's probability is lost, and the law is within a total variation of
0.011 at n = 50, 0.001 at 500, 0.0002 at 3000 (rho 0.6, theta 0.9); without dependence it is the
binomial itself.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.kernels import njit
from leaderbayes._types import Floats, Longs

STATISTICS = ("maximum", "quantile 0.9", "median", "quantile 0.1")  # of a board


class Counts(NamedTuple):
    """Counts of a board, grouped by equal counts."""

    n: int
    floor: int  # classifiers with this count or a lower one are excluded
    x: Floats  # (count,): the different ones, ascending
    times: Longs  # (count,): classifiers that have it
    of: Longs  # (classifier,): position of each one's count

    @property
    def scores(self) -> Floats:
        """Shares of right answers (classifier,), ascending."""
        return np.repeat(self.x, self.times) / self.n

    @property
    def reference(self) -> float:
        """Default of theta_0: the best score, next to 0 and to 1 where it is one."""
        return float(np.clip(self.x[-1] / self.n, 0.5 / self.n, 1.0 - 0.5 / self.n))


def counts(score: Floats, n: int, chance: float = -1.0) -> Counts:
    """Count right answers of those above chance, of shares (classifier,); or raise if none is."""
    right, floor = np.round(score * n), math.floor(chance * n + 1e-9)
    x, of, times = np.unique(right[right > floor], return_inverse=True, return_counts=True)
    if not len(x):
        raise LeaderbayesError(
            f"No team scores above chance, {chance:.4g}: check classes, or chance, of read_board."
        )
    return Counts(n, floor, x, times.astype(np.int64), of.astype(np.int64))


def statistics(score: Floats) -> Floats:
    """`STATISTICS` of boards (..., classifier), (..., statistic)."""
    return np.moveaxis(np.quantile(np.sort(score), (1.0, 0.9, 0.5, 0.1), axis=-1), 0, -1)


def reference_count(n: int, theta_0: float, ease: ArrayLike) -> Longs:
    """Return on how many instances the reference is right, given the test set's ease."""
    sd = math.sqrt(n * theta_0 * (1.0 - theta_0))
    return np.clip(np.round(n * theta_0 + np.asarray(ease) * sd), 0, n).astype(np.int64)


@njit()
def allowed(theta: Any, rho: Any, theta_0: float) -> Any:
    """Return rho, or the largest that equation 8 and its like for p_1 allow; numbers or arrays."""
    odds = theta / (1.0 - theta) * (1.0 - theta_0) / theta_0
    return np.minimum(rho, np.sqrt(np.minimum(odds, 1.0 / odds)))


@njit()
def shifted_binomial(
    n: float, theta: float, rho: float, theta_0: float, z: float
) -> tuple[float, float, float]:
    """Shift, size and probability of the binomial with the cumulants of X given theta and z."""
    s = n * theta_0 + z * math.sqrt(n * theta_0 * (1.0 - theta_0))
    spread = allowed(theta, rho, theta_0) * math.sqrt(theta * (1.0 - theta))
    up = min(theta + spread * math.sqrt((1.0 - theta_0) / theta_0), 1.0)
    down = max(theta - spread * math.sqrt(theta_0 / (1.0 - theta_0)), 0.0)
    first, second = s * up * (1.0 - up), (n - s) * down * (1.0 - down)
    variance = first + second
    third = first * (1.0 - 2.0 * up) + second * (1.0 - 2.0 * down)
    p = 0.5 * (1.0 - third / variance)
    size = variance / (p * (1.0 - p))
    return s * up + (n - s) * down - size * p, size, p


@njit(nogil=True)
def conditionals_at(n: float, eta: Floats, rho: float, theta_0: float, z: float) -> Floats:
    """Shift, size, logarithms of p, 1 - p and size!, of X given log-odds and z, (node, 5)."""
    out = np.empty((eta.size, 5))
    for k in range(eta.size):
        log_p = -math.log1p(math.exp(-eta[k]))
        shift, size, log_q = 0.0, n, log_p - eta[k]
        if rho > 0.0:
            shift, size, p = shifted_binomial(n, math.exp(log_p), rho, theta_0, z)
            p = min(max(p, 1e-300), 1.0 - 1e-16)
            log_p, log_q = math.log(p), math.log1p(-p)
        out[k] = shift, size, log_p, log_q, math.lgamma(size + 1.0)
    return out


@njit()
def log_probability(
    x: float, shift: float, size: float, log_p: float, log_q: float, ways: float
) -> float:
    """Log P(x) of a shifted binomial, of what `conditionals_at` returns."""
    y, rest = x - shift, size - x + shift
    if not (y > -1.0 and rest > -1.0):
        return -math.inf
    return ways - math.lgamma(y + 1.0) - math.lgamma(rest + 1.0) + y * log_p + rest * log_q
