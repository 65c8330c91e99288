"""Boards as they come: percent, leaks, copies, and n that only the scores tell."""

import warnings

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from leaderbayes.sota._suspects import copies


def drawn(m, n, seed=0, law=(900, 100)):
    rng = np.random.default_rng(seed)
    return rng.binomial(n, rng.beta(*law, m)) / n


def test_percent():
    """Percentages are shares times 100, and chance is in the same unit."""
    board = lb.sota.read_board([93.1, 92.0, 91.5, 0.0], n=1000, chance=50.0)
    np.testing.assert_allclose(board, [0.931, 0.92, 0.915, 0.0])
    assert (board.attrs["percent"], board.attrs["chance"]) == (1, 0.5)
    assert "percent" not in lb.sota.read_board([0.93, 0.9], n=100).attrs
    losses = lb.sota.read_board([7.0, 8.5], n=1000, higher_is_better=False)
    np.testing.assert_allclose(losses, [0.93, 0.915])
    with pytest.raises(lb.ScoresError, match=r"holds 93 and 0\.92: are they percentages or shares"):
        lb.sota.read_board([0.92, 93.0], n=100)
    with pytest.raises(lb.ScoresError, match=r"holds 931; shares are from 0 to 1, percentages"):
        lb.sota.read_board([931.0, 93.0], n=100)
    assert lb.sota.read_board([93.0, 100.0], n=100, ceiling=100).sizes["team"] == 1


@pytest.mark.parametrize("n", [997, 6618, 11072])
def test_n_is_told_by_the_scores(n):
    exact = drawn(400, n)
    for scores in (exact, np.floor(exact * 1e5) / 1e5, np.round(exact, 5)):
        board = lb.sota.read_board(scores, n="lattice")
        assert board.attrs["n"] == n
        assert board.attrs["n_from"] == "lattice"
        np.testing.assert_array_equal(board, scores)
    with pytest.raises(lb.LeaderbayesError, match=r"n='lattice': the 2 different scores.*give n"):
        lb.sota.read_board([0.93, 0.92], n="lattice")
    # A column of that name is one.
    table = pd.DataFrame({"score": [0.5, 0.25], "lattice": [10, 20]})
    assert lb.sota.read_board(table, n="lattice").attrs["metric"] == "estimate"
    with pytest.raises(lb.ScoresError, match="no column 'lattice'"):
        lb.sota.read_board([0.5, 0.25], n="lattice", metric="auc", positive_rate=0.5)


def test_what_a_series_says():
    teams = pd.Series(drawn(50, 500), name="score")
    teams.attrs |= {"n": 500, "classes": 7}
    board = lb.sota.read_board(teams)
    assert (board.attrs["n"], board.attrs["classes"]) == (500, 7)
    other = lb.sota.read_board(teams, n=1000, classes=3)
    assert (other.attrs["n"], other.attrs["classes"]) == (1000, 3)
    assert "chance" in lb.sota.read_board(teams, chance=0.1).attrs
    assert lb.sota.read_board(teams, n=1000).attrs["classes"] == 7
    assert "classes" not in lb.sota.read_board(teams, se=0.1).attrs


def test_leaving_out():
    table = pd.DataFrame({"team": ["base", "a", "b", "leak"], "score": [0.2, 0.9, 0.88, 1.0]})
    board = lb.sota.read_board(table, n=100, exclude="base", ceiling=1.0)
    assert list(board["team"].to_numpy()) == ["a", "b"]
    assert board.attrs["left_out"] == 2
    both = lb.sota.read_board(table, n=100, exclude=["base", "leak"])
    assert both.attrs == board.attrs
    # Of losses the ceiling is a floor; of estimates it is on the source's scale.
    losses = table.assign(loss=1.0 - table["score"])
    kept = lb.sota.read_board(losses, se=0.1, score="loss", higher_is_better=False, ceiling=0.0)
    assert list(kept["team"].to_numpy()) == ["base", "a", "b"]
    sized = table.assign(n=[10, 20, 30, 40])
    kept = lb.sota.read_board(sized, n="n", ceiling=1.0)
    np.testing.assert_allclose(kept["se"], np.sqrt([0.016, 0.0045, 0.88 * 0.12 / 30]))
    with pytest.raises(lb.ScoresError, match="exclude: no team 'bas'; did you mean 'base'"):
        lb.sota.read_board(table, n=100, exclude="bas")
    with pytest.raises(lb.LeaderbayesError, match="No team is left"):
        lb.sota.read_board(table, n=100, ceiling=0.1)


def test_leaks_are_said():
    with pytest.warns(lb.HintWarning, match=r"LB032 2 teams \('0', '1'\) have a perfect score"):
        lb.sota.read_board([1.0, 1.0, 0.9, 0.85], n=1000)
    with pytest.warns(lb.HintWarning, match=r"LB032 1 team \('0'\) has a perfect score"):
        lb.sota.read_board([1.0, 0.9, 0.85], n=1000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lb.sota.read_board([1.0, 0.999, 0.85], n=1000)
        lb.sota.read_board([1.0, 0.9, 0.85], n=1000, ceiling=1.0)
        lb.sota.read_board([1.0, 0.5], n=20)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("m", "n"), [(30, 200), (400, 2000), (3500, 10_000)])
