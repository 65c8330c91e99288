"""Probability of beating the average player, across tournaments."""

import numpy as np
import pytest
from scipy.special import expit

import leaderbayes as lb


def test_against_the_definition(study):
    made = lb.study.average_player(study, prob=0.8)
    draws = {
        name: expit(fit["posterior"]["epp"].stack(sample=("chain", "draw")))
        for name, fit in zip(made["tournament"].to_numpy(), study.children.values(), strict=True)
    }
    for name, win in draws.items():
        one = made.sel(tournament=name, player=win["player"])
        np.testing.assert_allclose(one["mean"], win.mean("sample"))
        np.testing.assert_allclose(one["upper"], win.quantile(0.9, "sample"))
    assert np.isnan(made["mean"].sel(tournament="three", player="p5"))
    # The last player took part in three of four.
    over = sum(win.sel(player="p5") for name, win in draws.items() if name != "three") / 3.0
    last = made.sel(player="p5")
    assert float(last["overall"]) == pytest.approx(float(over.mean()))
    assert float(last["overall_lower"]) == pytest.approx(float(over.quantile(0.1)))
    # Intervals of a mean over tournaments are narrower.
    width = made["overall_upper"] - made["overall_lower"]
    assert (width < (made["upper"] - made["lower"]).mean("tournament")).all()
    with pytest.raises(lb.LeaderbayesError, match="prob=0"):
        lb.study.average_player(study, prob=0.0)
