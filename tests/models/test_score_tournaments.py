"""The model of mean scores over data sets: its specification, and the density sampled for it."""

import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.special import logsumexp
from scipy.stats import t as student_t

import leaderbayes as lb
from conftest import board
from graphs import AS_IT_STANDS
from leaderbayes._numerics.score_tournaments import boards, coordinates, log_density, parameters
from leaderbayes._numerics.student import student
from leaderbayes.models._score_boards import boards_of_scores

SPECIFICATION = Path(__file__).parents[2] / "models" / "score_tournaments" / "model.py"
# Normal given the rest, and integrated out of what is sampled.
LATENT = ("level_unit", "deviation_unit", "luck_unit", "level_luck")


def scores_of(seed=0, holes=True, tournaments=3, players=3, rounds=4):
    rng = np.random.default_rng(seed)
    shape = (tournaments, players, rounds)
    values = rng.normal(size=(tournaments, 1, 1)) + rng.normal(size=(players, 1))
    values = values + rng.normal(size=(tournaments, 1, rounds)) + 0.5 * rng.normal(size=shape)
    values[1, -1] = np.nan
    values[2, :, 3] = np.nan
    if holes:
        values[0, 1, 2] = np.nan
    names = pd.Index([f"data {q}" for q in range(tournaments)], name="tournament")
    return xr.concat([board(y) for y in values], names).assign_attrs(board(values[0]).attrs)


@pytest.mark.slow
@pytest.mark.parametrize("fraction", [None, 0.2])
def test_model_equals_its_specification(fraction):
    scores = scores_of()
    fast = lb.models.score_tournaments(scores, test_fraction=fraction)
    slow = runpy.run_path(str(SPECIFICATION))["model"](scores.to_numpy(), fraction)
    assert [v.name for v in fast.free_RVs] == [v.name for v in slow.free_RVs]
    functions = [
        (m.compile_logp(mode=AS_IT_STANDS), m.compile_dlogp(mode=AS_IT_STANDS))
        for m in (slow, fast)
    ]
    rng = np.random.default_rng(1)
    start = fast.initial_point()
    for _ in range(2):
        point = {key: 0.5 * rng.normal(size=np.shape(value)) for key, value in start.items()}
        (slow_logp, slow_slope), (fast_logp, fast_slope) = [
            (logp(point), dlogp(point)) for logp, dlogp in functions
        ]
        assert fast_logp == pytest.approx(slow_logp)
        np.testing.assert_allclose(fast_slope, slow_slope, atol=1e-7)


@pytest.mark.parametrize("fraction", [None, 0.2])
@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.slow
def test_what_is_sampled_is_the_model_integrated(fraction, players):
    """Over what is normal given the rest, but for the Jacobian of its coordinates.

    Of few players over mean(b), too, of which the model is summed up here at many values.
    """
    scores = scores_of(2, holes=False, players=players)
    own = boards_of_scores(scores, fraction, 1.0, 4.0, 1.0)
    inside = boards((own.scores - own.centre) / own.unit, own.luck, 1.0, 4.0, 1.0)
    at = coordinates(inside)
    model = lb.models.score_tournaments(scores, test_fraction=fraction)
    logp = model.compile_logp(jacobian=True, mode=AS_IT_STANDS)
    latent = [v for v in model.free_RVs if v.name in LATENT]
    slope = model.compile_dlogp(latent, mode=AS_IT_STANDS)
    curvature = model.compile_d2logp(latent, negate_output=False, mode=AS_IT_STANDS)
    start = model.initial_point()
    q, m = inside.present.shape
    zeros = {v.name: np.zeros(start[v.name].shape) for v in latent}

    def marginal(point):
        """One step of Newton finds the mode of a normal law."""
        matrix, g = curvature(point | zeros), slope(point | zeros)
        height = float(logp(point | zeros)) - 0.5 * g @ np.linalg.solve(matrix, g)
        return height - 0.5 * np.linalg.slogdet(-matrix)[1]

    few = at.plane is not None
    rng = np.random.default_rng(3)
    found = []
    for _ in range(4):
        x = at.start + 0.3 * rng.standard_normal(at.start.size)
        names = parameters(x, inside, at)
        scale = float(names["score_scale"])
        rest = x[m if few else 1 + m :]
        y = rest[4 + 2 * q : 4 + 3 * q]
        shift = np.log(own.unit)
        point = {
            "score_scale_raw": x[0],
            "score_spread_log__": rest[0] + shift, "spread_df_unit_log__": rest[1],
            "factor_unit_log__": y * np.sqrt(2.0 / names["spread_df"]),
            "level": own.centre + own.unit * rest[2], "level_scale_log__": rest[3] + shift,
            "noise_centre_log__": np.log(names["noise_centre"]) + shift,
            "noise_unit": rest[4 + 3 * q :].reshape(q, m),
            "round_scale_log__": np.log(names["round_scale"]) + shift,
        }  # fmt: skip
        jacobian = 0.5 * q * np.log(2.0 / names["spread_df"])
        if few:
            # The rest does not depend on mean(b): one integral of the law of b.
            here = own.unit * names["effect"]
            v = np.linspace(-5.0, 5.0, 401)
            mean = own.unit * scale * np.sinh(v)
            width = np.log(own.unit * scale * np.cosh(v))
            law = student_t.logpdf(here + mean[:, None], own.df, scale=own.unit * scale)
            integral = logsumexp(law.sum(axis=1) + width)
            jacobian += integral - law[200].sum()
            of_b = here
        else:
            log_tau = np.log(scale)
            power = (1.0 - at.centring) * log_tau + at.centring * at.log_scale
            moved = [student(z, own.df) for z in x[1 : 1 + m]]
            of_b = own.unit * np.exp(power) * np.array([each[0] for each in moved])
            jacobian += np.sum(power + np.array([each[2] for each in moved]))
        height = marginal(point | {"effect_unit": of_b})
        found.append(log_density(x, inside, at)[0] - height - jacobian)
    np.testing.assert_allclose(found, found[0], atol=2e-3 if few else 1e-7)
