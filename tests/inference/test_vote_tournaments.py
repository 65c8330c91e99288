"""Votes of several tournaments at once: what is drawn, and what answers say of it."""

import json
import re
import runpy
import warnings
from pathlib import Path

import arviz_stats as azs
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from scipy.special import expit

import leaderbayes as lb
from leaderbayes import study
from leaderbayes._errors import LeaderbayesError
from leaderbayes._inference.discrepancy import p_check
from votes import fit, votes_of

SPECIFICATION = Path(__file__).parents[2] / "models" / "votes" / "model.py"


def simulate(rng, players=5, tournaments=3, each=200, judges=12, spread=0.4, opinion=0.5, **known):
    """Votes of judges who take their opinions along; and strengths, means and by tournament.

    As votes of the average judge have them, which are less decided than each judge's.
    """
    mean = known.get("mean", rng.normal(0.0, 0.8, players))
    strength = mean + rng.normal(0.0, spread, (tournaments, players))
    opinions = rng.normal(0.0, opinion, (judges, players))
    of = np.repeat(np.arange(tournaments), each)
    first = rng.integers(0, players, len(of))
    second = (first + rng.integers(1, players, len(of))) % players
    judge, row = rng.integers(0, judges, len(of)), np.arange(len(of))
    here = strength[of] + opinions[judge]
    outcome = rng.random(len(of)) < expit(here[row, first] - here[row, second])
    votes = votes_of(
        first, second, outcome, players,
        judge=[f"j{g}" for g in judge], tournament=[f"t{t}" for t in of],
    )  # fmt: skip
    less = 1.0 / np.sqrt(1.0 + 2.0 * (0.588 * opinion) ** 2)
    return votes, less * (mean - mean.mean()), less * strength, less * spread


@pytest.fixture(scope="module")
def votes():
    """Three tournaments; the last player is missing from the first."""
    made, *_ = simulate(np.random.default_rng(2), mean=np.array([1.0, 0.5, 0.0, -0.5, -1.0]))
    absent = (made["tournament"] == "t0") & ((made["first"] == 4) | (made["second"] == 4))
    return made.isel(vote=~absent.to_numpy())


@pytest.fixture(scope="module")
def dt(votes):
    return fit(votes, model="tournaments", order_effect=True, prior=True, replicates=60)


def test_groups(dt, votes):
    posterior = dt["posterior"].dataset
    assert posterior["epp_tournament"].dims == ("chain", "draw", "tournament", "player")
    np.testing.assert_allclose(posterior["epp"].sum("player"), 0.0, atol=1e-9)
    there = dt["constant_data"]["n"].sum("opponent") > 0
    assert not bool(there.sel(tournament="t0", player="m4"))
    assert int(there.sum()) == 14
    np.testing.assert_allclose(
        posterior["epp_tournament"].where(there).sum("player"), 0.0, atol=1e-9
    )
    # Of who is absent the mean, over the average of those who are there.
    own = posterior["epp"].sel(player="m4")
    expected = own - posterior["epp"].sel(player=["m0", "m1", "m2", "m3"]).mean("player")
    absent = posterior["epp_tournament"].sel(tournament="t0", player="m4")
    np.testing.assert_allclose(absent, expected, atol=1e-9)
    wins = dt["observed_data"]["wins"]
    assert float(wins.sum()) == votes.sizes["vote"] == float(dt["constant_data"]["n"].sum()) / 2.0
    for t in ("t0", "t2"):
        own = lb.matches(votes.isel(vote=(votes["tournament"] == t).to_numpy()))
        again = wins.sel(tournament=t, player=own["player"], opponent=own["opponent"])
        np.testing.assert_array_equal(again, own["wins"])
    again = dt["posterior_predictive"]["wins"]
    assert (again.sum(("player", "opponent")) == wins.sum(("player", "opponent"))).all()
    assert dt["posterior_predictive"]["misfit"].dims == ("chain", "draw", "tournament")
    assert set(dt["log_prior"].data_vars) == {"epp_scale", "epp_spread"}
    assert dt["prior"]["epp_tournament"].dims == ("chain", "draw", "tournament", "player")
    assert dt.attrs["converged"]
    assert dt.attrs["p_check"] > 0.05
    assert list(posterior["effect"].to_numpy()) == ["order"]


@pytest.mark.slow
def test_same_seed_same_draws(votes, dt):
    again = fit(votes, model="tournaments", order_effect=True, prior=True, replicates=60)
    for group in ("posterior", "posterior_predictive", "prior"):
        xr.testing.assert_equal(again[group].to_dataset(), dt[group].to_dataset())


