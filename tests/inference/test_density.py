"""Draws from a function of a density: by proposals, or NUTS where these do not do."""

import re

import numpy as np
import pytest

import leaderbayes as lb
from conftest import simulate


@pytest.fixture(scope="module")
def scores():
    made = simulate([1.5, 0.5, 0.0, -0.3, -1.5], 14, np.random.default_rng(5))
    return np.round(made * 1.5) / 1.5  # some tie


def test_nuts_where_proposals_do_not_do(scores, monkeypatch):
    from leaderbayes._inference import density

    monkeypatch.setattr(density, "_FEWEST", 1.1)
    dt = lb.fit(scores, "davidson", draws=500, seed=1, progressbar=False)
    assert dt.attrs["sampler"] == "nutpie"
    assert re.fullmatch(
        r"\d+\.\d% of them are worth something \(above 110% is good\)", dt.attrs["why_nuts"]
    )
    # Asked for by name, they are walked through all the same.
    walked = lb.fit(scores, "davidson", draws=50, chains=2, seed=1, sampler="laplace")
    assert walked.attrs["sampler"] == "laplace"


@pytest.mark.slow
def test_doubts_are_said(scores, monkeypatch):
    from leaderbayes._inference import metropolis

    monkeypatch.setattr(metropolis, "MAX_PARETO_K", -10.0)
    with pytest.warns(lb.ConvergenceWarning, match="LB001 not converged: Pareto k"):
        lb.fit(scores, "plackett_luce", draws=50, chains=2, seed=1, sampler="laplace")
