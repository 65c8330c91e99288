"""Posterior of the best theta: conjugate cases, coverage, exactly against by simulation."""

import json
import warnings

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import leaderbayes as lb


def test_known_law_is_conjugate(simulated):
    rng, n, a, b = np.random.default_rng(2), 300, 60.0, 12.0
    _, board = simulated(a, b, 40, n, 0.0, 0.9, rng)
    dt = lb.sota.posterior(board, law=stats.beta(a, b), draws=1000, seed=1)
    theta = dt["posterior"]["theta"].stack(s=("chain", "draw")).transpose("team", "s").to_numpy()
    x = np.round(board.to_numpy() * n)
    exact = stats.beta(a + x, b + n - x)
    error = exact.std() / np.sqrt(theta.shape[1])
    # 80 numbers: four standard errors and a half.
    assert (abs(theta.mean(axis=1) - exact.mean()) < 4.5 * error).all()
    np.testing.assert_allclose(theta.std(axis=1), exact.std(), rtol=4.5 / np.sqrt(2 * 4000))
    # The best of independent conjugate thetas, drawn.
    best = exact.rvs((20_000, 40), random_state=rng).max(axis=1)
    found = dt["posterior"]["theta_sota"].to_numpy().ravel()
    assert stats.ks_2samp(found, best).pvalue > 1e-3


def test_data_tree(fitted):
    board, dt = fitted
    assert dt.attrs["converged"] == 1
    assert dt["posterior"]["theta"].dims == ("chain", "draw", "team")
    np.testing.assert_array_equal(
        dt["posterior"]["theta_sota"], dt["posterior"]["theta"].max("team")
    )
    assert set(dt.children) == {
        "posterior", "posterior_predictive", "log_likelihood", "log_prior", "observed_data",
        "constant_data",
    }  # fmt: skip
    again = lb.sota.posterior(board, rho=0.5, theta_0=0.9, seed=3)
    xr.testing.assert_identical(again["posterior"].to_dataset(), dt["posterior"].to_dataset())


def test_mixtures_are_noticed():
    """One beta does not describe two groups of teams; two do, and a floor leaves one out."""
    rng, n = np.random.default_rng(4), 2000
    theta = np.concatenate([rng.beta(20, 30, 60), rng.beta(1700, 300, 300)])
    board = lb.sota.read_board(rng.binomial(n, theta) / n, n=n, classes=10)
    with pytest.warns(lb.BoardWarning, match="LB021"):
        poor = lb.sota.posterior(board, seed=1)
    assert "LB021" in poor.attrs["warnings"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", lb.BoardWarning)
        good = lb.sota.posterior(board, law="mixture", seed=1)
        high = lb.sota.posterior(board, floor=0.75, seed=1)
    for dt in (good, high):
        made = lb.sota.summary(dt)
        assert made["theta_sota_lower"] < theta.max() < made["theta_sota_upper"]
    assert good["posterior"]["weight"].sizes["component"] == 2
    assert int(lb.sota.summary(high)["m"]) < 320


def test_equal_teams():
    """Their scores are all luck: the best is not as good as it looks."""
    rng = np.random.default_rng(5)
    board = lb.sota.read_board(rng.binomial(1000, 0.85, 300) / 1000, n=1000)
    for law, gap in (("beta", 0.02), ("empirical", 0.005)):
        made = lb.sota.summary(lb.sota.posterior(board, law=law, rho=0.3, seed=1))
        assert made["theta_sota_upper"] < made["observed_max"]
        assert float(made["theta_sota"]) < float(board.max()) - gap


@pytest.mark.parametrize(
    "scores", [[0.9], [0.9] * 20, [0.0, 1.0], [1.0], [1.0] * 5, [0.98, 1.0, 0.6]]
)
def test_edges(scores):
    board = lb.sota.read_board(scores, n=50)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        for options in ({}, {"rho": 0.5}, {"law": "empirical", "rho": 0.5}):
            dt = lb.sota.posterior(board, seed=1, draws=100, **options)
            assert np.isfinite(dt["posterior"]["theta_sota"]).all()
            assert (dt["posterior"]["theta"] <= 1.0).all()


def outlier(far):
    """Many teams alike, and one team by itself."""
    score = np.random.default_rng(0).normal(0.72, 0.01, 60).round(4)
    return lb.sota.read_board(np.append(score, far), n=200_000, classes=39)


@pytest.mark.filterwarnings("ignore:LB021")
@pytest.mark.parametrize("far", [0.05, 0.999, 1.0])
@pytest.mark.parametrize("options", [{"law": "beta"}, {"law": "empirical", "rho": 0.3}])
def test_nobody_is_far_from_a_score_of_many_instances(far, options):
    """Whatever the law: binomial errors are below 0.0012, so that P(theta) has no say."""
    board = outlier(far)
    table = lb.leaderboard(lb.sota.posterior(board, seed=1, draws=50, **options))
    np.testing.assert_allclose(table["theta"], table["score"], atol=0.004)
    assert table["score"].iloc[table["p_best"].argmax()] > np.median(board)


@pytest.mark.filterwarnings("ignore:LB021")
@pytest.mark.parametrize("n", [10**7, 10**9])
def test_huge_test_sets_say_it_all(n):
    board = lb.sota.read_board(np.round(np.array([0.9, 0.87, 0.86, 0.2]) * n) / n, n=n, classes=10)
    for options in ({"rho": 0.6}, {"law": stats.beta(2.0, 2.0)}):
        dt = lb.sota.posterior(board, seed=1, draws=25, **options)
        np.testing.assert_allclose(
            dt["posterior"]["theta"].mean(("chain", "draw")), board, atol=2e-3
        )


def test_known_laws_refuse_what_they_exclude():
    """A theta at the edge of the law's grid is no theta of the team's."""
    with pytest.raises(lb.LeaderbayesError, match=r"all but excludes the score 0\.05"):
        lb.sota.posterior(outlier(0.05), law=stats.beta(9000, 3500), draws=5, seed=1)
    with pytest.raises(lb.LeaderbayesError, match=r"all but excludes the score 0\.99"):
        lb.sota.posterior(
            lb.sota.read_board([0.5, 0.99], n=5000, classes=39),
            law=stats.beta(500, 500), statistic="maximum", draws=5, seed=1,
        )  # fmt: skip


def test_warnings_stay_with_the_result():
    """A low outlier and much dependence: the common luck fills what the beta does not describe."""
    score = np.append(np.random.default_rng(0).normal(0.9, 0.002, 80).round(4), 0.3)
    board = lb.sota.read_board(score, n=10_000, classes=10)
    with pytest.warns(lb.BoardWarning) as caught:
        dt = lb.sota.posterior(board, rho=0.9, seed=1, draws=50)
    assert json.loads(dt.attrs["warnings"]) == [str(w.message) for w in caught]
    assert lb.sota.summary(dt).attrs["warnings"] == dt.attrs["warnings"]


def test_numbers_do_not_depend_on_workers():
    board = lb.sota.read_board([0.9, 0.88, 0.88, 0.85, 0.8], n=100)
    one, three = (
        lb.sota.posterior(board, rho=0.5, draws=25, seed=3, workers=w)["posterior"] for w in (1, 3)
    )
    xr.testing.assert_identical(one.to_dataset(), three.to_dataset())
