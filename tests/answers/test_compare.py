"""Two players, against the definition."""

import numpy as np
import pytest
from scipy.special import expit

import leaderbayes as lb
from conftest import flat


def test_compare(dt):
    result = lb.compare(dt, "p0", "p1", rope=0.05)
    gap = flat(dt)[:, 0] - flat(dt)[:, 1]
    inside = np.abs(expit(gap) - 0.5) <= 0.05
    assert result["p_equivalent"] == pytest.approx(inside.mean())
    assert result["p_better"] == pytest.approx(((gap > 0) & ~inside).mean())
    assert result["p_better"] + result["p_equivalent"] + result["p_worse"] == pytest.approx(1.0)
    back = lb.compare(dt, "p1", "p0", rope=0.05)
    assert back["win_probability"] == pytest.approx(1 - float(result["win_probability"]))
    assert lb.compare(dt, "p0", "p1")["p_equivalent"] == 0
    assert result.attrs["converged"]


def test_bad_options(dt):
    for function in (lb.leaderboard, lb.win_probability, lb.groups, lb.tied_for_top):
        with pytest.raises(lb.LeaderbayesError, match=r"prob=1\.5"):
            function(dt, prob=1.5)
    with pytest.raises(lb.LeaderbayesError, match=r"rope=0\.5"):
        lb.compare(dt, "p0", "p1", rope=0.5)
    with pytest.raises(lb.LeaderbayesError, match="compared with itself"):
        lb.compare(dt, "p0", "p0")
    with pytest.raises(lb.LeaderbayesError, match="no player 'p9' among the 5; did you mean"):
        lb.compare(dt, "p9", "p0")


def test_players_go_by_name(dt):
    for a, b in ((0, 1), (np.array(["p0", "p1"]), "p1"), (None, None), (["p0"], "p1")):
        with pytest.raises(lb.LeaderbayesError, match="no name of a player: give one of the 5"):
            lb.compare(dt, a, b)
