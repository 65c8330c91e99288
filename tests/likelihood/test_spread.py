"""Standard errors of differences by hand, and NaN where rounds do not vary."""

import json
import warnings
from contextlib import nullcontext

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board, simulate
from leaderbayes.likelihood._spread import (
    coefficients,
    pair_errors,
    player_errors,
    vary,
    without_variation,
)


@pytest.fixture(scope="module")
def matches():
    return lb.matches(simulate([0.8, 0.2, -0.1, -0.9], 20, np.random.default_rng(1)))


def test_errors_are_those_of_contrasts(matches):
    fit = lb.likelihood.bradley_terry(matches)
    covariance = fit["covariance"].to_numpy()
    found = pair_errors(fit)
    for i in range(4):
        for j in range(4):
            contrast = np.eye(4)[i] - np.eye(4)[j]
            assert found[i, j] == pytest.approx(np.sqrt(contrast @ covariance @ contrast))
    np.testing.assert_allclose(player_errors(fit), np.sqrt(np.diag(covariance)))
    assert without_variation(fit) is None


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_errors_with_the_intercept(matches, sign):
    """Of b_i - b_j + b_0 the intercept's variance and its covariances are part."""
    fit = lb.likelihood.round_intercept(matches)
    estimate, covariance = coefficients(fit)
    assert estimate[-1] == float(fit["intercept"])
    contrast = np.array([1.0, 0.0, -1.0, 0.0, sign])
    expected = np.sqrt(contrast @ covariance @ contrast)
    assert pair_errors(fit, sign)[0, 2] == pytest.approx(expected)
    assert pair_errors(fit)[0, 2] != pytest.approx(expected)


def test_differences_that_a_hypothesis_fixes_have_error_0(matches):
    fit = lb.likelihood.bradley_terry(matches, hypothesis=[("p1", "p2")])
    error = pair_errors(fit)
    assert error[1, 2] == 0.0
    assert (error[0, 1:] > 0.0).all()


@pytest.mark.parametrize("model", ["bradley_terry", "plackett_luce"])
def test_no_covariance_no_errors(matches, model):
    estimate = getattr(lb.likelihood, model)
    fit = estimate(matches, covariance="none")
    np.testing.assert_allclose(fit["epp"], estimate(matches, covariance="model")["epp"], atol=1e-6)
    assert set(fit.coords) == {"player"}
    assert lb.leaderboard(fit)[["epp_lower", "epp_upper"]].isna().all(axis=None)
    assert np.isnan(player_errors(fit)).all()
    assert without_variation(fit) is None
    for ask in (
        lb.win_probability,
        lb.likelihood.pairwise_tests,
        lambda fit: lb.likelihood.hypothesis_test(fit, "p0", "p1"),
    ):
        with pytest.raises(lb.LeaderbayesError, match="no covariance"):
            ask(fit)


def test_more_contrasts_than_rounds_less_one_do_not_vary():
    """Three rounds span two directions."""
    fit = lb.likelihood.bradley_terry(
        lb.matches(board([[3, 1, 2.0], [2, 3, 1.0], [1, 2, 4.0], [1.5, 2.5, 0.0]]))
    )
    contrasts = np.array([[1.0, -1.0, 0, 0], [0, 1.0, -1.0, 0], [0, 0, 1.0, -1.0]])
    assert vary(contrasts[:2], fit)
    assert not vary(contrasts, fit)


# Boards (player, round), how matches are made, and the pairs and players that do not vary.
NO_VARIATION = {
    "every match ties": (np.ones((3, 4)), {}, [(0, 1), (0, 2), (1, 2)], [0, 1, 2]),
    "across rounds": (
        np.ones((3, 4)),
        {"within_round": False},
        [(0, 1), (0, 2), (1, 2)],
        [0, 1, 2],
    ),
    "between two that take turns": ([[1, 3] * 3, [2, 2] * 3, [3, 1] * 3], {}, [], [1]),
    "two names of one player": ([[1, 3, 2] * 2, [1, 3, 2] * 2, [2, 2, 1] * 2], {}, [(0, 1)], []),
    "ties dropped": ([[1, 2] * 3, [2, 2] * 3, [3, 2] * 2 + [1, 2]], {}, [], []),
}


@pytest.mark.parametrize(
    ("case", "covariance"),
    [(case, covariance) for case in NO_VARIATION for covariance in ("clustered", "model")],
)
def test_what_does_not_vary_between_rounds_has_no_standard_error(case, covariance):
    values, options, pairs, players = NO_VARIATION[case]
    matches = lb.matches(board(values), **options)
    if covariance == "model":
        pairs, players = [], []
    with pytest.warns(lb.LeaderbayesWarning, match="LB015") if pairs or players else nullcontext():
        fit = lb.likelihood.bradley_terry(matches, covariance=covariance)
    assert fit.attrs["warnings"] == lb.leaderboard(fit).attrs["warnings"]
    codes = {text[:5] for text in json.loads(fit.attrs["warnings"])}
    assert ("LB015" in codes) == bool(pairs or players)
    table = lb.leaderboard(fit).set_index("player")
    unknown = table.index[table["epp_lower"].isna() & table["epp_upper"].isna()]
    assert sorted(unknown) == [f"p{i}" for i in players]
    win = lb.win_probability(fit)
    assert np.diag(win["lower"]).tolist() == np.diag(win["upper"]).tolist() == [0.5] * 3
    first, second = np.nonzero(np.triu(np.isnan(win["lower"])))
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == pairs
    tests = lb.likelihood.pairwise_tests(fit)
    assert tests["error"].isna().sum() == tests["p_value"].isna().sum() == len(pairs)
    assert (tests["p_adjusted"].isna() == tests["p_value"].isna()).all()
    for i, j in pairs:
        with pytest.raises(lb.LeaderbayesError, match="the rank of this covariance"):
            lb.likelihood.hypothesis_test(fit, f"p{i}", f"p{j}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lb.LeaderbayesWarning)
            restricted = lb.likelihood.bradley_terry(
                matches, covariance="model", hypothesis=[(f"p{i}", f"p{j}")]
            )
        with pytest.raises(lb.LeaderbayesError, match="the rank of this covariance"):
            lb.likelihood.hypothesis_test(fit, restricted=restricted)


@pytest.mark.parametrize("penalty", [{"pseudo_rounds": 1.0}, {"firth": True}])
def test_one_round_over_and_over_has_no_standard_error(penalty):
    """What a penalty leaves of each round's score vector is no variation."""
    matches = lb.matches(board(np.repeat([[3.0], [2.0], [1.0]], 9, axis=1)))
    with pytest.warns(lb.LeaderbayesWarning, match="LB015"):
        fit = lb.likelihood.bradley_terry(matches, **penalty)
    assert lb.leaderboard(fit)[["epp_lower", "epp_upper"]].isna().all(axis=None)
