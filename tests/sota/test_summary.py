"""What a posterior says of the best theta and of the teams."""

import pytest
import xarray as xr

import leaderbayes as lb


def test_tables(fitted):
    board, dt = fitted
    made = lb.sota.summary(dt)
    assert made["theta_sota_lower"] < made["theta_sota"] < made["theta_sota_upper"]
    assert float(made["observed_max"]) == float(board.max())
    assert int(made["teams_above"]) == int((board > float(made["theta_sota"])).sum())
    free = lb.sota.winner(board, rho=0.5)
    assert float(made["law_free_lower"]) == float(free["theta_sota_lower"])
    assert made["law_free_lower"] < made["theta_sota"] < made["law_free_upper"]
    assert made.attrs["law_free"] == ""
    table = lb.leaderboard(dt)
    assert list(table["theta"]) == sorted(table["theta"], reverse=True)
    assert table["p_best"].sum() == pytest.approx(1.0)
    assert table["p_sota"].iloc[0] > table["p_sota"].iloc[-1]
    found = lb.check(dt)
    assert ((found["lower"] <= found["upper"]) & (found["p_value"] > 0.005)).all()
    assert found.attrs["converged"] == 1
    assert table.attrs["converged"] == 1
    lb.plots.board(dt["observed_data"]["score"], made, backend="none")


def test_an_estimate_that_the_scores_contradict(fitted):
    _, dt = fitted
    changed = dt.copy(deep=True)
    changed["posterior"]["theta_sota"][:] = 0.999
    made = lb.sota.summary(changed)
    assert "The estimate, 0.9990, is above" in made.attrs["law_free"]


def test_an_estimate_below_the_median_score(fitted):
    """A word of it, unless a warning has it already."""
    board, dt = fitted
    assert lb.sota.summary(dt).attrs["middle"] == ""
    changed = dt.copy(deep=True)
    median = float(board.median())
    best = changed["posterior"]["theta_sota"]
    changed["posterior"]["theta_sota"][:] = best - best.mean() + median - 0.001
    said = lb.sota.summary(changed).attrs["middle"]
    assert f"{median - 0.001:.4f}, is below the median score, {median:.4f}" in said
    changed["posterior"]["theta_sota"][:] = best - best.mean() + median - 0.00001
    assert lb.sota.summary(changed).attrs["middle"] == ""  # as printed
    changed["posterior"]["theta_sota"][:] = best - best.mean() + median - 0.001
    changed.attrs["warnings"] = '["LB022 it is"]'
    assert lb.sota.summary(changed).attrs["middle"] == ""


def test_survives_netcdf(fitted, tmp_path):
    _, dt = fitted
    dt.to_netcdf(tmp_path / "posterior.nc")
    back = xr.open_datatree(tmp_path / "posterior.nc")
    xr.testing.assert_allclose(lb.sota.summary(back), lb.sota.summary(dt))


def test_tables_refuse_other_things(fitted):
    with pytest.raises(lb.LeaderbayesError, match=r"sota\.posterior"):
        lb.sota.summary(xr.DataTree())
    with pytest.raises(lb.LeaderbayesError, match="prob"):
        lb.leaderboard(fitted[1], prob=1.0)
