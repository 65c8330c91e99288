"""Plackett-Luce by Newton's method: products without a matrix, strengths far apart."""

import numpy as np
import pytest
from scipy.sparse.linalg import LinearOperator

from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics import plackett_luce_fit as fit

PLACE = np.array([[1, 2, 3, 4, 5], [3, 1, 0, 2, 4], [5, 3, 1, 2, 4], [0, 0, 2, 1, 0]], np.int32)
TIED = np.array([[1, 2, 2, 4], [1, 1, 3, 4], [2, 1, 4, 3], [1, 2, 3, 3]], np.int32)


@pytest.mark.parametrize("pseudo_rounds", [0.0, 0.5])
@pytest.mark.parametrize("place", [PLACE, TIED])
def test_products_alone_find_the_same_maximum(place, pseudo_rounds, monkeypatch):
    dense = fit.fit_rankings(place, pseudo_rounds=pseudo_rounds)
    np.testing.assert_allclose(
        dense.scores.sum(axis=0) + pseudo_rounds * (0.5 - 1.0 / (1.0 + np.exp(-dense.epp))),
        0.0, atol=1e-5 + pseudo_rounds,
    )  # fmt: skip
    monkeypatch.setattr(fit, "LARGEST_MATRIX", 0)
    free = fit.fit_rankings(place, pseudo_rounds=pseudo_rounds)
    assert isinstance(free.information, LinearOperator)
    np.testing.assert_allclose(free.epp, dense.epp, atol=1e-6)
    assert free.loglik == pytest.approx(dense.loglik)
    np.testing.assert_allclose(
        free.information @ np.eye(len(dense.epp)), dense.information, atol=1e-6
    )


def test_few_players_get_a_matrix_all_the_same(monkeypatch):
    assert isinstance(fit.fit_rankings(PLACE, matrix=False).information, np.ndarray)
    monkeypatch.setattr(fit, "_FEW", 0)
    assert isinstance(fit.fit_rankings(PLACE, matrix=False).information, LinearOperator)


def ladder(m):
    """Places (round, player) of players who lose to the next but once."""
    rounds = m // 2
    place = np.tile(np.arange(1, m + 1), (rounds, 1)).astype(np.int32)
    for k in range(rounds):
        place[k, [2 * k, 2 * k + 1]] = place[k, [2 * k + 1, 2 * k]]
        if k < rounds - 1:
            later = (k + rounds // 2) % (rounds - 1)
            swapped = [2 * later + 1, 2 * later + 2]
            if not set(swapped) & {2 * k, 2 * k + 1}:
                place[k, swapped] = place[k, swapped[::-1]]
    return place


@pytest.mark.parametrize("matrix", [True, False])
def test_strengths_far_apart_are_found(matrix, monkeypatch):
    """Steps beyond all numbers are not taken."""
    monkeypatch.setattr(fit, "_FEW", 0)
    best = fit.fit_rankings(ladder(40), matrix=matrix)
    assert np.isfinite(best.loglik)
    np.testing.assert_allclose(best.scores.sum(axis=0), 0.0, atol=1e-8)


def test_strengths_beyond_numbers_are_no_estimate():
    with pytest.raises(NotConvergedError, match="Some strengths grow without bound"):
        fit.fit_rankings(ladder(160))
