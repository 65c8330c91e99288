"""Published numbers of Bradley-Terry estimates, and where no estimate exists."""

import numpy as np
import pytest

import leaderbayes as lb
from conftest import board, simulate
from leaderbayes._numerics.bradley_terry import deviance, probability
from leaderbayes._scores.matches import components


def spread(estimate, published):
    """Largest disagreement of two sets of estimates in any difference of players."""
    gap = (estimate["epp"].to_series() - published["epp"]).dropna()
    return gap.max() - gap.min()


def test_vtab(reference):
    scores = reference("vtab/scores.csv")
    half = lb.likelihood.bradley_terry(lb.matches(scores))
    best, second = (half["epp"].sel(player=f"Sup-{p}-100%") for p in ("Rotation", "Exemplar"))
    assert float(best - second) == pytest.approx(0.244, abs=5e-4)
    assert spread(half, reference("vtab/eloml_glmnet.csv")) < 0.01
    published = reference("vtab/eloml_glm.csv")
    floor = lb.likelihood.bradley_terry(lb.matches(scores, ties="floor"), covariance="model")
    assert spread(floor, published) < 1e-6
    # EloML counts every match twice. Its strengths are relative to the last player.
    covariance = floor["covariance"].to_pandas()
    own, last = np.diag(covariance), covariance["WAE-UKL"]
    error = np.sqrt(own + last["WAE-UKL"] - 2 * last).drop("WAE-UKL")
    np.testing.assert_allclose(error, np.sqrt(2) * published["std_epp"][error.index], atol=1e-5)


def test_eloml_example(reference):
    """Two groups under half-counted ties, three under EloML's; glm is right within them."""
    scores = reference("eloml/auc_scores.csv")
    with pytest.raises(lb.NotConvergedError, match=r"not exist.* and 33 more never lost"):
        lb.likelihood.bradley_terry(lb.matches(scores))
    published = {kind: reference(f"eloml/auc_scores_{kind}.csv") for kind in ("glm", "glmnet")}
    groups = components(lb.matches(scores, ties="floor"))
    assert sorted(groups.value_counts()) == [6, 36, 38]
    for _, members in groups.groupby(groups):
        matches = lb.matches(scores.sel(player=members.index), ties="floor")
        estimate = lb.likelihood.bradley_terry(matches, covariance="model")
        assert spread(estimate, published["glm"].loc[members.index]) < 1e-6
    top = groups.index[groups == 1]
    estimate = lb.likelihood.bradley_terry(lb.matches(scores.sel(player=top)))
    gap = estimate["epp"].to_series() - published["glmnet"]["epp"].reindex(top)
    gap = (gap - gap.median()).abs()
    # The penalty draws the weakest ones in, the more the more they lose.
    assert gap.quantile(0.9) < 1e-2
    assert gap.idxmax() == estimate["epp"].to_series().idxmin()


def test_pmra(reference):
    epp = lb.likelihood.bradley_terry(lb.matches(reference("pmra/scores.csv")))["epp"]
    others = ["XGB6", "XGB9", "XGB7", "RF8", "XGB0"]
    won = 1 / (1 + np.exp(epp.sel(player=others) - epp.sel(player="RF9")))
    np.testing.assert_allclose(won, [0.511, 0.609, 0.613, 0.622, 0.640], atol=6e-4)


def test_covariances_agree_where_rounds_are_independent_matches():
    """One match a round: bootstrap, sandwich and inverse Hessian estimate the same."""
    rng = np.random.default_rng(0)
    values = simulate([0.6, 0.0, -0.6], 600, rng).to_numpy()
    for k in range(600):
        values[k % 3, k] = np.nan
    matches = lb.matches(board(values))
    made = {
        kind: np.sqrt(np.diag(lb.likelihood.bradley_terry(matches, covariance=kind)["covariance"]))
        for kind in ("model", "clustered")
    }
    made["bootstrap"] = lb.likelihood.bootstrap(matches, seed=0).std("replicate", ddof=1)
    # 1000 samples: the error of a standard deviation is 1 / sqrt(2000); three of these.
    np.testing.assert_allclose(made["bootstrap"], made["clustered"], rtol=0.07)
    np.testing.assert_allclose(made["model"], made["clustered"], rtol=0.07)


