"""How good the winner is, and the best, without a law of the teams."""

import re

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes.sota._winner import apart

SCORES = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
KINDS = {
    "narrow": lambda m, rng: rng.beta(1700, 300, m),
    "two kinds": lambda m, rng: np.where(
        rng.random(m) < 0.5, rng.beta(1700, 300, m), rng.beta(750, 250, m)
    ),
    "edge": lambda m, rng: 0.9 - 0.05 * rng.gamma(0.5, 1.0, m),
    "equal": lambda m, rng: np.full(m, 0.85),
    "clones": lambda m, rng: rng.beta(400, 70, m),
}


def test_what_it_gives():
    board = lb.sota.read_board(SCORES, n=200)
    found = lb.sota.winner(board)
    assert float(found["observed_max"]) == 0.93
    assert (float(found["runner_up"]), int(found["tied"]), int(found["m"])) == (0.92, 0, 12)
    assert found.attrs["winner"] == "0"
    value = {name: float(v) for name, v in found.items()}
    assert value["theta_sota_lower"] < value["theta_winner"] < 0.93 < value["theta_sota_upper"]
    assert value["conditional_lower"] < value["theta_winner_lower"] < value["simultaneous_lower"]
    assert "the best team is between 0.8" in found.attrs["message"]
    # Correlated luck is less of a surprise in the best of many.
    assert lb.sota.winner(board, rho=0.8)["theta_sota_lower"] > found["theta_sota_lower"]
    assert lb.sota.winner(board, prob=0.5)["theta_sota_upper"] < found["theta_sota_upper"]
    tied = lb.sota.winner(lb.sota.read_board([0.9, 0.9, 0.9, 0.7], n=100))
    assert int(tied["tied"]) == 2
    ends = f"{float(tied['simultaneous_lower']):.4f} and {float(tied['simultaneous_upper']):.4f}"
    assert f"'0', one of 3 that scored highest, between {ends}" in tied.attrs["message"]


def test_what_is_said_of_equal_teams_holds_their_score():
    """The first of a tie is so by lot, which is no reason to put it below what all scored."""
    found = lb.sota.winner(lb.sota.read_board([0.9] * 30, n=1000))
    lower, upper = (float(x) for x in re.findall(r"0\.\d{4}", found.attrs["message"])[2:])
    assert lower < 0.9 < upper


@pytest.mark.parametrize("n", [50, 150])
def test_of_a_small_test_set(n):
    found = lb.sota.winner(lb.sota.read_board([0.9, 0.8, 0.7, 0.6], n=n))
    assert float(found["conditional"]) == pytest.approx(0.9, abs=0.01)
    assert 0.75 < float(found["conditional_lower"]) < 0.86
    assert 0.93 < float(found["conditional_upper"]) < 0.97
    perfect = lb.sota.winner(lb.sota.read_board([1.0, 0.92, 0.9], n=50))
    assert 0.9 < float(perfect["conditional_lower"]) < float(perfect["theta_winner"]) < 1.0


