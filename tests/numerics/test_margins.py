"""Margins along ways: their law by quadrature, and a map that knows its own slope."""

import numpy as np
import pytest
from scipy.integrate import cumulative_trapezoid
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from scipy.stats import kstest, t

from conftest import kolmogorov_bound
from leaderbayes._numerics.margins import (
    _CELLS,
    _FAR,
    _POINTS,
    _REACH,
    _along,
    _exponentials,
    _rank,
    _write_guide,
    margins,
    stretch,
)

DRAWS = 20_000


def conditional(x, fixed, wins, n, scale, df):
    """Log-density of one strength among known ones."""
    gap = x[:, None] - fixed
    match = wins * log_expit(gap) + (n - wins) * log_expit(-gap)
    return match.sum(axis=1) + t(df, scale=scale).logpdf(x)


@pytest.mark.parametrize("rate", [1.0, -0.3, 1e-9, 7.0])
def test_exponentials_by_arithmetic(rate):
    far = 340.0 / max(abs(rate), 1.0)
    points = np.sort(np.append(np.linspace(-far, far, 4001), [-0.0, 1e-300, 0.5 * np.log(2.0)]))
    out = np.empty_like(points)
    _exponentials(rate, points, out, np.empty_like(points))
    np.testing.assert_allclose(out, np.exp(rate * points), rtol=4.0 * np.finfo(float).eps)


@pytest.mark.parametrize("spread", [0.5, 5.0, 40.0])
@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_sums_of_all_pairs_are_those_of_each(spread, direction):
    """Also where odds are all that counts, and where numbers would become too large."""
    m, scale, df = 40, 1.3, 4.0
    rng = np.random.default_rng(3)
    mode, sd = spread * rng.normal(size=m), rng.uniform(0.2, 3.0, size=m)
    n = np.triu(rng.integers(0, 3, (m, m)) * rng.choice([1.0, 12.5], (m, m)), 1)
    n += n.T
    found, *_ = _along(mode, direction * np.diag(sd), n, scale, df, _POINTS)
    for j in range(m):
        far = direction * sd[j] * _POINTS
        gap = np.clip(mode[j] - mode, -_FAR, _FAR)
        pairs = np.logaddexp(0.0, gap[:, None] + far) - np.logaddexp(0.0, gap)[:, None]
        log_prior = t(df, scale=scale).logpdf(mode[j] + far) - t(df, scale=scale).logpdf(mode[j])
        slope = -(df + 1.0) * mode[j] / (df * scale**2 + mode[j] ** 2)
        wanted = log_prior - slope * far - n[j] @ (pairs - expit(gap)[:, None] * far)
        np.testing.assert_allclose(found[j], wanted, rtol=1e-9, atol=1e-9)


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
    table = margins(np.r_[mode, fixed], sd * np.eye(4), met, scale, df)
    below = cumulative_trapezoid(np.exp(log - log.max()), x, initial=0.0)
    normal = np.random.default_rng(1).standard_normal((DRAWS, 4))
    moved, _ = stretch(normal, table.normal, table.moved, np.ones(len(table.normal)))
    found = kstest(mode + sd * moved[:, 0], lambda at: np.interp(at, x, below / below[-1]))
    # The grid's points are up to half a standard deviation apart: its trapezoids are off by 0.01.
    assert found.statistic < kolmogorov_bound(DRAWS) + 0.01


@pytest.mark.parametrize("df", [2.0, 4.0])
@pytest.mark.parametrize("wins", [[3.0, 1.0], [9.0, 0.3], [20.0, 0.5]])
def test_of_two_players_it_is_the_posterior_along_the_way(wins, df):
    """Nothing is left out: both go, or one does."""
    scale = 1.5

    def log_posterior(a):
        gap = a[..., 0] - a[..., 1]
        match = wins[0] * log_expit(gap) + wins[1] * log_expit(-gap)
        return match + t(df, scale=scale).logpdf(a).sum(axis=-1)

    start = np.array([0.5, -0.5])
    mode = minimize(lambda a: -log_posterior(a), start, options={"gtol": 1e-7}).x
    step = 1e-3
    hessian = np.empty((2, 2))
    for i, k in np.ndindex(2, 2):
        one, two = step * np.eye(2)[i], step * np.eye(2)[k]
        corners = [one + two, one - two, two - one, -one - two]
        hessian[i, k] = log_posterior(mode + corners) @ [1.0, -1.0, -1.0, 1.0] / (4.0 * step**2)
    way = np.linalg.inv(np.linalg.cholesky(-hessian)).T
    table = margins(mode, way, np.array([[0.0, sum(wins)], [sum(wins), 0.0]]), scale, df)
    u = np.linspace(-60.0, 60.0, 240_001)
    normal = np.random.default_rng(1).standard_normal((DRAWS, 2))
    moved, _ = stretch(normal, table.normal, table.moved, np.ones(len(table.normal)))
    for j in range(2):
        log = log_posterior(mode + u[:, None] * way[:, j])
        below = cumulative_trapezoid(np.exp(log - log.max()), u, initial=0.0)
        found = kstest(moved[:, j], lambda at, below=below: np.interp(at, u, below / below[-1]))
        assert found.statistic < kolmogorov_bound(DRAWS) + 0.01
        ahead = mode + np.array([2.0, 1.0, -1.0, -2.0])[:, None] * 0.02 * way[:, j]
        third = log_posterior(ahead) @ [0.5, -1.0, 1.0, -0.5] / 0.02**3
        assert table.lean[j] == pytest.approx(third, rel=0.01, abs=1e-3)


