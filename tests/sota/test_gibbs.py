"""The posterior under a law that is learnt from the board."""

import json
import runpy
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from scipy import stats

import leaderbayes as lb
from leaderbayes._numerics import flexible_law
from leaderbayes._numerics.counts import counts
from leaderbayes.sota._gibbs import _enough
from leaderbayes.sota._scale import CountScale


def board_of(theta, n, rng, **given):
    return lb.sota.read_board(rng.binomial(n, theta) / n, n=n, **given)


@pytest.fixture(scope="module")
def edge():
    """Many teams at an edge, others far below: no beta law."""
    rng = np.random.default_rng(0)
    theta = np.concatenate([np.full(60, 0.9), rng.uniform(0.4, 0.85, 20)])
    board = board_of(theta, 1000, rng, classes=10)
    return board, lb.sota.posterior(board, seed=1)


def test_an_edge_is_found_where_a_beta_overruns_it(edge):
    board, dt = edge
    best = lb.sota.summary(dt)
    assert dt.attrs["warnings"] == "[]"
    assert best["theta_sota_lower"] < 0.9 < best["theta_sota_upper"]
    # Over eight seeds 0.9064 (0.0002); its posterior's standard deviation is 0.008.
    assert abs(float(best["theta_sota"]) - 0.9) < 0.008 < float(board.max()) - 0.9
    with pytest.warns(lb.BoardWarning, match=r"LB021.*Take law='flexible'"):
        beta = lb.sota.posterior(board, law="beta", seed=1)
    assert float(lb.sota.summary(beta)["theta_sota_lower"]) > 0.9


def test_equal_teams_are_found_to_be_equal():
    """Though where their theta lies is known better than to a cell, half a score's error."""
    rng = np.random.default_rng(8)
    board = board_of(np.full(200, 0.85), 2000, rng, classes=10)
    dt = lb.sota.posterior(board, draws=40, seed=1)
    best = lb.sota.summary(dt)
    assert (dt["posterior"]["concentration"] < 1.0).mean() > 0.5
    assert best["theta_sota_lower"] < 0.85 < best["theta_sota_upper"]
    assert abs(float(best["theta_sota"]) - 0.85) < 0.004 < 0.008 < float(board.max()) - 0.85


def test_data_tree(edge):
    board, dt = edge
    posterior = dt["posterior"].to_dataset()
    assert set(posterior) == {"theta_sota", "theta", "concentration"}
    np.testing.assert_array_equal(posterior["theta_sota"], posterior["theta"].max("team"))
    assert {"converged", "max_rhat", "ess"} <= set(dt.attrs)
    assert "pareto_k" not in dt.attrs
    assert dt["log_likelihood"]["score"].sizes["team"] == board.sizes["team"]
    again = lb.sota.posterior(board, seed=1, workers=1)
    xr.testing.assert_identical(again["posterior"].to_dataset(), posterior)


@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_the_likelihood_is_that_of_the_specification(rho):
    """Of each team, its cell out; and the prior of weights and cells, but for the cells' order."""
    path = Path(__file__).parents[2] / "models" / "sota" / "model.py"
    make = runpy.run_path(str(path))["specification_of_cells"]
    rng, n, theta_0, s = np.random.default_rng(6), 50, 0.8, 43
    x, edges = np.array([31, 40, 40, 47]), np.linspace(0.7, 1.5, 9)
    weight, ease = rng.dirichlet(np.ones(8)), (s - n * theta_0) / np.sqrt(n * theta_0 * 0.2)
    model = make(x, n=n, teams=4, edges=edges, rho=rho, theta_0=theta_0)
    logp = model.compile_fn(
        model.logp(vars=[model["cell_of"], model["count"]], sum=False), mode="FAST_COMPILE"
    )
    total = np.zeros(4)
    for cell in range(8):
        point = {"cell_of": np.full(4, cell), "ease": ease}
        if rho == 0.0:
            point["shift_interval__"] = np.log(1.4 / 0.6)
        point["weight_simplex__"] = np.log(weight[:-1]) - np.log(weight).mean()
        of_cell, of_count = logp(point)
        total += np.exp(of_cell + of_count)
    board = counts(x / n, n)
    scale = CountScale(board, rho, theta_0)
    scale.__dict__["cells"] = flexible_law.Cells(edges, np.zeros(3, np.int64), np.arange(4) * 8)
    shift = 0.4 * scale.cells.furthest if rho == 0.0 else 0.0
    value, factor = scale.likelihood(rho, ease, shift)
    found = flexible_law.log_sums(scale.cells, value, weight) + factor
    # With dependence the fast road's binomials have three of the cumulants (`counts`).
    atol = 1e-6 if rho == 0.0 else 0.02
    np.testing.assert_allclose(found[board.of], np.log(total), rtol=0.0, atol=atol)
    np.testing.assert_allclose(model["which"].owner.inputs[2].eval(), flexible_law.ALPHAS_PRIOR)
    alphas = [model["concentration"].eval({model["which"]: which}) for which in range(6)]
    np.testing.assert_array_equal(alphas, flexible_law.ALPHAS)


