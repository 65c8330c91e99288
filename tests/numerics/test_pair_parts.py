"""What pairs have beside strengths: by the definition, and found where it is there."""

import numpy as np
import pytest
from scipy.special import expit

from leaderbayes._numerics.pair_parts import pair_parts
from leaderbayes._numerics.votes import Votes, maximum


def parts_of(own, n=20_000, m=8):
    rng = np.random.default_rng(1)
    first = rng.integers(0, m, n).astype(np.int32)
    second = ((first + rng.integers(1, m, n)) % m).astype(np.int32)
    part = np.triu(rng.normal(0.0, own, (m, m)), 1)
    p = expit(0.2 * (first - second) + (part - part.T)[first, second])
    won = (rng.random(n) < p).astype(float)
    votes = Votes(m, first, second, won, np.ones(n), won, np.empty((n, 0)))
    at = maximum(votes)
    p = expit(at.epp[first] - at.epp[second])
    return votes, won - p, pair_parts(votes, p * (1.0 - p), won - p, 1.0)


def test_pairs_whoever_was_first():
    votes, residual, found = parts_of(0.0)
    assert len(found.information) == 28
    low, high = np.minimum(votes.first, votes.second), np.maximum(votes.first, votes.second)
    for pair in (0, 27):
        rows = found.pairs.of == pair
        assert len({*zip(low[rows], high[rows], strict=True)}) == 1
        sign = np.where(votes.first[rows] == low[rows], 1.0, -1.0)
        assert found.residual[pair] == pytest.approx((sign * residual[rows]).sum())


@pytest.mark.parametrize(("own", "low", "high"), [(0.0, 0.0, 0.01), (0.5, 0.12, 0.5)])
def test_how_pairs_vary(own, low, high):
    assert low <= parts_of(own)[2].variance <= high
