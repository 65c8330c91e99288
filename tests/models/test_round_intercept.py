"""PMRA: agreement with lme4, and what the order of the players does."""

import warnings

import numpy as np
import pytest

import leaderbayes as lb
from conftest import simulate
from graphs import AS_IT_STANDS


def mode(model):
    """Posterior mode, with every parameter free."""
    import pymc as pm

    with model, warnings.catch_warnings():
        # The dict that it returns is what is wanted here.
        warnings.simplefilter("ignore", FutureWarning)
        return pm.find_MAP(progressbar=False, method="L-BFGS-B", maxiter=50_000)


@pytest.mark.slow
def test_mode_agrees_with_lme4(reference):
    scores = reference("pmra/scores.csv")
    published = reference("pmra/lme4_fixed_effects.csv")
    names = sorted((str(p) for p in scores["player"].values), key=str.lower)
    order = [n for n in names if n in published.index or n == "knn9"]
    model = lb.models.round_intercept(
        lb.matches(scores, ties="loss"),
        order=order,
        prior_scale=100.0,
        intercept_scale=10.0,
        centring=0.0,
    )
    found = mode(model)
    epp = dict(zip(scores["player"].values, found["epp"] - found["epp"].mean(), strict=True))
    gap = np.array([epp[p] - epp["knn9"] for p in published.index[1:]])
    # A tenth of the standard error, which is the posterior sd under flat priors.
    assert (np.abs(gap - published["Estimate"][1:]) < published["Std. Error"][1:] / 10).all()
    assert found["intercept"] == pytest.approx(0.0622, abs=0.016)
    # s at the joint mode of all u_k is not comparable: lme4 integrates over them.


@pytest.mark.slow
def test_order_of_players_changes_the_result_and_bradley_terry_has_none():
    rng = np.random.default_rng(2)
    matches = lb.matches(simulate([1.0, 0.5, 0.0, -1.5], 8, rng))
    names = list(matches["player"].values)
    forward, backward, mixed = (
        mode(lb.models.round_intercept(matches, order=order))["epp"]
        for order in (names, names[::-1], [names[i] for i in (2, 0, 3, 1)])
    )
    # The mirror image is the same model with the intercept's sign turned; another order is not.
    np.testing.assert_allclose(forward, backward, atol=1e-3)
    assert np.abs(forward - mixed).max() > 0.02


def test_without_intercepts_it_is_bradley_terry():
    rng = np.random.default_rng(2)
    matches = lb.matches(simulate([1.0, 0.5, 0.0, -1.5], 8, rng))
    plain = lb.models.bradley_terry(matches, weight=1.0, centring=0.5)
    order_free = lb.models.round_intercept(matches, centring=0.5)
    wanted = order_free.replace_rvs_by_values([order_free["epp"]])
    strengths = order_free.compile_fn(
        wanted,
        inputs=order_free.value_vars,
        point_fn=True,
        on_unused_input="ignore",
        mode=AS_IT_STANDS,
    )
    of = [m.compile_logp(vars=[m.observed_RVs[0]], mode=AS_IT_STANDS) for m in (plain, order_free)]
    values = []
    for _ in range(5):
        none = {k: np.zeros(np.shape(v)) for k, v in order_free.initial_point().items()}
        # s = e^-60: no round effect whatever the unit.
        none |= {
            "intercept_scale_log__": np.array(-60.0),
            "epp_scale_log__": rng.normal(),
            "epp_unit_zerosum__": rng.normal(size=3),
        }
        # The strengths' laws differ, and what they are sampled by.
        unit = strengths(none)[0] / np.exp(0.5 * none["epp_scale_log__"])
        point = {"epp_scale_log__": none["epp_scale_log__"], "epp_unit": unit}
        values.append([of[0](point), of[1](none)])
    np.testing.assert_allclose(*np.transpose(values), atol=1e-8)


def test_bad_order():
    matches = lb.matches(simulate([0.0, 0.0], 12, np.random.default_rng(0)))
    with pytest.raises(lb.LeaderbayesError, match="order lacks 'p1'"):
        lb.models.round_intercept(matches, order=["p0"])
    with pytest.raises(lb.LeaderbayesError, match="order has 'p2'"):
        lb.models.round_intercept(matches, order=["p0", "p1", "p2"])


def test_ties_as_losses_are_the_first_listed_players():
    """The rule changes outcomes of ties, and nothing else of the model."""
    tied = simulate([1.0, 0.5, 0.0, -1.5], 8, np.random.default_rng(2)).round()
    half, loss = (
        lb.models.round_intercept(lb.matches(tied, ties=ties)) for ties in ("half", "loss")
    )
    observed = [m.rvs_to_values[m["outcome"]].data for m in (half, loss)]
    assert (observed[0] == 1).any()
    np.testing.assert_array_equal(np.where(observed[0] == 1, 0, observed[0]), observed[1])
