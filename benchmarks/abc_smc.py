"""Distance of the posterior by simulation, at the epsilon that it finds, from the exact one.

    uv run python benchmarks/abc_smc.py

Five boards of beta laws. W1: Wasserstein's distance between draws of theta_SOTA, in standard
deviations of the exact posterior. First of the best score alone, under the law that is known (the
paper's, in which the statistic suffices), then of the board, by maximum, mean and standard
deviation, with the law's parameters unknown.
"""

import time
import warnings

import numpy as np
from scipy import stats

import leaderbayes as lb

BOARDS = {  # a and b of the beta law, teams, instances
    "60 x 500": (127.5, 22.5, 60, 500),
    "20 x 200": (85.0, 15.0, 20, 200),
    "200 x 1000": (127.5, 22.5, 200, 1000),
    "60 x 2000": (850.0, 150.0, 60, 2000),
    "40 x 300": (85.0, 15.0, 40, 300),
}


def distance(number: int, name: str, statistic: str) -> str:
    """Compare both on one board."""
    a, b, teams, n = BOARDS[name]
    rng = np.random.default_rng(number)
    board = lb.sota.read_board(rng.binomial(n, rng.beta(a, b, teams)) / n, n=n)
    known = statistic == "maximum"
    given = {"law": stats.beta(a, b) if known else "beta", "chains": 2, "seed": 1}
    of_exact = "maximum" if known else "board"
    exact = lb.sota.posterior(board, statistic=of_exact, draws=2000, **given)
    start = time.time()
    dt = lb.sota.posterior(
        board, sampler="abc-smc", epsilon="auto", statistic=statistic, draws=400,
        progressbar=False, **given,
    )  # fmt: skip
    took = time.time() - start
    best, near = (tree["posterior"]["theta_sota"].to_numpy().ravel() for tree in (exact, dt))
    reached = float(dt["sample_stats"]["epsilon"].min("stage").max())
    return (
        f"W1 {stats.wasserstein_distance(best, near) / best.std():.3f} at {reached:.2f}, R-hat "
        f"{dt.attrs['max_rhat']:.2f}, {took:.0f} s"
    )


def main() -> None:
    """Print a row for each board."""
    warnings.simplefilter("ignore")
    for statistic in ("maximum", "moments"):
        for number, name in enumerate(BOARDS):
            print(f"{statistic:10}{name:14}", distance(number, name, statistic), flush=True)


if __name__ == "__main__":
    main()
