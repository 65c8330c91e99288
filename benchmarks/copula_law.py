"""Kolmogorov distance of `copula_cdf` to the law of instances, by number of classifiers.

uv run python benchmarks/copula_law.py [BOARDS]

Given the difficulties of all instances, a count is a sum of independent right answers, whose law is
computed; only difficulties are drawn, so that 100 000 test sets tell distances to about 0.001.
"""

import math
import sys

import numba
import numpy as np
from scipy.special import ndtr, ndtri

from leaderbayes._numerics.maximum import Mixture, copula_cdf, loading

N = 400
MANY = np.array([10.0, 100.0, 1000.0])
CASES = [(0.7, 0.6), (0.9, 0.3), (0.9, 0.6), (0.9, 0.9), (0.98, 0.6)]


@numba.njit(cache=True)
def given_difficulties(p, many):
    """F of the best of ``many`` counts, summed over boards of P(right) (board, instance)."""
    boards, n = p.shape
    total = np.zeros((many.size, n + 1))
    for b in range(boards):
        pmf = np.zeros(n + 1)
        pmf[0] = 1.0
        for i in range(n):
            for x in range(i + 1, 0, -1):
                pmf[x] += p[b, i] * (pmf[x - 1] - pmf[x])
            pmf[0] *= 1.0 - p[b, i]
        below = 0.0
        for x in range(n + 1):
            below = min(below + pmf[x], 1.0)
            for k in range(many.size):
                total[k, x] += below ** many[k]
    return total


def main():
    """Print a row a case and number of classifiers."""
    boards = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    rng = np.random.default_rng(0)
    print("| theta | rho | classifiers | distance | mean, in sd |\n|---|---|---|---|---|")
    for theta, rho in CASES:
        load = loading(rho, theta)
        exact = np.zeros((len(MANY), N + 1))
        for _ in range(math.ceil(boards / 1000)):
            gap = ndtri(theta) - load * rng.normal(size=(1000, N))
            exact += given_difficulties(ndtr(gap / math.sqrt(1.0 - load**2)), MANY)
        exact /= 1000 * math.ceil(boards / 1000)
        for m, f in zip(MANY, exact, strict=True):
            equal = Mixture(np.array([theta]), np.array([m]), 0.0)
            low, inside = copula_cdf(N, equal, rho, theta)
            law = np.concatenate([np.zeros(low), inside, np.ones(N + 1 - low - len(inside))])
            # E X is the sum of 1 - F, E X^2 of (2 x + 1)(1 - F).
            mean = (1.0 - f[:-1]).sum()
            sd = math.sqrt((1.0 - f[:-1]) @ (2.0 * np.arange(N) + 1.0) - mean**2)
            off = ((1.0 - law[:-1]).sum() - mean) / sd
            print(f"| {theta} | {rho} | {m:.0f} | {abs(law - f).max():.4f} | {off:.3f} |")


if __name__ == "__main__":
    main()
