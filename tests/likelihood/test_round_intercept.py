"""PMRA by maximum likelihood: lme4's numbers, and where no estimate exists."""

import numpy as np
import pytest
import xarray as xr
from scipy.special import expit

import leaderbayes as lb
from conftest import board, simulate
from leaderbayes.likelihood._round_intercept import order_explains


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(3)
    return simulate([1.2, 0.4, 0.0, -0.1, -0.1, -1.4], 15, rng)


@pytest.fixture(scope="module")
def matches(scores):
    return lb.matches(scores)


@pytest.mark.filterwarnings("ignore:LB014")
def test_lme4(reference):
    scores = reference("pmra/scores.csv")
    fit = lb.likelihood.round_intercept(lb.matches(scores, ties="loss"))
    published = reference("pmra/lme4_fixed_effects.csv")
    assert float(fit["loglik"]) == pytest.approx(-4109.671, abs=5e-4)
    assert float(fit["sd_round"]) == pytest.approx(0.48239, abs=1e-5)
    assert fit.attrs["zero"] == "knn9"
    intercept = published.loc["(Intercept)"]
    assert float(fit["intercept"]) == pytest.approx(intercept["Estimate"], abs=1e-3)
    error = np.sqrt(float(fit["intercept_variance"]))
    assert error == pytest.approx(intercept["Std. Error"], abs=1e-3)
    players = published.index.drop("(Intercept)")
    assert len(players) == 48
    own = fit.sel(player=players)
    np.testing.assert_allclose(own["fixed_effect"], published["Estimate"][players], atol=1e-3)
    np.testing.assert_allclose(
        own["fixed_effect_error"], published["Std. Error"][players], atol=1e-3
    )
    table = reference("pmra/lme4_probability_top10.csv")
    won = lb.win_probability(fit, convention="published")["mean"].to_pandas()
    np.testing.assert_allclose(won.loc[table.index, table.columns], table, atol=1e-3)


@pytest.mark.filterwarnings("ignore:LB014")
def test_the_printed_ranking_is_of_the_models_without_knn(reference):
    """Table 7: probability of beating RF9, and p-value; the program keeps 40 of 49 models."""
    scores = reference("pmra/scores.csv")
    kept = scores.sel(player=~scores["player"].str.startswith("knn"))
    fit = lb.likelihood.round_intercept(lb.matches(kept, ties="loss"))
    won = lb.win_probability(fit, convention="published")["mean"].sel(opponent="RF9")
    printed = {"XGB6": (0.495, 0.948), "XGB9": (0.388, 0.093), "RF8": (0.355, 0.031)}
    for player, (probability, p_value) in printed.items():
        assert float(won.sel(player=player)) == pytest.approx(probability, abs=6e-4)
        wald = lb.likelihood.hypothesis_test(fit, player, "RF9", convention="published")
        assert wald["p_value"] == pytest.approx(p_value, abs=6e-4)


def test_a_pair_is_tested_as_in_the_table_of_all(matches):
    order = ["p3", "p0", "p5", "p1", "p4", "p2"]
    fit = lb.likelihood.round_intercept(matches, order=order)
    for convention in ("correct", "published"):
        table = lb.likelihood.pairwise_tests(fit, adjust=None, convention=convention)
        for row in table.itertuples():
            pair = (row.player, row.opponent)
            wald = lb.likelihood.hypothesis_test(fit, *pair, convention=convention)
            assert wald["p_value"] == pytest.approx(row.p_value, rel=1e-6)


def test_laplace_is_near_and_zero_and_ties_do_what_they_say(scores, matches):
    ten = lb.likelihood.round_intercept(matches)
    one = lb.likelihood.round_intercept(matches, n_quadrature=1)
    np.testing.assert_allclose(one["epp"], ten["epp"], atol=0.02)
    assert float(one["loglik"]) != float(ten["loglik"])
    other = lb.likelihood.round_intercept(matches, zero="p0")
    np.testing.assert_allclose(other["epp"], ten["epp"], atol=1e-7)
    assert float(other["fixed_effect"].sel(player="p0")) == 0.0
    loss = lb.likelihood.round_intercept(lb.matches(scores, ties="loss"))
    np.testing.assert_allclose(loss["epp"], ten["epp"], atol=1e-7)  # no ties here
    tied = scores.round()
    half = lb.likelihood.round_intercept(lb.matches(tied))
    with pytest.warns(lb.LeaderbayesWarning, match=r"LB014.*\d+ of 225 matches tie"):
        loss = lb.likelihood.round_intercept(lb.matches(tied, ties="loss"))
    assert not np.allclose(half["epp"], loss["epp"], atol=1e-3)


