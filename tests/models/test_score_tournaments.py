"""Mean scores over several data sets: the PyMC model, draws of the same, a new data set."""

import arviz as az
import numpy as np
import pytest
import xarray as xr
from pytensor.compile.mode import Mode
from scipy.stats import invgamma, norm, t

import leaderbayes as lb
from conftest import board
from leaderbayes._numerics.mean_score import draw_filled, noise_of, pairs_of_board
from leaderbayes._numerics.score_tournaments import SHARE, axes_of, draw_means, tables_of
from leaderbayes._numerics.shrinkage import Prior
from leaderbayes.models._score_tournaments import draw

CELLS = ("chain", "draw")
PLAIN = Mode("py", None)  # of few evaluations: nothing is compiled
PRIOR = Prior(3.0, 0.1)
# What `baycomp` 1.0.3 (pystan 3.14, 20 000 draws) says of P(x, rope, y) on a new data set, mean of
# its sample, on the shipped classifiers; and its posterior mean and sd of mu_0.
BAYCOMP = {
    "svm C=1": ([0.306, 0.406, 0.288], -0.0004, 0.0088),
    "knn k=25": ([0.130, 0.215, 0.655], 0.0112, 0.0120),
}


def values_of(seed=3, tournaments=6):
    """Scores (tournament, player, round); the last player misses the second tournament."""
    rng = np.random.default_rng(seed)
    mean = np.array([0.9, 0.86, 0.8]) + 0.05 * rng.normal(size=(tournaments, 1))
    mean = mean + 0.02 * rng.normal(size=(tournaments, 3))
    values = mean[:, :, None] + 0.02 * rng.normal(size=(tournaments, 1, 8))
    values = values + 0.01 * rng.normal(size=(tournaments, 3, 8))
    values[1, 2] = np.nan
    return values


def several(values, **attrs):
    names = xr.Variable("tournament", [f"data {q}" for q in range(len(values))])
    one = board(values[0], **attrs)
    return xr.concat([board(y, **attrs) for y in values], names).assign_attrs(one.attrs)


def fit(scores, **options):
    return lb.fit(scores, "score_tournaments", seed=1, progressbar=False, **options)


@pytest.fixture(scope="module")
def scores():
    return several(values_of())


@pytest.fixture(scope="module")
def fitted(scores):
    return fit(scores)


def test_axes_make_both_covariances_diagonal():
    rng = np.random.default_rng(1)
    total, within = (x.T @ x for x in rng.normal(size=(2, 9, 4)))
    at = axes_of(total, within)
    np.testing.assert_allclose(at.v @ at.v.T, total)
    np.testing.assert_allclose((at.v * at.e) @ at.v.T, within)
    np.testing.assert_allclose(at.v @ at.inverse, np.eye(4), atol=1e-9)


def test_tables_pool_the_noise():
    values = values_of()
    tables = tables_of(values, 0.25)
    np.testing.assert_allclose(tables.mean, values.mean(axis=2))
    assert tables.worth == pytest.approx(np.full(6, 1 / 8 + 0.25))
    # In each data set the noise's own scale: as much as is its own scatter.
    ten = values.copy()
    ten[3] *= 10.0
    assert tables_of(ten, 0.0).scale[3] / tables_of(ten, 0.0).scale[4] == pytest.approx(
        100.0 * tables.scale[3] / tables.scale[4]
    )


@pytest.mark.parametrize("luck", [0.0, 0.25])
def test_means_on_data_sets_given_the_rest(luck):
    """By brute force: normal around the mean over data sets, and seen with noise."""
    y = values_of(5, 5)[[0, 2, 3, 4]]
    tables, rng = tables_of(y, luck), np.random.default_rng(2)
    drawn = draw_filled(tables.mean, 1, 0.0, PRIOR, rng)[0]
    many = 20_000
    drawn = drawn._replace(
        mean=np.repeat(drawn.mean, many, axis=0), spread=np.repeat(drawn.spread, many)
    )
    found = draw_means(drawn, tables._replace(df=np.full(4, 1e9)), rng)
    c, at = float(drawn.spread[0]), axes_of(drawn.noise.covariance, tables.within)
    between = (at.v * np.maximum(c - at.e, SHARE * c)) @ at.v.T
    for q in range(4):
        noise = tables.scale[q] * tables.within
        gain = between @ np.linalg.inv(between + noise)
        mean = drawn.mean[0] + gain @ (tables.mean[q] - drawn.mean[0])
        covariance = between - gain @ between
        error = np.sqrt(np.diag(covariance) / many)
        assert np.all(abs(found.theta[:, q].mean(axis=0) - mean) < 5.0 * error)
        np.testing.assert_allclose(
            np.cov(found.theta[:, q].T), covariance, atol=0.05 * covariance.max()
        )
    assert found.spread[0] ** 2 == pytest.approx((np.trace(between) - between.sum() / 3.0) / 2.0)


