"""One check of every fit: nothing absent, foreign or undefined gets an answer."""

import json

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import simulate
from leaderbayes._fits.posterior import drawn, fitted

ANSWERS = [
    lb.leaderboard, lb.win_probability, lb.rank_probability, lb.groups, lb.tied_for_top,
    lambda dt: lb.p_top(dt, 1), lambda dt: lb.compare(dt, "p0", "p1"),
    lb.deviance, lb.check, lb.loo, lambda dt: lb.plan(dt, rounds=(1,), simulations=1),
    lambda dt: lb.new_player(dt, dt["constant_data"]["scores"][0].rename("new")),
    lb.report.text, lb.report.latex, lb.plots.leaderboard, lb.plots.win_rate, lb.plots.deviance,
]  # fmt: skip


@pytest.fixture(scope="module")
def dt():
    rng = np.random.default_rng(5)
    scores = simulate([0.8, 0.4, 0.0, -0.4, -0.8], 12, rng)
    return lb.fit(scores, sampler="laplace", draws=50, seed=1)


def changed(dt, group="posterior", attrs=(), **variables):
    """A copy with other variables and attributes; None drops them."""
    made = dt.copy()
    inside = made[group].to_dataset()
    inside = inside.drop_vars([k for k, v in variables.items() if v is None])
    made[group] = xr.DataTree(inside.assign({k: v for k, v in variables.items() if v is not None}))
    made.attrs = {k: v for k, v in (dt.attrs | dict(attrs)).items() if v is not None}
    return made


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_lost_chunk_is_no_best_player(dt, answer):
    """Zarr fills a chunk that is gone with NaN."""
    epp = dt["posterior"]["epp"].copy()
    epp[:, 20:, 1] = np.nan
    lost = changed(dt, epp=epp)
    with pytest.raises(lb.LeaderbayesError, match="120 of 1000 values in posterior/epp that are"):
        answer(lost)


def test_infinite_and_foreign_draws(dt):
    epp = dt["posterior"]["epp"]
    for wrong, message in {
        "inf": (epp.where(epp["player"] != "p0", np.inf), "no finite numbers"),
        "text": (epp.astype(str), "of dtype"),
        "whole": (epp.astype(int), "of dtype int64"),
        "complex": (epp.astype(complex), "of dtype complex128"),
        "one draw": (epp.isel(draw=0, drop=True), r"dimensions \(chain, player\), and not"),
        "no draw": (epp.isel(draw=slice(0)).rename(draw="d"), "dimensions"),
    }.values():
        made = changed(dt, epp=None)
        made["posterior"] = xr.DataTree(xr.Dataset({"epp": wrong}))
        with pytest.raises(lb.LeaderbayesError, match=message):
            lb.leaderboard(made)


@pytest.mark.parametrize(
    ("attrs", "message"),
    [
        ({"converged": None}, "no attribute 'converged'"),
        ({"converged": "0"}, "converged='0', and not 0 or 1"),
        ({"converged": np.nan}, "converged=nan, and not 0 or 1"),
        ({"warnings": "[1]"}, r"warnings='\[1\]', and not a JSON list of texts"),
        ({"warnings": "{"}, "and not a JSON list"),
        ({"model": 3}, "model=3, and not a name"),
        ({"max_rhat": "1.0"}, "max_rhat='1.0', and not a number"),
        ({"versions": "x"}, "versions='x', and not a JSON object"),
    ],
)
def test_attributes(dt, attrs, message):
    for answer in (lb.leaderboard, lb.report.text):
        with pytest.raises(lb.LeaderbayesError, match=message):
            answer(changed(dt, attrs=attrs))


@pytest.mark.parametrize(
    "arguments", ["", "[]", "{}", '{"within_round": "yes", "ties": "half"}', '{"ties": []}']
)
def test_arguments(dt, arguments):
    wrong = changed(dt, attrs={"arguments": arguments})
    for answer in (lb.check, lb.deviance, lb.report.latex, lb.plan):
        with pytest.raises(lb.LeaderbayesError, match="argument"):
            answer(wrong)


