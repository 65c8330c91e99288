"""Wald and likelihood-ratio tests: published numbers, their definitions, and their level."""

import numpy as np
import pytest
import xarray as xr
from scipy.stats import chi2, false_discovery_control, norm

import leaderbayes as lb
from conftest import simulate

ask = lb.likelihood.hypothesis_test

PAIR = [("Semi-Rotation-10%", "Rotation")]


@pytest.fixture(scope="module")
def fits():
    rng = np.random.default_rng(5)
    matches = lb.matches(simulate([1.0, 0.3, 0.2, -0.4, -1.1], 40, rng))
    return {
        kind: lb.likelihood.bradley_terry(matches, covariance=kind)
        for kind in ("model", "clustered")
    } | {"matches": matches}


def test_published_wald_test(reference):
    scores = reference("vtab/scores.csv")
    floor = lb.likelihood.bradley_terry(lb.matches(scores, ties="floor"), covariance="model")
    published = ask(floor, hypothesis=PAIR, convention="published")
    assert published["p_value"] == pytest.approx(0.652, abs=5e-4)
    assert ask(floor, hypothesis=PAIR)["p_value"] == pytest.approx(0.513, abs=5e-4)
    table = lb.likelihood.pairwise_tests(floor, adjust=None, convention="published")
    table = table.set_index(["player", "opponent"])["p_value"]
    better_first = (*PAIR[0],) if PAIR[0] in table.index else (*PAIR[0][::-1],)
    assert table[better_first] == pytest.approx(float(published["p_value"]))


@pytest.mark.filterwarnings("ignore:LB014")
def test_pmra_published_tables(reference):
    fit = lb.likelihood.round_intercept(lb.matches(reference("pmra/scores.csv"), ties="loss"))
    wald = reference("pmra/lme4_wald_p_top10.csv")
    table = lb.likelihood.pairwise_tests(fit, adjust=None, convention="published")
    table = table.set_index(["player", "opponent"])["p_value"].to_dict()
    for a in wald.index:
        for b in wald.columns.drop(a):
            got = table.get((a, b), table.get((b, a)))
            assert got == pytest.approx(wald.loc[a, b], abs=1e-3)
    # The same by hypothesis, with the intercept of the pair's order.
    row = xr.DataArray(
        [[1.0, -1.0, 1.0]],
        dims=("hypothesis", "coefficient"),
        coords={"coefficient": ["RF9", "XGB6", "intercept"]},
    )
    test = ask(fit, hypothesis=row)
    assert test["p_value"] == pytest.approx(wald.loc["RF9", "XGB6"], abs=1e-3)


def test_one_hypothesis_is_the_squared_z(fits):
    fit = fits["clustered"]
    covariance = fit["covariance"].to_pandas()
    gap = float(fit["epp"].sel(player="p1") - fit["epp"].sel(player="p3"))
    variance = (
        covariance.loc["p1", "p1"] + covariance.loc["p3", "p3"] - 2 * covariance.loc["p1", "p3"]
    )
    test = ask(fit, "p1", "p3", value=0.2)
    assert test["statistic"] == pytest.approx((gap - 0.2) ** 2 / variance)
    assert test["p_value"] == pytest.approx(2 * norm.sf(abs(gap - 0.2) / np.sqrt(variance)))


def test_a_player_against_the_average(fits):
    """K with one player is a contrast with 0, the average."""
    fit = fits["model"]
    one = xr.DataArray([[1.0]], dims=("hypothesis", "coefficient"), coords={"coefficient": ["p0"]})
    test = ask(fit, hypothesis=one)
    assert test["statistic"] == pytest.approx(
        float(fit["epp"][0]) ** 2 / float(fit["covariance"][0, 0])
    )


def test_likelihood_ratio(fits):
    together = [("p1", "p2"), ("p2", "p3")]
    restricted = lb.likelihood.bradley_terry(
        fits["matches"], covariance="model", hypothesis=together
    )
    epp = restricted["epp"].to_series()
    np.testing.assert_allclose(epp[["p1", "p2"]], epp["p3"], atol=1e-10)
    test = ask(fits["model"], restricted=restricted)
    gain = 2 * float(fits["model"]["loglik"] - restricted["loglik"])
    assert test["df"] == 2
    assert test["p_value"] == pytest.approx(chi2.sf(gain, 2))
    # Dependent matches: the likelihood counts for less, about as in the Wald test.
    robust = ask(fits["clustered"], restricted=restricted)
    assert robust["statistic"] < test["statistic"]
    wald = ask(fits["clustered"], hypothesis=together)
    assert robust["p_value"] == pytest.approx(float(wald["p_value"]), abs=0.1)


