"""Inference on the winner, and on the best, against brute force."""

import numpy as np
import pytest
from scipy.special import logsumexp, ndtri_exp
from scipy.stats import binom, norm, truncnorm

from leaderbayes._numerics import winner as numerics
from leaderbayes._numerics.winner import Cells, Drawn, Normals, OneFactor, Shares


def exact(x):
    """Cells without a width."""
    x = np.asarray(x, dtype=float)
    return Cells(x, x, x)


def shares(count, n):
    count = np.asarray(count, dtype=float)
    return Cells(count, count + 0.5, count + 1.0), Shares(n)


def test_truncated_cdf():
    for z, low, high in [(0.3, -1.0, 2.0), (1.5, 1.0, np.inf), (-2.0, -np.inf, -1.5)]:
        expected = truncnorm.cdf(z, low, high)
        assert numerics.truncated_cdf(z, low, high) == pytest.approx(expected, rel=1e-9)
    # Far out the tail falls as exp(-low (z - low)).
    for low in (40.0, 1000.0):
        found = numerics.truncated_cdf(low + 1.0 / low, low, np.inf)
        assert found == pytest.approx(1.0 - np.exp(-1.0), abs=1e-3)
        assert numerics.truncated_cdf(-low - 1.0 / low, -np.inf, -low) == pytest.approx(
            np.exp(-1.0), abs=1e-3
        )
    assert numerics.truncated_cdf(1.0, 1.0, 2.0) == 0.0


def test_shares_are_binomial():
    scale, theta = Shares(50), np.linspace(0.02, 0.98, 25)
    for k in (1, 20, 49):
        np.testing.assert_allclose(
            norm.sf(scale.z(k, theta, 0)), binom.sf(k - 1, 50, theta), atol=1e-13
        )
    assert scale.z(0.0, 0.3, 0) == -np.inf
    assert scale.z(51.0, 0.3, 0) == np.inf
    # Beyond what numbers hold it goes on falling.
    far = Shares(20_000).z(18_000.5, np.linspace(1e-9, 0.9, 400), 0)
    assert np.isfinite(far).all()
    assert (np.diff(far) < 0.0).all()
    np.testing.assert_allclose(scale.back(scale.even(np.arange(1.0, 50.0))), np.arange(1.0, 50.0))


@pytest.mark.parametrize(
    ("n", "k"), [(20, 18), (100, 90), (100, 100), (1000, 930), (20_000, 18_000)]
)
def test_shares_are_binomial_where_tails_are_no_numbers(n, k):
    for theta in (1e-40, 1e-12, 1e-6, 1e-3, 0.1, 0.5):
        expected = -ndtri_exp(logsumexp(binom.logpmf(np.arange(k, n + 1), n, theta)))
        assert float(Shares(n).z(k, theta, 0)) == pytest.approx(expected, rel=1e-9)
        turned = float(Shares(n).z(n - k + 1, 1.0 - theta, 0))
        assert turned == pytest.approx(-float(Shares(n).z(k, 1.0 - (1.0 - theta), 0)), rel=1e-9)
    assert np.isfinite(Shares(n).z(k, [0.0, 1.0], 0)).all()


@pytest.mark.parametrize("n", [20, 50, 100, 150, 200])
def test_conditional_of_shares_on_a_small_test_set(n):
    """The law of the winner's count above the runner-up's, at the ends of the interval."""
    count = np.round([0.9 * n, 0.8 * n, 0.6 * n])
    x, scale = shares(count, n)
    found = numerics.won(x, scale, OneFactor(0.0, np.ones(3)), 0, 0.95, share=0.0)
    low, place = numerics.truncation(x, scale, OneFactor(0.0, np.ones(3)), 0)[:2]
    for theta, below in zip(found, (0.5, 0.975, 0.025), strict=True):
        beyond = norm.sf(scale.z([low, place], theta, 0))
        assert beyond[1] / beyond[0] == pytest.approx(1.0 - below, abs=1e-6)
    assert found.lower < found.middle < 0.9 < found.upper


