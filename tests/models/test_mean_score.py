"""The model of mean scores: its specification, and the density that is sampled for it."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board
from graphs import AS_IT_STANDS
from leaderbayes._numerics.mean_score import coordinates, log_density, parameters
from leaderbayes.models._scores import board_of

SPECIFICATION = Path(__file__).parents[2] / "models" / "mean_score" / "model.py"


def scores_of(seed=0):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=4)[:, None] + rng.normal(size=(4, 6)) + 2.0 * rng.normal(size=6)
    values[1, 2] = values[3, 0] = np.nan
    return board(values)


@pytest.mark.slow
@pytest.mark.parametrize("fraction", [None, 0.2])
def test_model_equals_its_specification(fraction):
    scores = scores_of()
    fast = lb.models.mean_score(scores, test_fraction=fraction)
    slow = runpy.run_path(str(SPECIFICATION))["model"](scores.to_numpy(), fraction)
    assert [v.name for v in fast.free_RVs] == [v.name for v in slow.free_RVs]
    functions = [
        (m.compile_logp(mode=AS_IT_STANDS), m.compile_dlogp(mode=AS_IT_STANDS))
        for m in (slow, fast)
    ]
    rng = np.random.default_rng(1)
    start = fast.initial_point()
    for _ in range(5):
        point = {key: 0.5 * rng.normal(size=np.shape(value)) for key, value in start.items()}
        (slow_logp, slow_slope), (fast_logp, fast_slope) = [
            (logp(point), dlogp(point)) for logp, dlogp in functions
        ]
        assert fast_logp == pytest.approx(slow_logp)
        np.testing.assert_allclose(fast_slope, slow_slope, atol=1e-7)


@pytest.mark.parametrize("fraction", [None, 0.2])
def test_what_is_sampled_is_the_model(fraction):
    """But for the Jacobian of its coordinates, in which players stand in place of units."""
    scores = scores_of(2)
    own = board_of(scores, fraction, 1.0, 4.0)
    at = coordinates(own)
    model = lb.models.mean_score(scores, test_fraction=fraction)
    logp = model.compile_logp(
        vars=[v for v in [*model.free_RVs, *model.observed_RVs] if v.name != "level_luck"],
        jacobian=True,
        mode=AS_IT_STANDS,
    )
    rng = np.random.default_rng(3)
    found = []
    for _ in range(6):
        x = at.start + 0.3 * rng.standard_normal(at.start.size)
        names = parameters(x, own, at)
        m = len(at.centring)
        z, unit, luck = np.split(x[4:], [m, 2 * m])
        log_tau = np.log(names["score_scale"])
        b, log_slope = strengths_and_slope(z, log_tau, own.df, at)
        point = {
            "score_scale_raw": x[0], "effect_unit": b, "noise_centre_log__": x[3],
            "noise_unit": unit, "round_scale_log__": x[1], "level": x[2],
            **({"luck_unit": luck, "level_luck": 0.0} if fraction else {}),
        }  # fmt: skip
        np.testing.assert_allclose(b - b.mean(), names["effect"])
        found.append(log_density(x, own, at)[0] - (float(logp(point)) + log_slope))
    np.testing.assert_allclose(found, found[0], atol=1e-8)


def strengths_and_slope(z, log_scale, df, at):
    """b of z, and the log of how fast it moves with z."""
    from leaderbayes._numerics.student import student

    power = (1.0 - at.centring) * log_scale + at.centring * at.log_scale
    moved = [student(each, df) for each in z]
    b = np.exp(power) * np.array([each[0] for each in moved])
    return b, float(np.sum(power + np.array([each[2] for each in moved])))


def test_replicates_lack_what_the_board_lacks():
    import pymc as pm

    scores = scores_of()
    with lb.models.mean_score(scores) as model:
        drawn = pm.draw(model["round_score"], 3, random_seed=1, mode=AS_IT_STANDS)
    absent = np.isnan(scores.transpose("round", "player").to_numpy())
    assert ((drawn == 0.0) == absent).all()


def test_refuses_several_tournaments():
    with pytest.raises(lb.ScoresError, match="tournaments"):
        lb.models.mean_score(lb.datasets.load("classifiers"))
