"""The posterior under the flexible distribution: what it finds, and what it holds."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes.sota._posterior import _worst


def board_of(theta, n, rng, **given):
    return lb.sota.read_board(rng.binomial(n, theta) / n, n=n, **given)


@pytest.fixture(scope="module")
def edge():
    """Many teams at an edge, others far below: nothing like a beta distribution."""
    rng = np.random.default_rng(0)
    theta = np.concatenate([np.full(60, 0.9), rng.uniform(0.4, 0.85, 20)])
    board = board_of(theta, 1000, rng, classes=10)
    return board, lb.sota.posterior(board, draws=125, seed=1)


def test_an_edge_is_found(edge):
    board, dt = edge
    best = lb.sota.summary(dt)
    assert dt.attrs["warnings"] == "[]"
    assert best["theta_sota_lower"] < 0.9 < best["theta_sota_upper"]
    # Over eight seeds 0.9064 (0.0002); its posterior's standard deviation is 0.008.
    assert abs(float(best["theta_sota"]) - 0.9) < 0.008 < float(board.max()) - 0.9


def test_equal_teams_are_found_to_be_equal():
    """Though where their theta lies is known better than to a cell, half a score's error."""
    board = board_of(np.full(100, 0.85), 2000, np.random.default_rng(8), classes=10)
    dt = lb.sota.posterior(board, draws=25, seed=1)
    best = lb.sota.summary(dt)
    assert (dt["posterior"]["concentration"] < 1.0).mean() > 0.5
    assert best["theta_sota_lower"] < 0.85 < best["theta_sota_upper"]
    assert abs(float(best["theta_sota"]) - 0.85) < 0.004 < 0.008 < float(board.max()) - 0.85


def test_data_tree(edge, tmp_path):
    board, dt = edge
    posterior = dt["posterior"].to_dataset()
    assert set(posterior) == {"theta_sota", "theta", "concentration"}
    np.testing.assert_array_equal(posterior["theta_sota"], posterior["theta"].max("team"))
    assert set(dt.children) == {
        "posterior", "posterior_predictive", "log_likelihood", "observed_data", "constant_data",
    }  # fmt: skip
    assert list(dt["constant_data"]["model"]) == ["sota"]
    np.testing.assert_array_equal(dt["constant_data"]["score"], board)
    assert {"converged", "max_rhat", "min_ess"} <= set(dt.attrs)
    assert dt["log_likelihood"]["score"].sizes["team"] == board.sizes["team"]
    dt.to_netcdf(tmp_path / "posterior.nc")
    back = xr.open_datatree(tmp_path / "posterior.nc")
    xr.testing.assert_allclose(lb.sota.summary(back), lb.sota.summary(dt))


@pytest.mark.slow
def test_failures_far_below_change_next_to_nothing(edge):
    """One more, and a higher chance that excludes most of those that there are."""
    board, dt = edge
    table = board.to_series().rename("score").rename_axis("team").reset_index()
    table.loc[len(table)] = ["failed", 0.11]
    more = lb.sota.posterior(lb.sota.read_board(table, n=1000, classes=10), seed=1)
    high = lb.sota.posterior(board.drop_attrs().assign_attrs(
        metric="accuracy", n=1000, chance=0.8), seed=1)  # fmt: skip
    best, *others = (lb.sota.summary(each) for each in (dt, more, high))
    assert float(others[0]["m"]) == float(best["m"]) + 1
    assert float(others[1]["m"]) < float(best["m"])
    for then in others:
        # Over eight seeds 0.0014 (0.0005): the base is spread over another range.
        assert abs(float(best["theta_sota"] - then["theta_sota"])) < 0.003
    new = high["posterior_predictive"]["new_score"].to_numpy()
    assert (new > 0.8).mean() > 0.999


@pytest.mark.slow
def test_the_luck_has_its_own_distribution():
    """The board hardly knows how easy its test set was: by the spread of its luck alone."""
    rng = np.random.default_rng(2)
    board = board_of(rng.beta(170, 30, 60), 500, rng, classes=10)
    dt = lb.sota.posterior(board, rho=0.6, draws=500, seed=1)
    ease = dt["posterior"]["ease"].to_numpy()
    assert abs(ease.mean()) < 0.5
    assert 0.85 < ease.std() < 1.15
    free = lb.sota.posterior(board, rho=0.0, draws=500, seed=1)
    shared, alone = (t["posterior"]["theta"].mean("team").std() for t in (dt, free))
    assert shared > 2.0 * alone


