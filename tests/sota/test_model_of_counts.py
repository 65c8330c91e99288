"""Likelihood of a board of counts, against the laws that it has in closed form."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import logit

from leaderbayes._numerics.counts import counts
from leaderbayes.sota import _parameters as prior
from leaderbayes.sota._model_of_counts import CountBoard

RIGHT, N = np.array([3, 9, 9, 17, 20]), 25


def board(law, rho=0.0, statistic="board"):
    return CountBoard(counts(RIGHT / N, N), law, 2, 0.0, rho, 0.8, statistic)


@pytest.mark.parametrize(("mean", "concentration"), [(0.5, 2.0), (0.8, 30.0)])
def test_independent_counts_of_a_beta_law_are_beta_binomial(mean, concentration):
    model = board("beta")
    points = np.array([[logit(mean), np.log(concentration)]])
    a, b = mean * concentration, (1 - mean) * concentration
    priors = sum(prior.log_priors(model.parameters, points).values())
    expected = stats.betabinom(N, a, b).logpmf(RIGHT).sum()
    np.testing.assert_allclose(model.log_density(points) - priors, expected, atol=2e-3)


def test_counts_up_to_the_floor_cannot_be_on_the_board():
    points = np.array([[0.0, np.log(2.0)]])
    whole, above = (
        board("beta"),
        CountBoard(counts(RIGHT / N, N, 2), "beta", 2, 0.1, 0.0, 0.8, "board"),
    )
    left_out = len(RIGHT) * stats.betabinom(N, 1.0, 1.0).logsf(2)
    difference = whole.log_density(points) - above.log_density(points)
    np.testing.assert_allclose(difference, left_out, atol=2e-3)


def test_a_law_that_is_known_has_no_parameters():
    model = board(stats.beta(4.0, 2.0))
    assert list(model.parameters) == []
    assert model.start().shape == (0,)


def test_luck_that_is_shared_is_a_parameter():
    assert [p.name for p in board("beta", 0.5).parameters] == ["mean", "concentration", "ease"]
    unsure = board("mixture", stats.beta(2.0, 2.0))
    names = [p.name for p in unsure.parameters]
    assert names == ["mean", "concentration", "weight", "ease", "rho"]
    assert unsure.components == 2


def test_impossible_luck_has_no_density():
    model = board("beta", 0.5)
    start = model.start()
    possible, impossible = (np.array([*start[:2], ease]) for ease in (0.0, 40.0))
    density = model.log_density(np.stack([possible, impossible]))
    assert np.isfinite(density[0])
    assert density[1] == -np.inf
