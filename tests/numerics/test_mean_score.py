"""The posterior of mean scores in closed form: formulas, limits, gaps, coverage."""

import numpy as np
import pytest
from scipy.special import multigammaln
from scipy.stats import chi2, kstest, t

from leaderbayes._numerics.mean_score import (
    draw,
    draw_filled,
    draw_rounds,
    noise_of,
    own_variances,
    round_log_likelihood,
    worth,
)
from leaderbayes._numerics.shrinkage import Prior, of_differences, pairs_of, scales

PRIOR = Prior(3.0, 0.1)


def board(players, rounds, seed=0, spread=0.7, own=0.0, families=0):
    """True means, and scores (round, player) around them and the level of each round."""
    rng = np.random.default_rng(seed)
    mean = spread * rng.normal(size=players)
    noise = rng.normal(size=(rounds, players)) * np.exp(own * rng.normal(size=players))
    if families:
        of = rng.integers(families, size=players)
        noise = 0.6 * noise + 0.8 * rng.normal(size=(rounds, families))[:, of]
    return mean, mean + noise + 2.0 * rng.normal(size=(rounds, 1))


@pytest.mark.parametrize(("players", "rounds"), [(2, 6), (5, 8), (12, 6), (4, 30)])
def test_noise_is_the_scatter_and_own_variances(players, rounds):
    """Of differences, as the double-centred scores have it; two players borrow nothing."""
    _, y = board(players, rounds, own=0.5)
    noise = noise_of(y)
    borrowed = 2.0 * (players - 2.0) / (players - 1.0)
    assert noise.df == pytest.approx(rounds - 1.0 + borrowed)
    off = y - y.mean(axis=0)
    off -= off.mean(axis=1, keepdims=True)
    own = own_variances(y - y.mean(axis=0), len(y) - 1.0)
    wanted = (off.T @ off + borrowed * np.diag(own)) / noise.df
    found = of_differences(noise.covariance)
    np.testing.assert_allclose(found, of_differences(wanted), atol=1e-12)


def test_own_variances_are_found_whatever_the_rounds():
    rng = np.random.default_rng(1)
    sd = np.array([0.3, 1.0, 1.0, 2.0, 3.0])
    y = rng.normal(size=(4000, 5)) * sd + 5.0 * rng.normal(size=(4000, 1))
    off = y - y.mean(axis=0)
    found = own_variances(off, len(y) - 1.0)
    np.testing.assert_allclose(np.sqrt(found), sd, atol=0.05)
    np.testing.assert_allclose(own_variances(10.0 * off, len(y) - 1.0), 100.0 * found)


@pytest.mark.parametrize("luck", [0.0, 0.25])
def test_a_pair_given_the_scale(luck):
    """Student's t around the shrunken difference, mixed over the grid of scales."""
    _, y = board(5, 8)
    rounds, noise, centre = worth(8, luck), noise_of(y), y.mean(axis=0)
    tau, weights = scales(pairs_of(centre, noise.covariance / rounds, noise.df), rounds, PRIOR)
    kept = rounds * tau**2 / (1.0 + rounds * tau**2)
    drawn = draw(y, 20_000, luck, PRIOR, np.random.default_rng(2))
    gap, variance = centre[0] - centre[3], of_differences(noise.covariance)[0, 3]

    def cdf(x):
        scale = np.sqrt(kept * variance / rounds)
        return t.cdf((x[:, None] - kept * gap) / scale, noise.df) @ weights

    assert kstest(drawn.mean[:, 0] - drawn.mean[:, 3], cdf).pvalue > 1e-3
    assert kstest(noise.df / drawn.spread, chi2(noise.df).cdf).pvalue > 1e-3
    level = t(noise.df, centre.mean(), np.sqrt(noise.covariance.mean() / rounds))
    assert kstest(drawn.mean.mean(axis=1), level.cdf).pvalue > 1e-4


def test_the_unit_and_the_order_of_players_are_nothing():
    _, y = board(6, 7, own=0.5)
    one, ten = (draw(each, 500, 0.1, PRIOR, np.random.default_rng(3)) for each in (y, 10 * y + 5))
    np.testing.assert_allclose(ten.mean, 10.0 * one.mean + 5.0)
    turned = noise_of(y[:, ::-1])
    np.testing.assert_allclose(turned.covariance[::-1, ::-1], noise_of(y).covariance)


@pytest.mark.parametrize("luck", [0.0, 0.3])
def test_rounds_of_this_data_have_its_luck(luck):
    """Means of replicates lie around this board's, with twice the variance of a mean."""
    _, y = board(4, 40, spread=3.0)
    rng = np.random.default_rng(4)
    drawn = draw(y, 4000, luck, PRIOR, rng)
    again = draw_rounds(drawn.here, drawn.spread, drawn.noise, 40, rng).mean(axis=1)
    gap, seen = again[:, 0] - again[:, 1], (y[:, 0] - y[:, 1])
    sd = np.sqrt(2.0 / 40.0) * seen.std(ddof=1)
    assert abs(gap.mean() - seen.mean()) < 0.3 * sd
    assert gap.std() == pytest.approx(sd, rel=0.15)
    fresh = (drawn.mean[:, 0] - drawn.mean[:, 1]).std()
    assert (fresh > 2.0 * sd) == (luck > 0.0)


def log_marginal(y, mean, prior, df):
    """Log density of rounds of given means, with an inverse Wishart covariance integrated out."""
    r, m = y.shape
    scatter = prior + (y - mean).T @ (y - mean)
    n = df + m - 1.0
    value = multigammaln((n + r) / 2.0, m) - multigammaln(n / 2.0, m) - r * m / 2 * np.log(np.pi)
    value += n / 2.0 * np.linalg.slogdet(prior)[1]
    return value - (n + r) / 2.0 * np.linalg.slogdet(scatter)[1]


