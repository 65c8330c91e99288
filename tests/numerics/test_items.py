"""Posterior of mean scores over items: exact laws of pairs, shrinkage, clusters."""

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import beta

import leaderbayes as lb
from leaderbayes._numerics.items import Items, _weights, flat, height_of, shrunken_shares

DRAWS = 20_000


def answers(players, rounds, seed, spread=0.5, ease=1.0):
    """Right or wrong, (round, player)."""
    rng = np.random.default_rng(seed)
    ability = ease + spread * rng.normal(size=players)
    odds = ability + 1.5 * rng.normal(size=(rounds, 1))
    return (rng.random((rounds, players)) < 1.0 / (1.0 + np.exp(-odds))).astype(float)


def items(scores):
    return Items(scores, np.ones(len(scores)))


@pytest.mark.parametrize(("players", "rounds", "ease"), [(2, 500, 1.0), (8, 60, 1.0), (5, 50, 4.0)])
def test_pairs_are_mcnemars(players, rounds, ease):
    """P(better) is that of Beta(n10 + 1/2, n01 + 1/2), of every pair, whatever the others do."""
    scores = answers(players, rounds, 1, ease=ease)
    drawn = flat(items(scores), DRAWS, np.random.default_rng(2))
    for i, j in zip(*np.triu_indices(players, 1), strict=True):
        n10 = float((scores[:, i] > scores[:, j]).sum())
        n01 = float((scores[:, i] < scores[:, j]).sum())
        p = beta(n10 + 0.5, n01 + 0.5).sf(0.5)
        # 4.5 Monte Carlo errors: 39 pairs.
        error = 4.5 * np.sqrt(max(p * (1.0 - p), 1.0 / DRAWS) / DRAWS)
        assert abs((drawn[:, i] > drawn[:, j]).mean() - p) < error


def test_a_player_that_is_alone_is_nearly_jeffreys():
    """Of one player among imperfect others: Beta(right + 1/2, wrong + 1/2)."""
    scores = answers(4, 200, 3)
    drawn = flat(items(scores), DRAWS, np.random.default_rng(4))
    right = scores.sum(axis=0)
    for i in range(4):
        # The others' atoms are in it: no more than a hundredth of a standard deviation.
        law = beta(right[i] + 0.5, 200 - right[i] + 0.5)
        assert abs(drawn[:, i].mean() - law.mean()) < 0.05 * law.std()
        assert drawn[:, i].std() == pytest.approx(law.std(), rel=0.05)


@pytest.mark.parametrize("wrong", [0, 1])
def test_within_the_scale(wrong):
    """Where all are right but for one answer, too; and the mass of atoms grows slowly."""
    scores = np.ones((30, 40))
    scores[0, :wrong] = 0.0
    scores[1, -1] = 0.0
    drawn = flat(items(scores), 2000, np.random.default_rng(1))
    assert ((drawn >= 0.0) & (drawn <= 1.0)).all()
    # Each differs from each by atoms of its own, and these lie below 1.
    assert drawn.mean() > 0.9


def test_clusters_of_equal_answers_are_items():
    """Ten answers that are always the same say as much as one."""
    scores = answers(3, 80, 5)
    one, ten = items(scores), Items(10.0 * scores, np.full(80, 10.0))
    a, b = (flat(each, 4000, np.random.default_rng(6)) for each in (one, ten))
    np.testing.assert_allclose(a, b, atol=1e-12)


def test_clusters_widen():
    rng = np.random.default_rng(7)
    own = rng.normal(size=(40, 2, 1))
    scores = (rng.random((40, 2, 10)) < 1.0 / (1.0 + np.exp(-1.0 - 2.0 * own))).astype(float)
    by_item = flat(items(np.concatenate(scores, axis=1).T), 4000, rng)
    by_cluster = flat(Items(scores.sum(axis=2), np.full(40, 10.0)), 4000, rng)
    sd = [np.diff(drawn, axis=1).std() for drawn in (by_item, by_cluster)]
    # Of means over clusters.
    seen = np.diff(scores.mean(axis=2), axis=1).std(ddof=1) / np.sqrt(40)
    assert sd[1] == pytest.approx(seen, rel=0.1)
    assert sd[1] > 1.3 * sd[0]


@pytest.mark.parametrize("strata", [[0] * 8, [0] * 4 + [1] * 4])
def test_weights_vary_as_means_do(strata):
    """Of few clusters, or in each stratum: with the variance of a mean, and the strata's shares."""
    strata, y = np.array(strata), np.linspace(0.2, 0.8, 8)[[3, 0, 7, 4, 1, 6, 2, 5]]
    wanted = [(y[strata == s].mean(), y[strata == s].var(ddof=1)) for s in np.unique(strata)]
    weights = _weights(
        Items(y[:, None], np.ones(8), None, strata), 200_000, np.random.default_rng(1)
    )
    for s, (mean, variance) in enumerate(wanted):
        n = (strata == s).sum()
        total = weights[:, strata == s].sum(axis=1)
        np.testing.assert_allclose(total, n)
        drawn = weights[:, strata == s] @ y[strata == s] / n
        assert drawn.mean() == pytest.approx(mean, abs=0.001)
        assert drawn.var() == pytest.approx(variance / n, rel=0.02)


def draw(scores, seed, draws=4000, prior_scale=1.0):
    rng = np.random.default_rng(seed)
    drawn = flat(items(scores), draws, rng)
    return drawn, *shrunken_shares(drawn, len(scores), prior_scale, rng)