def test_conditional_is_the_law_given_that_it_won():
    """Uniform, of boards that the same team wins, whatever the others and the correlations are."""
    rng = np.random.default_rng(1)
    theta = np.array([0.0, 0.3, -0.5, 0.2])
    root = rng.normal(size=(4, 4))
    covariance = root @ root.T / 4.0
    luck, scale = Drawn(covariance), Normals(np.sqrt(np.diag(covariance)))
    x = theta + rng.multivariate_normal(np.zeros(4), covariance, size=4000)
    for team in (0, 1):
        rows = x[x.argmax(axis=1) == team]
        between = [numerics.truncation(exact(row), scale, luck, team) for row in rows]
        place = [numerics.beyond(scale, team, ends, theta[team]) for ends in between]
        levels = np.linspace(0.1, 0.9, 9)
        found = np.quantile(place, levels)
        np.testing.assert_allclose(found, levels, atol=4.0 * 0.5 / np.sqrt(len(rows)))


def test_truncation_is_where_the_winner_changes():
    """Moving the winner's score, and with it what it carries of the others', to where it loses."""
    rng = np.random.default_rng(2)
    root = rng.normal(size=(6, 6))
    covariance = root @ root.T
    x = rng.normal(size=6) * 3.0
    team = int(x.argmax())
    parts = exact(x), Normals(np.sqrt(np.diag(covariance))), Drawn(covariance)
    low, own, high = numerics.truncation(*parts, team)
    assert own == x[team]
    ratio = covariance[team] / covariance[team, team]
    for value in np.linspace(x[team] - 5.0, x[team] + 5.0, 301):
        moved = x + ratio * (value - x[team])
        assert (moved.argmax() == team) == (low <= value <= high)


def test_ties_are_by_lot():
    """Counts, of which the first team wins among equals by lot: uniform, by simulation."""
    rng = np.random.default_rng(6)
    n, theta = 60, np.array([0.7, 0.72, 0.68, 0.72])
    count = rng.binomial(n, theta, size=(6000, 4))
    winner = (count + rng.random(count.shape)).argmax(axis=1)
    rows = count[winner == 0]
    assert ((rows == rows.max(axis=1)[:, None]).sum(axis=1) > 1).mean() > 0.15
    luck = OneFactor(0.0, np.ones(4))
    place = []
    for row in rows:
        cells, scale = shares(row, n)
        between = numerics.truncation(cells, scale, luck, 0)
        place.append(numerics.beyond(scale, 0, between, theta[0]))
    levels = np.array([0.1, 0.25, 0.5, 0.75, 0.9])
    held = (np.array(place)[:, None] <= levels).mean(axis=0)
    np.testing.assert_allclose(held, levels, atol=0.05)  # steps of single counts


def test_one_team_and_a_runaway_have_the_usual_interval():
    scale, luck = Normals(np.ones(3)), OneFactor(0.0, np.ones(3))
    for x in ([0.0, -100.0, -120.0], [0.0, -8.0, -9.0]):
        found = numerics.won(exact(x), scale, luck, 0, 0.95, share=0.0)
        np.testing.assert_allclose(found, [0.0, -1.959964, 1.959964], atol=1e-3)
    cells, scale = shares([90], 100)
    lower, upper = numerics.best(cells, scale, OneFactor(0.0, np.ones(1)), 0.95, share=1e-9)
    found = [lower, upper]
    # Clopper and Pearson's.
    np.testing.assert_allclose(found, [0.823777, 0.950995], atol=1e-5)


