"""The board of a family whose expected maximum is what was seen."""

import numpy as np
import pytest
from scipy import stats

import leaderbayes as lb
from leaderbayes.sota._law_of_board import ShareLaw
from leaderbayes.sota._solve import Family, root_between, solve

LAW = ShareLaw(200, 0.0, None, "boland", "correct")


def equal(teams):
    """Boards of so many equal teams, at any level."""
    return Family(
        "level",
        lambda level: np.full(teams, level),
        lambda excess: root_between(excess, 0.01, 0.99),
        0.99,
    )


def test_a_root_or_the_end_next_to_it():
    assert root_between(lambda x: x - 0.3, 0.0, 1.0) == pytest.approx(0.3, abs=1e-7)
    assert root_between(lambda x: x + 1.0, 0.0, 1.0) == 0.0
    assert root_between(lambda x: x - 2.0, 0.0, 1.0) == 1.0


def test_equal_teams_expect_the_maximum_that_was_seen():
    scores = np.append(np.full(49, 0.7), 0.8)
    found = solve(equal(50), LAW, scores, "mean", 0.95)
    assert found.attrs["solved"] == 1
    level = float(found["theta_sota"])
    below = stats.binom.cdf(np.arange(201), 200, level) ** 50
    assert (1.0 - below).sum() / 200 == pytest.approx(0.8, abs=1e-5)
    # As Clopper and Pearson: half of 5 % for a maximum at least, and at most, as high.
    least, most = float(found["theta_sota_lower"]), float(found["theta_sota_upper"])
    assert 1 - stats.binom.cdf(159, 200, least) ** 50 == pytest.approx(0.025, abs=2e-3)
    assert stats.binom.cdf(160, 200, most) ** 50 == pytest.approx(0.025, abs=2e-3)
    assert least < level < most


def test_bad_criterion():
    with pytest.raises(lb.LeaderbayesError, match="choose 'mean' or 'upper'"):
        solve(equal(2), LAW, np.array([0.5, 0.6]), "median", 0.95)
