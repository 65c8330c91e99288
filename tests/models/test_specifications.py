"""The fast models equal their executable specifications: log-probability and gradient."""

import runpy
import warnings
from pathlib import Path

import numpy as np
import pytest

import leaderbayes as lb

MODELS = Path(__file__).parents[2] / "models"
POINTS = 20


@pytest.mark.parametrize("name", ["bradley_terry", "davidson"])
def test_fast_model_equals_specification(name, tied_scores):
    specification = runpy.run_path(str(MODELS / name / "model.py"))["model"]
    board = tied_scores.isel(player=slice(0, 5), round=slice(0, 5))
    slow = specification(board.to_numpy(), weight=0.4, centring=0.3)
    with warnings.catch_warnings():
        # So small a board falls into groups; its likelihood is the same.
        warnings.simplefilter("ignore", lb.DisconnectedWarning)
        fast = getattr(lb.models, name)(lb.matches(board), weight=0.4, centring=0.3)
    rng = np.random.default_rng(0)
    values = []
    functions = [(m.compile_logp(), m.compile_dlogp()) for m in (slow, fast)]
    for _ in range(POINTS):
        start = fast.initial_point()
        point = {key: rng.normal(size=np.shape(value)) for key, value in start.items()}
        values.append([(logp(point), dlogp(point)) for logp, dlogp in functions])
    offset = values[0][0][0] - values[0][1][0]
    for (slow_logp, slow_gradient), (fast_logp, fast_gradient) in values:
        assert slow_logp - fast_logp == pytest.approx(offset, abs=1e-8)
        np.testing.assert_allclose(slow_gradient, fast_gradient, atol=1e-8)


def test_every_model_has_a_folder():
    folders = {path.name for path in MODELS.iterdir() if path.is_dir()}
    assert folders == set(lb.models.__all__)
    for name in folders:
        assert (MODELS / name / "README.md").read_text().startswith("# ")
