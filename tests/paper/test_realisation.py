"""realisation: a board drawn from an estimate's thetas."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb


@pytest.fixture(scope="module")
def board():
    # Two teams below chance, and one that equation 8 excludes.
    theta = [0.3, 0.4, 0.6, *np.linspace(0.85, 0.9, 20)]
    return lb.sota.read_board(lb.paper.simulate(theta, n=400, seed=3)[0].to_numpy(), n=400)


def test_the_best_scores_what_it_is_expected_to(board):
    estimate = lb.sota.shrink(board, rho=0.6)
    made = [lb.paper.realisation(board, estimate, seed=k) for k in range(400)]
    assert set(made[0]["team"].values) == set(board["team"].values[3:])
    assert estimate["excluded"] == 1
    shrunk = estimate["weight"] * board + (1.0 - estimate["weight"]) / 2.0
    np.testing.assert_allclose(made[0]["theta"], shrunk.sel(team=made[0]["team"]))
    best = np.array([float(one["score"].max()) for one in made])
    error = best.std() / np.sqrt(len(best))
    assert best.mean() == pytest.approx(float(estimate["expected_max"]), abs=4.0 * error)


def test_seed(board):
    estimate = lb.sota.shrink(board)
    first, again, other = (lb.paper.realisation(board, estimate, seed=k) for k in (1, 1, 2))
    xr.testing.assert_identical(first, again)
    assert not first["score"].equals(other["score"])


def test_crop_keeps_scores(board):
    estimate = lb.sota.shrink(board, rule="crop", rho=0.6, dependence="copula")
    theta = lb.paper.realisation(board, estimate)["theta"]
    assert float(theta.max()) == float(estimate["theta_sota"])
    xr.testing.assert_equal(theta, board.sel(team=theta["team"]))


def test_auc():
    board = lb.sota.read_board([0.6, 0.7, 0.8], n=200, metric="auc", positive_rate=0.1)
    estimate = xr.Dataset({"theta_sota": 0.74, "observed_max": 0.8})
    made = [lb.paper.realisation(board, estimate, seed=k) for k in range(400)]
    np.testing.assert_allclose(made[0]["theta"], [0.58, 0.66, 0.74])
    # Pairs in the right order.
    np.testing.assert_allclose(made[0]["score"] * 3600, np.round(made[0]["score"] * 3600))
    scores = np.array([one["score"] for one in made])
    error = scores.std(axis=0) / np.sqrt(len(scores))
    assert np.all(np.abs(scores.mean(axis=0) - made[0]["theta"].values) < 4.0 * error)


def test_needs_two_scalars_only(board):
    estimate = xr.Dataset({"theta_sota": 0.8, "observed_max": board.max()})
    made = lb.paper.realisation(board, estimate)
    assert float(made["theta"].max()) == pytest.approx(0.8)
    assert made.sizes["team"] == 21


def test_another_board(board):
    with pytest.raises(lb.LeaderbayesError, match="give the board that it was made of"):
        lb.paper.realisation(board[board < board.max()], lb.sota.shrink(board))


def test_of_estimates_there_is_none():
    board = lb.sota.read_board([0.8, 0.7], se=0.1, chance=0.0)
    with pytest.raises(lb.LeaderbayesError, match="of accuracies or AUCs"):
        lb.paper.realisation(board, lb.sota.shrink(board))


def test_chance_is_the_board_s(board):
    seven = board.assign_attrs(classes=7)
    made = lb.paper.realisation(seven, lb.sota.shrink(seven), seed=1)
    assert made.sizes["team"] == board.sizes["team"]  # all are above 1 / 7
    assert made.attrs["seed"] == 1
    drawn = lb.paper.realisation(seven, lb.sota.shrink(seven))
    again = lb.paper.realisation(seven, lb.sota.shrink(seven), seed=drawn.attrs["seed"])
    xr.testing.assert_identical(drawn, again)
