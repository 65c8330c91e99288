"""Filling tables, principal components, rotations."""

import numpy as np
import pytest

from leaderbayes._errors import NotConvergedError
from leaderbayes.study._low_rank import _low_rank, complete, principal


def low_rank(rows, columns, rank, rng, noise=0.0):
    """A table of column means and components, rows summing to zero."""
    table = rng.normal(size=columns) + rng.normal(size=(rows, rank)) @ rng.normal(
        size=(rank, columns)
    )
    table += noise * rng.normal(size=table.shape)
    return table - table.mean(axis=1, keepdims=True)


def with_gaps(table, share, rng):
    """Gaps, and rows relative to the average of what is left."""
    gaps = np.where(rng.random(table.shape) < share, np.nan, table)
    return gaps - np.nanmean(gaps, axis=1, keepdims=True)


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_complete_recovers_a_low_rank_table(rank):
    rng = np.random.default_rng(rank)
    table = low_rank(30, 12, rank, rng)
    filled = complete(with_gaps(table, 0.15, rng), rank)
    np.testing.assert_allclose(filled, table, atol=1e-3)
    np.testing.assert_allclose(filled.sum(axis=1), 0.0, atol=1e-9)


def test_complete_with_noise_is_better_than_means():
    rng = np.random.default_rng(3)
    table = low_rank(40, 15, 2, rng, noise=0.3)
    gaps = with_gaps(table, 0.2, rng)
    error = [np.square((complete(gaps, rank) - table)[np.isnan(gaps)]).mean() for rank in (0, 2)]
    assert error[1] < 0.2 * error[0]


def test_means_of_players_seldom_there():
    """One column is known in one row of 400 only: no iteration is in the way."""
    rng = np.random.default_rng(5)
    table = low_rank(400, 5, 0, rng)
    gaps = table.copy()
    gaps[1:, 4] = np.nan
    gaps -= np.nanmean(gaps, axis=1, keepdims=True)
    np.testing.assert_allclose(complete(gaps, 0), table, atol=1e-9)


def test_complete_says_when_it_does_not_settle(monkeypatch):
    monkeypatch.setattr("leaderbayes.study._low_rank._MOST_STEPS", 2)
    rng = np.random.default_rng(1)
    with pytest.raises(NotConvergedError, match="2 steps: exclude"):
        complete(with_gaps(low_rank(10, 6, 1, rng), 0.2, rng), 1)


def test_principal():
    rng = np.random.default_rng(2)
    table = low_rank(20, 8, 2, rng)
    scores, loadings, shares = principal(table, 2)
    np.testing.assert_allclose(scores @ loadings.T + table.mean(axis=0), table, atol=1e-10)
    np.testing.assert_allclose(loadings.T @ loadings, np.eye(2), atol=1e-12)
    assert shares.sum() == pytest.approx(1.0)
    assert (loadings[np.abs(loadings).argmax(axis=0), [0, 1]] > 0).all()
    np.testing.assert_allclose(principal(-table, 2)[1], loadings, atol=1e-10)


@pytest.mark.parametrize("shape", [(2000, 6), (6, 2000)])
def test_a_component_of_noise_is_shrunk_away(shape):
    """The first of nothing but noise has a square of about the longer side times its variance."""
    table = np.random.default_rng(6).normal(size=shape)
    left = _low_rank(table, 1) - table.mean(axis=0)
    whole = np.linalg.svd(table - table.mean(axis=0), compute_uv=False)[0]
    assert np.linalg.norm(left) < 0.2 * whole
