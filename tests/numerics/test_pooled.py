"""Log-likelihoods of whole boards: sums of those of rounds, and their gradients."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import simulate
from leaderbayes._numerics import plackett_luce
from leaderbayes._numerics.log_density import Coordinates, many_priors
from leaderbayes._numerics.pairs_by_round import round_log_likelihood, round_statistics
from leaderbayes._numerics.pooled import (
    davidson_posterior,
    many_davidson,
    many_ranked,
    plackett_luce_posterior,
    pooled_pairs,
)


@pytest.fixture(params=[True, False])
def board(request):
    """Places with ties and missing players, and weights of rounds."""
    made = np.round(simulate([1.5, 0.0, -0.5, 0.3], 9, np.random.default_rng(3)))
    made[2, 3:] = np.nan
    matches = lb.matches(made, within_round=request.param)
    return matches["place"].to_numpy(), np.linspace(0.3, 0.9, 9), request.param


def numeric(value, x, step=1e-6):
    return [(value(x + e) - value(x - e)) / (2 * step) for e in step * np.eye(x.size)]


def test_davidson(board):
    """Each point's is the sum over rounds."""
    place, eta, within = board
    statistics = round_statistics(place, within_round=within, ties="half")
    pairs = pooled_pairs(statistics, eta)
    epp, nu = np.random.default_rng(1).standard_normal((5, 4)), np.linspace(-1.0, 1.0, 5)
    by_round = round_log_likelihood(epp, statistics, nu)
    np.testing.assert_allclose(many_davidson(epp, nu, pairs), by_round @ eta, rtol=1e-12)


def test_davidson_posterior(board):
    """Prior and likelihood, and the gradient of their sum."""
    place, eta, within = board
    pairs = pooled_pairs(round_statistics(place, within_round=within, ties="half"), eta)
    at = Coordinates(np.array([0.1, 0.9, 0.5, 0.0]), 0.3, np.zeros(5))
    for x in np.random.default_rng(5).standard_normal((20, 6)):
        value, gradient = davidson_posterior(x, at, (2.0, 4.0), pairs)
        prior, _, a = many_priors(x[None], *at[:2], 2.0, 4.0)
        likelihood = many_davidson(a, x[-1:], pairs)
        assert value == pytest.approx(float(prior[0] + likelihood[0]), rel=1e-12)
        by_hand = numeric(lambda x: davidson_posterior(x, at, (2.0, 4.0), pairs)[0], x)
        np.testing.assert_allclose(gradient, by_hand, rtol=1e-5, atol=1e-5)


def test_plackett_luce_posterior(board):
    """Prior and likelihood, and the gradient of their sum."""
    place, eta, within = board
    if not within:
        pytest.skip("rankings are within rounds")
    known = plackett_luce.rankings(place)
    at = Coordinates(np.array([0.1, 0.9, 0.5, 0.0]), 0.3, np.zeros(5))
    for x in np.random.default_rng(5).standard_normal((20, 5)):
        value, gradient = plackett_luce_posterior(x, at, (2.0, 4.0), known, eta)
        prior, _, a = many_priors(x[None], *at[:2], 2.0, 4.0)
        likelihood = eta @ plackett_luce.log_likelihood(a, *known)
        assert value == pytest.approx(float(prior[0] + likelihood), rel=1e-12)
        by_hand = numeric(lambda x: plackett_luce_posterior(x, at, (2.0, 4.0), known, eta)[0], x)
        np.testing.assert_allclose(gradient, by_hand, rtol=1e-5, atol=1e-5)


def test_many_rankings_at_once(board):
    """What each point has by itself."""
    place, eta, within = board
    if not within:
        pytest.skip("rankings are within rounds")
    epp = np.random.default_rng(4).standard_normal((5, 4))
    known = plackett_luce.rankings(place)
    each = [eta @ plackett_luce.log_likelihood(a[None], *known) for a in epp]
    np.testing.assert_allclose(many_ranked(epp, known, eta), each, rtol=1e-12)
