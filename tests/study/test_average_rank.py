"""Ranks, across tournaments."""

import numpy as np
import pytest

import leaderbayes as lb


def test_against_the_ranks_of_each(study):
    made = lb.study.average_rank(study, prob=0.8)
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
    # The last player took part in three of four.
    for player, of in (("p0", ranks), ("p5", ranks.keys() - {"three"})):
        mean = np.mean([float(ranks[name].sel(player=player)) for name in of])
        assert float(made["average_rank"].sel(player=player)) == pytest.approx(mean)
    # Intervals of a mean over tournaments are narrower.
    width = made["average_rank_upper"] - made["average_rank_lower"]
    own = (made["rank_upper"] - made["rank_lower"]).mean("tournament")
    assert (width <= own).all()
    assert (width < own).sum() == 4
    assert made.attrs == {"prob": 0.8, "converged": 1, "warnings": "[]"}
    with pytest.raises(lb.LeaderbayesError, match="prob=0"):
        lb.study.average_rank(study, prob=0.0)


def test_first_is_who_is_best_in_the_metrics_direction(study_of_scores):
    """Least mistakes rank first; of all three tournaments the ranks of p1 are in the middle."""
    rank = lb.study.average_rank(study_of_scores)["rank"]
    assert rank.sel(tournament="reading").idxmin("player").item() == "p0"
    assert rank.sel(tournament="code/2").idxmin("player").item() == "p3"
    np.testing.assert_allclose(rank.sum("player"), [10.0, 6.0, 10.0])


def test_of_one_fit_of_many(study_of_scores):
    """Of a study and of a fit of all tournaments the same columns."""
    scores = lb.datasets.load("classifiers").isel(player=slice(0, 4), tournament=slice(0, 3))
    fit = lb.fit(scores, "score_tournaments", test_fraction=0.2, seed=1)
    made = lb.study.average_rank(fit)
    assert set(made) == set(lb.study.average_rank(study_of_scores))
    assert list(made["tournament"].to_numpy()) == list(scores["tournament"].to_numpy())
    np.testing.assert_allclose(made["rank"].sum("player"), 10.0)
