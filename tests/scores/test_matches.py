"""Matches and connectivity."""

from functools import partial
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import leaderbayes as lb
from conftest import board
from leaderbayes._scores.matches import components, one_tournament, require_matches, say_apart

BOARDS = arrays(float, st.tuples(st.integers(2, 6), st.integers(1, 5)), elements=st.integers(0, 4))


def test_ties_rules():
    scores = board([[1.0, 2.0, 3.0], [1.0, 1.0, 4.0], [0.0, np.nan, 3.0]])
    half, drop, floor = (lb.matches(scores, ties=rule) for rule in ("half", "drop", "floor"))
    np.testing.assert_array_equal(half.wins, [[0, 1.5, 1.5], [1.5, 0, 2], [0.5, 0, 0]])
    np.testing.assert_array_equal(drop.wins, [[0, 1, 1], [1, 0, 2], [0, 0, 0]])
    np.testing.assert_array_equal(floor.wins, [[0, 1, 1], [1, 0, 2], [0, 0, 0]])
    np.testing.assert_array_equal(half.n, [[0, 3, 2], [3, 0, 2], [2, 2, 0]])
    np.testing.assert_array_equal(drop.n, [[0, 2, 1], [2, 0, 2], [1, 2, 0]])
    np.testing.assert_array_equal(half.tied, [[0, 1, 1], [1, 0, 0], [1, 0, 0]])


@settings(max_examples=40)
@given(values=BOARDS, within_round=st.booleans(), ties=st.sampled_from(["half", "drop"]))
def test_every_match_has_one_winner(values, within_round, ties):
    made = lb.matches(board(values), within_round=within_round, ties=ties)
    np.testing.assert_array_equal(made.wins + made.wins.values.T, made.n)


@settings(max_examples=40)
@given(values=BOARDS, within_round=st.booleans(), seed=st.integers(0, 99))
def test_relabelling_reversing_and_repeating(values, within_round, seed):
    scores = board(values)
    made = lb.matches(scores, within_round=within_round)
    order = np.random.default_rng(seed).permutation(scores.sizes["player"])
    permuted = lb.matches(scores.isel(player=order), within_round=within_round)
    np.testing.assert_array_equal(permuted.wins, made.wins.values[np.ix_(order, order)])
    lower = lb.matches(scores.assign_attrs(higher_is_better=0), within_round=within_round)
    np.testing.assert_array_equal(lower.wins, made.wins.values.T)
    twice = lb.matches(board(np.hstack([values, values])), within_round=within_round)
    np.testing.assert_array_equal(twice.wins, made.wins * (2 if within_round else 4))


def test_components_name_groups_and_islands():
    nan = np.nan
    split = lb.matches(board([[3, 3, 4], [4, 4, 3], [1, 2, 1], [2, 1, 2]]))
    groups = components(split)
    assert groups.to_dict() == {"p0": 1, "p1": 1, "p2": 2, "p3": 2}
    assert groups.attrs["weakly_connected"]
    islands = lb.matches(
        board([[3, 4, nan, nan], [4, 3, nan, nan], [nan, nan, 1, 2], [nan, nan, 2, 1]])
    )
    assert not components(islands).attrs["weakly_connected"]


NAN = np.nan


@pytest.mark.parametrize("make", [lb.matches, partial(lb.matches, pairs=False)])
@pytest.mark.parametrize(
    ("values", "fact", "unknown", "known"),
    [
        (
            [[3, 3, 4], [4, 4, 3], [1, 2, 1]],
            "p2 never beat anybody else", "how far behind it lies", "that it lies behind does not",
        ),
        (
            [[3, 3, 4], [4, 4, 3], [1, 2, 1], [2, 1, 2], [1, 1, 2]],
            "p0 and p1 never lost to anybody else", "how far ahead they lie",
            "that they lie ahead does not",
        ),
        (
            [[k, 9 - k] for k in range(5)] + [[10 + k, 19 - k] for k in range(5)],
            "p0, p1, p2 and 2 more never beat anybody else", "how far behind they lie",
            "that they lie behind does not",
        ),
        (
            [[k] for k in range(5)],
            "the players fall into 5 groups (p4; p3; p2; and 2 more), and of any two groups one "
            "never beat the other",
            "how far apart they lie", "which of two is ahead does not",
        ),
        # Of p0 and p1 nothing says who is ahead.
        (
            [[2, NAN], [NAN, 2], [1, 1]],
            "the players fall into 3 groups (p0; p1; p2), and of any two groups one never beat the "
            "other",
            "how far apart they lie", "which of two is ahead does not, where they met",
        ),
        (
            [[1, 2, NAN, NAN], [2, 1, NAN, NAN], [NAN, NAN, 1, 2], [NAN, NAN, 2, 1]],
            "groups of players never met, directly or through others (p0 and p1; p2 and p3)",
            "how they compare", "",
        ),
        (
            [[1, 2, NAN], [2, 1, NAN], [NAN, NAN, 1], [NAN, NAN, 2]],
            "groups of players never met, directly or through others (p2 and p3; p0 and p1), and "
            "in some groups one part never beat the other",
            "how they compare", "",
        ),
    ],
)  # fmt: skip
def test_why_a_board_is_not_connected_in_words(make, values, fact, unknown, known):
    made = make(board(np.asarray(values, dtype=float)))
    assert say_apart(made, components(made)) == (fact, unknown, known)