def test_groups(fitted, scores):
    posterior = fitted["posterior"].dataset
    assert posterior["score_tournament"].dims == (*CELLS, "tournament", "player")
    assert posterior["score_spread"].dims == CELLS
    assert fitted["constant_data"]["spread"].dims == ("player", "opponent")
    assert fitted.attrs["converged"] == 1
    xr.testing.assert_equal(fitted["constant_data"]["scores"], scores)
    again = fitted["posterior_predictive"]["round_score"]
    absent = fitted["observed_data"]["round_score"].isnull()
    assert (again.isnull().all(CELLS) == absent).all()
    seen = fitted["observed_data"]["round_score"].sel(player="p0")
    low, high = again.sel(player="p0").quantile([0.0005, 0.9995], CELLS)
    assert bool(((low < seen) & (seen < high)).all())


@pytest.mark.slow
def test_same_seed_same_numbers(fitted, scores):
    xr.testing.assert_identical(fit(scores), fitted)


def test_means_of_data_sets_are_those_seen(fitted, scores):
    mean = fitted["posterior"]["score_tournament"]
    gap = abs(mean.mean(CELLS) - scores.mean("round"))
    assert float(gap.max()) < 0.02
    # An absent player has what it would have: wider by the spread.
    sd = mean.std(CELLS)
    assert sd.sel(tournament="data 1", player="p2") > 2.0 * sd.sel(tournament="data 1", player="p1")


def test_answers_are_of_the_means(fitted):
    table = lb.leaderboard(fitted)
    assert table["player"].tolist() == ["p0", "p1", "p2"]
    assert lb.rank_probability(fitted).sel(rank=1).idxmax() == "p0"
    assert lb.tied_for_top(fitted)[0] == "p0"
    one = lb.study.select(fitted, "data 1")
    assert one["posterior"]["player"].to_numpy().tolist() == ["p0", "p1"]
    assert lb.compare(one, "p0", "p1")["record_played"] == 8
    assert 0.0 < float(lb.check(fitted)["p_value"]) <= 1.0
    assert 0.0 < float(lb.plan(fitted)["p_now"]) <= 1.0
    with pytest.raises(lb.LeaderbayesError, match="of one tournament"):
        lb.loo(fitted)


def test_answers_over_data_sets_are_fitted_as_scores():
    """Right or wrong ones: by default too, with a warning."""
    values = (np.random.default_rng(1).random((3, 3, 30)) < 0.7).astype(float)
    with pytest.warns(lb.LeaderbayesWarning, match="LB018"):
        dt = lb.fit(several(values), seed=1, progressbar=False, draws=50)
    assert dt.attrs["model"] == "score_tournaments"


def test_compare_is_of_a_new_data_set(fitted):
    pair, back = (
        lb.compare(fitted, "p0", "p1", rope=0.01),
        lb.compare(fitted, "p1", "p0", rope=0.01),
    )
    assert float(pair["p_better"] + pair["p_equivalent"] + pair["p_worse"]) == pytest.approx(1.0)
    assert pair["new_lower"] < pair["difference_lower"]
    assert pair["mean_better"] > pair["p_better"] + pair["p_equivalent"] / 2.0
    assert float(back["p_worse"]) == pytest.approx(float(pair["p_better"]))
    win = lb.win_probability(fitted)["mean"]
    plain = lb.compare(fitted, "p0", "p1")
    said = float(win.sel(player="p0", opponent="p1"))
    assert said == pytest.approx(float(plain["p_better"]), abs=1e-3)  # which a grid stands for
    np.testing.assert_allclose(win + win.to_numpy().T, 1.0)


