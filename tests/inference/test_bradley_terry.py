"""The exact posterior, drawn in two ways: weighted proposals where these do, and NUTS."""

import warnings

import arviz_stats as az
import numpy as np
import pytest

import leaderbayes as lb
from conftest import board, simulate
from graphs import AS_IT_STANDS
from leaderbayes._inference import diagnostics, metropolis
from leaderbayes._numerics.composite_weight import weighted_counts
from leaderbayes._numerics.laplace import Board
from leaderbayes._numerics.log_density import coordinates, log_density, strengths

DRAWS = 5000  # of each of four chains
DIMS = ("chain", "draw")


def ordered(players, rounds, upsets=0):
    """Rounds in the same order, but for neighbours that change places."""
    rng = np.random.default_rng(0)
    values = np.tile(-np.arange(float(players))[:, None], (1, rounds))
    for _ in range(upsets):
        k, i = rng.integers(rounds), rng.integers(players - 1)
        values[[i, i + 1], k] = values[[i + 1, i], k]
    return board(values)


def simulated(players, rounds, *, dominant=0.0, grid=0.0, missing=0.0):
    rng = np.random.default_rng([players, rounds])
    epp = 0.8 * rng.standard_normal(players)
    epp[0] += dominant
    made = simulate(epp, rounds, rng)
    if grid:
        made[:] = np.round(made / grid)
    absent = rng.random(made.shape) < missing
    absent[:, 0] = False
    return made.where(~absent)


BOARDS = {
    "iris": lambda: lb.datasets.load("classifiers", "iris"),
    "breast cancer": lambda: lb.datasets.load("classifiers", "breast_cancer"),
    "2 x 20, decided": lambda: ordered(2, 20),
    "5 x 20, decided": lambda: ordered(5, 20),
    "8 x 30, three upsets": lambda: ordered(8, 30, 3),
    "3 x 3": lambda: simulated(3, 3),
    "6 x 1": lambda: simulated(6, 1),
    "8 x 10, one dominant": lambda: simulated(8, 10, dominant=5.0),
    "8 x 10, one far behind": lambda: simulated(8, 10, dominant=-5.0),
    "20 x 30": lambda: simulated(20, 30),
    "8 x 25, ties": lambda: simulated(8, 25, grid=1.3),
    "12 x 10, missing": lambda: simulated(12, 10, missing=0.3),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOARDS)
def test_both_ways_lead_to_one_posterior(name):
    one, two = (_fit(BOARDS[name](), sampler) for sampler in ("auto", "nutpie"))
    assert one.attrs["converged"] == two.attrs["converged"] == 1
    hold(one, two)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["iris", "8 x 10, one dominant"])
def test_pymc_samples_the_same(name):
    """Its own NUTS, of ``models.bradley_terry``."""
    # Not of a decided board: whole chains of its differ in the tails there, by more than `az.mcse`
    # says (of seven runs of four the 2.5 % quantile of epp_scale had a standard deviation of
    # 0.055), and sixteen chains, which agree, take minutes.
    hold(*(_fit(BOARDS[name](), sampler, 1000) for sampler in ("auto", "pymc")))


def hold(one, two):
    """Means within 0.05 standard deviations, ends of 95 % intervals within 0.1, or by chance."""
    a, b = (dt["posterior"].to_dataset()[["epp", "epp_scale"]] for dt in (one, two))
    sd = a.std(DIMS)
    for much, take, kind in (
        (0.05, lambda x: x.mean(DIMS), {"method": "mean"}),
        (0.1, lambda x: x.quantile(0.025, DIMS), {"method": "quantile", "prob": 0.025}),
        (0.1, lambda x: x.quantile(0.975, DIMS), {"method": "quantile", "prob": 0.975}),
    ):
        chance = (az.mcse(a, **kind) ** 2 + az.mcse(b, **kind) ** 2) ** 0.5
        gap = abs(take(b) - take(a)) / np.maximum(much * sd, 4.0 * chance)
        assert max(float(gap[name].max()) for name in gap) < 1.0


def _fit(scores, sampler, draws=DRAWS, chains=4):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        return lb.fit(
            scores, sampler=sampler, draws=draws, chains=chains, replicates=400, seed=3,
            progressbar=False,
        )  # fmt: skip


