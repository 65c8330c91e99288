"""Fits of mean scores: groups, units, flat and hierarchical."""

import json

import numpy as np
import pytest
import xarray as xr
from scipy.stats import kstest, t

import leaderbayes as lb
from conftest import board


def values_of(players, rounds, seed):
    rng = np.random.default_rng(seed)
    own = np.exp(0.5 * rng.normal(size=players))[:, None]
    values = rng.normal(size=players)[:, None] + own * rng.normal(size=(players, rounds))
    return values + 2.0 * rng.normal(size=rounds)


@pytest.fixture(scope="module")
def scores():
    values = values_of(5, 12, 1)
    values[2, 3] = values[0, 7] = np.nan
    return board(values)


@pytest.fixture(scope="module")
def fitted(scores):
    return lb.fit(scores, "mean_score", seed=1, prior=True, progressbar=False)


def test_groups(fitted, scores):
    assert {
        "posterior", "sample_stats", "posterior_predictive", "log_likelihood", "log_prior",
        "observed_data", "constant_data", "prior", "prior_predictive",
    } == set(fitted.children)  # fmt: skip
    posterior = fitted["posterior"].to_dataset()
    assert posterior["score"].dims == ("chain", "draw", "player")
    assert posterior["noise"].dims == ("chain", "draw", "player")
    xr.testing.assert_equal(fitted["constant_data"]["scores"], scores)
    xr.testing.assert_equal(
        fitted["observed_data"]["round_score"], scores.transpose("round", "player")
    )
    assert fitted.attrs["converged"] == 1
    assert fitted.attrs["sampler"] == "nutpie"
    assert "weight" not in fitted.attrs
    assert np.isnan(fitted.attrs["p_check"])
    assert json.loads(fitted.attrs["arguments"])["prior_scale"] == 1.0


@pytest.mark.slow
def test_many_players_mix():
    """At once: their noise's middle had an effective size of 80 of 2000 draws."""
    dt = lb.fit(board(values_of(100, 60, 4)), "mean_score", seed=1, progressbar=False)
    assert dt.attrs["converged"] == 1
    assert dt.attrs["tune"] == 1000
    assert dt.attrs["min_ess"] > 1000.0


@pytest.mark.slow
@pytest.mark.parametrize("fraction", [None, 0.2])
@pytest.mark.parametrize("rounds", [3, 100])
def test_two_players_are_drawn_once(rounds, fraction):
    """Their strengths' mean, which bends away from the scores, had half of such fits diverge."""
    for seed in (1, 2):
        dt = lb.fit(
            board(values_of(2, rounds, seed)), "mean_score", seed=seed, test_fraction=fraction,
            progressbar=False,
        )  # fmt: skip
        assert dt.attrs["converged"] == 1
        assert dt.attrs["tune"] == 1000


@pytest.mark.parametrize(
    ("players", "rounds", "noise", "fraction"),
    [(3, 100, 1.0, None), (3, 30, 0.01, 0.2), (4, 10, 0.01, None), (6, 10, 0.01, None)],
)
def test_few_players_do_not_diverge(players, rounds, noise, fraction):
    """In steps longer than usual, in which each of these diverged 11 to 380 times."""
    rng = np.random.default_rng(players)
    values = rng.normal(size=(players, 1)) + noise * rng.normal(size=(players, rounds))
    dt = lb.fit(
        board(values + rng.normal(size=rounds)), "mean_score", seed=1, test_fraction=fraction,
        target_accept=0.9, tune=700, progressbar=False,
    )  # fmt: skip
    assert dt.attrs["divergences"] == 0
    assert dt.attrs["converged"] == 1


def test_replicates_of_folds_have_their_luck():
    """What rounds share is in replicates, and not in mean scores."""
    values = values_of(3, 40, 2)
    dt = lb.fit(board(values), "mean_score", seed=1, test_fraction=0.3, progressbar=False)
    again = dt["posterior_predictive"]["round_score"].mean("round")
    gap = (again.isel(player=0) - again.isel(player=1)).std()
    seen = values[0].mean() - values[1].mean()
    noise = dt["posterior"]["noise"].isel(player=[0, 1]).mean(("chain", "draw")).to_numpy()
    # Replicates lie around this board's means, with twice the variance of a mean of 40 rounds.
    off = float((again.isel(player=0) - again.isel(player=1)).mean()) - seen
    sd = np.sqrt(2.0 * (noise**2).sum() / 40.0)
    assert abs(off) < 0.25 * sd
    assert 0.8 * sd < float(gap) < 1.25 * sd
    score = dt["posterior"]["score"]
    fresh = float((score.isel(player=0) - score.isel(player=1)).std())
    assert fresh > 1.5 * sd