def test_hybrid_is_within_the_simultaneous_interval_where_scores_tie():
    scale, luck = Normals(np.full(4, 0.1)), OneFactor(0.0, np.full(4, 0.1))
    x = np.array([0.5, 0.5, 0.4, 0.1])
    cells = Cells(x - 5e-4, x, x + 5e-4)
    alone = numerics.won(cells, scale, luck, 0, 0.95, share=0.0)
    hybrid = numerics.won(cells, scale, luck, 0, 0.95)
    whole = numerics.simultaneous(cells, scale, luck, 0, 0.995)
    assert alone.lower < 0.5 - 100 * 0.1
    assert whole.lower <= hybrid.lower <= hybrid.middle < hybrid.upper <= whole.upper
    narrow = numerics.won(cells, scale, luck, 0, 0.95, share=0.01)
    assert narrow.lower < hybrid.lower


@pytest.mark.parametrize("loading", [0.0, 0.6, 0.95])
def test_constants(loading):
    rng = np.random.default_rng(3)
    m, se = 300, np.ones(300)
    factor = rng.standard_normal((20_000, 1))
    own = np.sqrt(1.0 - loading**2) * rng.standard_normal((20_000, m))
    normal = loading * factor + own
    luck = OneFactor(loading, se)
    for c in (2.0, 3.0, 3.5):
        assert luck.within(c) == pytest.approx((np.abs(normal) < c).all(axis=1).mean(), abs=0.015)
    z = np.linspace(2.0, 5.0, m)
    assert luck.below(z) == pytest.approx((normal < z).all(axis=1).mean(), abs=0.015)
    covariance = loading**2 + (1.0 - loading**2) * np.eye(m)
    drawn = Drawn(covariance)
    assert drawn.below(z) == pytest.approx(luck.below(z), abs=0.015)
    assert drawn.within(3.0) == pytest.approx(luck.within(3.0), abs=0.015)
    np.testing.assert_allclose(drawn.ratio(0), OneFactor(loading, se).ratio(0))


def test_the_lower_bound_of_the_best_is_a_test():
    """At the bound, teams as good as they may be have so high a maximum with what is left."""
    rng = np.random.default_rng(4)
    n, count = 400, np.array([352, 350, 340, 310, 200])
    cells, scale = shares(count, n)
    lower, upper = numerics.best(cells, scale, OneFactor(0.0, np.ones(5)), 0.9)
    c = norm.ppf((1.0 - 0.005) ** 0.2)
    reach = numerics._theta_at(cells.high, -c, scale, cells)
    np.testing.assert_allclose(binom.cdf(count, n, reach), norm.sf(c), rtol=1e-6)
    drawn = rng.binomial(n, np.minimum(lower, reach), size=(200_000, 5)).max(axis=1)
    assert (drawn >= 352).mean() == pytest.approx(0.045, abs=0.002)
    assert binom.cdf(352, n, upper) == pytest.approx(0.05)
    # Teams that are far below do not count.
    far, _ = numerics.best(*shares([352, *[100] * 1000], n), OneFactor(0.0, np.ones(1001)), 0.9)
    near, _ = numerics.best(*shares([352, *[340] * 1000], n), OneFactor(0.0, np.ones(1001)), 0.9)
    assert near < lower < far + 0.005


def test_errors_of_their_own():
    """A team with a large error cannot make the best's bound worse than it does with its own."""
    x, se = np.array([1.0, 0.9, 3.0]), np.array([0.1, 0.1, 2.0])
    lower, upper = numerics.best(exact(x), Normals(se), OneFactor(0.0, se), 0.95)
    assert 0.7 < lower < 0.9
    assert upper == pytest.approx(3.0 + 1.959964 * 2.0, rel=1e-5)


def test_many_ties_are_fast_and_finite():
    rng = np.random.default_rng(5)
    count = np.minimum(rng.binomial(1000, 0.9, size=3500), 925)
    cells, scale = shares(count, 1000)
    for loading in (0.0, 0.6):
        luck = OneFactor(loading, np.ones(3500))
        team = int(count.argmax())
        found = (
            *numerics.won(cells, scale, luck, team, 0.95),
            *numerics.won(cells, scale, luck, team, 0.95, share=0.0),
            *numerics.best(cells, scale, luck, 0.95),
        )
        assert np.isfinite(found).all()
        assert found[-2] < 0.9 < found[-1]
