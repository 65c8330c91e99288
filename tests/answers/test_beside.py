"""Strength and mean score side by side: columns by definition, the sentence by planted boards."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from answers.conftest import fit
from conftest import board, often_by_little
from leaderbayes._answers.beside import column_beside, disagreement, head_to_head, win_rates

WHY = "'p0' wins 18 of their 25 rounds, by 0.004 on average and loses 7, by 0.03 on average."


def table_of(scores, **options):
    return lb.leaderboard(fit(scores, draws=500, sampler="metropolis", **options))


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_two_leaders_are_named_with_the_reason(higher_is_better):
    """Of losses the sizes are the same."""
    table = table_of(often_by_little(higher_is_better=higher_is_better))
    assert list(table["player"]) == ["p0", "p1", "p2"]
    assert table.attrs["disagreement"] == f"By mean score 'p1' leads, by 0.0055 over 'p0': {WHY}"


def test_one_leader_needs_no_sentence():
    assert "disagreement" not in table_of(often_by_little().sel(player=["p0", "p2"])).attrs


def test_column_is_of_means(two_leaders):
    table = lb.leaderboard(two_leaders).set_index("player")
    means = often_by_little().mean("round").sel(player=table.index)
    np.testing.assert_allclose(table["score"], means)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_win_rates_are_those_of_matches(missing):
    rng = np.random.default_rng(1)
    values = rng.integers(0, 4, (5, 12)).astype(float)
    values[rng.random(values.shape) < missing] = np.nan
    counts = lb.matches(board(values))
    expected = counts["wins"].sum("opponent") / counts["n"].sum("opponent")
    np.testing.assert_allclose(win_rates(values.T), expected)


def test_who_leads_by_both_shares_the_lead():
    """A mean score that another has too is no disagreement, whatever the order of summation."""
    values = often_by_little().to_numpy()
    values[1] = np.roll(values[0], 3)
    table = table_of(board(values))
    assert set(table["player"][:2]) == {"p0", "p1"}
    assert "disagreement" not in table.attrs


def test_missing_rounds_do_not_move_a_mean():
    """A player that misses the hard rounds is no better for it."""
    whole = np.add.outer([0.3, 0.2, 0.0], np.linspace(-2.0, 2.0, 12))
    whole[:, 10:] += [[-0.06], [0.06], [0.0]]
    values = whole.copy()
    values[1, :5] = np.nan
    missing = board(values)
    assert missing.mean("round").to_series().idxmax() == "p1"
    table = table_of(missing).set_index("player")
    np.testing.assert_allclose(table["score"].sort_index(), whole.mean(axis=1), atol=0.04)
    assert "disagreement" not in table.attrs


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (
            [[1, 0], [3, 1], [0, 4]],
            "a wins 2 of their 3 rounds, by 1.5 on average and loses 1, by 4",
        ),
        ([[1, 1], [2, 2]], "a wins 0 of their 2 rounds, ties 2 and loses 0"),
        ([[1, np.nan], [np.nan, 2]], "a and b share no rounds"),
        ([[0, 1000], [0.1, 0], [0.3, 0.1]], "spread 0.0"),
    ],
)
def test_head_to_head_in_words(pair, said):
    assert said in head_to_head(np.array(pair, float), "a", "b")


def test_nothing_stands_beside_what_does_not_compare(dt):
    plain = ["player", "epp", "epp_lower", "epp_upper", "p_average", "p_best",
             "rank", "rank_lower", "rank_upper"]  # fmt: skip
    islands = np.full((4, 10), np.nan)
    rng = np.random.default_rng(0)
    islands[:2, :5], islands[2:, 5:] = rng.normal(size=(2, 5)), rng.normal(size=(2, 5))
    for table in (
        lb.leaderboard(dt),
        table_of(board(islands)),
        table_of(often_by_little(), within_round=False),
        lb.leaderboard(lb.likelihood.bradley_terry(lb.matches(often_by_little()))),
    ):
        assert list(table.columns) == plain
        assert column_beside(table) is None
        assert "disagreement" not in table.attrs
    assert disagreement(dt, lb.leaderboard(dt), str) == ""


@pytest.mark.parametrize(
    ("means", "expected"),
    [((0.946, 0.95, 0.6), 4), ((0.95, 0.946, 0.6), 3), ((0.9, 0.9, 0.9), 2), ((2e4, 3e4, 1e4), 0)],
)
def test_decimals_show_who_is_ahead(two_leaders, means, expected):
    assert column_beside(lb.leaderboard(two_leaders).assign(score=means)) == ("score", expected)


def test_names_are_called_as_asked(two_leaders, tmp_path):
    called = disagreement(two_leaders, lb.leaderboard(two_leaders), lambda player: f"<{player}>")
    assert called.startswith("By mean score <p1> leads, by 0.0055 over <p0>: <p0> wins 18 of")
    steering = often_by_little().assign_coords(player=["a\x1b[31m", "\u202eb", "c" * 90])
    text = table_of(steering).attrs["disagreement"]
    assert text.isprintable()
    assert xr.DataArray(attrs={"said": text}).to_netcdf(tmp_path / "x.nc") is None
