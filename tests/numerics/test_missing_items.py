"""Sums over all items where answers are missing: weighted least squares, and what follows."""

import numpy as np
import pytest

from leaderbayes._numerics.items import Items, flat, height_of
from leaderbayes._numerics.missing_items import gaps_of, separate, sums


def board(items, players, missing, seed, blocks=False):
    """Answers (item, player), NaN where missing: each, or in blocks of ten items."""
    rng = np.random.default_rng(seed)
    odds = 1.0 + 0.5 * rng.normal(size=players) + 1.5 * rng.normal(size=(items, 1))
    y = (rng.random((items, players)) < 1.0 / (1.0 + np.exp(-odds))).astype(float)
    gone = rng.random((-(-items // 10), players)).repeat(10, axis=0)[:items]
    y[(gone if blocks else rng.random(y.shape)) < missing] = np.nan
    return y[np.isfinite(y).any(axis=1)]


def brute(y, weights):
    """Least squares with a column for each item and player: sums over items of what they say."""
    k, i = np.nonzero(np.isfinite(y))
    r, m = y.shape
    x = np.zeros((len(k), r + m))
    x[np.arange(len(k)), k] = 1.0
    x[np.arange(len(k)), r + i] = 1.0
    root = np.sqrt(weights[k])
    found = np.linalg.lstsq(x * root[:, None], y[k, i] * root, rcond=None)[0]
    return weights @ (found[:r, None] + found[r:])


@pytest.mark.parametrize("blocks", [False, True])
@pytest.mark.parametrize("size", [1, 3])
def test_weighted_least_squares(blocks, size):
    y = board(60, 6, 0.3, 1, blocks)
    codes = np.arange(len(y)) // size
    gaps = gaps_of(y, codes)
    weights = np.random.default_rng(2).standard_exponential((8, codes.max() + 1))
    found = sums(gaps, weights, np.zeros((8, 6)))
    for w, each in zip(weights, found, strict=True):
        np.testing.assert_allclose(each, brute(y, w[codes]), atol=1e-8)
    # Residuals of a player sum to 0: what is there, and what the model says of the others.
    mean = (gaps.effects + gaps.level.sum() / len(y)) * len(y)
    np.testing.assert_allclose(mean, brute(y, np.ones(len(y))), atol=1e-8)


def test_with_none_missing_they_are_sums():
    y = board(50, 5, 0.0, 3)
    rng = np.random.default_rng(4)
    weights, atoms = rng.standard_exponential((20, 50)), rng.normal(size=(20, 5))
    np.testing.assert_allclose(
        sums(gaps_of(y, np.arange(50)), weights, atoms), weights @ y + atoms, atol=1e-9
    )
    one, other = (Items(y, np.ones(50), gaps) for gaps in (None, gaps_of(y, np.arange(50))))
    drawn = [flat(each, 100, np.random.default_rng(5)) for each in (one, other)]
    np.testing.assert_allclose(*drawn, atol=1e-9)


def test_two_who_answered_the_same():
    """Their difference goes by these items alone, whoever else answered what."""
    y = board(80, 5, 0.3, 7)
    y[:, 1] = np.where(np.isfinite(y[:, 0]), np.nan_to_num(y[:, 1]), np.nan)
    both = np.isfinite(y[:, 0])
    weights = np.random.default_rng(8).standard_exponential((30, len(y)))
    found = sums(gaps_of(y, np.arange(len(y))), weights, np.zeros((30, 5)))
    part = weights[:, both]
    wanted = part @ (y[both, 0] - y[both, 1]) / part.sum(axis=1) * weights.sum(axis=1)
    np.testing.assert_allclose(found[:, 0] - found[:, 1], wanted, atol=1e-8)


def test_turned_round():
    """Right for wrong: the same, from the other end; and the order of players is nothing."""
    y = board(70, 4, 0.3, 9)
    codes = np.arange(len(y))
    weights = np.random.default_rng(10).standard_exponential((10, len(y)))
    none = np.zeros((10, 4))
    found = sums(gaps_of(y, codes), weights, none)
    turned = sums(gaps_of(1.0 - y, codes), weights, none)
    np.testing.assert_allclose(found, weights.sum(axis=1)[:, None] - turned, atol=1e-8)
    other = sums(gaps_of(y[:, ::-1], codes), weights, none)
    np.testing.assert_allclose(found, other[:, ::-1], atol=1e-8)


def test_an_answer_by_one_alone_says_nothing_of_differences():
    y = board(60, 4, 0.2, 11)
    more = np.concatenate([y, [[1.0, np.nan, np.nan, np.nan]]])
    apart = [
        np.diff(gaps_of(each, np.arange(len(each))).effects) for each in (y, more)
    ]  # fmt: skip
    np.testing.assert_allclose(*apart, atol=1e-9)


def test_a_bridge_of_one_item_is_no_bridge():
    """Two halves that one item connects: how they compare is hardly known, and not sure."""
    y = board(81, 4, 0.0, 12)
    y[:40, :2] = np.nan
    y[41:, 2:] = np.nan
    gaps = gaps_of(y, np.arange(81))
    drawn = flat(Items(y, np.ones(81), gaps), 4000, np.random.default_rng(13))
    assert np.isfinite(drawn).all()
    within, across = (np.quantile(drawn[:, i] - drawn[:, 0], [0.025, 0.975]) for i in (1, 2))
    assert np.diff(across) > 3.0 * np.diff(within)


def test_height():
    """1 of right-or-wrong items, whatever is missing; of a cluster's, as if all were there."""
    y = board(60, 4, 0.3, 14)
    assert height_of(Items(y, np.ones(len(y)), None)) == pytest.approx(1.0)


def test_separate():
    there = np.zeros((6, 5), bool)
    there[:3, [0, 2]] = there[3:, [1, 3]] = there[3, 4] = True
    assert separate(there).tolist() == [0, 1, 0, 1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0.1, 0.3])
@pytest.mark.parametrize("blocks", [False, True])
def test_coverage(missing, blocks):
    """Of differences of pairs, by 95 % intervals, where what is missing is by chance."""
    inside = []
    rng = np.random.default_rng(17)
    nodes, by = np.polynomial.hermite_e.hermegauss(60)
    for _ in range(250):
        ability, ease = 1.0 + 0.5 * rng.normal(size=3), 1.5 * rng.normal(size=(200, 1))
        own = 1.5 * rng.normal(size=(20, 3)).repeat(10, axis=0) if blocks else 0.0
        spread = np.hypot(1.5, 1.5) if blocks else 1.5
        odds = ability[:, None] + spread * nodes
        true = (1.0 / (1.0 + np.exp(-odds))) @ by / by.sum()
        y = (rng.random((200, 3)) < 1.0 / (1.0 + np.exp(-ability - ease - own))).astype(float)
        gone = rng.random((20, 3)).repeat(10, axis=0) if blocks else rng.random((200, 3))
        y[gone < missing] = np.nan
        there = np.isfinite(y).any(axis=1)
        y, codes = y[there], (np.arange(200) // (10 if blocks else 1))[there]
        codes = np.unique(codes, return_inverse=True)[1]
        sizes = np.bincount(codes).astype(float)
        added = np.zeros((len(sizes), 3))
        np.add.at(added, codes, np.nan_to_num(y))
        items = Items(added if blocks else y, sizes, gaps_of(y, codes))
        drawn = flat(items, 1000, rng)
        for i, j in ((0, 1), (0, 2), (1, 2)):
            low, high = np.quantile(drawn[:, i] - drawn[:, j], [0.025, 0.975])
            inside.append(low <= true[i] - true[j] <= high)
    # Four Monte Carlo errors below 0.93, as if a board's pairs were one.
    assert np.mean(inside) > 0.93 - 4.0 * np.sqrt(0.95 * 0.05 / 500)
