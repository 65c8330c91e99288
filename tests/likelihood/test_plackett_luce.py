"""Plackett-Luce by maximum likelihood."""

from itertools import permutations, product

import numpy as np
import pytest
from scipy.optimize import minimize

import leaderbayes as lb
from conftest import board, simulate
from leaderbayes._numerics import plackett_luce_fit
from leaderbayes._numerics.rankings import log_likelihood, rankings


def test_maximum_and_its_curvature():
    scores = simulate([0.8, 0.1, -0.2, -0.7], 25, np.random.default_rng(2))
    values = scores.to_numpy().copy()
    values[1, :5] = np.nan
    matches = lb.matches(board(values))
    fit = lb.likelihood.plackett_luce(matches)
    data = rankings(matches["place"].to_numpy())

    def loss(b):
        return -log_likelihood(b[None] - b.mean(), data, gradient=False)[0].sum()

    found = minimize(loss, np.zeros(4), tol=1e-12)
    np.testing.assert_allclose(fit["epp"], found.x - found.x.mean(), atol=1e-5)
    assert float(fit["loglik"]) == pytest.approx(-found.fun)
    h = 1e-3
    two = np.array([[1.0, -1, 0, 0]]) * h
    b = fit["epp"].to_numpy()
    curvature = (loss(b + two[0]) - 2 * loss(b) + loss(b - two[0])) / h**2
    information = np.linalg.pinv(fit["covariance"].to_numpy())
    assert curvature == pytest.approx((two @ information @ two.T).item() / h**2, rel=1e-4)


def test_ties(reference):
    matches = lb.matches(reference("vtab/scores.csv"))
    fit = lb.likelihood.plackett_luce(matches)
    restricted = lb.likelihood.plackett_luce(matches, hypothesis=[("Rotation", "Jigsaw")])
    assert float(restricted["loglik"]) < float(fit["loglik"])
    clustered = lb.likelihood.plackett_luce(matches, covariance="clustered")
    np.testing.assert_allclose(clustered["epp"], fit["epp"])
    assert not np.allclose(clustered["covariance"], fit["covariance"])
    # What the rankings choose does not depend on who ties.
    assert fit.attrs["df"] == sum(n - 1 for n in (matches["place"] > 0).sum("player").values) - (
        matches.sizes["player"] - 1
    )


def by_definition(place):
    """Mean log-likelihood over the orders that ties leave open, and where it is highest."""
    rounds = []
    for row in place:
        tied = [permutations(np.flatnonzero(row == p)) for p in np.unique(row[row > 0])]
        rounds.append(np.array([sum(parts, ()) for parts in product(*tied)]))

    def loss(b):
        b = b - b.mean()
        return -sum(
            (b[orders] - np.log(np.cumsum(np.exp(b[orders[:, ::-1]]), axis=1))[:, ::-1])
            .sum(axis=1)
            .mean()
            for orders in rounds
        )

    found = minimize(loss, np.zeros(place.shape[1]), tol=1e-10)
    return -found.fun, found.x - found.x.mean()


@pytest.mark.parametrize("boards", [60, pytest.param(600, marks=pytest.mark.slow)])
def test_every_small_board_has_an_estimate_or_players_to_name(boards):
    """Boards full of ties: some tie always, and hence are equal, and some never lose."""
    rng, disconnected = np.random.default_rng(1), 0
    for number in range(boards):
        m, rounds = rng.integers(2, 5), rng.integers(1, 5)
        values = rng.integers(1, rng.integers(2, 5) + 1, size=(m, rounds)).astype(float)
        if number % 3 == 0:
            values[rng.random(values.shape) < 0.2] = np.nan
        if np.isnan(values).all(axis=0).any() or np.isnan(values).all(axis=1).any():
            continue
        matches = lb.matches(board(values))
        # Whom somebody beat or tied with, within so many steps: everybody, or no estimate.
        reach = (matches["wins"].to_numpy() > 0).astype(int) + np.eye(len(values), dtype=int)
        if not np.linalg.matrix_power(reach, len(values)).all():
            disconnected += 1
            with pytest.raises(lb.NotConvergedError, match="estimate does not exist"):
                lb.likelihood.plackett_luce(matches)
            continue
        fit = lb.likelihood.plackett_luce(matches)
        loglik, epp = by_definition(matches["place"].to_numpy())
        np.testing.assert_allclose(fit["epp"], epp, atol=2e-4)
        assert float(fit["loglik"]) == pytest.approx(loglik, abs=1e-8)
        assert np.diag(fit["covariance"]).max() < 50.0
    assert boards / 10 < disconnected < boards * 0.8


