"""The figure of simulated classifiers."""

import numpy as np
import pytest

import leaderbayes as lb
from figures import drawn, texts


def test_auc_draws_every_classifier_and_instance():
    made = lb.plots.auc(0.8, 200, positive_rate=0.1, m=20, backend="none")
    assert [len(e["x"]) for e in drawn(made, "scores", "scatter")] == [180, 20]
    curves = np.hstack([e["y"] for e in drawn(made, "roc", "multiple_lines")])
    assert curves.shape[1] == 20
    assert np.all(np.diff(curves, axis=0) >= 0.0)
    np.testing.assert_array_equal(curves[0], 0.0)
    np.testing.assert_array_equal(curves[-1], 1.0)
    again = lb.plots.auc(0.8, 200, positive_rate=0.1, m=20, backend="none")
    assert texts(again, "roc") == texts(made, "roc")


@pytest.mark.parametrize(
    ("theta", "options"),
    [(1.0, {"positive_rate": 0.1}), (0.8, {"positive_rate": 0.0}),
     (0.8, {"positive_rate": 0.1, "m": 0})],
)  # fmt: skip
def test_auc_refuses(theta, options):
    with pytest.raises(lb.LeaderbayesError, match="give"):
        lb.plots.auc(theta, 200, **options)
