"""What `lb.fit` returns, for every model of matches, and what it refuses."""

import json
import warnings

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import board, simulate

FAST = ["bradley_terry", "davidson", "plackett_luce", "round_intercept"]
OWN = {
    "bradley_terry": {"epp", "epp_scale"},
    "davidson": {"epp", "epp_scale", "tie"},
    "plackett_luce": {"epp", "epp_scale"},
    "round_intercept": {"epp", "epp_scale", "intercept", "intercept_round", "intercept_scale"},
}


def quick(scores, *args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        own = {"seed": 1, "replicates": 20, "progressbar": False} | options
        return lb.fit(scores, *args, **own)


@pytest.fixture(scope="module", params=FAST)
def fitted(request, tied_scores):
    return quick(tied_scores, request.param, draws=250, replicates=100)


def test_groups_are_arviz_groups_and_hold_no_decoys(fitted):
    name = fitted.attrs["model"]
    observed = "outcome" if name == "round_intercept" else "place"
    assert {*fitted["posterior"].data_vars} == OWN[name]
    for group in ("posterior_predictive", "observed_data"):
        assert {*fitted[group].data_vars} == {observed}
    composite = name in ("bradley_terry", "davidson")
    assert ("log_likelihood" in fitted.children) != composite
    if not composite:
        assert fitted["log_likelihood"][observed].dims == ("chain", "draw", "round")
    assert fitted["posterior"]["epp"].dims == ("chain", "draw", "player")
    assert dict(fitted["posterior"].sizes)["draw"] == 250
    sizes = fitted["posterior_predictive"].sizes
    assert sizes["chain"] * sizes["draw"] == 100
    assert list(fitted["constant_data"]["model"].to_numpy()) == [name]
    assert {*fitted["log_prior"].data_vars} < OWN[name]


def test_strengths_sum_to_zero(fitted):
    np.testing.assert_allclose(fitted["posterior"]["epp"].sum("player"), 0.0, atol=1e-9)


def test_replicates_are_boards_of_the_same_players_and_rounds(fitted):
    observed = fitted["observed_data"].to_dataset()
    (name,) = observed.data_vars
    again = fitted["posterior_predictive"][name]
    absent = -1 if name == "outcome" else 0
    same = (again == absent) == (observed[name] == absent)
    assert bool(same.all())


def test_a_fit_survives_a_file(fitted, tmp_path):
    fitted.to_netcdf(tmp_path / "fit.nc")
    again = xr.load_datatree(tmp_path / "fit.nc")
    xr.testing.assert_identical(again["posterior"].to_dataset(), fitted["posterior"].to_dataset())
    assert json.loads(again.attrs["arguments"])["draws"] == 250


def test_same_seed_same_numbers(fitted, tied_scores):
    options = {"draws": 250, "replicates": 100}
    again, other = (quick(tied_scores, fitted.attrs["model"], seed=s, **options) for s in (1, 2))
    xr.testing.assert_identical(again["posterior"].to_dataset(), fitted["posterior"].to_dataset())
    assert not other["posterior"].to_dataset().equals(fitted["posterior"].to_dataset())


@pytest.mark.parametrize("name", FAST)
def test_prior_groups(name, scores):
    dt = quick(scores, name, draws=500, prior=True)
    prior = dt["prior"].to_dataset()
    assert {*prior.data_vars} == OWN[name]
    assert prior.sizes["chain"] == 1
    # Half-normal: its mean is scale sqrt(2 / pi).
    assert float(prior["epp_scale"].mean()) == pytest.approx(2.0 * np.sqrt(2.0 / np.pi), rel=0.15)
    assert {*dt["prior_predictive"].data_vars} == {*dt["observed_data"].data_vars}


def test_published_weight_stores_the_log_likelihood_by_round(scores):
    dt = quick(scores, weight=1.0, draws=100)
    by_round = dt["log_likelihood"]["place"]
    assert by_round.sizes["round"] == 10
    assert bool((by_round < 0.0).all())


def test_composite_weight_widens_what_one_narrows(scores):
    sd = {w: float(quick(scores, weight=w)["posterior"]["epp"].std(("chain", "draw")).mean())
          for w in (1.0, "composite", 0.1)}  # fmt: skip
    assert sd[1.0] < sd["composite"] < sd[0.1]


def test_across_rounds(scores):
    dt = quick(scores, within_round=False)
    assert int(dt["observed_data"]["place"].max()) == 59
    assert dt.attrs["converged"]


def test_auto_takes_mean_scores_for_answers_and_bradley_terry_for_all_else(scores, capsys):
    assert quick(scores, draws=50).attrs["model"] == "bradley_terry"
    answers = (np.random.default_rng(1).random((3, 60)) < 0.7).astype(float)
    assert capsys.readouterr().err == ""
    assert quick(board(answers), draws=50, progressbar=True).attrs["model"] == "mean_score"
    assert capsys.readouterr().err.startswith("model: mean_score (")


def test_the_old_name_of_the_fast_engine_is_an_alias(scores):
    dt = quick(scores, sampler="laplace", draws=50)
    assert dt.attrs["sampler"] == "metropolis"


def test_one_chain_is_diagnosed_by_four(scores):
    dt = quick(scores, chains=1, draws=1000)
    assert dt.attrs["converged"]
    assert dt["posterior"].sizes["chain"] == 1


@pytest.mark.parametrize("name", FAST)
def test_players_and_scale_of_scores_do_not_matter(name):
    """Monotone changes of scores change nothing; other orders of players, only their order."""
    scores = simulate([1.0, 0.0, -1.0, 0.5], 12, np.random.default_rng(3))
    options = {"options": {"order": list("abcd")}} if name == "round_intercept" else {}
    scores = scores.assign_coords(player=list("abcd"))
    one = quick(scores, name, **options)
    other = quick(np.exp(scores).assign_attrs(scores.attrs), name, **options)
    xr.testing.assert_identical(one["posterior"].to_dataset(), other["posterior"].to_dataset())
    turned = quick(scores[::-1], name, seed=2, **options)
    mean, sd = (getattr(one["posterior"]["epp"], f)(("chain", "draw")) for f in ("mean", "std"))
    away = (turned["posterior"]["epp"].mean(("chain", "draw")) - mean) / sd
    assert float(abs(away).max()) < 0.15


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model": "bradley_tery"}, "did you mean 'bradley_terry'"),
        ({"sampler": "numpyro"}, "metropolis"),
        ({"draws": 0}, "draws"),
        ({"ties": "loss"}, "ties"),
        ({"options": {"prior_dff": 3}}, "prior_df"),
        ({"options": {"of": "share"}}, "has no option 'of'"),
        ({"weight": 2.0}, "weight"),
        ({"test_fraction": 1.5}, "test_fraction"),
        ({"prior_scale": -1.0}, "prior_scale"),
        ({"within_round": "yes"}, "True or False"),
        ({"model": "plackett_luce", "weight": "composite"}, "exact"),
        ({"model": "plackett_luce", "ties": "drop"}, "choose 'half'"),
        ({"model": "plackett_luce", "options": {"tie_scale": 1.0}}, "no option 'tie_scale'"),
        ({"model": "round_intercept", "within_round": False}, "within_round=True"),
        ({"model": "tournaments"}, "several tournaments"),
        ({"model": ["tournaments"]}, "is unknown: did you mean"),
        ({"options": 3}, "options=3: give a mapping"),
        ({"weight": 1.0, "options": {"weight": 0.5}}, "weight is given twice"),
        ({"draws": 10**12}, "from 1 up to 1000000"),
    ],
)
def test_bad_options_are_refused_by_name(options, said, scores):
    with pytest.raises(lb.LeaderbayesError, match=said):
        quick(scores, **options)


def test_rivals_that_nothing_compares_are_named():
    values = np.array([[3.0, np.nan], [2.0, np.nan], [np.nan, 3.0], [np.nan, 2.0]])
    with pytest.warns(lb.LeaderbayesWarning, match="LB01[01]"):
        lb.fit(board(values), "bradley_terry", seed=1, draws=50)


def test_names_that_are_numbers_or_no_text():
    values = simulate(np.zeros(3), 6, np.random.default_rng(1))
    dt = quick(values.assign_coords(player=[1, 2, 3]), "bradley_terry")
    assert set(lb.leaderboard(dt)["player"]) == {"1", "2", "3"}
    with pytest.raises(lb.ScoresError, match=r"a player called .* which is not text"):
        quick(values.assign_coords(player=["a", "b", "\ud800"]), "bradley_terry")
    for nameless in (None, np.nan, b"c"):
        with pytest.raises(lb.ScoresError, match=r"name of player 1 .* no text"):
            quick(values.assign_coords(player=np.array(["a", nameless, "b"], object)))
    with pytest.raises(lb.ScoresError, match=r"infinite \(player 'p1', round"):
        quick(values.where(values.player != "p1", np.inf))
