"""What opinions add to the variance of sums over votes, by the definition."""

import numpy as np
import pytest
from scipy.stats import t

from leaderbayes._numerics.opinions import enlarged, squares
from leaderbayes._numerics.votes import Votes


@pytest.mark.parametrize("alone", [0, 20])
def test_squares_are_of_each_opinion_in_each_sum(alone):
    rng = np.random.default_rng(1)
    n, m = 120, 5
    first = rng.integers(0, m, n).astype(np.int32)
    second = ((first + rng.integers(1, m, n)) % m).astype(np.int32)
    group, of = rng.integers(0, 6, n), rng.integers(0, 3, n)
    group[:alone] = -1
    count = rng.integers(1, 4, n).astype(float)
    votes = Votes(m, first, second, 0.5 * count, count, 0.5 * count, np.empty((n, 0)))
    pull = rng.normal(size=n)
    expected = np.zeros(3)
    for k in range(3):
        for g in range(6):
            rows = (group == g) & (of == k)
            # One opinion a player: votes with the player pull it, and a vote's own square is out.
            of_player = np.bincount(first[rows], pull[rows], m) - np.bincount(
                second[rows], pull[rows], m
            )
            expected[k] += (of_player**2).sum() - 2.0 * (pull[rows] ** 2 / count[rows]).sum()
    found = squares(votes, group, of, pull)
    np.testing.assert_allclose(found, np.maximum(expected, 0.0))
    (all_of_them,) = squares(votes, group, np.zeros(n, dtype=np.int64), pull)
    assert all_of_them >= 0.0


def test_few_clusters_say_less():
    assert enlarged(2.0, 1.0, 5) == pytest.approx(2.0 * (t.ppf(0.975, 1.0) / 1.96) ** 2)
    assert enlarged(2.0, 11.0, 5) == pytest.approx(2.0 * (t.ppf(0.975, 20.0) / 1.96) ** 2)
    assert enlarged(2.0, 1e6, 5) == pytest.approx(2.0, rel=1e-4)
