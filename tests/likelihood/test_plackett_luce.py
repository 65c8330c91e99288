"""Plackett-Luce by maximum likelihood."""

import numpy as np
import pytest
from scipy.optimize import minimize

import leaderbayes as lb
from conftest import board, simulate
from leaderbayes.numerics.plackett_luce import log_likelihood, rankings


def test_maximum_and_its_curvature():
    scores = simulate([0.8, 0.1, -0.2, -0.7], 25, np.random.default_rng(2))
    values = scores.to_numpy().copy()
    values[1, :5] = np.nan
    matches = lb.matches(board(values))
    fit = lb.likelihood.plackett_luce(matches)
    data = rankings(matches["place"].to_numpy())

    def loss(b):
        return -log_likelihood(b[None] - b.mean(), np.zeros(1), np.array([1]), *data).sum()

    found = minimize(loss, np.zeros(4), tol=1e-12)
    np.testing.assert_allclose(fit["epp"], found.x - found.x.mean(), atol=1e-5)
    assert float(fit["loglik"]) == pytest.approx(-found.fun)
    h = 1e-3
    two = np.array([[1.0, -1, 0, 0]]) * h
    b = fit["epp"].to_numpy()
    curvature = (loss(b + two[0]) - 2 * loss(b) + loss(b - two[0])) / h**2
    information = np.linalg.pinv(fit["covariance"].to_numpy())
    assert curvature == pytest.approx((two @ information @ two.T).item() / h**2, rel=1e-4)


def test_two_players_are_bradley_terry():
    scores = board([[2.0, 1.0, 2.0, 2.0], [1.0, 2.0, 1.0, 1.0]])
    fit = lb.likelihood.plackett_luce(lb.rankings(scores))
    assert float(fit["epp"][0] - fit["epp"][1]) == pytest.approx(np.log(3.0))


def test_ties(reference):
    matches = lb.matches(reference("vtab/scores.csv"))
    fit = lb.likelihood.plackett_luce(matches)
    assert 2 in fit["tie_size"]
    assert (fit["tie"] < 0).all()  # ties are rarer than were all sets alike
    restricted = lb.likelihood.plackett_luce(matches, hypothesis=[("Rotation", "Jigsaw")])
    assert float(restricted["loglik"]) < float(fit["loglik"])
    clustered = lb.likelihood.plackett_luce(matches, covariance="clustered")
    np.testing.assert_allclose(clustered["epp"], fit["epp"])
    assert not np.allclose(clustered["covariance"], fit["covariance"])


@pytest.mark.slow
def test_intervals_cover():
    rng, truth, inside = np.random.default_rng(9), np.array([1.0, 0.3, -0.2, -1.1]), []
    for _ in range(400):
        fit = lb.likelihood.plackett_luce(lb.matches(simulate(truth, 20, rng)))
        error = np.sqrt(np.diag(fit["covariance"]))
        inside.append(abs(fit["epp"].to_numpy() - truth) < 1.96 * error)
    # 1600 intervals, four a board: the error is at most that of 400.
    assert np.mean(inside) == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / 400))


def test_pseudo_rounds_and_bootstrap():
    separated = lb.matches(board([[3.0, 3.0], [2.0, 2.0], [1.0, 1.0]]))
    fit = lb.likelihood.plackett_luce(separated, pseudo_rounds=1.0)
    assert (np.diff(fit["epp"]) < 0).all()
    # Two players: rankings are matches, and so are the penalties.
    two = lb.matches(board([[2.0, 1.0, 2.0, 2.0, 1.0], [1.0, 2.0, 1.0, 1.0, 3.0]]))
    plain = lb.likelihood.bradley_terry(two, pseudo_rounds=1.0)
    fit = lb.likelihood.plackett_luce(two, pseudo_rounds=1.0)
    np.testing.assert_allclose(fit["epp"], plain["epp"], atol=1e-8)
    assert float(fit["loglik"]) == pytest.approx(float(plain["loglik"]))
    same = [
        lb.likelihood.bootstrap(two, model=model, replicates=50, pseudo_rounds=1.0)
        for model in ("bradley_terry", "plackett_luce")
    ]
    np.testing.assert_allclose(same[0], same[1], atol=1e-6)
    matches = lb.matches(simulate([0.8, 0.1, -0.9], 60, np.random.default_rng(4)))
    errors = {
        kind: np.sqrt(np.diag(lb.likelihood.plackett_luce(matches, covariance=kind)["covariance"]))
        for kind in ("model", "bootstrap")
    }
    np.testing.assert_allclose(errors["bootstrap"], errors["model"], rtol=0.25)


