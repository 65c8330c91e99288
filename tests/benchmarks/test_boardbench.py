"""The arithmetic of benchmarks/boardbench, its boards and its page."""

import importlib
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

ROOT = Path(__file__).parents[2]
HOME = ROOT / "benchmarks" / "boardbench"
PAIR = np.array([[0.5, 0.9], [0.1, 0.5]])


@pytest.fixture(scope="module")
def part():
    """Import a file of boardbench by its name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(HOME))
        patch.syspath_prepend(str(HOME / "tools"))
        yield importlib.import_module


@pytest.fixture(scope="module")
def scoring(part):
    return part("scoring")


@pytest.fixture(scope="module")
def boards(part):
    return part("boards")


def test_boards_are_the_frozen_ones(boards):
    frozen = json.loads(boards.FROZEN.read_text())
    assert list(frozen) == [*boards.SIMULATED, *boards.REAL]
    assert len(frozen) == 20
    for kind in boards.SIMULATED:
        assert boards.digest(boards.simulated(kind, 0).scores) == frozen[kind], kind
    # Shipped ones; the others are fetched, and run.py asks them.
    for name in ("breast_cancer", "regressors", "answers"):
        assert boards.digest(boards.real(name).scores) == frozen[name], name


def test_numbers_give_other_boards(boards):
    one, other = (boards.simulated("normal", k).scores for k in (0, 1))
    assert boards.digest(one) != boards.digest(other)
    swapped = one[one.columns[::-1]]
    assert boards.digest(one) != boards.digest(swapped)


@pytest.mark.parametrize("kind", ["gumbel", "normal", "t3", "own scales", "families", "ties"])
def test_truth_is_that_of_very_many_rounds(boards, kind):
    make, players, *_ = boards.SIMULATED[kind]
    scores, mean, win = make(players, 4000, boards._Uniforms(1, 2))
    happened = (np.sign(scores[:, None] - scores) + 1.0).mean(axis=-1) / 2.0
    error = np.sqrt(win * (1.0 - win) / 4000.0)
    assert (np.abs(happened - win) < 5.0 * error)[~np.eye(players, dtype=bool)].all()
    level = scores.mean(axis=1) - mean
    assert np.ptp(level) < 10.0 * scores.std(axis=1).max() / np.sqrt(4000.0)


@pytest.mark.parametrize("kind", ["items", "items in clusters"])
def test_truth_of_items_is_the_share_of_very_many(boards, kind):
    make, players, *_ = boards.SIMULATED[kind]
    answers, share, win = make(players, 40_000, boards._Uniforms(3))
    np.testing.assert_allclose(answers.mean(axis=1), share, atol=0.02)
    np.testing.assert_allclose(win, 0.5 + (share[:, None] - share) / 2.0)


def test_halves_part_the_rounds(boards):
    board = boards.real("wine")
    fitted, kept = boards.halves(board, 0)
    assert (len(fitted.scores), len(kept)) == (12, 13)
    both = pd.concat([fitted.scores, kept]).sort_index()
    pd.testing.assert_frame_equal(both, board.scores.sort_index())
    assert list(boards.halves(board, 1)[1].index) != list(kept.index)


def test_what_no_answer_can_be_is_refused(scoring):
    m = 2
    with pytest.raises(ValueError, match=r"p_best.* is no entry"):
        scoring.checked({"p_best": [0.5, 0.5]}, m)
    with pytest.raises(ValueError, match="p_better is of shape"):
        scoring.checked({"p_better": [0.5, 0.5]}, m)
    with pytest.raises(ValueError, match="are not 1"):
        scoring.checked({"p_better": [[0.5, 0.9], [0.9, 0.5]]}, m)
    with pytest.raises(ValueError, match="not between 0 and 1"):
        scoring.checked({"p_wins": [[0.5, 1.1], [-0.1, 0.5]]}, m)
    with pytest.raises(ValueError, match="not between 0 and 1"):
        scoring.checked({"p_wins": [[0.5, np.nan], [np.nan, 0.5]]}, m)
    ends = {"difference_lower": np.zeros((2, 2)), "difference_upper": np.ones((2, 2))}
    with pytest.raises(ValueError, match="need a unit"):
        scoring.checked(ends, m)
    turned = dict(zip(ends, list(ends.values())[::-1], strict=True))
    with pytest.raises(ValueError, match="is above"):
        scoring.checked(turned | {"unit": "score"}, m)
    with pytest.raises(ValueError, match="each is better"):
        scoring.checked({"apart": np.ones((2, 2))}, m)


def test_claims_and_ranks_follow_from_probabilities(scoring):
    p = np.array([[0.5, 0.98, 0.99], [0.02, 0.5, 0.9], [0.01, 0.1, 0.5]])
    found = scoring.checked({"p_better": p}, 3)
    np.testing.assert_array_equal(found["apart"], p >= 0.975)
    # The first is above both; the others may change places.
    np.testing.assert_array_equal(found["rank_lower"], [1, 2, 2])
    np.testing.assert_array_equal(found["rank_upper"], [1, 3, 3])


def test_true_ranks_of_equals_are_several(scoring):
    best, worst = scoring.true_ranks(np.array([3.0, 1.0, 2.0, 2.0]))
    np.testing.assert_array_equal(best, [1, 4, 2, 2])
    np.testing.assert_array_equal(worst, [1, 4, 3, 3])


def test_true_differences_by_unit(scoring):
    score = np.array([1.0, 0.0])
    win = expit(score[:, None] - score)
    given = {unit: scoring.true_difference(unit, score, win)[0, 1] for unit in scoring.UNITS}
    # Of two players mean ranks are 2 - P(wins) and 1 + P(wins).
    np.testing.assert_allclose(
        [given["score"], given["log_odds"], given["mean_rank"]], [1.0, 1.0, 2.0 * win[0, 1] - 1.0]
    )


def test_log_score(scoring):
    assert scoring.log_score(np.array([0.5]), np.array([1.0]))[0] == pytest.approx(np.log(2.0))
    assert scoring.log_score(np.array([0.8]), np.array([1.0]))[0] == pytest.approx(-np.log(0.8))
    assert scoring.log_score(np.array([0.8]), np.array([0.0]))[0] == pytest.approx(-np.log(0.2))
    half = scoring.log_score(np.array([0.8]), np.array([0.5]))[0]
    assert half == pytest.approx(-(np.log(0.8) + np.log(0.2)) / 2.0)
    # What was impossible and happened costs much, not everything.
    assert scoring.log_score(np.array([0.0]), np.array([1.0]))[0] == pytest.approx(np.log(2000.0))


def test_against_the_truth_by_hand(scoring):
    score = np.array([2.0, 1.0, 1.0])
    win = expit(score[:, None] - score)
    apart = np.zeros((3, 3))
    apart[0, 1] = apart[1, 2] = 1.0  # true; and of two that are equal
    low = score[:, None] - score - 0.5
    high = low + 1.0
    low[0, 1], high[0, 1] = 1.5, 2.0  # misses
    given = {
        "apart": apart, "difference_lower": low, "difference_upper": high, "unit": "score",
        "p_better": np.array([[0.5, 0.9, 0.6], [0.1, 0.5, 0.99], [0.4, 0.01, 0.5]]),
    }  # fmt: skip
    row = scoring.of_truth(scoring.checked(given, 3), score, win)
    assert row["differences"] == pytest.approx(2 / 3)
    # Ranks: 1 to 2, 2 to 2 and 2 to 3; the last two may each be second or third.
    assert row["ranks"] == 1.0
    assert row["rank_width"] == pytest.approx((2 + 1 + 2) / 3)
    assert (row["claims"], row["wrong"]) == (2.0, 1.0)
    assert row["told"] == 0.5
    assert row["log_score"] == pytest.approx(-(np.log(0.9) + np.log(0.6)) / 2.0)


def test_a_claim_the_wrong_way_round_is_wrong(scoring):
    score = np.array([0.0, 1.0])
    row = scoring.of_truth(
        scoring.checked({"apart": [[0, 1], [0, 0]]}, 2), score, expit(score[:, None] - score)
    )
    assert (row["claims"], row["wrong"], row["told"], row["ranks"]) == (1.0, 1.0, 1.0, 0.0)
    assert np.isnan(row["differences"])
    assert np.isnan(row["log_score"])


def test_nothing_is_asked_of_equals_but_claims(scoring):
    row = scoring.of_truth(
        scoring.checked({"p_better": PAIR}, 2), np.zeros(2), np.full((2, 2), 0.5)
    )
    assert (row["claims"], row["wrong"]) == (0.0, 0.0)
    assert np.isnan(row["told"])
    assert np.isnan(row["log_score"])


def test_reliability_is_of_the_likelier(scoring):
    found = scoring.reliability(np.array([0.9, 0.1, 0.55, 1.0]), np.array([1.0, 1.0, 0.0, 1.0]))
    assert found[:, 0].tolist() == [1, 0, 0, 0, 2, 0, 1]
    np.testing.assert_allclose(found[4], [2, 1.8, 1])  # 0.9 was so, 0.9 of the other was not
    np.testing.assert_allclose(found[0], [1, 0.55, 0])
    np.testing.assert_allclose(found[6], [1, 1.0, 1])


def test_half_against_half_by_hand(scoring):
    kept = np.array([[1.0, 0.0], [2.0, 2.0], [5.0, 1.0], [np.nan, 3.0]])
    row = scoring.of_half(scoring.checked({"p_wins": PAIR, "p_better": PAIR}, 2), kept, 4)
    tie = -(np.log(0.9) + np.log(0.1)) / 2.0
    assert row["rounds"] == pytest.approx((-2.0 * np.log(0.9) + tie) / 3.0)
    # As many rounds were seen as are kept: the deviate is divided by the root of two.
    from scipy.stats import norm

    assert row["leader"] == pytest.approx(-np.log(norm.cdf(norm.ppf(0.9) / np.sqrt(2.0))))


def test_predicted_leads_are_calibrated_under_a_flat_prior(scoring):
    rng = np.random.default_rng(1)
    seen, further = 6, 3
    true = rng.normal(scale=1.0, size=20_000)
    mean = true + rng.normal(size=true.size) / np.sqrt(seen)
    from scipy.stats import norm

    p = norm.cdf(mean * np.sqrt(seen))
    later = true + rng.normal(size=true.size) / np.sqrt(further)
    ahead = norm.cdf(norm.ppf(p) / np.sqrt(1.0 + seen / further))
    # Not exactly so: truths have a law, which a flat prior does not know.
    near = (ahead > 0.6) & (ahead < 0.7)
    assert (later[near] > 0).mean() == pytest.approx(ahead[near].mean(), abs=0.05)


def test_mean_and_its_error(scoring):
    assert scoring.mean_error([1.0, np.nan, 3.0]) == (2.0, pytest.approx(1.0))
    assert np.isnan(scoring.mean_error([np.nan])).all()
    mean, error = scoring.mean_error([1.0])
    assert mean == 1.0
    assert np.isnan(error)


def test_draws_become_an_answer(part, scoring):
    draws = np.array([[2.0, 1.0, 0.0]] * 97 + [[0.0, 1.0, 2.0]] * 3)
    found = part("_serve").from_draws(draws, "score")
    assert found["p_better"][0, 1] == pytest.approx(0.97)
    assert found["p_better"][1, 0] == pytest.approx(0.03)
    np.testing.assert_array_equal(found["rank_lower"], [1, 2, 1])
    np.testing.assert_array_equal(found["rank_upper"], [3, 2, 3])
    scoring.checked(found, 3)


def test_long_nuts_is_of_these_boards(part, boards):
    rows = json.loads((HOME / "reference.json").read_text())
    for row in rows:
        name = row["board"]
        board = boards.simulated(name, 0) if name in boards.SIMULATED else boards.real(name)
        assert row["digest"] == boards.digest(board.scores)
        assert row["max_rhat"] < 1.01
        assert row["divergences"] == 0
    assert len(rows) == 5


def test_ours_answers_and_agrees_with_long_nuts(part, boards, scoring):
    rows = {
        (row["board"], row["model"]): row
        for row in json.loads((HOME / "reference.json").read_text())
    }
    board = boards.simulated("gumbel", 0)
    said = scoring.checked(part("ours").bradley_terry(board.scores, board.facts, 1), 8)
    long = np.array(rows["gumbel", "bradley_terry"]["p_better"])
    assert np.abs(said["p_better"] - long).max() < 0.06
    row = scoring.of_truth(said, board.score, board.win)
    assert row["differences"] > 0.5


def test_page_is_of_these_boards_and_tools(boards):
    text = (ROOT / "docs" / "boardbench.md").read_text(encoding="utf-8")
    for name in (*boards.SIMULATED, *boards.REAL):
        assert f"| {name} |" in text, f"run benchmarks/boardbench/run.py again: no {name}"
    for file in (HOME / "tools").glob("[!_]*.py"):
        for tool in re.findall(r'^    "(.*)": \w+,$', file.read_text(encoding="utf-8"), re.M):
            assert f"| {tool} |" in text, f"run benchmarks/boardbench/run.py again: no {tool}"