def test_a_new_data_set_moves_both_players(scores):
    """Of two of one spread, the difference there has the variance of the mean and twice that."""
    dt = fit(scores.sel(player=["p0", "p1"]))
    pair = lb.compare(dt, "p0", "p1")
    gap = dt["posterior"]["score"].sel(player="p0") - dt["posterior"]["score"].sel(player="p1")
    sd = np.sqrt(gap.var() + 2.0 * (dt["posterior"]["score_spread"] ** 2).mean())
    assert float(pair["new_upper"] - pair["new_lower"]) == pytest.approx(3.92 * float(sd), rel=0.1)


@pytest.mark.parametrize("player", BAYCOMP)
def test_two_players_are_near_baycomps(player):
    """But for its priors and its Student t between data sets."""
    scores = lb.datasets.load("classifiers").sel(player=[player, "logistic C=1"])
    pair = lb.compare(fit(scores, test_fraction=0.2), player, "logistic C=1", rope=0.005)
    wanted, mean, sd = BAYCOMP[player]
    found = [float(pair[name]) for name in ("p_better", "p_equivalent", "p_worse")]
    np.testing.assert_allclose(found, wanted, atol=0.14)
    assert float(pair["difference"]) == pytest.approx(-mean, abs=0.5 * sd)


@pytest.mark.parametrize(
    ("tournaments", "ratio"),
    [(4, 1.0), *(pytest.param(10, ratio, marks=pytest.mark.slow) for ratio in (1.0, 4.0))],
)
def test_calibration(tournaments, ratio):
    """100 studies of own spreads: means, means on data sets, and a new one, by 95 % intervals."""
    i, j = np.triu_indices(4, 1)
    inside = []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        mean, spread = rng.normal(size=4), ratio * np.exp(0.4 * rng.normal(size=4))
        theta = mean + spread * rng.normal(size=(tournaments, 4))
        noise = rng.normal(size=(tournaments, 4, 6)) + rng.normal(size=(tournaments, 1, 6))
        tables = tables_of(theta[:, :, None] + noise, 0.0)
        drawn = draw_filled(tables.mean, 400, 0.0, PRIOR, rng)[0]
        found = draw_means(drawn, tables, rng)
        new = drawn.mean[:, i] - drawn.mean[:, j]
        pairs = found.between
        ratios = np.diag(pairs)[i] + np.diag(pairs)[j] - 2.0 * pairs[i, j]
        usual = 2.0 * (np.trace(pairs) - pairs.sum() / 4.0) / 3.0
        sd = np.sqrt(2.0 * ratios / usual) * found.spread[:, None]
        new = new + sd * rng.normal(size=new.shape)
        fresh = mean + spread * rng.normal(size=(50, 4))
        each = []
        for draws, truth in (
            (drawn.mean[:, i] - drawn.mean[:, j], mean[i] - mean[j]),
            (found.theta[..., i] - found.theta[..., j], theta[:, i] - theta[:, j]),
            (new, fresh[:, i] - fresh[:, j]),
        ):
            low, high = np.quantile(draws, [0.025, 0.975], axis=0)
            each.append(np.mean((low <= truth) & (truth <= high)))
        inside.append(each)
    covered, error = np.mean(inside, axis=0), np.std(inside, axis=0) / 10.0
    assert np.all(covered > 0.93 - 3.0 * error)
    assert np.all(covered < 0.995)


