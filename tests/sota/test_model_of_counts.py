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


def test_only_scores_below_the_floor_are_drawn_again():
    rng = np.random.default_rng(7)
    model = CountBoard(counts(RIGHT / N, N, 8), "flexible", 2, 0.3, 0.5, 0.8, "board")
    theta, rho = np.tile([0.05, 0.35, 0.9], (4000, 1)), np.full(4000, 0.5)
    asked = []

    def draw(where):
        asked.append(theta.size if where is None else int(where.sum()))
        return model.replicate(theta, rho, rng, np.full((4000, 1), 20), where)

    score = model.above_floor(draw)
    assert asked[0] == theta.size
    assert (np.diff(asked) <= 0).all()
    assert asked[-1] < 4100 < asked[1]  # who is hardly ever above it stays
    np.testing.assert_array_equal((score * N > 8).mean(axis=0)[1:], 1.0)
    plain = np.round(N * model.replicate(theta, rho, rng, np.full((4000, 1), 20))[:, 1])
    found, whole = (
        np.bincount(x.astype(int), minlength=N + 1)[9:] for x in (np.round(score[:, 1] * N), plain)
    )
    some = whole > 20  # who is above the floor is as if never drawn again
    assert stats.chi2_contingency(np.stack([found[some], whole[some]])).pvalue > 1e-3
