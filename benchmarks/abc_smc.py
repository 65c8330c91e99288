"""Distance of the posterior by simulation, at the epsilon that it finds, from the exact one.

    uv run python benchmarks/abc_smc.py

Five boards of beta laws. W1: Wasserstein's distance between draws of theta_SOTA, in standard
deviations of the exact posterior. First of the best score alone, under the law that is known (the
paper's, in which the statistic suffices), then of the board with the law's parameters unknown, by
maximum, mean and standard deviation, then under the flexible law, by maximum and three quantiles.
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


LAWS = {"known": "maximum", "beta": "moments", "flexible": "board"}  # and statistics


def distance(number: int, name: str, law: str) -> str:
    """Compare both on one board."""
    a, b, teams, n = BOARDS[name]
    rng = np.random.default_rng(number)
    board = lb.sota.read_board(rng.binomial(n, rng.beta(a, b, teams)) / n, n=n)
    known = law == "known"
    given = {"law": stats.beta(a, b) if known else law, "chains": 2, "seed": 1}
    of_exact = "maximum" if known else "board"
    exact = lb.sota.posterior(board, statistic=of_exact, draws=2000, **given)
    start = time.time()
    dt = lb.sota.posterior(
        board, sampler="abc-smc", epsilon="auto", statistic=LAWS[law], draws=400,
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
    for law in LAWS:
        for number, name in enumerate(BOARDS):
            print(f"{law:10}{name:14}", distance(number, name, law), flush=True)


if __name__ == "__main__":
    main()
