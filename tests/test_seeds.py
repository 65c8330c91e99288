"""What is drawn at random: nobody's seed is fixed, every seed is recorded, and repeats."""

import inspect

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import simulate
from public_names import FUNCTIONS, look_up

SEEDED = [
    name
    for name in FUNCTIONS
    if "seed" in inspect.signature(look_up(name)).parameters
    and not name.startswith("sota.")  # of which its own tests tell
]
SCORES = simulate([1.0, 0.3, 0.0, -1.0], 12, np.random.default_rng(0))
MATCHES = lb.matches(SCORES)
FIT = lb.fit(SCORES[:3], sampler="metropolis", draws=30, seed=1)


def fitted(seed):
    return lb.fit(SCORES, sampler="metropolis", draws=30, seed=seed)


DRAWN = {
    "fit": fitted,
    "elo": lambda seed: lb.elo(SCORES, orders=3, seed=seed),
    "check": lambda seed: lb.check(FIT, draws=5, seed=seed),
    "plan": lambda seed: lb.plan(FIT, rounds=(5,), seed=seed),
    "sensitivity": lambda seed: lb.sensitivity(
        SCORES, models=("bradley_terry",), priors=(1.0,), rounds=False, seed=seed
    ),
    "likelihood.bootstrap": lambda seed: lb.likelihood.bootstrap(
        MATCHES, replicates=20, pseudo_rounds=1.0, seed=seed
    ),
}


def numbers(made):
    """All that was drawn, to compare."""
    if isinstance(made, xr.DataTree):
        made = made["posterior"].to_dataset()
    return made.to_dict() if hasattr(made, "to_dict") else made


@pytest.mark.parametrize("name", SEEDED)
def test_no_seed_is_the_default(name):
    assert inspect.signature(look_up(name)).parameters["seed"].default is None


# Of any seed: by some a few draws are too few, which is said, and repeats, too.
@pytest.mark.filterwarnings("ignore:LB001:leaderbayes.LeaderbayesWarning")
@pytest.mark.parametrize("name", DRAWN)
def test_the_seed_that_was_drawn_repeats(name):
    made, other = DRAWN[name](None), DRAWN[name](None)
    seed = made.attrs["seed"]
    assert type(seed) is int
    assert seed != other.attrs["seed"]
    np.testing.assert_equal(numbers(DRAWN[name](seed)), numbers(made))
