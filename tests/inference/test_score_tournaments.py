"""Mean scores over several data sets: fits, and answers on a new data set."""

import json

import numpy as np
import pytest
import xarray as xr
from scipy.stats import t

import leaderbayes as lb
from conftest import board

# What `baycomp` 1.0.3 (pystan 3.14, 20 000 draws) says of P(x, rope, y) on a new data set, mean of
# its sample, on the shipped classifiers; and its posterior mean and sd of mu_0.
BAYCOMP = {
    "svm C=1": ([0.306, 0.406, 0.288], -0.0004, 0.0088),
    "knn k=25": ([0.130, 0.215, 0.655], 0.0112, 0.0120),
}


def values_of(seed=3):
    """Scores (tournament, player, round); the last player misses the second tournament."""
    rng = np.random.default_rng(seed)
    mean = np.array([0.9, 0.86, 0.8]) + 0.05 * rng.normal(size=(6, 1))
    mean = mean + 0.02 * rng.normal(size=(6, 3))
    values = (
        mean[:, :, None] + 0.02 * rng.normal(size=(6, 1, 8)) + 0.01 * rng.normal(size=(6, 3, 8))
    )
    values[1, 2] = np.nan
    return values


def several(values, **attrs):
    names = xr.Variable("tournament", [f"data {q}" for q in range(len(values))])
    one = board(values[0], **attrs)
    return xr.concat([board(y, **attrs) for y in values], names).assign_attrs(one.attrs)


@pytest.fixture(scope="module")
def scores():
    return several(values_of())


@pytest.fixture(scope="module")
def fitted(scores):
    return lb.fit(scores, "score_tournaments", seed=1, progressbar=False)


def test_groups(fitted, scores):
    assert {
        "posterior", "sample_stats", "posterior_predictive", "log_likelihood", "log_prior",
        "observed_data", "constant_data",
    } == set(fitted.children)  # fmt: skip
    posterior = fitted["posterior"].to_dataset()
    assert posterior["score"].dims == ("chain", "draw", "player")
    assert posterior["score_tournament"].dims == ("chain", "draw", "tournament", "player")
    assert posterior["score_spread"].dims == ("chain", "draw")
    assert fitted.attrs["converged"] == 1
    assert fitted.attrs["divergences"] == 0
    assert json.loads(fitted.attrs["arguments"])["spread_scale"] == 1.0
    xr.testing.assert_equal(fitted["constant_data"]["scores"], scores)
    again = fitted["posterior_predictive"]["round_score"]
    absent = fitted["observed_data"]["round_score"].isnull()
    assert (again.isnull().all(("chain", "draw")) == absent).all()
    by_round = fitted["log_likelihood"]["round_score"]
    assert by_round.sizes["tournament_round"] == 48
    assert np.isfinite(by_round).all()


def test_means_of_data_sets_are_those_seen(fitted, scores):
    mean = fitted["posterior"]["score_tournament"]
    gap = abs(mean.mean(("chain", "draw")) - scores.mean("round"))
    # Eight rounds leave 0.01 of a level open; a player is drawn little to the others.
    assert float(gap.max()) < 0.02
    # An absent player has what it would have: wider by the spread.
    sd = mean.std(("chain", "draw"))
    assert sd.sel(tournament="data 1", player="p2") > 2.0 * sd.sel(tournament="data 1", player="p1")


def test_leaderboard_is_of_the_means(fitted, scores):
    table = lb.leaderboard(fitted)
    assert table["player"].tolist() == ["p0", "p1", "p2"]
    inside = (table["score_lower"] < table["score"]) & (table["score"] < table["score_upper"])
    assert inside.all()
    assert lb.p_top(fitted, 1).index[0] == "p0"
    assert lb.tied_for_top(fitted)[0] == "p0"
    assert float(lb.rank_probability(fitted).sum()) == pytest.approx(3.0)
    assert lb.groups(fitted)["player"].iloc[0] == "p0"


def test_compare_is_of_a_new_data_set(fitted):
    pair = lb.compare(fitted, "p0", "p1", rope=0.01)
    total = pair["p_better"] + pair["p_equivalent"] + pair["p_worse"]
    assert float(total) == pytest.approx(1.0)
    # Draws of a new data set say the same.
    posterior = fitted["posterior"].to_dataset()
    gap = (posterior["score"].sel(player="p0") - posterior["score"].sel(player="p1")).to_numpy()
    spread, df = posterior["score_spread"].to_numpy(), posterior["spread_df"].to_numpy()
    new = gap + np.sqrt(2.0) * spread * t.rvs(df, random_state=1)
    error = 3.0 * np.sqrt(0.25 / new.size)
    assert float(pair["p_better"]) == pytest.approx((new > 0.01).mean(), abs=error)
    assert float(pair["p_worse"]) == pytest.approx((new < -0.01).mean(), abs=error)
    low, high = np.quantile(new, [0.025, 0.975])
    assert float(pair["new_lower"]) == pytest.approx(low, abs=0.01)
    assert float(pair["new_upper"]) == pytest.approx(high, abs=0.01)
    assert pair["new_lower"] < pair["difference_lower"]
    assert pair["mean_better"] > pair["p_better"] + pair["p_equivalent"] / 2.0
    assert "record" not in pair
    back = lb.compare(fitted, "p1", "p0", rope=0.01)
    assert float(back["p_worse"]) == pytest.approx(float(pair["p_better"]))
    win = lb.win_probability(fitted)["mean"]
    plain = lb.compare(fitted, "p0", "p1")
    assert float(win.sel(player="p0", opponent="p1")) == pytest.approx(float(plain["p_better"]))
    np.testing.assert_allclose(win + win.to_numpy().T, 1.0)


