"""Posteriors that PyMC drew, through `sota.posterior` and without it."""

import warnings

import numpy as np
import pymc as pm
import pytest
import xarray as xr
from scipy import stats

import leaderbayes as lb
from leaderbayes.models._sota_completed import complete
from leaderbayes.models._theta import constants_of, scale_of

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
SCORES = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
QUIET = {"seed": 1, "progressbar": False}


def given(board, rho=0.0, **parameters):
    """Draws of parameters, as PyMC returns them of a simulator."""
    kept, scale = scale_of(board, rho)
    posterior = xr.Dataset({k: (("chain", "draw"), v) for k, v in parameters.items()})
    posterior = posterior.assign_coords(chain=[0, 1], draw=np.arange(posterior.sizes["draw"]))
    constants = constants_of(kept, scale, rho)
    return xr.DataTree.from_dict({"posterior": posterior, "constant_data": constants})


def test_teams_that_a_simulator_leaves_out_are_drawn():
    """Of a beta distribution, however narrow: beta again, given the counts."""
    board = lb.sota.read_board(SCORES, n=200)
    shape = (2, 500)
    for concentration in (100.0, 5000.0):
        dt = given(board, mean=np.full(shape, 0.9), concentration=np.full(shape, concentration))
        done = complete(dt)
        theta = done["posterior"]["theta"].stack(s=("chain", "draw")).transpose("team", "s")
        x, n, a = np.array(SCORES) * 200, 200, 0.9 * concentration
        exact = stats.beta(a + x, concentration - a + n - x)
        assert (abs(theta.mean("s") - exact.mean()) < 4.5 * exact.std() / 31.0).all()
        np.testing.assert_allclose(theta.std("s"), exact.std(), rtol=0.12)
        np.testing.assert_array_equal(done["posterior"]["theta_sota"], theta.max("team").unstack())
        new = done["posterior_predictive"]["new_score"].to_numpy().ravel()
        level = stats.betabinom(n, a, concentration - a).cdf(np.round(new * n))
        assert level.mean() == pytest.approx(0.5, abs=0.05)
        assert lb.sota.summary(dt)["theta_sota"] == done["posterior"]["theta_sota"].mean()
        again = complete(dt)["posterior"].to_dataset()
        xr.testing.assert_identical(again, done["posterior"].to_dataset())


def test_likelihoods_with_thetas_integrated_out():
    """Closed forms: beta-binomial and normal."""
    board = lb.sota.read_board(SCORES, n=200, chance=0.0)
    counts = given(board, mean=np.full((2, 1), 0.9), concentration=np.full((2, 1), 50.0))
    exact = stats.betabinom(200, 45.0, 5.0).logpmf(np.array(SCORES) * 200)
    errors = given(lb.sota.read_board(SCORES, se=0.02), rho=0.6, location=np.full((2, 1), 0.9),
                   scale=np.full((2, 1), 0.03), ease=np.full((2, 1), 0.5))  # fmt: skip
    normal = stats.norm(0.9 + 0.6 * 0.5 * 0.02, np.hypot(0.03, 0.8 * 0.02)).logpdf(SCORES)
    for dt, expected in ((counts, exact), (errors, normal)):
        found = complete(dt, likelihood=True)["log_likelihood"]["score"]
        np.testing.assert_allclose(found, np.tile(expected, (2, 1, 1)), atol=0.02)


def test_what_cannot_be_drawn_is_named():
    board = lb.sota.read_board(SCORES, n=200)
    dt = given(board, other=np.zeros((2, 30)))
    with pytest.raises(lb.LeaderbayesError, match=r"no theta \(team\), and no parameters"):
        lb.leaderboard(dt)
    theta = (("chain", "draw", "team"), np.full((2, 30, 12), 0.9))
    posterior = dt["posterior"].to_dataset().assign(theta=theta)
    dt["posterior"] = xr.DataTree(posterior.assign_coords(team=[str(k) for k in range(12)]))
    assert lb.leaderboard(dt)["theta"].iloc[0] == pytest.approx(0.9)  # any model of thetas
    assert float(lb.sota.summary(dt)["theta_sota"]) == pytest.approx(0.9)
    with pytest.raises(lb.LeaderbayesError, match="new_score"):
        lb.check(dt)
    bare = dt.drop_nodes("constant_data")
    bare.attrs["model"] = "sota"
    with pytest.raises(lb.LeaderbayesError, match="constant_data/score"):
        lb.sota.summary(bare)