@pytest.mark.parametrize("rho", [0.0, 0.6])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.slow
def test_it_covers(kind, rho, simulated):
    """Both intervals on boards of teams of any kind, with nothing known of these."""
    boards, m, n = 60, 150, 500
    rng = np.random.default_rng(list(KINDS).index(kind))
    held = np.zeros((boards, 3))
    for row in held:
        theta = KINDS[kind](m, rng)
        _, board = simulated(1, 1, m, n, rho, 0.86, rng, theta)
        score = board.to_numpy().copy()
        if kind == "clones":
            score[: m // 2], theta[: m // 2] = score[0], theta[0]
        found = lb.sota.winner(board.copy(data=score), rho=rho)
        best, own = theta.max(), theta[score.argmax()]
        row[:] = (
            found["theta_sota_lower"] <= best <= found["theta_sota_upper"],
            found["theta_winner_lower"] <= own <= found["theta_winner_upper"],
            found["theta_winner"] > own,
        )
    best, own, above = held.mean(axis=0)
    assert best >= 0.9
    assert own >= 0.86  # three standard errors of 60 boards below 0.95
    assert 0.3 < above < 0.75


def test_other_metrics():
    board = lb.sota.read_board(SCORES, se=0.02)
    given = lb.sota.winner(board, rho=0.6)
    covariance = 0.02**2 * (0.36 + 0.64 * np.eye(12))
    same = lb.sota.winner(board, covariance=xr.DataArray(covariance, dims=("team", "team_")))
    for name in ("theta_winner_lower", "conditional", "theta_sota_lower", "theta_sota_upper"):
        assert float(same[name]) == pytest.approx(float(given[name]), abs=0.002)
    whole = board.assign_coords(se=("team", np.linspace(0.02, 0.01, 12)))
    assert lb.sota.winner(whole)["theta_sota_lower"] < 0.93
    aucs = lb.sota.read_board(SCORES, n=500, metric="auc", positive_rate=0.1)
    found = lb.sota.winner(aucs, rho=0.5)
    assert 0.85 < found["theta_sota_lower"] < 0.93 < found["theta_sota_upper"] < 1.0
    # A single team: nothing was chosen.
    alone = lb.sota.winner(lb.sota.read_board([0.9], n=1000))
    assert np.isnan(alone["runner_up"])
    assert float(alone["theta_winner"]) == pytest.approx(0.9, abs=1e-3)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("metric", ["accuracy", "auc", "estimate"])
def test_who_won_is_no_better_than_the_best(metric, tied):
    """Neither end lies above the best theta's; of teams that are equal they did, and of a tie."""
    score = np.random.default_rng(7).binomial(1000, 0.85, 200) / 1000
    score[3] = score.max() + (0.0 if tied else 0.001)
    given = {"se": 0.011} if metric == "estimate" else {"n": 1000}
    if metric == "auc":
        given |= {"metric": "auc", "positive_rate": 0.1}
    found = lb.sota.winner(lb.sota.read_board(score, **given))
    assert (found["tied"] > 0) == tied
    for kind in ("theta_winner", "simultaneous"):
        for end in ("lower", "upper"):
            assert found[f"{kind}_{end}"] <= found[f"theta_sota_{end}"]
    lower, upper = (found[f"theta_winner_{end}"] for end in ("lower", "upper"))
    assert lower <= found["theta_winner"] < upper


def test_of_dependent_aucs():
    rng = np.random.default_rng(1)
    labels = np.repeat([0, 1], [150, 50])
    shared = rng.normal(size=200)
    scores = shared + rng.normal(size=(5, 200)) + np.linspace(1.0, 1.5, 5)[:, None] * labels
    positive = labels == 1
    won = (scores[:, positive, None] > scores[:, None, ~positive]).astype(float)
    # DeLong's covariance, by the recipe of the documentation.
    covariance = np.cov(won.mean(axis=2)) / 50 + np.cov(won.mean(axis=1)) / 150
    board = lb.sota.read_board(won.mean(axis=(1, 2)), se=0.03)
    found = lb.sota.winner(board, covariance=covariance)
    assert found["theta_sota_lower"] < found["observed_max"] < found["theta_sota_upper"]
    assert np.isnan(found.attrs["rho"])


def test_apart():
    assert apart(0.9, 0.8, 0.95) == ""
    assert apart(1.0, 0.8, 1.0 - 4e-16) == ""  # as printed
    assert "0.9900, is above 0.9500" in apart(0.99, 0.8, 0.95)
    assert "0.7000, is below 0.8000" in apart(0.7, 0.8, 0.95)


NAMED = xr.DataArray(np.eye(12), {"team": list("abcdefghijkl")}, ("team", "team_"))


@pytest.mark.parametrize(
    "covariance",
    [np.eye(2), np.full((12, 12), np.nan), np.diag(np.arange(12.0)), np.eye(12) - 0.5, "none"],
)
def test_refuses(covariance):
    board = lb.sota.read_board(SCORES, n=200)
    with pytest.raises(
        lb.LeaderbayesError, match="a symmetric positive semidefinite 12 x 12 matrix"
    ):
        lb.sota.winner(board, covariance=covariance)
    with pytest.raises(lb.LeaderbayesError, match="must have the teams of the board"):
        lb.sota.winner(board, covariance=NAMED)


def test_an_empty_board():
    with pytest.raises(lb.LeaderbayesError, match="no team"):
        lb.sota.winner(lb.sota.read_board(SCORES, n=200)[:0])
