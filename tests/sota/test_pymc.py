"""Posteriors that PyMC drew, through `sota.posterior` and without it."""

import warnings

import numpy as np
import pymc as pm
import pytest
import xarray as xr
from scipy import stats

import leaderbayes as lb
from leaderbayes._answers.completed import complete, completed
from leaderbayes.models._theta import constants_of, scale_of

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
SCORES = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
QUIET = {"seed": 1, "progressbar": False}


def given(board, law="beta", rho=0.0, **parameters):
    """Draws of parameters, as PyMC returns them of a simulator."""
    kept, scale = scale_of(board, rho)
    posterior = xr.Dataset({k: (("chain", "draw"), v) for k, v in parameters.items()})
    posterior = posterior.assign_coords(chain=[0, 1], draw=np.arange(posterior.sizes["draw"]))
    constants = constants_of(kept, scale, law, rho)
    return xr.DataTree.from_dict({"posterior": posterior, "constant_data": constants})


def test_teams_that_a_simulator_leaves_out_are_drawn():
    """Of a beta distribution, however narrow: beta again, given the counts."""
    board = lb.sota.read_board(SCORES, n=200)
    shape = (2, 500)
    for concentration in (100.0, 5000.0):
        dt = given(board, mean=np.full(shape, 0.9), concentration=np.full(shape, concentration))
        done = completed(dt)
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
        xr.testing.assert_identical(completed(dt)["posterior"].to_dataset(),
                                    done["posterior"].to_dataset())  # fmt: skip


def test_likelihoods_with_thetas_integrated_out():
    """Closed forms: beta-binomial, normal, and a known distribution's."""
    rng = np.random.default_rng(0)
    board = lb.sota.read_board(SCORES, n=200, chance=0.0)
    _, scale = scale_of(board, 0.0, fine=0.25)
    x = np.array(SCORES) * 200
    exact = stats.betabinom(200, 45.0, 5.0).logpmf(x)
    drawn = given(board, mean=np.full((2, 1), 0.9), concentration=np.full((2, 1), 50.0))
    for law, posterior in (
        (None, drawn["posterior"].to_dataset()),
        (stats.beta(45.0, 5.0), drawn["posterior"].to_dataset().rename(mean="a")),
    ):
        known = None
        if law is not None:
            from leaderbayes.models._theta import quantiles_of

            known = quantiles_of(law)
        found = complete(posterior, scale, known, rng)["log_likelihood"]
        np.testing.assert_allclose(found, np.tile(exact, (2, 1)), atol=0.02)
    errors = lb.sota.read_board(SCORES, se=0.02)
    _, scale = scale_of(errors, 0.6, fine=0.25)
    drawn = given(errors, rho=0.6, location=np.full((2, 1), 0.9), scale=np.full((2, 1), 0.03),
                  ease=np.full((2, 1), 0.5))  # fmt: skip
    found = complete(drawn["posterior"].to_dataset(), scale, None, rng)["log_likelihood"]
    exact = stats.norm(0.9 + 0.6 * 0.5 * 0.02, np.hypot(0.03, 0.8 * 0.02)).logpdf(SCORES)
    np.testing.assert_allclose(found, np.tile(exact, (2, 1)), atol=0.01)


def test_what_cannot_be_drawn_is_named():
    board = lb.sota.read_board(SCORES, n=200)
    dt = given(board, other=np.zeros((2, 30)))
    with pytest.raises(lb.LeaderbayesError, match=r"no theta \(team\), and no parameters"):
        lb.leaderboard(dt)
    theta = (("chain", "draw", "team"), np.full((2, 30, 12), 0.9))
    posterior = dt["posterior"].to_dataset().assign(theta=theta)
    dt["posterior"] = xr.DataTree(posterior)
    with pytest.raises(lb.LeaderbayesError, match="teams in posterior/theta"):
        lb.leaderboard(dt)
    dt["posterior"] = xr.DataTree(posterior.assign_coords(team=[str(k) for k in range(12)]))
    assert lb.leaderboard(dt)["theta"].iloc[0] == pytest.approx(0.9)  # any model of thetas
    assert float(lb.sota.summary(dt)["theta_sota"]) == pytest.approx(0.9)
    with pytest.raises(lb.LeaderbayesError, match="new_score"):
        lb.check(dt)
    bare = dt.drop_nodes("constant_data")
    bare.attrs["model"] = "sota"
    with pytest.raises(lb.LeaderbayesError, match="constant_data/score"):
        lb.leaderboard(bare)


