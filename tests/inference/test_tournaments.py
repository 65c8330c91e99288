"""Several tournaments at once without PyMC, against its model."""

import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from agreement import DIMS, UNITS, agree
from conftest import simulate
from leaderbayes._inference import fit as module
from leaderbayes._inference.tournaments import sampler_of

GROUPS = {f"p{i}": "ab"[i % 2] for i in range(5)}


@pytest.fixture(scope="module")
def rounded():
    """Four boards whose scores tie; a player misses one, another a round, one board has fewer."""
    rng = np.random.default_rng(7)
    strength = np.array([1.2, 0.6, 0.0, -0.6, -1.2])
    made = [simulate(strength + 0.6 * rng.normal(size=5), 9, rng) for _ in range(4)]
    boards = [np.round(each * 1.5) / 1.5 for each in made]
    boards[1][4] = boards[2][0] = np.nan
    boards[0][3, 2] = np.nan
    boards[3][:, 6:] = np.nan
    names = pd.Index([f"data {t}" for t in range(4)], name="tournament")
    return xr.concat(boards, names).assign_attrs(made[0].attrs)


OPTIONS = {
    "groups": GROUPS, "ties": "drop", "seed": 1, "progressbar": False, "sampler": "nutpie",
}  # fmt: skip


@pytest.fixture(scope="module")
def dt(rounded):
    return lb.fit(rounded, "tournaments", prior=True, replicates=100, draws=500, **OPTIONS)


def test_groups_of_a_fit(dt, rounded):
    assert dt.attrs["sampler"] == "nutpie"
    assert dt.attrs["divergences"] == 0
    posterior = dt["posterior"].to_dataset()
    dims = {name: value.dims[2:] for name, value in posterior.data_vars.items()}
    assert dims == {
        "epp": ("player",), "epp_scale": (), "epp_spread": (), "epp_group": ("group",),
        "epp_tournament": ("tournament", "player"), "group_scale": (),
    }  # fmt: skip
    assert list(posterior["group"].to_numpy()) == ["a", "b"]
    there = rounded.notnull().any("round")
    for name in ("posterior", "prior"):
        drawn = dt[name].to_dataset()
        np.testing.assert_allclose(drawn["epp"].sum("player"), 0.0, atol=1e-9)
        np.testing.assert_allclose(drawn["epp_group"].sum("group"), 0.0, atol=1e-9)
        each = drawn["epp_tournament"]
        np.testing.assert_allclose(each.where(there).sum("player"), 0.0, atol=1e-9)
        # Who is absent is where its mean has it expect.
        who = drawn["epp"].isel(player=slice(4)).mean("player")
        gap = each.isel(tournament=1, player=4) - (drawn["epp"].isel(player=4) - who)
        np.testing.assert_allclose(gap, 0.0, atol=1e-9)
    observed = dt["observed_data"]["place"]
    assert observed.dims == ("tournament_round", "player")
    assert observed.sizes["tournament_round"] == 9 * 3 + 6
    for name in ("posterior_predictive", "prior_predictive"):
        place = dt[name]["place"]
        assert place.dims == (*DIMS, "tournament_round", "player")
        assert ((place == 0) == (observed == 0)).all()
    assert list(dt["posterior_predictive"]["draw"][:2]) == [0, 20]
    by_round = dt["log_likelihood"].to_dataset()
    assert set(by_round.data_vars) == {"place", "use_lb_loo"}
    assert by_round["place"].dims == (*DIMS, "tournament_round")
    assert set(dt["log_prior"].data_vars) == {"epp_scale", "epp_spread", "group_scale"}
    weight = dt["constant_data"]["weight"]
    assert weight.dims == ("tournament_round",)
    assert dt.attrs["weight"] == pytest.approx(float(weight.mean()))
    assert lb.leaderboard(dt)["player"].iloc[0] == "p0"


def test_log_likelihood_is_of_each_rounds_matches(dt):
    place = dt["observed_data"]["place"]
    each = dt["posterior"]["epp_tournament"].to_numpy()[1, 3]
    names = list(dt["posterior"]["tournament"].to_numpy())
    for k in (0, 2, 12, 30):
        row = place[k].to_numpy()
        t = names.index(str(place["tournament_round"][k].item()).split(":")[0])
        total = 0.0
        for i in np.flatnonzero(row):
            won = (row > row[i]).nonzero()[0]
            total -= np.log1p(np.exp(each[t, won] - each[t, i])).sum()
        expected = float(dt["constant_data"]["weight"][k]) * total
        assert float(dt["log_likelihood"]["place"][1, 3, k]) == pytest.approx(expected)