def test_replicates_and_likelihood_are_of_the_draws(fitted, scores):
    again = fitted["posterior_predictive"]["round_score"]
    absent = np.isnan(scores.transpose("round", "player"))
    assert (np.isnan(again).all(("chain", "draw")) == absent).all()
    # Means and spread of replicates are the board's, within what draws leave open.
    seen = scores.mean("round").to_numpy()
    low, high = np.quantile(again.mean("round"), [0.001, 0.999], axis=(0, 1))
    assert np.all((low < seen) & (seen < high))
    by_round = fitted["log_likelihood"]["round_score"]
    assert by_round.dims == ("chain", "draw", "round")
    assert np.isfinite(by_round).all()


def test_arviz_answers_by_itself(fitted):
    import arviz as az

    assert np.isfinite(az.loo(fitted).elpd)
    sensitivity = az.psense_summary(fitted, var_names=["score"])
    assert len(sensitivity) == 5


def test_same_seed_same_numbers(fitted, scores):
    again = lb.fit(scores, "mean_score", seed=1, prior=True, progressbar=False)
    for name in fitted.children:
        xr.testing.assert_equal(again[name].to_dataset(), fitted[name].to_dataset())


def test_it_goes_through_a_file(fitted, tmp_path):
    path = lb.write_fit(fitted, tmp_path / "scores.nc")
    assert lb.leaderboard(lb.read_fit(path)).equals(lb.leaderboard(fitted))


def test_the_unit_is_the_scores(scores, fitted):
    """Ten times the scores and five more: ten times the means and five more."""
    other = lb.fit(
        (10.0 * scores + 5.0).assign_attrs(scores.attrs), "mean_score", seed=1, progressbar=False,
    )  # fmt: skip
    # The same stream through the same density, but rounding sends chains other ways.
    np.testing.assert_allclose(
        other["posterior"]["score"].mean(("chain", "draw")),
        10.0 * fitted["posterior"]["score"].mean(("chain", "draw")) + 5.0,
        atol=0.5,
    )


@pytest.mark.parametrize("fraction", [None, 0.2])
def test_a_flat_prior_is_the_correlated_t_test(fraction):
    """Of every pair: the law that `baycomp.two_on_single` computes."""
    values = values_of(6, 10, 4)
    dt = lb.fit(
        board(values), "mean_score", prior_scale=np.inf, test_fraction=fraction, seed=1, draws=5000
    )
    assert dt.attrs["sampler"] == "exact"
    assert dt.attrs["converged"] == 1
    drawn = dt["posterior"]["score"].to_numpy().reshape(-1, 6)
    shared = 0.0 if fraction is None else fraction / (1.0 - fraction)
    for i, j in ((0, 1), (5, 2)):
        d = values[i] - values[j]
        law = t(9, d.mean(), np.sqrt((0.1 + shared) * d.var(ddof=1)))
        assert kstest(drawn[:, i] - drawn[:, j], law.cdf).pvalue > 1e-3


def test_a_flat_prior_needs_every_score(scores):
    with pytest.raises(lb.LeaderbayesError, match="'p2' has none in round '3'"):
        lb.fit(scores, "mean_score", prior_scale=np.inf)