@pytest.mark.parametrize("met", ["all", "neighbours"])
@pytest.mark.parametrize("pseudo_rounds", [0.0, 0.01, 2.0])
def test_where_it_ends_is_the_maximum(met, pseudo_rounds):
    """However many have met, that is: where it begins goes by that."""
    rng = np.random.default_rng(8)
    scores = rng.normal(size=(90, 9)) + np.linspace(0.0, 1.0, 9)
    if met == "neighbours":
        first = np.arange(90)[:, None] % 9
        scores[(np.arange(9) != first) & (np.arange(9) != (first + 1) % 9)] = np.nan
    matches = lb.matches(board(scores.T))
    fit = lb.likelihood.bradley_terry(matches, covariance="model", pseudo_rounds=pseudo_rounds)
    epp, wins, n = (v.to_numpy() for v in (fit["epp"], matches["wins"], matches["n"]))
    against = probability(np.append(epp, 0.0))[:-1, -1]
    slope = (wins - n * probability(epp)).sum(axis=1) + pseudo_rounds * (0.5 - against)
    np.testing.assert_allclose(slope - slope.mean(), 0.0, atol=1e-9)  # strengths sum to zero
    p = probability(epp)
    information = np.diag((n * p * (1.0 - p)).sum(axis=1)) - n * p * (1.0 - p)
    information += pseudo_rounds * np.diag(against * (1.0 - against))
    free = np.eye(9) - 1.0 / 9.0
    np.testing.assert_allclose(
        fit["covariance"], np.linalg.pinv(free @ information @ free), atol=1e-6
    )
    misfit = deviance(epp, -np.inf, wins, np.zeros_like(wins), n)
    assert float(fit["deviance"]) == pytest.approx(misfit, abs=1e-8)


def test_two_players_and_one_round():
    two = lb.matches(board([[2.0, 1.0, 2.0, 2.0], [1.0, 2.0, 1.0, 1.0]]))
    fit = lb.likelihood.bradley_terry(two, covariance="model")
    assert float(fit["epp"][0] - fit["epp"][1]) == pytest.approx(np.log(3.0))
    assert float(fit["covariance"][0, 0]) == pytest.approx((1 / 3 + 1) / 4)
    one = lb.matches(board([[1.0], [1.0]]))
    with pytest.raises(lb.LeaderbayesError, match="One round"):
        lb.likelihood.bradley_terry(one)
    estimate = lb.likelihood.bradley_terry(one, covariance="model")
    np.testing.assert_allclose(estimate["epp"], 0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"covariance": "robust"}, "covariance='robust'"),
        ({"pseudo_rounds": -1.0}, "pseudo_rounds=-1.0"),
        ({"pseudo_rounds": 1.0, "firth": True}, "both penalties"),
        ({"hypothesis": [("p0", "p9")]}, "'p9', which is not one of the 2 players"),
        ({"hypothesis": [("p0", "p0")]}, "not independent"),
        ({"hypothesis": []}, "pairs of players"),
    ],
)
def test_bad_options(options, message):
    matches = lb.matches(board([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.likelihood.bradley_terry(matches, **options)


def test_several_tournaments_are_refused():
    scores = board([[1.0, 2.0], [2.0, 1.0]])
    both = lb.matches(scores.expand_dims(tournament=["x", "y"]))
    for penalty in ({}, {"pseudo_rounds": 1.0}):
        with pytest.raises(lb.LeaderbayesError, match="several tournaments"):
            lb.likelihood.bradley_terry(both, **penalty)
