"""The posterior by importance sampling: conjugate cases, and what is at an edge."""

import warnings

import numpy as np
import pytest
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


@pytest.mark.slow
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
@pytest.mark.parametrize("n", [pytest.param(10**7, marks=pytest.mark.slow), 10**9])
def test_huge_test_sets_say_it_all(n):
    board = lb.sota.read_board(np.round(np.array([0.9, 0.87, 0.86, 0.2]) * n) / n, n=n, classes=10)
    for options in ({"rho": 0.6}, {"law": stats.beta(2.0, 2.0)}):
        dt = lb.sota.posterior(board, seed=1, draws=25, **options)
        np.testing.assert_allclose(
            dt["posterior"]["theta"].mean(("chain", "draw")), board, atol=2e-3
        )


@pytest.mark.parametrize("law", ["beta", stats.beta(60, 12)])
def test_too_few_draws_are_said(law):
    """Though each is independent of the others, and their weights are good."""
    board = lb.sota.read_board([0.9, 0.87, 0.86, 0.82, 0.8, 0.79], n=200)
    with pytest.warns(lb.ConvergenceWarning, match=r"20 draws \(above 80 is good\).*more draws"):
        dt = lb.sota.posterior(board, law=law, draws=5, seed=1)
    assert dt.attrs["converged"] == 0
    assert lb.sota.posterior(board, law=law, draws=25, seed=1).attrs["converged"] == 1


def test_known_laws_refuse_what_they_exclude():
    """A theta at the edge of the law's grid is no theta of the team's."""
    with pytest.raises(lb.LeaderbayesError, match=r"all but excludes the score 0\.05"):
        lb.sota.posterior(outlier(0.05), law=stats.beta(9000, 3500), draws=5, seed=1)
    with pytest.raises(lb.LeaderbayesError, match=r"all but excludes the score 0\.99"):
        lb.sota.posterior(
            lb.sota.read_board([0.5, 0.99], n=5000, classes=39),
            law=stats.beta(500, 500), statistic="maximum", draws=5, seed=1,
        )  # fmt: skip
