"""Deviance: degrees of freedom, conventions, and where it is evaluated."""

import pytest

import leaderbayes as lb


def test_deviance(scores):
    fitted = lb.fit(scores, sampler="laplace", seed=1)
    one, published = lb.deviance(fitted), lb.deviance(fitted, convention="published")
    assert one["df"] == 10
    assert published["value"] == pytest.approx(2 * float(one["value"]))
    assert published["df"] == 24
    estimate = lb.likelihood.bradley_terry(lb.matches(fitted["constant_data"]["scores"]))
    assert lb.deviance(estimate)["value"] == pytest.approx(float(one["value"]))
    with pytest.raises(lb.LeaderbayesError, match="convention='mine'"):
        lb.deviance(fitted, convention="mine")


@pytest.mark.slow
def test_deviance_of_ties(fitted_davidson):
    assert lb.deviance(fitted_davidson)["df"] == 24
