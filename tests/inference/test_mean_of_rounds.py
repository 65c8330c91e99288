"""What mean scores are taken of, medians, and interquartile means: `fit`'s of and statistic."""

import json

import numpy as np
import pytest
import xarray as xr
from scipy.stats import t

import leaderbayes as lb
from conftest import board


@pytest.fixture(scope="module")
def scores():
    """Six players in twelve rounds, of which half spread thirty times as much as the others."""
    rng = np.random.default_rng(1)
    spread = np.where(np.arange(12) < 6, 0.01, 0.3)
    values = np.linspace(0.0, 1.0, 6)[:, None] + 0.7 * rng.normal(size=(6, 12))
    return board(2.0 + 0.2 * rng.normal(size=12) + spread * values)


def fit(scores, draws=500, **options):
    return lb.fit(scores, "mean_score", seed=1, progressbar=False, draws=draws, **options)


@pytest.mark.parametrize("of", ["standardised", "distance", "share"])
@pytest.mark.parametrize("higher", [True, False])
def test_taken_of(scores, of, higher):
    given = scores.assign_attrs(higher_is_better=int(higher))
    dt = fit(given, of=of, prior_scale=np.inf)
    y = given.to_numpy()
    best, worst = (y.max(0), y.min(0)) if higher else (y.min(0), y.max(0))
    wanted = {
        "standardised": (y - y.mean(0)) / y.std(0, ddof=1),
        "distance": (y - best) / (worst - best),
        "share": y / best if higher else best / y,
    }[of]
    taken = dt["constant_data"]["scores"]
    np.testing.assert_allclose(taken.transpose("player", "round"), wanted)
    assert taken.attrs["of"] == of
    # Drawn by Student's law of the rounds: means within four of 2000 draws' errors.
    mean, sd = wanted.mean(1), wanted.std(1, ddof=1) / np.sqrt(12)
    table = lb.leaderboard(dt).set_index("player").loc[given["player"].to_numpy()]
    assert np.all(abs(table["score"] - mean) < 4.0 * sd * np.sqrt(11 / 9 / 2000))
    # The better ones are first, whichever direction the numbers have.
    first = lb.leaderboard(dt)["player"][0]
    sign = 1.0 if (higher and of == "standardised") or of == "share" else -1.0
    assert first == given["player"].to_numpy()[(sign * mean).argmax()]
    low, high = t(11, mean, sd).interval(0.95)
    assert np.all(abs(table["score_lower"] - low) < 0.4 * sd)  # five Monte Carlo errors
    assert np.all(abs(table["score_upper"] - high) < 0.4 * sd)  # five Monte Carlo errors


def test_standardised_by_gibbs_sums_to_zero(scores):
    dt = fit(scores, of="standardised")
    assert dt.attrs["sampler"] == "gibbs"
    assert dt.attrs["converged"] == 1
    assert abs(dt["posterior"]["score"].sum("player")).max() < 1e-9
    arguments = json.loads(dt.attrs["arguments"])
    assert (arguments["of"], arguments["statistic"], arguments["likelihood"]) == (
        "standardised", "mean", "normal",
    )  # fmt: skip
    # Rounds that spread little count as much: the order is told, which raw scores leave open.
    raw, standardised = (lb.compare(each, "p5", "p0") for each in (fit(scores), dt))
    assert float(standardised["p_better"]) > 0.99
    width = {
        name: float((each["difference_upper"] - each["difference_lower"]) / each["difference"])
        for name, each in {"raw": raw, "standardised": standardised}.items()
    }
    assert width["standardised"] < 0.8 * width["raw"]
    assert standardised.attrs["of"] == "standardised"


@pytest.mark.parametrize("statistic", ["median", "iqm"])
def test_statistics(scores, statistic):
    dt = fit(scores, statistic=statistic, of="standardised")
    assert json.loads(dt.attrs["arguments"])["likelihood"] == "dirichlet"
    assert dt.attrs["converged"] == 1
    assert {"score", "score_scale"} == set(dt["posterior"].data_vars)
    # All verbs answer.
    assert 0.0 < float(lb.compare(dt, "p5", "p4", rope=0.1)["p_equivalent"]) < 1.0
    assert lb.rank_probability(dt).sizes["player"] == 6
    assert "p5" in lb.tied_for_top(dt)
    xr.testing.assert_identical(fit(scores, statistic=statistic, of="standardised"), dt)


