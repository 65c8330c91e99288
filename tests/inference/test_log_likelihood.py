"""az.loo and az.compare stop at what stands beside the log-likelihood, and az.psense does not."""

import arviz as az
import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb


def sensitivity(dt):
    """Of the posterior (quantity, component), unrounded."""
    table = az.psense_summary(dt, var_names=["epp_scale", "epp"], round_to=9)
    return table[["prior", "likelihood"]]


@pytest.mark.parametrize("name", ["fitted", "laplace", "fitted_davidson"])
def test_loo_leads_to_ours(name, request):
    dt = request.getfixturevalue(name)
    with pytest.raises(TypeError, match="'use_lb_loo'"):
        az.loo(dt)
    with pytest.raises(TypeError) as stopped:
        az.compare({"a": dt, "b": dt})
    assert "'use_lb_loo'" in str(stopped.value.__cause__)
    assert np.isfinite(lb.loo(dt).elpd)


def test_sensitivity_is_that_of_the_weighted_likelihood(laplace):
    alone = laplace.copy()
    alone["log_likelihood"] = xr.DataTree(alone["log_likelihood"].to_dataset()[["place"]])
    assert sensitivity(laplace).equals(sensitivity(alone))


def test_sensitivity_is_the_same_whatever_the_sampler(fitted, laplace):
    """To 3 standard deviations: over seeds they are up to 0.015 (2000 draws) and 0.012 (4000)."""
    by_nuts, by_laplace = sensitivity(fitted), sensitivity(laplace)
    assert list(by_nuts.index) == list(by_laplace.index)
    np.testing.assert_allclose(by_nuts, by_laplace, atol=0.06)


def test_a_file_keeps_it(laplace, tmp_path):
    lb.write_fit(laplace, tmp_path / "fit.nc")
    back = lb.read_fit(tmp_path / "fit.nc")
    assert sensitivity(back).equals(sensitivity(laplace))
    with pytest.raises(TypeError, match="'use_lb_loo'"):
        az.loo(back)


def test_a_new_players_fit_has_it(scores):
    dt = lb.fit(scores[:-1], sampler="laplace", prior_scale=1.0, seed=1)
    enlarged = lb.new_player(dt, scores[-1].rename("mine"), seed=1)
    with pytest.raises(TypeError, match="'use_lb_loo'"):
        az.loo(enlarged)
    # HalfNormal(1), of the drawn scales.
    scale = enlarged["posterior"]["epp_scale"]
    expected = 0.5 * np.log(2.0 / np.pi) - 0.5 * scale**2
    np.testing.assert_allclose(enlarged["log_prior"]["epp_scale"], expected)
