"""A new player is fitted with the others, as these were."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from answers.conftest import fit
from conftest import simulate

OPTIONS = {"weight": 0.3, "ties": "drop", "prior_scale": 1.0, "options": {"prior_df": 3.0}}


@pytest.fixture(scope="module")
def board():
    scores = simulate([0.9, 0.4, 0.0, -0.3, 0.5], 12, np.random.default_rng(1))
    scores[-1, 4:7] = np.nan
    return scores


def new(board):
    return board[-1].rename("p4").drop_vars("player").dropna("round")


@pytest.mark.parametrize("options", [{}, OPTIONS])
@pytest.mark.parametrize("series", [False, True])
def test_it_is_the_fit_of_all(board, options, series):
    scores = new(board).to_series() if series else new(board)
    placed = lb.new_player(fit(board[:-1], **options), scores)
    whole = fit(board, **(options | {"replicates": 400}))
    xr.testing.assert_equal(placed["posterior"].dataset, whole["posterior"].dataset)
    xr.testing.assert_equal(placed["constant_data"].dataset, whole["constant_data"].dataset)
    assert placed.attrs["placed"] == "p4"
    assert lb.new_player(fit(board[:-1]), scores, seed=5).attrs["seed"] == 5


def test_lower_is_better(board):
    losses = (-board).assign_attrs(higher_is_better=0)
    placed = lb.new_player(fit(losses[:-1]), new(losses))
    whole = lb.leaderboard(fit(losses, replicates=400))
    assert lb.leaderboard(placed)["player"].tolist() == whole["player"].tolist()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda new: new.rename(None), "has no name"),
        (lambda new: new.rename("p0"), "player 'p0' already"),
        (lambda new: new.assign_coords(round=[f"x{k}" for k in range(9)]), "Round 'x0' is not one"),
        (lambda new: new * np.nan, "has no score"),
        (lambda new: xr.concat([new, new], "round"), "two scores in a round"),
        (lambda new: new.to_numpy(), "a DataArray .round,. or a Series"),
    ],
)
def test_what_is_no_new_player(board, change, said):
    with pytest.raises(lb.LeaderbayesError, match=said):
        lb.new_player(fit(board[:-1]), change(new(board)))


def test_a_posterior_without_scores(dt, board):
    with pytest.raises(lb.LeaderbayesError, match="no constant_data/scores"):
        lb.new_player(dt, new(board))


def test_picked_scores_keep_their_players_name():
    board = lb.datasets.load("classifiers", "iris")
    name = str(board["player"][-1].item())
    enlarged = lb.new_player(lb.fit(board[:-1], seed=1, draws=100), board.sel(player=name))
    assert enlarged.attrs["placed"] == name
