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
        assert row.p_check == lb.check(fit, draws=50, seed=1)["p_value"].item()
        best = lb.leaderboard(fit).iloc[0]
        assert (row.leader, row.p_best) == (best["player"], best["p_best"])
        assert row.tied_for_top == len(lb.tied_for_top(fit))
        own = z.sel(tournament=row.tournament).to_series()
        assert row.odd_player == own.abs().idxmax()
        assert row.odd_z == own[row.odd_player]
        assert (row.rounds, row.converged) == (12, True)
        assert row.weight == pytest.approx(0.4)
    assert table.attrs == {"converged": 1, "warnings": "[]"}


def test_the_check_is_the_fits_own(study, table):
    """One number here, on the page and in attrs; another where draws are asked for."""
    checked = xr.DataTree.from_dict(study.children)
    checked["three"].attrs |= {"p_check": 0.123}
    found = lb.study.compare(checked)["p_check"]
    assert found[2] == 0.123
    assert list(found[[0, 1, 3]]) == list(table["p_check"][[0, 1, 3]])
    again = lb.study.compare(checked, draws=60)["p_check"][2]
    assert again == lb.check(checked["three"], draws=60, seed=1)["p_value"]


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
    assert lb.study.average(doubtful).attrs["converged"] == 0


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


def test_mean_scores_say_by_how_much(study_of_scores):
    """Of mistakes less is better: the leader has the fewest, and leads by so many fewer."""
    table = lb.study.compare(study_of_scores, prob=0.9)
    assert list(table) == [
        "tournament", "players", "rounds", "leader", "score", "score_lower", "score_upper",
        "second", "lead", "lead_lower", "lead_upper", "p_best", "tied_for_top",
        "converged",
    ]  # fmt: skip
    assert list(table["players"]) == [4, 3, 4]
    for row in table.itertuples():
        fit = lb.study.select(study_of_scores, row.tournament)
        first, second = lb.leaderboard(fit, prob=0.9).to_dict("records")[:2]
        assert (row.leader, row.second) == (first["player"], second["player"])
        assert row.p_best == first["p_best"]
        told = lb.compare(fit, row.second, row.leader, prob=0.9)
        for end in ("", "_lower", "_upper"):
            assert getattr(row, f"score{end}") == pytest.approx(first[f"score{end}"])
            assert getattr(row, f"lead{end}") == pytest.approx(float(told[f"difference{end}"]))
        assert row.lead > 0.0
        assert row.tied_for_top == len(lb.tied_for_top(fit, prob=0.9))
    assert list(table["leader"]) == ["p0", "p0", "p3"]


@pytest.mark.parametrize(
    "asks", [lb.study.unusual, lb.study.average, lb.study.embedding,
             lambda given: lb.study.tunability(given, {f"p{i}": "a" for i in range(4)})],
)  # fmt: skip
def test_what_needs_log_odds_refuses_mean_scores(study_of_scores, asks):
    with pytest.raises(lb.LeaderbayesError, match=r"reading.* has mean scores.*of='rank'"):
        asks(study_of_scores)


def test_a_study_may_hold_both(study, study_of_scores):
    """Put together by hand: each row has what there is of it."""
    both = xr.DataTree.from_dict({"one": study["one"], "maths": study_of_scores["maths"]})
    table = lb.study.compare(both, draws=5)
    assert table["deviance"].notna().tolist() == [True, False]
    assert table["lead"].notna().tolist() == [False, True]
    assert "odd_player" not in table
    assert list(table)[-1] == "converged"


def test_boards_that_were_read_from_the_store_have_a_check(tmp_path):
    scores = lb.datasets.load("classifiers").isel(tournament=[3, 4], player=slice(None, 5))
    for _ in range(2):  # fitted, then read; Zarr has a type of strings of its own
        stored = lb.study.fit(
            scores, store=tmp_path / "store", draws=100, seed=1, progressbar=False
        )
    assert lb.study.compare(stored, draws=50)["p_check"].notna().all()
