"""Votes to matches: counts by pair, clusters, and what sways votes beside players."""

import numpy as np
import pandas as pd
import pytest

import leaderbayes as lb
from leaderbayes._errors import LeaderbayesError, ScoresError
from leaderbayes._scores.matches import components, say_apart
from leaderbayes._scores.vote_matches import clusters_of, effects_of, valid_votes, weights_of

TABLE = pd.DataFrame(
    {
        "model_a": ["x", "y", "x", "z", "x"],
        "model_b": ["y", "x", "z", "y", "y"],
        "winner": ["model_a", "tie", "model_b", "model_a", "tie (bothbad)"],
        "judge": ["ann", "bob", "ann", "ann", "bob"],
        "length_a": [1.0, 2.0, 3.0, 4.0, 5.0],
        "length_b": [2.0, 2.0, 1.0, 4.0, 3.0],
    }
)


@pytest.fixture
def votes():
    return lb.read_votes(TABLE, covariates=["length"])


def wins(board, player, opponent):
    return float(board["wins"].sel(player=player, opponent=opponent))


def test_counts_are_those_of_a_hand(votes):
    board = lb.matches(votes)
    # x beat y once, and tied with it twice, once as both were bad.
    assert wins(board, "x", "y") == 2.0
    assert wins(board, "y", "x") == 1.0
    assert wins(board, "z", "x") == 1.0
    assert float(board["n"].sel(player="x", opponent="y")) == 3.0
    assert float(board["tied"].sel(player="x", opponent="y")) == 2.0
    assert set(board.data_vars) == {"wins", "n", "tied"}
    assert dict(board.attrs) == {"within_round": 1, "ties": "half"}


def test_ties_are_dropped_and_players_without_votes_left_out(votes):
    board = lb.matches(votes, ties="drop")
    assert float(board["n"].sum()) == 2 * 3.0
    assert not board["tied"].any()
    only = lb.matches(votes.isel(vote=[0, 1]))
    assert only["player"].to_numpy().tolist() == ["x", "y"]
    with pytest.raises(LeaderbayesError, match="is not for votes"):
        lb.matches(votes, ties="floor")
    with pytest.raises(LeaderbayesError, match="votes have no rounds"):
        lb.matches(votes, within_round=False)


def test_votes_for_nobody_do_not_count():
    kept = lb.read_votes(TABLE, both_bad="own")
    assert float(lb.matches(kept)["n"].sum()) == 2 * 4.0


def test_a_row_counts_as_many_votes_as_it_stands_for(votes):
    weighed = votes.assign(weight=("vote", [3.0, 1.0, 1.0, 1.0, 1.0]))
    again = votes.isel(vote=[0, 0, 0, 1, 2, 3, 4])
    for name in ("wins", "n", "tied"):
        np.testing.assert_array_equal(lb.matches(weighed)[name], lb.matches(again)[name])
    assert weights_of(weighed).tolist() == [3.0, 1.0, 1.0, 1.0, 1.0]


def test_matches_say_who_never_beat_whom(votes):
    board = lb.matches(votes.isel(vote=[0, 1, 3]))  # y never beat z
    groups = components(board)
    assert groups["z"] == 1
    assert say_apart(board, groups).fact == "z never lost to anybody else"
    apart = lb.read_votes(
        pd.DataFrame({"model_a": ["a", "c"], "model_b": ["b", "d"], "winner": ["tie", "tie"]})
    )
    board = lb.matches(apart)
    assert "never met" in say_apart(board, components(board)).fact


def test_effects_are_by_standard_deviation(votes):
    effects = effects_of(votes, True, None)
    assert list(effects) == ["order", "length"]
    assert effects["length"].std() == pytest.approx(1.0)
    # A difference of nothing stays one.
    assert effects["length"][1] == 0.0
    assert list(effects_of(votes, False, [])) == []
    with pytest.raises(LeaderbayesError, match="'style' is unknown; the votes have 'length'"):
        effects_of(votes, False, ["style"])
    even = votes.assign(covariates=votes["covariates"] * 0.0)
    with pytest.raises(LeaderbayesError, match="the same in all votes"):
        effects_of(even, False, None)
    with pytest.raises(LeaderbayesError, match="the winner is listed first"):
        effects_of(votes.assign_attrs(ordered=0), True, [])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"second": ("vote", np.array([0, 0, 2, 1, 1], np.int32))}, "Vote 0 has a player against"),
        ({"first": ("vote", np.array([0, 1, 0, 9, 0], np.int32))}, "Vote 3 has a player that"),
        ({"outcome": ("vote", [1.0, 0.5, 2.0, 0.0, 0.5])}, "Vote 2 has an outcome"),
        ({"weight": ("vote", [1.0, 0.0, 1.0, 1.0, 1.0])}, "weight that is not a number above 0"),
        ({"outcome": ("vote", [np.nan] * 5)}, "at least two players"),
        ({"player": "x"}, "name their players in the coordinate player"),
    ],
)
def test_what_are_no_votes_is_refused(votes, change, said):
    with pytest.raises(ScoresError, match=said):
        valid_votes(votes.assign(change), "half")


@pytest.mark.parametrize("wrong", [3, None, {"judge"}, [3], np.zeros((2, 2)), TABLE])
def test_options_of_another_kind_are_named(votes, wrong):
    with pytest.raises(LeaderbayesError, match=r"cluster=.*: give 'auto', 'none', 'judge'"):
        clusters_of(votes, wrong)
    with pytest.raises(LeaderbayesError, match=r"order_effect=.*: give True or False"):
        effects_of(votes, wrong, None)
    if wrong is not None:
        with pytest.raises(LeaderbayesError, match=r"covariates=.*: give a list of names"):
            effects_of(votes, False, wrong)
