"""Tables of the best of a board."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb


@pytest.fixture(scope="module")
def best():
    scores = np.random.default_rng(1).binomial(500, np.linspace(0.8, 0.88, 40)) / 500
    return lb.sota.posterior(lb.sota.read_board(scores, n=500), draws=50, seed=3)


def test_leaderboard_and_check_say_whether_they_can_be_trusted(best):
    table, checked = lb.leaderboard(best), lb.check(best)
    assert table.attrs["converged"] == bool(checked.attrs["converged"])
    assert list(checked["statistic"].values) == [
        "maximum",
        "quantile 0.9",
        "median",
        "quantile 0.1",
    ]
    assert (table["theta_lower"] < table["theta_upper"]).all()
    narrow = lb.leaderboard(best, prob=0.5)
    assert (
        (narrow["theta_upper"] - narrow["theta_lower"])
        .lt(table["theta_upper"] - table["theta_lower"])
        .all()
    )
    with pytest.raises(lb.LeaderbayesError, match="draws=0"):
        lb.check(best, draws=0)


@pytest.mark.parametrize("sign", [-1, 1])
def test_check_counts_ties_whatever_the_rounding(best, sign):
    """Quantiles of counts tie with the board's, although sums of fractions differ by an ulp."""
    dt = best
    moved = dt.copy()
    boards = dt["posterior_predictive"].to_dataset()
    near = boards["new_score"] * (1 + sign * 1e-15)
    moved["posterior_predictive"] = xr.DataTree(boards.assign(new_score=near))
    xr.testing.assert_equal(lb.check(moved)["p_value"], lb.check(dt)["p_value"])
