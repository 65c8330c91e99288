"""When an estimate exists, and what all of them say."""

import json

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import board
from leaderbayes._numerics.newton import Linear
from leaderbayes.likelihood._estimate import estimate, require_estimate, restriction

CONNECTED = [[1.0, 2.0], [2.0, 1.0]]
SEPARATED = [[2.0, 2.0], [1.0, 1.0]]
NEVER_MET = [[1.0, np.nan], [2.0, np.nan], [np.nan, 1.0], [np.nan, 2.0]]


# Whether it exists: plain, by Firth's penalty, by pseudo-rounds.
@pytest.mark.parametrize(
    ("values", "exists"),
    [
        (CONNECTED, (True, True, True)),
        (SEPARATED, (False, True, True)),
        (NEVER_MET, (False, False, True)),
    ],
)
def test_existence(values, exists):
    matches = lb.matches(board(values))
    for penalty, expected in zip(
        ({}, {"firth": True}, {"pseudo_rounds": 0.5}), exists, strict=True
    ):
        if expected:
            require_estimate(matches, **penalty)
        else:
            with pytest.raises(lb.NotConvergedError, match="estimate does not exist"):
                require_estimate(matches, **penalty)


def test_the_remedy_is_one_that_helps():
    for values in (SEPARATED, NEVER_MET):
        with pytest.raises(lb.NotConvergedError, match=r"penalty \(pseudo_rounds=1, for"):
            require_estimate(lb.matches(board(values)))


def test_two_rounds_say_little():
    matches = lb.matches(board([[1.0, 3.0], [2.0, 1.0]]))
    with pytest.warns(lb.LeaderbayesWarning, match="LB015 2 rounds hardly"):
        lb.likelihood.bradley_terry(matches)
    assert lb.likelihood.bradley_terry(matches, covariance="model").attrs["warnings"] == "[]"


def test_hypotheses_are_over_the_players_and_the_intercept():
    matches = lb.matches(board(CONNECTED))
    assert restriction(matches, None, 0.0, 2) is None
    linear = restriction(matches, [("p1", "p0")], 0.7, 3)
    np.testing.assert_array_equal(linear.matrix, [[-1.0, 1.0, 0.0]])
    np.testing.assert_array_equal(linear.value, [0.7])


def test_an_estimate_keeps_its_restriction_and_its_warnings():
    matches = lb.matches(board([[1.0, 2.0], [2.0, 1.0]]))
    square = (("player", "player_"), np.eye(2))
    variables = {
        "epp": ("player", np.array([1.0, -1.0])),
        "covariance": square,
        "covariance_model": square,
    }
    linear = Linear(np.array([[1.0, -1.0]]), np.array([2.0]))
    with pytest.warns(lb.LeaderbayesWarning, match="LB014 so it is"):
        made = estimate(
            matches,
            variables,
            {"model": "x", "df": 0, "covariance": "model"},
            linear,
            ["LB014 so it is"],
        )
    assert json.loads(made.attrs["warnings"]) == ["LB014 so it is"]
    assert made.attrs["model"] == "x"
    assert made.attrs["df"] == 1  # a hypothesis leaves one parameter less
    xr.testing.assert_equal(
        made["hypothesis_matrix"].drop_vars(made["hypothesis_matrix"].coords),
        xr.DataArray(linear.matrix, dims=("hypothesis", "coefficient")),
    )
    assert "hypothesis_matrix" not in estimate(
        matches, variables, {"model": "x", "covariance": "model"}, None
    )
