"""The posterior of votes: its groups, its limits, and what it says of judges, order and style."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.special import expit

import leaderbayes as lb
from leaderbayes._inference import check_of_fit
from votes import fit, votes_of

EPP = np.linspace(1.0, -1.0, 6)


def simulate(seed=1, size=2000, judges=20, spread=0.5, order=0.0, style=0.0, ties=0.0):
    rng = np.random.default_rng(seed)
    opinion = rng.normal(0.0, spread, (judges, 6))
    first = rng.integers(0, 6, size)
    second = (first + rng.integers(1, 6, size)) % 6
    judge, length = rng.integers(0, judges, size), rng.normal(size=size)
    eta = EPP[first] - EPP[second] + opinion[judge, first] - opinion[judge, second]
    outcome = (rng.random(size) < expit(eta + order + style * length)).astype(float)
    outcome[rng.random(size) < ties] = 0.5
    votes = votes_of(first, second, outcome, 6, judge=[f"j{g}" for g in judge])
    if style:
        votes["covariates"] = ("vote", "covariate"), length[:, None]
        votes = votes.assign_coords(covariate=["length"])
    return votes


@pytest.fixture(scope="module")
def votes():
    return simulate()


@pytest.fixture(scope="module")
def dt(votes):
    return lb.fit(votes, seed=1)


def mean(dt):
    return dt["posterior"]["epp"].mean(("chain", "draw"))


def sd(dt):
    return float(dt["posterior"]["epp"].std(("chain", "draw")).mean())


def test_groups(dt, votes):
    assert dict(dt["posterior"].sizes) == {"chain": 4, "draw": 1000, "player": 6}
    assert abs(dt["posterior"]["epp"].sum("player")).max() < 1e-9
    assert (dt.attrs["model"], dt.attrs["converged"]) == ("bradley_terry", 1)
    assert 0.2 < float(dt["constant_data"]["weight"].mean()) < 0.7
    assert dt.attrs["p_check"] > 0.01
    np.testing.assert_array_equal(dt["observed_data"]["outcome"], votes["outcome"])
    again = dt["posterior_predictive"]["outcome"]
    assert again.dims == ("chain", "draw", "vote")
    assert again.sizes["chain"] * again.sizes["draw"] == 400
    gap = mean(dt).to_numpy()[votes["first"]] - mean(dt).to_numpy()[votes["second"]]
    np.testing.assert_allclose(again.mean(), expit(gap).mean(), atol=0.02)


def test_same_seed_same_draws_in_any_order_of_votes(votes, dt):
    again = lb.fit(votes, seed=1)
    for group in ("posterior", "posterior_predictive"):
        xr.testing.assert_identical(again[group].dataset, dt[group].dataset)
    turned = lb.fit(votes.isel(vote=np.random.default_rng(4).permutation(2000)), seed=1)
    np.testing.assert_allclose(mean(turned), mean(dt), atol=1e-3)


def test_judges_make_intervals_wider(votes, dt):
    alone = lb.fit(votes, cluster="none", seed=1)
    assert sd(dt) > 1.3 * sd(alone)
    assert float(alone["constant_data"]["weight"].mean()) == pytest.approx(1.0, abs=0.05)
    # As is a pair's own record.
    own, other = (lb.win_probability(each, by="record") for each in (dt, alone))
    wider = (own["upper"] - own["lower"]) > (other["upper"] - other["lower"])
    assert wider.to_numpy()[np.triu_indices(6, 1)].all()


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"model": "davidson", "order_effect": True}])
def test_nuts_draws_the_same_posterior(options):
    votes = simulate(ties=0.2, style=0.3)
    dt, other = (fit(votes, sampler=s, progressbar=False, **options) for s in ("auto", "nutpie"))
    error = np.sqrt(1.0 / dt.attrs["min_ess"] + 1.0 / other.attrs["min_ess"])
    for name in set(dt["posterior"].data_vars) - {"epp_scale"}:
        a, b = (each["posterior"][name] for each in (dt, other))
        spread = a.std(("chain", "draw"))
        gap = abs(a.mean(("chain", "draw")) - b.mean(("chain", "draw"))) / spread
        assert float(gap.max()) < 4.5 * error
        assert float(abs(b.std(("chain", "draw")) / spread - 1.0).max()) < 4.5 * error


def test_order_and_style_are_found():
    votes = simulate(seed=3, size=8000, spread=0.2, order=0.6, style=0.4)
    effect = lb.fit(votes, order_effect=True, seed=1)["posterior"]["effect_size"]
    assert effect["effect"].to_numpy().tolist() == ["order", "length"]
    error = float(effect.std(("chain", "draw")).max())
    np.testing.assert_allclose(effect.mean(("chain", "draw")), [0.6, 0.4], atol=4.0 * error + 0.03)


def test_few_judges_are_said():
    with pytest.warns(lb.LeaderbayesWarning, match="LB028 Votes come from effectively 5 judges"):
        dt = lb.fit(simulate(judges=5), seed=1)
    assert "LB028" in dt.attrs["warnings"]
    one = simulate(judges=1)
    with pytest.warns(lb.LeaderbayesWarning, match="LB028 Nearly all votes are of one judge"):
        dt = lb.fit(one, seed=1)
    # It says nothing of others: intervals are those of independent votes.
    assert sd(dt) == pytest.approx(sd(lb.fit(one, cluster="none", seed=1)), rel=0.05)


def test_an_undefeated_player_keeps_its_tail(votes):
    best = votes["first"] == 0
    outcome = np.where(best, 1.0, np.where(votes["second"] == 0, 0.0, votes["outcome"]))
    with pytest.warns(lb.LeaderbayesWarning, match="m0 never lost"):
        dt = lb.fit(votes.assign(outcome=("vote", outcome)), seed=1)
    epp = dt["posterior"]["epp"].sel(player="m0").to_numpy().ravel()
    low, middle, high = np.quantile(epp, [0.025, 0.5, 0.975])
    assert low > 1.5
    assert high - middle > 1.2 * (middle - low)


def test_an_order_that_explains_everything_has_a_posterior():
    votes = votes_of([0, 1, 2, 0] * 20, [1, 2, 0, 2] * 20, np.ones(80), 3)
    dt = fit(votes, order_effect=True)
    assert float(dt["posterior"]["effect_size"].mean()) > 2.0


def test_misfit_is_found():
    """Three players who beat each other in a ring."""
    votes = simulate(spread=0.2)
    first, second = votes["first"].to_numpy(), votes["second"].to_numpy()
    ring = (first < 3) & (second < 3)
    outcome = np.where(ring, (second - first) % 3 == 1, votes["outcome"]).astype(float)
    dt = lb.fit(votes.assign(outcome=("vote", outcome)), seed=1)
    found = lb.check(dt)
    assert float(found["p_value"]) < 0.05
    assert float(found["misfit"]) > 0.1
    pair = [lb.win_probability(dt, by=by)["mean"].to_numpy()[0, 1] for by in ("auto", "model")]
    assert abs(pair[0] - pair[1]) > 0.2


@pytest.mark.parametrize("model", ["bradley_terry", "davidson"])
def test_few_replicates_are_drawn_again_by_pair(monkeypatch, model):
    """As those of single votes, with opinions, ties and the order."""
    monkeypatch.setattr(check_of_fit, "_FEWEST", 400)
    every = fit(simulate(order=0.3, ties=0.2), model=model, order_effect=True, replicates=400)
    one = every.copy()
    one["posterior_predictive"] = one["posterior_predictive"].isel(draw=[0])
    single, pairs = (lb.check(dt, seed=1)["replicated"] for dt in (every, one))
    assert pairs.sizes == single.sizes
    error = float(single.std()) / 20.0 * np.sqrt(2.0)
    assert abs(float(pairs.mean() - single.mean())) < 4.0 * error
    assert float(pairs.std() / single.std()) == pytest.approx(1.0, abs=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("ties", [0.0, 0.2])
def test_votes_by_chance_fit(ties):
    """P-values of boards that the model describes are spread evenly, or nearly."""
    p = [fit(simulate(seed, size=1000, ties=ties), replicates=400).attrs["p_check"]
         for seed in range(40)]  # fmt: skip
    assert sum(each < 0.05 for each in p) <= 6
    assert 0.3 < np.mean(p) < 0.7


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": "mean_score"}, "is not for votes"),
        ({"cluster": "prompt"}, "have no prompts"),
        ({"cluster": "colour"}, "cluster='colour'"),
        ({"covariates": ["width"]}, "'width' is unknown"),
        ({"test_fraction": 0.1}, "test_fraction: for rounds of scores"),
        ({"weight": 0.5}, "weight: for rounds of scores"),
        ({"ties": "floor"}, "ties='floor'"),
        ({"model": "davidson", "ties": "drop"}, "ties='drop'"),
        ({"model": "davidson", "options": {"tie_scale": 0.0}}, "tie_scale"),
        ({"options": {"matched": "auto"}}, "matched='auto'"),
    ],
)
def test_bad_options(votes, options, said):
    with pytest.raises(lb.LeaderbayesError, match=said):
        lb.fit(votes, **options)


def test_votes_of_several_tournaments_are_for_a_study(votes):
    several = votes.assign_coords(tournament=("vote", np.arange(2000) % 2))
    with pytest.raises(lb.LeaderbayesError, match=r"several tournaments: .*study\.fit"):
        lb.fit(several)


def test_ties_are_left_out_or_modelled():
    votes = simulate(size=3000, judges=30, spread=0.3, ties=0.3)
    votes["outcome"][:100] = np.nan
    without = fit(votes, ties="drop")
    assert without["observed_data"].sizes["vote"] == (votes["outcome"] % 1.0 == 0.0).sum()
    assert int(without["constant_data"]["both_bad"].sum()) == 200
    dt = fit(votes, model="davidson", prior=True, replicates=200)
    assert (dt.attrs["converged"], dt.attrs["p_check"] > 0.01) == (1, True)
    table = lb.leaderboard(dt).set_index("player")
    inside = [
        table.loc[f"m{k}", "epp_lower"] < true < table.loc[f"m{k}", "epp_upper"]
        for k, true in enumerate(EPP)
    ]
    assert sum(inside) >= 4
    assert set(dt["log_prior"].data_vars) == {"epp_scale", "tie"}
    # Given that somebody wins, odds are those of votes without ties.
    more = np.sqrt(sd(without) ** 2 - sd(dt) ** 2)  # what ties tell
    np.testing.assert_allclose(mean(dt), mean(without), atol=4.0 * more)


@pytest.mark.filterwarnings("ignore::leaderbayes.LeaderbayesWarning")
@pytest.mark.parametrize(
    "rows",
    [
        [("a", "b", "model_a")],
        [("a", "b", "model_a")] * 30,
        [("a", "b", "model_a"), ("b", "c", "model_a"), ("a", "c", "model_a")],
        [("a", "b", f"model_{w}") for w in "ab"] + [("c", "d", f"model_{w}") for w in "ab"],
    ],
)
def test_few_votes_count_once(rows):
    """Of votes that are decided, or of players who never met, none counts for more than one."""
    table = pd.DataFrame(rows, columns=["model_a", "model_b", "winner"])
    dt = lb.fit(lb.read_votes(table), seed=1, replicates=60)
    np.testing.assert_allclose(dt["constant_data"]["weight"], 1.0)


def neighbours(seed, players=12, each=50):
    """Votes of players who meet those next to them only, in order of their strength."""
    rng = np.random.default_rng(seed)
    strength = np.sort(rng.normal(size=players))
    first = np.repeat(np.arange(players - 1), each)
    outcome = rng.random(len(first)) < expit(strength[first] - strength[first + 1])
    return votes_of(first, first + 1, outcome, players).assign_attrs(ordered=0), strength


def covered(dt, strength):
    epp = dt["posterior"]["epp"].to_numpy().reshape(-1, len(strength))
    one, other = np.triu_indices(len(strength), 1)
    low, high = np.quantile(epp[:, one] - epp[:, other], [0.025, 0.975], axis=0)
    gap = strength[one] - strength[other]
    return float(((low <= gap) & (gap <= high)).mean())


@pytest.mark.slow
def test_moves_are_not_for_matched_strengths():
    """Chains of moved points agreed at the wrong place."""
    dt = fit(neighbours(3)[0], sampler="metropolis")
    assert "matching" in dt["posterior"]
    assert (dt.attrs["sampler"], dt.attrs["converged"]) == ("metropolis", 0)
    # The design cannot show that earlier results of these votes chose the pairs.
    assert lb.groups(dt).attrs["estimand"].endswith("(--option matched=False).")
    asked = fit(neighbours(3)[0], options={"matched": False})
    assert "estimand" not in lb.groups(asked).attrs


@pytest.mark.slow  # NUTS
def test_pairs_that_are_matched_are_told_by_who_met_whom():
    votes, strength = neighbours(3)
    dt, open_ = fit(votes, prior=True), fit(votes, options={"matched": False})
    assert dt.attrs["converged"]
    assert "matching" not in open_["posterior"]
    matching = dt["posterior"]["matching"]
    assert matching.dims == ("chain", "draw")
    assert 0.0 < float(matching.min()) < float(matching.max()) < 2.0
    # Exchangeable strengths are shrunk towards each other along the way.
    far = [np.ptp(mean(each).to_numpy()) for each in (dt, open_)]
    assert far[0] > 1.3 * far[1]
    assert covered(open_, strength) < 0.7 < covered(dt, strength)
    assert dt["prior"]["matching"].mean() == pytest.approx(1.0, abs=5.0 * 0.58 / np.sqrt(1000))
    assert json.loads(open_.attrs["arguments"])["matched"] is False
    # A chain is described by strengths whatever the votes: nothing to check.
    assert np.isnan(lb.check(dt, seed=1)["p_value"])


def test_where_many_meet_many_nothing_is_learnt_of_the_design(dt, votes):
    assert "matching" not in dt["posterior"]
    asked = lb.fit(votes, seed=1, options={"matched": True})
    assert float(abs(mean(asked) - mean(dt)).max()) < 0.15 * sd(dt)
    assert sd(asked) == pytest.approx(sd(dt), rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["judges", "neighbours"])
def test_intervals_cover(kind):
    share = []
    for seed in range(12):
        if kind == "neighbours":
            votes, strength = neighbours(100 + seed)
            share.append(covered(fit(votes), strength))
        else:
            # Averages over opinions are a little less decided than opinions.
            share.append(covered(fit(simulate(seed)), 0.93 * EPP))
    assert np.mean(share) > max(0.95 - 4.0 * np.std(share) / np.sqrt(12), 0.85)
