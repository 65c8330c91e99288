"""Predictive accuracy on rounds left out, the log-likelihood by round, and the deviance."""

import numpy as np
import pytest
import xarray as xr
from scipy.special import expit

import leaderbayes as lb
from answers.conftest import fit
from conftest import flat, simulate
from leaderbayes._answers.loo import event_scores, refitted_without
from leaderbayes._fits.posterior import Posterior

# Ten rounds of six players: one may well count too much to be left out by reweighting.
high_pareto_k = pytest.mark.filterwarnings("ignore:LB013:leaderbayes.LeaderbayesWarning")


@pytest.fixture(scope="module")
def made(scores):
    return fit(scores)


def by_pairs(dt, scores, *, weighted):
    """Log-likelihood of each round (draw, round), match by match; ties half."""
    place = lb.matches(scores, pairs=False)["place"].to_numpy()
    epp = flat(dt)
    out = np.zeros((len(epp), len(place)))
    for k, row in enumerate(place):
        for i in range(len(row)):
            for j in range(i):
                if row[i] > 0 and row[j] > 0:
                    y = 0.5 + 0.5 * np.sign(row[j] - row[i])
                    gap = epp[:, i] - epp[:, j]
                    out[:, k] += y * gap - np.logaddexp(0.0, gap)
    return out * dt["constant_data"]["weight"].to_numpy() if weighted else out


@pytest.mark.parametrize("weight", ["composite", 0.4])
def test_log_likelihood_is_weighted_by_round(tied_scores, weight):
    dt = fit(tied_scores, weight=weight, draws=50)
    found = lb.log_likelihood(dt)
    assert dict(found["place"].sizes) == {"chain": 4, "draw": 50, "round": 10}
    flat_ = found["place"].stack(sample=("chain", "draw")).transpose("sample", "round")
    np.testing.assert_allclose(flat_, by_pairs(dt, tied_scores, weighted=True), atol=1e-10)


def test_log_likelihood_that_is_there_is_returned(scores):
    dt = fit(scores, "plackett_luce", draws=50)
    xr.testing.assert_identical(lb.log_likelihood(dt), dt["log_likelihood"].to_dataset())
    again = dt.copy()
    del again["log_likelihood"]
    xr.testing.assert_allclose(lb.log_likelihood(again)["place"], dt["log_likelihood"]["place"])


def test_a_missing_log_likelihood_is_named(dt):
    with pytest.raises(lb.LeaderbayesError, match=r"constant_data|log_likelihood"):
        lb.log_likelihood(dt)


@pytest.mark.slow
@pytest.mark.parametrize("model", ["bradley_terry", "davidson", "plackett_luce", "round_intercept"])
def test_log_likelihood_is_that_of_the_pymc_model(tied_scores, model):
    import pymc as pm

    dt = fit(tied_scores, model, draws=20, chains=2)
    unit = flat(dt).reshape(2, 20, -1)
    built = getattr(lb.models, model)(lb.matches(tied_scores))
    if "log_likelihood" in dt.children:
        del dt["log_likelihood"]
    with built:
        drawn = pm.sample(20, chains=2, tune=20, progressbar=False, random_seed=1,
                          compute_convergence_checks=False)  # fmt: skip
        pm.compute_log_likelihood(drawn, progressbar=False)
    expected = next(iter(drawn["log_likelihood"].data_vars.values())).to_numpy()
    del drawn["log_likelihood"]
    np.testing.assert_allclose(lb.log_likelihood(drawn)["place"], expected, atol=1e-8)
    assert unit.shape == (2, 20, 6)


def test_score_of_a_round_is_the_sum_over_its_matches(tied_scores):
    """Pair by pair; a tie is half a win; the mean of the probability, not of its logarithm."""
    dt = fit(tied_scores, draws=200)
    place = lb.matches(tied_scores, pairs=False)["place"].to_numpy()
    p = expit(flat(dt)[:, :, None] - flat(dt)[:, None]).mean(axis=0)
    expected, ties = np.zeros(len(place)), 0
    for k, row in enumerate(place):
        for i in range(6):
            for j in range(i):
                if row[i] > 0 and row[j] > 0:
                    y = 0.5 + 0.5 * np.sign(row[j] - row[i])
                    ties += y == 0.5
                    expected[k] += y * np.log(p[i, j]) + (1 - y) * np.log(p[j, i])
    assert ties > 5
    np.testing.assert_allclose(event_scores(Posterior(dt))[1], expected)


def test_weights_pick_the_draws_that_count(made):
    """All weight on one draw: the scores under this draw alone."""
    epp = flat(made)
    at = np.linspace(0, len(epp) - 1, min(1000, len(epp))).astype(int)[3]
    weights = np.full((10, len(epp)), -np.inf)
    weights[:, at] = 0.0
    alone = made.copy()
    alone["posterior"] = made["posterior"].isel(chain=[0], draw=[0])
    alone["posterior"]["epp"][:] = epp[at]
    weighted = event_scores(Posterior(made), weights)[0]
    np.testing.assert_allclose(weighted, event_scores(Posterior(alone))[1])


