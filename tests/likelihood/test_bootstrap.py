"""Rounds resampled."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board, simulate
from leaderbayes.likelihood._bootstrap import _unbiased


@pytest.fixture(scope="module")
def matches():
    return lb.matches(simulate([0.9, 0.4, 0.0, -1.3], 30, np.random.default_rng(1)))


def test_spread_is_the_sandwich(matches):
    samples = lb.likelihood.bootstrap(matches, seed=3)
    assert samples.attrs["missing"] == 0
    np.testing.assert_allclose(samples.sum("player"), 0.0, atol=1e-9)
    error = np.sqrt(np.diag(lb.likelihood.bradley_terry(matches)["covariance"]))
    # 30 rounds: the bootstrap's spread exceeds the linear approximation by its curvature.
    np.testing.assert_allclose(samples.std("replicate"), error, rtol=0.2)
    same = lb.likelihood.bootstrap(matches, seed=3, replicates=20)
    again = lb.likelihood.bootstrap(matches, seed=3, replicates=20)
    np.testing.assert_array_equal(same, again)


def test_missing_scores_are_resampled_with_their_rounds():
    values = simulate([0.5, 0.0, -0.5], 12, np.random.default_rng(4)).to_numpy()
    values[0, :4] = np.nan
    matches = lb.matches(board(values))
    samples = lb.likelihood.bootstrap(matches, replicates=50, pseudo_rounds=1.0, seed=0)
    # By hand: the first sample's rounds.
    chosen = np.random.default_rng(0).multinomial(12, np.full(12, 1 / 12))
    again = lb.matches(board(np.repeat(values, chosen, axis=1)))
    fit = lb.likelihood.bradley_terry(again, pseudo_rounds=1.0)
    np.testing.assert_allclose(samples[0], fit["epp"], atol=1e-8)


def test_samples_without_an_estimate_are_missing():
    scores = board([[2.0, 2, 2, 2, 1], [1, 1, 1, 1, 2]])
    samples = lb.likelihood.bootstrap(lb.matches(scores), replicates=400, seed=0)
    # Without the one round that the second wins: (4/5)^5; three binomial errors. All of it: 5^-5.
    share = 0.8**5 + 0.2**5
    assert samples.attrs["missing"] / 400 == pytest.approx(share, abs=3 * np.sqrt(share / 400))
    assert np.isnan(samples).any("player").sum() == samples.attrs["missing"]
    firth = lb.likelihood.bootstrap(lb.matches(scores), replicates=400, firth=True, seed=0)
    assert firth.attrs["missing"] == 0


def test_best_player_and_groups(matches):
    table = lb.likelihood.best_test(matches, seed=2)
    assert table["hypothesis"][0] == "p0"
    assert table["bp"].sum() == pytest.approx(1.0)
    pairs = lb.likelihood.best_test(
        matches, groups={"p0": "top", "p1": "top", "p2": "rest", "p3": "last"}, seed=2
    ).set_index("hypothesis")
    assert pairs.loc["top", "bp"] == pytest.approx(
        table.query("hypothesis in ['p0', 'p1']").bp.sum()
    )
    assert pairs.loc["last", "au"] < 0.01
    # Complete boards are ordered by points; fits must order them alike.
    values = simulate([0.9, 0.4, 0.0, -1.3], 30, np.random.default_rng(1)).to_numpy()
    values = np.vstack([values, np.full(30, np.nan)])
    values[4, 0] = values[:4, 0].min() - 1.0
    missing = lb.likelihood.best_test(lb.matches(board(values)), seed=2, replicates=200)
    merged = missing.merge(table, on="hypothesis", suffixes=("_missing", ""))
    np.testing.assert_allclose(merged["bp_missing"], merged["bp"], atol=0.15)


def test_multiscale_fit_recovers_distance_and_curvature():
    scale = 1.0 / np.array([0.5, 0.7, 0.9, 1.1, 1.4])
    v, c = 1.2, 0.3
    from scipy.special import ndtr

    share = ndtr(-(v / np.sqrt(scale) + c * np.sqrt(scale)))
    au, error, got_v, got_c = _unbiased(share, scale, 10**6)
    assert (got_v, got_c) == (pytest.approx(v), pytest.approx(c))
    assert au == pytest.approx(ndtr(c - v))
    assert 0 < error < 0.01
    assert np.isnan(_unbiased(np.zeros(5), scale, 100)).all()


def test_error_of_au_is_that_of_its_replicates():
    """Shares of 1000 replicates, drawn 400 times: au varies by its error (to 4 % Monte Carlo)."""
    from scipy.special import ndtr

    rng, scale, v, c = np.random.default_rng(9), np.array([2.0, 1.4, 1.0, 0.8, 0.7]), 0.8, 0.3
    share = ndtr(-(v / np.sqrt(scale) + c * np.sqrt(scale)))
    drawn = rng.binomial(1000, share, size=(400, 5)) / 1000
    au, error, _, _ = np.transpose([_unbiased(row, scale, 1000) for row in drawn])
    assert error.mean() == pytest.approx(au.std(), rel=0.15)


@pytest.mark.slow
def test_unbiased_where_three_are_equally_good():
    """Three equal players and one far behind: each is best, and rejected at 5 % by AU.

    The null hypothesis is a cone, not a smooth region, so no test is exact; BP rejects more than
    twice as often as it says.
    """
    rng, boards = np.random.default_rng(8), 300
    au = bp = 0
    for _ in range(boards):
        matches = lb.matches(simulate([0.5, 0.5, 0.5, -1.5], 40, rng))
        table = lb.likelihood.best_test(matches, replicates=300, seed=0).set_index("hypothesis")
        au += table.loc["p0", "au"] < 0.05
        bp += table.loc["p0", "bp"] < 0.05
    assert bp / boards > 0.1
    assert au / boards < bp / boards - 0.03
    assert au / boards < 0.13


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: lb.likelihood.bootstrap(m, replicates=1), "replicates=1"),
        (lambda m: lb.likelihood.best_test(m, replicates=1), "replicates=1"),
        (lambda m: lb.likelihood.bootstrap(m, model="elo"), "model='elo'"),
        (lambda m: lb.likelihood.bootstrap(m, pseudo_rounds=1.0, firth=True), "two penalties"),
        (lambda m: lb.likelihood.best_test(m, groups={"p0": "a"}), "player 'p1' has none"),
        (lambda m: lb.likelihood.best_test(m, groups={"a": ["p0"]}), "no player 'a'"),
        (lambda m: lb.likelihood.bootstrap(m.assign_attrs(ties="floor")), "choose 'half'"),
        (lambda m: lb.likelihood.bootstrap(lb.matches(board([[1.0], [1.0]]))), "One round"),
        (lambda m: lb.likelihood.best_test(m.expand_dims(tournament=["x", "y"])), "several"),
        (
            lambda m: lb.likelihood.bootstrap(
                m.expand_dims(tournament=["x", "y"]), pseudo_rounds=1.0
            ),
            "several",
        ),
    ],
)
def test_bad_options(matches, call, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        call(matches)
