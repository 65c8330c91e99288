"""Few players' effects with their scale and mean integrated out, against plain quadrature."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import t as student

from leaderbayes._numerics.few_players import draw_raw_scale, log_prior, log_terms, nodes

FLOOR = 0.1
EFFECTS = ([0.0, 0.0], [0.4, -0.4], [30.0, -30.0], [1.0, 0.2, -1.2], [4.0, 4.1, -8.1])


def given_scale(effect, t, df, prior_scale):
    """Density of effects given t, times that of t: two integrals over c, one by each side."""
    tau = prior_scale * np.hypot(t, FLOOR)
    ends = [-300.0, *sorted({-x for x in effect}), 300.0]

    def density(c):
        return np.prod(student.pdf(np.asarray(effect) + c, df, scale=tau))

    parts = [
        quad(density, low, high, epsrel=1e-6, epsabs=0.0, limit=200)[0]
        for low, high in itertools.pairwise(ends)
    ]
    return sum(parts) * np.exp(-0.5 * t**2)


@pytest.mark.parametrize("effect", EFFECTS)
def test_density_given_the_scale(effect):
    """Inner integrals at some scales, by quadrature."""
    at = nodes(np.array(effect), 1.0, 4.0)
    found = log_terms(np.array(effect), 1.0, 4.0, at)
    constant = len(effect) * student.logpdf(0.0, 4.0)
    for k in (6, 12):
        width = at.log_t[k] + 0.5 * at.t[k] ** 2
        expected = np.log(given_scale(effect, at.t[k], 4.0, 1.0))
        assert found[k] - width + constant == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("df", [1.0, 4.0, 30.0])
@pytest.mark.parametrize("effect", EFFECTS)
def test_nodes_are_enough(effect, df, monkeypatch):
    effect = np.array(effect)
    found = log_prior(effect, 0.7, df, nodes(effect, 0.7, df))
    monkeypatch.setattr("leaderbayes._numerics.few_players._STEP", 0.2)
    monkeypatch.setattr("leaderbayes._numerics.few_players._NARROW", 0.4)
    expected = log_prior(effect, 0.7, df, nodes(effect, 0.7, df))
    assert found[0] == pytest.approx(expected[0], abs=0.02)
    np.testing.assert_allclose(found[1], expected[1], atol=0.01)


@pytest.mark.parametrize("effect", EFFECTS)
def test_gradient(effect):
    effect = np.array(effect)
    at = nodes(effect, 1.0, 4.0)
    numeric = [
        (log_prior(effect + d, 1.0, 4.0, at)[0] - log_prior(effect - d, 1.0, 4.0, at)[0]) / 2e-4
        for d in 1e-4 * np.eye(len(effect))
    ]
    np.testing.assert_allclose(log_prior(effect, 1.0, 4.0, at)[1], numeric, atol=5e-3)


def test_its_unit_is_the_priors():
    effect = np.array([0.3, -0.3])
    at = nodes(effect, 1.0, 4.0)
    wide = nodes(100.0 * effect, 100.0, 4.0)
    one, other = log_prior(effect, 1.0, 4.0, at), log_prior(100.0 * effect, 100.0, 4.0, wide)
    assert other[0] == pytest.approx(one[0] - np.log(100.0))
    np.testing.assert_allclose(100.0 * other[1], one[1])


@pytest.mark.parametrize("effect", [[0.05, -0.05], [3.0, -3.0]])
def test_scale_is_drawn_of_its_law(effect, monkeypatch):
    draws = 2000
    at = nodes(np.array(effect), 1.0, 4.0)
    many = np.tile(effect, (draws, 1))
    t = np.sort(draw_raw_scale(many, 1.0, 4.0, at, np.random.default_rng(1)))
    monkeypatch.setattr("leaderbayes._numerics.few_players._STEP", 0.02)
    fine = nodes(np.array(effect), 1.0, 4.0)
    term = np.exp(log_terms(np.array(effect), 1.0, 4.0, fine))
    below = np.interp(t, fine.t, (np.cumsum(term) - term / 2.0) / term.sum())
    # Kolmogorov's distance, of which 1.63 is passed once in a hundred times.
    assert abs(below - (np.arange(draws) + 0.5) / draws).max() < 1.63 / np.sqrt(draws)
