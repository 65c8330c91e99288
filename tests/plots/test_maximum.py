"""The figure of the law of the best score."""

import pytest

import leaderbayes as lb
from figures import drawn, texts, uprights


def test_maximum_marks(law):
    made = lb.plots.maximum(law, theta=0.9, backend="none")
    mean, upper = float(law["mean"]), float(law["quantile"].sel(probability=0.975))
    for name in ("cdf", "pmf"):
        assert uprights(made, name) == [0.9, mean, upper]
        low, high = drawn(made, name, "xlim")[0]["lims"]
        assert low < 0.9
        assert float(law["cdf"].sel(x=int(high * 300))) > 0.999
        assert high - low < 0.15
    assert [f"{at:.4f}" in text for at, text in zip(
        (upper, mean, 0.9), texts(made, "cdf"), strict=True)] == [True] * 3  # fmt: skip
    (bars,) = drawn(made, "pmf", "hist")
    assert bars["y"].sum() == pytest.approx(1.0, abs=1e-3)
    middle = (bars["l_e"] + bars["r_e"]) / 2.0
    assert middle @ bars["y"] == pytest.approx(mean, abs=1e-3)


def test_maximum_auc():
    law = lb.sota.maximum(0.8, 50, n=300, positive_rate=0.1)
    made = lb.plots.maximum(law, backend="none")
    assert uprights(made, "pmf")[0] == float(law["mean"])
    assert drawn(made, "cdf", "xlabel")[0]["string"] == "best AUC"


def test_what_is_no_law():
    estimated = lb.sota.maximum([0.8, 0.7], se=0.01)
    with pytest.raises(lb.LeaderbayesError, match="law of accuracies or AUCs"):
        lb.plots.maximum(estimated)