@pytest.mark.parametrize("scale", ["prior_scale", "tie_scale"])
@pytest.mark.parametrize("value", ["0", -1.0, None])
def test_scales_of_priors(dt, scale, value):
    arguments = json.loads(dt.attrs["arguments"]) | {scale: value}
    wrong = changed(dt, attrs={"arguments": json.dumps(arguments)})
    with pytest.raises(lb.LeaderbayesError, match=f"has the argument {scale}={value!r}"):
        lb.report.text(wrong)


def test_names_of_two_kinds(dt):
    names = np.empty(5, dtype=object)
    names[:] = ["p0", ("p", 1), "p2", "p3", "p4"]
    wrong = dt.copy()
    wrong["posterior"] = xr.DataTree(dt["posterior"].to_dataset().assign_coords(player=names))
    with pytest.raises(lb.LeaderbayesError, match="have no name, or the same"):
        lb.leaderboard(wrong)


def test_a_report_compares_two(dt):
    alone = dt.map_over_datasets(lambda ds: ds.isel(player=[0]) if "player" in ds.dims else ds)
    alone.attrs = dt.attrs
    with pytest.raises(lb.LeaderbayesError, match="has one player only"):
        lb.report.text(alone)


def test_what_it_came_from_is_named(dt):
    wrong = changed(dt, attrs={"tournament": "iris", "converged": 3})
    wrong.encoding = {"source": "here/posterior.nc"}
    said = r"^here/posterior\.nc: the fit of tournament 'iris' has the attribute converged=3"
    with pytest.raises(lb.LeaderbayesError, match=said):
        lb.leaderboard(wrong)


def test_players_by_name_and_not_by_place(dt):
    """In another order, in one group or all, the answers are the same."""
    order = [3, 0, 4, 1, 2]
    for group in ("posterior", "posterior_predictive", "observed_data"):
        other = dt.copy()
        other[group] = xr.DataTree(dt[group].to_dataset().isel(player=order))
        assert float(lb.check(other)["p_round"]) == float(lb.check(dt)["p_round"])
        assert lb.deviance(other)["value"] == pytest.approx(float(lb.deviance(dt)["value"]))
        made, own = (lb.leaderboard(each).set_index("player") for each in (other, dt))
        pd.testing.assert_frame_equal(made.sort_index(), own.sort_index())


def test_players_of_one_group_alone(dt):
    fewer = dt.copy()
    fewer["posterior_predictive"] = xr.DataTree(
        dt["posterior_predictive"].to_dataset().isel(player=slice(3))
    )
    with pytest.raises(lb.LeaderbayesError, match=r"has player 'p[34]' in one of"):
        lb.check(fewer)
    twice = dt.copy()
    twice["posterior"] = xr.DataTree(dt["posterior"].to_dataset().isel(player=[0, 0, 1]))
    with pytest.raises(lb.LeaderbayesError, match="have no name, or the same"):
        lb.leaderboard(twice)


def test_some_players_of_a_whole_fit(dt):
    """A part of every group is a fit too."""
    few = dt.map_over_datasets(lambda ds: ds.isel(player=[0, 2, 4]) if "player" in ds.dims else ds)
    few.attrs = dt.attrs
    assert len(lb.leaderboard(few)) == 3
    pairs = lb.win_probability(few)["mean"]
    xr.testing.assert_allclose(pairs, lb.win_probability(dt)["mean"].sel(pairs.coords))
    assert 0.0 <= float(lb.check(few)["p_round"]) <= 1.0


