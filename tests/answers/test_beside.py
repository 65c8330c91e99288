"""Strength and mean score side by side: columns by definition, the sentence by planted boards."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import board, often_by_little
from leaderbayes._answers.beside import column_beside, disagreement

pytestmark = pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")

WHY = "'p0' wins 18 of their 25 rounds, by 0.004 on average, and loses 7, by 0.03."


def table_of(scores, model="bradley_terry", **options):
    """Leaderboard of a fit that takes no time."""
    if model == "bradley_terry":
        options |= {"sampler": "laplace", "replicates": 4}
    return lb.leaderboard(lb.fit(scores, model, draws=500, seed=1, progressbar=False, **options))


def flat(scores, **options):
    return table_of(scores, "mean_score", prior_scale=np.inf, **options)


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_two_leaders_are_named_with_the_reason(higher_is_better):
    """Of losses the sizes are the same."""
    scores = often_by_little(higher_is_better=higher_is_better)
    table = table_of(scores)
    assert list(table["player"]) == ["p0", "p1", "p2"]
    assert table.attrs["disagreement"] == f"By mean score 'p1' leads, by 0.0055 over 'p0': {WHY}"
    means = flat(scores)
    assert list(means["player"]) == ["p1", "p0", "p2"]
    # p0 loses one round to p2, p1 two fewer of its own 25.
    assert means.attrs["disagreement"] == (
        f"By matches won 'p0' leads, with 0.84 of its matches against 0.62 of 'p1': {WHY}"
    )


def test_one_leader_needs_no_sentence(scores):
    assert "disagreement" not in table_of(scores.fillna(0.0)).attrs
    same = often_by_little().sel(player=["p0", "p2"])
    assert "disagreement" not in table_of(same).attrs
    assert "disagreement" not in flat(same).attrs


def test_columns_are_means_and_shares_of_wins():
    scores = often_by_little()
    table = table_of(scores).set_index("player")
    np.testing.assert_allclose(table["score"], scores.mean("round").sel(player=table.index))
    shares = flat(scores).set_index("player")["win_rate"]
    matches = lb.matches(scores)
    expected = (matches["wins"].sum("opponent") / matches["n"].sum("opponent")).to_series()
    np.testing.assert_allclose(shares, expected[shares.index])


def test_ties_are_half_a_win_and_are_said():
    scores = often_by_little()
    scores[1, 10:13] = scores[0, 10:13]
    matches = lb.matches(scores)
    shares = flat(scores).set_index("player")["win_rate"]
    expected = (matches["wins"].sum("opponent") / matches["n"].sum("opponent")).to_series()
    np.testing.assert_allclose(shares, expected[shares.index])
    said = table_of(scores).attrs["disagreement"]
    assert said.endswith(
        "'p0' wins 15 of their 25 rounds, by 0.004 on average, ties 3 and loses 7, by 0.03."
    )


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


def test_rounds_that_both_have_are_counted():
    scores = often_by_little()
    scores[1, 24] = np.nan
    said = table_of(scores).attrs["disagreement"]
    assert said.endswith(
        "'p0' wins 17 of the 24 rounds that both have, by 0.004 on average, and loses 7, by 0.03."
    )


def test_what_matches_with_others_decide_is_said():
    """p1 wins more of their rounds than p0, and in all others is behind everybody."""
    rounds = np.arange(20)
    rest = [np.where(rounds == at, 0.2, -0.05) for at in range(3)]
    table = table_of(board([0.0 * rounds, np.where(rounds < 11, 0.3, -0.1), *rest]))
    # 9 + 3 * 19 and 11 + 3 * 11 of 80.
    assert table.attrs["disagreement"] == (
        "By mean score 'p1' leads, by 0.12 over 'p0': 'p0' wins 0.82 of all its matches, 'p1' 0.55."
    )


def test_rounds_of_unequal_scale_are_said():
    scores = often_by_little()
    wide = np.where(np.arange(25) < 10, 1.0, 0.01)
    text = table_of(scores.copy(data=scores * wide)).attrs["disagreement"]
    assert "Scores spread about 0.000" in text
    assert text.endswith("and mean scores go by the latter.")
    assert "spread" not in table_of(scores).attrs["disagreement"]


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


def test_medians_have_no_reason_by_sums():
    rounds = np.arange(25)
    values = [rounds, np.where(rounds < 7, 30.0, rounds - 0.5), -np.ones(25)]
    table = table_of(board(values), "mean_score", statistic="median")
    assert list(table["player"][:2]) == ["p1", "p0"]
    assert table.attrs["disagreement"] == (
        "By matches won 'p0' leads, with 0.86 of its matches against 0.64 of 'p1'."
    )


@pytest.mark.parametrize(
    ("means", "expected"),
    [((0.946, 0.95, 0.6), 4), ((0.95, 0.946, 0.6), 3), ((0.9, 0.9, 0.9), 2), ((2e4, 3e4, 1e4), 0)],
)
def test_decimals_show_who_is_ahead(means, expected):
    table = table_of(often_by_little())
    assert column_beside(table.assign(score=means)) == ("score", expected)


def test_names_are_called_as_asked(tmp_path):
    dt = lb.fit(often_by_little(), sampler="laplace", seed=1)
    called = disagreement(dt, lb.leaderboard(dt), lambda player: f"<{player}>")
    assert called.startswith("By mean score <p1> leads, by 0.0055 over <p0>: <p0> wins 18 of")
    steering = often_by_little().assign_coords(player=["a\x1b[31m", "\u202eb", "c" * 90])
    text = table_of(steering).attrs["disagreement"]
    assert text.isprintable()
    assert xr.DataArray(attrs={"said": text}).to_netcdf(tmp_path / "x.nc") is None