def test_two_names_of_one_player(scores):
    """Half-counted ties leave what the intercepts do; ties as losses tear the two apart."""
    twice = board(np.vstack([scores, scores[2]]))
    with pytest.warns(lb.LeaderbayesWarning, match=r"LB014.*'p\d' and 'p\d' have the same scores"):
        half = lb.likelihood.round_intercept(lb.matches(twice))
    with pytest.warns(lb.LeaderbayesWarning, match="are losses of the first-listed player"):
        loss = lb.likelihood.round_intercept(lb.matches(twice, ties="loss"))
    apart = [abs(float(fit["epp"][2] - fit["epp"][6])) for fit in (half, loss)]
    assert apart[0] < apart[1] / 2.0
    assert lb.leaderboard(half).attrs["warnings"] == half.attrs["warnings"]


def test_an_order_effect_is_said():
    """Everybody beats whoever is listed after: the order explains it as well as strengths do."""
    rng = np.random.default_rng(0)
    values = simulate([1.5, 1.0, 0.5, 0.0, -0.5], 40, rng).to_numpy()
    # The last two beat the first one, against all that strengths predict.
    values[3:, ::2] = values[:1, ::2] + np.array([[0.01], [0.02]])
    with pytest.warns(lb.LeaderbayesWarning, match=r"LB014.*b_0 = .* with standard error"):
        lb.likelihood.round_intercept(lb.matches(board(values)))


@pytest.mark.parametrize("rounds", [2, 10])
@pytest.mark.parametrize("ties", ["half", "loss"])
def test_rounds_all_one_way_have_no_finite_spread(rounds, ties):
    """In each round all go the order's way, or against it: the likelihood rises to 2^-rounds."""
    values = np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0]])
    with pytest.raises(lb.NotConvergedError, match="no finite estimate"):
        lb.likelihood.round_intercept(lb.matches(board(np.tile(values, rounds // 2)), ties=ties))


def test_order_turns_the_intercept(scores, matches):
    """Listed the other way round, with no ties, the intercept changes sign and nothing else."""
    players = list(scores["player"].to_numpy())
    fit = lb.likelihood.round_intercept(matches)
    back = lb.likelihood.round_intercept(matches, order=players[::-1])
    np.testing.assert_allclose(back["epp"], fit["epp"], atol=1e-6)
    assert float(back["intercept"]) == pytest.approx(-float(fit["intercept"]), abs=1e-6)
    shuffled = lb.likelihood.round_intercept(
        matches, order=[players[k] for k in (3, 0, 5, 1, 4, 2)]
    )
    assert abs(shuffled["epp"] - fit["epp"]).max() > 1e-3


def test_win_probabilities(matches):
    fit = lb.likelihood.round_intercept(matches)
    published = lb.win_probability(fit, convention="published")
    np.testing.assert_allclose(published["mean"] + published["mean"].T.to_numpy(), 1.0)
    gap = float(fit["intercept"] + fit["epp"][0] - fit["epp"][1])
    assert float(published["mean"].sel(player="p0", opponent="p1")) == pytest.approx(expit(gap))
    plain = lb.win_probability(fit)
    assert float(plain["mean"].sel(player="p0", opponent="p1")) == pytest.approx(
        expit(float(fit["epp"][0] - fit["epp"][1]))
    )
    assert (plain["lower"] <= plain["mean"]).all()


def test_without_intercepts_it_is_bradley_terry():
    """Rounds whose first-listed players win alike often: s is 0, and with b_0 = 0 this is EPP."""
    scores = board([[3, 1, 2, 2], [2, 3, 1, 3], [1, 2, 3, 1], [2.5, 1.5, 2.2, 2.8]])
    fit = lb.likelihood.round_intercept(lb.matches(scores))
    assert fit.attrs["singular"] == 1
    np.testing.assert_allclose(fit["round_effect"], 0.0, atol=1e-3)
    none = xr.DataArray(
        [[1.0]], dims=("hypothesis", "coefficient"), coords={"coefficient": ["intercept"]}
    )
    restricted = lb.likelihood.round_intercept(lb.matches(scores), hypothesis=none)
    plain = lb.likelihood.bradley_terry(lb.matches(scores), covariance="model")
    assert float(restricted["intercept"]) == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(restricted["epp"], plain["epp"], atol=1e-6)
    np.testing.assert_allclose(restricted["covariance"], plain["covariance"], atol=1e-6)
    assert float(restricted["loglik"]) == pytest.approx(float(plain["loglik"]), abs=1e-8)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[3.0, 3.0], [2.0, 2.0], [1.0, 1.0]], "3 groups"),
        ([[2.0, 1.0, 2.0], [1.0, 2.0, 1.0]], "players' order explains the results"),
    ],
)
def test_no_estimate(values, message):
    with pytest.raises(lb.NotConvergedError, match=message):
        lb.likelihood.round_intercept(lb.matches(board(values)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": ["p0"]}, "order lacks 'p1'"),
        ({"zero": "x"}, "zero='x'"),
        ({"n_quadrature": 0}, "n_quadrature=0"),
    ],
)
def test_bad_options(matches, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.likelihood.round_intercept(matches, **options)


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
