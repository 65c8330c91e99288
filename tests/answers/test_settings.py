"""The ways in which a board may be fitted."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._answers.settings import differs, parts_of, settings_of


def ways(board, **options):
    given = {
        "models": ("bradley_terry",), "ties": ("half", "drop"), "weights": ("composite", 1.0),
        "clusters": ("auto", "none"), "priors": (1.0, 2.0), "rounds": True,
    } | options  # fmt: skip
    return settings_of(board, *given.values())


@pytest.fixture
def scores():
    values = np.array([[3.0, 3.0, 1.0], [2.0, 2.0, 1.0]])
    names = {"player": ["a", "b"], "round": ["x", "y", "z"]}
    return xr.DataArray(values, names, attrs={"higher_is_better": 1})


def test_all_combinations_and_each_round(scores):
    every = ways(scores)
    assert len(every) == 2 * 2 * 2 + 3
    assert every[0].label() == "bradley_terry, ties=half, weight=composite"
    assert [each.without for each in every[-3:]] == ["x", "y", "z"]
    of = [differs(each, every[0]) for each in every]
    assert {name: of.count(name) for name in set(of)} == {
        "": 1 + 4, "ties": 1, "weight": 1, "prior_scale": 1, "round": 3,
    }  # fmt: skip


def test_no_rule_where_nothing_ties(scores):
    assert {each.ties for each in ways(scores.isel(round=slice(2)))} == {"half"}
    assert {each.cluster for each in ways(scores)} == {""}


def test_judges_with_the_most_votes():
    rows = [("a", "b", "a", f"j{k}") for k in range(40) for _ in range(k + 1)]
    votes = lb.read_votes(pd.DataFrame(rows, columns=["first", "second", "outcome", "judge"]))
    names, which = parts_of(votes)
    assert len(names) == 40
    assert {str(names[k]) for k in which} == {f"j{k}" for k in range(10, 40)}
    every = ways(votes)
    assert differs(every[-1], every[0]) == "judge"
    assert {each.weight for each in every} == {""}
    without = votes.drop_vars("judge")
    assert {each.cluster for each in ways(without)} == {"auto"}
    assert not any(each.without for each in ways(without))


def test_one_choice_is_no_sequence(scores):
    with pytest.raises(lb.LeaderbayesError, match="ties='half': give a sequence"):
        ways(scores, ties="half")
    with pytest.raises(lb.LeaderbayesError, match="models='best'"):
        ways(scores, models=("best",))