def test_other_scores_and_replicates(dt):
    scores = dt["constant_data"]["scores"].copy()
    scores[1, 3] += 100.0
    with pytest.raises(lb.LeaderbayesError, match="made from other scores"):
        lb.deviance(changed(dt, "constant_data", scores=scores))
    place = dt["posterior_predictive"]["place"].copy()
    place[:] = 0  # whole numbers of a lost chunk
    lost = changed(dt, "posterior_predictive", place=place)
    # Boards that Bradley-Terry's are held to are drawn anew, and Davidson's are the fit's.
    assert lb.check(lost)["p_round"] == lb.check(dt)["p_round"]
    tie = dt["posterior"]["epp"].isel(player=0, drop=True)
    with pytest.raises(lb.LeaderbayesError, match="others meet"):
        lb.check(changed(lost, attrs={"model": "davidson"}, tie=tie))
    later = dt["posterior_predictive"].to_dataset().assign_coords(draw=np.arange(50) + 25)
    other = dt.copy()
    other["posterior_predictive"] = xr.DataTree(later)
    with pytest.raises(lb.LeaderbayesError, match="replicates of other draws"):
        lb.check(other)


def test_what_a_model_needs(dt):
    """A mean over tournaments without their spread would be another probability."""
    with pytest.raises(lb.LeaderbayesError, match="no posterior/epp_spread"):
        lb.win_probability(changed(dt, attrs={"model": "tournaments"}))
    with pytest.raises(lb.LeaderbayesError, match="no posterior/tie"):
        lb.check(changed(dt, attrs={"model": "davidson"}))
    with pytest.raises(lb.LeaderbayesError, match="no posterior/absent"):
        drawn(dt, "absent")


def test_few_draws_are_too_few_to_leave_a_round_out(dt):
    one = dt.map_over_datasets(lambda ds: ds.isel(draw=[0]) if "draw" in ds.dims else ds)
    one.attrs = dt.attrs
    assert len(lb.leaderboard(one)) == 5
    with pytest.raises(lb.LeaderbayesError, match="fewer than 25 draws"):
        lb.loo(one)


def test_posterior_of_the_best():
    shares = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.88]
    best = lb.sota.posterior(lb.sota.read_board(shares, n=200), draws=25, seed=1)
    theta = best["posterior"]["theta"].copy()
    theta[0, 3, 0] = np.nan
    for answer in (lb.leaderboard, lb.report.text):
        with pytest.raises(lb.LeaderbayesError, match="1 of 800 values in posterior/theta "):
            answer(changed(best, theta=theta))
    best_theta = best["posterior"]["theta_sota"].copy()
    best_theta[0, 3] = np.nan
    for answer in (lb.leaderboard, lb.sota.summary):
        with pytest.raises(lb.LeaderbayesError, match="1 of 100 values in posterior/theta_sota"):
            answer(changed(best, theta_sota=best_theta))
    without = best.copy()
    del without["posterior_predictive"]
    for answer in (lb.sota.summary, lb.check):
        with pytest.raises(lb.LeaderbayesError, match="no group posterior_predictive"):
            answer(without)
    with pytest.raises(lb.LeaderbayesError, match="and not a JSON list"):
        lb.sota.summary(changed(best, attrs={"warnings": json.dumps({})}))


def test_looking_loads_nothing(dt, tmp_path):
    """Names and sizes are metadata."""
    dt.to_netcdf(tmp_path / "posterior.nc")
    with xr.open_datatree(tmp_path / "posterior.nc") as lazy:
        fitted(lazy, "constant_data", "posterior_predictive")
        assert not lazy["posterior"].dataset["epp"].variable._in_memory


@pytest.mark.parametrize("share", [[1], "0.2", 0.0, 2])
def test_a_test_fraction_that_is_none(dt, share):
    arguments = json.loads(dt.attrs["arguments"]) | {"test_fraction": share}
    made = changed(dt, attrs={"arguments": json.dumps(arguments)})
    with pytest.raises(lb.LeaderbayesError, match="test_fraction"):
        lb.compare(made, "p0", "p1")


def test_places_that_are_true_or_false(dt):
    made = changed(
        dt, "posterior_predictive", place=dt["posterior_predictive"]["place"].astype(bool)
    )
    with pytest.raises(lb.LeaderbayesError, match="dtype bool"):
        lb.check(made)
