"""Scores as they are printed, and the n that they tell."""

import time
import warnings

import numpy as np
import pytest

import leaderbayes as lb


def printed(n, digits, m, how, rng):
    """Shares of n as a competition prints them."""
    x, unit = rng.binomial(n, rng.beta(50, 10, m)), 10**digits
    whole = x * unit // n if how == "truncated" else np.floor(x * unit / n + 0.5)
    return np.round(whole / unit, digits)


def said(score, n):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lb.sota.read_board(score, n=n)
    return [str(w.message) for w in caught]


@pytest.mark.parametrize("how", ["truncated", "rounded"])
@pytest.mark.parametrize(("n", "digits"), [(50, 2), (799, 3), (3000, 5), (11072, 5), (99_999, 5)])
def test_printed_scores_are_shares(n, digits, how):
    assert said(printed(n, digits, 500, how, np.random.default_rng(n)), n) == []


@pytest.mark.parametrize("how", ["truncated", "rounded"])
@pytest.mark.parametrize(
    ("n", "digits", "given"), [(11072, 5, 13840), (790, 4, 1000), (8738, 4, 9216), (31, 3, 40)]
)
def test_the_lattice_tells_n(n, digits, given, how):
    found = said(printed(n, digits, 500, how, np.random.default_rng(1)), given)
    assert len(found) == 1
    assert f"all 500 are multiples of 1/{n}, {how} to {digits} digits" in found[0]


def test_no_lattice_is_made_up():
    """Few scores, or few digits, fit to many test sets; scores of another metric to none."""
    rng = np.random.default_rng(2)
    assert "multiples of 1/37" in said([0.912, 0.907], 37)[0]
    assert "another number" in said([0.912, 0.907], 37)[0]
    assert said(np.round(rng.random(1000), 2), 200) == []
    other = said(np.round(rng.random(300), 6), 5000)
    assert "another number" in other[0]


def test_the_search_is_quick():
    score = printed(800_000, 7, 5000, "truncated", np.random.default_rng(3))
    start = time.process_time()
    assert "1/800000" in said(score, 1_000_000)[0]
    assert time.process_time() - start < 2.0
