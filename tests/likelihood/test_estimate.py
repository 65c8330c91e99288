"""When an estimate exists, and what all of them say."""

import json

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board
from leaderbayes.likelihood._estimate import restriction

CONNECTED = [[1.0, 2.0], [2.0, 1.0]]
SEPARATED = [[3.0, 3.0], [2.0, 2.0], [1.0, 1.0]]
NEVER_MET = [[2.0, np.nan], [1.0, np.nan], [np.nan, 2.0], [np.nan, 1.0]]


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
    penalties = {}, {"firth": True}, {"pseudo_rounds": 0.5}
    for penalty, expected in zip(penalties, exists, strict=True):
        if expected:
            fit = lb.likelihood.bradley_terry(matches, covariance="model", **penalty)
            assert fit["epp"][0] >= fit["epp"][1]
            assert np.isfinite(fit["covariance"]).all()
        else:
            with pytest.raises(lb.NotConvergedError, match="estimate does not exist"):
                lb.likelihood.bradley_terry(matches, **penalty)


@pytest.mark.parametrize("values", [SEPARATED, NEVER_MET])
def test_the_remedy_is_one_that_helps(values):
    with pytest.raises(lb.NotConvergedError, match=r"penalty \(pseudo_rounds=1, for"):
        lb.likelihood.bradley_terry(lb.matches(board(values)))


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
    matches = lb.matches(board([[1.0, 3.0], [2.0, 1.0]]))
    with pytest.warns(lb.LeaderbayesWarning, match="LB015"):
        free, made = (
            lb.likelihood.bradley_terry(matches, hypothesis=given)
            for given in (None, [("p0", "p1")])
        )
    assert json.loads(made.attrs["warnings"])[0].startswith("LB015")
    assert made.attrs["df"] == free.attrs["df"] + 1  # a hypothesis leaves one parameter less
    np.testing.assert_array_equal(made["hypothesis_matrix"], [[1.0, -1.0]])
    assert "hypothesis_matrix" not in free
