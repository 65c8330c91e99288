"""Plackett-Luce: stages by hand, and replicates with the ties of the board."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board
from graphs import AS_IT_STANDS


def test_stages_of_rankings_with_missing_players():
    scores = board([[3.0, np.nan, 1.0], [2.0, 2.0, 3.0], [1.0, 1.0, 2.0]])
    model = lb.models.plackett_luce(lb.matches(scores, pairs=False), centring=0.0)
    (graph,) = model.logp(vars=[model["place"]], sum=False)
    (value,) = model.replace_rvs_by_values([model["epp"]])
    function = model.compile_fn(
        [value, graph], inputs=model.value_vars, point_fn=True, mode=AS_IT_STANDS
    )
    rng = np.random.default_rng(3)
    point = {k: rng.normal(size=np.shape(v)) for k, v in model.initial_point().items()}
    b, found = function(point)
    for order, seen in zip(([0, 1, 2], [1, 2], [1, 2, 0]), found, strict=True):
        stages = [b[order[k]] - np.log(np.exp(b[order[k:]]).sum()) for k in range(len(order))]
        assert seen == pytest.approx(sum(stages))


def test_replicates_have_the_ties_and_players_of_each_round(tied_scores):
    import pymc as pm

    matches = lb.matches(tied_scores)
    with lb.models.plackett_luce(matches) as model:
        place = pm.draw(model["place"], 4, random_seed=1, mode=AS_IT_STANDS)
    observed = np.sort(matches["place"].to_numpy(), axis=1)
    for drawn in place:
        np.testing.assert_array_equal(np.sort(drawn, axis=1), observed)
    assert not (place == place[0]).all()


@pytest.mark.parametrize("weight", ["composite", 0.0, 1.5])
def test_bad_weights(weight, tied_scores):
    with pytest.raises(lb.LeaderbayesError, match="its power is 1"):
        lb.models.plackett_luce(lb.matches(tied_scores), weight=weight)