def test_the_boards_of_the_issue():
    """Almost always tied, a board says that players are nearly equal, and with what error."""
    tied = lb.matches(board([[0.5, 0.7, 0.9], [0.5, 0.7, 0.8]]))
    fit = lb.likelihood.plackett_luce(tied)
    # Two ties and a win: two wins of three.
    assert float(fit["epp"][0] - fit["epp"][1]) == pytest.approx(np.log(2.0))
    half = lb.likelihood.bradley_terry(tied, covariance="model")
    for name in ("epp", "covariance", "loglik"):
        np.testing.assert_allclose(fit[name], half[name], atol=1e-9)
    fit = lb.likelihood.plackett_luce(lb.matches(board([[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]])))
    assert np.isfinite(fit["epp"]).all()
    np.testing.assert_allclose(fit["epp"].sel(player="p0"), fit["epp"].sel(player="p1"))
    with pytest.raises(lb.NotConvergedError, match="p2 never beat anybody else"):
        lb.likelihood.plackett_luce(lb.matches(board([[2.0, 2.0], [2.0, 2.0], [1.0, 1.0]])))


def test_strengths_of_rounded_scores_keep_their_meaning():
    """Rounded to grids at which 3 to 13 % of pairs tie, differences are the true log-odds.

    Strengths plus Gumbel noise, on a grid of width w with a random offset: a pair gap apart is
    won, a tie half, with probability E logistic(gap + U(-w, w)).
    """
    rng, truth, rounds = np.random.default_rng(3), np.linspace(-1.5, 1.5, 6), 2000
    noise = rng.gumbel(size=(6, rounds))
    gap = (truth[:, None] - truth)[np.triu_indices(6, 1)]
    for width, most in ((0.17, 0.02), (0.35, 0.02), (0.8, 0.03)):
        scores = np.floor((truth[:, None] + noise) / width + rng.random(rounds))
        won = (np.logaddexp(0, gap + width) - np.logaddexp(0, gap - width)) / (2 * width)
        true = np.log(won / (1 - won))
        matches = lb.matches(board(scores))
        slopes = []
        for model in (lb.likelihood.plackett_luce, lb.likelihood.bradley_terry):
            fit = model(matches, covariance="clustered")
            epp = fit["epp"].to_numpy()
            fitted = (epp[:, None] - epp)[np.triu_indices(6, 1)]
            slopes.append(fitted @ true / (true @ true))
            contrast = truth / (truth @ truth)
            error = np.sqrt(contrast @ fit["covariance"].to_numpy() @ contrast)
        # Of the limit most, at 13 % of ties, is some 1.3 %; the rest is Monte Carlo error.
        assert abs(slopes[0] - 1.0) < most / 2 + 3.0 * error
        assert abs(slopes[0] - slopes[1]) < most


@pytest.mark.slow
def test_intervals_cover():
    rng, truth, inside = np.random.default_rng(9), np.array([1.0, 0.3, -0.2, -1.1]), []
    for _ in range(400):
        fit = lb.likelihood.plackett_luce(lb.matches(simulate(truth, 20, rng)))
        error = np.sqrt(np.diag(fit["covariance"]))
        inside.append(abs(fit["epp"].to_numpy() - truth) < 1.96 * error)
    # 1600 intervals, four a board: the error is at most that of 400.
    assert np.mean(inside) == pytest.approx(0.95, abs=3 * np.sqrt(0.95 * 0.05 / 400))


@pytest.mark.slow
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
        lb.likelihood.bootstrap(two, model=model, replicates=50, pseudo_rounds=1.0, seed=0)
        for model in ("bradley_terry", "plackett_luce")
    ]
    np.testing.assert_allclose(same[0], same[1], atol=1e-6)
    matches = lb.matches(simulate([0.8, 0.1, -0.9], 30, np.random.default_rng(4)))
    fit = lb.likelihood.plackett_luce(matches, covariance="model")
    samples = lb.likelihood.bootstrap(matches, model="plackett_luce", replicates=250, seed=0)
    error = np.sqrt(np.diag(fit["covariance"]))
    np.testing.assert_allclose(samples.std("replicate"), error, rtol=0.25)


