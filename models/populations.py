"""Coverage of the best theta over populations of teams that no named law describes.

Thetas are drawn from a population, counts from the paper's model (true binomials, and a whole
number of instances on which the reference is right), and `leaderbayes.sota.posterior` is asked at
its defaults; by the beta law too where that is quick. Of each board: whether the 95 % interval has
the largest theta, how wide it is, and how far off the estimate. See make.py.
"""

import itertools
import json
import warnings
from concurrent.futures import Executor
from pathlib import Path

import numpy as np

from tables import complete, error, mean, read

SIZES = {(20, 200): 30, (80, 600): 30, (500, 5000): 12}  # teams and instances: how many boards
RHO = (0.0, 0.6)
THETA_0 = 0.86  # of the reference
DRAWS = 100  # in each of 4 chains


def wide(m, rng):
    return rng.beta(127.5, 22.5, m)


def narrow(m, rng):
    return rng.beta(1700.0, 300.0, m)


def two_groups(m, rng):
    return np.where(rng.random(m) < 0.5, rng.normal(0.80, 0.01, m), rng.normal(0.90, 0.005, m))


def edge(m, rng):
    """Many at the very best that is to be had, others below it, and a tenth far below."""
    below = rng.exponential(0.03, m) * (rng.random(m) < 0.8)
    below += (rng.random(m) < 0.1) * rng.uniform(0.0, 0.4, m)
    return 0.91 - np.minimum(below, 0.5)


def soft_edge(m, rng):
    return 0.91 - 0.3 * rng.beta(0.6, 4.0, m)


def cut(m, rng):
    theta = rng.normal(0.88, 0.03, 20 * m)
    return theta[theta < 0.90][:m]


def thrice(m, rng):
    return np.repeat(rng.normal(0.85, 0.02, -(-m // 3)), 3)[:m]


def half_clones(m, rng):
    theta = rng.normal(0.85, 0.02, m)
    theta[: m // 2] = 0.87
    return theta


def equal(m, rng):
    return np.full(m, 0.85)


POPULATIONS = {
    "Beta, wide": wide, "Beta, narrow": narrow, "two groups": two_groups, "edge and tail": edge,
    "soft edge": soft_edge, "normal, cut": cut, "each three times": thrice,
    "half clones": half_clones, "equal": equal,
}  # fmt: skip
CELLS = tuple(itertools.product(POPULATIONS, SIZES, RHO))


def scores(theta, n, rho, rng):
    """Shares of right answers (team,)."""
    from leaderbayes._numerics.counts import allowed
    from leaderbayes._numerics.maximum import conditionals

    p_1, p_0 = conditionals(theta, allowed(theta, rho, THETA_0), THETA_0)
    s = rng.binomial(n, THETA_0)
    right = rng.binomial(s, np.clip(p_1, 0, 1)) + rng.binomial(n - s, np.clip(p_0, 0, 1))
    return right / n


def board(population, teams, n, rho, number, law):
    """What a law says of one board: covered, width, error, convergence."""
    import leaderbayes as lb

    entropy = [list(POPULATIONS).index(population), teams, n, round(10 * rho), number]
    rng = np.random.default_rng(entropy)
    theta = np.clip(POPULATIONS[population](teams, rng), 0.01, 0.999)
    given = lb.sota.read_board(scores(theta, n, rho, rng), n=n, chance=0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        found = lb.sota.posterior(
            given, law=law, rho=rho, theta_0=THETA_0, draws=DRAWS, seed=number, workers=1
        )
    best = lb.sota.summary(found)
    low, high = float(best["theta_sota_lower"]), float(best["theta_sota_upper"])
    off = float(best["theta_sota"]) - theta.max()
    return low <= theta.max() <= high, high - low, off, found.attrs["converged"]


def cell(population, teams, n, rho):
    """Boards of one population, size and dependence, under each law."""
    rows = []
    for law in ("flexible", "beta") if teams == 80 and rho == 0.0 else ("flexible",):
        found = [board(population, teams, n, rho, k, law) for k in range(SIZES[teams, n])]
        covered, width, off, converged = (
            np.array(column, float) for column in zip(*found, strict=True)
        )
        rows.append(
            {
                "population": population, "teams": teams, "n": n, "rho": rho, "law": law,
                "boards": len(found), "covered": mean(covered), "error": error(covered),
                "width": mean(width), "bias": round(float(off.mean()), 5),
                "rmse": round(float(np.sqrt((off**2).mean())), 5), "converged": mean(converged),
            }
        )  # fmt: skip
    return {"populations": rows}


def cover(folder: Path, executor: Executor):
    """Write folder/populations.csv, going on from the cells that it has."""
    asked = [(kind, *size, rho) for rho in RHO for size in SIZES for kind in POPULATIONS]
    complete(folder, "populations", ("population", "teams", "n", "rho"), asked, cell, executor)
    setting = {
        "sizes": [[*size, boards] for size, boards in SIZES.items()],
        "theta_0": THETA_0, "draws": 4 * DRAWS,
    }  # fmt: skip
    record = {"command": "python models/make.py populations", "setting": setting}
    (folder / "populations.json").write_text(json.dumps(record, indent=2) + "\n")


def shown(folder: Path):
    """Give the table of models/README.md."""
    import pandas as pd

    rows = pd.DataFrame(read(folder / "populations.csv"))
    numbers = rows.columns.difference(["population", "law"])
    rows[numbers] = rows[numbers].apply(pd.to_numeric)
    rows["board"] = rows["teams"].astype(str) + " x " + rows["n"].astype(str)
    table = rows.pivot_table(
        index=["population", "board"],
        columns=["law", "rho"],
        values=["covered", "rmse"],
        sort=False,
    )

    def of(value, law, rho):
        return table[value, law, rho].to_numpy()

    return {
        "populations": pd.DataFrame(
            {
                "population": table.index.get_level_values(0),
                "board": table.index.get_level_values(1),
                "covered": of("covered", "flexible", 0.0),
                "covered, rho 0.6": of("covered", "flexible", 0.6),
                "beta law": of("covered", "beta", 0.0),
                "rmse": [f"{x:.4f}" for x in of("rmse", "flexible", 0.0)],
                "rmse, beta law": [f"{x:.4f}" for x in of("rmse", "beta", 0.0)],
            }
        )
    }
