"""Areas under the curve: boards of them, and the error of each."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import leaderbayes as lb

SOTA = lb.sota


def test_simulated_aucs():
    """Boards of dependent classifiers, against the law of their best."""
    boards, options = 1500, {"positive_rate": 0.25, "rho": 0.7}
    theta = np.full(8, 0.88)
    drawn = SOTA.simulate_aucs(240, theta, boards=boards, seed=1, **options)
    assert drawn.dims == ("board", "classifier")
    np.testing.assert_array_equal(
        drawn[:3], SOTA.simulate_aucs(240, theta, boards=3, seed=1, **options)
    )
    error = drawn.std("board").to_numpy() / np.sqrt(boards)
    assert (abs(drawn.mean("board") - theta) < 4 * error).all()
    law = SOTA.maximum_auc(240, 0.88, 8, **options)
    assert law.attrs["rho"] == 0.7
    sd = float(law["sd"])
    best = float(drawn.max("classifier").mean())
    # Four Monte Carlo errors, and the law's own of a few hundredths of sd.
    assert best == pytest.approx(float(law["mean"]), abs=(4 / np.sqrt(boards) + 0.03) * sd)
    independent = SOTA.maximum_auc(240, 0.88, 8, positive_rate=0.25)
    assert float(law["mean"]) < float(independent["mean"]) - 0.1 * sd
    for wrong, message in (({"boards": 0}, "boards=0"), ({"rho": 2.0}, "rho=2.0")):
        with pytest.raises(lb.LeaderbayesError, match=message):
            SOTA.simulate_aucs(240, theta, positive_rate=0.25, **wrong)


@pytest.mark.parametrize("method", ["binormal", "hanley_mcneil"])
def test_variance_of_an_auc(method):
    """Against the law that each assumes of scores: normal, or exponential with a ratio of rates."""
    rng, draws, a = np.random.default_rng(2), 20_000, 0.8
    shape = {"positive": (draws, 12), "negative": (draws, 28)}
    if method == "binormal":
        high = np.sqrt(2.0) * stats.norm.ppf(a) + rng.normal(size=shape["positive"])
        low = rng.normal(size=shape["negative"])
    else:
        high = rng.exponential(a / (1.0 - a), size=shape["positive"])
        low = rng.exponential(size=shape["negative"])
    won = (high[:, :, None] > low[:, None]).mean(axis=(1, 2))
    variance = SOTA.auc_variance(a, 40, positive_rate=0.3, method=method)
    # The error of a sample variance, by the fourth moment.
    fourth = ((won - won.mean()) ** 4).mean()
    assert won.var() == pytest.approx(variance, abs=4 * np.sqrt((fourth - variance**2) / draws))


@pytest.mark.parametrize(
    ("auc", "options", "message"),
    [
        (1.2, {}, "auc=1.2"),
        (0.8, {"method": "delong"}, "choose 'binormal' or 'hanley_mcneil'"),
        (0.8, {"positive_rate": 1.0}, "positive_rate=1.0"),
    ],
)
def test_bad_variances(auc, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        SOTA.auc_variance(auc, 100, **({"positive_rate": 0.3} | options))


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
    rng, draws, a, rho = np.random.default_rng(4), 3000, 0.8, 0.7
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
    expected = SOTA.auc_variance(a, 50, positive_rate=0.4) + twice / (20 * 30)
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