def test_long_tails_are_widened_the_most():
    """And where all are long, each by little: every way costs some of the draws."""
    n = np.zeros((3, 3))
    n[1, 2] = n[2, 1] = 400.0
    one = margins(np.zeros(3), np.diag([0.8, 0.1, 0.1]), n, 1.0, 2.0).wider
    assert one[0] > 1.0 + 1.0 / 3.0 + 0.5
    np.testing.assert_allclose(one[1:], 1.0 + 1.0 / 3.0, atol=0.02)
    all_of_them = margins(np.zeros(40), 3.0 * np.eye(40), np.zeros((40, 40)), 1.0, 2.0).wider
    np.testing.assert_allclose(all_of_them, 1.0 + 1.9 / 40)


def test_normal_margins_stay():
    """Of a prior as good as normal, and no matches."""
    table = margins(np.zeros(2), np.eye(2), np.zeros((2, 2)), 1.0, 1e9)
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
        margins(np.zeros(m), sd * np.eye(m), np.zeros((m, m)), scale, df).log_mass for m in (1, 5)
    ]
    assert made[0] == pytest.approx(one, abs=0.02)
    assert made[1] == pytest.approx(5.0 * made[0])


def test_the_slope_is_the_maps():
    rng = np.random.default_rng(2)
    n = 3.0 * (1.0 - np.eye(3))
    way = np.array([[1.5, 0.3, 0.2], [0.0, 0.6, 0.4], [0.0, 0.0, 0.8]])
    table = margins(np.array([3.0, 0.0, -1.0]), way, n, 1.0, 4.0)
    normal = np.vstack([rng.standard_normal((200, 3)), 7.0 * rng.standard_normal((20, 3))])
    step = 1e-6
    moved, log_slope = stretch(normal, table.normal, table.moved, np.ones(len(table.normal)))
    ahead, _ = stretch(normal + step, table.normal, table.moved, np.ones(len(table.normal)))
    numeric = np.log((ahead - moved) / step).sum(axis=1)
    # But where a step crosses a point of the grid.
    assert (abs(numeric - log_slope) < 1e-4).mean() > 0.99
    order = normal.argsort(axis=0)
    assert (np.diff(np.take_along_axis(moved, order, axis=0), axis=0) > 0.0).all()


def test_many_players_do_not_overflow():
    m = 2000
    table = margins(np.zeros(m), 3.0 * np.eye(m), np.zeros((m, m)), 1.0, 4.0)
    normal = np.full((2, m), 0.1)
    _, log_slope = stretch(normal, table.normal, table.moved, np.ones(len(table.normal)))
    assert np.isfinite(log_slope).all()
    one = stretch(normal[:, :1], table.normal[:1], table.moved, np.ones(1))[1]
    np.testing.assert_allclose(log_slope, m * one)


def test_a_number_is_found_in_a_row_as_by_bisection():
    """On edges of cells, numbers of the row, beyond all cells; of rows that have none in cells."""
    rng = np.random.default_rng(7)
    edges = np.arange(-_REACH * _CELLS, _REACH * _CELLS + 1) / _CELLS
    rows = (
        np.sort(rng.standard_normal(139)),
        np.sort(100.0 * rng.standard_normal(40)),
        edges[::3].copy(),
        np.array([-300.0, -20.0]),
        np.array([15.0, 300.0]),
    )
    for row in rows:
        guide = np.empty(2 * _REACH * _CELLS, np.int32)
        _write_guide(row, guide)
        near = np.concatenate([row, edges, 3.0 * rng.standard_normal(500), [-1e300, 1e300]])
        z = np.concatenate([near, np.nextafter(near, np.inf), np.nextafter(near, -np.inf)])
        z = np.append(z, [np.inf, -np.inf, np.nan])
        found = [_rank(each, row, guide) for each in z]
        np.testing.assert_array_equal(found, np.searchsorted(row, z))
