"""Chains of independence Metropolis: their shape, and more proposals where they do not converge."""

import numpy as np
import pytest

from leaderbayes._inference import metropolis
from leaderbayes._inference.metropolis import walk
from leaderbayes._numerics.laplace import Board


@pytest.fixture
def board():
    """Five players of different strengths, twenty rounds, by the weight of equal ones."""
    p = 1.0 / (1.0 + np.exp(-np.subtract.outer(np.arange(5.0), np.arange(5.0))))
    n = 10.0 * (1.0 - np.eye(5))
    return Board((n * p).sum(axis=1), n, 2.0, 4.0)


def test_shape_and_groups(board):
    tree, found = walk(board, (3, 40), np.random.default_rng(1))
    assert tree["posterior"]["epp"].shape == (3, 40, 5)
    assert tree["sample_stats"]["acceptance_rate"].shape == (3, 40)
    assert found["converged"] == 1
    assert found["sampler"] == "laplace"
    # No more than the draws that are kept.
    assert found["min_ess"] <= 120.0


def test_draws_that_are_kept_are_independent(board):
    """Of 4000 proposals each of 100 draws stands for 40: no draw comes twice."""
    tree, _ = walk(board, (4, 25), np.random.default_rng(2))
    assert len(np.unique(tree["posterior"]["epp_scale"])) == 100


def test_more_proposals_where_chains_do_not_converge(board, monkeypatch):
    sizes, sample = [], metropolis.sample

    def counted(board, draws, rng):
        sizes.append(draws)
        return sample(board, draws, rng)

    monkeypatch.setattr(metropolis, "sample", counted)
    walk(board, (4, 1000), np.random.default_rng(1))
    assert sizes == [4000]
    sizes.clear()
    monkeypatch.setattr(metropolis, "MAX_PARETO_K", -1.0)
    _, found = walk(board, (4, 1000), np.random.default_rng(1))
    assert sizes == [4000, 16_000, 64_000]
    assert found["converged"] == 0
    # As far as memory goes.
    sizes.clear()
    monkeypatch.setattr(metropolis, "_MOST", 100_000)
    walk(board, (4, 1000), np.random.default_rng(1))
    assert sizes == [4000, 16_000]
