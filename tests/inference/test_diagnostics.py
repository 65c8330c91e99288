"""Chains that agree converged; those that do not are said not to, with the numbers."""

import warnings

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._inference.diagnostics import (
    MAX_RHAT,
    MIN_ESS,
    careful,
    diagnose,
    lacking,
    warn,
    warn_of_weights,
)


def chains(shift=0.0, draws=500):
    epp = np.random.default_rng(1).normal(size=(4, draws, 3))
    epp[0] += shift
    dims = ("chain", "draw")
    return xr.Dataset({"epp": ((*dims, "player"), epp)})


def test_independent_chains_converged():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = diagnose(chains())
    assert found["converged"] == 1
    assert 0.99 < found["max_rhat"] < MAX_RHAT
    assert MIN_ESS < found["min_ess"] < 3000
    assert found["divergences"] == 0


@pytest.mark.parametrize(
    ("posterior", "divergences", "said", "remedy"),
    [
        (chains(shift=1.0), 0, r"max R-hat 1\.[1-9]", r"draws=[0-9]{4,} and tune=2000\."),
        (chains(), 2, "2 divergences", r"target_accept=0\.967 and tune=2000\."),
        (chains(draws=60), 0, "effective sample size [0-9]{2,3} ", "draws=[0-9]+00"),
    ],
)
def test_what_did_not_says_why_and_what_to_take(posterior, divergences, said, remedy):
    found = diagnose(posterior, divergences)
    assert found["converged"] == 0
    with pytest.warns(lb.ConvergenceWarning, match=f"LB001 not converged: .*{said}.*{remedy}"):
        warn(found, draws=posterior.sizes["draw"], tune=1000, target_accept=0.9)


def test_one_chain_is_no_evidence():
    found = diagnose(chains().isel(chain=[0]))
    with pytest.warns(lb.ConvergenceWarning, match=r"R-hat nan.*chains=4"):
        warn(found, draws=500, tune=1000, target_accept=0.9)


@pytest.mark.parametrize(
    ("pareto_k", "min_ess", "max_rhat", "said"),
    [
        (0.3, 900.0, 1.001, ""),
        (0.92, 900.0, 1.001, "Pareto k 0.92 (below 0.7 is good)"),
        (0.3, 212.0, 1.03, "effective sample size 212 (above 400), R-hat 1.030 (below 1.01)"),
        (0.3, 900.0, np.nan, "R-hat nan (below 1.01)"),
    ],
)
def test_what_proposals_lack(pareto_k, min_ess, max_rhat, said):
    assert lacking({"pareto_k": pareto_k, "min_ess": min_ess, "max_rhat": max_rhat}) == said


def test_weights_that_do_not_do_say_what_to_take():
    found = {"pareto_k": 0.912, "max_rhat": 1.052, "min_ess": 87.4}
    said = r"LB001 .*Pareto k .* 0\.91 \(below 0\.7 .*R-hat 1\.052, .* 87\. .*sampler='auto'"
    with pytest.warns(lb.ConvergenceWarning, match=said):
        warn_of_weights(found)


def test_careful_is_nearer_to_one():
    assert [round(careful(share), 3) for share in (0.8, 0.9, 0.97)] == [0.933, 0.967, 0.99]
