"""Win probability against the average player, and ranks, across tournaments."""

import numpy as np
import pytest
from scipy.special import expit

import leaderbayes as lb


def test_average_player_against_the_definition(study):
    made = lb.study.average(study, prob=0.8)
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


def test_average_rank_against_the_ranks_of_each(study):
    made = lb.study.average(study, of="rank", prob=0.8)
    ranks = {}
    for name in made["tournament"].to_numpy():
        fit = lb.study.select(study, name)
        table = lb.leaderboard(fit, prob=0.8).set_index("player")
        p = lb.rank_probability(fit)
        ranks[name] = (p * p["rank"]).sum("rank")
        own = made.sel(tournament=name, player=list(table.index))
        np.testing.assert_allclose(own["rank"], ranks[name].sel(player=list(table.index)))
        for end in ("lower", "upper"):
            np.testing.assert_array_equal(own[f"rank_{end}"], table[f"rank_{end}"])
    assert np.isnan(made["rank"].sel(tournament="three", player="p5"))
    for player, of in (("p0", ranks), ("p5", ranks.keys() - {"three"})):
        mean = np.mean([float(ranks[name].sel(player=player)) for name in of])
        assert float(made["average_rank"].sel(player=player)) == pytest.approx(mean)
    width = made["average_rank_upper"] - made["average_rank_lower"]
    assert (width <= (made["rank_upper"] - made["rank_lower"]).mean("tournament")).all()
    assert made.attrs == {"prob": 0.8, "converged": 1, "warnings": "[]"}


@pytest.mark.parametrize("of", ["win", "rank"])
def test_prob_is_a_share(study, of):
    with pytest.raises(lb.LeaderbayesError, match="prob=0"):
        lb.study.average(study, of=of, prob=0.0)


def test_the_least_mistakes_rank_first(study_of_scores):
    """Of all three tournaments the ranks of p1 are in the middle."""
    rank = lb.study.average(study_of_scores, of="rank")["rank"]
    assert rank.sel(tournament="reading").idxmin("player").item() == "p0"
    assert rank.sel(tournament="code/2").idxmin("player").item() == "p3"
    np.testing.assert_allclose(rank.sum("player"), [10.0, 6.0, 10.0])
