"""Laws of the best score, against products of what each classifier's score is by itself."""

import numpy as np
import pytest
from scipy import stats

from leaderbayes.sota._law_of_board import EstimateLaw, ShareLaw

THETA = np.array([0.5, 0.7, 0.72])


def table(tabled):
    return (tabled.low + np.arange(len(tabled.cdf))) / tabled.steps, tabled.cdf


def test_independent_shares_multiply():
    n = 40
    tabled = ShareLaw(n, 0.0, None, "boland", "correct")(THETA)
    score, cdf = table(tabled)
    expected = np.prod([stats.binom.cdf(np.round(score * n), n, t) for t in THETA], axis=0)
    np.testing.assert_allclose(cdf, expected, atol=1e-9)
    whole = np.prod([stats.binom.cdf(np.arange(n + 1), n, t) for t in THETA], axis=0)
    assert tabled.mean == pytest.approx((1.0 - whole).sum() / n, abs=1e-6)


def test_as_published_thetas_are_drawn_as_often_as_there_are_teams():
    n = 40
    score, cdf = table(ShareLaw(n, 0.0, None, "boland", "published")(THETA))
    one = np.mean([stats.binom.cdf(np.round(score * n), n, t) for t in THETA], axis=0)
    np.testing.assert_allclose(cdf, one ** len(THETA), atol=1e-9)


def test_who_is_left_out_does_not_count():
    law = ShareLaw(40, 0.0, None, "boland", "correct")
    assert law(np.append(THETA, -np.inf)).mean == law(THETA).mean


def test_estimates_are_normal_each_with_its_own_error():
    se = np.array([0.02, 0.01, 0.03])
    tabled = EstimateLaw(se, 0.0, (0.0, 1.0))(THETA)
    score, cdf = table(tabled)
    score += 0.5 / tabled.steps  # in the middle between steps
    expected = np.prod([stats.norm.cdf(score, t, s) for t, s in zip(THETA, se, strict=True)], 0)
    np.testing.assert_allclose(cdf, expected, atol=1e-6)
