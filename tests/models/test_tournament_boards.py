"""What several tournaments' matches are, and what cannot be compared."""

import subprocess
import sys

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board
from leaderbayes.models._tournament_boards import boards_of_matches


def test_boards(tournaments):
    found = boards_of_matches(lb.matches(tournaments), None, 0.5, None)
    seen = tournaments.notnull().any("round").to_numpy()
    np.testing.assert_array_equal(found.present, seen)
    assert [len(eta) for eta in found.weight] == [12] * 6
    assert (np.concatenate(found.weight) == 0.5).all()
    assert found.alone[1].sizes["player"] == 4
    assert found.rows.shape == (72, 5)
    assert found.group is None
    assert "group" not in found.coords
    np.testing.assert_array_equal(found.tournament, np.repeat(np.arange(6), 12))
    assert found.coords["tournament_round"][12] == "data 1: 0"


def test_groups_are_numbered(tournaments):
    groups = {"p0": "a", "p1": "b", "p2": "a", "p3": "b", "p4": "b"}
    found = boards_of_matches(lb.matches(tournaments), groups, 0.5, None)
    assert found.group is not None
    assert found.group.tolist() == [0, 1, 0, 1, 1]
    assert found.coords["group"] == ["a", "b"]


def test_refusals(tournaments):
    many = lb.matches(tournaments)
    alone = tournaments.copy()
    alone[2, 1:] = np.nan
    for given, groups, said in (
        (lb.matches(board([[1.0, 2.0], [2.0, 1.0]])), None, "needs matches of several tournaments"),
        (lb.matches(alone), None, "'data 2' has scores of one player only"),
        (many, {"p0": "a"}, "'p1' has none"),
        (many, dict.fromkeys(map("p{}".format, range(5)), "a"), "all players are in 'a'"),
    ):
        with pytest.raises(lb.LeaderbayesError, match=said):
            boards_of_matches(given, groups, 0.5, None)


def test_few_rounds_are_said(tournaments):
    with pytest.warns(lb.WeightWarning, match="LB011"):
        boards_of_matches(lb.matches(tournaments.isel(round=slice(2))), None, "composite", None)


@pytest.mark.slow
def test_without_pymc():
    code = (
        "import sys, leaderbayes.models._tournament_boards\n"
        "assert 'pymc' not in sys.modules and 'pytensor' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
