"""Coverage of `sota.winner` over simulated boards of teams of any kind.

    uv run python benchmarks/winner.py 150                # boards a cell, of 1000 instances
    uv run python benchmarks/winner.py 150 200,20000 200  # instances, teams

Thetas by the kind, counts from Boland's model: true binomials, and a whole number of instances on
which a reference is right. Prints coverage of nominal 95 % intervals of the best theta and of the
winner's, how often the winner's estimate is too high, and widths in standard errors of a score.
"""

import sys

import numpy as np
import xarray as xr

import leaderbayes as lb
from leaderbayes._numerics.counts import allowed
from leaderbayes._numerics.maximum import conditionals

THETA_0 = 0.86
KINDS = {
    "wide": lambda m, rng: rng.beta(127.5, 22.5, m),
    "narrow": lambda m, rng: rng.beta(1700, 300, m),
    "two kinds": lambda m, rng: np.where(
        rng.random(m) < 0.5, rng.beta(1700, 300, m), rng.beta(750, 250, m)
    ),
    "edge and tail": lambda m, rng: 0.9 - 0.05 * np.minimum(rng.gamma(0.5, 1.0, m), 10.0),
    "equal": lambda m, rng: np.full(m, 0.85),
    "half clones": lambda m, rng: rng.beta(400, 70, m),
}


def board(kind, m, n, rho, rng):
    """Thetas, and a board."""
    theta = KINDS[kind](m, rng)
    up, down = conditionals(theta, allowed(theta, rho, THETA_0), THETA_0)
    s = rng.binomial(n, THETA_0)
    count = rng.binomial(s, np.clip(up, 0, 1)) + rng.binomial(n - s, np.clip(down, 0, 1))
    if kind == "half clones":
        count[: m // 2], theta[: m // 2] = count[0], theta[0]
    order = rng.permutation(m)
    attrs = {"n": n, "metric": "accuracy"}
    names = [f"t{i}" for i in range(m)]
    return theta[order], xr.DataArray(count[order] / n, {"team": names}, attrs=attrs)


def cover(kind, m, n, rho, boards):
    """Shares and mean widths of one cell."""
    rows = []
    for number in range(boards):
        rng = np.random.default_rng([number, m, n, round(10 * rho), list(KINDS).index(kind)])
        theta, made = board(kind, m, n, rho, rng)
        found = {name: float(v) for name, v in lb.sota.winner(made, rho=rho).items()}
        row = []
        for name, truth in (("sota", theta.max()), ("winner", theta[np.argmax(made.to_numpy())])):
            low, high = found[f"theta_{name}_lower"], found[f"theta_{name}_upper"]
            width = (high - low) / np.sqrt(0.85 * 0.15 / n)
            row += [low <= truth <= high, low > truth, width]
        rows.append([*row, found["theta_winner"] > truth])
    return np.mean(rows, axis=0)


if __name__ == "__main__":
    boards = int(sys.argv[1]) if len(sys.argv) > 1 else 150
    instances, teams = (
        [int(k) for k in (sys.argv[at] if len(sys.argv) > at else usual).split(",")]
        for at, usual in ((2, "1000"), (3, "20,200,2000"))
    )
    print("n,m,kind,rho,best,best_too_high,best_width,winner,winner_too_high,winner_width,above")
    for n in instances:
        for m in teams:
            for kind in KINDS:
                for rho in (0.0, 0.6):
                    numbers = ",".join(f"{v:.3f}" for v in cover(kind, m, n, rho, boards))
                    print(f"{n},{m},{kind},{rho},{numbers}", flush=True)
