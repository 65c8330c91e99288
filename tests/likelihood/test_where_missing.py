"""Scores that are missing where rounds are hard are seen, and no others."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

from conftest import board
from leaderbayes.likelihood._hints import lacking


def items(rng, players, rounds):
    """Answers to items of unequal difficulty."""
    odds = 1.0 + 0.5 * rng.normal(size=(players, 1)) + 1.5 * rng.normal(size=rounds)
    return (rng.random(odds.shape) < expit(odds)).astype(float)


def without_hardest(y, share=0.3):
    """Let the first player lack the rounds in which the others' mean is least."""
    y = y.copy()
    y[0, np.argsort(y[1:].mean(axis=0), kind="stable")[: int(share * y.shape[1])]] = np.nan
    return y


@pytest.mark.parametrize("clustered", [False, True])
def test_at_random_hardly_any_board_is_named(clustered):
    rng = np.random.default_rng(1)
    named, boards = 0, 150
    for _ in range(boards):
        y = items(rng, 5, 200)
        cluster = np.arange(200) // 5
        gone = rng.random((5, 40))[:, cluster] if clustered else rng.random(y.shape)
        y[gone < 0.3] = np.nan
        scores = board(y)
        scores = scores.assign_coords(cluster=("round", cluster)) if clustered else scores
        named += bool(lacking(scores))
    # Of boards named with 0.001 each.
    assert named <= binom.ppf(0.999, boards, 0.001)


def test_who_lacks_the_hardest():
    y = items(np.random.default_rng(2), 4, 100)
    easy = np.isfinite(without_hardest(y)[0])  # nobody else lacks any
    for unit in (1.0, 1e150):  # whatever scores are counted in
        (one,) = lacking(board(without_hardest(unit * y)))
        missing, there = (unit * y[1:, at].mean() for at in (~easy, easy))
        assert one.startswith("'p0' lacks 30 % of the items, ")
        assert one.endswith(f"others average {missing:.2g} instead of {there:.2g}")


def test_whole_clusters_are_one_each():
    y, cluster = items(np.random.default_rng(3), 4, 60), np.arange(60) // 10
    y[0, cluster == 0] = np.nan
    y[1:, cluster == 0] = 0.0
    assert [one[:4] for one in lacking(board(y))] == ["'p0'"]
    assert not lacking(board(y).assign_coords(cluster=("round", cluster)))


def test_nothing_to_go_by():
    y = items(np.random.default_rng(4), 3, 50)
    assert not lacking(board(y))
    assert not lacking(board(without_hardest(y[:, :9])))
    # Rounds that are all alike, and those that nobody else has.
    same = np.repeat([[0.1], [0.2], [0.3]], 50, axis=1)
    same[0, :15] = np.nan
    assert not lacking(board(same))
    y[:2, :10], y[2, 10:] = np.nan, np.nan
    assert not lacking(board(y))
    assert not lacking(board(y[:1]))
