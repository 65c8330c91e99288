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


def log_density_of_model(scores, fraction):
    """Of its variables but the luck of the level, which nothing depends on."""
    model = lb.models.mean_score(scores, test_fraction=fraction)
    variables = [v for v in [*model.free_RVs, *model.observed_RVs] if v.name != "level_luck"]
    return model.compile_logp(vars=variables, jacobian=True, mode=AS_IT_STANDS)


def point_of_model(x, b, unit):
    """Where coordinates x are, by the model's names, but for luck."""
    return {
        "score_scale_raw": x[0], "effect_unit": b, "noise_centre_log__": x[3],
        "noise_unit": unit, "round_scale_log__": x[1], "level": x[2],
    }  # fmt: skip


@pytest.mark.parametrize("fraction", [None, 0.2])
def test_what_is_sampled_is_the_model(fraction):
    """But for the Jacobian of its coordinates, in which players stand in place of units."""
    scores = scores_of(2)
    own = board_of(scores, fraction, 1.0, 4.0)
    at = coordinates(own)
    logp = log_density_of_model(scores, fraction)
    rng = np.random.default_rng(3)
    found = []
    for _ in range(6):
        x = at.start + 0.3 * rng.standard_normal(at.start.size)
        names = parameters(x, own, at)
        m = len(at.centring)
        z, unit, luck = np.split(x[4:], [m, 2 * m])
        log_tau = np.log(names["score_scale"])
        b, log_slope = strengths_and_slope(z, log_tau, at)
        point = point_of_model(x, b, unit)
        point |= {"luck_unit": luck, "level_luck": 0.0} if fraction else {}
        np.testing.assert_allclose(b - b.mean(), names["effect"])
        found.append(log_density(x, own, at)[0] - (float(logp(point)) + log_slope))
    np.testing.assert_allclose(found, found[0], atol=1e-8)


def log_integral(logp, name, point):
    """Of a density that is normal in one variable, over it: second differences are exact."""
    size = len(point[name])

    def at(*moved):
        return float(logp(point | {name: point[name] + sum(moved)}))

    e = np.eye(size)
    middle = at(0.0)
    slope = np.array([0.5 * (at(one) - at(-one)) for one in e])
    curve = np.array(
        [[0.25 * (at(a, b) - at(a, -b) - at(-a, b) + at(-a, -b)) for a in e] for b in e]
    )
    return middle - 0.5 * slope @ np.linalg.solve(curve, slope) - 0.5 * np.linalg.slogdet(-curve)[1]


@pytest.mark.parametrize(
    ("players", "complete", "fraction"),
    [(2, True, None), (2, False, None), (2, False, 0.2), (2, True, 0.2), (4, True, 0.2)],
)
def test_what_is_integrated_out_is_the_models(players, complete, fraction):
    """The mean of two players' strengths, and luck where all played all."""
    scores = scores_of(2)[[1, 3, 0, 2][:players]]
    if complete:
        scores = scores.fillna(1.5).assign_attrs(scores.attrs)
    own = board_of(scores, fraction, 1.0, 4.0)
    at = coordinates(own)
    logp = log_density_of_model(scores, fraction)
    rng = np.random.default_rng(3)
    found = []
    k = len(at.centring)
    assert k == (1 if players == 2 else players)
    for _ in range(4):
        x = at.start + 0.3 * rng.standard_normal(at.start.size)
        z, unit, luck = np.split(x[4:], [k, k + players])
        names = parameters(x, own, at)
        scale = names["score_scale"]
        b, log_slope = strengths_and_slope(z, np.log(scale), at)
        b = np.array([b[0], -b[0]]) if players == 2 else b
        point = point_of_model(x, b, unit)
        if fraction:
            point |= {"luck_unit": luck if len(luck) else np.zeros(players), "level_luck": 0.0}
        np.testing.assert_allclose(b - b.mean(), names["effect"])
        expected = float(logp(point))
        if fraction and complete:
            assert len(luck) == 0
            expected = log_integral(logp, "luck_unit", point)
        if players == 2:
            # The mean moves the prior alone.
            middle = np.linspace(-9.0, 9.0, 601)
            value = [float(logp(point | {"effect_unit": b + scale * np.sinh(u)})) for u in middle]
            value = np.array(value) - float(logp(point)) + np.log(scale * np.cosh(middle))
            expected += np.log(np.exp(value).sum())
        found.append(log_density(x, own, at)[0] - (expected + log_slope))
    np.testing.assert_allclose(found, found[0], atol=1e-6)


def strengths_and_slope(z, log_scale, at):
    """b of z, and the log of how fast it moves with z."""
    from leaderbayes._numerics.student import student

    power = (1.0 - at.centring) * log_scale + at.centring * at.log_scale
    moved = [student(*each) for each in zip(z, at.tails, strict=True)]
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
