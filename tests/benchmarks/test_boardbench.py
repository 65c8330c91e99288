"""The arithmetic of benchmarks/boardbench, its boards and its page."""

import importlib
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.special import betaincinv, expit
from scipy.stats import norm

ROOT = Path(__file__).parents[2]
HOME = ROOT / "benchmarks" / "boardbench"
PAIR = np.array([[0.5, 0.9], [0.1, 0.5]])
ABOUT = dict.fromkeys(  # a run
    ("boards", "splits", "cells", "limit", "real", "minutes", "workers", "cores", "load"), 1
) | {"date": "", "quick": False, "absent": [], "failed": {}}


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


def test_boards_are_the_frozen_ones(boards, monkeypatch):
    frozen = json.loads(boards.FROZEN.read_text())
    assert list(frozen) == [*boards.SIMULATED, *boards.CELLS, *boards.SOURCES]
    # Fetched boards only where they are at hand: nothing is downloaded here.
    monkeypatch.setattr(boards, "SOURCES", boards._SHIPPED)
    found = boards.digests()
    assert found == {name: frozen[name] for name in found}


def test_fetched_boards_are_the_frozen_ones(boards, monkeypatch):
    folder = ROOT.parent / "shared" / "reference"
    if not folder.is_dir():
        pytest.skip(f"{folder} is absent")
    monkeypatch.setenv("LEADERBAYES_DATA", str(folder))
    found = {source: boards.real(source) for source in ("bbtcomp", "amlb_4h")}
    frozen = json.loads(boards.FROZEN.read_text())
    for source, each in found.items():
        assert boards.digest_of(each) == frozen[source]
    assert len(found["amlb_4h"]) == 39
    assert "constantpredictor" not in found["amlb_4h"]["amlb_4h australian"].scores


def test_held_out_boards_are_a_third(boards):
    held = [boards.held_out(f"board {k}") for k in range(3000)]
    assert abs(np.mean(held) - 1 / 3) < 0.03
    assert [boards.held_out(name) for name in ("wine", "digits")] == [True, False]


@pytest.mark.parametrize(
    "kind", ["gumbel", "normal", "t3", "own scales", "families", "ties", "clones, 8 x 10"]
)
def test_truth_is_that_of_very_many_rounds(boards, kind):
    make, players, *_ = (boards.SIMULATED | boards.CELLS)[kind]
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
    board = boards.real("wine")["wine"]
    fitted, kept = boards.halves(board, 0)
    assert (len(fitted.scores), len(kept)) == (12, 13)
    both = pd.concat([fitted.scores, kept]).sort_index()
    pd.testing.assert_frame_equal(both, board.scores.sort_index())
    assert list(boards.halves(board, 1)[1].index) != list(kept.index)


def test_what_no_answer_can_be_is_refused(scoring):
    low, high = np.zeros((2, 2)), np.ones((2, 2))
    wrong = [
        ({"p_best": [0.5, 0.5]}, r"p_best.* is no entry"),
        ({"p_better": [0.5, 0.5]}, "p_better is of shape"),
        ({"p_better": [[0.5, 0.9], [0.9, 0.5]]}, "are not 1"),
        ({"p_wins": [[0.5, 1.1], [-0.1, 0.5]]}, "not between 0 and 1"),
        ({"p_wins": [[0.5, np.nan], [np.nan, 0.5]]}, "not between 0 and 1"),
        ({"difference_lower": low, "difference_upper": high}, "need a unit"),
        ({"difference_lower": high, "difference_upper": low, "unit": "score"}, "is above"),
        ({"apart": high}, "each is better"),
    ]
    for answer, message in wrong:
        with pytest.raises(ValueError, match=message):
            scoring.checked(answer, 2)


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
    half = (np.log(0.8) + np.log(0.2)) / 2.0
    # What was impossible and happened costs much, not everything.
    p, happened = np.array([0.5, 0.8, 0.8, 0.8, 0.0]), np.array([1.0, 1.0, 0.0, 0.5, 1.0])
    found = -scoring.log_score(p, happened)
    np.testing.assert_allclose(found, [*np.log([0.5, 0.8, 0.2]), half, -np.log(2000.0)])


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
    assert not {"differences", "log_score"} & set(row)


