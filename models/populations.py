"""Coverage of the best theta over populations of teams that no named law describes.

Thetas are drawn from a population, counts from the paper's model (true binomials, and a whole
number of instances on which the reference is right), and `leaderbayes.sota.posterior` is asked at
its defaults; of 80 independent teams by the beta law too. Of each board: whether the 95 % interval
has the largest theta, how wide it is, and how far off the estimate. See make.py.
"""

import itertools
import json
import warnings
from concurrent.futures import Executor
from pathlib import Path

import numpy as np

from tables import complete, error, mean

# Teams and instances: how many boards in each block. A block more leaves the others as they are.
SIZES = {
    (20, 200): (30,), (20, 2000): (30,), (20, 20_000): (30, 20),
    (80, 600): (30,),
    (200, 200): (12,), (200, 2000): (12,), (200, 20_000): (12,),
    (500, 5000): (12,),
    (2000, 200): (6,), (2000, 2000): (6,), (2000, 20_000): (6,),
}  # fmt: skip
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
KEYS = ("population", "teams", "n", "rho", "first")  # `first` board of the block


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


def cell(population, teams, n, rho, first):
    """Boards of a block of one population, size and dependence, under each law."""
    rows, numbers = [], range(first, first + dict(blocks(teams, n))[first])
    for law in ("flexible", "beta") if teams == 80 and rho == 0.0 else ("flexible",):
        found = [board(population, teams, n, rho, k, law) for k in numbers]
        covered, width, off, converged = (
            np.array(column, float) for column in zip(*found, strict=True)
        )
        rows.append(
            {
                "population": population, "teams": teams, "n": n, "rho": rho, "first": first,
                "law": law, "boards": len(found), "covered": mean(covered), "error": error(covered),
                "width": mean(width), "bias": round(float(off.mean()), 5),
                "rmse": round(float(np.sqrt((off**2).mean())), 5), "converged": mean(converged),
            }
        )  # fmt: skip
    return {"populations": rows}


def blocks(teams, n):
    """First board and number of boards of each block."""
    counts = SIZES[teams, n]
    return zip(itertools.accumulate(counts, initial=0), counts, strict=False)


def cover(folder: Path, executor: Executor):
    """Write folder/populations.csv, going on from the blocks that it has."""
    asked = [
        (kind, *size, rho, first)
        for rho in RHO
        for size in SIZES
        for first, _ in blocks(*size)
        for kind in POPULATIONS
    ]
    complete(folder, "populations", KEYS, asked, cell, executor)
    setting = {
        "sizes": [[*size, sum(counts)] for size, counts in SIZES.items()],
        "theta_0": THETA_0, "draws": 4 * DRAWS,
    }  # fmt: skip
    record = {"command": "python models/make.py populations", "setting": setting}
    (folder / "populations.json").write_text(json.dumps(record, indent=2) + "\n")


def pooled(folder: Path):
    """Give a row for each population, size, dependence and law: blocks taken together."""
    import pandas as pd

    rows = pd.read_csv(folder / "populations.csv")
    numbers = ["covered", "width", "bias", "converged"]
    rows[numbers] = rows[numbers].mul(rows["boards"], axis=0)
    rows["square"] = rows["boards"] * rows["rmse"] ** 2
    keys = ["population", "teams", "n", "rho", "law"]
    table = rows.groupby(keys, sort=False)[["boards", "square", *numbers]].sum()
    table[numbers] = table[numbers].div(table["boards"], axis=0)
    table["rmse"] = (table["square"] / table["boards"]) ** 0.5
    return table.drop(columns="square").reset_index()


def shown(folder: Path):
    """Give the tables of models/README.md."""
    import pandas as pd

    rows = pooled(folder)
    rows["board"] = rows["teams"].astype(str) + " x " + rows["n"].astype(str)
    order = [f"{teams} x {n}" for teams, n in SIZES]
    told = rows[rows["law"] == "flexible"]

    def by_size(values, rho):
        of = told[told["rho"] == rho].pivot_table(
            index="population", columns="board", values=values, sort=False
        )
        return of.loc[list(POPULATIONS), order]

    covered = [by_size("covered", rho) for rho in RHO]
    boards = by_size("boards", 0.0).iloc[0]
    pairs = {
        size: [f"{a:.2f}, {b:.2f}" for a, b in zip(*(c[size] for c in covered), strict=True)]
        + [", ".join(f"{c[size].mean():.3f}" for c in covered)]
        + [f"{boards[size]:.0f}"]
        for size in order
    }
    sizes = pd.DataFrame(
        {"population": [*POPULATIONS, "all", "boards of each"]} | pairs,
    )
    both = told[(told["rho"] == 0.0)].merge(
        rows[rows["law"] == "beta"], on=["population", "board"], suffixes=("", " of beta")
    )
    laws = pd.DataFrame(
        {
            "population": both["population"],
            "covered": both["covered"],
            "beta law": both["covered of beta"],
            "width": both["width"],
            "width, beta law": both["width of beta"],
            "rmse": [f"{x:.4f}" for x in both["rmse"]],
            "rmse, beta law": [f"{x:.4f}" for x in both["rmse of beta"]],
        }
    )
    errors = pd.DataFrame(
        {"population": list(POPULATIONS)}
        | {
            size: [
                f"{a:.4f}, {b:.4f}"
                for a, b in zip(*(by_size("rmse", rho)[size] for rho in RHO), strict=True)
            ]
            for size in order
        }
    )
    return {"populations": sizes, "populations_rmse": errors, "populations_beta": laws}
