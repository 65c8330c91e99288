"""How NUTS is set for boards of every size, and that it tries once more."""

import warnings

import nutpie
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._inference.nuts import adaptation


@pytest.mark.parametrize(
    ("parameters", "accept", "matrix"), [(150, 0.97, "low_rank"), (151, 0.9, "diag")]
)
def test_a_low_rank_matrix_while_it_pays(parameters, accept, matrix):
    nuts = adaptation(parameters, "nutpie")
    assert nuts == {"target_accept": accept, "adaptation": matrix}


def test_other_samplers_have_no_such_matrix():
    assert adaptation(10, "pymc") == {"target_accept": 0.97}
    assert adaptation(10, "pymc", 0.8) == {"target_accept": 0.8}


@pytest.fixture
def asked(monkeypatch):
    """What chains were asked for; the first ones diverge."""
    calls = []

    def diverging(model, *, tune, target_accept, **options):
        calls.append((tune, round(target_accept, 3)))
        tree = real(model, tune=tune, target_accept=target_accept, **options)
        if len(calls) == 1:
            stats = tree["sample_stats"].to_dataset()
            tree["sample_stats"] = xr.DataTree(
                stats.assign(diverging=xr.ones_like(stats["diverging"]))
            )
        return tree

    real = nutpie.sample
    monkeypatch.setattr(nutpie, "sample", diverging)
    return calls


@pytest.mark.slow
def test_chains_that_diverged_are_drawn_again(asked, scores):
    with warnings.catch_warnings():
        warnings.simplefilter("error", lb.ConvergenceWarning)
        dt = lb.fit(scores, sampler="nutpie", seed=1, progressbar=False)
    assert asked == [(1000, 0.97), (3000, 0.99)]
    assert (dt.attrs["tune"], dt.attrs["converged"]) == (3000, 1)


@pytest.mark.parametrize("options", [{"tune": 400}, {"draws": 100}])
def test_but_not_where_tune_was_asked_for_or_draws_are_few(asked, scores, options):
    with pytest.warns(lb.ConvergenceWarning, match="LB001"):
        lb.fit(scores, sampler="nutpie", seed=1, progressbar=False, **options)
    assert len(asked) == 1