def test_ties_by_chance_are_no_copies(m, n, seed):
    values, _, _ = copies(drawn(m, n, seed), n)
    assert len(values) == 0


def test_copies_are_found():
    scores = drawn(800, 5000)
    notebook = float(np.quantile(scores, 0.9))
    notebook = round(notebook * 5000) / 5000
    board = np.concatenate([scores, np.full(60, notebook), np.full(25, 0.2)])
    with pytest.warns(lb.HintWarning, match=r"LB031 2 scores are shared.*by 6\d, where [1-9]"):
        whole = lb.sota.read_board(board, n=5000, chance=0.0)
    assert whole.sizes["team"] == 885
    with pytest.warns(lb.HintWarning, match="of them are left out"):
        once = lb.sota.read_board(board, n=5000, chance=0.0, clones="one")
    assert once.attrs["left_out"] == pytest.approx(84, abs=5)
    assert int((once == 0.2).sum()) == 1
    assert 799 < once.sizes["team"] < 806
    # Where scores have many digits two that are equal are the same submission.
    rng = np.random.default_rng(0)
    fine = rng.random(40)
    with pytest.warns(lb.HintWarning, match="LB031 1 score is shared.*1 more in all"):
        lb.sota.read_board(np.append(fine, fine[3]), se=0.01, clones="one")


def test_copies_where_all_or_nearly_all_are():
    with pytest.warns(lb.HintWarning, match=r"LB031 1 score is shared.*0\.912 by 30, where [1-3] "):
        board = lb.sota.read_board([0.912] * 30, n=1000)
    assert board.sizes["team"] == 30
    with pytest.warns(lb.HintWarning, match=r"LB031 1 score.*0\.912 by 8"):
        once = lb.sota.read_board([0.93] + [0.912] * 8, n=1000, clones="one")
    assert once.sizes["team"] == 2
    # Luck is that of the two that chance would have, and not of thirty.
    found, of_two = lb.sota.winner(board), lb.sota.winner(lb.sota.read_board([0.912] * 2, n=1000))
    assert float(found["simultaneous_lower"]) == float(of_two["simultaneous_lower"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for few in ([0.9] * 30, [0.912] * 3, [1.0] * 30):  # printed with one digit; few; perfect
            lb.sota.read_board(few, n=1000)
        lb.sota.read_board([0.912] * 30, se=0.01)


def test_equal_teams_on_few_instances_are_no_copies():
    rng, alarms = np.random.default_rng(3), 0
    for n in (10, 30, 100):
        for m in (3, 10, 40):
            for _ in range(100):
                scores = rng.binomial(n, 0.9, m) / n
                alarms += len(np.unique(scores)) < 5 and len(copies(scores, n)[0])
    assert alarms == 0


@pytest.mark.parametrize(
    ("m", "n", "top", "digits"),
    [(1238, 374, 0.999, 5), (1150, 1313, 0.999, 5), (2283, 1184, 0.85, 3), (2864, 7438, 0.985, 3)],
)
def test_crowds_on_few_steps_are_no_copies(m, n, top, digits):
    """Equal teams next to 1, or whose few digits hold one count here and two there."""
    for seed in range(10):
        rng = np.random.default_rng(seed)
        score = np.floor(rng.binomial(n, top, m) / n * 10**digits + 1e-9) / 10**digits
        assert not len(copies(score, n)[0])
        score[:300] = score[0]
        assert top > 0.9 or score[0] in copies(score, n)[0]


def test_perfect_scores_that_nobody_is_near_are_copies():
    score = np.append(drawn(500, 1000), np.ones(20))
    values, counts, _ = copies(score, 1000)
    assert dict(zip(values, counts, strict=True)) == {1.0: 20}


def test_who_guesses_is_no_copy():
    """Four at chance on a board of classifiers that have learned something."""
    learned = 0.8 + 0.005 * np.arange(30)
    with warnings.catch_warnings():
        warnings.simplefilter("error", lb.HintWarning)
        board = lb.sota.read_board(np.append(learned, [0.1] * 4), n=1000, classes=10)
        lower = lb.sota.read_board(
            1.0 - np.append(learned, [0.1] * 4), n=1000, classes=10, higher_is_better=False
        )
    assert board.sizes["team"] == lower.sizes["team"] == 34


@pytest.mark.parametrize("scores", [[1e308], [1e308, 1e308, 3.0]])
def test_numbers_at_the_end_of_floats_are_no_copies(scores):
    values, counts, expected = copies(np.array(scores), None)
    assert len(values) == len(counts) == len(expected) == 0
