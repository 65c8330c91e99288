"""The nested Laplace approximation: weighted, its draws are the posterior's, as by quadrature."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, log_expit

from leaderbayes._inference.psis import MAX_PARETO_K, smooth
from leaderbayes._numerics import laplace
from leaderbayes._numerics.laplace import Board, Laplace, log_weight, sample
from leaderbayes._numerics.places import count, draw_places

DF = 4.0


def pairs(m, n, rng, sigma, df=DF):
    """Strengths from the prior, and wins (player, opponent) of n independent matches a pair."""
    a = sigma * rng.standard_t(df, m)
    wins = np.zeros((m, m))
    upper = np.triu_indices(m, 1)
    wins[upper] = rng.binomial(n, expit(a[upper[0]] - a[upper[1]]))
    wins.T[upper] = n - wins[upper]
    return a - a.mean(), wins


def board(wins, prior_scale=2.0, df=DF):
    wins = np.asarray(wins, dtype=float)
    return Board(wins.sum(axis=1), wins + wins.T, prior_scale, df)


def weighted(made, of, *values):
    """Means by weight of each of some values (draw,), and their standard errors."""
    weight = np.exp(log_weight(made, of) - log_weight(made, of).max())
    weight /= weight.sum()
    means = np.array([weight @ value for value in values])
    errors = [
        np.sqrt((weight**2 * (v - mean) ** 2).sum()) for v, mean in zip(values, means, strict=True)
    ]
    return means, np.array(errors)


def log_posterior(a, scale, wins, prior_scale, df):
    """Log-density of strengths (draw, player) and of log sigma (draw,), by its definition."""
    gap = a[:, :, None] - a[:, None]
    match = (wins * log_expit(gap)).sum(axis=(1, 2))
    prior = stats.t(df, scale=scale[:, None]).logpdf(a).sum(axis=1)
    return match + prior + stats.halfnorm(scale=prior_scale).logpdf(scale) + np.log(scale)


@pytest.mark.parametrize(("won", "of"), [(3, 6), (5, 6), (6, 6), (20, 20), (0.7, 1.2)])
@pytest.mark.parametrize("df", [4.0, 50.0])
def test_two_players(won, of, df):
    """One gap and one scale, by quadrature: the gap is sigma times a difference of two t."""
    u = 60.0 * np.sinh(np.linspace(-9.0, 9.0, 1501)) / np.sinh(9.0) * np.sqrt(4.0)
    spacing, t = np.gradient(u), stats.t(df)
    difference = (t.pdf(u) * t.pdf(u[:, None] + u) * spacing).sum(axis=1)
    log_scale = np.linspace(-9.0, 2.5, 461)[:, None]
    scale, gap = np.exp(log_scale), np.exp(log_scale) * u
    log = won * log_expit(gap) + (of - won) * log_expit(-gap)
    log += np.log(difference * spacing) - 0.5 * (scale / 2.0) ** 2 + log_scale
    weight = np.exp(log - log.max())
    weight /= weight.sum()

    def statistics(gap, scale):
        """Bounded ones: of few matches a gap has no fourth moment, and its mean no known error."""
        return (expit(gap), expit(gap) ** 2, np.tanh(gap / 4.0), 1.0 * (gap > 3.0), scale)

    expected = [
        (weight * value).sum() for value in statistics(gap, np.broadcast_to(scale, gap.shape))
    ]
    of_both = board([[0.0, won], [of - won, 0.0]], df=df)
    made = sample(of_both, 40_000, np.random.default_rng(1))
    drawn = made.strength[:, 0] - made.strength[:, 1]
    found, error = weighted(made, of_both, *statistics(drawn, made.scale))
    assert (abs(found - expected) < 4.0 * error + 1e-3 * np.abs(expected)).all()
    # The approximation is near, an eighth of the draws at least.
    assert smooth(log_weight(made, of_both)).ess > 5_000


@pytest.mark.parametrize("m", [2, 3, 5])
def test_the_weight_is_the_posterior_over_the_draws_density(m):
    rng = np.random.default_rng(m)
    _, wins = pairs(m, 6, rng, 1.5, 5.0)
    of = board(wins, 1.3, 5.0)
    made = sample(of, 200, rng)
    expected = log_posterior(made.strength, made.scale, wins, 1.3, 5.0)
    apart = log_weight(made, of) + made.log_density - expected
    np.testing.assert_allclose(apart, apart[0], rtol=0, atol=1e-9)
    # Anywhere, also where nothing is drawn.
    far = Laplace(40.0 * rng.normal(size=(9, m)), np.exp(rng.normal(size=9)), np.zeros(9))
    apart_there = log_weight(far, of) - log_posterior(far.strength, far.scale, wins, 1.3, 5.0)
    np.testing.assert_allclose(apart_there, apart[0], rtol=0, atol=1e-8)


def test_the_draws_have_the_density_that_they_say():
    """The mean of any density over theirs is the same number."""
    rng = np.random.default_rng(5)
    _, wins = pairs(3, 8, rng, 1.0)
    made = sample(board(wins), 100_000, rng)
    at = np.column_stack([made.strength, np.log(made.scale)])
    centre, covariance = np.median(at, axis=0), np.cov(at.T) / 4.0
    sd = np.sqrt(np.diag(covariance))
    means, errors = [], []
    for shift in (
        np.zeros(4),
        0.7 * sd,
        -0.7 * sd,
        sd * [1.0, -1.0, 0.0, 0.0],
        sd * [0, 0, 0, 1.0],
    ):
        density = stats.multivariate_normal(centre + shift, covariance / 2.0)
        ratio = np.exp(density.logpdf(at) - made.log_density)
        means.append(ratio.mean())
        errors.append(ratio.std() / np.sqrt(len(ratio)))
    chi = ((np.array(means) - np.average(means, weights=1 / np.square(errors))) / errors) ** 2
    assert chi.max() < 4.0**2
    assert max(errors) < 0.1 * np.mean(means)


def test_three_players_against_draws_of_the_prior():
    """Draws of the prior, by likelihood: brute force."""
    wins = np.array([[0.0, 6.0, 6.0], [0.0, 0.0, 2.5], [0.0, 1.5, 0.0]])
    rng = np.random.default_rng(6)
    scale = abs(2.0 * rng.standard_normal(400_000))
    a = scale[:, None] * rng.standard_t(DF, (400_000, 3))
    gap = a[:, :, None] - a[:, None]
    likelihood = np.exp((wins * log_expit(gap)).sum(axis=(1, 2)))
    likelihood /= likelihood.sum()

    def statistics(a, scale):
        b = a - a.mean(axis=1, keepdims=True)
        return (*np.tanh(b / 4.0).T, *expit(b).T, 1.0 * (b[:, 1] > b[:, 2]), scale)

    values = np.array(statistics(a, scale))
    expected = values @ likelihood
    error = np.sqrt((likelihood**2 * (values - expected[:, None]) ** 2).sum(axis=1))
    made = sample(board(wins), 40_000, rng)
    found, own = weighted(made, board(wins), *statistics(made.strength, made.scale))
    assert (abs(found - expected) < 4.0 * np.hypot(error, own)).all()


def test_the_truth_is_anywhere_in_the_posterior():
    """Strengths and scale from the prior: by weight their levels are uniform."""
    rng = np.random.default_rng(2)
    simulations = 300
    level = np.empty((simulations, 2))
    for k in range(simulations):
        sigma = abs(2.0 * rng.standard_normal())
        b, wins = pairs(6, 8, rng, sigma)
        of = board(wins)
        made = sample(of, 2000, rng)
        level[k] = weighted(made, of, 1.0 * (made.epp[:, 0] < b[0]), 1.0 * (made.scale < sigma))[0]
    for column in level.T:
        assert stats.kstest(column, "uniform").pvalue > 1e-3


def test_sums_to_zero_and_repeats():
    rng = np.random.default_rng(3)
    of = board(0.5 * pairs(7, 5, rng, 1.0)[1])
    one, two = (sample(of, 50, np.random.default_rng(9)) for _ in range(2))
    np.testing.assert_allclose(one.epp.sum(axis=1), 0.0, atol=1e-12)
    np.testing.assert_array_equal(one.epp, two.epp)
    np.testing.assert_array_equal(one.log_density, two.log_density)


@pytest.mark.parametrize("m", [2, 3, 30])
def test_boards_that_decide_everything(m):
    """The first wins every match, the second every other, and so on: finite, and in order."""
    of = board(40.0 * np.triu(np.ones((m, m)), 1))
    made = sample(of, 4000, np.random.default_rng(4))
    assert np.isfinite(made.epp).all()
    assert np.isfinite(log_weight(made, of)).all()
    assert (np.diff(weighted(made, of, *made.epp.T)[0]) < 0.0).all()


@pytest.mark.parametrize("sigma", [0.0, 1.0])
@pytest.mark.parametrize("m", [5, 20])
def test_weights_have_tails_that_can_be_trusted(m, sigma):
    rng = np.random.default_rng(8)
    for _ in range(3):
        _trustworthy(board(0.5 * pairs(m, 10, rng, sigma)[1]), rng)


@pytest.mark.parametrize("m", [2, 3, 8, 20])
@pytest.mark.parametrize("upsets", [0.0, 0.5, 3.0])
def test_where_nearly_all_matches_go_one_way_too(m, upsets):
    """Differences of neighbours are known better than the level on which they stand."""
    wins = 20.0 * np.triu(np.ones((m, m)), 1)
    wins[np.arange(1, m), np.arange(m - 1)] += upsets
    _trustworthy(board(wins), np.random.default_rng(m))


def _trustworthy(of, rng):
    smoothed = smooth(log_weight(sample(of, 4000, rng), of))
    assert smoothed.pareto_k < MAX_PARETO_K
    assert smoothed.ess > 400


def test_players_who_never_met():
    """Two pairs that never met: how far they are apart is the prior's, and of no sign."""
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[1, 0] = wins[2, 3] = wins[3, 2] = 5.0
    rng = np.random.default_rng(5)
    made = sample(board(wins), 40_000, rng)
    a, scale = made.strength, made.scale
    apart = np.abs(a[:, 0] + a[:, 1] - a[:, 2] - a[:, 3])
    ahead = np.sign(a[:, 0] + a[:, 1] - a[:, 2] - a[:, 3])
    found, error = weighted(made, board(wins), ahead, 1.0 * (apart > 1.0), 1.0 * (apart > 6.0))
    assert abs(found[0]) < 4.0 * error[0]
    scale = abs(2.0 * rng.standard_normal(400_000))
    a = scale[:, None] * rng.standard_t(DF, (400_000, 4))
    gap = a[:, [0, 2]] - a[:, [1, 3]]
    likelihood = np.exp(5.0 * (log_expit(gap) + log_expit(-gap)).sum(axis=1))
    likelihood /= likelihood.sum()
    apart = np.abs(a[:, 0] + a[:, 1] - a[:, 2] - a[:, 3])
    for far, share, own in zip((1.0, 6.0), found[1:], error[1:], strict=True):
        expected = likelihood @ (apart > far)
        other = np.sqrt((likelihood**2 * ((apart > far) - expected) ** 2).sum())
        assert abs(share - expected) < 4.0 * np.hypot(own, other)


@pytest.mark.parametrize(("players", "rounds", "spread"), [(300, 20, 0.5), (400, 10, 1.0)])
def test_the_scale_is_found_beside_the_first_guess(monkeypatch, players, rounds, spread):
    """Of many players the density of the scale is narrow, and the first steps end beside it.

    Far from there Newton's steps do not end: looked for everywhere it took 240 factors and more.
    """
    given, factors = laplace._factor, []

    def counted(*arguments):
        factors.append(1)
        return given(*arguments)

    monkeypatch.setattr(laplace, "_factor", counted)
    rng = np.random.default_rng(3)
    epp = spread * rng.normal(size=players)
    place = draw_places(epp, np.ones((rounds, players), bool), rng)
    wins, n, _ = count(place, within_round=True, ties="half")
    weight = 3.0 / (players + 1.0)
    found, nodes = laplace._grid(Board(weight * wins.sum(axis=1), weight * n, 2.0, 2.0))
    density = [node.log_density for node in nodes]
    assert 0 < np.argmax(density) < len(nodes) - 1
    assert (np.diff(found) > 0.0).all()
    assert len(factors) < 60
