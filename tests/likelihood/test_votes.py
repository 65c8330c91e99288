"""Bradley-Terry of votes by maximum likelihood: what it shares with matches, and what not."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.optimize import minimize
from scipy.special import expit

import leaderbayes as lb
from conftest import board, simulate
from votes import votes_of

STRENGTH = np.array([0.9, 0.3, 0.0, -0.4, -0.8])


def voted(
    size=2000, judges=40, prompts=200, *, order=0.0, opinion=0.0, slope=0.0, ties=0.0, seed=0
):
    """Votes on five players, by judges with opinions of their own."""
    rng = np.random.default_rng(seed)
    m = len(STRENGTH)
    first = rng.integers(m, size=size)
    second = (first + rng.integers(1, m, size=size)) % m
    judge, prompt = rng.integers(judges, size=size), rng.integers(prompts, size=size)
    own = STRENGTH + opinion * rng.standard_normal((judges, m))
    length = rng.normal(50.0, 20.0, size)
    eta = own[judge, first] - own[judge, second] + order + slope * length / length.std()
    won = (rng.random(size) < expit(eta)).astype(float)
    won[rng.random(size) < ties] = 0.5
    return lb.read_votes(
        pd.DataFrame(
            {
                "model_a": [f"p{k}" for k in first],
                "model_b": [f"p{k}" for k in second],
                "outcome": won,
                "judge": [f"j{k}" for k in judge],
                "prompt": [f"q{k}" for k in prompt],
                "length": length,
            }
        ),
        covariates=["length"] if slope else None,
    )


def as_votes(scores):
    """One vote for each match of a board."""
    rows = [
        (a, b, np.sign(value.loc[a] - value.loc[b]) / 2 + 0.5)
        for _, value in scores.to_pandas().items()
        for i, a in enumerate(value.index)
        for b in value.index[i + 1 :]
    ]
    return lb.read_votes(pd.DataFrame(rows, columns=["model_a", "model_b", "outcome"]))


@pytest.mark.parametrize("pseudo_rounds", [0.0, 2.0])
def test_the_same_matches_as_votes(pseudo_rounds):
    scores = simulate(STRENGTH, 12, np.random.default_rng(1)).round()
    options = {"covariance": "model", "pseudo_rounds": pseudo_rounds}
    votes = lb.likelihood.bradley_terry(as_votes(scores), **options)
    matches = lb.likelihood.bradley_terry(lb.matches(scores), **options)
    for name in matches.data_vars:
        np.testing.assert_allclose(votes[name], matches[name], rtol=1e-7, atol=1e-9)
    assert votes.attrs["df"] == matches.attrs["df"]
    xr.testing.assert_allclose(lb.deviance(votes), lb.deviance(matches))
    pd.testing.assert_frame_equal(lb.leaderboard(votes), lb.leaderboard(matches))


def test_effects_by_brute_force():
    votes = voted(order=0.4, slope=0.5, ties=0.2)
    fit = lb.likelihood.bradley_terry(votes, order_effect=True)
    assert fit["effect"].to_numpy().tolist() == ["order", "length"]
    first, second, won = (votes[name].to_numpy() for name in ("first", "second", "outcome"))
    length = votes["covariates"].to_numpy()[:, 0]
    design = np.zeros((len(won), 7))
    design[np.arange(len(won)), first] += 1.0
    design[np.arange(len(won)), second] -= 1.0
    design[:, 5], design[:, 6] = 1.0, length / length.std()

    def loss(x):
        eta = design @ x
        return float((np.logaddexp(0.0, eta) - won * eta).sum()), design.T @ (expit(eta) - won)

    found = minimize(loss, np.zeros(7), jac=True, method="BFGS", options={"gtol": 1e-7})
    epp = found.x[:5] - found.x[:5].mean()
    np.testing.assert_allclose(fit["epp"], epp, atol=1e-5)
    np.testing.assert_allclose(fit["effect_size"], found.x[5:], atol=1e-5)
    assert float(fit["loglik"]) == pytest.approx(-found.fun, abs=1e-6)
    tied = int((won == 0.5).sum())
    assert float(fit["deviance"]) == pytest.approx(2.0 * (found.fun - tied * np.log(2.0)), abs=1e-6)
    assert (fit.attrs["cells"], fit.attrs["df"]) == ("votes", 2000 - 6)
    assert np.isnan(float(lb.deviance(fit)["p_value"]))
    curvature = expit(design @ found.x) * expit(-(design @ found.x))
    model = np.linalg.pinv(design.T @ (curvature[:, None] * design), hermitian=True)
    independent = lb.likelihood.bradley_terry(votes, order_effect=True, covariance="model")
    np.testing.assert_allclose(independent["covariance"], model[:5, :5], atol=1e-5)
    np.testing.assert_allclose(independent["effect_covariance"], model[5:, 5:], atol=1e-5)


def test_order_turned_round():
    votes = voted(order=0.4)
    turned = votes.assign(
        first=votes["second"], second=votes["first"], outcome=1.0 - votes["outcome"]
    )
    one, other = (lb.likelihood.bradley_terry(each, order_effect=True) for each in (votes, turned))
    for name in ("epp", "covariance", "loglik", "deviance"):
        np.testing.assert_allclose(one[name], other[name], atol=1e-7)
    np.testing.assert_allclose(one["effect_size"], -other["effect_size"], atol=1e-7)
    assert float(one["effect_size"][0]) == pytest.approx(0.4, abs=0.2)
    # 20 ordered pairs, 4 strengths and the order.
    assert (one.attrs["cells"], one.attrs["df"]) == ("ordered pairs", 15)
    assert float(lb.deviance(one)["p_value"]) > 0.01


def test_judges_with_opinions_widen():
    alone, apart = (
        lb.likelihood.bradley_terry(voted(10_000, 40, 2000, opinion=opinion), cluster="judge")
        for opinion in (0.0, 0.8)
    )
    wider = [
        float(np.trace(fit["covariance"]) / np.trace(fit["covariance_model"]))
        for fit in (alone, apart)
    ]
    assert wider[0] < 2.0
    assert wider[1] > 4.0
    assert float(apart["opinion_variance"].sel(clustering="judge")) > 0.3
    none = lb.likelihood.bradley_terry(voted(ties=0.3), cluster="none")
    ratio = none["covariance"] / none["covariance_model"]
    np.testing.assert_allclose(ratio, float(ratio[0, 0]), rtol=1e-6)
    assert float(ratio[0, 0]) < 1.0  # half wins vary less
    both = lb.likelihood.bradley_terry(voted())
    assert both["clustering"].to_numpy().tolist() == ["judge", "prompt", "both"]


def test_weights_are_votes():
    votes = voted(500)
    count = np.random.default_rng(0).integers(1, 4, 500)
    one = lb.likelihood.bradley_terry(votes.assign(weight=("vote", count.astype(float))))
    again = lb.likelihood.bradley_terry(votes.isel(vote=np.repeat(np.arange(500), count)))
    for name in ("epp", "covariance", "covariance_model", "loglik", "deviance"):
        np.testing.assert_allclose(one[name], again[name], rtol=1e-6, atol=1e-9)
    assert one.attrs["df"] == again.attrs["df"]


def test_ties_dropped():
    votes = voted(ties=0.3)
    dropped = lb.likelihood.bradley_terry(votes, ties="drop")
    without = lb.likelihood.bradley_terry(votes.isel(vote=votes["outcome"] != 0.5))
    np.testing.assert_allclose(dropped["epp"], without["epp"])
    assert (dropped.attrs["ties"], without.attrs["ties"]) == ("drop", "half")


def test_what_takes_estimates_takes_these():
    fit = lb.likelihood.bradley_terry(voted(), order_effect=True)
    gap = float(fit["epp"].sel(player="p0") - fit["epp"].sel(player="p4"))
    covariance = fit["covariance"].to_pandas()
    variance = covariance["p0"]["p0"] + covariance["p4"]["p4"] - 2.0 * covariance["p0"]["p4"]
    test = lb.likelihood.hypothesis_test(fit, "p0", "p4")
    assert float(test["statistic"]) == pytest.approx(gap**2 / variance)
    pairs = lb.likelihood.pairwise_tests(fit, adjust=None).set_index(["player", "opponent"])
    assert pairs.loc[("p0", "p4"), "p_value"] == pytest.approx(float(test["p_value"]), rel=1e-6)
    assert lb.likelihood.ranking(fit)["player"].tolist() == [f"p{k}" for k in range(5)]
    won = lb.win_probability(fit)["mean"].sel(player="p0", opponent="p4")
    assert float(won) == pytest.approx(expit(gap))
    with pytest.raises(lb.LeaderbayesError, match="fit the second with hypothesis="):
        lb.likelihood.hypothesis_test(fit, restricted=fit)
    with pytest.raises(lb.LeaderbayesError, match="covariance='model'"):
        lb.likelihood.hypothesis_test(fit, "p0", "p4", convention="published")


def test_players_that_never_met():
    rows = [
        (*pair, winner, f"j{k % 20}")
        for pair in (("a", "b"), ("c", "d"))
        for k in range(200)
        for winner in [("model_a", "model_b")[k % 3 == 0]]
    ]
    votes = lb.read_votes(pd.DataFrame(rows, columns=["model_a", "model_b", "winner", "judge"]))
    with pytest.raises(lb.NotConvergedError, match=r"never met.*pseudo_rounds=1"):
        lb.likelihood.bradley_terry(votes)
    drawn_in = lb.likelihood.bradley_terry(votes, pseudo_rounds=1.0, covariance="model")
    gap = drawn_in["covariance"].sel(player="a").sel(player_=["a", "c"]).to_numpy()
    assert 0.5 < gap[0] - gap[1] < 3.0  # as wide as the penalty says


@pytest.mark.filterwarnings("ignore:LB028")
def test_nothing_but_ties_are_as_good_as_one_vote_without():
    """Votes that all tie vary by chance as if one more had been decided."""
    votes = voted(200)
    votes["outcome"][:] = 0.5
    fit, model = (
        lb.likelihood.bradley_terry(votes, cluster="none", covariance=covariance)
        for covariance in ("clustered", "model")
    )
    np.testing.assert_allclose(fit["epp"], 0.0, atol=1e-9)
    np.testing.assert_allclose(fit["covariance"], model["covariance"] / 201.0, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"firth": True}, "pseudo_rounds=1"),
        ({"hypothesis": [("p0", "p1")]}, "likelihood.hypothesis_test"),
        ({"ties": "loss"}, "'half' or 'drop'"),
        ({"cluster": "x"}, "cluster='x'"),
        ({"covariates": ["length"]}, "covariate 'length'"),
        ({"pseudo_rounds": -1.0}, "pseudo_rounds"),
        ({"covariance": "none"}, "covariance='none'"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.likelihood.bradley_terry(voted(100), **options)


@pytest.mark.parametrize(
    "options", [{"ties": "half"}, {"cluster": "judge"}, {"order_effect": True}, {"covariates": []}]
)
def test_options_of_votes_alone(options):
    matches = lb.matches(board([[1.0, 2.0, 1.0], [2.0, 1.0, 3.0]]))
    with pytest.raises(lb.LeaderbayesError, match=f"{next(iter(options))}: for votes, which"):
        lb.likelihood.bradley_terry(matches, **options)


@pytest.mark.parametrize("name", ["plackett_luce", "bootstrap", "round_intercept", "eliminate"])
def test_no_estimate_but_this_one_takes_votes(name):
    votes = voted(100)
    for given in (votes, lb.matches(votes)):
        with pytest.raises(lb.LeaderbayesError, match="not of votes"):
            getattr(lb.likelihood, name)(given)


def of_sides(first_wins, *, judges=20, n=200, seed=0):
    """Votes on three players, of which the first wins where it is said to."""
    rng = np.random.default_rng(seed)
    i = rng.integers(0, 3, n)
    j = (i + rng.integers(1, 3, n)) % 3
    judge = [f"j{k % judges}" for k in range(n)]
    return votes_of(i, j, np.broadcast_to(first_wins(i, j, rng), n), 3, judge=judge)


def test_an_order_that_explains_all_names_options_of_votes():
    votes = of_sides(lambda i, j, rng: 1.0)
    with pytest.raises(lb.NotConvergedError, match="the order has no finite") as problem:
        lb.likelihood.bradley_terry(votes, order_effect=True)
    assert "pseudo" not in str(problem.value)
    assert "--order-effect" in str(problem.value)


def test_no_estimate_names_penalties_of_votes():
    votes = of_sides(lambda i, j, rng: i < j)
    with pytest.raises(lb.NotConvergedError, match=r"a penalty \(pseudo_rounds=1\)") as problem:
        lb.likelihood.bradley_terry(votes)
    assert "firth" not in str(problem.value)


@pytest.mark.filterwarnings("ignore:LB028")
@pytest.mark.parametrize("seed", [33, 86, 178])
def test_two_judges_leave_the_order_a_variance(seed):
    """What they are alike in cancels out in the order, and is never taken for knowledge of it."""
    votes = of_sides(lambda i, j, rng: rng.random(len(i)) < 0.5, judges=2, seed=seed)
    by_judge, alone = (
        lb.likelihood.bradley_terry(votes, order_effect=True, cluster=cluster)["effect_covariance"]
        for cluster in ("judge", "none")
    )
    assert float(by_judge[-1, -1]) > 0.99 * float(alone[-1, -1])


@pytest.mark.filterwarnings("ignore:LB028")
def test_groups_that_never_met_may_tell_the_order():
    rng = np.random.default_rng(0)
    group = 2 * rng.integers(0, 2, 100)
    votes = votes_of(group, group + 1, rng.random(100) < 0.5, 4)
    with pytest.raises(lb.LeaderbayesError, match="do not identify the effect of the order"):
        lb.fit(votes, order_effect=True, seed=1)


@pytest.mark.parametrize("cluster", ["auto", "none", "judge"])
def test_votes_that_all_tie_have_standard_errors(cluster):
    """And no LB015, which is an error here."""
    votes = of_sides(lambda i, j, rng: 0.5)
    fit = lb.likelihood.bradley_terry(votes, cluster=cluster)
    assert json.loads(fit.attrs["warnings"]) == []
    assert (np.diag(fit["covariance"]) > 0.0).all()
    table = lb.leaderboard(fit)
    assert (table["epp_upper"] - table["epp_lower"] > 0.0).all()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["two", "baseline", "halves"])
def test_who_is_first_tells_the_order(kind, seed):
    """Each pair in one order, and no way round: refused whatever the arithmetic makes of it."""
    rng = np.random.default_rng(seed)
    pairs = {
        "two": [(0, 1)], "baseline": [(0, k) for k in range(1, 5)],
        "halves": [(i, j) for i in range(3) for j in (3, 4)],
    }[kind]  # fmt: skip
    n = int(rng.integers(3, 150)) * len(pairs)
    first, second = np.resize(pairs, (n, 2)).T
    votes = votes_of(first, second, rng.choice([0.0, 0.5, 1.0], n), 5)
    for model in ("bradley_terry", "davidson"):
        with pytest.raises(lb.LeaderbayesError, match="do not identify the effect of the order"):
            lb.fit(votes, model, order_effect=True, seed=1)


def test_a_weight_is_a_number_of_votes():
    votes = votes_of([0, 0, 0], [1, 1, 1], [1.0, 0.0, 1.0], 2)
    votes["weight"] = "vote", [1.0, 0.25, 2.0]
    with pytest.raises(lb.LeaderbayesError, match=r"vote 1 is 0\.25, .* whole number"):
        lb.likelihood.bradley_terry(votes)