@settings(max_examples=60)
@given(st.integers(0, 2**32 - 1), st.booleans())
def test_words_say_what_happened(seed, within_round):
    """Who "never beat anybody else" has no win against the others, and likewise."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 4, size=(rng.integers(2, 6), rng.integers(1, 4))).astype(float)
    values[rng.random(values.shape) < 0.2] = NAN
    if (~np.isnan(values)).any(axis=1).sum() < 2:
        return
    made = lb.matches(board(values), within_round=within_round)
    groups = components(made)
    if groups.nunique() == 1:
        return
    fact = say_apart(made, groups).fact
    wins = made["wins"].to_numpy()
    if "anybody else" in fact:
        few = [str(p) in fact for p in made["player"].to_numpy()]  # two groups of at most five
        rest = np.logical_not(few)
        against = wins[np.ix_(few, rest)] if "never beat" in fact else wins[np.ix_(rest, few)]
        assert not against.any()
        assert wins.any()
    elif "never met" in fact:
        assert not groups.attrs["weakly_connected"]
    else:
        number = groups.to_numpy()
        for one, other in combinations(range(1, number.max() + 1), 2):
            ways = [wins[np.ix_(number == g, number == h)].any() for g, h in
                    ((one, other), (other, one))]  # fmt: skip
            assert not all(ways)


def test_bad_input():
    with pytest.raises(lb.LeaderbayesError, match="ties='draw'"):
        lb.matches(board(np.eye(3)), ties="draw")
    with pytest.raises(lb.LeaderbayesError, match="within_round='no': give True or False"):
        lb.matches(board(np.eye(3)), within_round="no")
    with pytest.raises(lb.LeaderbayesError, match="at least two"):
        lb.matches(board([[1.0, 2.0], [np.nan, np.nan]]))
    several = board(np.eye(3)).expand_dims(tournament=["a", "b"])
    with pytest.raises(lb.LeaderbayesError, match=r"2 tournaments \('a', 'b'\)"):
        one_tournament(several)
    with pytest.raises(lb.LeaderbayesError, match="dimensions player and round"):
        lb.matches(board(np.eye(3)).rename(round="fold"))


def test_matches_carry_the_scores_that_they_are_of():
    scores = board([[1, np.nan, 2], [2, np.nan, 1], [np.nan] * 3])
    scores = scores.assign_attrs(higher_is_better=0, columns="player=p, round=r, score=log_loss")
    made = lb.matches(scores)
    xr.testing.assert_equal(
        made["scores"].drop_vars("opponent", errors="ignore"), scores[:2, [0, 2]].drop_attrs()
    )
    assert made.attrs == {
        "within_round": 1, "ties": "half", "higher_is_better": 0, "metric": "log_loss"
    }  # fmt: skip
    both = xr.concat([scores, scores], pd.Index(["x", "y"], name="tournament"))
    assert lb.matches(both)["scores"].dims == ("tournament", "player", "round")
    for better in ("False", -1, 2, np.nan):
        with pytest.raises(lb.ScoresError, match=r"higher_is_better.*use 0 or 1"):
            lb.matches(scores.assign_attrs(higher_is_better=better))


def test_scores_made_by_hand_are_checked():
    made = board([[0, 0], [90, 80], [70, 95]])
    np.testing.assert_array_equal(
        lb.matches(made.astype("uint8"))["wins"], [[0, 0, 0], [2, 0, 1], [2, 1, 0]]
    )
    with pytest.raises(lb.ScoresError, match="two players called 'a'"):
        lb.matches(made.assign_coords(player=["a", "b", "a"]))
    with pytest.raises(lb.ScoresError, match="infinite"):
        lb.matches(made / 0.0)
    with pytest.raises(lb.ScoresError, match="dtype complex128"):
        lb.matches(made.astype(complex))
    with pytest.raises(lb.ScoresError, match="not DataFrame"):
        lb.matches(made.to_pandas())


def test_several_tournaments_are_each_by_itself():
    rng = np.random.default_rng(3)
    one, two = board(rng.integers(0, 4, (4, 5))), board(rng.integers(0, 4, (4, 5)))
    two[1] = np.nan
    both = xr.concat([one, two], pd.Index(["x", "y"], name="tournament")).assign_attrs(one.attrs)
    made = lb.matches(both)
    assert made["wins"].dims == ("tournament", "player", "opponent")
    xr.testing.assert_equal(made.sel(tournament="x", drop=True), lb.matches(one))
    alone = lb.matches(two)
    xr.testing.assert_equal(
        made.sel(tournament="y", drop=True).sel(
            player=alone["player"].values, opponent=alone["player"].values
        ),
        alone,
    )


@pytest.mark.parametrize("seed", range(8))
def test_components_from_rankings_equal_those_from_wins(seed):
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 8, (7, 3)) + 4.0 * rng.integers(0, 3, (7, 1))
    values[rng.random(values.shape) < 0.3] = np.nan
    values[:, 0] = rng.permutation(7)
    made = board(values)
    slow, fast = components(lb.matches(made)), components(lb.matches(made, pairs=False))
    assert slow.attrs == fast.attrs
    # The numbers may differ (average wins weigh rounds differently), the groups may not.
    assert slow.nunique() == fast.nunique()
    assert pd.crosstab(slow, fast).gt(0).sum().sum() == slow.nunique()


def test_more_matches_than_32_bits_hold():
    """Across rounds a pair has rounds^2 matches: wins are Mann and Whitney's count."""
    values = np.random.default_rng(1).integers(0, 1000, size=(2, 46_341))
    made = lb.matches(board(values), within_round=False)
    assert float(made["n"][0, 1]) == 46_341.0**2
    worse, upto = (
        np.searchsorted(np.sort(values[1]), values[0], side) for side in ("left", "right")
    )
    assert float(made["wins"][0, 1]) == worse.sum() + (upto - worse).sum() / 2.0
    assert float(made["tied"][0, 1]) == (upto - worse).sum()


