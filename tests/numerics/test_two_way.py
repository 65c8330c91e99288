"""Effects of rows and columns, against the regression on their dummies."""

import numpy as np
import pytest

from leaderbayes._numerics.two_way import column_means, effects


def with_gaps(rows, columns, seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(rows, columns))
    table[rng.random(table.shape) < 0.4] = np.nan
    table[0], table[:, 0] = rng.normal(size=columns), rng.normal(size=rows)  # in one piece
    return table


@pytest.mark.parametrize(("rows", "columns"), [(7, 4), (4, 7), (5, 5), (1, 3)])
def test_effects_are_those_of_the_regression(rows, columns):
    table = with_gaps(rows, columns, rows)
    at = np.argwhere(np.isfinite(table))
    design = np.hstack([np.eye(rows)[at[:, 0]], np.eye(columns)[at[:, 1]]])
    beta = np.linalg.lstsq(design, table[*at.T])[0]
    by_row, by_column = effects(table)
    expected = np.add.outer(beta[:rows], beta[rows:])
    np.testing.assert_allclose(np.add.outer(by_row, by_column), expected, atol=1e-10)
    np.testing.assert_allclose(column_means(table), expected.mean(axis=0), atol=1e-10)


def test_means_of_a_complete_table_are_its_own():
    table = np.random.default_rng(0).normal(size=(6, 3))
    np.testing.assert_array_equal(column_means(table), table.mean(axis=0))


def test_parts_that_share_nothing_have_no_means():
    table = np.full((5, 4), np.nan)
    table[:2, :2], table[2:, 2:] = 1.0, 2.0
    assert np.isnan(column_means(table)).all()
    assert np.isnan(column_means(table.T)).all()
    table[0, 2] = 1.5
    assert np.isfinite(column_means(table)).all()
