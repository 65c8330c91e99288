"""Players drawn together: what is a player's own, and Gibbs' sampler."""

import numpy as np
import pytest
from scipy.stats import kstest

from leaderbayes._numerics.shrinkage import FLOOR, Shrinkage, own_variance, shrunken


def centred(scores):
    return scores - scores.mean(axis=0)


def test_what_is_a_players_own():
    """What all share is nobody's, nor what a family does; of two it is half of the difference's."""
    rng = np.random.default_rng(17)
    n, m = 4000, 20
    own = np.linspace(0.5, 1.5, m)
    alone = own * rng.normal(size=(n, m))
    family = 2.0 * rng.normal(size=(n, 4))[:, np.arange(m) % 4]
    # Of what is shared, a variance of 9, a hundredth may be taken for own.
    for shared, known in ((0.0, 0.05), (3.0 * rng.normal(size=(n, 1)), 0.14)):
        seen = centred(alone + shared)
        found = own_variance(seen, seen.std(axis=0))
        np.testing.assert_allclose(found, own**2, rtol=0.1, atol=known)
    seen = centred(alone + family)
    # What the others of a family leave open of it is added.
    kin = np.array([(own[i % 4 :: 4] ** -2.0).sum() - own[i] ** -2.0 for i in range(m)])
    wanted = own**2 + 1.0 / (kin + 0.25)
    np.testing.assert_allclose(own_variance(seen, seen.std(axis=0)), wanted, rtol=0.15)
    two = centred(alone[:, :2] + 5.0 * rng.normal(size=(n, 1)))
    half = 0.5 * float(np.diff(two, axis=1).var())
    np.testing.assert_allclose(own_variance(two, two.std(axis=0)), half, rtol=0.01)
    # Standardised scores, of which only differences vary, have their own, too.
    alike = alone - alone.mean(axis=1, keepdims=True)
    found = own_variance(centred(alike), alike.std(axis=0))
    np.testing.assert_allclose(found, own**2, rtol=0.15)


def test_gibbs_draws_from_the_posterior():
    """Two players, of whom it is known: by quadrature over the difference and the scale."""
    by = Shrinkage(np.array([1.3, 0.8]), np.array([0.05, 0.08]), np.pi / np.sqrt(3.0), 4.0)
    rng = np.random.default_rng(14)
    odds = by.centre + np.sqrt(by.own) * rng.standard_normal((20_000, 2))
    shrunk, scale = shrunken(odds, by, np.random.default_rng(15))
    gap = np.linspace(-6.0, 6.0, 4001)
    mean, sd = by.centre[0] - by.centre[1], np.sqrt(by.own.sum())
    floor = FLOOR * np.sqrt(by.own).mean()
    t = np.linspace(0.0, 6.0, 600)
    tau = np.sqrt((by.prior_scale * t) ** 2 + floor**2)
    # Two Student-t strengths around a level without a prior: their difference, by mixing normals.
    u = np.random.default_rng(16).gamma(2.0, 1.0, (2, 4000)) / 2.0
    width = np.sqrt((1.0 / u).sum(axis=0))
    density = np.zeros_like(gap)
    by_scale = np.zeros_like(tau)
    for k, one in enumerate(tau):
        spread = np.hypot(sd, one * width)
        evidence = np.exp(-0.5 * t[k] ** 2 - 0.5 * (mean / spread) ** 2) / spread
        by_scale[k] = evidence.mean()
        share = (one * width) ** 2 / spread**2
        at, within = share * mean, np.sqrt(share) * sd
        some = slice(None, None, 40)
        normal = np.exp(-0.5 * ((gap[:, None] - at[some]) / within[some]) ** 2) / within[some]
        density += (evidence[some] * normal).mean(axis=1)
    by_gap = np.cumsum(density) / density.sum()
    drawn = (shrunk[:, 0] - shrunk[:, 1])[::10]
    # The reference is a mixture of 100 normals by chance: nearly the law.
    assert kstest(drawn, lambda x: np.interp(x, gap, by_gap)).statistic < 0.05
    assert (by_scale @ tau) / by_scale.sum() == pytest.approx(scale.mean(), rel=0.1)


def test_the_mean_of_each_draw_stays():
    rng = np.random.default_rng(3)
    flat = rng.normal(size=(50, 6)) + 2.0 * rng.normal(size=(50, 1))
    by = Shrinkage(flat.mean(axis=0), np.ones(6), 1.0, 4.0)
    for sweeps in (1, 3):
        drawn, scale = shrunken(flat, by, np.random.default_rng(4), sweeps=sweeps)
        np.testing.assert_allclose(drawn.mean(axis=1), flat.mean(axis=1))
        assert scale.shape == (50,)
        assert drawn.std(axis=1).mean() < flat.std(axis=1).mean()


def test_what_all_share_in_a_draw_makes_no_differences():
    """Items that nearly all players answer alike move all of them by more than they differ."""
    rng = np.random.default_rng(6)
    by = Shrinkage(np.array([0.3, 0.0, -0.2, 0.1]), np.array([0.01, 0.09, 0.04, 0.2]), 0.5, 4.0)
    alone = by.centre + np.sqrt(by.own) * rng.normal(size=(100, 4))
    shift = 10.0 * rng.normal(size=(100, 1))
    (still, scale), (moved, same) = (
        shrunken(flat, by, np.random.default_rng(7)) for flat in (alone, alone + shift)
    )
    np.testing.assert_array_equal(same, scale)
    np.testing.assert_allclose(moved - shift, still, atol=1e-12)


def test_too_many_players_of_too_few_rounds():
    """The covariance has no inverse of its own; and players who are the same have nothing own."""
    rng = np.random.default_rng(5)
    few = centred(rng.normal(size=(5, 40)))
    found = own_variance(few, few.std(axis=0))
    assert np.all((found > 0.0) & (found < 2.0 * few.var(axis=0)))
    # Of few rounds that is hardly known, and less is own the more there are.
    own = []
    for n in (50, 1000, 20_000):
        twins = np.repeat(centred(rng.normal(size=(n, 4))), 2, axis=1)
        own.append(own_variance(twins, twins.std(axis=0)).max())
    assert 0.5 > own[0] > own[1] > own[2]
    assert own[2] < 0.01
