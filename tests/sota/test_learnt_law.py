"""What is kept of draws of a law that is learnt."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import leaderbayes as lb
from leaderbayes._numerics import flexible_law
from leaderbayes.sota._learnt_law import Luck, keep, log_prior_of, named, room
from leaderbayes.sota._model import model_of
from leaderbayes.sota._scale import scale_of


def test_teams_are_placed_as_their_scores_say():
    """Of two values, by their weights and binomials; and each keeps the likelihood of its score."""
    board = lb.sota.read_board([0.9, 0.85], n=100)
    _, model = model_of(
        board, law="flexible", components=2, floor=None, rho=0.0, theta_0=0.9, statistic="board",
        workers=1,
    )  # fmt: skip
    scale = scale_of(model)
    cells = scale.cells
    value = scale.theta(cells.middle, 0.0, 0.0)
    two = np.abs(value[:, None] - [0.82, 0.92]).argmin(axis=0)
    law = np.zeros(len(value))
    law[two] = 0.3, 0.7
    luck = Luck(0.0, 0.0, 0.0, *scale.likelihood(0.0, 0.0))
    draws = 2000
    kept = room(draws, 2)
    rng = np.random.default_rng(1)
    for look in range(draws):
        keep(scale, law, luck, 1.5, rng, kept, look)
    chance = stats.binom.pmf([[90], [85]], 100, value[two]) * [0.3, 0.7]
    np.testing.assert_allclose(kept["log_likelihood"][0], np.log(chance.sum(axis=1)), atol=2e-3)
    high = kept["at"] > 0.87
    expected = chance[:, 1] / chance.sum(axis=1)
    error = np.sqrt(expected * (1.0 - expected) / draws)
    np.testing.assert_array_less(np.abs(high.mean(axis=0) - expected), 4.0 * error)
    others = (kept["new"] > 0.87).mean()
    assert others == pytest.approx(0.7, abs=4.0 * np.sqrt(0.21 / draws))
    parameters, drawn = named(model, kept, rng)
    assert list(parameters) == ["concentration"]
    np.testing.assert_array_equal(drawn["theta_sota"], kept["at"].max(axis=1))


def test_density_of_what_has_a_prior():
    drawn = xr.Dataset({
        "concentration": (("chain", "draw"), flexible_law.ALPHAS[None, :2]),
        "ease": (("chain", "draw"), [[0.5, -1.0]]),
        "theta": (("chain", "draw"), [[0.5, 0.6]]),
    })  # fmt: skip
    found = log_prior_of(drawn, 0.5)
    assert list(found) == ["concentration", "ease"]
    np.testing.assert_allclose(found["concentration"][0], np.log(flexible_law.ALPHAS_PRIOR[:2]))
    np.testing.assert_allclose(found["ease"][0], stats.norm.logpdf([0.5, -1.0]))