def test_flat_is_not_drawn_together(scores):
    flat, together = (fit(scores, statistic="median", prior_scale=s) for s in (np.inf, 0.1))
    assert flat.attrs["sampler"] == "exact"
    spread = [
        float(dt["posterior"]["score"].mean(("chain", "draw")).std()) for dt in (flat, together)
    ]
    assert spread[1] < spread[0]


@pytest.mark.slow
def test_players_that_are_the_same():
    """Twins, a constant difference, and a player that never varies: there is a posterior."""
    rng = np.random.default_rng(2)
    values = rng.normal(size=(2, 10))
    for other in (values[:1], values[:1] + 1.0, np.zeros((1, 10))):
        for options in ({"statistic": "median"}, {"of": "distance"}, {"of": "standardised"}):
            dt = fit(board(np.concatenate([values, other])), **options)
            assert np.isfinite(dt["posterior"]["score"]).all()
    two = fit(board(values), of="standardised")  # +0.71 or -0.71: who was ahead
    assert np.isfinite(two["posterior"]["score"]).all()


@pytest.mark.slow
def test_effect_sizes():
    """Cohen's d and Cliff's delta of a known law, by the model and of right or wrong answers."""
    rng = np.random.default_rng(3)
    values = 3.0 * rng.normal(size=200) + np.array([[1.0], [0.0]]) + 4.0 * rng.normal(size=(2, 200))
    # The scale of two players is worth a quarter of its draws.
    pair = lb.compare(fit(board(values), draws=1000), "p0", "p1")
    assert float(pair["cohen_d_lower"]) < 0.2 < float(pair["cohen_d_upper"])
    # Of rounds that need not be the same: two normal laws of standard deviation 5.
    assert float(pair["cliff_delta"]) == pytest.approx(float(pair["cohen_d"]) * 0.564, rel=0.02)
    assert float(pair["difference"] / pair["cohen_d"]) == pytest.approx(5.0, rel=0.1)
    answers = (rng.random((2, 400)) < [[0.8], [0.5]]).astype(float)
    pair = lb.compare(fit(board(answers)), "p0", "p1")
    assert float(pair["cliff_delta"]) == pytest.approx(float(pair["difference"]))
    p = answers.mean(axis=1)
    d = (p[0] - p[1]) / np.sqrt((p * (1 - p)).mean())
    assert float(pair["cohen_d"]) == pytest.approx(d, abs=0.05)
    flat = lb.compare(fit(board(values), prior_scale=np.inf), "p0", "p1")
    assert "cohen_d" not in flat


def test_refused(scores):
    missing = scores.copy()
    missing[2, 3] = np.nan
    for options in ({"of": "standardised"}, {"statistic": "median"}):
        with pytest.raises(lb.LeaderbayesError, match="player 'p2' has none in round '3'"):
            fit(missing, **options)
    with pytest.raises(lb.LeaderbayesError, match="of='share' needs scores above 0"):
        fit(scores - 2.0, of="share")
    with pytest.raises(lb.LeaderbayesError, match="of='ratio'"):
        fit(scores, of="ratio")
    with pytest.raises(lb.LeaderbayesError, match="statistic='mode'"):
        fit(scores, statistic="mode")
    with pytest.raises(lb.LeaderbayesError, match="of a normal law it is the mean"):
        fit(scores, statistic="median", likelihood="normal")
    with pytest.raises(lb.LeaderbayesError, match="needs more than 2 rounds"):
        fit(scores[:, :2], statistic="median")
    with pytest.raises(lb.LeaderbayesError, match="one of two values"):
        fit((scores > 2.0).astype(float).assign_attrs(scores.attrs), statistic="iqm")
    with pytest.raises(lb.LeaderbayesError, match="is drawn without NUTS"):
        fit(scores, of="standardised", sampler="pymc")
    with pytest.raises(lb.LeaderbayesError, match="prior=True"):
        fit(scores, of="standardised", prior=True)
    clustered = scores.assign_coords(cluster=("round", np.arange(12) // 2))
    with pytest.raises(lb.LeaderbayesError, match="only the mean by likelihood='dirichlet'"):
        fit(clustered, statistic="median")