def test_far_apart_nothing_is_shrunk():
    drawn, shrunk, _ = draw(answers(3, 2000, 8, spread=3.0), 9)
    moved = abs(shrunk.mean(axis=0) - drawn.mean(axis=0)) / drawn.std(axis=0)
    assert moved.max() < 0.2
    assert shrunk.std(axis=0) == pytest.approx(drawn.std(axis=0), rel=0.1)


def test_equal_players_are_shrunk():
    drawn, shrunk, _ = draw(answers(30, 100, 10, spread=0.0), 11)
    said, flat_said = (np.bincount(d.argmax(axis=1)).max() / len(d) for d in (shrunk, drawn))
    assert said < 0.7 * flat_said
    assert shrunk.mean(axis=0).std() < 0.7 * drawn.mean(axis=0).std()


def test_very_many_players_do_not_move_the_items():
    """The prior is not stronger than the items: 115 shipped classifiers."""
    scores = lb.datasets.load("answers").to_numpy().T.astype(float)
    drawn, shrunk, _ = draw(scores, 20, draws=1000)
    low, high = np.quantile(shrunk, [0.025, 0.975], axis=0)
    mean = scores.mean(axis=0)
    assert np.mean((low <= mean) & (mean <= high)) > 0.98
    # The mean of all, in log-odds, stays where the items put it.
    level = [logit(each).mean() for each in (drawn, shrunk)]
    assert level[1] == pytest.approx(level[0], abs=0.01)


def test_a_perfect_player_stays_ahead():
    """Its log-odds have no end, and it is not shrunk to the others by that."""
    rng = np.random.default_rng(19)
    scores = (rng.random((100, 5)) < np.array([1.0, 0.65, 0.6, 0.55, 0.5])).astype(float)
    drawn, shrunk, _ = draw(scores, 20)
    assert (shrunk.argmax(axis=1) == 0).mean() > 0.99
    assert abs(shrunk[:, 0].mean() - drawn[:, 0].mean()) < 0.02


@pytest.mark.parametrize(
    ("players", "rounds", "spread", "ease"),
    [(8, 50, 0.5, 1.0), (3, 60, 0.5, 1.0), pytest.param(20, 60, 0.3, 1.0, marks=pytest.mark.slow),
     pytest.param(20, 100, 0.3, 3.0, marks=pytest.mark.slow)],
)  # fmt: skip
def test_calibration(players, rounds, spread, ease):
    """Of differences by 95 % intervals, over 100 boards; less than three errors below 0.94."""
    nodes, by = np.polynomial.hermite_e.hermegauss(60)
    rng, inside = np.random.default_rng(30), []
    for _ in range(100):
        ability = ease + spread * rng.normal(size=players)
        odds = ability + 1.5 * rng.normal(size=(rounds, 1))
        scores = (rng.random((rounds, players)) < 1.0 / (1.0 + np.exp(-odds))).astype(float)
        true = (1.0 / (1.0 + np.exp(-ability[:, None] - 1.5 * nodes))) @ by / by.sum()
        _, shrunk, _ = draw(scores, rng.integers(2**32), draws=400)
        i, j = np.triu_indices(players, 1)
        low, high = np.quantile(shrunk[:, i] - shrunk[:, j], [0.025, 0.975], axis=0)
        gap = true[i] - true[j]
        inside.append(np.mean((low <= gap) & (gap <= high)))
    assert np.mean(inside) > 0.94 - 3.0 * np.std(inside) / 10.0


def test_near_the_ceiling():
    """Accuracies are shrunk by no more than their noise allows: where noise differs, too."""
    true, rng, inside = np.linspace(0.93, 0.995, 8), np.random.default_rng(35), []
    i, j = np.triu_indices(8, 1)
    for _ in range(150):
        scores = (rng.random((200, 8)) < true).astype(float)
        _, shrunk, _ = draw(scores, rng.integers(2**32), draws=400)
        low, high = np.quantile(shrunk[:, i] - shrunk[:, j], [0.025, 0.975], axis=0)
        inside.append(np.mean((low <= true[i] - true[j]) & (true[i] - true[j] <= high)))
    assert np.mean(inside) > 0.94 - 3.0 * np.std(inside) / np.sqrt(150)


@pytest.mark.parametrize("kind", ["right or wrong", "thirds", "missing"])
def test_height_is_that_of_differences(kind):
    scores = answers(4, 40, 31)
    scores = scores if kind == "right or wrong" else (scores + answers(4, 40, 32)) / 3.0
    if kind == "missing":
        scores[np.random.default_rng(33).random(scores.shape) < 0.3] = np.nan
    gaps = (scores[:, :, None] - scores[:, None])[np.isfinite(scores[:, :, None] - scores[:, None])]
    gaps = gaps[gaps != 0.0]
    assert height_of(items(scores)) == pytest.approx(np.sqrt((gaps**2).mean()))


def test_nearly_equal_scores_have_a_posterior():
    rng = np.random.default_rng(23)
    drawn = flat(items(1.0 - 1e-9 * rng.random((30, 4))), 100, rng)
    assert np.isfinite(drawn).all()
    assert (drawn > 0.99).all()


@pytest.mark.parametrize("prior_scale", [1e-6, 1e9])
def test_any_scale_of_the_prior(prior_scale):
    _, shrunk, scale = draw(answers(5, 100, 24), 25, prior_scale=prior_scale)
    assert np.isfinite(shrunk).all()
    assert np.isfinite(scale).all()
