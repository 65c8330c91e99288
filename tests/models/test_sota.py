"""The likelihood of a board with thetas integrated out is that of the executable specification."""

import runpy
import warnings
from pathlib import Path

import numpy as np
import pymc as pm
import pytensor
import pytest
import xarray as xr
from scipy import stats
from scipy.special import logit, logsumexp
from scipy.stats import betabinom, binom, norm

import leaderbayes as lb
from leaderbayes._numerics.counts import (
    Counts,
    allowed,
    conditionals_at,
    counts,
    log_probability,
)
from leaderbayes._numerics.hierarchy import beta_law, marginals
from leaderbayes._numerics.maximum import conditionals as reference_conditionals
from leaderbayes.models._sota import _betas, _known
from leaderbayes.sota._model_of_counts import CountBoard

MODEL = Path(__file__).parents[2] / "models" / "sota" / "model.py"
NODES = 1001
THETA_0 = 0.8
LOG_ODDS = np.linspace(-15.0, 15.0, NODES)


def at(n, s, mean=0.5, concentration=1.0):
    """Give the fast road's point whose reference is right s times."""
    ease = (s - n * THETA_0) / np.sqrt(n * THETA_0 * (1 - THETA_0))
    return np.array([logit(mean), np.log(concentration), ease])


def log_density(n, rho, x, points):
    """Of the specification: a team a node of a grid of log-odds, on which theta is integrated."""
    right = pytensor.shared(np.zeros(NODES, int))
    made = runpy.run_path(str(MODEL))["model"](right, n=n, teams=NODES, rho=rho, theta_0=THETA_0)
    prior = made.compile_logp(
        [made["mean"], made["concentration"], made["ease"]], mode="FAST_COMPILE"
    )
    terms = made.compile_fn(
        made.logp([made["theta"], made["count"]], sum=False), mode="FAST_COMPILE"
    )
    out = []
    for mean, concentration, ease in points:
        point = {
            "mean_interval__": mean,
            "concentration_log__": concentration,
            "ease": ease,
            "theta_logodds__": LOG_ODDS,
        }
        out.append(float(prior(point)))
        for count in x:
            right.set_value(np.full(NODES, count))
            out[-1] += logsumexp(np.sum(terms(point), axis=0)) + np.log(np.diff(LOG_ODDS)[0])
    return np.array(out)


def shifted_binomial_error(n, s, rho, x):
    """Largest error of log P(x | theta), over thetas that explain x within a factor of 100."""
    theta = np.linspace(0.02, 0.98, 481)
    worst = 0.0
    node = conditionals_at(n, logit(theta), rho, THETA_0, at(n, s)[2])
    spread = allowed(theta, rho, THETA_0)
    p_1, p_0 = reference_conditionals(theta, spread, THETA_0)
    k = np.arange(s + 1)[:, None]
    for count in x:
        exact = (binom.pmf(k, s, p_1) * binom.pmf(count - k, n - s, p_0)).sum(axis=0)
        matters = exact > 0.01 * exact.max()
        fast = np.exp([log_probability(count, *row) for row in node[matters]])
        worst = max(worst, abs(np.log(fast / exact[matters])).max())
    return worst


@pytest.mark.parametrize(("n", "rho"), [(50, 0.0), (50, 0.6), (200, 0.6)])
def test_fast_likelihood_and_priors_equal_the_specification(n, rho):
    """Whole s only, where the specification's test set is the fast one's."""
    x = np.round(np.array([0.7, 0.8, 0.8, 0.86]) * n).astype(int)
    s = np.round(np.array([0.72, 0.8, 0.86]) * n).astype(int)
    laws = [(0.75, 20.0), (0.8, 200.0), (0.5, 3.0)]
    points = np.array([at(n, one, *law) for one in s for law in laws])
    board = CountBoard(counts(x / n, n), "beta", 1, 0.5, rho, THETA_0, "board")
    slow = log_density(n, rho, x, points)
    if rho == 0.0:  # without dependence the fast model has no test set
        fast = board.log_density(points[:, :2]) + norm.logpdf(points[:, 2])
        np.testing.assert_allclose(fast, slow, rtol=0, atol=1e-6)
        return
    gap = np.abs(board.log_density(points) - slow).reshape(len(s), len(laws))
    error = np.array([shifted_binomial_error(n, one, rho, x) for one in s])
    # The tails' error is the bound; most of it cancels over thetas.
    assert error.max() < (0.2 if n == 50 else 0.04)
    assert (gap < len(x) * error[:, None]).all()
    assert gap.max() < (0.02 if n == 50 else 0.01)


@pytest.mark.parametrize("concentration", [0.05, 1.0, 2.0, 30.0])
@pytest.mark.parametrize("mean", [0.1, 0.5, 0.99])
def test_betas_that_are_singular_at_the_ends(mean, concentration):
    """Without dependence counts are beta-binomial."""
    n, a, b = 200, mean * concentration, (1 - mean) * concentration
    x = np.arange(n + 1.0)
    board = Counts(n, -1, x, np.ones(n + 1, int), np.arange(n + 1))
    law = beta_law(np.array([a]), np.array([b]), np.ones(1))
    exact = betabinom.logpmf(x, n, a, b)
    np.testing.assert_allclose(marginals(board, law, 0.0, 0.8, 0.0), exact, atol=1e-3)


@pytest.mark.parametrize("x", [[200] * 20, [1] * 20, [0] * 10 + [200] * 10, [0] * 19 + [1]])
def test_boards_at_the_ends_have_a_posterior(x):
    coords = {"team": [f"t{i}" for i in range(20)]}
    attrs = {"n": 200, "metric": "accuracy", "classes": 10**6}
    board = xr.DataArray(np.array(x) / 200, coords, attrs=attrs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.BoardWarning)
        found = lb.sota.posterior(board, rho=0.5, theta_0=0.8, draws=50, seed=1)
    assert found.attrs["converged"]
    assert abs(found["posterior"]["theta_sota"].mean() - max(x) / 200) < 0.02


@pytest.mark.parametrize(("low", "best"), [(0.0, 0.95), (0.84, 0.88), (0.5, 0.82)])
def test_simulated_thetas_are_from_the_law_below_the_best(low, best):
    rng, law = np.random.default_rng(0), stats.beta(170, 30)
    with pm.Model():
        _, draw = _betas("beta", 1, 50)
    with pm.Model():
        _, draw_known = _known(law, 50)
    a, b, one = np.array([170.0]), np.array([30.0]), np.ones(1)
    ends = law.cdf([low, best])
    for theta in (draw(rng, 5000, low, a, b, one, best), draw_known(rng, 5000, low, best)):
        shares = (law.cdf(theta) - ends[0]) / np.diff(ends)
        assert stats.kstest(shares, "uniform").pvalue > 1e-3


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"law": "x"}, "law='x'"),
        ({"epsilon": 0.0}, "epsilon=0"),
        ({"floor": 0.95}, "No team scores above"),
    ],
)
def test_bad_options_of_the_simulator(options, message):
    board = lb.sota.read_board([0.91, 0.9, 0.88], n=200)
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.models.sota(board, **options)


def test_the_simulator_is_of_accuracies():
    with pytest.raises(lb.LeaderbayesError, match="of accuracies"):
        lb.models.sota(lb.sota.read_board([0.9, 0.8], n=200, metric="auc", positive_rate=0.2))
