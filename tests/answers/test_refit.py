"""A fit without some data is the fit of the rest."""

import numpy as np
import pytest

import leaderbayes as lb
from leaderbayes._answers.refit import leader_without, without
from votes import draw, fit


@pytest.fixture(scope="module")
def scores():
    return lb.datasets.load("classifiers", "breast_cancer")


def test_scores_without_rounds(scores):
    dt = lb.fit(scores, sampler="laplace", seed=1, ties="drop", test_fraction=0.2)
    gone = scores["round"].to_numpy()[:4].tolist()
    again = without(dt, "round", gone)
    direct = lb.fit(
        scores.drop_sel(round=gone), sampler="laplace", seed=1, ties="drop", test_fraction=0.2
    )
    np.testing.assert_array_equal(again["posterior"]["epp"], direct["posterior"]["epp"])
    first = leader_without(dt, "round", gone)
    epp = direct["posterior"]["epp"].mean(("chain", "draw"))
    assert first.first == str(epp.idxmax().item())
    assert 0.5 < first.p <= 1.0


@pytest.mark.parametrize("of", ["raw", "standardised"])
def test_mean_scores_are_not_taken_of_twice(scores, of):
    dt = lb.fit(scores, "mean_score", of=of, prior_scale=np.inf, seed=1)
    gone = scores["round"].to_numpy()[:4].tolist()
    again = without(dt, "round", gone)
    kept = dt["constant_data"]["scores"].drop_sel(round=gone)
    np.testing.assert_allclose(
        again["posterior"]["score"].mean(("chain", "draw")), kept.mean("round"), atol=0.05
    )


def test_votes_without_a_judge():
    votes = draw(np.array([0.5, 0.0, -0.5]), 600, np.random.default_rng(1))
    dt = fit(votes, order_effect=True)
    judge = str(votes["judge"].to_numpy()[0])
    again = without(dt, "judge", [judge])
    direct = fit(votes.isel(vote=votes["judge"].to_numpy() != judge), order_effect=True)
    np.testing.assert_allclose(
        again["posterior"]["epp"].mean(("chain", "draw")),
        direct["posterior"]["epp"].mean(("chain", "draw")),
        atol=0.02,
    )


def test_nothing_is_left(scores):
    dt = lb.fit(scores, sampler="laplace", seed=1)
    assert leader_without(dt, "round", scores["round"].to_numpy().tolist()) is None