@pytest.mark.parametrize(("players", "rounds"), [(4, 7), (9, 5)])
def test_likelihood_of_a_round_given_the_others(players, rounds):
    mean, y = board(players, rounds)
    noise = noise_of(y)
    borrowed = noise.df - rounds + 1.0
    prior = noise.df * (np.diag(noise.own) + noise.level)
    means = mean + 0.3 * np.random.default_rng(5).normal(size=(3, players))
    found = round_log_likelihood(means, y, noise)
    for s, k in ((0, 0), (1, 3), (2, rounds - 1)):
        whole = log_marginal(y, means[s], prior, borrowed)
        rest = log_marginal(np.delete(y, k, axis=0), means[s], prior, borrowed)
        assert found[s, k] == pytest.approx(whole - rest)


def test_gaps_are_filled_and_what_is_there_stays():
    _, y = board(6, 12)
    gone = np.random.default_rng(6).random(y.shape) < 0.2
    drawn = draw_filled(np.where(gone, np.nan, y), 100, 0.0, PRIOR, np.random.default_rng(7))
    assert sum(len(part.mean) for part in drawn) == 100
    boards = np.stack([part.board for part in drawn])
    np.testing.assert_array_equal(boards[:, ~gone], np.broadcast_to(y[~gone], (100, (~gone).sum())))
    off = boards[:, gone].mean(axis=0) - y[gone]
    assert abs(off.mean()) < 1.0
    assert off.std() < 2.0  # the level of rounds, of 2, is known
    whole = draw_filled(y, 50, 0.0, PRIOR, np.random.default_rng(8))
    assert len(whole) == 1
    one = draw(y, 50, 0.0, PRIOR, np.random.default_rng(8))
    np.testing.assert_array_equal(whole[0].mean, one.mean)


@pytest.mark.slow
def test_more_draws_are_of_more_boards():
    """Else the remedy of LB001, more draws, would not help a player with one score."""
    y = np.random.default_rng(3).normal(size=(4, 3))
    y[1:, 0] = np.nan
    parts = [draw_filled(y, n, 0.0, PRIOR, np.random.default_rng(8)) for n in (300, 1200)]
    assert [len(some) for some in parts] == [250, 300]


def test_blocks_of_easy_rounds_do_not_bias():
    """Half of the players miss the easy half of the rounds."""
    rng = np.random.default_rng(9)
    y = 0.2 * rng.normal(size=(20, 6)) + np.where(np.arange(20) < 10, 5.0, 0.0)[:, None]
    y[:10, :3] = np.nan
    parts = draw_filled(y, 400, 0.0, None, rng)
    score = np.concatenate([part.mean for part in parts])
    gap = score[:, :3].mean(axis=1) - score[:, 3:].mean(axis=1)
    assert abs(gap.mean()) < 3.0 * gap.std()
    assert gap.std() < 0.2


def covered(boards, seed, draws, gaps, **options):
    """Share of pairs whose 95 % intervals hold the truth; P(best) said of the first, and right."""
    rng = np.random.default_rng(seed)
    inside, said, right = [], [], []
    for b in range(boards):
        mean, y = board(seed=seed + b, spread=np.exp(rng.uniform(-1.5, 1.0)), **options)
        if gaps == "blocks":
            for i in range(0, y.shape[1], 2):
                first = rng.integers(len(y) // 2)
                y[first : first + len(y) // 2, i] = np.nan
        elif gaps:
            y[2:][rng.random(y[2:].shape) < gaps] = np.nan
        parts = draw_filled(y[np.isfinite(y).any(axis=1)], draws, 0.0, PRIOR, rng)
        score = np.concatenate([part.mean for part in parts])
        i, j = np.triu_indices(len(mean), 1)
        low, high = np.quantile(score[:, i] - score[:, j], [0.025, 0.975], axis=0)
        truth = mean[i] - mean[j]
        inside.append(np.mean((low <= truth) & (truth <= high)))
        best = np.bincount(score.argmax(axis=1), minlength=len(mean)) / len(score)
        said.append(best.max())
        right.append(best.argmax() == mean.argmax())
    return float(np.mean(inside)), float(np.mean(said)), float(np.mean(right))


@pytest.mark.parametrize(
    ("players", "rounds", "more"),
    [
        (2, 5, {}), (8, 10, {"own": 0.5}),
        pytest.param(8, 5, {}, marks=pytest.mark.slow),
        pytest.param(12, 10, {"families": 3}, marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_calibration(players, rounds, more):
    """200 boards a cell: three Monte Carlo errors below 0.94, and of P(best)."""
    found, said, right = covered(200, 10, 500, 0, players=players, rounds=rounds, **more)
    assert found > 0.94 - 3.0 * 0.3 / np.sqrt(200 * min(players - 1, 4))
    assert abs(said - right) < 3.5 * np.sqrt(0.25 / 200)


@pytest.mark.slow
@pytest.mark.parametrize("gaps", [0.3, "blocks"])
@pytest.mark.parametrize(
    ("players", "rounds", "more"),
    [(5, 8, {}), (8, 10, {"own": 0.5}), (8, 10, {"families": 3}), (20, 20, {})],
)
def test_calibration_where_scores_are_missing(players, rounds, more, gaps):
    found, said, right = covered(60, 20, 500, gaps, players=players, rounds=rounds, **more)
    assert 0.92 < found < 0.99
    assert said - right < 3.5 * np.sqrt(0.25 / 60)
