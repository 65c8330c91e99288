"""Every answer, plot and report takes every model's posterior, whoever sampled it.

Either it has a result, or an error of ours. A model enters by the registry; a plot or a report by
being public and having ``dt`` for its first argument; other answers are added to `ANSWERS`.
"""

import warnings
from contextlib import suppress
from functools import cache
from inspect import signature

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import simulate
from leaderbayes.models._registry import MODELS
from votes import draw

pytestmark = pytest.mark.filterwarnings("ignore")

ANSWERS = {
    "leaderboard": lb.leaderboard,
    "anchor": lambda dt: lb.leaderboard(dt, anchor=names_of(dt)[1]),
    "publish": lambda dt: lb.leaderboard(dt, columns="publish"),
    "win_probability": lb.win_probability,
    "record": lambda dt: lb.win_probability(dt, by="record"),
    "compare": lambda dt: lb.compare(dt, *names_of(dt)[:2], rope=0.1),
    "groups": lb.groups,
    "frontier": lambda dt: lb.frontier(dt, prices_of(dt)),
    "tied_for_top": lb.tied_for_top,
    "rank_probability": lb.rank_probability,
    "check": lambda dt: lb.check(dt, draws=50, seed=1),
    "deviance": lb.deviance,
    "log_likelihood": lb.log_likelihood,
    "loo": lb.loo,
    "plan": lambda dt: lb.plan(dt, seed=1),
    "audit": lb.audit,
    "influence": lb.influence,
    "sensitivity": lambda dt: lb.sensitivity(dt, priors=(1.0,), rounds=False, seed=1, draws=200),
    "new_player": lambda dt: lb.new_player(dt, newcomer()),
    "elo": lambda dt: lb.elo(dt, orders=2, seed=1),
}
# Further arguments of plots and reports.
GIVEN = {
    "compare": lambda dt: {"a": names_of(dt)[0], "b": names_of(dt)[1]},
    "html": lambda dt: {"path": "page.html"},
    "frontier": lambda dt: {"cost": prices_of(dt)},
}
# Strengths of one tournament as Bradley-Terry's are: their fits and figures are slow tests.
ALIKE = {"davidson", "plackett_luce", "round_intercept"}
# What has to have a result, of a posterior of players in rounds.
ALWAYS = {"leaderboard", "frontier", "groups", "tied_for_top", "rank_probability", "compare"}


def newcomer():
    return xr.DataArray(np.arange(8) / 4.0, {"round": list("01234567")}, name="new")


def names_of(dt):
    who = "team" if "team" in dt["posterior"].dims else "player"
    return dt["posterior"][who].to_numpy().tolist()


def prices_of(dt):
    return {name: 1.0 + k for k, name in enumerate(names_of(dt))}


def shows():
    """Plots and reports that take a posterior, by their names."""
    found = {}
    for module in (lb.plots, lb.report):
        for name in dir(module):
            function = getattr(module, name)
            if (
                name[0] != "_"
                and callable(function)
                and "dt" in list(signature(function).parameters)[:1]
            ):
                found[f"{module.__name__.split('.')[-1]}.{name}"] = function
    return found


SHOWS = shows()


