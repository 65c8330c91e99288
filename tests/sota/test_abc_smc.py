"""By simulation against exactly."""

import warnings

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import leaderbayes as lb


@pytest.mark.slow
@pytest.mark.parametrize(("m", "n", "rho"), [(50, 500, 0.0), (50, 3000, 0.6), (300, 500, 0.6)])
def test_simulation_agrees_with_the_exact_posterior(simulated, m, n, rho):
    """Of the best score alone, as in the paper: means within 0.1 sd, intervals within 10 %.

    Beside Monte Carlo error of the two samples, some 0.03 sd of each mean, and 3 % of each end.
    """
    a, b = 127.5, 22.5
    _, board = simulated(a, b, m, n, rho, 0.9, np.random.default_rng(m + n))
    given = {
        "law": stats.beta(a, b), "statistic": "maximum", "rho": rho, "theta_0": 0.9, "seed": 1,
        "chains": 2, "progressbar": False,
    }  # fmt: skip
    exact = lb.sota.posterior(board, draws=4000, **given)
    found = lb.sota.posterior(board, sampler="abc-smc", draws=1000, epsilon=0.25, **given)
    assert found.attrs["converged"] == 1
    best, near = (dt["posterior"]["theta_sota"].to_numpy().ravel() for dt in (exact, found))
    assert near.mean() == pytest.approx(best.mean(), abs=0.1 * best.std())
    width, wide = (np.ptp(np.quantile(v, [0.025, 0.975])) for v in (best, near))
    assert wide == pytest.approx(width, rel=0.1)
    stages = found["sample_stats"]
    assert (np.diff(stages["epsilon"].to_numpy()) < 0).all()


def test_of_estimates_there_is_no_simulator():
    board = lb.sota.read_board([0.5, 0.6], se=0.1)
    with pytest.raises(lb.LeaderbayesError, match="sampler='abc-smc' is for accuracies"):
        lb.sota.posterior(board, sampler="abc-smc")


def test_of_variants_there_is_no_simulator():
    board = lb.sota.read_board([0.9, 0.8], n=100)
    with pytest.raises(lb.LeaderbayesError, match="simulates boards without variants"):
        lb.sota.posterior(board, sampler="abc-smc", variants=3)


@pytest.mark.slow
@pytest.mark.parametrize(("m", "n", "rho"), [(20, 200, 0.0), (60, 500, 0.6)])
def test_simulation_of_the_flexible_law_comes_near_the_exact_posterior(simulated, m, n, rho):
    """As near as a maximum and three quantiles say of a board: 0.41 sd of 5 boards (the card).

    And 0.1 for the noise of both samples.
    """
    _, board = simulated(127.5, 22.5, m, n, rho, 0.86, np.random.default_rng(m))
    given = {"rho": rho, "theta_0": 0.86, "seed": 1, "chains": 2, "progressbar": False}
    exact = lb.sota.posterior(board, draws=1000, **given)["posterior"]["theta_sota"]
    found = lb.sota.posterior(board, sampler="abc-smc", draws=400, **given)
    near = found["posterior"]["theta_sota"]
    apart = stats.wasserstein_distance(near.to_numpy().ravel(), exact.to_numpy().ravel())
    assert found.attrs["converged"] == 1
    assert apart < (0.41 + 0.1) * float(exact.std())
    # All groups that the exact posterior has, with the same names.
    assert {"log_prior", "log_likelihood", "posterior_predictive"} <= set(found.children)
    assert set(found["log_prior"].data_vars) == {"concentration"} | ({"ease"} if rho else set())
    assert np.isfinite(found["log_likelihood"]["score"].to_numpy()).all()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
def test_numbers_do_not_depend_on_how_many_processes_draw_them():
    board = lb.sota.read_board([0.9, 0.89, 0.87, 0.84, 0.8], n=200)
    given = {"sampler": "abc-smc", "draws": 40, "chains": 2, "seed": 1, "progressbar": False}
    one, two = (lb.sota.posterior(board, workers=workers, **given) for workers in (1, 2))
    xr.testing.assert_identical(one["posterior"].to_dataset(), two["posterior"].to_dataset())


@pytest.mark.slow
def test_a_team_of_which_statistics_say_nothing_has_a_theta():
    """A failure far below the quantiles: no particle needs an atom there."""
    scores = [0.9, 0.89, 0.89, 0.88, 0.87, 0.87, 0.86, 0.86, 0.85, 0.85, 0.84, 0.84, 0.83, 0.55]
    board = lb.sota.read_board(scores, n=400)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        found = lb.sota.posterior(
            board, sampler="abc-smc", draws=100, chains=2, seed=1, progressbar=False
        )
    theta = found["posterior"]["theta"].isel(team=-1)
    assert float(abs(theta - 0.55).max()) < 5.0 * np.sqrt(0.55 * 0.45 / 400)
