"""Posterior of the best theta: doubts that stay with it, and the same numbers on any machine."""

import json
import warnings

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb


@pytest.mark.slow
def test_mixtures_are_noticed():
    """One beta does not describe two groups of teams; two do, and a floor leaves one out."""
    rng, n = np.random.default_rng(4), 2000
    theta = np.concatenate([rng.beta(20, 30, 60), rng.beta(1700, 300, 300)])
    board = lb.sota.read_board(rng.binomial(n, theta) / n, n=n, classes=10)
    with pytest.warns(lb.BoardWarning, match="LB021"):
        poor = lb.sota.posterior(board, law="beta", seed=1)
    assert "LB021" in poor.attrs["warnings"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", lb.BoardWarning)
        good = lb.sota.posterior(board, law="mixture", seed=1)
        high = lb.sota.posterior(board, law="beta", floor=0.75, seed=1)
    for dt in (good, high):
        made = lb.sota.summary(dt)
        assert made["theta_sota_lower"] < theta.max() < made["theta_sota_upper"]
    assert good["posterior"]["weight"].sizes["component"] == 2
    assert int(lb.sota.summary(high)["m"]) < 320


def test_warnings_stay_with_the_result():
    """A low outlier and much dependence: the common luck fills what the beta does not describe."""
    score = np.append(np.random.default_rng(0).normal(0.9, 0.002, 80).round(4), 0.3)
    board = lb.sota.read_board(score, n=10_000, classes=10)
    with pytest.warns(lb.BoardWarning) as caught:
        dt = lb.sota.posterior(board, law="beta", rho=0.9, seed=1, draws=100)
    assert json.loads(dt.attrs["warnings"]) == [str(w.message) for w in caught]
    assert lb.sota.summary(dt).attrs["warnings"] == dt.attrs["warnings"]


def test_numbers_do_not_depend_on_workers():
    board = lb.sota.read_board([0.9, 0.88, 0.88, 0.85, 0.8], n=100)
    one, three = (
        lb.sota.posterior(board, rho=0.5, draws=25, seed=3, workers=w)["posterior"] for w in (1, 3)
    )
    xr.testing.assert_identical(one.to_dataset(), three.to_dataset())