@pytest.mark.slow
def test_judges_of_several_tournaments_are_one_error_of_all():
    """Who would take them for others in each would be too sure of means."""
    rng = np.random.default_rng(1)
    votes, *_ = simulate(rng, players=4, judges=6, opinion=1.0, spread=0.1)
    labels = votes["judge"].to_numpy().astype(object) + votes["tournament"].to_numpy()
    width, common = [], []
    for each in (votes, votes.assign_coords(judge=("vote", labels))):
        found = fit(each, model="tournaments", chains=2)
        width.append(float(found["posterior"]["epp"].std(("chain", "draw")).mean()))
        common.append(float(found["constant_data"]["shared_variance"][0]))
    assert common[0] > 0.1
    assert common[1] == 0.0
    assert width[0] > 1.1 * width[1]


def test_answers(dt, tmp_path):
    lb.write_fit(dt, tmp_path / "fit.nc")
    again = lb.read_fit(tmp_path / "fit.nc")
    table = lb.leaderboard(again)
    assert table["player"][0] == "m0"
    assert int(table["votes"].sum()) == 2 * dt["constant_data"].sizes["vote"]
    pd.testing.assert_frame_equal(table, lb.leaderboard(dt))
    assert not [name for name in lb.compare(dt, "m0", "m4") if str(name).startswith("record")]
    new, here = (lb.compare(each, "m0", "m4") for each in (dt, study.select(dt, "t1")))
    # Of a new tournament less is known.
    assert float(new["win_upper"] - new["win_lower"]) > float(here["win_upper"] - here["win_lower"])
    assert 0.05 < float(lb.check(dt, seed=1)["p_round"]) < 0.999
    assert "pair_gap" not in lb.check(dt, seed=1)
    assert lb.influence(dt, by="tournament").attrs["by"] == "tournament"
    text = " ".join(lb.report.text(dt).split())
    assert "in 3 tournaments, of 12 judges" in text
    assert re.search(r"It leads (all|. of) 3 tournaments\. Strengths vary", text)
    asked = lb.audit(dt, simulations=10, seed=1)
    assert "one is of one tournament" in asked["plan"].attrs["message"]
    assert list(study.compare(dt)["tournament"]) == ["t0", "t1", "t2"]


def test_a_pair_has_its_own_record_in_a_tournament(dt):
    bad = dt.copy()
    own = dt["observed_data"].to_dataset()
    bad["observed_data"] = xr.DataTree(own.assign(misfit=10.0 * own["misfit"]))
    with pytest.warns(lb.MisfitWarning, match=r"by='record'\) of study\.select\(fit, tournament"):
        bad.attrs["p_check"] = p_check(bad)
    assert "study.select(fit, tournament)" in lb.audit(bad, simulations=2)["check"].attrs["message"]
    assert lb.win_probability(study.select(dt, "t1"), by="record")["played"].max() > 10


def test_a_tournament_is_taken_out(dt, votes):
    own = study.select(dt, "t0")
    assert list(own["posterior"]["player"].to_numpy()) == ["m0", "m1", "m2", "m3"]
    assert own["constant_data"].sizes["vote"] == int((votes["tournament"] == "t0").sum())
    kept = own["constant_data"]
    direct = lb.matches(votes.isel(vote=(votes["tournament"] == "t0").to_numpy()))
    np.testing.assert_array_equal(kept["n"], direct["n"])
    names = kept["player"].to_numpy()
    won = pd.Series(names[kept["first"].to_numpy()])[kept["outcome"].to_numpy() == 1.0]
    assert (won == "m0").sum() <= float(own["observed_data"]["wins"].sel(player="m0").sum())
    assert lb.leaderboard(own)["player"][0] == "m0"
    assert 0.0 < float(lb.check(own, seed=1)["p_round"]) < 1.0
    assert "reported is the one named above" in " ".join(lb.report.text(own).split())
    assert lb.win_probability(own, by="record")["played"].sel(player="m0", opponent="m1") > 10
    assert json.loads(lb.plan(own, seed=1).attrs["contested"])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"spread_scale": 0.0}, "spread_scale"),
        ({"groups": {}}, "no option 'groups'"),
        ({"matched": True}, "no option 'matched'"),
        ({"sampler": "pymc"}, "sampler='auto'"),
        ({"ties": "better"}, "ties"),
        ({"order_effect": 3}, "order_effect"),
        ({"model": "score_tournaments"}, "Votes take model="),
        ({"model": "bradley_terry"}, "take model='tournaments'"),
    ],
)
def test_bad_options(votes, options, said):
    with pytest.raises(LeaderbayesError, match=said):
        lb.fit(votes, **({"model": "tournaments"} | options))


