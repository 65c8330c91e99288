"""The boards of a fit."""

import pytest

import leaderbayes as lb
from leaderbayes._inference.boards import boards_of, matches_of


def test_matches_are_those_of_the_scores(scores, laplace):
    assert matches_of(laplace).identical(lb.matches(laplace["constant_data"]["scores"]))


def test_one_board_of_one_tournament(laplace):
    ((board, epp),) = boards_of(laplace)
    assert list(epp["player"].to_numpy()) == list(board["player"].to_numpy())


def test_scores_of_another_board_are_refused(laplace):
    other = laplace.copy()
    scores = other["constant_data"]["scores"]
    other["constant_data"] = other["constant_data"].to_dataset().assign(scores=-scores)
    with pytest.raises(lb.LeaderbayesError, match="other scores"):
        matches_of(other)


def test_matches_of_some_players_are_theirs_among_all(laplace):
    some = ["p1", "p4"]
    pair = matches_of(laplace, some)
    whole = matches_of(laplace).sel(player=some, opponent=some)
    for name in ("wins", "n", "tied"):
        assert pair[name].identical(whole[name])


def test_rounds_that_none_of_some_players_played_are_not_asked_for(scores):
    gaps = scores.copy()
    gaps.loc[{"player": ["p1", "p4"], "round": scores["round"][:2]}] = float("nan")
    dt = lb.fit(gaps, sampler="laplace", seed=1)
    pair = matches_of(dt, ["p1", "p4"])
    assert pair.sizes["round"] == scores.sizes["round"] - 2
    whole = matches_of(dt).sel(player=["p1", "p4"], opponent=["p1", "p4"])
    assert pair["wins"].identical(whole["wins"])
    assert lb.compare(dt, "p1", "p4")["record_played"] == scores.sizes["round"] - 2


def test_places_alone_are_those_of_the_matches(laplace):
    alone = matches_of(laplace, pairs=False)
    assert set(alone.data_vars) == {"place"}
    assert alone["place"].identical(matches_of(laplace)["place"])
