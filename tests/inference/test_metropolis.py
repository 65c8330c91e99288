"""Exact draws of Bradley-Terry's posterior: one function of matches."""

import numpy as np
import pytest

import leaderbayes as lb
from leaderbayes._inference import metropolis
from leaderbayes._inference.metropolis import draw_exactly


def test_shape_and_groups(scores):
    tree, found = draw_exactly(lb.matches(scores), (3, 40), 60, 1)
    assert tree["posterior"]["epp"].shape == (3, 40, 6)
    # Every second draw has a board.
    assert tree["posterior_predictive"]["place"].shape == (3, 20, 10, 6)
    assert found["converged"] == 1
    # No more than the draws that are kept.
    assert found["min_ess"] <= 120.0


def test_draws_that_are_kept_are_independent(scores):
    """Of 4000 proposals each of 100 draws stands for 40: no draw comes twice."""
    tree, _ = draw_exactly(lb.matches(scores), (4, 25), 100, 2)
    assert len(np.unique(tree["posterior"]["epp_scale"])) == 100


def test_more_proposals_where_chains_do_not_converge(scores, monkeypatch):
    sizes, sample = [], metropolis.sample

    def counted(board, draws, rng):
        sizes.append(draws)
        return sample(board, draws, rng)

    monkeypatch.setattr(metropolis, "sample", counted)
    draw_exactly(lb.matches(scores), (4, 1000), 10, 1)
    assert sizes == [4000]
    sizes.clear()
    monkeypatch.setattr(metropolis, "MAX_PARETO_K", -1.0)
    _, found = draw_exactly(lb.matches(scores), (4, 1000), 10, 1)
    assert sizes == [4000, 16_000, 64_000]
    assert found["converged"] == 0
    # As far as memory goes.
    sizes.clear()
    monkeypatch.setattr(metropolis, "_MOST", 100_000)
    draw_exactly(lb.matches(scores), (4, 1000), 10, 1)
    assert sizes == [4000, 16_000]


@pytest.mark.parametrize("name", ["prior_scale", "prior_df"])
def test_bad_laws(scores, name):
    with pytest.raises(lb.LeaderbayesError, match=f"{name}=0"):
        draw_exactly(lb.matches(scores), (1, 10), 10, 1, **{name: 0.0})