def test_the_model_has_the_posterior_in_closed_form():
    """Of scales, means and means on data sets at once: the ratio of densities is constant."""
    scores = several(values_of()[[0, 2, 3, 4, 5]])
    model = lb.models.score_tournaments(scores)
    logp = model.compile_logp(jacobian=False, mode=PLAIN)
    tables = tables_of(scores.to_numpy(), 0.0)
    noise, n, m = noise_of(tables.mean), 5, 3
    at, pairs = axes_of(noise.covariance, tables.within), pairs_of_board(tables.mean, noise, n)
    centre = tables.mean.mean(axis=0)
    seen = at.inverse @ (centre - centre.mean())
    rng, found = np.random.default_rng(1), []
    for _ in range(6):
        raw, c, far = rng.exponential(), rng.uniform(0.7, 2.0), rng.uniform(0.7, 2.0, n)
        unit, level, d = rng.normal(size=m), 0.01 * rng.normal(), rng.normal(size=(n, m))
        point = {
            "score_scale_raw_log__": np.log(raw), "noise_spread_log__": np.log(c),
            "score_unit": unit, "level_unit": level, "round_spread_log__": np.log(far),
            "deviation_unit": d,
        }  # fmt: skip
        tau = np.hypot(raw, PRIOR.floor)
        gain = n * tau**2
        kept = gain / (1.0 + gain)
        by_pairs = t.logpdf(np.sqrt(pairs.squares), noise.df, scale=np.sqrt(1.0 + gain)).sum()
        wanted = pairs.weight * by_pairs - np.log1p((raw / PRIOR.scale) ** 2)
        wanted += invgamma.logpdf(c, noise.df / 2.0, scale=noise.df / 2.0)
        wanted += invgamma.logpdf(far, tables.df / 2.0, scale=tables.df / 2.0).sum()
        wanted += norm.logpdf(unit, kept * seen, np.sqrt(kept * c / n)).sum()
        wanted += t.logpdf(level, noise.df, scale=np.sqrt(noise.covariance.mean() / n))
        score = centre.mean() + level / np.sqrt(1.0 + gain) + at.v @ unit
        omega = np.maximum(c - at.e, SHARE * c)
        variance = (far * tables.scale)[:, None] * at.e
        part = omega / (omega + variance)
        middle = part * ((tables.mean - score) @ at.inverse.T) / np.sqrt(omega)
        wanted += norm.logpdf(d, middle, np.sqrt(part * variance / omega)).sum()
        found.append(float(logp(point)) - wanted)
    np.testing.assert_allclose(found, found[0], atol=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("fraction", [None, 0.2])
def test_pymc_samples_the_same(fraction):
    import pymc as pm

    scores = several(values_of()[[0, 2, 3, 4, 5]])
    with lb.models.score_tournaments(scores, test_fraction=fraction):
        dt = pm.sample(3000, random_seed=1, progressbar=False, cores=1, target_accept=0.95)
    own = draw(scores, draws=4000, chains=4, seed=1, test_fraction=fraction)["posterior"]
    names = ["score", "score_tournament", "score_spread"]
    both = [dt["posterior"].to_dataset()[names], own[names]]
    for prob in (0.05, 0.5, 0.95):
        one, two = (each.quantile(prob, CELLS) for each in both)
        errors = [az.mcse(each, method="quantile", prob=prob) for each in both]
        beyond = abs(one - two) / np.hypot(*errors)
        assert float(beyond.to_array().max()) < 4.5


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda s: s.isel(tournament=0, drop=True), {}, "use model='mean_score'"),
        (lambda s: s.isel(tournament=[0]), {}, "use model='mean_score'"),
        (lambda s: s.isel(round=[0]), {}, "'data 0' has one score per player"),
        (
            lambda s: s.where((s["tournament"] != "data 2") | (s["player"] == "p0")), {},
            "'data 2' has scores of only one player",
        ),
        (
            lambda s: s.where((s["tournament"] != "data 0") | (s["player"] != "p1")
                              | (s["round"] != "3")), {},
            "'data 0' lacks the score of player 'p1' in round '3'",
        ),
        (lambda s: s * 0.0, {}, "nothing to compare"),
        (lambda s: s, {"within_round": False}, "within rounds"),
        (lambda s: s, {"prior_scale": 0.0}, "prior_scale"),
        (lambda s: s, {"options": {"spread_scale": 1.0}}, "no option 'spread_scale'"),
    ],
)  # fmt: skip
def test_refusals(scores, change, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        fit(change(scores).assign_attrs(scores.attrs), **options)


def test_the_model_needs_every_player(scores):
    with pytest.raises(lb.LeaderbayesError, match="player 'p2' is not in tournament 'data 1'"):
        lb.models.score_tournaments(scores)