def test_no_estimate():
    with pytest.raises(lb.NotConvergedError, match="p1 never beat anybody else"):
        lb.likelihood.plackett_luce(lb.matches(board([[2.0, 2.0], [1.0, 1.0]])))
    matches = lb.matches(board([[2.0, 1.0], [1.0, 2.0]]))
    with pytest.raises(lb.LeaderbayesError, match="choose 'half'"):
        lb.likelihood.plackett_luce(matches.assign_attrs(ties="drop"))
    with pytest.raises(lb.LeaderbayesError, match="covariance='x'"):
        lb.likelihood.plackett_luce(matches, covariance="x")
    one = lb.matches(board([[1.0], [1.0], [1.0]]))
    with pytest.raises(lb.LeaderbayesError, match="One round"):
        lb.likelihood.plackett_luce(one, covariance="clustered")


def test_functions_of_an_estimate_agree_with_bradley_terrys():
    """Rounded scores, 12 % ties: two estimates of the same log-odds, from the same rounds."""
    rng, truth = np.random.default_rng(8), np.linspace(-1.2, 1.2, 5)
    scores = np.floor((truth[:, None] + rng.gumbel(size=(5, 400))) / 0.8 + rng.random(400))
    matches = lb.matches(board(scores))
    luce, terry = (
        model(matches, covariance="clustered")
        for model in (lb.likelihood.plackett_luce, lb.likelihood.bradley_terry)
    )
    wins = [lb.win_probability(fit) for fit in (luce, terry)]
    # Both have errors of about 0.02 from the same 400 rounds; apart they are a third of that.
    for name in ("mean", "lower", "upper"):
        np.testing.assert_allclose(wins[0][name], wins[1][name], atol=0.02)
    boards = [lb.leaderboard(fit).set_index("player") for fit in (luce, terry)]
    assert (boards[0].index == boards[1].index).all()
    np.testing.assert_allclose(boards[0]["epp"], boards[1]["epp"], atol=0.1)
    tests = [lb.likelihood.hypothesis_test(fit, "p0", "p4") for fit in (luce, terry)]
    assert tests[0]["statistic"] == pytest.approx(tests[1]["statistic"], rel=0.25)
    assert lb.deviance(luce)["value"] == pytest.approx(-2.0 * float(luce["loglik"]))


def test_an_estimate_alone_has_no_limit_of_players(monkeypatch):
    matches = lb.matches(
        simulate([0.8, 0.1, -0.2, -0.7], 25, np.random.default_rng(2)), pairs=False
    )
    full = lb.likelihood.plackett_luce(matches)
    monkeypatch.setattr(plackett_luce_fit, "LARGEST_MATRIX", 3)
    monkeypatch.setattr("leaderbayes.likelihood._plackett_luce.LARGEST_MATRIX", 3)
    with pytest.raises(lb.LeaderbayesError, match="covariance='none'"):
        lb.likelihood.plackett_luce(matches)
    alone = lb.likelihood.plackett_luce(matches, covariance="none")
    np.testing.assert_allclose(alone["epp"], full["epp"], atol=1e-6)
    table = lb.leaderboard(alone)
    assert table["player"].tolist() == lb.leaderboard(full)["player"].tolist()
    assert table[["epp_lower", "epp_upper"]].isna().all(axis=None)
    sampled = lb.likelihood.bootstrap(matches, model="plackett_luce", replicates=5, seed=0)
    assert np.isfinite(sampled).any()


@pytest.mark.slow
def test_a_hundred_thousand_players():
    rng = np.random.default_rng(1)
    truth = rng.normal(size=(100_000, 1))
    ranked = lb.matches(board(truth + rng.gumbel(size=(100_000, 8))), pairs=False)
    with pytest.raises(lb.LeaderbayesError, match=r"80\.0 GB"):
        lb.likelihood.plackett_luce(ranked)
    fit = lb.likelihood.plackett_luce(ranked, covariance="none", pseudo_rounds=1.0)
    assert np.corrcoef(fit["epp"], truth[:, 0])[0, 1] > 0.85
