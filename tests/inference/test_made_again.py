"""What is left out of a store is made again as it was, whichever way the fit was made."""

import pickle

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import simulate
from leaderbayes._inference.made_again import GROUPS, left_out, made_again
from votes import draw

OPTIONS = {
    "as it is": {},
    "few replicates": {"replicates": 30},
    "ties dropped, weighted": {"ties": "drop", "test_fraction": 0.2},
    "across rounds": {"within_round": False},
    "short chains": {"sampler": "laplace", "draws": 50, "chains": 3},
    "NUTS": {"sampler": "nutpie", "draws": 100, "tune": 200},
}


@pytest.fixture(scope="module")
def scores():
    """Six players, some missing, some tied."""
    values = np.round(simulate(np.linspace(-1, 1, 6), 7, np.random.default_rng(1)), 1)
    values[0, :2] = np.nan
    return values


def again(dt):
    groups = {name: node.to_dataset() for name, node in dt.children.items()}
    for group in left_out(dt):
        del groups[group]
    made = made_again(dt.attrs, groups)
    assert list(made) == list(left_out(dt)) == list(GROUPS)
    return made


@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_groups_are_those_that_were_left_out(scores, options):
    dt = lb.fit(scores, seed=5, **options)
    for group, made in again(dt).items():
        assert not made["place"].variable._in_memory
        assert made.identical(dt[group].to_dataset())


def test_some_are_made_without_the_others_and_elsewhere(scores):
    dt = lb.fit(scores, seed=5)
    for group, made in pickle.loads(pickle.dumps(again(dt))).items():
        own, other = (one["place"].isel(draw=slice(3, 90, 7)) for one in (made, dt[group]))
        np.testing.assert_array_equal(own, other)


@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
def test_of_other_fits_nothing_is_left_out(scores):
    votes = draw(np.array([1.0, 0.0, -1.0]), 60, np.random.default_rng(1), judges=10)
    for dt in (
        lb.fit(scores, "plackett_luce", seed=1, draws=100, replicates=10),
        lb.fit(votes, seed=1, draws=100),
    ):
        assert left_out(dt) == ()
        assert made_again(dt.attrs, dict(dt.children)) == {}
    assert left_out(xr.DataTree()) == ()


def test_a_fit_that_has_them_keeps_them(scores):
    dt = lb.fit(scores, seed=5)
    assert made_again(dt.attrs, dict(dt.children)) == {}
