"""The law of one strength among known ones, whose own mean is not known."""

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid
from scipy.special import beta, log_expit, logsumexp
from scipy.stats import norm, t

from leaderbayes._numerics.new_player import draw_strength

EPP = np.array([-1.5, 0.2, 1.3])
CASES = {
    "even": ([5.0, 4.0, 6.0], [10.0, 10.0, 10.0], 0.5),
    "undefeated": ([10.0, 10.0, 10.0], [10.0, 10.0, 10.0], 1.0),
    "many rounds": ([900.0, 500.0, 100.0], [1000.0, 1000.0, 1000.0], 1.0),
    "one match": ([0.0, 0.5, 0.0], [0.0, 1.0, 0.0], 0.2),
    "no match": ([0.0, 0.0, 0.0], [0.0, 0.0, 0.0], 1.0),
}
GRID = (np.arange(100) + 0.5) / 100


def density(name, scale, df):
    """Law of d by quadrature: points, cumulative share, and the likelihood of the matches."""
    wins, n, weight = (np.asarray(x) for x in CASES[name])
    reach = np.sinh(np.linspace(-9.0, 9.0, 1201)) / np.sinh(9.0)
    at = 200.0 * (scale + 1.0) * reach
    # A finer grid where matches decide it.
    at = np.unique(np.r_[at, np.linspace(-8.0, 8.0, 801)])
    law = t(df, scale=scale)
    level = np.unique(np.r_[100.0 * scale * reach[::3], np.linspace(-4.0, 4.0, 161)])
    known = law.logpdf(EPP[:, None] + level).sum(axis=0)
    share = np.exp(known - known.max()) * np.gradient(level)
    prior = (law.pdf(at[:, None] + level) * (share / share.sum())).sum(axis=1)
    gap = at[:, None] - EPP
    match = weight * (wins * log_expit(gap) + (n - wins) * log_expit(-gap)).sum(axis=1)
    below = cumulative_trapezoid(prior * np.exp(match - match.max()), at, initial=0.0)
    return at, below / below[-1], match.max() + np.log(below[-1])


@pytest.mark.parametrize("df", [4.0, 100.0])
@pytest.mark.parametrize("scale", [0.3, 1.0, 5.0])
@pytest.mark.parametrize("name", CASES)
def test_against_a_fine_grid(name, scale, df):
    """Levels and differences on a grid of their levels, each by its likelihood."""
    wins, n, weight = (np.asarray(x) for x in CASES[name])
    # Far into the tails of the level, where a player that wins everything wants it.
    z = np.linspace(-6.0, 6.0, 121)
    uniform = np.stack(np.meshgrid(norm.cdf(z), GRID, indexing="ij"), axis=-1).reshape(-1, 2)
    share = np.repeat(norm.pdf(z) * (z[1] - z[0]) / len(GRID), len(GRID))
    count = len(uniform)
    strength, log_marginal = draw_strength(
        np.tile(EPP, (count, 1)), np.full(count, scale), df, weight * wins, weight * n, uniform
    )
    at, below, expected = density(name, scale, df)
    # The normaliser of Student's law is left out.
    found = log_marginal - np.log(np.sqrt(df) * beta(0.5, df / 2.0))
    assert logsumexp(found, b=share) == pytest.approx(expected, abs=0.01)
    order = strength.argsort()
    own = (share * np.exp(found - found.max()))[order].cumsum()
    np.testing.assert_allclose(
        own / own[-1], np.interp(strength[order], at, below), rtol=0, atol=0.01
    )


def test_prior_alone():
    """No match: of any level the likelihood is 1, and d + level is Student's."""
    rng = np.random.default_rng(1)
    none, df = np.zeros(4), 4.0
    uniform = np.column_stack([np.full(2000, 0.3), (np.arange(2000) + 0.5) / 2000])
    d, log_marginal = draw_strength(
        np.tile(rng.normal(size=4), (2000, 1)), np.full(2000, 2.0), df, none, none, uniform
    )
    np.testing.assert_allclose(log_marginal, np.log(np.sqrt(df) * beta(0.5, df / 2.0)), atol=2e-3)
    # One level for all: that of the median.
    level = -np.median(d)
    assert np.abs(t(df, scale=2.0).cdf(d + level) - uniform[:, 1]).max() < 0.005


def test_the_level_is_where_the_others_are():
    """Equal players that are known well: their own strengths are the level's spread."""
    epp = np.tile(np.zeros(400), (500, 1))
    uniform = np.random.default_rng(2).random((500, 2))
    none = np.zeros(400)
    d, _ = draw_strength(epp, np.full(500, 1.0), 4.0, none, none, uniform)
    # All 400 at the centre: the level is 0 up to 1 / sqrt(400 (df + 1) / df).
    far = 4.5 / np.sqrt(400 * 5.0 / 4.0)
    assert np.abs(t(4.0).cdf(d) - uniform[:, 1]).max() < far * t(4.0).pdf(0.0)