@high_pareto_k
def test_rounds_left_out_are_predicted_worse(made):
    found, seen = lb.loo(made), event_scores(Posterior(made))[1]
    assert found.elpd == pytest.approx(float(found.elpd_i.sum()))
    assert found.p == pytest.approx(float((seen - found.elpd_i).sum()))
    assert found.p > 0.5
    assert found.se == pytest.approx(np.sqrt(10) * float(found.elpd_i.std()))


@high_pareto_k
@pytest.mark.parametrize("model", ["davidson", "plackett_luce", "round_intercept"])
def test_models_are_scored_on_the_same_event(scores, made, model):
    """On a board that all describe they are about as good, whatever their likelihoods are of."""
    one, other = lb.loo(made), lb.loo(fit(scores, model))
    gap = other.elpd_i - one.elpd_i
    assert abs(float(gap.sum())) < 3.0 * np.sqrt(10) * float(gap.std()) + 1.0


def test_a_round_without_which_the_board_is_fitted_again(made, scores):
    again = refitted_without(Posterior(made), 3)
    assert again.matches()["place"].sizes["round"] == 9
    own = fit(scores.drop_isel(round=3), seed=made.attrs["seed"])
    xr.testing.assert_equal(again.tree["posterior"].dataset, own["posterior"].dataset)


@pytest.mark.slow
def test_refitting_agrees_with_importance_sampling():
    scores = simulate([1.0, 0.5, 0.0, -0.5, -1.0], 40, np.random.default_rng(3))
    left_out, refitted, seen = [], [], []
    for seed in range(8):
        # A weight that is given is that of the fit without a round, too.
        post = Posterior(fit(scores, weight=0.5, seed=seed))
        refitted.append([event_scores(refitted_without(post, k), of=post)[1][k] for k in range(3)])
        left_out.append(lb.loo(post.tree).elpd_i[:3])
        seen.append(event_scores(post)[1][:3])
    # Of one seed the difference has a Monte Carlo error of 0.02 to 0.04; of eight 0.005 to 0.014.
    mean = np.mean(refitted, axis=0)
    np.testing.assert_allclose(np.mean(left_out, axis=0), mean, atol=0.04)
    assert (np.mean(seen, axis=0) - mean > 0.08).all()


def test_what_leaves_no_round_out(scores, made):
    with pytest.raises(lb.LeaderbayesError, match="have no single round"):
        lb.loo(fit(scores, within_round=False))
    kinds = {"fewer than 25 draws": slice(5), "too few different draws": [0] * 1000}
    for said, some in kinds.items():
        few = made.map_over_datasets(lambda ds, at=some: ds.isel(draw=at, missing_dims="ignore"))
        few.attrs = made.attrs
        with pytest.raises(lb.LeaderbayesError, match=said):
            lb.loo(few)
    alone = made.copy(deep=True)
    alone["constant_data"]["scores"].loc[{"player": "p4"}] = [1.0] + [np.nan] * 9
    with pytest.raises(lb.LeaderbayesError, match="'p4' only plays in the round to be left out"):
        refitted_without(Posterior(alone), 0)


def test_deviance(scores, made):
    one, published = lb.deviance(made), lb.deviance(made, convention="published")
    assert (int(one["df"]), one.attrs["at"]) == (10, "maximum likelihood")
    assert published["value"] == pytest.approx(2 * float(one["value"]))
    assert published["df"] == 24
    estimate = lb.likelihood.bradley_terry(lb.matches(scores))
    assert lb.deviance(estimate)["value"] == pytest.approx(float(one["value"]))
    assert lb.deviance(estimate)["p_value"] == pytest.approx(float(one["p_value"]))
    with pytest.raises(lb.LeaderbayesError, match="convention='mine'"):
        lb.deviance(made, convention="mine")


def test_deviance_where_there_is_no_estimate(clear):
    """Whoever always wins has no finite strength: it is evaluated at the posterior mean."""
    found = lb.deviance(clear)
    counts = lb.matches(clear["constant_data"]["scores"])
    mean = flat(clear).mean(axis=0)
    p = expit(mean[:, None] - mean)
    wins = counts["wins"].to_numpy()
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(wins > 0, wins * np.log(wins / counts["n"].to_numpy() / p), 0.0)
    assert found.attrs["at"] == "posterior mean"
    assert float(found["value"]) == pytest.approx(2.0 * each.sum())


def test_deviance_of_ties_and_of_rankings(tied_scores, scores):
    assert int(lb.deviance(fit(tied_scores, "davidson"))["df"]) == 24
    rankings = lb.likelihood.plackett_luce(lb.matches(scores), pseudo_rounds=1.0)
    assert np.isnan(lb.deviance(rankings)["p_value"])
