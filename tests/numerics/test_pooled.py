"""Log-likelihoods of whole boards: sums of those of rounds, and their gradients."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import simulate
from leaderbayes._numerics import plackett_luce
from leaderbayes._numerics.log_density import Coordinates, with_likelihood
from leaderbayes._numerics.pairs_by_round import round_log_likelihood, round_statistics
from leaderbayes._numerics.pooled import (
    davidson,
    davidson_posterior,
    many_davidson,
    many_ranked,
    pooled_pairs,
    ranked,
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
    place, eta, within = board
    statistics = round_statistics(place, within_round=within, ties="half")
    pairs = pooled_pairs(statistics, eta)
    x = np.append(np.random.default_rng(1).standard_normal(4), -0.7)

    def value(x):
        return davidson(x[:-1], x[-1], pairs)[0]

    by_round = round_log_likelihood(x[None, :-1], statistics, x[-1:])[0]
    assert value(x) == pytest.approx(eta @ by_round)
    _, slope, by_nu = davidson(x[:-1], x[-1], pairs)
    np.testing.assert_allclose(np.append(slope, by_nu), numeric(value, x), rtol=1e-6, atol=1e-6)


def test_rankings(board):
    place, eta, within = board
    if not within:
        pytest.skip("rankings are within rounds")
    known = plackett_luce.rankings(place)
    epp = np.random.default_rng(2).standard_normal(4)
    value, slope = ranked(epp, known, eta)
    assert value == pytest.approx(eta @ plackett_luce.log_likelihood(epp[None], *known))
    by_hand = numeric(lambda b: ranked(b, known, eta)[0], epp)
    np.testing.assert_allclose(slope, by_hand, rtol=1e-6, atol=1e-6)


def test_davidson_posterior(board):
    """What its parts give."""
    place, eta, within = board
    pairs = pooled_pairs(round_statistics(place, within_round=within, ties="half"), eta)
    at = Coordinates(np.array([0.1, 0.9, 0.5, 0.0]), 0.3, np.zeros(5))
    for x in np.random.default_rng(5).standard_normal((20, 6)):
        by_nu = []

        def likelihood(a, nu=x[-1], by_nu=by_nu):
            value, slope, last = davidson(a, nu, pairs)
            by_nu.append(last)
            return value, slope

        value, gradient = with_likelihood(x[:-1], at, (2.0, 4.0), likelihood)
        found, own = davidson_posterior(x, at, (2.0, 4.0), pairs)
        assert found == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(own, np.append(gradient, by_nu), rtol=1e-10, atol=1e-12)


def test_many_at_once(board):
    """What each point has by itself."""
    place, eta, within = board
    epp, nu = np.random.default_rng(4).standard_normal((5, 4)), np.linspace(-1.0, 1.0, 5)
    pairs = pooled_pairs(round_statistics(place, within_round=within, ties="half"), eta)
    each = [davidson(a, n, pairs)[0] for a, n in zip(epp, nu, strict=True)]
    np.testing.assert_allclose(many_davidson(epp, nu, pairs), each, rtol=1e-12)
    if within:
        known = plackett_luce.rankings(place)
        each = [ranked(a, known, eta)[0] for a in epp]
        np.testing.assert_allclose(many_ranked(epp, known, eta), each, rtol=1e-12)
