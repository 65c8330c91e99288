"""The fast engine's posterior is that of long chains of PyMC's NUTS, tails included."""

import warnings

import numpy as np
import pytest

import leaderbayes as lb
from conftest import simulate
from leaderbayes.models._registry import MODELS

pytestmark = pytest.mark.slow


def dominant(rng):
    """Twelve players, of whom one is far ahead."""
    return simulate(np.append(np.linspace(1.0, -1.0, 11), 7.0), 12, rng)


BOARDS = {
    "plain": lambda rng: simulate(np.linspace(1.5, -1.5, 8), 10, rng),
    "few rounds": lambda rng: simulate(np.linspace(1.0, -1.0, 5), 3, rng),
    "dominant": dominant,
    "ties": lambda rng: (simulate(np.linspace(1.5, -1.5, 6), 12, rng) / 1.5).round(),
}


@pytest.mark.parametrize("kind", BOARDS)
@pytest.mark.parametrize("name", ["bradley_terry", "davidson", "plackett_luce", "round_intercept"])
def test_means_and_ends_of_intervals(name, kind):
    import pymc as pm

    made = BOARDS[kind](np.random.default_rng(8))
    scores = made.assign_attrs(higher_is_better=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fast = lb.fit(scores, name, seed=1, draws=5000, progressbar=False)
        with MODELS[name].build(lb.matches(scores)):
            slow = pm.sample(
                5000, tune=2000, chains=4, random_seed=2, progressbar=False, quiet=True,
                nuts={"target_accept": 0.97},
            )  # fmt: skip
    assert fast.attrs["sampler"] == "metropolis"
    assert fast.attrs["converged"]
    for variable in fast["posterior"].data_vars:
        both = [dt["posterior"][variable] for dt in (fast, slow)]
        for q in (0.025, 0.5, 0.975):
            one, other = (x.quantile(q, ("chain", "draw")).to_numpy() for x in both)
            # Monte Carlo error of either: that of a long tail's end is large.
            errors = [error_of(x, q) for x in both]
            assert (abs(one - other) < 4.5 * np.hypot(*errors)).all(), (variable, q)


def error_of(draws, q):
    """Monte Carlo standard errors of a quantile, also of chains that seldom come to a funnel."""
    import arviz as az

    each = draws.quantile(q, "draw").std("chain", ddof=1) / np.sqrt(draws.sizes["chain"])
    return np.maximum(az.mcse(draws, method="quantile", prob=q), each)