def test_a_failure_far_below_changes_next_to_nothing(edge):
    board, dt = edge
    table = board.to_series().rename("score").rename_axis("team").reset_index()
    table.loc[len(table)] = ["failed", 0.11]
    more = lb.sota.posterior(lb.sota.read_board(table, n=1000, classes=10), seed=1)
    best, then = lb.sota.summary(dt), lb.sota.summary(more)
    # Over eight seeds 0.0014 (0.0005): the base is spread over a longer scale.
    assert abs(float(best["theta_sota"] - then["theta_sota"])) < 0.003
    assert float(then["m"]) == float(best["m"]) + 1


@pytest.mark.slow
def test_the_luck_has_its_own_law():
    """The board hardly knows how easy its test set was: by the spread of its luck alone."""
    rng = np.random.default_rng(2)
    board = board_of(rng.beta(170, 30, 60), 500, rng, classes=10)
    dt = lb.sota.posterior(board, rho=0.6, draws=500, seed=1)
    ease = dt["posterior"]["ease"].to_numpy()
    assert abs(ease.mean()) < 0.5
    assert 0.85 < ease.std() < 1.15
    assert set(dt["log_prior"].data_vars) == {"ease", "concentration"}
    free = lb.sota.posterior(board, rho=0.0, draws=500, seed=1)
    shared, alone = (t["posterior"]["theta"].mean("team").std() for t in (dt, free))
    assert shared > 2.0 * alone


@pytest.mark.slow
def test_rho_with_a_prior():
    rng = np.random.default_rng(3)
    board = board_of(rng.beta(170, 30, 40), 500, rng, classes=10)
    dt = lb.sota.posterior(board, rho=stats.beta(6, 4), seed=1)
    rho = dt["posterior"]["rho"].to_numpy()
    assert 0.2 < rho.mean() < 0.8
    assert rho.std() > 0.05
    assert set(dt["log_prior"].data_vars) == {"ease", "rho", "concentration"}
    assert json.loads(dt.attrs["arguments"])["rho"] == "beta(6, 4)"


def test_estimates_and_aucs():
    rng = np.random.default_rng(4)
    theta = np.append(rng.normal(0.0, 0.2, 40), 3.0)  # one far ahead of a crowd
    board = lb.sota.read_board(rng.normal(theta, 0.5), se=0.5)
    best = lb.sota.summary(lb.sota.posterior(board, seed=1))
    assert best["theta_sota_lower"] < 3.0 < best["theta_sota_upper"]
    low, high = float(board.max()) - 1.5, float(board.max()) + 0.3
    assert low < float(best["theta_sota"]) < high
    shares = np.clip(rng.normal(0.85, 0.02, 50), 0.0, 0.99)
    aucs = lb.sota.read_board(shares, n=1000, metric="auc", positive_rate=0.1)
    best = lb.sota.summary(lb.sota.posterior(aucs, rho=0.5, seed=1))
    assert float(best["theta_sota_lower"]) < float(aucs.max())
    assert 0.8 < float(best["theta_sota"]) < float(aucs.max())


def test_a_floor_leaves_the_rest_alone(edge):
    board, dt = edge
    high = lb.sota.posterior(board, floor=0.8, seed=1)
    best, then = lb.sota.summary(dt), lb.sota.summary(high)
    assert float(then["m"]) < float(best["m"])
    # Over eight seeds 0.0014 (0.0005): the base is spread over a longer scale.
    assert abs(float(best["theta_sota"] - then["theta_sota"])) < 0.003
    new = high["posterior_predictive"]["new_score"].to_numpy()
    assert (new > 0.8).mean() > 0.999


def test_one_team_and_two():
    for scores in ([0.9], [0.9, 0.9]):
        board = lb.sota.read_board(scores, n=100)
        best = lb.sota.summary(lb.sota.posterior(board, seed=1))
        assert best["theta_sota_lower"] < 0.9 < best["theta_sota_upper"]


@pytest.mark.parametrize(("draws", "chains"), [(5, 1), (5, 4), (20, 4)])
def test_too_few_draws_are_said(draws, chains):
    """However well their chains agree; and nothing is said of the board by so few of its like."""
    rng = np.random.default_rng(5)
    board = board_of(rng.beta(1700, 300, 60), 2000, rng, classes=10)
    with pytest.warns(lb.ConvergenceWarning, match=r"LB001 not converged.*draws are worth") as said:
        dt = lb.sota.posterior(board, draws=draws, chains=chains, seed=1)
    assert len(said) == 1
    assert dt.attrs["converged"] == 0
    assert dt.attrs["ess"] <= draws * chains
    (message,) = json.loads(dt.attrs["warnings"])
    assert message.startswith("LB001")
    assert "draws" in message
    assert "law" not in message  # nobody is sent to a stiffer one


def test_what_draws_must_be_worth():
    """A fifth of their number, but 80 at least and 100 at most."""
    least = {draws: _enough(draws) for draws in (4, 200, 400, 450, 500, 4000)}
    assert least == {4: 80.0, 200: 80.0, 400: 80.0, 450: 90.0, 500: 100.0, 4000: 100.0}