def test_nothing_is_asked_of_equals_but_claims(scoring):
    row = scoring.of_truth(
        scoring.checked({"p_better": PAIR}, 2), np.zeros(2), np.full((2, 2), 0.5)
    )
    assert (row["claims"], row["wrong"]) == (0.0, 0.0)
    assert not {"told", "log_score"} & set(row)


def test_reliability_is_of_the_likelier(scoring):
    found = scoring.reliability(np.array([0.9, 0.1, 0.55, 1.0]), np.array([1.0, 1.0, 0.0, 1.0]))
    assert found[:, 0].tolist() == [1, 0, 0, 0, 2, 0, 1]
    np.testing.assert_allclose(found[4], [2, 1.8, 1])  # 0.9 was so, 0.9 of the other was not
    np.testing.assert_allclose(found[0], [1, 0.55, 0])
    np.testing.assert_allclose(found[6], [1, 1.0, 1])


def test_half_against_half_by_hand(scoring):
    kept = np.array([[1.0, 0.0], [2.0, 2.0], [5.0, 1.0]])
    given = {"p_wins": PAIR, "p_better": PAIR, "p_leads": [0.8, 0.2]}
    row = scoring.of_half(scoring.checked(given, 2), kept, 3)
    tie = -(np.log(0.9) + np.log(0.1)) / 2.0
    assert row["rounds"] == pytest.approx((-2.0 * np.log(0.9) + tie) / 3.0)
    # As many rounds were seen as are kept: the deviate is divided by the root of two.
    assert row["leader"] == pytest.approx(-np.log(norm.cdf(norm.ppf(0.9) / np.sqrt(2.0))))
    assert row["best"] == pytest.approx(-np.log(0.8))
    level = scoring.of_half(scoring.checked(given, 2), np.array([[1.0, 0.0], [0.0, 1.0]]), 3)
    assert level["best"] == pytest.approx(-(np.log(0.8) + np.log(0.2)) / 2.0)


@pytest.mark.slow
@pytest.mark.parametrize("rounds", [3, 40])
def test_right_predictions_cover_what_they_claim(scoring, rounds):
    rng = np.random.default_rng(rounds)
    a, b = rng.gamma(3.0, size=(2, 20_000))
    quantiles = betaincinv(a, b, scoring.LEVELS[:, None])
    won = rng.binomial(rounds, rng.beta(a, b))
    for prob in (0.95, 0.8):
        covered = scoring.predicted(quantiles, won.astype(float), rounds, prob).mean()
        # The Monte Carlo error is up to 0.003, and seven quantiles are not the whole distribution.
        assert covered == pytest.approx(prob, abs=0.01)
    sure = np.full((len(scoring.LEVELS), 1), 0.5)
    assert scoring.predicted(sure, np.array([0.0]), 100, 0.95) == 0.0
    # Of two rounds with a win each 0.25, 0.5, 0.25: one win is between 0.25 and 0.75.
    assert scoring.predicted(sure, np.array([1.0]), 2, 0.4)[0] == pytest.approx(0.4 / 0.5)


def test_win_intervals_are_compared_with_the_truth(scoring):
    score = np.array([1.0, 0.0])
    quantiles = np.linspace(0.6, 0.8, len(scoring.LEVELS))[:, None, None] * np.ones((1, 2, 2))
    answer = scoring.checked({"wins_quantiles": quantiles}, 2)
    for win, held in ((0.7, 1.0), (0.9, 0.0)):
        row = scoring.of_truth(answer, score, np.array([[0.5, win], [1.0 - win, 0.5]]))
        assert (row["wins"], row["wins_width"]) == (held, pytest.approx(0.2))


def test_calibration_error_by_hand(scoring):
    one = scoring.reliability(np.array([0.9, 0.9]), np.array([1.0, 0.0]))
    other = scoring.reliability(np.array([0.9, 0.9]), np.array([1.0, 1.0]))
    error, spread = scoring.calibration_error([one, other])
    assert error == pytest.approx(0.15)
    # Without either it is 0.1 and 0.4, and their standard deviation 0.15.
    assert spread == pytest.approx(0.15)


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


