"""Answers in the metric's own unit: tables, comparisons, and what has no meaning for them."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board


def values_of():
    rng = np.random.default_rng(3)
    mean = np.array([0.9, 0.88, 0.7, 0.5])
    return mean[:, None] + 0.02 * rng.normal(size=(4, 20)) + 0.05 * rng.normal(size=20)


@pytest.fixture(scope="module")
def accuracy():
    return lb.fit(board(values_of()), "mean_score", seed=1, progressbar=False)


@pytest.fixture(scope="module")
def loss():
    """The same board, of which lower is better."""
    scores = board(-values_of(), higher_is_better=False)
    return lb.fit(scores, "mean_score", seed=1, progressbar=False)


def test_leaderboard_is_in_the_unit(accuracy):
    table = lb.leaderboard(accuracy)
    assert list(table.columns) == [
        "player", "score", "score_lower", "score_upper", "difference", "difference_lower",
        "difference_upper", "win_rate", "p_best", "rank", "rank_lower", "rank_upper",
    ]  # fmt: skip
    assert table["player"].tolist() == ["p0", "p1", "p2", "p3"]
    mean = values_of().mean(axis=1)
    # Little is drawn together where players are far apart.
    np.testing.assert_allclose(table["score"], mean, atol=0.01)
    np.testing.assert_allclose(table["difference"], mean - mean[0], atol=0.01)
    assert (table.loc[0, ["difference", "difference_lower", "difference_upper"]] == 0.0).all()
    inside = (table["score_lower"] < table["score"]) & (table["score"] < table["score_upper"])
    assert inside.all()
    # The level of rounds, which all share, is in the score and not in the difference.
    width = (table["score_upper"] - table["score_lower"])[1:].mean()
    assert (table["difference_upper"] - table["difference_lower"])[1:].mean() < 0.7 * width
    assert table["p_best"].sum() == pytest.approx(1.0)
    assert table.attrs == {"converged": 1, "warnings": "[]"}


def test_a_loss_is_ranked_from_below(accuracy, loss):
    table, other = lb.leaderboard(accuracy), lb.leaderboard(loss)
    assert other["player"].tolist() == table["player"].tolist()
    np.testing.assert_allclose(other["score"], -table["score"], atol=0.005)
    np.testing.assert_allclose(other["p_best"], table["p_best"], atol=0.06)
    assert lb.tied_for_top(loss) == lb.tied_for_top(accuracy)
    assert lb.p_top(loss, 1).index[0] == "p0"
    assert float(lb.rank_probability(loss).sel(player="p3", rank=4)) > 0.99
    assert lb.compare(loss, "p0", "p3")["p_better"] > 0.99
    assert lb.compare(loss, "p0", "p3")["difference"] < 0.0


def test_compare(accuracy):
    pair = lb.compare(accuracy, "p0", "p2", rope=0.01)
    assert float(pair["difference"]) == pytest.approx(0.2, abs=0.02)
    assert pair["difference_lower"] < pair["difference"] < pair["difference_upper"]
    assert float(pair["p_better"] + pair["p_equivalent"] + pair["p_worse"]) == pytest.approx(1.0)
    assert pair["p_better"] > 0.99
    back = lb.compare(accuracy, "p2", "p0", rope=0.01)
    assert float(back["difference"]) == pytest.approx(-float(pair["difference"]))
    assert float(back["p_worse"]) == pytest.approx(float(pair["p_better"]))
    # Its own matches say who wins, as of any fit.
    won = (values_of()[0] > values_of()[2]).sum()
    assert float(pair["record_won"]) == won
    whole = lb.compare(accuracy, "p0", "p2", rope=1.0)
    assert whole["p_equivalent"] == 1.0
    assert pair.attrs["rope"] == 0.01


def test_win_probability_is_the_record(accuracy):
    plain, record = (lb.win_probability(accuracy, by=by) for by in ("model", "record"))
    assert plain.identical(record)
    assert plain.attrs["by"] == "record"


def test_groups_and_figures(accuracy):
    assert lb.groups(accuracy).query("group == 1")["player"].tolist()[0] == "p0"
    for figure in (lb.plots.leaderboard, lb.plots.rank_distribution, lb.plots.win_probability):
        assert figure(accuracy, backend="none") is not None


@pytest.mark.parametrize(
    ("a", "b", "rope", "message"),
    [
        ("p0", "p0", None, "compared with itself"),
        ("p0", "q", None, "no player 'q'"),
        ("p0", "p1", -0.1, "rope"),
        ("p0", "p1", np.nan, "rope"),
    ],
)
def test_refusals(accuracy, a, b, rope, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.compare(accuracy, a, b, rope=rope)


@pytest.mark.parametrize(
    "answer",
    [
        lb.check, lb.loo, lb.deviance,
        lambda dt: lb.new_player(dt, board(values_of()[:1])),
    ],
)  # fmt: skip
def test_what_needs_log_odds_says_so(accuracy, answer):
    with pytest.raises(lb.LeaderbayesError, match=r"mean_score|mean scores"):
        answer(accuracy)
