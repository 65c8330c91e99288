"""By simulation against exactly."""

import numpy as np
import pytest
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
