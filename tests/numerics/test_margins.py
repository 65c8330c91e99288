"""Margins: their law by quadrature, and a map that knows its own slope."""

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid
from scipy.special import expit, log_expit
from scipy.stats import kstest, t

from conftest import kolmogorov_bound
from leaderbayes._numerics.margins import margins, stretch

DRAWS = 20_000


def conditional(x, fixed, wins, n, scale, df):
    """Log-density of one strength among known ones."""
    gap = x[:, None] - fixed
    match = wins * log_expit(gap) + (n - wins) * log_expit(-gap)
    return match.sum(axis=1) + t(df, scale=scale).logpdf(x)


@pytest.mark.parametrize("df", [2.0, 4.0, 200.0])
@pytest.mark.parametrize("wins", [[2.0, 3.0, 2.5], [4.0, 4.0, 4.0], [0.0, 0.0, 0.3]])
@pytest.mark.parametrize("scale", [0.3, 3.0])
def test_where_nobody_follows_it_is_the_conditional_law(wins, df, scale):
    """Up to what the two grids leave out."""
    wins, fixed, n = np.array(wins), np.array([-1.0, 0.2, 1.5]), np.full(3, 4.0)
    x = np.linspace(-60.0, 60.0, 240_001)
    log = conditional(x, fixed, wins, n, scale, df)
    mode = x[log.argmax()]
    p = expit(mode - fixed)
    curvature = (df + 1.0) * (df * scale**2 - mode**2) / (df * scale**2 + mode**2) ** 2
    sd = 1.0 / np.sqrt((n * p * (1.0 - p)).sum() + curvature)
    met = np.zeros((4, 4))
    met[0, 1:] = met[1:, 0] = n
    table = margins(np.r_[mode, fixed], np.full(4, sd), np.ones(4), met, scale, df)
    below = cumulative_trapezoid(np.exp(log - log.max()), x, initial=0.0)
    normal = np.random.default_rng(1).standard_normal((DRAWS, 4))
    moved, _ = stretch(normal, table.normal, table.moved)
    found = kstest(mode + sd * moved[:, 0], lambda at: np.interp(at, x, below / below[-1]))
    # The grid's points are up to half a standard deviation apart: its trapezoids are off by 0.01.
    assert found.statistic < kolmogorov_bound(DRAWS) + 0.01


def test_normal_margins_stay():
    """Of a prior as good as normal, and no matches."""
    table = margins(np.zeros(2), np.ones(2), np.ones(2), np.zeros((2, 2)), 1.0, 1e9)
    inside = abs(table.moved) < 3.0
    np.testing.assert_allclose(
        table.normal[:, inside], np.tile(table.moved[inside], (2, 1)), atol=0.03
    )
    assert table.log_mass == pytest.approx(0.0, abs=0.03)


def test_mass_is_the_product_of_the_margins():
    """Each over that of a normal one: one prior, whose matches say nothing."""
    scale, df = 1.0, 4.0
    sd = scale * np.sqrt(df / (df + 1.0))
    u = np.linspace(-60.0, 60.0, 400_001)
    prior = t(df, scale=scale).logpdf(sd * u) - t(df, scale=scale).logpdf(0.0)
    one = np.log(np.exp(prior).sum() * (u[1] - u[0]) / np.sqrt(2.0 * np.pi))
    made = [
        margins(np.zeros(m), np.full(m, sd), np.ones(m), np.zeros((m, m)), scale, df).log_mass
        for m in (1, 5)
    ]
    assert made[0] == pytest.approx(one, abs=0.02)
    assert made[1] == pytest.approx(5.0 * made[0])


def test_the_slope_is_the_maps():
    rng = np.random.default_rng(2)
    n = 3.0 * (1.0 - np.eye(3))
    table = margins(
        np.array([3.0, 0.0, -1.0]), np.array([1.5, 0.6, 0.8]), np.full(3, 0.7), n, 1.0, 4.0
    )
    normal = np.vstack([rng.standard_normal((200, 3)), 7.0 * rng.standard_normal((20, 3))])
    step = 1e-6
    moved, log_slope = stretch(normal, table.normal, table.moved)
    ahead, _ = stretch(normal + step, table.normal, table.moved)
    numeric = np.log((ahead - moved) / step).sum(axis=1)
    # But where a step crosses a point of the grid.
    assert (abs(numeric - log_slope) < 1e-4).mean() > 0.99
    order = normal.argsort(axis=0)
    assert (np.diff(np.take_along_axis(moved, order, axis=0), axis=0) > 0.0).all()


def test_many_players_do_not_overflow():
    m = 2000
    table = margins(np.zeros(m), np.full(m, 3.0), np.ones(m), np.zeros((m, m)), 1.0, 4.0)
    normal = np.full((2, m), 0.1)
    _, log_slope = stretch(normal, table.normal, table.moved)
    assert np.isfinite(log_slope).all()
    one = stretch(normal[:, :1], table.normal[:1], table.moved)[1]
    np.testing.assert_allclose(log_slope, m * one)