def test_nuts_where_proposals_do_not_do(monkeypatch, capsys):
    """They do on this board, too: here their weights are trusted less. Said once, and by whom."""
    for module in (metropolis, diagnostics):
        monkeypatch.setattr(module, "MAX_PARETO_K", -1.0)
    with pytest.warns(lb.DisconnectedWarning) as caught:
        dt = lb.fit(ordered(2, 20), seed=1, progressbar=False)
    assert dt.attrs["why_nuts"].startswith("Pareto k ")
    assert dt.attrs["why_nuts"].endswith(" (below -1.0 is good)")  # the one that is not kept
    assert capsys.readouterr().err == ""
    assert len([w for w in caught if w.category is lb.DisconnectedWarning]) == 1
    assert dt.attrs["sampler"] == "nutpie"
    assert dt.attrs["converged"] == 1
    assert dt.attrs["min_ess"] > 400.0
    assert not dt["sample_stats"]["diverging"].any()


def test_why_nuts_begins_is_said_with_progress(monkeypatch, capsys):
    for module in (metropolis, diagnostics):
        monkeypatch.setattr(module, "MAX_PARETO_K", -1.0)
    short = {"draws": 500, "tune": 500, "seed": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        dt = lb.fit(ordered(3, 4), **short)
        said = [line for line in capsys.readouterr().err.splitlines() if "NUTS takes" in line]
        assert said == [f"NUTS takes over from Laplace's proposals: {dt.attrs['why_nuts']}."]
        asked = lb.fit(ordered(3, 4), sampler="nutpie", **short)
    assert "why_nuts" not in asked.attrs
    assert "takes over" not in capsys.readouterr().err


def test_the_same_seed_the_same_draws():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        one, two = (
            lb.fit(ordered(3, 4), sampler="nutpie", draws=50, tune=50, seed=5, progressbar=False)
            for _ in range(2)
        )
    np.testing.assert_array_equal(one["posterior"]["epp"], two["posterior"]["epp"])


@pytest.mark.parametrize("df", [2.0, 4.0, 50.0])
@pytest.mark.parametrize("name", ["5 x 20, decided", "3 x 3", "12 x 10, missing"])
def test_nuts_density_is_the_models(name, df):
    """But for the Jacobian of its coordinates: of differences, which have no common level."""
    import pymc as pm

    matches = lb.matches(BOARDS[name]())
    eta = np.linspace(0.3, 0.9, matches.sizes["round"])
    wins, n, _ = weighted_counts(matches["place"].to_numpy(), eta, within_round=True, ties="half")
    counts = Board(wins.sum(axis=1), n, 2.0, df)
    at = coordinates(counts)
    m = len(n)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.DisconnectedWarning)
        model = lb.models.bradley_terry(matches, prior_df=df, centring=0.0)
    with model:
        pm.set_data({"weight": eta})
    logp = model.compile_logp(mode=AS_IT_STANDS)
    rng = np.random.default_rng(5)
    ours, theirs = [], []
    for spread in (0.0, 0.5, 1.0, 3.0):
        x = at.start + spread * rng.standard_normal(1 + m)
        root = np.sqrt(df * np.expm1(x[1:] ** 2 / (df + 1.0)))
        size = np.exp((1.0 - at.centring) * x[0] + at.centring * at.log_scale)
        a = size * np.sign(x[1:]) * root
        np.testing.assert_allclose(strengths(x, *at[:2], df), a - a.mean(), atol=1e-9)
        # dT/dz, of T^2 = df (exp(z^2 / (df + 1)) - 1).
        slope = df * abs(x[1:]) * np.exp(x[1:] ** 2 / (df + 1.0)) / ((df + 1.0) * root)
        ours.append(log_density(x, counts, at)[0] - np.log(size * slope).sum())
        # PyMC's point is of a / sigma, whose Jacobian it has not.
        point = {"epp_scale_log__": np.asarray(x[0]), "epp_unit": a * np.exp(-x[0])}
        theirs.append(float(logp(point)) - m * x[0])
    np.testing.assert_allclose(np.diff(ours), np.diff(theirs), rtol=1e-9, atol=1e-6)
