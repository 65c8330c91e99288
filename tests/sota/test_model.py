"""The model of a board: its options, and what rho may be."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import leaderbayes as lb


@pytest.mark.slow
def test_rho_from_answers_and_with_a_prior(simulated):
    rng = np.random.default_rng(6)
    _, board = simulated(85.0, 15.0, 30, 400, 0.6, 0.9, rng)
    reference = rng.random(400) < 0.9
    answers = np.where(rng.random((12, 400)) < 0.7, reference, rng.random((12, 400)) < 0.9)
    right = xr.DataArray(answers.astype(int), dims=("classifier", "instance"))
    known = float(lb.sota.estimate_rho(right)["rho"])
    for rho in (right, stats.beta(30, 20)):
        dt = lb.sota.posterior(board, rho=rho, theta_0=0.9, seed=1)
        drawn = dt["posterior"]["rho"]
        expected = known if rho is right else 0.6
        # A board of 30 says little of rho: the prior stays.
        assert float(drawn.mean()) == pytest.approx(expected, abs=0.08)
        assert dt.attrs["converged"] == 1


def test_one_instance():
    with pytest.raises(lb.LeaderbayesError, match="20 instances"):
        lb.sota.posterior(lb.sota.read_board([1.0, 1.0, 0.0], n=1))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sampler": "mcmc"}, "sampler"),
        ({"law": "normal"}, "law"),
        ({"law": 0.3}, "frozen"),
        ({"law": "mixture", "components": 1}, "components"),
        ({"statistic": "maximum"}, "alone does not tell"),
        ({"statistic": "mean"}, "statistic"),
        ({"rho": 1.0}, "rho"),
        ({"rho": stats.norm()}, "between 0 and 1"),
        ({"floor": 0.99}, "above 0.99"),
        ({"theta_0": 1.0}, "theta_0"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"draws": 0}, "draws"),
        ({"workers": 0}, "workers=0"),
    ],
)
def test_bad_options(fitted, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.sota.posterior(fitted[0], **options)
