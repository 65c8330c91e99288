"""The best of variants: how probable a count is as it."""

import numpy as np
import pytest
from scipy import stats

from leaderbayes._numerics import best_of_variants as best
from leaderbayes._numerics import flexible_law as law
from leaderbayes._numerics.counts import conditionals_at


@pytest.mark.parametrize(("n", "scores"), [(60, 5), (2000, 40), (100_000, 12)])
def test_cumulated_as_by_its_own(n, scores):
    """Near scores by the one before, others anew: the same as scipy's, far out too."""
    rng = np.random.default_rng(n)
    x = np.unique(rng.binomial(n, rng.beta(40, 10, scores))).astype(float)
    x = np.append(x, x[-1] + 1.0)
    given = law.cells_of_counts(x, n, 0.0)
    theta = np.sin(given.middle) ** 2
    node = conditionals_at(n, np.log(theta / (1.0 - theta)), 0.0, 0.9, 0.0)
    score = np.repeat(np.arange(len(x)), np.diff(given.row))
    cell = given.first[score] + np.arange(len(score)) - given.row[score]
    own = stats.binom(n, theta[cell])
    found = best.at_most(given, x, node, own.pmf(x[score]))
    np.testing.assert_allclose(found, own.cdf(x[score]), rtol=1e-9, atol=1e-290)


def test_counts_of_two_parts():
    """Of teams that share luck a count is shifted, and of no whole number of trials."""
    n, x = 500, np.arange(400.0, 440.0)
    given = law.cells_of_counts(x, n, 0.6)
    theta = np.sin(given.middle) ** 2
    node = conditionals_at(n, np.log(theta / (1.0 - theta)), 0.6, 0.85, 0.7)
    zero = np.zeros(len(theta))
    value, factor = law.of_counts(given, x, node, zero)
    score = np.repeat(np.arange(len(x)), np.diff(given.row))
    upto = best.at_most(given, x, node, value * np.exp(factor[score]))
    for u, count in enumerate(x):
        near = slice(given.row[u], given.row[u + 1])
        shift, size, _, log_q, _ = node[
            given.first[u] : given.first[u] + given.row[u + 1] - given.row[u]
        ].T
        exact = stats.beta.cdf(np.exp(log_q), size - (count - shift), count - shift + 1.0)
        np.testing.assert_allclose(upto[near], exact, rtol=1e-9, atol=1e-13)


@pytest.mark.parametrize("many", [[1], [4], range(1, 21), range(3, 9)])
def test_of_so_many(many):
    """(F^k - G^k) / (F - G), with no loss where the two are the same or one is nothing."""
    upto = np.array([1.0, 0.9, 0.5, 0.5, 0.3, 1e-5, 0.0])
    p = np.array([0.2, 1e-3, 1e-13, 0.0, 0.3, 2e-6, 0.0])
    weight = np.random.default_rng(1).dirichlet(np.ones(len(many)))
    found = best.chosen(p, upto, float(many[0]), weight)
    exact = [
        sum(
            w * sum(f ** (k - 1 - j) * (f - q) ** j for j in range(k))
            for w, k in zip(weight, many, strict=True)
        )
        for q, f in zip(p, upto, strict=True)
    ]
    np.testing.assert_allclose(found, exact, rtol=1e-12, atol=1e-290)