@pytest.mark.slow
def test_simulated_boards(capsys):
    board = lb.sota.read_board(SCORES, n=200)
    how = {"sampler": "abc-smc", "law": "beta", "draws": 150, "chains": 2, "seed": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        dt = lb.sota.posterior(board, **how)
    shown = capsys.readouterr()
    assert "Simulating boards" in shown.err
    assert "200/200" in shown.err
    assert not shown.out
    assert set(dt["posterior"].data_vars) == {"mean", "concentration", "theta_sota", "theta"}
    assert 0.3 < dt.attrs["unique"] <= 1.0
    best = lb.sota.summary(dt)
    assert float(best["theta_sota"]) == pytest.approx(0.912, abs=0.006)  # by the likelihood
    assert float(best["law_free_lower"]) == float(lb.sota.winner(board)["theta_sota_lower"])


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_simulation_by_the_best_score_alone(rho):
    """As in the paper; against draws of the prior, weighted by the kernel."""
    board = lb.sota.read_board([0.9, 0.86, 0.86, 0.84, 0.8, 0.78, 0.78, 0.7], n=50)
    how = {"statistic": "maximum", "rho": rho, "epsilon": 0.5}
    dt = lb.sota.posterior(
        board, sampler="abc-smc", law="beta", draws=1000, chains=2, **how, **QUIET
    )
    assert dt.attrs["converged"] == 1
    again = lb.sota.posterior(
        board, sampler="abc-smc", law="beta", draws=1000, chains=2, **how, **QUIET
    )
    xr.testing.assert_identical(dt["posterior"].to_dataset(), again["posterior"].to_dataset())
    model = lb.models.sota(board, **how)
    seen = model["statistics"]
    best, found, epsilon = pm.draw(
        [model["theta_sota"], seen, seen.owner.op.epsilon], 20_000, random_seed=1
    )
    weight = np.exp(-0.5 * ((found - 0.9) / epsilon) ** 2).ravel()
    weight /= weight.sum()
    mean = weight @ best
    sd, size = np.sqrt(weight @ (best - mean) ** 2), 1.0 / (weight**2).sum()
    near = dt["posterior"]["theta_sota"].to_numpy().ravel()
    error = np.sqrt(1.0 / size + 1.0 / dt.attrs["min_ess"])
    assert near.mean() == pytest.approx(mean, abs=4.0 * sd * error)
    assert near.std() == pytest.approx(sd, rel=4.0 * error)


@pytest.mark.slow
@pytest.mark.parametrize(("m", "n", "rho"), [(20, 200, 0.0), (60, 500, 0.6)])
def test_simulation_of_the_flexible_distribution(simulated, m, n, rho):
    """As near the exact posterior as a maximum and three quantiles say of a board (the card)."""
    _, board = simulated(127.5, 22.5, m, n, rho, 0.86, np.random.default_rng(m))
    how = {"rho": rho, "theta_0": 0.86, "chains": 2, **QUIET}
    exact = lb.sota.posterior(board, draws=1000, **how)["posterior"]["theta_sota"]
    found = lb.sota.posterior(board, sampler="abc-smc", draws=400, **how)
    near = found["posterior"]["theta_sota"]
    apart = stats.wasserstein_distance(near.to_numpy().ravel(), exact.to_numpy().ravel())
    assert found.attrs["converged"] == 1
    assert apart < (0.41 + 0.1) * float(exact.std())
    assert np.isfinite(found["log_likelihood"]["score"].to_numpy()).all()


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_a_beta_distribution_by_a_grid(simulated, rho):
    """Mean and concentration on a grid, of teams that are nearly equal and of others."""
    for a, b in ((170.0, 30.0), (17_000.0, 3000.0)):
        theta, board = simulated(a, b, 60, 500, rho, 0.86, np.random.default_rng(5))
        dt = lb.sota.posterior(board, law="beta", rho=rho, theta_0=0.86, **QUIET)
        assert dt.attrs["converged"] == 1
        best = lb.sota.summary(dt)
        assert best["theta_sota_lower"] < theta.max() < best["theta_sota_upper"]
        if rho:
            continue
        x = np.round(board.to_numpy() * 500)
        eta, log = (g.ravel() for g in np.meshgrid(np.linspace(1, 3, 201), np.linspace(2, 13, 201)))
        mean = 1.0 / (1.0 + np.exp(-eta))
        shape = mean * np.exp(log), (1.0 - mean) * np.exp(log)
        density = sum(stats.betabinom(500, *shape).logpmf(k) for k in x)
        density += np.log(mean * (1.0 - mean)) + stats.norm(5.0, 2.5).logpdf(log)
        weight = np.exp(density - density.max())
        found = np.log(dt["posterior"]["concentration"].to_numpy().ravel())
        exact, spread = weight @ log / weight.sum(), 0.0
        spread = np.sqrt(weight @ (log - exact) ** 2 / weight.sum())
        assert found.mean() == pytest.approx(exact, abs=0.3 * spread)
        assert found.std() == pytest.approx(spread, rel=0.25)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("how", ["likelihood", "simulator", "flexible simulator", "estimates"])
def test_answers_take_what_pymc_returns(how, tmp_path):
    board = lb.sota.read_board(SCORES, n=200)
    sampling = {"chains": 2, "cores": 1, "random_seed": 1, "progressbar": False}
    if how in ("likelihood", "estimates"):
        board = board if how == "likelihood" else lb.sota.read_board(SCORES, se=0.02)
        with pm.do(lb.models.sota(board, rho=0.3), {"ease": 0.0}):
            dt = pm.sample(200, tune=300, **sampling)
            pm.compute_log_likelihood(dt, progressbar=False)
        assert dt["log_likelihood"].sizes["team"] == len(SCORES)
        assert {"theta", "theta_sota"} <= set(dt["posterior"].data_vars)
    else:
        law = "flexible" if how.startswith("flexible") else "beta"
        with lb.models.sota(board, law=law, epsilon=1.0):
            dt = pm.sample_smc(60, **sampling)
    best = lb.sota.summary(dt)
    assert 0.88 < float(best["theta_sota"]) < 0.94
    assert next(iter(lb.leaderboard(dt)["team"])) == "0"
    assert (lb.check(dt)["p_value"] > 0.01).all()
    lb.plots.board(board, best)
    page = lb.report.html(dt, tmp_path / "page.html").read_text("utf-8")
    assert f"{float(best['theta_sota']):.4f}" in page
    assert lb.report.text(dt)