@cache
def data_of(kind, several):
    rng = np.random.default_rng(1)
    scores = simulate([1.0, 0.5, 0.0, -1.5], 8, rng)
    if kind == "votes":
        votes = draw(np.array([0.5, 0.2, 0.0, -0.7]), 120, rng, judges=5)
        return votes.assign_coords(time=("vote", np.arange(120) // 40))
    if kind == "board":
        right = rng.binomial(400, [0.86, 0.84, 0.83, 0.8, 0.79, 0.7]) / 400
        table = pd.DataFrame({"team": [f"t{k}" for k in range(6)], "score": right})
        return lb.sota.read_board(table, n=400)
    if several:
        boards = [simulate([1.0, 0.5, 0.0, -1.5], 6, rng) for _ in range(4)]
        names = xr.DataArray(["a", "a: b", "c", "d"], dims="tournament", name="tournament")
        return xr.concat(boards, names).assign_attrs(scores.attrs)
    return scores


@cache
def posterior_of(name, kind, how):
    """A posterior by `leaderbayes.fit`, or by a few steps of PyMC without a compiler."""
    import pymc as pm
    import pytensor

    model = MODELS[name]
    data = data_of(kind, model.several)
    if name == "rasch":
        data = (data > 0.0).astype(float).assign_attrs(data.attrs)
    if how == "fit":
        if kind == "board":
            return lb.sota.posterior(data, draws=100, seed=1)
        return lb.fit(data, name, draws=100, seed=1, replicates=20, progressbar=False)
    given = lb.matches(data) if kind == "matches" else data
    with pytensor.config.change_flags(mode="FAST_COMPILE"), model.build(given) as built:
        more = pm.Normal("more")  # a variable of the user's own
        step = pm.Metropolis(blocked=True, scaling=0.05)
        step.elemwise_update = False  # one evaluation of the density a step, not one a number
        dt = pm.sample(
            13, tune=0, chains=2, cores=1, step=step, random_seed=1,
            progressbar=False, compute_convergence_checks=False, quiet=True,
        )  # fmt: skip
    assert more in built.free_RVs
    assert not set(dt.attrs) & {"model", "arguments", "converged"}
    return dt


def compiles(model, kind):
    """Whether `leaderbayes.fit` compiles for NUTS, for want of a fast engine."""
    return not (model.problem or model.draw or kind == "board")


def cases():
    """Every model with every kind of its data, sampled in either way."""
    for name, model in MODELS.items():
        for kind in model.data:
            for how in ("fit", "pm.sample"):
                slow = name in ALIKE and kind == "votes"
                slow |= how == "fit" and (name in ALIKE or compiles(model, kind))
                yield pytest.param(name, kind, how, marks=[pytest.mark.slow] * slow)


@pytest.mark.parametrize(("name", "kind", "how"), [*cases()])
def test_answers(name, kind, how):
    dt = posterior_of(name, kind, how)
    refused, skipped = {}, ()
    if how == "pm.sample" and compiles(MODELS[name], kind) and not MODELS[name].several:
        skipped = ("sensitivity", "new_player")  # which fit again
    for question, ask in ANSWERS.items():
        if question in skipped:
            continue
        try:
            assert ask(dt) is not None
        except lb.LeaderbayesError as problem:
            refused[question] = str(problem)
    assert not ALWAYS & set(refused), refused
    if kind == "matches" and not MODELS[name].several:
        assert not refused


@pytest.mark.parametrize(("name", "kind"), [("bradley_terry", "votes"), ("davidson", "votes"),
    ("tournaments", "matches"), ("score_tournaments", "scores"), ("sota", "board")])  # fmt: skip
def test_parts_of_a_posterior_in_any_order(name, kind):
    """What is known of players and tournaments follows their names."""
    dt = posterior_of(name, kind, "pm.sample")
    who, expected = ("team" if kind == "board" else "player"), lb.leaderboard(dt)
    orders, parts = [{who: names_of(dt)[::-1]}], [{who: names_of(dt)[:2]}, {who: names_of(dt)[:1]}]
    if MODELS[name].several:
        orders.append({"tournament": ["d", "c", "a: b", "a"]})
        parts += [{"tournament": list("ca")}, {"tournament": "a"}]
        xr.testing.assert_equal(*(lb.study.select(dt.sel(part), "a") for part in (parts[2], {})))
    columns = [who, *(c for c in expected if c in ("epp", "theta", "score", "votes", "observed"))]
    for order in orders:
        made = lb.leaderboard(dt.sel(order)).set_index(who, drop=False).loc[expected[who]]
        pd.testing.assert_frame_equal(made[columns].reset_index(drop=True), expected[columns])
    for part in parts:
        for ask in map(
            ANSWERS.get, ("leaderboard", "record", "check", "plan", "audit", "influence")
        ):
            with suppress(lb.LeaderbayesError):
                assert ask(dt.sel(part)) is not None


def shown():
    """Fits are drawn in tests/plots too: here in the slow tests."""
    for case in cases():
        slow = case.values[2] == "fit" or case.values[0] in ALIKE
        yield pytest.param(*case.values, marks=[pytest.mark.slow] * slow)


@pytest.mark.parametrize(("name", "kind", "how"), [*shown()])
def test_plots_and_reports(name, kind, how, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    dt = posterior_of(name, kind, how)
    for called, show in SHOWS.items():
        more = GIVEN.get(called.split(".")[-1], lambda dt: {})(dt)
        try:
            assert show(dt, **more) is not None
        except lb.LeaderbayesError:
            pass


def test_a_changed_prior():
    """A model with the user's own prior."""
    import pymc as pm
    import pytensor

    scores = data_of("matches", False)
    with pytensor.config.change_flags(mode="FAST_COMPILE"):
        with lb.models.bradley_terry(lb.matches(scores)) as model:
            changed = pm.do(model, {model["epp_scale"]: 1.0})
        with changed:
            dt = pm.sample(
                30, tune=10, chains=1, step=pm.Metropolis(), random_seed=1, progressbar=False,
                compute_convergence_checks=False, quiet=True,
            )  # fmt: skip
    assert lb.leaderboard(dt)["player"].tolist() == ["p0", "p1", "p2", "p3"]
    assert "score" in lb.leaderboard(dt)
    assert float(lb.compare(dt, "p0", "p3")["p_better"]) > 0.5
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert lb.loo(dt).n_data_points == 8


@pytest.mark.parametrize("name", ["bradley_terry", "plackett_luce"])
def test_another_board_by_set_data(name):
    import pymc as pm

    rng = np.random.default_rng(3)
    scores = [simulate([1.0, 0.4, -0.2, -1.2], 8, rng) for _ in range(2)]
    scores.append(scores[0].where(rng.random(scores[0].shape) < 0.8))
    boards = [lb.matches(one) for one in scores]
    model = getattr(lb.models, name)(boards[0], weight=1.0)
    drawn = {key: rng.normal(size=np.shape(x)) for key, x in model.initial_point().items()}
    (epp,) = model.replace_rvs_by_values([model["epp"]])
    epp = model.compile_fn(epp, inputs=model.value_vars)(drawn)[None]
    place = model.compile_logp(model["place"])
    for board in boards:
        pm.set_data({"places": board["place"].to_numpy()}, model=model)
        expected = MODELS[name].log_likelihood({"epp": epp}, board).sum()
        assert place(drawn) == pytest.approx(expected)
        again = pm.draw(model["place"], random_seed=1, mode="FAST_COMPILE")
        np.testing.assert_array_equal(again > 0, board["place"] > 0)
    pm.set_data({"places": lb.matches(scores[1].round())["place"].to_numpy()}, model=model)
    if name == "plackett_luce":
        with pytest.raises(lb.LeaderbayesError, match="ties that the model's own did not have"):
            place(drawn)


def test_an_attribute_of_another_program_is_not_believed():
    dt = posterior_of("bradley_terry", "matches", "pm.sample").copy()
    expected = lb.leaderboard(dt)
    dt["constant_data"] = dt["constant_data"].dataset.drop_vars("model", errors="ignore")
    for name in ("mean_score", "sota", 3):
        dt.attrs["model"] = name
        pd.testing.assert_frame_equal(lb.leaderboard(dt), expected)


def test_a_missing_group_is_added_as_the_error_says():
    import pymc as pm
    import pytensor

    dt = posterior_of("mean_score", "scores", "pm.sample").copy()
    with pytest.raises(lb.LeaderbayesError, match="sample_posterior_predictive"):
        lb.check(dt)
    model = MODELS["mean_score"].build(data_of("scores", False))
    with pytensor.config.change_flags(mode="FAST_COMPILE"), model:
        dt.update(pm.sample_posterior_predictive(dt, progressbar=False, random_seed=1))
    assert 0.0 <= float(lb.check(dt)["p_value"]) <= 1.0
