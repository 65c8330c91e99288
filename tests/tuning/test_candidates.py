import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderbayes import LeaderbayesError
from leaderbayes.tuning._candidates import Refined, key_of, name_of


def test_a_grid_is_refined_by_half_a_step_and_then_by_a_quarter():
    propose = Refined([{"a": [0.0, 1.0, 2.0]}], None)
    assert propose([]) == [{"a": 0.0}, {"a": 1.0}, {"a": 2.0}]
    assert propose([{"a": 1.0}]) == [{"a": 0.5}, {"a": 1.5}]
    assert propose([{"a": 1.5}, {"a": 1.0}]) == [
        {"a": 1.25}, {"a": 1.75}, {"a": 0.75},
    ]  # fmt: skip


def test_a_grid_of_powers_is_refined_on_their_scale():
    propose = Refined([{"C": [0.01, 1.0, 100.0]}], None)
    propose([])
    assert propose([{"C": 1.0}]) == [{"C": 0.1}, {"C": 10.0}]


def test_two_values_are_powers_if_they_are_ten_times_apart():
    for values, between in (([1.0, 100.0], 10.0), ([1.0, 3.0], 2.0), ([0.0, 100.0], 50.0)):
        propose = Refined([{"a": values}], None)
        propose([])
        # Beyond the grid's end there is nothing.
        assert propose([{"a": values[0]}]) == [{"a": between}]


def test_counts_stay_counts_until_nothing_is_left_between_them():
    propose = Refined([{"depth": [2, 6]}], None)
    propose([])
    assert propose([{"depth": 2}]) == [{"depth": 4}]
    assert propose([{"depth": 4}]) == [{"depth": 3}, {"depth": 5}]
    assert propose([{"depth": 4}, {"depth": 3}]) == []


def test_what_is_no_number_stays_as_it_is():
    grid = {"depth": [None, 2, 4], "kernel": ["rbf", "linear"], "flag": [True, False]}
    propose = Refined([grid], None)
    assert len(propose([])) == 12
    centre = {"depth": 2, "kernel": "rbf", "flag": True}
    assert propose([centre]) == [centre | {"depth": 3}]
    assert propose([centre | {"depth": None}]) == []


def test_points_around_the_best_come_first_and_axes_before_diagonals():
    grid = {"a": [0.0, 8.0], "b": [0.0, 8.0]}
    first, second = {"a": 0.0, "b": 0.0}, {"a": 8.0, "b": 8.0}
    propose = Refined([grid], 5)
    propose([])
    assert propose([first, second]) == [
        {"a": 4.0, "b": 0.0}, {"a": 0.0, "b": 4.0}, {"a": 4.0, "b": 8.0}, {"a": 8.0, "b": 4.0},
        {"a": 4.0, "b": 4.0},
    ]  # fmt: skip


def test_each_of_several_grids_is_refined_by_its_own_steps():
    grids = [{"kernel": ["rbf"], "C": [1.0, 3.0]}, {"kernel": ["poly"], "degree": [2, 4]}]
    propose = Refined(grids, None)
    assert len(propose([])) == 4
    tied = [{"kernel": "poly", "degree": 2}, {"kernel": "rbf", "C": 3.0}]
    assert propose(tied) == [{"kernel": "poly", "degree": 3}, {"kernel": "rbf", "C": 2.0}]


def test_a_grid_that_is_refined_is_finite():
    with pytest.raises(LeaderbayesError, match="'a' has a value"):
        Refined([{"a": [0.0, np.inf]}], None)


@given(
    st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=5, unique=True),
    st.lists(st.integers(-50, 50), min_size=2, max_size=5, unique=True),
    st.integers(0, 2**32 - 1),
)
def test_refined_candidates_are_new_and_within_the_grid(floats, counts, seed):
    rng = np.random.default_rng(seed)
    propose = Refined([{"x": floats, "k": counts}], None)
    made = propose([])
    seen = {key_of(point) for point in made}
    for _ in range(4):
        tied = [made[i] for i in rng.permutation(len(made))[:3]]
        new = propose(tied)
        assert len(new) <= len(floats) * len(counts)
        assert all(min(floats) <= p["x"] <= max(floats) for p in new)
        assert all(min(counts) <= p["k"] <= max(counts) for p in new)
        assert all(isinstance(p["k"], int) for p in new)
        keys = {key_of(point) for point in new}
        assert len(keys) == len(new)
        assert not keys & seen
        seen |= keys
        made += new


def test_names_say_the_parameters():
    assert name_of({"C": 1 / 3, "kernel": "rbf"}) == "C=0.3333, kernel=rbf"