def test_the_prior_is_the_models(dt):
    """Scales of half-normal laws, strengths around them."""
    prior = dt["prior"].to_dataset().squeeze("chain")
    assert prior.sizes["draw"] == 500
    error = 4.0 / np.sqrt(2 * 500)
    for name in ("epp_scale", "epp_spread", "group_scale"):
        assert float(np.sqrt((prior[name] ** 2).mean())) == pytest.approx(2.0, rel=error)
    group = prior["epp_group"] / prior["group_scale"]
    assert float((group**2).sum("group").mean()) == pytest.approx(1.0, abs=4.0 * 2**0.5 / 500**0.5)
    apart = (prior["epp_tournament"].isel(tournament=3) - prior["epp"]) / prior["epp_spread"]
    mean = float((apart**2).sum("player").mean())
    assert mean == pytest.approx(4.0, abs=4.0 * np.sqrt(8.0 / 500))


def test_same_seed_same_draws(rounded, dt):
    again = lb.fit(rounded, "tournaments", prior=True, replicates=100, draws=500, **OPTIONS)
    for name in ("posterior", "posterior_predictive", "prior", "prior_predictive"):
        xr.testing.assert_equal(again[name].to_dataset(), dt[name].to_dataset())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["rounded", "classifiers"])
def test_agrees_with_pymc(name, rounded, monkeypatch):
    """By NUTS from the function, and by NUTS of PyMC's model; all groups the same."""
    scores = {"rounded": rounded, "classifiers": lb.datasets.load("classifiers")}[name]
    options = {"seed": 1, "progressbar": False, "draws": 2500, "replicates": 1000}
    options |= {"groups": GROUPS, "ties": "drop"} if name == "rounded" else {}
    own = lb.fit(scores, "tournaments", sampler="nutpie", **options)
    by_walks = lb.fit(scores, "tournaments", **options)
    monkeypatch.setattr(module, "WITHOUT_PYMC", ())
    with warnings.catch_warnings():
        # A transition of 10 000 may diverge there.
        warnings.simplefilter("ignore", lb.ConvergenceWarning)
        other = lb.fit(scores, "tournaments", sampler="nutpie", **options)
    assert own.attrs["converged"] == 1
    assert own.attrs["divergences"] == 0
    agree(own, other)
    if name == "classifiers":
        assert by_walks.attrs["sampler"] == "laplace"
    agree(by_walks, other)
    assert set(own.children) == set(other.children)
    for group, known in other.children.items():
        if group == "sample_stats":
            continue
        assert set(own[group].data_vars) == set(known.data_vars) - UNITS
        for variable, value in own[group].data_vars.items():
            assert value.sizes == known[variable].sizes
    for group in ("log_likelihood", "log_prior"):
        for variable, value in own[group].data_vars.items():
            sums = [
                each.sum([dim for dim in each.dims if dim not in DIMS])
                for each in (value, other[group][variable])
            ]
            gap = abs(float(sums[0].mean() - sums[1].mean()))
            error = float(sums[1].std()) / np.sqrt(min(dt.attrs["min_ess"] for dt in (own, other)))
            assert gap < 6.0 * error + 1e-9
    places = own["posterior_predictive"]["place"], other["posterior_predictive"]["place"]
    first = [float((place == 1).isel(player=0).mean()) for place in places]
    assert first[0] == pytest.approx(first[1], abs=0.02)