@pytest.fixture(scope="module")
def simulated_boards():
    board = lb.sota.read_board(SCORES, n=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        return board, lb.sota.posterior(
            board, sampler="abc-smc", law="beta", draws=100, chains=2, workers=1, **QUIET
        )


def test_simulated_boards(simulated_boards):
    board, dt = simulated_boards
    assert set(dt["posterior"].data_vars) == {"mean", "concentration", "theta_sota", "theta"}
    assert (np.diff(dt["sample_stats"]["epsilon"]) < 0.0).all()
    assert float(dt["sample_stats"]["epsilon"].isel(stage=-1).max()) == pytest.approx(0.5)
    best = lb.sota.summary(dt)
    assert float(best["theta_sota"]) == pytest.approx(0.912, abs=0.006)  # by the likelihood
    assert float(best["law_free_lower"]) == float(lb.sota.winner(board)["theta_sota_lower"])
    log = dt["log_prior"]["concentration"]
    exact = stats.lognorm(2.5, scale=np.exp(5.0)).logpdf(dt["posterior"]["concentration"])
    np.testing.assert_allclose(log, exact)


@pytest.mark.slow
@pytest.mark.parametrize(("m", "n", "rho"), [(50, 500, 0.0), (50, 3000, 0.6), (300, 500, 0.6)])
def test_simulation_by_the_best_score_alone(simulated, m, n, rho):
    """As in the paper, against rejection: thetas of boards whose best score is the board's."""
    rng, law = np.random.default_rng(m + n), stats.beta(127.5, 22.5)
    _, board = simulated(127.5, 22.5, m, n, rho, 0.9, rng)
    how = {"law": law, "statistic": "maximum", "rho": rho, "theta_0": 0.9, "chains": 2, **QUIET}
    found = lb.sota.posterior(board, sampler="abc-smc", draws=1000, epsilon=0.25, **how)
    assert found.attrs["converged"] == 1
    kept = []
    for _ in range(4000):
        theta, other = simulated(127.5, 22.5, m, n, rho, 0.9, rng)
        if abs(float(other.max() - board.max())) < 0.6 / n * (1 if n < 1000 else 4):
            kept.append(theta.max())
    best, near = np.array(kept), found["posterior"]["theta_sota"].to_numpy().ravel()
    error = best.std() * np.hypot(0.1, 4.0 / np.sqrt(len(best)))
    assert near.mean() == pytest.approx(best.mean(), abs=error)
    assert near.std() == pytest.approx(best.std(), rel=0.1 + 4.0 / np.sqrt(2 * len(best)))


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
    assert set(found["log_prior"].data_vars) == {"concentration"} | ({"ease"} if rho else set())
    assert np.isfinite(found["log_likelihood"]["score"].to_numpy()).all()


@pytest.mark.slow
def test_numbers_do_not_depend_on_how_many_processes_draw_them():
    board = lb.sota.read_board([0.9, 0.89, 0.87, 0.84, 0.8], n=200)
    how = {"sampler": "abc-smc", "draws": 40, "chains": 2, **QUIET}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        one, two = (lb.sota.posterior(board, workers=k, **how)["posterior"] for k in (1, 2))
    xr.testing.assert_identical(one.to_dataset(), two.to_dataset())


@pytest.mark.slow
def test_a_known_distribution_is_conjugate(simulated):
    rng, n, a, b = np.random.default_rng(2), 300, 60.0, 12.0
    _, board = simulated(a, b, 40, n, 0.0, 0.9, rng)
    dt = lb.sota.posterior(board, law=stats.beta(a, b), draws=1000, **QUIET)
    theta = dt["posterior"]["theta"].stack(s=("chain", "draw")).transpose("team", "s").to_numpy()
    x = np.round(board.to_numpy() * n)
    exact = stats.beta(a + x, b + n - x)
    # 80 numbers: four standard errors and a half; chains are worth half their draws at least.
    error = exact.std() / np.sqrt(0.5 * theta.shape[1])
    assert (abs(theta.mean(axis=1) - exact.mean()) < 4.5 * error).all()
    np.testing.assert_allclose(theta.std(axis=1), exact.std(), rtol=4.5 / np.sqrt(4000))
    best = exact.rvs((20_000, 40), random_state=rng).max(axis=1)
    found = dt["posterior"]["theta_sota"].to_numpy().ravel()
    assert stats.ks_2samp(found[::4], best).pvalue > 1e-3


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
        with lb.models.sota(board, rho=0.3):
            dt = pm.sample(200, tune=300, **sampling)
        assert {"theta", "theta_sota"} <= set(dt["posterior"].data_vars)
    else:
        law = "flexible" if how.startswith("flexible") else "beta"
        with lb.models.sota(board, law=law, epsilon=1.0):
            dt = pm.sample_smc(60, **sampling)
    best = lb.sota.summary(dt)
    assert 0.88 < float(best["theta_sota"]) < 0.94
    assert list(lb.leaderboard(dt)["team"])[0] == "0"
    assert (lb.check(dt)["p_value"] > 0.01).all()
    lb.plots.board(board, best, backend="none")
    page = lb.report.html(dt, tmp_path / "page.html").read_text("utf-8")
    assert f"{float(best['theta_sota']):.4f}" in page
    assert lb.report.text(dt)

