"""Boards of any metric from losses by instance: standard errors, rho, and the covariance."""

import numpy as np
import pandas as pd
import pytest
import xarray as xr

import leaderbayes as lb


def drawn(m, n, rho, rng, theta=0.0):
    """Losses that correlate by rho^2, (player, round)."""
    common = rho * rng.standard_normal(n)
    own = np.sqrt(1.0 - rho**2) * rng.standard_normal((m, n))
    return xr.DataArray(np.reshape(theta, (-1, 1)) + common + own, dims=("player", "round"))


def test_what_the_board_knows():
    losses = drawn(6, 4000, 0.7, np.random.default_rng(1), np.linspace(1.0, 2.0, 6))
    board = lb.sota.read_losses(losses)
    np.testing.assert_allclose(board, -losses.mean("round"))
    np.testing.assert_allclose(board["se"], losses.std("round", ddof=1) / np.sqrt(4000))
    assert board.attrs["rho"] == pytest.approx(0.7, abs=0.02)
    assert board.attrs["rho_lower"] < board.attrs["rho"] < board.attrs["rho_upper"]
    assert (board.attrs["instances"], board.attrs["higher_is_better"]) == (4000, 0)
    gains = lb.sota.read_losses(losses, higher_is_better=True, chance=1.0)
    np.testing.assert_allclose(gains, -board)
    assert gains.attrs["chance"] == 1.0
    assert lb.sota.read_losses(losses, chance=3.0).attrs["chance"] == -3.0
    # Any function on boards takes it, with its rho.
    dt = lb.sota.posterior(board, seed=1, draws=50)
    assert "rho" in dt["posterior"]
    assert abs(float(dt["posterior"]["theta_sota"].mean()) + 1.0) < 0.05
    assert lb.sota.winner(board).attrs["rho"] == board.attrs["rho"]
    assert lb.sota.shrink(lb.sota.read_losses(losses, chance=3.0)).attrs["rho"] > 0.6


def test_of_a_table():
    losses = drawn(3, 50, 0.0, np.random.default_rng(2), [0.1, 0.2, 0.3])
    wide = pd.DataFrame(losses.to_numpy().T, columns=["a", "b", "c"])
    wide.insert(0, "item", [f"i{k}" for k in range(50)])
    board = lb.sota.read_losses(wide, round="item")
    np.testing.assert_allclose(board, -losses.mean("round"))
    assert list(board["team"].to_numpy()) == ["a", "b", "c"]


@pytest.mark.parametrize("root", [False, True])
def test_the_covariance_is_the_bootstrap_s(root):
    rng = np.random.default_rng(3)
    losses = drawn(3, 300, 0.8, rng, [3.0, 4.0, 5.0]) ** 2
    found = lb.sota.covariance(losses, root=root)
    weight = rng.multinomial(300, np.full(300, 1.0 / 300.0), 20_000) / 300.0
    means = weight @ losses.to_numpy().T
    again = np.cov((np.sqrt(means) if root else means).T)
    np.testing.assert_allclose(found, again, rtol=0.06)
    board = lb.sota.read_losses(losses, root=root)
    np.testing.assert_allclose(board["se"] ** 2, np.diag(found))
    np.testing.assert_allclose(
        -board, np.sqrt(losses.mean("round")) if root else losses.mean("round")
    )


def test_clusters():
    """Instances that come in equal pairs are half as many."""
    losses = drawn(4, 400, 0.5, np.random.default_rng(4))
    twice = xr.concat([losses, losses], "round").assign_coords(
        cluster=("round", [f"c{k % 400}" for k in range(800)])
    )
    board = lb.sota.read_losses(twice)
    np.testing.assert_allclose(board["se"], lb.sota.read_losses(losses)["se"])
    assert board.attrs["se"] == "by cluster"
    np.testing.assert_allclose(lb.sota.covariance(twice), lb.sota.covariance(losses))


@pytest.mark.slow
def test_the_winner_is_covered():
    """By the covariance of the losses, where some teams are of a family."""
    rng = np.random.default_rng(5)
    held = []
    for _ in range(60):
        truth = 0.05 * rng.standard_normal(12)
        losses = drawn(12, 200, 0.8, rng).to_numpy()
        losses[3:6] = 0.6 * losses[3:6] + 0.8 * rng.standard_normal(200)
        board = lb.sota.read_losses(xr.DataArray(losses - truth[:, None], dims=("player", "round")))
        covariance = lb.sota.covariance(xr.DataArray(losses, dims=("player", "round")))
        found = lb.sota.winner(board, covariance=covariance)
        own = truth[int(board.to_numpy().argmax())]
        held.append([
            found["theta_sota_lower"] <= truth.max() <= found["theta_sota_upper"],
            found["theta_winner_lower"] <= own <= found["theta_winner_upper"],
        ])  # fmt: skip
    assert (np.mean(held, axis=0) >= 0.86).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: x.where(x["round"] > 0), "has no finite loss on '0', and 2 more"),
        (lambda x: x * 0.0, "'0' loses the same on all instances"),
        (lambda x: x[:, :1], "one instance"),
        (lambda x: x.expand_dims(tournament=["a", "b"]), "several test sets"),
        (lambda x: x.to_numpy(), "cannot be read|DataArray"),
    ],
)
def test_refuses(change, message):
    losses = drawn(3, 20, 0.0, np.random.default_rng(0)).assign_coords(round=np.arange(20))
    with pytest.raises(lb.LeaderbayesError, match=message):
        lb.sota.read_losses(change(losses))
    with pytest.raises(lb.LeaderbayesError):
        lb.sota.covariance(change(losses))


def test_refuses_arguments():
    losses = drawn(3, 20, 0.0, np.random.default_rng(0))
    with pytest.raises(lb.LeaderbayesError, match="root=True"):
        lb.sota.read_losses(losses, root=True)
    with pytest.raises(lb.LeaderbayesError, match="'player': of a table"):
        lb.sota.read_losses(losses, player="a")
