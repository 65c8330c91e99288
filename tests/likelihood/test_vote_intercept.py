"""PMRA of votes: lme4's numbers, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

import leaderbayes as lb
from leaderbayes.likelihood._round_intercept import order_explains


def table():
    """600 votes of 12 judges on four players; who is first wins more, by some judges."""
    rng = np.random.default_rng(11)
    strength = np.array([0.7, 0.2, -0.2, -0.7])
    first = rng.integers(4, size=600)
    second = (first + rng.integers(1, 4, size=600)) % 4
    judge = rng.integers(12, size=600)
    favour = 0.3 + 0.6 * rng.standard_normal(12)
    won = rng.random(600) < expit(strength[first] - strength[second] + favour[judge])
    return pd.DataFrame(
        {"first": first, "second": second, "outcome": won.astype(int), "judge": judge}
    )


def read(votes):
    return lb.read_votes(votes.assign(judge=votes["judge"].astype(str)))


@pytest.fixture(scope="module")
def votes():
    return read(table())


# Of these votes by lme4 1.1-31 (R 4.2, Debian 12), `benchmarks/peers/votes.R`:
# glmer(outcome ~ 0 + first + X1 + X2 + X3 + (1 | judge), binomial, nAGQ = 10 and 1, bobyqa),
# as first, X1, X2, X3, their standard errors, standard deviation of judges, log-likelihood.
LME4 = {
    10: (
        [0.2420497653, 1.6195274185, 1.1622448947, 0.5489504254],
        [0.1454509051, 0.1759295131, 0.1709028622, 0.1558972049],
        0.3886031689,
        -353.8326912652,
    ),
    1: (
        [0.2420250264, 1.6195659563, 1.1622791515, 0.5489722858],
        [0.1451901150, 0.1759058621, 0.1708803899, 0.1558786271],
        0.3874927188,
        -353.8469408273,
    ),
}


@pytest.mark.parametrize("nodes", LME4)
def test_lme4(votes, nodes):
    fit = lb.likelihood.round_intercept(votes, zero="3", n_quadrature=nodes)
    estimates, errors, spread, loglik = LME4[nodes]
    own = fit.sel(player=["0", "1", "2"])
    found = [float(fit["intercept"]), *own["fixed_effect"].to_numpy()]
    np.testing.assert_allclose(found, estimates, atol=2e-5)
    found = [np.sqrt(float(fit["intercept_variance"])), *own["fixed_effect_error"].to_numpy()]
    np.testing.assert_allclose(found, errors, atol=1e-4)
    assert float(fit["sd_judge"]) == pytest.approx(spread, abs=2e-5)
    assert float(fit["loglik"]) == pytest.approx(loglik, abs=1e-5)


def test_weights_and_rows_in_any_order(votes):
    one = lb.likelihood.round_intercept(votes)
    shuffled = votes.isel(vote=np.random.default_rng(0).permutation(600))
    other = lb.likelihood.round_intercept(shuffled)
    for name in ("epp", "covariance", "intercept", "sd_judge", "loglik"):
        np.testing.assert_allclose(one[name], other[name], atol=1e-8)
    effect = one["judge_effect"].to_series().sort_index()
    pd.testing.assert_series_equal(effect, other["judge_effect"].to_series().sort_index())
    count = np.random.default_rng(1).integers(1, 4, 600)
    weighed = lb.likelihood.round_intercept(votes.assign(weight=("vote", count.astype(float))))
    again = lb.likelihood.round_intercept(votes.isel(vote=np.repeat(np.arange(600), count)))
    np.testing.assert_allclose(weighed["epp"], again["epp"], atol=1e-8)


def test_turned_round(votes):
    turned = votes.assign(
        first=votes["second"], second=votes["first"], outcome=1.0 - votes["outcome"]
    )
    one, other = (lb.likelihood.round_intercept(each) for each in (votes, turned))
    np.testing.assert_allclose(one["epp"], other["epp"], atol=1e-8)
    assert float(one["intercept"]) == pytest.approx(-float(other["intercept"]), abs=1e-8)


def test_no_spread_is_the_order_effect():
    """Judges alike: s is 0, and the rest Bradley-Terry's with an order effect."""
    first = np.repeat([0, 1, 2, 0, 1, 2], 60)
    second = np.repeat([1, 2, 0, 2, 0, 1], 60)
    outcome = np.tile(np.repeat([1, 0, 1], [10, 6, 4]), 18)
    given = {"first": first, "second": second, "outcome": outcome}
    even = read(pd.DataFrame(given | {"judge": np.tile(np.arange(2), 180)}))
    fit = lb.likelihood.round_intercept(even)
    assert fit.attrs["singular"] == 1
    plain = lb.likelihood.bradley_terry(even, order_effect=True, covariance="model", cluster="none")
    np.testing.assert_allclose(fit["epp"], plain["epp"], atol=1e-6)
    assert float(fit["intercept"]) == pytest.approx(float(plain["effect_size"][0]), abs=1e-6)
    assert float(fit["loglik"]) == pytest.approx(float(plain["loglik"]), abs=1e-8)


