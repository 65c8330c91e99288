"""Many tournaments: zero sums by an orthonormal map, groups, and what cannot be compared."""

import numpy as np
import pytensor.tensor as pt
import pytest

import leaderbayes as lb
from conftest import board
from graphs import AS_IT_STANDS
from leaderbayes.models._tournaments import _extend, _reduce


def test_zero_sums_by_an_orthonormal_map():
    """Rows of 3, 1 and 2 cells have 2, 0 and 1 free values."""
    row, free = np.array([0, 0, 0, 1, 2, 2]), np.random.default_rng(0).normal(size=3)
    values = _extend(pt.constant(free), row)
    found = values.eval()
    np.testing.assert_allclose(np.bincount(row, found), 0.0, atol=1e-12)
    np.testing.assert_allclose(np.sum(found**2), np.sum(free**2))
    np.testing.assert_allclose(_reduce(values, row).eval(), free)


def test_strengths_sum_to_zero_over_those_present(tournaments):
    """And an absent player has its expectation."""
    model = lb.models.tournaments(lb.matches(tournaments))
    both = model.replace_rvs_by_values([model["epp_tournament"], model["epp"]])
    function = model.compile_fn(both, inputs=model.value_vars, point_fn=True, mode=AS_IT_STANDS)
    rng = np.random.default_rng(1)
    point = {k: rng.normal(size=np.shape(v)) for k, v in model.initial_point().items()}
    each, mean = function(point)
    present = tournaments.notnull().any("round").to_numpy()
    np.testing.assert_allclose((each * present).sum(axis=1), 0.0, atol=1e-9)
    assert not present[1, 4]
    assert each[1, 4] == pytest.approx(mean[4] - mean[:4].mean())


def test_a_tournament_of_one_player(tournaments):
    alone = tournaments.copy()
    alone[2, 1:] = np.nan
    with pytest.raises(lb.LeaderbayesError, match="'data 2' has scores of one player only"):
        lb.models.tournaments(lb.matches(alone))


def test_groups_are_a_further_level(tournaments):
    groups = {"p0": "a", "p1": "a", "p2": "b", "p3": "b", "p4": "b"}
    model = lb.models.tournaments(lb.matches(tournaments), groups=groups)
    assert list(model.coords["group"]) == ["a", "b"]
    assert np.isfinite(model.compile_logp(mode=AS_IT_STANDS)(model.initial_point()))
    del groups["p4"]
    with pytest.raises(lb.LeaderbayesError, match="'p4' has none"):
        lb.models.tournaments(lb.matches(tournaments), groups=groups)


def test_groups_of_one_name_are_none(tournaments):
    with pytest.raises(lb.LeaderbayesError, match="all players are in 'a'"):
        lb.models.tournaments(
            lb.matches(tournaments), groups=dict.fromkeys(map("p{}".format, range(5)), "a")
        )


def test_one_board_is_refused():
    with pytest.raises(lb.LeaderbayesError, match="needs matches of several tournaments"):
        lb.models.tournaments(lb.matches(board([[1.0, 2.0], [2.0, 1.0]])))