def test_firth_is_bradley_terrys_for_two_players():
    two = lb.matches(board([[2.0, 2.0, 2.0, 1.0], [1.0, 1.0, 1.0, 2.0]]))
    fit, plain = (
        model(two, covariance="model", firth=True)
        for model in (lb.likelihood.plackett_luce, lb.likelihood.bradley_terry)
    )
    assert float(fit["epp"][0] - fit["epp"][1]) == pytest.approx(np.log(3.5 / 1.5), abs=1e-5)
    np.testing.assert_allclose(fit["epp"], plain["epp"], atol=1e-8)
    np.testing.assert_allclose(fit["covariance"], plain["covariance"], atol=1e-8)
    assert float(fit["loglik"]) == pytest.approx(float(plain["loglik"]))
    same = [
        lb.likelihood.bootstrap(two, model=model, replicates=50, firth=True)
        for model in ("bradley_terry", "plackett_luce")
    ]
    np.testing.assert_allclose(same[0], same[1], atol=1e-8)


def test_firth_exists_where_the_maximum_does_not():
    always = simulate([0.0, 0.0, 0.0, 0.0], 6, np.random.default_rng(1)).to_numpy()
    always[0] += 100.0
    matches = lb.matches(board(always))
    with pytest.raises(lb.DisconnectedError, match="firth=True"):
        lb.likelihood.plackett_luce(matches)
    fit = lb.likelihood.plackett_luce(matches, firth=True)
    assert np.isfinite(fit["covariance"]).all()
    assert np.argmax(fit["epp"].to_numpy()) == 0
    # Davidson-Luce: whoever ties always leaves strengths equal, and tie parameters finite.
    tied = lb.likelihood.plackett_luce(lb.matches(board(np.ones((3, 4)))), firth=True)
    np.testing.assert_allclose(tied["epp"], 0.0, atol=1e-8)
    # All four rounds tie, with probability q = d / (d + 3). At equal strengths the determinant is
    # that of q, q (1 - q), times ((1 - q) / 3)^2: half a tie more, and half of three of the rest.
    assert float(tied["tie"][0]) == pytest.approx(np.log(3.0 * 4.5 / 1.5), abs=1e-5)
    apart = lb.matches(board([[1.0, np.nan], [2.0, np.nan], [np.nan, 1.0], [np.nan, 2.0]]))
    with pytest.raises(lb.DisconnectedError, match="never met"):
        lb.likelihood.plackett_luce(apart, firth=True)


def test_firth_takes_bias_away():
    """The estimates are too far apart by a factor; with the penalty it cannot be told from 1."""
    rng, truth, factors = np.random.default_rng(1), np.array([0.9, 0.3, -0.3, -0.9]), []
    for _ in range(300):
        matches = lb.rankings(simulate(truth, 10, rng))
        if lb.components(matches).nunique() > 1:
            continue
        fits = [lb.likelihood.plackett_luce(matches, firth=firth) for firth in (False, True)]
        factors.append([fit["epp"].to_numpy() @ truth / (truth @ truth) for fit in fits])
    plain, firth = np.mean(factors, axis=0) - 1.0
    error = np.std(factors, axis=0) / np.sqrt(len(factors))
    assert plain > 3.0 * error[0]
    assert abs(firth) < 3.0 * error[1]


def test_no_estimate():
    with pytest.raises(lb.DisconnectedError, match="p1 never beat anybody else"):
        lb.likelihood.plackett_luce(lb.matches(board([[2.0, 2.0], [1.0, 1.0]])))
    with pytest.raises(lb.NotConvergedError, match="LB002"):
        lb.likelihood.plackett_luce(lb.matches(board(np.ones((3, 4)))))
    matches = lb.matches(board([[2.0, 1.0], [1.0, 2.0]]))
    with pytest.raises(lb.LeaderbayesError, match="within_round=True"):
        lb.likelihood.plackett_luce(matches.assign_attrs(ties="drop"))
    with pytest.raises(lb.LeaderbayesError, match="covariance='x'"):
        lb.likelihood.plackett_luce(matches, covariance="x")
    one = lb.matches(board([[1.0, np.nan], [1.0, np.nan], [1.0, np.nan]]))
    with pytest.raises(lb.NotConvergedError, match="ties always, or never"):
        lb.likelihood.plackett_luce(one, covariance="clustered")
