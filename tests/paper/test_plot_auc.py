"""One board of AUCs: every classifier and every instance is drawn."""

import numpy as np
import pytest

import leaderbayes as lb
from figures import drawn, texts

BACKENDS = ["matplotlib", "plotly", "bokeh", "none"]


@pytest.mark.parametrize("backend", BACKENDS)
def test_every_backend_draws(backend):
    made = lb.paper.plot_auc(0.8, n=200, positive_rate=0.1, m=20, seed=0, backend=backend)
    assert made.backend == backend


def test_auc_draws_every_classifier_and_instance():
    made = lb.paper.plot_auc(0.8, n=200, positive_rate=0.1, m=20, seed=0, backend="none")
    assert [len(e["x"]) for e in drawn(made, "scores", "scatter")] == [180, 20]
    curves = np.hstack([e["y"] for e in drawn(made, "roc", "multiple_lines")])
    assert curves.shape[1] == 20
    assert np.all(np.diff(curves, axis=0) >= 0.0)
    np.testing.assert_array_equal(curves[0], 0.0)
    np.testing.assert_array_equal(curves[-1], 1.0)
    again = lb.paper.plot_auc(0.8, n=200, positive_rate=0.1, m=20, seed=0, backend="none")
    assert texts(again, "roc") == texts(made, "roc")


@pytest.mark.parametrize(
    ("theta", "options"),
    [(1.0, {"positive_rate": 0.1}), (0.8, {"positive_rate": 0.0}),
     (0.8, {"positive_rate": 0.1, "m": 0})],
)  # fmt: skip
def test_auc_refuses(theta, options):
    with pytest.raises(lb.LeaderbayesError, match="give"):
        lb.paper.plot_auc(theta, n=200, **options)