def test_whole_numbers_that_floats_cannot_tell_apart_are_refused():
    scores = board([[1.0, 2.0], [2.0, 1.0]]).astype(np.int64) + 2**53
    with pytest.raises(lb.ScoresError, match=r"above 2\^53"):
        lb.matches(scores)
    assert lb.matches(scores - 10)["tied"].sum() == 0


def test_what_takes_matches_says_which():
    scores = board([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0]])
    made = lb.matches(scores)
    require_matches(made, "f", ties=("half",), pairs=True)
    votes = lb.matches(lb.read_votes(pd.DataFrame({"winner": ["a"], "loser": ["b"]})))
    for wrong, message in (
        (scores, r"f takes matches, not scores: pass leaderbayes\.matches\(scores"),
        (xr.DataTree(), "not DataTree: pass"),
        (votes, "f takes matches of scores, not of votes"),
        (made.assign_attrs(ties="drop"), "ties='drop': choose 'half' for f"),
        (lb.matches(scores, within_round=False), "f compares within rounds"),
        (lb.matches(scores, pairs=False), "f needs tables of pairs: use pairs=True"),
    ):
        with pytest.raises(lb.LeaderbayesError, match=message):
            require_matches(wrong, "f", ties=("half",), across=False, pairs=True)
    with pytest.raises(lb.ScoresError, match="These are matches: pass the scores"):
        lb.matches(made)


def test_tables_of_very_many_players_are_made_when_asked_for(monkeypatch):
    scores = board([[1.0, 2.0], [2.0, 1.0], [3.0, 0.0]])
    assert "wins" in lb.matches(scores)
    monkeypatch.setattr("leaderbayes._scores.matches._PAIRED", 2)
    assert set(lb.matches(scores)) == {"place", "scores"}
    assert "wins" in lb.matches(scores, pairs=True)
    with pytest.raises(lb.LeaderbayesError, match="pairs='yes': give True, False or None"):
        lb.matches(scores, pairs="yes")


@pytest.mark.parametrize(
    ("name", "of", "said"),
    [
        ("round", "round", "a round called .*, which is not text"),
        ("judge", "player", r"scores of a judge \(player, round\)"),
    ],
)
def test_coordinates_that_are_no_names(name, of, said):
    made = board([[1.0, 2.0], [2.0, 1.0]])
    made = made.assign_coords({name: (of, np.array([{"a": 1}, {"b": 2}], dtype=object))})
    with pytest.raises(lb.ScoresError, match=said):
        lb.matches(made)
