"""The interval of one score by itself."""

import pytest
from scipy import stats

import leaderbayes as lb


def test_naive_interval():
    low, high = lb.paper.naive_interval(0.9, 50)
    assert stats.binom.sf(44, 50, low) == pytest.approx(0.025)
    assert stats.binom.cdf(45, 50, high) == pytest.approx(0.025)
    assert lb.paper.naive_interval(0.0, 10)[0] == 0.0
    assert lb.paper.naive_interval(1.0, 10)[1] == 1.0
    with pytest.raises(lb.LeaderbayesError, match="score=1"):
        lb.paper.naive_interval(1.2, 10)
