"""Predictive checks: what fits, and what does not."""

import itertools

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import board, cycle, simulate


def test_repeats_by_its_seed(scores):
    _check_twice(lb.fit(scores, sampler="laplace", seed=1))


@pytest.mark.slow
def test_of_ties(fitted_davidson):
    _check_twice(fitted_davidson)


def _check_twice(dt):
    result = lb.check(dt, draws=100, seed=3)
    assert 0.01 < float(result["p_round"]) < 0.99
    xr.testing.assert_identical(result, lb.check(dt, draws=100, seed=3))


def test_check_rejects_a_board_that_does_not_fit(misfit):
    assert float(lb.check(misfit)["p_round"]) < 0.01


def test_check_of_rounds_that_share_training_data():
    """Strengths are spread wider than rounds alone leave them: that is no misfit."""
    scores = lb.datasets.load("classifiers", "diabetes")
    dt = lb.fit(scores, test_fraction=0.2, sampler="laplace", seed=1)
    assert 0.05 < float(lb.check(dt)["p_round"]) < 0.95
    dt = lb.fit(cycle(), test_fraction=0.1, sampler="laplace", seed=1)
    assert float(lb.check(dt)["p_round"]) < 0.01


def test_replicates_are_alike_where_every_round_is_one_match():
    """Then matches are independent: whole and naive replicates have one law."""
    scores = simulate(np.linspace(-1.0, 1.0, 4), 90, np.random.default_rng(1)).to_numpy()
    for k, pair in zip(range(90), itertools.cycle(itertools.combinations(range(4), 2))):
        scores[np.setdiff1d(range(4), pair), k] = np.nan
    checked = lb.check(lb.fit(board(scores), sampler="laplace", seed=1), draws=500, seed=1)
    difference = checked["replicated_round"] - checked["replicated_naive"]
    assert abs(difference.mean()) < 4.0 * difference.std() / np.sqrt(difference.size)