def test_rho_with_a_prior():
    """A board of 40 teams says little of rho: the prior remains."""
    rng = np.random.default_rng(3)
    board = board_of(rng.beta(170, 30, 40), 500, rng, classes=10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        dt = lb.sota.posterior(board, rho=(0.6, 0.15), draws=40, seed=1)
    rho = dt["posterior"]["rho"].to_numpy()
    assert rho.mean() == pytest.approx(0.6, abs=0.15)
    assert rho.std() > 0.05
    assert set(dt["posterior"].data_vars) == {
        "theta", "theta_sota", "ease", "rho", "concentration"
    }  # fmt: skip
    assert json.loads(dt.attrs["arguments"])["rho"] == [0.6, 0.15]


def test_estimates_and_aucs():
    rng = np.random.default_rng(4)
    theta = np.append(rng.normal(0.0, 0.2, 40), 3.0)  # one far ahead of a crowd
    board = lb.sota.read_board(rng.normal(theta, 0.5), se=0.5)
    best = lb.sota.summary(lb.sota.posterior(board, draws=125, seed=1))
    assert best["theta_sota_lower"] < 3.0 < best["theta_sota_upper"]
    low, high = float(board.max()) - 1.5, float(board.max()) + 0.3
    assert low < float(best["theta_sota"]) < high
    shares = np.clip(rng.normal(0.85, 0.02, 50), 0.0, 0.99)
    aucs = lb.sota.read_board(shares, n=1000, metric="auc", positive_rate=0.1)
    best = lb.sota.summary(lb.sota.posterior(aucs, rho=0.5, draws=125, seed=1))
    assert float(best["theta_sota_lower"]) < float(aucs.max())
    assert 0.8 < float(best["theta_sota"]) < float(aucs.max())


@pytest.mark.parametrize("rho", [0.5, pytest.param(0.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("scores", "n"),
    [([0.9], 100), ([0.9, 0.9], 100), ([0.0, 1.0], 50), ([1.0] * 5, 50), ([0.98, 1.0, 0.6], 50),
     ([0.9, 0.87, 0.86, 0.2], 10**9), ([1.0] * 20, 200), ([0.0] * 10 + [1.0] * 10, 200)],
)  # fmt: skip
def test_edges(scores, n, rho):
    board = lb.sota.read_board(scores, n=n, chance=1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        dt = lb.sota.posterior(board, rho=rho, theta_0=0.8, seed=1, draws=40)
    assert np.isfinite(dt["posterior"]["theta_sota"]).all()
    assert (dt["posterior"]["theta"] <= 1.0).all()
    if n == 10**9:  # which says it all
        mean = dt["posterior"]["theta"].mean(("chain", "draw"))
        np.testing.assert_allclose(mean, board, atol=2e-3)


@pytest.mark.parametrize(("draws", "chains"), [(5, 1), pytest.param(20, 4, marks=pytest.mark.slow)])
def test_too_few_draws_are_said(draws, chains):
    """However well their chains agree; and nothing is said of the board by so few of its like."""
    rng = np.random.default_rng(5)
    board = board_of(rng.beta(1700, 300, 60), 2000, rng, classes=10)
    with pytest.warns(lb.LeaderbayesWarning, match="LB001 .*effective sample size") as said:
        dt = lb.sota.posterior(board, draws=draws, chains=chains, seed=1)
    assert len(said) == 1
    assert dt.attrs["converged"] == 0
    assert dt.attrs["min_ess"] <= draws * chains
    (message,) = json.loads(dt.attrs["warnings"])
    assert message.startswith("LB001")
    assert "draws=2000" in message


def test_tables(fitted):
    board, dt = fitted
    made = lb.sota.summary(dt)
    assert made["theta_sota_lower"] < made["theta_sota"] < made["theta_sota_upper"]
    assert float(made["observed_max"]) == float(board.max())
    assert int(made["teams_above"]) == int((board > float(made["theta_sota"])).sum())
    free = lb.sota.winner(board, rho=0.5)
    assert float(made["law_free_lower"]) == float(free["theta_sota_lower"])
    assert made.attrs["law_free"] == ""
    table = lb.leaderboard(dt)
    assert list(table["theta"]) == sorted(table["theta"], reverse=True)
    assert table["p_best"].sum() == pytest.approx(1.0)
    assert table["p_sota"].iloc[0] > table["p_sota"].iloc[-1]
    found = lb.check(dt)
    assert ((found["lower"] <= found["upper"]) & (found["p_value"] > 0.005)).all()
    assert found.attrs["converged"] == table.attrs["converged"] == 1


def test_an_estimate_that_the_scores_contradict(fitted):
    changed = fitted[1].copy(deep=True)
    changed["posterior"]["theta_sota"][:] = 0.999
    assert "The estimate, 0.9990, is above" in lb.sota.summary(changed).attrs["law_free"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sampler": "mcmc"}, "sampler"),
        ({"law": "normal"}, "law"),
        ({"statistic": "maximum"}, "uses the whole board"),
        ({"statistic": "mean", "sampler": "abc-smc"}, "statistic"),
        ({"rho": 1.0}, "rho"),
        ({"rho": (0.6, 0.9)}, "standard deviation of a beta"),
        ({"rho": (0.6,)}, "standard deviation of a beta"),
        ({"theta_0": 1.0}, "theta_0"),
        ({"epsilon": 0.0}, "epsilon"),
        ({"draws": 0}, "draws"),
    ],
)
def test_refused(fitted, options, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.sota.posterior(fitted[0], **options)


def test_refused_boards(fitted):
    with pytest.raises(lb.LeaderbayesError, match="20 instances"):
        lb.sota.posterior(lb.sota.read_board([1.0, 1.0, 0.0], n=1))
    with pytest.raises(lb.LeaderbayesError, match="for boards of accuracies"):
        lb.sota.posterior(lb.sota.read_board([0.5, 0.6], se=0.1), sampler="abc-smc")
    with pytest.raises(lb.LeaderbayesError, match="no posterior"):
        lb.sota.summary(xr.DataTree())
    with pytest.raises(lb.LeaderbayesError, match="prob"):
        lb.leaderboard(fitted[1], prob=1.0)


def test_a_parameter_on_which_chains_disagree_is_the_worst():
    agreed = np.random.default_rng(1).normal(size=(4, 250))
    apart = agreed + np.arange(4)[:, None]
    for other, converged in ((agreed, 1), (apart, 0)):
        drawn = {"theta_sota": agreed, "concentration": other}
        found = _worst(xr.Dataset({k: (("chain", "draw"), v) for k, v in drawn.items()}))
        assert found["converged"] == converged


@pytest.mark.parametrize("se", [None, pytest.param(0.01, marks=pytest.mark.slow)])
def test_losses_are_answered_as_losses(se):
    """And everything else is as of the same board of gains."""
    rng = np.random.default_rng(1)
    loss = pd.Series(np.round(0.1 + 0.2 * rng.random(12), 2), [f"t{k}" for k in range(12)])
    facts = {"n": 100} if se is None else {"se": se}
    whole = 1.0 if se is None else 0.0
    gain = lb.sota.read_board((whole - loss).round(2), **facts)
    loss = lb.sota.read_board(loss, **facts, higher_is_better=False)
    of = [lb.sota.posterior(board, seed=1, draws=100, progressbar=False) for board in (gain, loss)]
    gains, losses = (lb.leaderboard(dt) for dt in of)
    assert losses["team"].tolist() == gains["team"].tolist()
    for one, other in {"score": "score", "theta": "theta", "theta_lower": "theta_upper"}.items():
        np.testing.assert_allclose(losses[one], whole - gains[other], atol=1e-9)
    assert losses[["p_best", "p_sota"]].equals(gains[["p_best", "p_sota"]])
    first, last = gains["team"].iloc[[0, -1]]
    pairs = [lb.compare(dt, first, last) for dt in of]
    assert float(pairs[1]["p_better"]) == float(pairs[0]["p_better"]) > 0.5
    assert float(pairs[1]["difference"]) == pytest.approx(-float(pairs[0]["difference"]))
    records = [lb.sota.certify(dt, first) for dt in of]
    assert float(records[1]["gain"]) == pytest.approx(float(records[0]["gain"]))
    assert float(records[1]["theta_ours"]) == pytest.approx(whole - float(records[0]["theta_ours"]))
    seen = [lb.check(dt)["observed"].to_series() for dt in of]
    assert seen[1]["minimum"] == pytest.approx(whole - seen[0]["maximum"])
    assert "lowest score of the board" in " ".join(lb.report.text(of[1]).split())
    looks = [lb.sota.two_looks(board, board, seed=1) for board in (gain, loss)]
    assert float(looks[1]["promised"]) == pytest.approx(whole - float(looks[0]["promised"]))
    assert float(looks[1]["drop"]) == pytest.approx(float(looks[0]["drop"]))
