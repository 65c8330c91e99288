"""Probabilities of ranks, against their definition."""

import numpy as np
import pytest

import leaderbayes as lb


def test_rank_probability_and_top(dt):
    share = lb.rank_probability(dt)
    np.testing.assert_allclose(share.sum("rank"), 1.0)
    np.testing.assert_allclose(share.sum("player"), 1.0)
    best = lb.leaderboard(dt).set_index("player")["p_best"]
    assert float(share.sel(player="p1", rank=1)) == pytest.approx(best["p1"])
    top = lb.p_top(dt, 2)
    assert top.sum() == pytest.approx(2.0)
    assert top["p1"] == pytest.approx(float(share.sel(player="p1", rank=[1, 2]).sum()))
    assert lb.p_top(dt, 5).eq(1.0).all()
    with pytest.raises(lb.LeaderbayesError, match="from 1 up to 5"):
        lb.p_top(dt, 6)
