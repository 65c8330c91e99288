"""Leaderboards side by side."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb


@pytest.fixture(scope="module")
def table(study):
    return lb.study.compare(study)


def test_rows_are_what_each_fit_says(study, table):
    assert list(table["tournament"]) == ["one", "two/2", "three", "reversed"]
    assert list(table["players"]) == [6, 6, 5, 6]
    z = lb.study.unusual(study)["z"]
    for row in table.itertuples():
        fit = lb.study.select(study, row.tournament)
        fitted = lb.deviance(fit)
        for name in ("df", "standardised", "p_value", "p_value_normal"):
            assert getattr(row, name) == fitted[name]
        assert row.deviance == fitted["value"]
        assert row.p_check == lb.check(fit, draws=50)["p_round"]
        best = lb.leaderboard(fit).iloc[0]
        assert (row.leader, row.p_best) == (best["player"], best["p_best"])
        assert row.tied_for_top == len(lb.tied_for_top(fit))
        own = z.sel(tournament=row.tournament).to_series()
        assert row.odd_player == own.abs().idxmax()
        assert row.odd_z == own[row.odd_player]
        assert (row.rounds, row.weight, row.converged) == (12, 0.4, True)
    assert table.attrs == {"converged": 1, "warnings": "[]"}


def test_the_check_is_the_fits_own(study, table):
    """One number here, on the page and in attrs; another where draws are asked for."""
    checked = xr.DataTree.from_dict(study.children)
    checked["three"].attrs |= {"p_check": 0.123}
    found = lb.study.compare(checked)["p_check"]
    assert found[2] == 0.123
    assert list(found[[0, 1, 3]]) == list(table["p_check"][[0, 1, 3]])
    again = lb.study.compare(checked, draws=60)["p_check"][2]
    assert again == lb.check(checked["three"], draws=60)["p_round"]


def test_published_counts_twice(study, table):
    published = lb.study.compare(study, convention="published", draws=1)
    np.testing.assert_allclose(published["deviance"], 2.0 * table["deviance"])
    assert list(published["df"]) == [24, 24, 15, 24]


def test_doubt_shows(study):
    doubtful = xr.DataTree.from_dict(study.children)
    doubtful["three"].attrs |= {"converged": 0, "warnings": '["LB001 not converged"]'}
    table = lb.study.compare(doubtful, draws=1)
    assert list(table["converged"]) == [True, True, False, True]
    assert table.attrs == {
        "converged": 0,
        "warnings": "[\"tournament 'three': LB001 not converged\"]",
    }
    assert lb.study.average_player(doubtful).attrs["converged"] == 0


def test_one_tournament_has_no_odd_player(study):
    (row,) = lb.study.compare(xr.DataTree.from_dict({"one": study["one"]}), draws=1).itertuples()
    assert row.odd_player == ""
    assert np.isnan(row.odd_z)


def test_draws_of_a_check(study, table):
    with pytest.raises(lb.LeaderbayesError, match="draws=-1"):
        lb.study.compare(study, draws=-1)
    without = lb.study.compare(study, draws=0)
    assert without["p_check"].isna().all()
    pd.testing.assert_frame_equal(without.drop(columns="p_check"), table.drop(columns="p_check"))
    lb.plots.leaderboard(without, backend="none")