def test_ours_answers(part, boards, scoring):
    board = boards.simulated("gumbel", 0)
    ours = part("ours")
    said = scoring.checked(ours.TOOLS["leaderbayes bradley_terry"](board.scores, board.facts, 1), 8)
    assert (np.diff(said["wins_quantiles"], axis=0) >= 0.0)[:, ~np.eye(8, dtype=bool)].all()
    assert said["p_leads"].sum() == pytest.approx(1.0)
    row = scoring.of_truth(said, board.score, board.win)
    assert min(row["differences"], row["wins"]) > 0.5
    alone = ours.TOOLS["leaderbayes bradley_terry, by model"](board.scores, board.facts, 1)
    assert set(alone) == {"p_wins", "wins_quantiles"}
    assert not np.array_equal(alone["p_wins"], said["p_wins"])


def test_page_says_who_is_ahead_and_by_how_much(part, scoring):
    report, rows = part("report"), []
    for tool, loss in ((part("report").DEFAULT, 0.4), ("peer", 0.39), ("third", 0.5)):
        for k in range(30):
            row = {"tool": tool, "for": "half", "board": f"b{k}", "number": 0, "cpu": 1.0}
            # Boards differ in difficulty, and the peer has fewer of them.
            row |= {"rounds": loss + k, "cover95": 0.95 if tool == "third" else 0.9}
            rows += [row] if tool != "peer" or k < 15 else []
    about = ABOUT | {"sources": dict.fromkeys(part("boards").SOURCES, 1)}
    tools = [report.DEFAULT, "peer", "third"]
    text = "".join(report.page(rows, tools, about))
    assert text.count(f"- *rounds*: peer is ahead of {report.DEFAULT} by 0.0100 (0.0000).") == 3
    assert (
        text.count(f"- *95 %*: third is nearer to it than {report.DEFAULT} by 0.0500 (0.0000).")
        == 3
    )
    assert "third is ahead" not in text
    assert "0.1000 (0.0000)" in text
    alone = "".join(report.page([row for row in rows if row["tool"] == "third"], ["third"], about))
    assert "A model of leaderbayes leads" not in alone
    best = "".join(report.page([row for row in rows if row["tool"] != "peer"][:30], tools, about))
    assert "A model of leaderbayes leads every column except *wide* and *CPU s*." in best


def test_page_says_what_ours_lose(part):
    """The sentence above the table has the table's numbers."""
    report, rows = part("report"), []
    tools = [report.DEFAULT, "leaderbayes mean_score", "autorank", "scikit-posthocs, Nemenyi"]
    for tool, wrong in zip(tools, (3, 2, 1, 0), strict=True):
        for k in range(10):
            row = {"tool": tool, "for": "simulated", "board": "gumbel", "number": k, "cpu": 1.0}
            told = 0.1 * (wrong + 4)
            rows.append(row | {"claims": 5, "wrong": k < wrong, "told": told, "differences": 0.9})
    page = report.page(rows, tools, ABOUT | {"sources": dict.fromkeys(part("boards").SOURCES, 1)})
    text = " ".join(page[0].split())
    assert (
        "`bradley_terry` makes a wrong claim on 0.30 of boards and `mean_score` on 0.20, but "
        "autorank on 0.10 and Nemenyi's test on 0.00. These two distinguish fewer pairs: 0.50 and "
        "0.40, ours 0.70 and 0.60. Our intervals of differences cover 0.90 and 0.90, baycomp's ?."
    ) in text


def test_page_is_of_these_boards_and_tools(boards):
    pages = (ROOT / "docs" / "boardbench.md", HOME / "tables.md")
    text = "".join(page.read_text(encoding="utf-8") for page in pages)
    for name in (*boards.SIMULATED, *boards.SOURCES):
        assert f"| {name} |" in text, f"run benchmarks/boardbench/run.py again: no {name}"
    for file in (HOME / "tools").glob("[!_]*.py"):
        for tool in re.findall(r'^    "(.*)": \w+,$', file.read_text(encoding="utf-8"), re.M):
            assert f"| {tool} |" in text, f"run benchmarks/boardbench/run.py again: no {tool}"
