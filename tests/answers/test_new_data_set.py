"""Answers on a new data set: against draws of it."""

import numpy as np
import pytest
import xarray as xr
from scipy.special import ndtr

from leaderbayes._answers.new_data_set import better_on_new, compared_on_new, law_of_new

DRAWS = 2000


@pytest.fixture
def scale():
    return 0.1 * np.exp(0.2 * np.random.default_rng(1).normal(size=DRAWS))


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("rope", [None, 0.05])
def test_compared_as_draws_are(scale, sign, rope):
    rng = np.random.default_rng(2)
    gap = 0.05 + 0.02 * rng.normal(size=DRAWS)
    new = np.repeat(gap, 50) + np.repeat(scale, 50) * rng.normal(size=50 * DRAWS)
    found = compared_on_new(gap, sign, scale, rope, 0.9)
    far = rope or 0.0
    # Four Monte Carlo errors of 100 000 draws, which are of 2000 scales.
    assert found["p_better"] == pytest.approx(float((sign * new > far).mean()), abs=0.007)
    assert found["p_worse"] == pytest.approx(float((sign * new < -far).mean()), abs=0.007)
    total = found["p_better"] + found["p_equivalent"] + found["p_worse"]
    assert total == pytest.approx(1.0)
    assert found["mean_better"] == float((sign * gap > 0.0).mean())
    low, high = np.quantile(new, [0.05, 0.95])
    assert found["new_lower"] == pytest.approx(low, abs=0.003)
    assert found["new_upper"] == pytest.approx(high, abs=0.003)


def fitted(scale, higher):
    rng = np.random.default_rng(3)
    score = np.array([0.3, 0.2, 0.0]) + 0.02 * rng.normal(size=(1, DRAWS, 3))
    players = {"player": ["a", "b", "c"]}
    posterior = xr.Dataset(
        {
            "score": (("chain", "draw", "player"), score),
            "score_spread": (("chain", "draw"), scale[None]),
        },
        players,
    )
    scores = xr.DataArray(
        np.zeros((2, 3, 2)), players, ("tournament", "player", "round"),
        attrs={"higher_is_better": higher},
    )  # fmt: skip
    ratio = np.array([[0.0, 0.5, 1.0], [0.5, 0.0, 1.3], [1.0, 1.3, 0.0]])
    constant = {"scores": scores, "spread": (("player", "opponent"), ratio)}
    tree = xr.DataTree.from_dict({"posterior": posterior, "constant_data": xr.Dataset(constant)})
    tree.attrs = {
        "model": "score_tournaments", "converged": 1, "warnings": "[]",
        "arguments": '{"within_round": true, "ties": "half"}',
    }  # fmt: skip
    return tree


def test_pairs_of_a_fit(scale):
    for higher in (1, 0):
        dt = fitted(scale, higher)
        spread, ratio = law_of_new(dt)
        np.testing.assert_allclose(spread, np.sqrt(2.0) * scale)
        assert ratio[0, 1] == 0.5
        mean, low, high, used = better_on_new(dt, 0.9)
        assert used == DRAWS
        np.testing.assert_allclose(mean + mean.T, 1.0)
        assert np.all((low <= mean) & (mean <= high))
        score = (2 * higher - 1) * dt["posterior"]["score"].to_numpy()[0]
        gap = score[:, 0] - score[:, 1]
        assert mean[0, 1] == pytest.approx(float(ndtr(gap / (0.5 * np.sqrt(2.0) * scale)).mean()))
    del dt["posterior"]["score_spread"]
    assert law_of_new(dt) is None
