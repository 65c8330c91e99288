"""The fast models equal their executable specifications: log-probability and gradient."""

import runpy
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from graphs import AS_IT_STANDS
from leaderbayes._inference.fit import MODELS as FITTED

MODELS = Path(__file__).parents[2] / "models"
POINTS = 8
ONE_BOARD = ["bradley_terry", "davidson", "plackett_luce", "round_intercept"]


def specification(name):
    return runpy.run_path(str(MODELS / name / "model.py"))["model"]


@pytest.mark.parametrize(
    ("name", "weight"),
    [
        # All orders of tied players make a large graph, which takes long to compile.
        pytest.param(
            name,
            0.4 if name == "plackett_luce" else "composite",
            marks=[pytest.mark.slow] if name == "plackett_luce" else [],
        )
        for name in ONE_BOARD
    ],
)
def test_fast_model_equals_specification(name, weight, tied_scores):
    board = tied_scores.isel(player=slice(0, 4), round=slice(0, 4))
    with warnings.catch_warnings():
        # So small a board falls into groups; its likelihood is the same.
        warnings.simplefilter("ignore", lb.DisconnectedWarning)
        fast = getattr(lb.models, name)(lb.matches(board), weight=weight, centring=0.3)
    eta = fast["weight"].get_value()
    assert eta.shape == (4,)
    # A player is missing from a round, whose matches count by themselves.
    assert (np.ptp(eta) > 0.0) == (weight == "composite")
    slow = specification(name)(board.to_numpy(), weight=eta, centring=0.3)
    rng = np.random.default_rng(0)
    values = []
    functions = [
        (m.compile_logp(mode=AS_IT_STANDS), m.compile_dlogp(mode=AS_IT_STANDS))
        for m in (slow, fast)
    ]
    start = fast.initial_point()
    for _ in range(POINTS):
        point = {key: rng.normal(size=np.shape(value)) for key, value in start.items()}
        values.append([(logp(point), dlogp(point)) for logp, dlogp in functions])
    offset = values[0][0][0] - values[0][1][0]
    order = _same_order(slow, fast)
    for (slow_logp, slow_gradient), (fast_logp, fast_gradient) in values:
        assert slow_logp - fast_logp == pytest.approx(offset, abs=1e-8)
        np.testing.assert_allclose(slow_gradient, fast_gradient[order], atol=1e-8)


def _same_order(slow, fast):
    """Positions in the fast model's gradient of the slow model's variables, which it lists."""
    sizes = {v.name: np.size(fast.initial_point()[v.name]) for v in fast.value_vars}
    starts = dict(zip(sizes, np.cumsum([0, *sizes.values()]), strict=False))
    return np.concatenate(
        [starts[v.name] + np.arange(sizes[v.name]) for v in slow.value_vars]
    ).astype(int)


def test_tournaments_have_the_specifications_likelihood_and_prior(scores):
    """Log-probability up to the level of each tournament, which the fast model leaves out."""
    two = [scores.isel(round=slice(0, 4)), -scores.isel(round=slice(4, 8))]
    two[1] = two[1].assign_coords(round=two[0]["round"])
    two[1][0] = np.nan
    boards = xr.concat(two, pd.Index(["x", "y"], name="tournament")).assign_attrs(scores.attrs)
    weight = np.full((2, 4), 0.4)
    slow = specification("tournaments")(boards.to_numpy(), weight, mean_centring=0.3)
    fast = lb.models.tournaments(lb.matches(boards), weight=0.4, centring=0.3)
    slow_logp, fast_logp = (
        slow.compile_logp(mode=AS_IT_STANDS),
        fast.compile_logp(mode=AS_IT_STANDS),
    )
    wanted = fast.replace_rvs_by_values([fast["epp_tournament"], fast["epp"]])
    both = fast.compile_fn(wanted, inputs=fast.value_vars, point_fn=True, mode=AS_IT_STANDS)
    rng = np.random.default_rng(1)
    present = boards.notnull().any("round").to_numpy()
    gaps = []
    for _ in range(POINTS):
        point = {k: rng.normal(size=np.shape(v)) for k, v in fast.initial_point().items()}
        strength, mean = both(point)
        spread = np.exp(point["epp_spread_log__"])
        # The slow model's strengths, at their means' level; absent players at their mean.
        level = (present * mean).sum(axis=1) / present.sum(axis=1)
        there = {k: point[k] for k in ("epp_scale_log__", "epp_unit_zerosum__", "epp_spread_log__")}
        there["strength"] = np.where(present, strength + level[:, None], mean)
        # Normal densities of what the fast model lacks: two levels and the absent players; and the
        # Jacobian of its scaled coordinates.
        lacking = 2 + (~present).sum()
        free = present.sum() - 2
        constant = -lacking * np.log(spread) - (1 - 0.3) * free * np.log(spread)
        gaps.append(slow_logp(there) - constant - fast_logp(point))
    np.testing.assert_allclose(gaps, gaps[0], atol=1e-7)


def test_every_model_has_a_folder_and_can_be_fitted():
    folders = {path.name for path in MODELS.iterdir() if (path / "model.py").exists()}
    # The board of one test set is not fitted to matches: sota.posterior fits it.
    # Votes are fitted by bradley_terry.
    assert folders - {"votes"} == set(lb.models.__all__) == {*FITTED, "sota"}
    for name in folders:
        assert (MODELS / name / "README.md").read_text().startswith("# ")