def test_adjusted_p_values_are_what_their_papers_say(fits):
    """A hypothesis' adjusted p-value is the least level at which the procedure rejects it."""
    raw, holm, bh = (
        lb.likelihood.pairwise_tests(fits["clustered"], adjust=adjust)
        for adjust in (None, "holm", "fdr_bh")
    )
    assert (raw["difference"] >= 0).all()
    p, m = raw["p_value"], len(raw)
    np.testing.assert_array_equal(raw["p_adjusted"], p)
    ranked = np.sort(p)
    wanted = [max(min(1.0, (m - k) * ranked[k]) for k in range(m) if ranked[k] <= x) for x in p]
    np.testing.assert_allclose(holm["p_adjusted"], wanted)
    np.testing.assert_allclose(bh["p_adjusted"], false_discovery_control(p, method="bh"))


@pytest.mark.slow
def test_level():
    """True hypotheses are rejected at 5 %; on matches taken for independent, far too often."""
    rng, boards = np.random.default_rng(11), 600
    rejected = {"wald": 0, "lr": 0, "naive": 0}
    for _ in range(boards):
        matches = lb.matches(simulate([0.5, 0.0, 0.0, 0.0, -0.5, 0.0, 0.3, -0.3], 40, rng))
        general = lb.likelihood.bradley_terry(matches)
        naive = lb.likelihood.bradley_terry(matches, covariance="model")
        together = [("p1", "p2")]
        restricted = lb.likelihood.bradley_terry(matches, covariance="model", hypothesis=together)
        rejected["wald"] += ask(general, hypothesis=together)["p_value"] < 0.05
        rejected["lr"] += ask(general, restricted=restricted)["p_value"] < 0.05
        rejected["naive"] += ask(naive, hypothesis=together)["p_value"] < 0.05
    # Three Monte Carlo errors of 0.009, and a sandwich of 40 rounds is a little narrow.
    assert 0.023 < rejected["wald"] / boards < 0.085
    assert 0.023 < rejected["lr"] / boards < 0.085
    assert rejected["naive"] / boards > 0.15


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda f: ask(f["model"], "p0", "x"), "'x', which is not one"),
        (lambda f: ask(f["model"], "p0", "intercept"), "'intercept'"),
        (lambda f: ask(f["model"], hypothesis=[("p0", "p1"), ("p1", "p0")]), "independent"),
        (lambda f: ask(f["model"], "p0", "p1", value=np.nan), "value=nan: give a finite number"),
        (
            lambda f: ask(f["model"], hypothesis=xr.DataArray([1.0], dims="player")),
            "dimensions hypothesis and coefficient",
        ),
        (lambda f: ask(f["clustered"], "p0", "p1", convention="published"), "covariance='model'"),
        (lambda f: lb.likelihood.pairwise_tests(f["model"], adjust="bonferroni"), "adjust="),
        (lambda f: lb.likelihood.pairwise_tests(f["model"], convention="x"), "convention='x'"),
        (
            lambda f: ask(f["model"], hypothesis=np.eye(4), restricted=f["model"]),
            "restricted= has its hypotheses",
        ),
        (
            lambda f: ask(f["model"], restricted=f["model"], convention="published"),
            "omit a, b, hypothesis= and convention=",
        ),
        (lambda f: ask(f["model"], restricted=f["model"]), "fit the second with"),
        (
            lambda f: ask(f["model"].isel(player=slice(1, None)), restricted=f["model"]),
            "same players",
        ),
    ],
)
def test_bad_hypotheses(fits, call, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        call(fits)


def test_more_hypotheses_than_rounds():
    rng = np.random.default_rng(2)
    fit = lb.likelihood.bradley_terry(lb.matches(simulate(np.zeros(8), 4, rng)), pseudo_rounds=1.0)
    pairs = [(f"p{k}", f"p{k + 1}") for k in range(7)]
    with pytest.raises(lb.LeaderbayesError, match="more than the rank of this covariance"):
        ask(fit, hypothesis=pairs)


def test_two_players_are_named_as_for_compare(fits):
    by_name = ask(fits["clustered"], "p1", "p2")
    xr.testing.assert_identical(by_name, ask(fits["clustered"], hypothesis=[("p1", "p2")]))
    assert f"{by_name['p_value']:.3f}" == f"{float(by_name['p_value']):.3f}"
    for given in (
        {},
        {"a": "p1"},
        {"a": [("p1", "p2")]},
        {"a": "p1", "hypothesis": [("p1", "p2")]},
    ):
        with pytest.raises(lb.LeaderbayesError, match=r"hypothesis_test\(estimate, 'a', 'b'\)"):
            ask(fits["clustered"], **given)


def test_what_is_no_estimate_is_named(fits):
    restricted = lb.likelihood.bradley_terry(fits["matches"], hypothesis=[("p0", "p1")])
    for test in (
        lambda given: ask(given, "p0", "p1"),
        lambda given: ask(given, restricted=restricted),
        lb.likelihood.pairwise_tests,
    ):
        with pytest.raises(lb.LeaderbayesError, match="pass a result"):
            test(fits["matches"])
    with pytest.raises(lb.LeaderbayesError, match="fit the second with"):
        ask(restricted, restricted=fits["clustered"])
