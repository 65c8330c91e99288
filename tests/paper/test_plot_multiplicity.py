"""The paper's Figure of multiplicity: numbers and marks where they belong."""

import numpy as np
import pytest
from scipy import stats

import leaderbayes as lb
from figures import drawn, texts, uprights

BACKENDS = ["matplotlib", "plotly", "bokeh", "none"]


def test_multiplicity_of_the_paper():
    law = lb.sota.maximum(0.9, 1000, n=3000)
    made = lb.paper.plot_multiplicity(law, theta=0.9, backend="none")
    assert uprights(made, "board") == [law["mean"], law["quantile"].sel(probability=0.975)]
    better = stats.binomtest(2700, 3000).proportion_ci()[1]
    # "P = 0.10": nine of ten significantly better classifiers are taken to be worse.
    chance = stats.binom.sf(int(3000 * law["mean"]), 3000, better)
    assert round(chance, 2) == 0.10
    assert any(text.endswith(f"P = {chance:.3f}") for text in texts(made, "board"))
    shaded = drawn(made, "board", "fill_between_y")
    assert [e["y_top"].sum() for e in shaded] == pytest.approx(
        [chance, stats.binom.sf(int(3000 * law["quantile"][-1]) - 1, 3000, better)], rel=1e-2
    )
    bar = next(e for e in drawn(made, "board", "line") if e["y"][0] < 0.0)
    np.testing.assert_allclose(bar["x"], stats.binomtest(2700, 3000).proportion_ci())


def test_multiplicity_refuses_auc():
    law = lb.sota.maximum(0.8, 5, n=300, positive_rate=0.1)
    with pytest.raises(lb.LeaderbayesError, match=r"sota\.maximum"):
        lb.paper.plot_multiplicity(law, theta=0.8)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("theta", [0.9, 1.0])
def test_every_backend_draws(theta, backend):
    law = lb.sota.maximum(theta, 100, n=300)
    assert lb.paper.plot_multiplicity(law, theta=theta, backend=backend).backend == backend


def test_what_is_no_law_of_accuracies():
    estimated = lb.sota.maximum([0.8, 0.7], se=0.01)
    with pytest.raises(lb.LeaderbayesError, match="law of accuracies"):
        lb.paper.plot_multiplicity(estimated, theta=0.8)