def test_hypotheses(votes):
    general = lb.likelihood.round_intercept(votes)
    restricted = lb.likelihood.round_intercept(votes, hypothesis=[("0", "1")])
    assert float(restricted["epp"].sel(player="0")) == pytest.approx(
        float(restricted["epp"].sel(player="1")), abs=1e-9
    )
    assert restricted.attrs["df"] == general.attrs["df"] + 1
    ratio = lb.likelihood.lr_test(restricted, general)
    wald = lb.likelihood.wald_test(general, "0", "1")
    assert float(ratio["statistic"]) == pytest.approx(float(wald["statistic"]), rel=0.1)
    assert len(lb.likelihood.pairwise_tests(general)) == 6
    assert lb.leaderboard(general)["player"].tolist() == ["0", "1", "2", "3"]
    for refused in (lb.win_probability, lb.likelihood.pairwise_tests):
        with pytest.raises(lb.LeaderbayesError, match="Nothing is published"):
            refused(general, convention="published")


def test_ties_are_refused_or_dropped():
    tied = table()
    tied.loc[:9, "outcome"] = 2  # read as words
    words = tied["outcome"].map({1: "model_a", 0: "model_b", 2: "tie"})
    votes = read(tied.assign(outcome=words))
    with pytest.raises(lb.LeaderbayesError, match=r"10 votes are ties.*ties='drop'"):
        lb.likelihood.round_intercept(votes)
    dropped = lb.likelihood.round_intercept(votes, ties="drop")
    without = lb.likelihood.round_intercept(votes.isel(vote=slice(10, None)))
    np.testing.assert_allclose(dropped["epp"], without["epp"], atol=1e-8)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ties": "half"}, "ties='half'.*two outcomes"),
        ({"order": ["0", "1", "2", "3"]}, "order: votes say"),
        ({"ties": np.array(["half", "drop"])}, "two outcomes"),
        ({"value": 1.0}, "hypothesis= is held at"),
        ({"zero": "x"}, "zero='x'"),
        ({"n_quadrature": 0}, "n_quadrature=0"),
    ],
)
def test_bad_options(votes, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.likelihood.round_intercept(votes, **options)


def test_what_votes_must_say(votes):
    with pytest.raises(lb.LeaderbayesError, match="no judges"):
        lb.likelihood.round_intercept(votes.drop_vars("judge"))
    with pytest.raises(lb.LeaderbayesError, match="One judge"):
        lb.likelihood.round_intercept(votes.isel(vote=votes["judge"] == "3"))
    with pytest.raises(lb.LeaderbayesError, match="do not say who was shown first"):
        lb.likelihood.round_intercept(votes.assign_attrs(ordered=0))
    with pytest.raises(lb.DisconnectedError, match="never"):
        lb.likelihood.round_intercept(votes.assign(outcome=votes["first"] < votes["second"]))
    scores = lb.datasets.load("classifiers", "iris")
    with pytest.raises(lb.LeaderbayesError, match="ties: an option of votes"):
        lb.likelihood.round_intercept(lb.matches(scores), ties="drop")


def test_the_first_always_wins(votes):
    first = votes.assign(outcome=("vote", np.ones(600)))
    with pytest.raises(lb.DisconnectedError, match="PMRA's intercept has no finite estimate"):
        lb.likelihood.round_intercept(first)


def test_judges_all_one_way_have_no_finite_spread(votes):
    one_way = votes["judge"].to_numpy().astype(int) % 2
    with pytest.raises(lb.NotConvergedError, match="standard deviation of PMRA"):
        lb.likelihood.round_intercept(votes.assign(outcome=("vote", one_way.astype(float))))


def test_order_explains_by_brute_force():
    """By a linear program: is there a direction in which no outcome gets less probable?"""
    from scipy.optimize import linprog

    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(200):
        as_first, as_second = rng.random((2, 3, 3)) < 0.35
        for beat in (as_first, as_second):
            np.fill_diagonal(beat, False)
        if not np.linalg.matrix_power(np.eye(3) + as_first + as_second, 3).all():
            continue  # refused before
        rows = [
            [float(k == winner) - float(k == loser) for k in range(3)] + [sign]
            for beat, sign in ((as_first, 1.0), (as_second, -1.0))
            for winner, loser in np.argwhere(beat)
        ]
        for effect in (1.0, -1.0):
            bounds = [(-10.0, 10.0)] * 3 + [(effect, effect)]
            solved = linprog(np.zeros(4), -np.array(rows), np.zeros(len(rows)), bounds=bounds)
            if solved.status == 0:
                break
        seen.add(order_explains(as_first, as_second))
        assert order_explains(as_first, as_second) == (solved.status == 0)
    assert seen == {True, False}
