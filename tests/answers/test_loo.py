"""Predictive accuracy on rounds left out."""

import numpy as np
import pytest
from scipy.special import expit

import leaderbayes as lb
from conftest import flat, simulate
from leaderbayes._answers.loo import _scores, _without

# Ten rounds of six players: one may well count too much to be left out by reweighting.
high_pareto_k = pytest.mark.filterwarnings(
    "ignore:Estimated shape parameter of Pareto:UserWarning",
    "ignore:LB013:leaderbayes.PredictiveWarning",
)


def test_score_of_a_round_is_the_sum_over_its_matches(tied_scores):
    """Pair by pair; a tie is half a win; the mean of the probability, not of its logarithm."""
    fit = lb.fit(tied_scores, sampler="laplace", draws=200, seed=1)
    place = lb.matches(tied_scores, pairs=False)["place"].transpose("round", "player").to_numpy()
    p = expit(flat(fit)[:, :, None] - flat(fit)[:, None]).mean(axis=0)
    expected = np.zeros(len(place))
    ties = 0
    for k, row in enumerate(place):
        for i in range(6):
            for j in range(i):
                if row[i] > 0 and row[j] > 0:
                    y = 0.5 + 0.5 * np.sign(row[j] - row[i])
                    ties += y == 0.5
                    expected[k] += y * np.log(p[i, j]) + (1 - y) * np.log(p[j, i])
    assert ties > 5
    np.testing.assert_allclose(_scores(fit)[1], expected)


def test_weights_pick_the_draws_that_count(laplace):
    """All weight on one draw: the scores under this draw alone."""
    epp = flat(laplace)
    at = np.linspace(0, len(epp) - 1, min(1000, len(epp))).astype(int)[3]
    weights = np.full((10, len(epp)), -np.inf)
    weights[:, at] = 0.0
    alone = laplace.copy()
    alone["posterior"] = laplace["posterior"].isel(chain=[0], draw=[0])
    alone["posterior"]["epp"][:] = epp[at]
    np.testing.assert_allclose(_scores(laplace, weights)[0], _scores(alone)[1])


@high_pareto_k
def test_rounds_left_out_are_predicted_worse(laplace):
    made, seen = lb.loo(laplace), _scores(laplace)[1]
    assert made.elpd == pytest.approx(float(made.elpd_i.sum()))
    assert made.p == pytest.approx(float((seen - made.elpd_i).sum()))
    assert made.p > 0.5
    assert made.se == pytest.approx(np.sqrt(10) * float(made.elpd_i.std()))


@pytest.mark.slow
def test_refitting_agrees_with_importance_sampling():
    scores = simulate([1.0, 0.5, 0.0, -0.5, -1.0], 40, np.random.default_rng(3))
    left_out, refitted, seen = [], [], []
    for seed in range(8):
        # A weight that is given is that of the fit without a round, too.
        fit = lb.fit(scores, sampler="laplace", weight=0.5, seed=seed)
        refitted.append([_scores(_without(fit, k), of=fit)[1][k] for k in range(3)])
        left_out.append(lb.loo(fit).elpd_i[:3])
        seen.append(_scores(fit)[1][:3])
    # Of one seed the difference has a Monte Carlo error of 0.02 to 0.04; of eight 0.005 to 0.014.
    mean = np.mean(refitted, axis=0)
    np.testing.assert_allclose(np.mean(left_out, axis=0), mean, atol=0.04)
    assert (np.mean(seen, axis=0) - mean > 0.08).all()


def test_what_leaves_no_round_out(scores, laplace):
    across = lb.fit(scores, within_round=False, sampler="laplace", seed=1)
    with pytest.raises(lb.LeaderbayesError, match="belongs to no single round"):
        lb.loo(across)
    part = laplace.copy()
    del part["log_likelihood"]
    with pytest.raises(lb.LeaderbayesError, match="no log-likelihood by round"):
        lb.loo(part)


def test_a_players_only_round_cannot_be_left_out(laplace):
    fit = laplace.copy(deep=True)
    fit["constant_data"]["scores"][4, 1:] = np.nan
    with pytest.raises(lb.LeaderbayesError, match="'p4' plays in the round to be left out only"):
        _without(fit, 0)


@high_pareto_k
@pytest.mark.slow
def test_loo_by_refitting_agrees_with_importance_sampling(fitted, scores):
    smoothed = lb.loo(fitted).elpd_i.values
    refitted = [_scores(_without(fitted, k), of=fitted)[1][k] for k in (0, 4)]
    np.testing.assert_allclose(refitted, smoothed[[0, 4]], atol=0.35)
