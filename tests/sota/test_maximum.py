"""maximum: one signature for accuracies, AUCs and estimates."""

import pytest

import leaderbayes as lb


def test_each_kind_says_what_it_is():
    shares = lb.sota.maximum(0.9, 5, n=100)
    aucs = lb.sota.maximum(0.9, 5, n=100, positive_rate=0.3)
    estimates = lb.sota.maximum(0.9, 5, se=0.03)
    assert "pmf" in shares
    assert aucs.attrs["positives"] == 30
    # A binomial's and a normal's best of the same spread are nearly the same.
    assert float(shares["mean"]) == pytest.approx(float(estimates["mean"]), abs=0.01)
    # One classifier's AUC is unbiased, with the variance that its standard error has.
    one = lb.sota.maximum(0.9, 1, n=100, positive_rate=0.3)
    assert float(one["mean"]) == pytest.approx(0.9, abs=1e-3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "Give n, the instances of the test set, or se"),
        ({"n": 10, "se": 0.1}, "not both"),
        ({"se": 0.1, "positive_rate": 0.2}, "positive_rate is for AUCs on n instances"),
        ({"se": 0.1, "theta_0": 0.5}, "theta_0 and dependence are for shares"),
        ({"n": 50, "positive_rate": 0.2, "dependence": "copula"}, "theta_0 and dependence"),
        ({"n": 50, "rho": 2.0}, "rho=2.0"),
        ({"n": 0}, "n=0"),
    ],
)
def test_what_does_not_fit_together(options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.sota.maximum(0.9, 5, **options)