def test_tournaments_may_be_numbers_but_not_missing(votes):
    number = votes["tournament"].to_numpy() == "t2"
    numbered = votes.assign_coords(tournament=("vote", number.astype(int))).drop_vars("judge")
    found = fit(numbered, model="tournaments", draws=200)
    assert list(study.compare(found)["tournament"]) == ["0", "1"]
    assert study.select(found, "1")["constant_data"].sizes["vote"] == number.sum()
    assert found["constant_data"].sizes["clustering"] == 0
    missing = np.where(number, np.nan, 1.0)
    with pytest.raises(LeaderbayesError, match="has no tournament"):
        lb.fit(votes.assign_coords(tournament=("vote", missing)), "tournaments")


def test_what_needs_one_tournament_says_so(dt, votes):
    for asked in (
        lambda: lb.plan(dt),
        lambda: lb.influence(dt, by="judge"),
        lambda: lb.loo(dt),
        lambda: lb.win_probability(dt, by="record"),
        lambda: study.select(dt, "t9"),
        lambda: lb.fit(votes.drop_vars("tournament"), "tournaments"),
        lambda: lb.fit(votes.isel(vote=(votes["tournament"] == "t1").to_numpy()), "tournaments"),
    ):
        with pytest.raises(LeaderbayesError):
            asked()


@pytest.mark.slow
def test_one_who_always_wins_somewhere_has_an_answer():
    """There the likelihood has no maximum; means and the spread hold it."""
    rng = np.random.default_rng(3)
    votes, *_ = simulate(rng, players=4, tournaments=3, each=40)
    first, second = votes["first"].to_numpy(), votes["second"].to_numpy()
    somewhere = (votes["tournament"] == "t1").to_numpy()
    won = np.where(somewhere & (first == 0), 1.0, votes["outcome"])
    votes = votes.assign(outcome=("vote", np.where(somewhere & (second == 0), 0.0, won)))
    found = fit(votes, model="tournaments", chains=2)
    here = found["posterior"]["epp_tournament"].sel(player="m0").mean(("chain", "draw"))
    assert int(here.argmax("tournament")) == 1
    assert float(here[1]) < 6.0


@pytest.mark.slow
def test_the_posterior_is_the_specifications():
    """By PyMC's model, of the matches that were found.

    Of a board whose strengths do vary: where the spread may be zero, NUTS samples the
    specification badly (effective sizes of 5 to 700 of 16 000 draws, by seed).
    """
    import nutpie

    from leaderbayes._inference import vote_tournaments as inner

    votes, *_ = simulate(
        np.random.default_rng(4), tournaments=6, each=250, spread=0.8,
        mean=np.array([1.0, 0.5, 0.0, -0.5, -1.0]),
    )  # fmt: skip
    kept = {}
    drawn = inner._draw

    def noted(found, *rest):
        kept["found"] = found
        return drawn(found, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inner, "_draw", noted)
        own = fit(votes, model="tournaments", draws=4000)
    found, cells = kept["found"], kept["found"].cells
    built = runpy.run_path(str(SPECIFICATION))["tournaments"](
        found.matched.points, found.matched.n, cells.player, cells.tournament,
        found.shared[: len(cells.player)],
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = nutpie.compile_pymc_model(built)
        other = nutpie.sample(
            compiled, draws=4000, tune=1500, chains=4, cores=2, seed=1, progress_bar=False,
            target_accept=0.97,
        )  # fmt: skip
    for name in ("epp", "epp_scale", "epp_spread"):
        sampled = [each["posterior"][name] for each in (own, other)]
        size = [np.ravel(azs.ess(each)) for each in sampled]
        assert min(each.min() for each in size) > 1000
        one, two = (each.to_numpy().reshape(16000, -1) for each in sampled)
        spread = two.std(axis=0)
        error = np.sqrt(1.0 / size[0] + 1.0 / size[1])
        assert (np.abs(one.mean(axis=0) - two.mean(axis=0)) < 4.0 * error * spread).all()
        # An end of a normal's 95 % interval has 2.7 times its mean's error; of a skewed one more.
        ends = [np.quantile(each, [0.025, 0.975], axis=0) for each in (one, two)]
        assert (np.abs(ends[0] - ends[1]) < 0.2 * spread).all()


@pytest.mark.slow
def test_intervals_of_means_cover():
    inside = []
    for seed in range(16):
        votes, mean, *_ = simulate(np.random.default_rng(seed), judges=10)
        epp = fit(votes, model="tournaments", chains=2, seed=seed)["posterior"]["epp"].to_numpy()
        i, j = np.triu_indices(5, 1)
        gap = (epp[..., i] - epp[..., j]).reshape(-1, len(i))
        low, high = np.quantile(gap, [0.025, 0.975], axis=0)
        inside.append(np.mean((low <= mean[i] - mean[j]) & (mean[i] - mean[j] <= high)))
    # Pairs of a board err together: of 16 boards the error is below 0.03.
    assert 0.86 <= np.mean(inside) <= 1.0