@pytest.mark.slow
def test_folds_widen(scores):
    narrow, wide = (
        lb.fit(scores, "mean_score", seed=1, test_fraction=f, progressbar=False)
        for f in (None, 0.3)
    )
    sd = [
        float((dt["posterior"]["score"].diff("player")).std(("chain", "draw")).mean())
        for dt in (narrow, wide)
    ]
    # 1 / r against 1 / r + f / (1 - f), where the prior says little.
    assert 1.5 < sd[1] / sd[0] < np.sqrt(1.0 + 12 * 0.3 / 0.7) * 1.1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"within_round": False}, "within rounds"),
        ({"sampler": "laplace"}, "is for models of matches"),
        ({"weight": 1.0}, "no option 'weight'"),
        ({"prior_scale": 0.0}, "prior_scale"),
    ],
)
def test_refusals(scores, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.fit(scores, "mean_score", **options)


@pytest.mark.slow
def test_pymcs_sampler_gives_the_same(fitted, scores):
    dt = lb.fit(scores, "mean_score", sampler="pymc", seed=2, progressbar=False)
    assert set(dt["posterior"].data_vars) >= set(fitted["posterior"].data_vars)
    # Chains of another sign of what has none are no doubt.
    assert dt.attrs["converged"] == 1
    assert (dt["posterior"]["score_scale_raw"] >= 0.0).all()
    for name in ("score", "noise", "score_scale", "round_scale"):
        one, two = (each["posterior"][name] for each in (fitted, dt))
        gap = abs(one.mean(("chain", "draw")) - two.mean(("chain", "draw")))
        # Effective sample sizes are above 400 each.
        bound = 4.0 * one.std(("chain", "draw")) * np.sqrt(2.0 / 400.0)
        assert bool((gap < bound).all())


def answers(players=6, rounds=120, seed=1):
    rng = np.random.default_rng(seed)
    odds = rng.normal(size=(players, 1)) + 1.5 * rng.normal(size=rounds)
    return board((rng.random(odds.shape) < 1.0 / (1.0 + np.exp(-odds))).astype(float))


def arguments(dt):
    return json.loads(dt.attrs["arguments"])


def test_items_are_told_from_scores(scores, fitted):
    dt = lb.fit(answers(), "mean_score", seed=1)
    assert dt.attrs["sampler"] == "gibbs"
    assert dt.attrs["converged"] == 1
    assert arguments(dt)["likelihood"] == "dirichlet"
    assert set(dt["posterior"].data_vars) == {"score", "score_scale"}
    assert arguments(fitted)["likelihood"] == "normal"
    # Means of a few answers, too.
    rng = np.random.default_rng(2)
    runs = board(rng.integers(0, 4, (3, 40)) / 3.0).assign_attrs(answers=1)
    assert arguments(lb.fit(runs, "mean_score", seed=1))["likelihood"] == "dirichlet"


@pytest.mark.parametrize("low", [0.0, -1.0])
@pytest.mark.parametrize("better", [True, False])
def test_items_in_any_unit(low, better):
    """Percent, or 1 and -1; right answers or wrong ones: the same table in its unit."""
    plain = lb.leaderboard(lb.fit(answers(), "mean_score", seed=1)).set_index("player")
    values = answers()
    high = 100.0 if low == 0.0 else 1.0
    other = low + (high - low) * (values if better else 1.0 - values)
    other = other.assign_attrs(higher_is_better=int(better))
    table = lb.leaderboard(lb.fit(other, "mean_score", seed=1)).set_index("player")
    shares = (table["score"] - low) / (high - low)
    shares = shares if better else 1.0 - shares
    np.testing.assert_allclose(shares, plain["score"][shares.index], atol=0.01)
    np.testing.assert_allclose(table["p_best"], plain["p_best"][table.index], atol=0.05)


def test_a_flat_prior_of_items_is_mcnemars():
    values = np.zeros((2, 500))
    values[:, :300] = values[0, 300:365] = values[1, 365:400] = 1.0
    dt = lb.fit(board(values), "mean_score", prior_scale=np.inf, seed=1, draws=5000)
    assert dt.attrs["sampler"] == "exact"
    # Beta(65.5, 35.5) above 1/2, within 4 Monte Carlo errors.
    assert float(lb.compare(dt, "p0", "p1")["p_better"]) == pytest.approx(0.99874, abs=0.001)
    assert (
        float(lb.compare(lb.fit(board(values), "mean_score", seed=1), "p0", "p1")["p_better"])
        > 0.99
    )


DRAWN = ("chain", "draw")


def test_clusters_are_the_unit():
    values = answers(rounds=200)
    groups = values.assign_coords(cluster=("round", np.arange(200) // 20))
    sd = [
        float(
            lb.fit(each, "mean_score", seed=1)["posterior"]["score"].std(("chain", "draw")).mean()
        )
        for each in (values, values.assign_coords(cluster=("round", np.arange(200))), groups)
    ]
    assert sd[1] == pytest.approx(sd[0], rel=0.02)
    assert sd[2] != pytest.approx(sd[0], rel=0.02)


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda s: s.where(s["round"] != "3"), {}, None),
        (
            lambda s: s.where(s["player"].isin(["p1", "p3"]) == (s["round"].astype(int) < 60)), {},
            "'p0' and 'p1' are in groups that answered no item in common .2 groups.",
        ),
        (lambda s: s + 3.0 * (s["round"] == "3"), {"likelihood": "dirichlet"}, "0 to 4"),
        (lambda s: s, {"test_fraction": 0.2, "likelihood": "dirichlet"}, "no test_fraction"),
        (lambda s: s, {"prior": True}, "prior=True is for"),
        (lambda s: s, {"likelihood": "binomial"}, "auto.*normal.*dirichlet"),
        (lambda s: s, {"sampler": "pymc"}, "without NUTS"),
        (lambda s: s, {"prior_scale": 0.0}, "prior_scale"),
        (lambda s: s * 0.0, {}, "nothing to compare"),
        (
            lambda s: s.assign_coords(cluster=("round", ["a"] * 120)), {}, "one cluster, 'a'",
        ),
        (lambda s: s.assign_coords(cluster=("player", [0] * 6)), {}, "each round's cluster"),
        (
            lambda s: s.assign_coords(cluster=("round", [np.nan] + [1.0] * 119)), {},
            "each round's cluster",
        ),
        (
            lambda s: s.assign_coords(cluster=("round", np.arange(120) // 2)),
            {"likelihood": "normal"},
            "clusters, which only the mean by",
        ),
    ],
)  # fmt: skip
def test_refusals_of_items(change, options, message):
    scores = change(answers()).assign_attrs(higher_is_better=1)
    if message is None:
        # A round that nobody answered is none.
        assert lb.fit(scores, "mean_score", seed=1)["constant_data"].sizes["round"] == 119
        return
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.fit(scores, "mean_score", seed=1, **options)


@pytest.mark.parametrize("clusters", [False, True])
def test_missing_answers(clusters):
    """Every verb answers; what is missing widens, of that player most, and moves nothing else."""
    values = answers(5, 240, seed=8)
    if clusters:
        values = values.assign_coords(cluster=("round", np.arange(240) // 4))
    gone = (values["player"] == "p2") & (values["round"].astype(int) % 4 < 2)
    whole, part = (
        lb.fit(each, "mean_score", seed=1, prior_scale=np.inf)
        for each in (values, values.where(~gone))
    )
    arguments = json.loads(part.attrs["arguments"])
    assert arguments["likelihood"] == "dirichlet"
    score = [dt["posterior"]["score"].to_numpy().reshape(-1, 5) for dt in (whole, part)]
    sd = [each.std(axis=0) for each in score]
    others = [0, 1, 3, 4]
    np.testing.assert_allclose(sd[1][others], sd[0][others], rtol=0.06)
    assert sd[1][2] > 1.1 * sd[0][2]
    apart = abs(score[1].mean(axis=0) - score[0].mean(axis=0)) / sd[0]
    assert apart[others].max() < 0.15
    assert apart[2] < 3.0
    together = lb.fit(values.where(~gone), "mean_score", seed=1)
    assert together.attrs["converged"] == 1
    pair = lb.compare(together, "p2", "p0", rope=0.02)
    assert float(pair["p_better"] + pair["p_equivalent"] + pair["p_worse"]) == pytest.approx(1.0)
    assert "were missing" in lb.report.text(together)
    further = lb.plan(together, ("p2", "p0"), rounds=(100,), simulations=20, seed=1)
    now = float(pair["difference_upper"] - pair["difference_lower"])
    assert 0.6 * now < float(further["width"].max()) < now


def test_items_go_through_a_file(tmp_path):
    values = answers().assign_coords(cluster=("round", np.arange(120) // 2))
    dt = lb.fit(values, "mean_score", seed=1)
    path = lb.write_fit(dt, tmp_path / "items.nc")
    assert lb.leaderboard(lb.read_fit(path)).equals(lb.leaderboard(dt))


def test_scores_that_hardly_differ_beside_their_size_are_refused(scores):
    with pytest.raises(lb.LeaderbayesError, match="Subtract the same number from all"):
        lb.fit(scores + 1e8, "mean_score", seed=1)
    # Nothing is lost where players are not drawn together.
    complete = scores.fillna(0.0)
    near, far = (
        lb.leaderboard(lb.fit(complete + by, "mean_score", prior_scale=np.inf, seed=1))
        for by in (0.0, 1e8)
    )
    assert far["difference"].to_numpy() == pytest.approx(near["difference"].to_numpy(), abs=1e-5)


@pytest.mark.parametrize(
    ("by", "flat", "said"),
    [(1e300, True, "too large"), (1e-300, True, "too small"), (1e-12, False, "steps too small")],
)
def test_scores_of_a_size_that_cannot_be_computed_with_are_refused(scores, by, flat, said):
    complete = by * scores.fillna(0.0)
    prior_scale = np.inf if flat else 1.0
    with pytest.raises(lb.LeaderbayesError, match=rf"{said}.*in another unit: multiply all"):
        lb.fit(complete, "mean_score", prior_scale=prior_scale, seed=1)


@pytest.mark.parametrize("by_round", [0.01, 0.0])
def test_players_that_differ_by_the_same_in_every_round_are_refused(by_round):
    """NUTS ended in LB001 with nothing but divergences, or went on for minutes."""
    values = np.array([[0.2], [0.1], [0.15]]) + by_round * np.arange(4)
    with pytest.raises(lb.LeaderbayesError, match="differ by the same in every round"):
        lb.fit(board(values), "mean_score", seed=1, progressbar=False)
    flat = lb.fit(board(values), "mean_score", prior_scale=np.inf, seed=1)
    assert float(lb.compare(flat, "p0", "p1")["difference_upper"]) == pytest.approx(0.1)
    values[0, 1] = values[2, 3] = np.nan
    with pytest.raises(lb.LeaderbayesError, match="differ by the same in every round"):
        lb.fit(board(values), "mean_score", seed=1, progressbar=False)
