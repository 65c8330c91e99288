"""Win probabilities of all pairs, against their definition."""

import numpy as np
import pytest
from scipy.special import expit

import leaderbayes as lb
from conftest import flat, tree


def test_win_probability(dt):
    wins = lb.win_probability(dt)
    epp = flat(dt)
    gap = epp[:, 0] - epp[:, 3]
    cell = wins.sel(player="p0", opponent="p3")
    assert float(cell["mean"]) == pytest.approx(expit(gap).mean())
    assert float(cell["lower"]) == pytest.approx(np.quantile(expit(gap), 0.025), abs=1e-3)
    np.testing.assert_allclose(wins["mean"] + wins["mean"].values.T, 1.0)
    np.testing.assert_allclose(np.diag(wins["mean"]), 0.5)
    assert wins.attrs["draws_used"] == 800


def test_win_probability_of_many_players_is_thinned(monkeypatch):
    # A budget for 300 draws of 100 players, as the real one has for 800 of 5000.
    monkeypatch.setattr("leaderbayes._answers.win_probability._PAIR_VALUES", 300 * 100**2)
    epp = np.random.default_rng(1).normal(size=(1, 2000, 100))
    wins = lb.win_probability(tree(epp))
    assert wins.attrs["draws_used"] == 300
    assert wins["mean"].shape == (100, 100)
