"""Boards of one test set whose largest theta is known: how good is the best of a competition?

Thetas are drawn from a population, counts from the paper's model: true binomials, and a whole
number of instances on which the reference is right. ``best``: boards of a beta law that the
posterior knows but for its two parameters, and beside it the exact binomial interval of the best
score alone. ``populations``: `leaderbayes.sota.posterior` at its defaults, on populations of teams
that no named law describes; of 80 independent teams by the beta law too, and intervals that need no
law (`leaderbayes.sota.winner`).
"""

import itertools

import numpy as np
from scipy.stats import binomtest

from tables import Table, read

THETA_0 = 0.86  # of the reference
RHO = (0.0, 0.6)
DRAWS = 100  # in each of 4 chains


def edge(m, rng):
    """Many at the very best that is to be had, others below it, and a tenth far below."""
    below = rng.exponential(0.03, m) * (rng.random(m) < 0.8)
    below += (rng.random(m) < 0.1) * rng.uniform(0.0, 0.4, m)
    return 0.91 - np.minimum(below, 0.5)


def half_clones(m, rng):
    theta = rng.normal(0.85, 0.02, m)
    theta[: m // 2] = 0.87
    return theta


POPULATIONS = {
    "Beta, wide": lambda m, rng: rng.beta(127.5, 22.5, m),
    "Beta, narrow": lambda m, rng: rng.beta(1700.0, 300.0, m),
    "two groups": lambda m, rng: np.where(
        rng.random(m) < 0.5, rng.normal(0.80, 0.01, m), rng.normal(0.90, 0.005, m)
    ),
    "edge and tail": edge,
    "soft edge": lambda m, rng: 0.91 - 0.3 * rng.beta(0.6, 4.0, m),
    "normal, cut": lambda m, rng: (x := rng.normal(0.88, 0.03, 20 * m))[x < 0.90][:m],
    "each three times": lambda m, rng: np.repeat(rng.normal(0.85, 0.02, -(-m // 3)), 3)[:m],
    "half clones": half_clones,
    "equal": lambda m, rng: np.full(m, 0.85),
}
ALIKE = {"Beta, alike": lambda m, rng: rng.beta(17_000.0, 3000.0, m)}


def conditionals(theta, rho, theta_0):
    """P(right) where the reference is right, and where it is wrong, of accuracies theta (team,)."""
    odds = theta / (1.0 - theta) * (1.0 - theta_0) / theta_0
    # As much of rho as keeps probabilities between 0 and 1 (equation 8).
    shift = np.minimum(rho, np.sqrt(np.minimum(odds, 1.0 / odds))) * np.sqrt(theta * (1.0 - theta))
    up = theta + shift * np.sqrt((1.0 - theta_0) / theta_0)
    return np.clip([up, theta - shift * np.sqrt(theta_0 / (1.0 - theta_0))], 0.0, 1.0)


def shares(theta, n, rho, rng):
    """Shares (team,) of n instances that are right, correlated with the reference by rho."""
    up, down = conditionals(theta, rho, THETA_0)
    s = rng.binomial(n, THETA_0)
    return (rng.binomial(s, up) + rng.binomial(n - s, down)) / n


def posterior(population, teams, n, rho, law, number):
    """True thetas, the board, and the posterior's summary."""
    import leaderbayes as lb

    draw = POPULATIONS | ALIKE
    rng = np.random.default_rng([list(draw).index(population), teams, n, round(10 * rho), number])
    theta = np.clip(draw[population](teams, rng), 0.01, 0.999)
    board = lb.sota.read_board(shares(theta, n, rho, rng), n=n, chance=0.0)
    known = {"law": law, "rho": rho, "theta_0": THETA_0}
    found = lb.sota.posterior(board, **known, draws=DRAWS, seed=number, progressbar=False)
    best = {name: float(value) for name, value in lb.sota.summary(found).items()}
    return theta, board, best | {"converged": found.attrs["converged"]}


def best_board(population, rho, number):
    """Whether the interval under the beta law, and that of the best score alone, hold the best."""
    teams, n = 200 if population == "Beta, wide" else 1000, 1000
    theta, board, best = posterior(population, teams, n, rho, "beta", number)
    naive = binomtest(round(float(board.max()) * n), n).proportion_ci()
    return {
        "posterior": best["theta_sota_lower"] <= theta.max() <= best["theta_sota_upper"],
        "naive": naive.low <= theta.max() <= naive.high,
        "converged": best["converged"],
    }


_BOARDS = {"Beta, wide": 150, "Beta, narrow": 500, "Beta, alike": 150}
BEST = Table(
    ("population", "rho"),
    {cell: _BOARDS[cell[0]] for cell in itertools.product(_BOARDS, RHO)},
    best_board,
    lambda folder: {"best": read(folder, "best").drop(columns="converged: error")},
    checked=4,
)

SIZES = {  # teams and instances, and how many boards
    (20, 200): 30, (20, 2000): 30, (20, 20_000): 50,
    (80, 600): 30,
    (200, 200): 12, (200, 2000): 12, (200, 20_000): 12,
    (500, 5000): 12,
    (2000, 200): 6, (2000, 2000): 6, (2000, 20_000): 6,
}  # fmt: skip


def populations_board(population, teams, n, rho, law, number):
    """Whether intervals hold the largest theta, how wide they are, and how far off estimates."""
    import leaderbayes as lb

    theta, board, best = posterior(population, teams, n, rho, law, number)
    free = {name: float(value) for name, value in lb.sota.winner(board, rho=rho).items()}
    low, high, off = best["theta_sota_lower"], best["theta_sota_upper"], best["theta_sota"]
    top, first = theta.max(), theta[np.argmax(board.to_numpy())]
    return {
        "covered": low <= top <= high, "width": high - low, "bias": off - top,
        "square": (off - top) ** 2, "converged": best["converged"],
        "law-free": free["theta_sota_lower"] <= top <= free["theta_sota_upper"],
        "winner": free["theta_winner_lower"] <= first <= free["theta_winner_upper"],
    }  # fmt: skip


def populations_shown(folder):
    """Tables of README: coverage and error by size, and the flexible law beside the beta law."""
    rows = read(folder, "populations")
    rows["board"] = rows["teams"].astype(str) + " x " + rows["n"].astype(str)
    rows["rmse"] = np.sqrt(rows["square"])
    told = rows[rows["law"] == "flexible"]
    order = [f"{teams} x {n}" for teams, n in SIZES]

    def by_size(column, digits, extra=lambda table: table):
        """Both dependences in a cell."""
        both = [
            extra(told[told["rho"] == rho].pivot_table(column, "population", "board", sort=False))
            for rho in RHO
        ]
        text = [table[order].map(f"{{:.{digits}f}}".format) for table in both]
        return (text[0] + ", " + text[1]).rename_axis(columns=None)

    covered = by_size("covered", 2)
    covered.loc["all"] = by_size("covered", 3, lambda t: t.mean().to_frame("all").T).loc["all"]
    covered.loc["boards of each"] = [str(boards) for boards in SIZES.values()]
    both = told[told["rho"] == 0.0].merge(
        rows[rows["law"] == "beta"], on=["population", "board"], suffixes=("", ", beta law")
    )
    columns = [f"{c}{of}" for c in ("covered", "width", "rmse") for of in ("", ", beta law")]
    both[columns[-2:]] = both[columns[-2:]].map("{:.4f}".format)
    return {
        "populations": covered.rename_axis("population").reset_index(),
        "populations_rmse": by_size("rmse", 4).reset_index(),
        "populations_beta": both[["population", *columns]],
    }


POPULATIONS_TABLE = Table(
    ("population", "teams", "n", "rho", "law"),
    {
        (population, *size, rho, law): boards
        for rho, (size, boards), population in itertools.product(RHO, SIZES.items(), POPULATIONS)
        for law in (("flexible", "beta") if size[0] == 80 and rho == 0.0 else ("flexible",))
    },
    populations_board, populations_shown,
)  # fmt: skip