def test_one_data_set(fitted):
    one = lb.study.select(fitted, "data 1")
    assert one["posterior"]["player"].to_numpy().tolist() == ["p0", "p1"]
    table = lb.leaderboard(one)
    assert len(table) == 2
    pair = lb.compare(one, "p0", "p1")
    assert pair["record_played"] == 8
    assert one["observed_data"]["round_score"].sizes == {"round": 8, "player": 2}


@pytest.mark.slow
def test_a_loss_is_compared_from_below(fitted):
    values = several(-values_of(), higher_is_better=False)
    other = lb.fit(values, "score_tournaments", seed=1, progressbar=False)
    assert lb.leaderboard(other)["player"].tolist() == ["p0", "p1", "p2"]
    one, two = (lb.compare(dt, "p0", "p2") for dt in (fitted, other))
    assert float(two["p_better"]) == pytest.approx(float(one["p_better"]), abs=0.03)
    assert float(two["difference"]) == pytest.approx(-float(one["difference"]), abs=0.01)


def test_it_goes_through_a_file(fitted, tmp_path):
    path = lb.write_fit(fitted, tmp_path / "scores.nc")
    assert lb.leaderboard(lb.read_fit(path)).equals(lb.leaderboard(fitted))


@pytest.mark.slow
@pytest.mark.parametrize("player", BAYCOMP)
def test_two_players_are_baycomps(player):
    """But for the priors of the noise, which 25 rounds say enough of."""
    scores = lb.datasets.load("classifiers").sel(player=[player, "logistic C=1"])
    # Priors as flat as baycomp's.
    dt = lb.fit(
        scores, "score_tournaments", seed=1, test_fraction=0.2, prior_scale=100.0,
        spread_scale=100.0, replicates=1, progressbar=False,
    )  # fmt: skip
    pair = lb.compare(dt, player, "logistic C=1", rope=0.005)
    found = [float(pair[name]) for name in ("p_better", "p_equivalent", "p_worse")]
    wanted, mean, sd = BAYCOMP[player]
    np.testing.assert_allclose(found, wanted, atol=0.05)
    assert float(pair["difference"]) == pytest.approx(-mean, abs=0.2 * sd)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("players", [2, 3])
def test_few_players_do_not_diverge(players, seed):
    """At defaults, whatever the spread between data sets; nor are they drawn twice."""
    rng = np.random.default_rng(100 * players + seed)
    shape = ((4, 20, 30, 40)[seed], players)
    mean = 3.0 * rng.normal(size=(shape[0], 1)) + 0.3 * rng.normal(size=players)
    mean = mean + (1.5, 0.7, 0.0, 0.3)[seed] * rng.normal(size=shape)
    noise = np.exp(0.5 * rng.normal(size=(shape[0], 1, 1)))
    values = mean[:, :, None] + rng.normal(size=(shape[0], 1, 5))
    values = values + noise * rng.normal(size=(*shape, 5))
    dt = lb.fit(several(values), "score_tournaments", seed=seed, replicates=1, progressbar=False)
    assert dt.attrs["divergences"] == 0
    assert dt.attrs["converged"] == 1
    assert dt.attrs["tune"] == 1000


def test_holes_are_refused():
    values = values_of()
    values[0, 1, 3] = np.nan
    with pytest.raises(lb.LeaderbayesError, match=r"'p1' has no score in round .* 'data 0'"):
        lb.fit(several(values), "score_tournaments", seed=1)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda s: s.isel(tournament=0, drop=True), {}, "take model='mean_score'"),
        (lambda s: s.isel(tournament=[0]), {}, "take model='mean_score'"),
        (lambda s: s.isel(round=[0]), {}, "'data 0' has one score a player"),
        (
            lambda s: s.where((s["tournament"] != "data 2") | (s["player"] == "p0")), {},
            "'data 2' has scores of one player only",
        ),
        (lambda s: s * 0.0, {}, "nothing to compare"),
        (lambda s: s, {"within_round": False}, "within rounds"),
        (lambda s: s, {"sampler": "laplace"}, "is for models of matches"),
        (lambda s: s, {"spread_scale": 0.0}, "spread_scale"),
        (lambda s: s, {"weight": 1.0}, "no option 'weight'"),
    ],
)  # fmt: skip
def test_refusals(scores, change, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.fit(change(scores).assign_attrs(scores.attrs), "score_tournaments", **options)


def test_a_tournament_whose_rounds_move_all_alike_is_refused(scores):
    """NUTS went on for minutes."""
    first = scores["tournament"] == scores["tournament"][0]
    exact = scores.isel(round=0) + xr.DataArray(np.arange(scores.sizes["round"]), dims="round")
    exact = scores.where(~first | scores.isnull(), exact.assign_coords(round=scores["round"]))
    with pytest.raises(lb.LeaderbayesError, match=r"'data 0' players differ by the same in every"):
        lb.fit(exact, "score_tournaments", seed=1, progressbar=False)


def test_what_needs_matches_says_so(fitted):
    for answer in (lb.check, lb.loo, lb.plan):
        with pytest.raises(lb.LeaderbayesError, match=r"mean scores|score_tournaments"):
            answer(fitted)
