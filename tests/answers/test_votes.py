"""What a fit of votes says beside strengths."""

import warnings

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._inference.kept_votes import clustered_by
from leaderbayes._answers.votes import (
    counted_of,
    effects,
    said_of_worth,
    votes_by_player,
)


def votes(n=300, seed=1):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, n)
    second = (first + rng.integers(1, 4, n)) % 4
    outcome = rng.choice([0.0, 0.5, 1.0], n, p=[0.4, 0.1, 0.5])
    outcome[:30] = np.nan
    return xr.Dataset(
        {
            "first": ("vote", first.astype(np.int32)),
            "second": ("vote", second.astype(np.int32)),
            "outcome": ("vote", outcome),
            "covariates": (("vote", "covariate"), 100.0 * rng.normal(size=(n, 1))),
        },
        {
            "player": list("abcd"),
            "covariate": ["length"],
            "judge": ("vote", [f"j{k}" for k in rng.integers(0, 15, n)]),
            "prompt": ("vote", rng.integers(0, 40, n)),
            "time": ("vote", np.datetime64("2026-01-01", "ns") + np.arange(n)),
        },
        {"kind": "votes", "ordered": 1, "read_as": "x", "both_bad": "own"},
    )


def fit(*given, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        return lb.fit(*given, draws=200, chains=2, replicates=60, seed=1, **options)


@pytest.fixture(scope="module")
def dt():
    return fit(votes(), order_effect=True)


def test_votes_are_counted(dt):
    counted = counted_of(dt)
    assert (counted.votes, counted.both_bad) == (270.0, 30.0)
    assert (counted.judges, counted.prompts) == (15, 40)
    assert counted.clusters == ("judge", "prompt")
    assert counted.tied == (votes()["outcome"] == 0.5).sum()


@pytest.mark.parametrize(("cluster", "said"), [("none", ()), ("judge", ("judge",))])
def test_what_goes_together_is_said(cluster, said, tmp_path):
    made = fit(votes(), cluster=cluster)
    assert clustered_by(made) == said
    again = lb.read_fit(lb.write_fit(made, tmp_path / "fit.nc"))
    assert lb.leaderboard(again).attrs["cluster"] == (said[0] if said else "none")


def test_each_players_votes(dt):
    table, given = votes_by_player(dt), votes()
    on = (given["first"] == 2) | (given["second"] == 2)
    undecided = given["outcome"].isnull()
    assert table["votes"]["c"] == (on & ~undecided).sum()
    assert table["both_bad"]["c"] == pytest.approx(float((on & undecided).sum() / on.sum()))
    board = lb.leaderboard(dt).set_index("player")
    assert board["votes"]["c"] == table["votes"]["c"]


def test_effects_are_of_the_posterior(dt):
    table = effects(dt, 0.9)
    assert table["effect"].tolist() == ["order", "length"]
    draws = dt["posterior"]["effect_size"].stack(sample=("chain", "draw")).to_numpy()
    np.testing.assert_allclose(table["coefficient"], draws.mean(axis=1))
    np.testing.assert_allclose(table["odds_ratio_upper"], np.exp(np.quantile(draws, 0.95, axis=1)))
    assert np.isnan(table["per"][0])
    kept = votes()["covariates"][30:, 0]
    assert table["per"][1] == pytest.approx(float(kept.std()))
    assert effects(fit(votes().drop_vars("covariates")), 0.9) is None


def test_effects_of_an_estimate_are_near():
    given = votes()
    table = effects(lb.likelihood.bradley_terry(given, order_effect=True), 0.95)
    sampled = effects(fit(given, order_effect=True), 0.95)
    np.testing.assert_allclose(table["coefficient"], sampled["coefficient"], atol=0.05)


def test_a_file_holds_it_all(dt, tmp_path):
    again = lb.read_fit(lb.write_fit(dt, tmp_path / "fit.nc"))
    xr.testing.assert_equal(again["posterior"].dataset, dt["posterior"].dataset)
    kept = again["constant_data"].dataset
    assert kept["time"].dtype.kind == "M"
    assert kept["judge"].to_numpy().tolist() == dt["constant_data"]["judge"].to_numpy().tolist()
    assert counted_of(again) == counted_of(dt)


@pytest.mark.parametrize(
    "ask",
    [
        lb.loo,
        lambda dt: lb.new_player(dt, xr.DataArray([1.0], dims="round", name="x")),
        lambda dt: lb.study.select(dt, "x"),
        lb.study.compare,
        lb.study.average_player,
    ],
)
def test_what_goes_by_rounds_refuses(ask, dt):
    with pytest.raises(lb.LeaderbayesError, match="of votes"):
        ask(dt)


def test_a_fit_without_its_clustering_is_refused(dt):
    damaged = dt.copy()
    damaged["constant_data"] = xr.DataTree(
        dt["constant_data"].to_dataset().drop_vars(["clustering", "opinion_variance"])
    )
    with pytest.raises(lb.LeaderbayesError, match="go together"):
        lb.leaderboard(damaged)


def test_what_a_vote_is_worth():
    assert said_of_worth(0.31) == "a vote counts as 0.31 independent matches"
    assert said_of_worth(1.5).endswith(
        "1.50 independent matches: ties vary less than wins and losses"
    )
