"""Mean scores: the PyMC model, draws with the same posterior, and what cannot be."""

import numpy as np
import pytest
import xarray as xr
from pytensor import config
from pytensor.compile.mode import Mode
from scipy.stats import kstest, t

import leaderbayes as lb
from conftest import board
from leaderbayes._answers.refit import refit
from leaderbayes._fits.posterior import Posterior
from leaderbayes.models._mean_score import draw

CELLS = ("chain", "draw")
PLAIN = Mode("py", None)  # of few evaluations: nothing is compiled


def values_of(players, rounds, seed=1):
    rng = np.random.default_rng(seed)
    own = np.exp(0.5 * rng.normal(size=players))[:, None]
    values = rng.normal(size=players)[:, None] + own * rng.normal(size=(players, rounds))
    return values + 2.0 * rng.normal(size=rounds)


def fit(scores, draws=500, likelihood=None, **options):
    own = {} if likelihood is None else {"likelihood": likelihood}
    own |= {name: options.pop(name) for name in ("of", "statistic", "prior_df") if name in options}
    return lb.fit(scores, "mean_score", seed=1, draws=draws, options=own, **options)


@pytest.fixture(scope="module")
def scores():
    return board(values_of(5, 12))


@pytest.fixture(scope="module")
def fitted(scores):
    return fit(scores, draws=1000)


def answers(players=6, rounds=120, seed=1):
    rng = np.random.default_rng(seed)
    odds = rng.normal(size=(players, 1)) + 1.5 * rng.normal(size=rounds)
    return board((rng.random(odds.shape) < 1.0 / (1.0 + np.exp(-odds))).astype(float))


