"""The posterior of votes: its groups, its limits, and what it says of judges, order and style."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.special import expit

import leaderbayes as lb
from leaderbayes._errors import HintWarning, LeaderbayesError
from votes import fit, votes_of


def simulate(seed=1, players=6, size=2000, judges=20, spread=0.5, order=0.0, style=0.0):
    rng = np.random.default_rng(seed)
    strength = np.linspace(1.0, -1.0, players)
    opinion = rng.normal(0.0, spread, (judges, players))
    first = rng.integers(0, players, size)
    second = (first + rng.integers(1, players, size)) % players
    judge, length = rng.integers(0, judges, size), rng.normal(size=size)
    eta = strength[first] - strength[second] + opinion[judge, first] - opinion[judge, second]
    outcome = (rng.random(size) < expit(eta + order + style * length)).astype(float)
    return xr.Dataset(
        {
            "first": ("vote", first.astype(np.int32)),
            "second": ("vote", second.astype(np.int32)),
            "outcome": ("vote", outcome),
            "covariates": (("vote", "covariate"), length[:, None]),
        },
        {
            "player": [f"m{i}" for i in range(players)],
            "judge": ("vote", [f"j{g}" for g in judge]),
            "covariate": ["length"],
        },
        {"kind": "votes", "ordered": 1},
    )


@pytest.fixture(scope="module")
def votes():
    return simulate()


@pytest.fixture(scope="module")
def dt(votes):
    return lb.fit(votes, covariates=[], seed=1)


def sd(dt):
    return float(dt["posterior"]["epp"].std(("chain", "draw")).mean())


def test_groups(dt, votes):
    assert set(dt.children) == {
        "posterior", "sample_stats", "posterior_predictive", "log_likelihood", "log_prior",
        "observed_data", "constant_data",
    }  # fmt: skip
    assert dict(dt["posterior"].sizes) == {"chain": 4, "draw": 1000, "player": 6}
    assert abs(dt["posterior"]["epp"].sum("player")).max() < 1e-9
    assert dt.attrs["model"] == "bradley_terry"
    assert dt.attrs["converged"] == 1
    assert 0.0 < dt.attrs["weight"] < 1.0
    assert dt.attrs["p_check"] > 0.01
    assert json.loads(dt.attrs["arguments"])["cluster"] == "auto"
    np.testing.assert_array_equal(dt["constant_data"]["outcome"], votes["outcome"])
    again = dt["posterior_predictive"].dataset
    n = dt["constant_data"].dataset["n"].to_numpy()
    np.testing.assert_allclose(
        again["wins"] + again["wins"].to_numpy().swapaxes(2, 3),
        np.broadcast_to(n, again["wins"].shape),
    )


def test_same_seed_same_draws(votes, dt):
    again = lb.fit(votes, covariates=[], seed=1)
    np.testing.assert_array_equal(again["posterior"]["epp"], dt["posterior"]["epp"])
    np.testing.assert_array_equal(
        again["posterior_predictive"]["misfit"], dt["posterior_predictive"]["misfit"]
    )


def test_judges_make_intervals_wider(votes, dt):
    alone = lb.fit(votes, covariates=[], cluster="none", seed=1)
    assert sd(dt) > 1.3 * sd(alone)
    assert dt.attrs["weight"] < 0.7
    assert alone.attrs["weight"] == pytest.approx(1.0, abs=0.05)
    # As is a pair's own record.
    own, other = (lb.win_probability(each, by="record") for each in (dt, alone))
    wide = own["upper"] - own["lower"]
    narrow = other["upper"] - other["lower"]
    assert bool((wide > narrow).where(np.triu(np.ones((6, 6)), 1) > 0, True).all())
    np.testing.assert_allclose(other["mean"], (other["won"] + 0.5) / (other["played"] + 1.0))


def test_nuts_draws_the_same_posterior(votes, dt):
    other = lb.fit(votes, covariates=[], seed=2, sampler="nutpie", progressbar=False)
    a, b = (each["posterior"]["epp"].stack(sample=("chain", "draw")) for each in (dt, other))
    spread = a.std("sample")
    error = np.sqrt(1.0 / dt.attrs["min_ess"] + 1.0 / other.attrs["min_ess"])
    assert float((abs(a.mean("sample") - b.mean("sample")) / spread).max()) < 4.5 * error
    assert float(abs(b.std("sample") / spread - 1.0).max()) < 4.5 * error


def test_order_and_style_are_found_and_taken_off():
    votes = simulate(seed=3, size=8000, spread=0.2, order=0.6, style=0.4)
    dt = lb.fit(votes, order_effect=True, seed=1)
    effect = dt["posterior"]["effect_size"]
    assert effect["effect"].to_numpy().tolist() == ["order", "length"]
    mean, error = effect.mean(("chain", "draw")), effect.std(("chain", "draw"))
    np.testing.assert_allclose(mean, [0.6, 0.4], atol=4.0 * float(error.max()) + 0.03)
    with pytest.warns(HintWarning, match="LB045 the one shown first wins about 1.[6-9]"):
        lb.fit(votes, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", HintWarning)
        lb.fit(votes, order_effect=True, seed=1)


def test_few_judges_are_said():
    with pytest.warns(HintWarning, match=r"LB044 votes are of (4.9|5.0) judges in effect"):
        dt = lb.fit(simulate(judges=5), covariates=[], seed=1)
    assert "LB044" in dt.attrs["warnings"]


def test_one_judge_is_said():
    """It says nothing of others: intervals are those of independent votes."""
    votes = simulate(judges=1)
    with pytest.warns(HintWarning, match="LB044 votes are all but of one judge"):
        dt = lb.fit(votes, covariates=[], seed=1)
    alone = lb.fit(votes, covariates=[], cluster="none", seed=1)
    assert sd(dt) == pytest.approx(sd(alone), rel=0.05)


def test_judges_of_a_pair_each_are_not_said_to_be_one():
    votes = votes_of([0, 0, 0], [1, 2, 3], [1.0, 0.0, 1.0], 4, judge=["x", "y", "z"])
    dt = fit(votes, sampler="laplace")
    assert "LB044 hardly any two judges have votes on the same players" in dt.attrs["warnings"]


def test_an_undefeated_player_keeps_its_tail(votes):
    best = votes["first"] == 0
    outcome = np.where(best, 1.0, np.where(votes["second"] == 0, 0.0, votes["outcome"]))
    with pytest.warns(lb.DisconnectedWarning, match="m0 never lost"):
        dt = lb.fit(votes.assign(outcome=("vote", outcome)), covariates=[], seed=1)
    epp = dt["posterior"]["epp"].sel(player="m0").to_numpy().ravel()
    low, middle, high = np.quantile(epp, [0.025, 0.5, 0.975])
    assert low > 1.5
    assert high - middle > 1.2 * (middle - low)


def test_the_order_of_votes_says_nothing(votes, dt):
    turn = np.random.default_rng(4).permutation(votes.sizes["vote"])
    again = lb.fit(votes.isel(vote=turn), covariates=[], seed=1)
    np.testing.assert_allclose(
        again["posterior"]["epp"].mean(("chain", "draw")),
        dt["posterior"]["epp"].mean(("chain", "draw")),
        atol=1e-3,
    )


def test_misfit_is_found():
    """Three players who beat each other in a ring."""
    votes = simulate(spread=0.2)
    first, second = votes["first"].to_numpy(), votes["second"].to_numpy()
    ring = (first < 3) & (second < 3)
    turns = (second - first) % 3 == 1
    outcome = np.where(ring, turns, votes["outcome"]).astype(float)
    with pytest.warns(lb.MisfitWarning, match="LB016"):
        dt = lb.fit(votes.assign(outcome=("vote", outcome)), covariates=[], seed=1)
    assert float(lb.check(dt)["p_round"]) < 0.05
    assert lb.compare(dt, "m0", "m1")["record"] > 0.9


@pytest.mark.slow
def test_votes_by_chance_fit():
    """P-values of boards that the model describes are spread evenly, or nearly."""
    p = [lb.fit(simulate(seed, size=1000), covariates=[], seed=1).attrs["p_check"]
         for seed in range(40)]  # fmt: skip
    assert sum(each < 0.05 for each in p) <= 6
    assert 0.3 < np.mean(p) < 0.7


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": "mean_score"}, "Votes take model='bradley_terry'"),
        ({"sampler": "pymc"}, "Votes take"),
        ({"cluster": "prompt"}, "have no prompts"),
        ({"covariates": ["width"]}, "'width' is not known"),
        ({"test_fraction": 0.1}, "no option 'test_fraction'"),
        ({"ties": "floor"}, "no meaning for votes"),
    ],
)
def test_bad_options(votes, options, said):
    with pytest.raises(LeaderbayesError, match=said):
        lb.fit(votes, **options)


def other_law(model, seed=1, size=3000, judges=30):
    """Votes of judges who differ in what they add to the first, or with ties."""
    votes = simulate(seed, size=size, judges=judges, spread=0.3 if model == "davidson" else 0.0)
    rng = np.random.default_rng(seed)
    judge = np.unique(votes["judge"], return_inverse=True)[1]
    eta = np.linspace(1.0, -1.0, 6)
    eta = eta[votes["first"]] - eta[votes["second"]]
    if model == "round_intercept":
        eta += 0.4 + 0.6 * rng.normal(size=judges)[judge]
        outcome = (rng.random(size) < expit(eta)).astype(float)
    else:
        outcome = votes["outcome"].to_numpy()
        outcome[rng.random(size) < 0.3] = 0.5
    return votes.assign(outcome=("vote", outcome)).drop_vars(["covariates", "covariate"])


@pytest.mark.parametrize("model", ["davidson", "round_intercept"])
def test_other_models_and_their_verbs(model, tmp_path):
    votes = other_law(model)
    dt = lb.fit(votes, model, seed=1, prior=True)
    assert dt.attrs["model"] == model
    assert dt.attrs["converged"] == 1
    assert dt.attrs["p_check"] > 0.01
    table = lb.leaderboard(dt)
    assert table["player"].tolist()[:2] == ["m0", "m1"]
    inside = [
        table.set_index("player").loc[f"m{k}", ["epp_lower", "epp_upper"]].to_list()
        for k in range(6)
    ]
    # Davidson's ties leave fewer votes that decide, at the same odds.
    assert (
        sum(low < true < up for (low, up), true in zip(inside, np.linspace(1, -1, 6), strict=True))
        >= 4
    )
    own = {"davidson": "tie", "round_intercept": "intercept_scale"}[model]
    assert set(dt["log_prior"].data_vars) == {"epp_scale", own}
    assert dt["posterior"][own].dims == ("chain", "draw")
    if model == "round_intercept":
        assert 0.35 < float(dt["posterior"][own].mean()) < 0.9
        assert 0.1 < float(dt["posterior"]["effect_size"].mean()) < 0.7
    lb.compare(dt, "m0", "m5")
    lb.groups(dt)
    lb.deviance(dt)
    checked = lb.check(dt)
    assert np.nanmax(abs(checked["pair_gap"])) < 5.0
    text = lb.report.text(dt)
    assert {"davidson": "Davidson's model", "round_intercept": "PMRA"}[model] in " ".join(
        text.split()
    )
    path = lb.write_fit(dt, tmp_path / "fit.nc")
    xr.testing.assert_identical(lb.read_fit(path)["posterior"].dataset, dt["posterior"].dataset)
    again = lb.fit(votes, model, seed=1)
    np.testing.assert_array_equal(again["posterior"]["epp"], dt["posterior"]["epp"])
    for answer in (lb.plan(dt, seed=1), lb.influence(dt)):
        assert answer.attrs["message"]
    with pytest.raises(LeaderbayesError, match="votes"):
        lb.loo(dt)


def test_what_other_models_refuse(votes):
    tied = votes.assign(outcome=votes["outcome"].where(np.arange(votes.sizes["vote"]) > 10, 0.5))
    for model, options, said in (
        ("round_intercept", {}, "takes no covariates"),
        ("round_intercept", {"covariates": [], "order_effect": False}, "order_effect=False"),
        ("round_intercept", {"covariates": []}, "ties='drop'"),
        ("davidson", {"tie_scale": 0.0}, "tie_scale"),
        ("tournaments", {}, "these votes are of one"),
        ("plackett_luce", {}, "'davidson' or 'round_intercept'"),
    ):
        with pytest.raises(LeaderbayesError, match=said):
            lb.fit(tied, model, **options)
    several = tied.assign_coords(tournament=("vote", np.arange(tied.sizes["vote"]) % 2))
    with pytest.raises(LeaderbayesError, match=r"several tournaments: .*study\.fit"):
        lb.fit(several)
    dt = lb.fit(tied, "round_intercept", ties="drop", covariates=[], seed=1, replicates=4)
    assert float(dt["constant_data"]["tied"].sum()) == 0.0


@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
@pytest.mark.parametrize(
    ("rows", "weight"),
    [
        ([("a", "b", "model_a")], 1.0),
        ([("a", "b", "model_a")] * 30, 1.0),
        ([("a", "b", "model_a"), ("b", "c", "model_a"), ("a", "c", "model_a")], 1.0),
        ([("a", "b", f"model_{w}") for w in "ab"] + [("c", "d", f"model_{w}") for w in "ab"], 1.0),
        ([("a", "b", "tie")] * 4, 5.0),
    ],
)  # fmt: skip
def test_few_votes_count_once(rows, weight):
    """Of votes that are decided, or of players who never met, none counts for more than one."""
    table = pd.DataFrame(rows, columns=["model_a", "model_b", "winner"])
    dt = lb.fit(lb.read_votes(table), seed=1, replicates=60)
    assert dt.attrs["weight"] == pytest.approx(weight)


@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
def test_effects_that_others_tell_are_refused():
    table = pd.DataFrame(
        {"model_a": "a", "model_b": ["b", "c"] * 40, "winner": (["model_a"] * 3 + ["model_b"]) * 20}
    )
    with pytest.raises(LeaderbayesError, match="Nothing says how large"):
        lb.fit(lb.read_votes(table), order_effect=True, seed=1)


def neighbours(seed, players=12, each=50, sort=True):
    """Votes of players who meet those next to them only, in order of their strength or not."""
    rng = np.random.default_rng(seed)
    strength = rng.normal(size=players)
    strength = np.sort(strength) if sort else strength
    first = np.repeat(np.arange(players - 1), each).astype(np.int32)
    outcome = (rng.random(len(first)) < expit(strength[first] - strength[first + 1])).astype(float)
    votes = xr.Dataset(
        {
            "first": ("vote", first),
            "second": ("vote", first + np.int32(1)),
            "outcome": ("vote", outcome),
        },
        {"player": [f"m{i:02d}" for i in range(players)]},
        {"kind": "votes", "ordered": 0},
    )
    return votes, strength


def covered(dt, strength):
    epp = dt["posterior"]["epp"].to_numpy().reshape(-1, len(strength))
    one, other = np.triu_indices(len(strength), 1)
    low, high = np.quantile(epp[:, one] - epp[:, other], [0.025, 0.975], axis=0)
    gap = strength[one] - strength[other]
    return float(((low <= gap) & (gap <= high)).mean())


@pytest.fixture(scope="module")
def ladder():
    votes, strength = neighbours(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return votes, strength, lb.fit(votes, seed=1, prior=True)


@pytest.mark.slow
def test_pairs_that_are_matched_are_told_by_who_met_whom(ladder):
    votes, strength, dt = ladder
    assert dt.attrs["converged"]
    assert dt["posterior"]["matching"].dims == ("chain", "draw")
    assert 0.0 < float(dt["posterior"]["matching"].min())
    assert float(dt["posterior"]["matching"].max()) < 2.0
    # Exchangeable strengths are drawn together along the way.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        open_ = lb.fit(votes, seed=1, matched=False)
    assert "matching" not in open_["posterior"]
    mean = [each["posterior"]["epp"].mean(("chain", "draw")).to_numpy() for each in (dt, open_)]
    far = [np.ptp(each) for each in mean]
    assert far[0] > 1.3 * far[1]
    assert covered(open_, strength) < 0.7 < covered(dt, strength)


def test_prior_of_matched_pairs_is_drawn(ladder):
    prior = ladder[2]["prior"].dataset
    assert set(prior) == {"epp", "epp_scale", "matching"}
    np.testing.assert_allclose(prior["epp"].sum("player"), 0.0, atol=1e-6)
    assert prior["matching"].mean() == pytest.approx(1.0, abs=5.0 * 0.58 / np.sqrt(1000))


def test_where_many_meet_many_nothing_is_learnt_of_the_design(dt, votes):
    assert "matching" not in dt["posterior"]
    asked = lb.fit(votes, covariates=[], seed=1, matched=True)
    gap = asked["posterior"]["epp"].mean(("chain", "draw")) - dt["posterior"]["epp"].mean(
        ("chain", "draw")
    )
    assert float(abs(gap).max()) < 0.15 * sd(dt)
    assert sd(asked) == pytest.approx(sd(dt), rel=0.1)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
def test_intervals_of_neighbours_cover():
    # Boards' coverages have a standard deviation of about 0.15: four errors of 12 are 0.17.
    share = []
    for seed in range(12):
        votes, strength = neighbours(100 + seed, sort=seed % 3 > 0)
        share.append(covered(lb.fit(votes, seed=seed), strength))
    assert np.mean(share) > 0.95 - 4.0 * np.std(share) / np.sqrt(12)
    assert np.mean(share) > 0.85


@pytest.mark.slow
def test_what_strengths_always_describe_is_not_checked(ladder):
    votes, _, dt = ladder
    assert np.isnan(dt.attrs["p_check"])
    assert np.isnan(lb.check(dt, seed=1)["p_round"])
    assert "nothing to check" in " ".join(lb.report.text(dt).split())
    assert "Not asked" in lb.audit(dt, seed=1)["check"].attrs["message"]
    # One pair more closes a circle.
    more = xr.concat([votes, votes.isel(vote=slice(0, 40))], "vote", data_vars="minimal")
    more["second"][-40:] = 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isfinite(lb.fit(more, seed=1).attrs["p_check"])


def test_matched_is_true_false_or_none(votes):
    with pytest.raises(LeaderbayesError, match="matched='auto': choose None, True or False"):
        lb.fit(votes, covariates=[], matched="auto")


def test_how_pairs_are_taken_is_recorded(dt, ladder):
    assert json.loads(dt.attrs["arguments"])["matched"] is False
    assert json.loads(ladder[2].attrs["arguments"])["matched"] is True
