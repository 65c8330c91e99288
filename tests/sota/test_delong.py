"""Areas under the curve and their covariance, from the scores."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import leaderbayes as lb
from leaderbayes._numerics import auc

SOTA = lb.sota


def test_delong_by_brute_force():
    """All pairs, ties half; covariances of the shares that positives and negatives win."""
    rng = np.random.default_rng(3)
    labels = np.array([1, 0, 0, 1, 1, 0, 0, 0, 1, 0], dtype=bool)
    values = rng.integers(0, 5, size=(3, 10)) + labels  # with ties
    high, low = values[:, labels, None], values[:, None, ~labels]
    won = (high > low) + 0.5 * (high == low)
    expected = np.cov(won.mean(axis=2)) / 4 + np.cov(won.mean(axis=1)) / 6
    scores = xr.DataArray(
        values, dims=("classifier", "instance"), coords={"classifier": ["a", "b", "c"]}
    )
    made = SOTA.delong(scores, labels)
    np.testing.assert_allclose(made["auc"], won.mean(axis=(1, 2)))
    np.testing.assert_allclose(made["covariance"], expected)
    assert made["covariance"].dims == ("classifier", "classifier_")
    assert float(made["covariance"].sel(classifier="a", classifier_="c")) == pytest.approx(
        expected[0, 2]
    )
    assert made.attrs == {"positives": 4, "negatives": 6}
    one = SOTA.delong(scores[:1].T, xr.DataArray(labels.astype(int), dims="instance"))
    np.testing.assert_allclose(one["covariance"], expected[:1, :1])


def test_delong_on_average():
    """Its expectation is the variance and what pairs add a second time, both in closed form."""
    rng, draws, a, rho = np.random.default_rng(4), 1000, 0.8, 0.7
    labels = np.arange(50) < 20
    shared = rng.normal(size=(draws, 1, 50))
    values = rho * shared + np.sqrt(1.0 - rho**2) * rng.normal(size=(draws, 2, 50))
    values[:, :, labels] += np.sqrt(2.0) * stats.norm.ppf(a)
    covariance = np.array(
        [SOTA.delong(xr.DataArray(v, dims=("classifier", "instance")), labels)["covariance"]
         for v in values]
    )  # fmt: skip
    # Of one pair in common, minus twice that of one instance in common.
    twice = a * (1 - a) - 2 * (stats.multivariate_normal(cov=[[1, 0.5], [0.5, 1]]).cdf(
        np.full(2, stats.norm.ppf(a))) - a**2)  # fmt: skip
    expected = auc.variance(a, 20, 30) + twice / (20 * 30)
    found = covariance[:, 0, 0]
    assert found.mean() == pytest.approx(expected, abs=4 * found.std() / np.sqrt(draws))


@pytest.mark.parametrize(
    ("scores", "labels", "message"),
    [
        (np.zeros((2, 4)), [0, 1, 1], "shape .3,.: give one for each of the 4"),
        (np.zeros((2, 4)), [0, 1, 2, 1], "1 .positive. or 0"),
        (np.zeros((2, 4)), [0, 1, 0, 0], "Of 4 instances 1 are positive"),
        (np.array([[0, 1, np.nan, 0.0]]), [0, 1, 0, 1], "Classifier 0 has no score for instance 2"),
    ],
)
def test_bad_scores(scores, labels, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        SOTA.delong(xr.DataArray(scores, dims=("classifier", "instance")), labels)


def test_scores_of_other_instances():
    scores = xr.DataArray(
        np.eye(4), dims=("classifier", "instance"), coords={"instance": list("abcd")}
    )
    labels = xr.DataArray([0, 0, 1, 1], dims="instance", coords={"instance": list("dcba")})
    with pytest.raises(lb.LeaderbayesError, match="name instances differently"):
        SOTA.delong(scores, labels)
    assert SOTA.delong(scores, labels.sel(instance=scores["instance"])).sizes["classifier"] == 4
    with pytest.raises(lb.LeaderbayesError, match="dimensions classifier"):
        SOTA.delong(scores.rename(instance="row"), labels)