@pytest.mark.parametrize("fraction", [None, 0.2])
def test_the_model_has_the_posterior_in_closed_form(scores, fraction):
    """Of scale and means at once: the ratio of densities is the same everywhere."""
    from leaderbayes._numerics.mean_score import noise_of, pairs_of_board, worth
    from leaderbayes.models._scores import luck_of, prior_of, values_of

    model = lb.models.mean_score(scores, test_fraction=fraction)
    assert int(model["higher_is_better"].eval()[0]) == 1
    logp = model.compile_logp(jacobian=False, mode=PLAIN)
    y, luck, prior = values_of(scores), luck_of(fraction), prior_of(1.0)
    noise, count, m = noise_of(y), worth(len(y), luck), y.shape[1]
    pairs, root = pairs_of_board(y, noise, count), np.linalg.cholesky(noise.covariance)
    centre = np.linalg.solve(root, y.mean(axis=0) - y.mean())
    rng, found = np.random.default_rng(1), []
    for _ in range(6):
        raw, c, unit = rng.exponential(), rng.uniform(0.5, 2.0), rng.normal(size=m)
        far = rng.normal(size=m)
        point = {
            "score_scale_raw_log__": np.log(raw), "noise_spread_log__": np.log(c),
            "score_unit": np.sqrt(c) * unit, "level_unit": 0.0, "luck_unit": far,
        }  # fmt: skip
        point = {name: point[name] for name in model.initial_point()}
        tau = np.hypot(raw, prior.floor)
        spread = np.sqrt(1.0 + count * tau**2)
        by_pairs = t.logpdf(np.sqrt(pairs.squares), noise.df, scale=spread).sum()
        wanted = pairs.weight * by_pairs - np.log1p((raw / prior.scale) ** 2)
        wanted += -(0.5 * noise.df + 1.0) * np.log(c) - 0.5 * noise.df / c
        # Given these the whitened means (and the luck of these rounds) are normal.
        precision = np.array([[1 / tau**2, 0.0], [0.0, 1.0]])
        by = np.array([1.0, np.sqrt(luck)])
        if not luck:
            precision, by = precision[:1, :1], by[:1]
        precision = precision + len(y) * np.outer(by, by)
        middle = np.linalg.solve(precision, len(y) * by)[:, None] * centre / np.sqrt(c)
        off = np.stack([unit, far])[: len(by)] - middle
        wanted += 0.5 * m * (np.linalg.slogdet(precision)[1] - np.log(c))
        wanted -= 0.5 * np.einsum("ai,ab,bi->", off, precision, off)
        found.append(float(logp(point)) - wanted)
    np.testing.assert_allclose(found, found[0], atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize(("players", "rounds", "fraction"), [(5, 8, 0.2), (12, 6, None)])
def test_pymc_samples_the_same(players, rounds, fraction):
    import pymc as pm

    scores = board(values_of(players, rounds))
    with lb.models.mean_score(scores, test_fraction=fraction):
        dt = pm.sample(3000, random_seed=1, progressbar=False, cores=1)
        again = pm.sample_posterior_predictive(dt, random_seed=1, progressbar=False)
    own = draw(scores, draws=3000, chains=4, seed=1, test_fraction=fraction)
    both = [dt["posterior"].dataset, own["posterior"]]
    for name in ("score", "noise", "score_scale"):
        one, two = (each[name] for each in both)
        sd = two.std(CELLS)
        assert float(abs((one.mean(CELLS) - two.mean(CELLS)) / sd).max()) < 0.08
        one, two = (each.quantile([0.05, 0.95], CELLS) for each in (one, two))
        # The scale is drawn from a grid, in steps of 0.14 times its size.
        assert float(abs((one - two) / sd).max()) < (0.6 if name == "score_scale" else 0.2)
    boards = [each["posterior_predictive"]["round_score"] for each in (again, own)]
    for one in ("mean", "std"):
        a, b = (getattr(each, one)((*CELLS, "round")) for each in boards)
        np.testing.assert_allclose(a, b, atol=0.1)


def test_groups(fitted, scores):
    assert {
        "posterior", "posterior_predictive", "log_likelihood", "log_prior", "observed_data",
        "constant_data",
    } == set(fitted.children)  # fmt: skip
    assert fitted["posterior"]["score"].dims == ("chain", "draw", "player")
    xr.testing.assert_equal(fitted["constant_data"]["scores"], scores)
    xr.testing.assert_equal(
        fitted["observed_data"]["round_score"], scores.transpose("round", "player")
    )
    assert fitted["constant_data"]["model"].item() == "mean_score"
    assert (fitted.attrs["converged"], fitted.attrs["sampler"]) == (1, "exact")
    assert fitted.attrs["min_ess"] > 3000.0
    seen = scores.mean("round")
    again = fitted["posterior_predictive"]["round_score"]
    low, high = again.mean("round").quantile([0.001, 0.999], CELLS)
    assert bool(((low < seen) & (seen < high)).all())


def test_arviz_answers_by_itself(fitted):
    import arviz as az

    found = az.loo(fitted, pointwise=True)
    assert float(found.pareto_k.max()) < 0.7
    assert len(az.psense_summary(fitted, var_names=["score"])) == 5


def test_leave_one_round_out_by_weights_is_that_of_refits(scores):
    import arviz as az

    from leaderbayes._numerics.mean_score import noise_of, round_log_likelihood

    loo = az.loo(fit(scores, draws=1000), pointwise=True)
    y, exact = scores.transpose("round", "player").to_numpy(), []
    for k in range(4):
        dt = fit(scores.drop_sel(round=[scores["round"].to_numpy()[k]]), draws=1000)
        means = dt["posterior"]["score"].to_numpy().reshape(-1, 5)
        rolled = np.roll(y, -k - 1, axis=0)
        by_round = round_log_likelihood(means, rolled, noise_of(rolled))[:, -1]
        exact.append(np.log(np.exp(by_round).mean()))
    np.testing.assert_allclose(loo.elpd_i.to_numpy()[:4], exact, atol=0.4)


@pytest.mark.parametrize("fraction", [None, 0.2])
def test_a_flat_prior_is_the_correlated_t_test(fraction):
    """Of every pair: the law that `baycomp.two_on_single` computes."""
    values = values_of(6, 10, 4)
    dt = fit(board(values), prior_scale=np.inf, test_fraction=fraction, draws=5000)
    drawn = dt["posterior"]["score"].to_numpy().reshape(-1, 6)
    shared = 0.0 if fraction is None else fraction / (1.0 - fraction)
    for i, j in ((0, 1), (5, 2)):
        d = values[i] - values[j]
        law = t(9, d.mean(), np.sqrt((0.1 + shared) * d.var(ddof=1)))
        assert kstest(drawn[:, i] - drawn[:, j], law.cdf).pvalue > 1e-3
    alone = t(9, values[0].mean(), np.sqrt((0.1 + shared) * values[0].var(ddof=1)))
    assert kstest(drawn[:, 0], alone.cdf).pvalue > 1e-3
    assert "log_likelihood" not in dt.children


@pytest.mark.slow
def test_missing_scores_are_filled(scores):
    values = scores.copy()
    values[2, 3:6] = values[0, 7] = np.nan
    dt = fit(values, draws=1000)
    assert dt.attrs["sampler"] == "imputation"
    assert dt.attrs["converged"] == 1
    absent = values.isnull().transpose("round", "player")
    again = dt["posterior_predictive"]["round_score"]
    assert bool((again.isnull().all(CELLS) == absent).all())
    whole, part = (each["posterior"]["score"].std(CELLS) for each in (fit(scores, 1000), dt))
    assert float(part.sel(player="p2") / whole.sel(player="p2")) > 1.02
    assert "log_likelihood" not in dt.children


def test_replicates_are_thinned(scores):
    dt = fit(scores, draws=100, replicates=40)
    again = dt["posterior_predictive"]["round_score"]
    assert again.sizes == {"chain": 4, "draw": 10, "round": 12, "player": 5}
    assert again["draw"].to_numpy().tolist() == list(range(0, 100, 10))


def test_the_prior_is_drawn(scores):
    with config.change_flags(mode="FAST_COMPILE"):
        dt = fit(scores, draws=50, prior=True)
    assert {"prior", "prior_predictive"} <= set(dt.children)
    assert dt["prior"]["score"].sizes["player"] == 5


@pytest.mark.parametrize("of", ["standardised", "distance", "share"])
@pytest.mark.parametrize("higher", [True, False])
def test_taken_of(of, higher):
    rng = np.random.default_rng(1)
    spread = np.where(np.arange(12) < 6, 0.01, 0.3)
    values = np.linspace(0.0, 1.0, 6)[:, None] + 0.7 * rng.normal(size=(6, 12))
    y = 2.0 + 0.2 * rng.normal(size=12) + spread * values
    dt = fit(board(y, higher_is_better=higher), of=of, prior_scale=np.inf)
    best, worst = (y.max(0), y.min(0)) if higher else (y.min(0), y.max(0))
    wanted = {
        "standardised": (y - y.mean(0)) / y.std(0, ddof=1),
        "distance": (y - best) / (worst - best),
        "share": y / best if higher else best / y,
    }[of]
    taken = dt["constant_data"]["scores"]
    np.testing.assert_allclose(taken.transpose("player", "round"), wanted)
    assert taken.attrs["of"] == of
    mean, sd = wanted.mean(1), wanted.std(1, ddof=1) / np.sqrt(12)
    table = lb.leaderboard(dt).set_index("player").loc[taken["player"].to_numpy()]
    assert np.all(abs(table["score"] - mean) < 4.0 * sd * np.sqrt(11 / 9 / 2000))
    sign = 1.0 if (higher and of == "standardised") or of == "share" else -1.0
    assert table["rank"].idxmin() == taken["player"].to_numpy()[(sign * mean).argmax()]
    assert fit(board(y, higher_is_better=higher), of=of).attrs["converged"] == 1


@pytest.mark.parametrize("statistic", ["median", "iqm"])
def test_statistics(scores, statistic):
    dt, flat, tight = (fit(scores, statistic=statistic, prior_scale=s) for s in (1.0, np.inf, 0.01))
    assert set(dt["posterior"].data_vars) == {"score", "score_scale"}
    spread = [float(d["posterior"]["score"].mean(CELLS).std()) for d in (flat, dt, tight)]
    assert spread[0] > spread[1] > spread[2]
    assert 0.0 < float(lb.compare(dt, "p4", "p1", rope=0.1)["p_equivalent"]) < 1.0


def test_items_are_distinguished_from_scores(fitted):
    dt = fit(answers())
    assert set(dt["posterior"].data_vars) == {"score", "score_scale"}
    assert set(fitted["posterior"].data_vars) == {"score", "score_scale", "noise"}
    runs = board(np.random.default_rng(2).integers(0, 4, (3, 40)) / 3.0).assign_attrs(answers=1)
    assert "noise" not in fit(runs)["posterior"]


@pytest.mark.parametrize("low", [0.0, -1.0])
@pytest.mark.parametrize("better", [True, False])
def test_items_in_any_unit(low, better):
    """Percent, or 1 and -1; right answers or wrong ones: the same table in its unit."""
    plain = lb.leaderboard(fit(answers())).set_index("player")
    high = 100.0 if low == 0.0 else 1.0
    other = low + (high - low) * (answers() if better else 1.0 - answers())
    table = lb.leaderboard(fit(other.assign_attrs(higher_is_better=int(better))))
    table = table.set_index("player")
    shares = (table["score"] - low) / (high - low)
    shares = shares if better else 1.0 - shares
    np.testing.assert_allclose(shares, plain["score"][shares.index], atol=0.01)
    np.testing.assert_allclose(table["p_best"], plain["p_best"][table.index], atol=0.05)


def test_a_flat_prior_of_items_is_mcnemars():
    values = np.zeros((2, 500))
    values[:, :300] = values[0, 300:365] = values[1, 365:400] = 1.0
    dt = fit(board(values), prior_scale=np.inf, draws=5000)
    # Beta(65.5, 35.5) above 1/2, within 4 Monte Carlo errors.
    assert float(lb.compare(dt, "p0", "p1")["p_better"]) == pytest.approx(0.99874, abs=0.001)
    assert float(lb.compare(fit(board(values)), "p0", "p1")["p_better"]) > 0.99


def test_clusters_are_the_unit():
    """Every answer four times: nothing more is known, by clusters."""
    once = answers(rounds=100)
    often = board(np.repeat(once.to_numpy(), 4, axis=1))
    groups = often.assign_coords(cluster=("round", np.repeat(np.arange(100), 4)))
    sd = [
        float(fit(s, prior_scale=np.inf)["posterior"]["score"].std(CELLS).mean())
        for s in (once, often, groups)
    ]
    assert sd[2] == pytest.approx(sd[0], rel=0.05)
    assert sd[1] == pytest.approx(0.5 * sd[0], rel=0.05)


def of_subjects(levels, seed=1):
    """Answers whose mean differs by player and subject, which differ in size."""
    rng = np.random.default_rng(seed)
    of = np.sort(rng.integers(levels, size=240) * rng.integers(2, size=240))
    odds = rng.normal(size=(4, 1)) + 1.5 * rng.normal(size=(4, levels))[:, of]
    values = board((rng.random(odds.shape) < 1.0 / (1.0 + np.exp(-odds))).astype(float))
    return values.assign_coords(cluster=("round", [f"s{k}" for k in of]))


def test_few_clusters_are_strata():
    """New items of these subjects: each subject's share of the items is known."""
    values = of_subjects(3)
    default = fit(values, 1000, prior_scale=np.inf)
    assert "stratum" in default["constant_data"].coords
    dt = fit(values, 1000, cluster="same", prior_scale=np.inf)
    xr.testing.assert_equal(dt["posterior"].dataset, default["posterior"].dataset)
    gap = dt["posterior"]["score"].isel(player=1) - dt["posterior"]["score"].isel(player=0)
    seen = (values[1] - values[0]).groupby("cluster")
    share = seen.count() / 240.0
    sd = float(np.sqrt((share**2 * seen.var(ddof=1) / seen.count()).sum()))
    assert float(gap.mean()) == pytest.approx(float((values[1] - values[0]).mean()), abs=0.01)
    assert float(gap.std()) == pytest.approx(sd, rel=0.06)
    plain, new = (fit(values, 1000, cluster=c, prior_scale=np.inf) for c in ("none", "new"))
    assert not {"stratum", "cluster"} & set(plain["constant_data"].coords)
    widths = [float(d["posterior"]["score"].std(CELLS).mean()) for d in (dt, plain, new)]
    assert widths[0] < widths[1] < 0.5 * widths[2]
    said = [lb.compare(d, "p0", "p1").attrs.get("estimand") for d in (default, plain, new)]
    assert said[0].startswith("Scores hold for items of these 3 clusters; cluster='new'")
    assert said[1:] == [None, None]
    text = str(lb.report.text(default))
    assert "over items such as these. Scores hold for items of these 3 clusters." in text
    assert "--cluster" not in text


def test_many_clusters_are_a_sample():
    values = answers(4, 200)
    for levels, name in ((19, "stratum"), (20, "cluster")):
        some = values.assign_coords(cluster=("round", np.arange(200) % levels))
        dt = fit(some.assign_attrs(higher_is_better=1))
        assert name in dt["constant_data"].coords
    # Without a cluster there are fewer, which still stand for new ones.
    assert (
        "cluster"
        in refit(Posterior(dt), some.where(some["cluster"] > 4, drop=True))["constant_data"].coords
    )


@pytest.mark.slow
@pytest.mark.parametrize("levels", [2, 3, 6])
def test_calibration_of_strata(levels):
    """Players' strengths on subjects differ, and these subjects are meant."""
    rng, inside = np.random.default_rng(levels), []
    nodes, by = np.polynomial.hermite_e.hermegauss(60)
    of = np.arange(60) % levels
    for _ in range(100):
        odds = 1.0 + 0.5 * rng.normal(size=(5, 1)) + rng.normal(size=(5, levels))
        true = (1.0 / (1.0 + np.exp(-odds[:, :, None] - 1.5 * nodes))) @ by / by.sum()
        true = true.mean(axis=1)
        p = 1.0 / (1.0 + np.exp(-odds[:, of] - 1.5 * rng.normal(size=60)))
        values = board((rng.random(p.shape) < p).astype(float))
        dt = fit(values.assign_coords(cluster=("round", of)), 250, cluster="same")
        score = dt["posterior"]["score"].to_numpy().reshape(-1, 5)
        i, j = np.triu_indices(5, 1)
        low, high = np.quantile(score[:, i] - score[:, j], [0.025, 0.975], axis=0)
        inside.append(np.mean((low <= true[i] - true[j]) & (true[i] - true[j] <= high)))
    assert abs(np.mean(inside) - 0.95) < 3.0 * np.std(inside) / 10.0 + 0.01


@pytest.mark.parametrize("clusters", [False, True])
def test_missing_answers(clusters):
    """What is missing widens, of that player most, and moves nothing else."""
    values = answers(5, 240, seed=8)
    if clusters:
        values = values.assign_coords(cluster=("round", np.arange(240) // 4))
    gone = (values["player"] == "p2") & (values["round"].astype(int) % 4 < 2)
    whole, part = (fit(s, 1000, prior_scale=np.inf) for s in (values, values.where(~gone)))
    score = [dt["posterior"]["score"].to_numpy().reshape(-1, 5) for dt in (whole, part)]
    sd = [each.std(axis=0) for each in score]
    others = [0, 1, 3, 4]
    np.testing.assert_allclose(sd[1][others], sd[0][others], rtol=0.06)
    assert sd[1][2] > 1.1 * sd[0][2]
    apart = abs(score[1].mean(axis=0) - score[0].mean(axis=0)) / sd[0]
    assert apart[others].max() < 0.15
    assert apart[2] < 3.0


def apart(s):
    """Two groups of players that share no round."""
    return s.where(s["player"].isin(["p1", "p3"]) == (s["round"].astype(int) < 60))


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (apart, {}, "'p0' and 'p1' are in groups that share no round .2 groups."),
        (lambda s: s + 3.0 * (s["round"] == "3"), {"likelihood": "dirichlet"}, "0 to 4"),
        (lambda s: s, {"test_fraction": 0.2, "likelihood": "dirichlet"}, "test_fraction is not"),
        (lambda s: s, {"prior": True}, "prior=True is for"),
        (lambda s: s, {"likelihood": "binomial"}, "auto.*normal.*dirichlet"),
        (lambda s: s, {"prior_scale": 0.0}, "prior_scale"),
        (lambda s: s * 0.0, {}, "nothing to compare"),
        (
            lambda s: s.assign_coords(cluster=("round", ["a"] * 120)), {"cluster": "new"},
            "one cluster, 'a'",
        ),
        (lambda s: s, {"cluster": "new"}, "have no coordinate 'cluster'"),
        (lambda s: s, {"cluster": "judge"}, "cluster='judge': choose"),
        (lambda s: s.assign_coords(cluster=("player", [0] * 6)), {}, "the dimension round"),
        (
            lambda s: s.assign_coords(cluster=("round", [np.nan] + [1.0] * 119)), {},
            "must have the dimension round",
        ),
        (
            lambda s: s.assign_coords(cluster=("round", np.arange(120) // 2)),
            {"likelihood": "normal"}, "Clusters need",
        ),
        (lambda s: s, {"statistic": "iqm"}, "with two values"),
    ],
)  # fmt: skip
def test_refusals_of_items(change, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        fit(change(answers()).assign_attrs(higher_is_better=1), **options)


def hole(s):
    return s.where((s["player"] != "p2") | (s["round"] != "3"))


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda s: s, {"within_round": False}, "within rounds"),
        (lambda s: s, {"weight": 1.0}, "no option 'weight'"),
        (lambda s: s, {"of": "raw", "prior_df": 4.0}, "no option 'prior_df'"),
        (lambda s: s, {"prior_scale": -1.0}, "prior_scale"),
        (lambda s: s, {"test_fraction": 1.0}, "test_fraction"),
        (lambda s: s, {"of": "ratio"}, "of='ratio'"),
        (lambda s: s, {"of": "share"}, "of='share' needs scores above 0"),
        (lambda s: s, {"statistic": "mode"}, "statistic='mode'"),
        (lambda s: s, {"statistic": "median", "likelihood": "normal"}, "of unknown distribution"),
        (lambda s: s[:, :2], {"statistic": "median"}, "needs more than 2 rounds"),
        (lambda s: s[:, :1], {}, "One score per player"),
        (lambda s: s[:3, :2].where((s["player"] < "p1") | (s["round"] == "0")), {}, "few scores"),
        (lambda s: (s[:, :1] > s[:, :1].median()).astype(float), {}, "One score per player"),
        (lambda s: 0.0 * s, {}, "nothing to compare"),
        (lambda s: 0.0 * s + np.arange(5.0)[:, None] + np.arange(12.0), {}, "differ by the same"),
        (lambda s: 1e70 * s, {}, "too large"),
        (hole, {"of": "standardised"}, "'p2' has none in round '3'"),
        (hole, {"statistic": "median"}, "'p2' has none in round '3'"),
        (apart, {}, "share no round"),
    ],
)  # fmt: skip
def test_refusals(scores, change, options, message):
    given = board(values_of(5, 120)) if change is apart else scores
    with pytest.raises(lb.LeaderbayesError, match=message):
        fit(change(given).assign_attrs(scores.attrs), **options)


def test_what_has_no_pymc_model(scores):
    for given, options, message in (
        (hole(scores), {}, "The PyMC model needs every score"),
        (scores, {"prior_scale": np.inf}, "has no PyMC model"),
        (scores[:2, :2], {}, "Too few players and rounds"),
        (lb.datasets.load("classifiers"), {}, "tournaments"),
    ):
        with pytest.raises(lb.LeaderbayesError, match=message):
            lb.models.mean_score(given, **options)


def test_models_of_pymc_have_no_loo(fitted):
    made = fitted.copy()
    inside = made["posterior"].dataset
    made["posterior"] = xr.DataTree(inside.assign(noise_spread=inside["score_scale"]))
    with pytest.raises(lb.LeaderbayesError, match=r"leaderbayes\.fit of one tournament"):
        lb.loo(made)
