"""Davidson's, Plackett-Luce's and PMRA's posteriors without PyMC, against its models."""

import subprocess
import sys
import warnings

import numpy as np
import pytest

import leaderbayes as lb
from agreement import DIMS, UNITS, agree
from conftest import simulate
from leaderbayes._inference import fit as module

MODELS = ("davidson", "plackett_luce", "round_intercept")


@pytest.fixture(scope="module")
def scores():
    made = simulate([1.5, 0.5, 0.0, -0.3, -1.5], 14, np.random.default_rng(5))
    return np.round(made * 1.5) / 1.5  # some tie


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_agrees_with_pymc(scores, model, monkeypatch):
    """By walks, by NUTS from the function, and by NUTS of PyMC's model; all groups the same."""
    by_walks = lb.fit(scores, model, seed=1, prior=True)
    by_function = lb.fit(scores, model, seed=1, sampler="nutpie", progressbar=False)
    monkeypatch.setattr(module, "WITHOUT_PYMC", ())
    with warnings.catch_warnings():
        # PMRA's, with the rounds' intercepts, diverge where these hardly differ.
        warnings.simplefilter("ignore", lb.ConvergenceWarning)
        by_model = lb.fit(scores, model, seed=1, sampler="nutpie", prior=True, progressbar=False)
    assert by_walks.attrs["sampler"] == "laplace"
    assert by_walks.attrs["converged"] == by_function.attrs["converged"] == 1
    agree(by_walks, by_model)
    agree(by_function, by_model)
    for name, group in by_model.children.items():
        if name == "sample_stats":
            continue
        own, known = by_walks[name].to_dataset(), group.to_dataset()
        assert set(own.data_vars) == set(known.data_vars) - UNITS
        for variable, value in own.data_vars.items():
            assert value.sizes == known[variable].sizes
    for name in ("log_likelihood", "log_prior"):
        for variable, value in by_walks[name].data_vars.items():
            own = value.sum([dim for dim in value.dims if dim not in DIMS])
            known = by_model[name][variable]
            known = known.sum([dim for dim in known.dims if dim not in DIMS])
            gap = abs(float(own.mean() - known.mean()))
            assert gap < 6.0 * float(known.std()) / np.sqrt(by_model.attrs["min_ess"]) + 1e-9
    replicates = [dt["posterior_predictive"].to_dataset() for dt in (by_walks, by_model)]
    first = [
        float((each["outcome"] == 2).mean())
        if "outcome" in each
        else float((each["place"] == 1).isel(player=0).mean())
        for each in replicates
    ]
    assert first[0] == pytest.approx(first[1], abs=0.02)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.slow
def test_without_pymc(model):
    code = (
        "import sys, leaderbayes as lb\n"
        f"dt = lb.fit(lb.datasets.load('classifiers', 'breast_cancer'), {model!r}, seed=1)\n"
        "assert dt.attrs['converged'] == 1\n"
        "assert 'pymc' not in sys.modules and 'pytensor' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)


def few(players, rounds, seed, digits):
    """Scores of few rounds, which leave open whether players differ at all."""
    rng = np.random.default_rng(seed)
    made = simulate(rng.standard_normal(players), rounds, rng)
    return np.round(made / digits) * digits


@pytest.mark.parametrize("model", MODELS)
def test_boards_that_leave_the_scale_open(model):
    """One law of all coordinates does not do there: those of each scale do, without NUTS."""
    dt = lb.fit(few(3, 3, 2, 1.0), model, draws=250, seed=1, progressbar=False)
    assert (dt.attrs["sampler"], dt.attrs["converged"]) == ("laplace", 1)
    assert dt.attrs["pareto_k"] < 0.7


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "players", "rounds"),
    [
        ("davidson", 3, 3),
        ("davidson", 12, 5),
        ("davidson", 20, 20),
        ("plackett_luce", 8, 3),
        ("round_intercept", 3, 2),
    ],
)
def test_few_rounds_agree_with_nuts(model, players, rounds):
    scores = few(players, rounds, 1, 1.0)
    by_walks = lb.fit(scores, model, seed=1, replicates=50, progressbar=False)
    assert by_walks.attrs["sampler"] == "laplace"
    options = {"sampler": "nutpie", "draws": 4000, "replicates": 50}
    agree(by_walks, lb.fit(scores, model, seed=2, progressbar=False, **options))


def test_many_players_have_no_table_of_pairs():
    """Where to sample is then told by ranks alone."""
    from leaderbayes._inference import rankings

    place = np.argsort(np.random.default_rng(1).random((3, 1200)), axis=1) + 1
    at = rankings._where(place.astype(np.int32), np.ones(3), True, 2.0, 2.0)
    assert at.start.shape == (1201,)
    assert (at.centring == at.centring[0]).all()


@pytest.mark.parametrize("model", ["bradley_terry", *MODELS])
def test_replicates_are_of_the_draws_that_they_name(scores, model):
    """Every 20th of 25 draws a chain: the first and the 21st, and no other."""
    dt = lb.fit(scores, model, draws=25, chains=4, replicates=5, seed=1, sampler="laplace")
    assert list(dt["posterior_predictive"]["draw"]) == [0, 20]