@pytest.mark.parametrize("groups", [None, GROUPS], ids=["players", "in groups"])
def test_density_is_that_of_pymcs_model(rounded, groups):
    """Up to one constant, at points far apart, of the centred model's coordinates."""
    from graphs import AS_IT_STANDS
    from leaderbayes._numerics.tournaments import boards, coordinates, expand, log_density
    from leaderbayes.models._tournament_boards import boards_of_matches

    matches = lb.matches(rounded, ties="drop")
    own = boards_of_matches(matches, groups, "composite", None)
    given = boards(matches["place"].to_numpy(), own.present, own.weight, own.ties)
    at = coordinates(given, 5, own.weight, own.group)
    model = lb.models.tournaments(matches, groups=groups, spread_scale=1.0, centring=1.0)
    logp = model.compile_logp(mode=AS_IT_STANDS)

    def free(values):
        """PyMC's coordinates of numbers that sum to zero."""
        n = len(values)
        return values[:-1] - values[-1] * np.sqrt(n) / (np.sqrt(n) + n)

    rng, gaps = np.random.default_rng(1), []
    for _ in range(3):
        x = at.start + rng.standard_normal(at.start.size)
        found = expand(x, given, at)
        epp, each, log_sigma = found["epp"], found["epp_tournament"], x[0]
        point = {
            "epp_scale_log__": np.asarray(log_sigma),
            "epp_spread_log__": np.asarray(x[1]),
            "spread_unit": np.concatenate(
                [free(row[here]) for row, here in zip(each, own.present, strict=True)]
            ),
        }
        lacking = 0.0
        if groups is None:
            point["epp_unit_zerosum__"] = free(epp)
        else:
            middle = found["epp_group"][own.group]
            point["epp_unit"] = epp - middle + middle.mean()
            point["group_scale_log__"] = np.asarray(x[2])
            point["group_unit_zerosum__"] = free(found["epp_group"] / found["group_scale"])
            lacking = log_sigma  # the density of the level, which PyMC's players have
        tau2 = np.exp(2.0 * x[1])
        of_means = 1.0 / (np.exp(-2.0 * log_sigma) + at.times / (tau2 + at.means.error))
        of_cells = 1.0 / (1.0 / tau2 + 1.0 / at.error)
        jacobian = 0.5 * (np.log(of_means).sum() + np.log(of_cells).sum())
        value, _ = log_density(x, given, at, (2.0, 1.0))
        gaps.append(float(logp(point)) + lacking + jacobian - value)
    np.testing.assert_allclose(gaps, gaps[0], atol=1e-8)


@pytest.mark.parametrize("absent", [True, False])
def test_small_boards_are_walked_through(tournaments, absent):
    scores = tournaments if absent else tournaments.isel(tournament=[2, 3, 4])
    dt = lb.fit(scores, "tournaments", seed=1, replicates=100, progressbar=False)
    assert (dt.attrs["sampler"], dt.attrs["converged"]) == ("laplace", 1)
    assert dt.attrs["pareto_k"] < 0.7
    each = dt["posterior"]["epp_tournament"]
    there = scores.notnull().any("round")
    np.testing.assert_allclose(each.where(there).sum("player"), 0.0, atol=1e-9)
    same = lb.fit(scores, "tournaments", seed=1, replicates=100, progressbar=False)
    xr.testing.assert_equal(same["posterior"].to_dataset(), dt["posterior"].to_dataset())


def test_many_coordinates_are_left_to_nuts():
    sampling = {"sampler": "auto", "draws": 1}
    assert sampler_of(200, sampling) == (sampling, "")
    taken, why = sampler_of(201, sampling)
    assert taken == {"sampler": "nutpie", "draws": 1}
    assert why == "201 coordinates ask for too many (up to 200 is good)"
    # Asked for by name, they are walked through all the same.
    assert sampler_of(201, {"sampler": "laplace"}) == ({"sampler": "laplace"}, "")


@pytest.mark.slow
def test_without_pymc():
    code = (
        "import sys, leaderbayes as lb\n"
        "scores = lb.datasets.load('classifiers').isel(player=slice(4))\n"
        "dt = lb.fit(scores, 'tournaments', seed=1, draws=100, prior=True, progressbar=False)\n"
        "assert 'pymc' not in sys.modules and 'pytensor' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], check=True)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"spread_scale": 0.0}, "spread_scale"),
        ({"prior_scale": -1.0}, "prior_scale"),
        ({"centring": 2.0}, "centring"),
        ({"groups": {"p0": "a"}}, "'p1' has none"),
        ({"weight": "none"}, "weight"),
        ({"ties": "floor"}, "ties"),
        ({"within_round": False}, "within"),
        ({"prior_df": 3.0}, "no option 'prior_df'"),
    ],
)
def test_bad_options(rounded, options, said):
    with pytest.raises(lb.LeaderbayesError, match=said):
        lb.fit(rounded, "tournaments", **options)
