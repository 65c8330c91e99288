"""Exact binomial interval of one score: the published numbers, and its definition."""

import pytest
from scipy import stats

import leaderbayes as lb


@pytest.mark.parametrize(("score", "n"), [(0.9, 3000), (0.6, 5), (0.02, 50)])
def test_each_tail_has_its_share(score, n):
    lower, upper = lb.paper.naive_interval(score, n, prob=0.9)
    right = round(score * n)
    assert stats.binom.sf(right - 1, n, lower) == pytest.approx(0.05, rel=1e-6)
    assert stats.binom.cdf(right, n, upper) == pytest.approx(0.05, rel=1e-6)


@pytest.mark.parametrize(("score", "end"), [(0.0, 0), (1.0, 1)])
def test_ends(score, end):
    assert lb.paper.naive_interval(score, 20)[end] == score
