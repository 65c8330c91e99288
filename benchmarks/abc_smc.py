"""Distance of the posterior by simulation, at the epsilon that it finds, from the exact one.

    uv run python benchmarks/abc_smc.py

Five boards of beta laws. W1: Wasserstein's distance between draws of theta_SOTA, in standard
deviations of the exact posterior, with epsilon="auto" and moments as statistics, and with 0.5 and
the maximum and quantiles.
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
    "60 x 2000, narrow": (850.0, 150.0, 60, 2000),
    "40 x 300, known law": (85.0, 15.0, 40, 300),
}


def main() -> None:
    """Print a row for each board."""
    warnings.simplefilter("ignore")
    for number, (name, (a, b, teams, n)) in enumerate(BOARDS.items()):
        rng = np.random.default_rng(number)
        theta = rng.beta(a, b, teams)
        board = lb.sota.read_board(rng.binomial(n, theta) / n, n=n)
        law = stats.beta(a, b) if "known" in name else "beta"
        given = {"law": law, "chains": 2, "seed": 1}
        exact = lb.sota.posterior(board, draws=2000, **given)["posterior"]["theta_sota"]
        row = []
        for epsilon, statistic in (("auto", "moments"), (0.5, "board")):
            start = time.time()
            dt = lb.sota.posterior(
                board,
                sampler="abc-smc",
                epsilon=epsilon,
                statistic=statistic,
                draws=400,
                progressbar=False,
                **given,
            )
            near = dt["posterior"]["theta_sota"]
            apart = stats.wasserstein_distance(near.to_numpy().ravel(), exact.to_numpy().ravel())
            reached = float(dt["sample_stats"]["epsilon"].min("stage").max())
            took = time.time() - start
            row.append(
                f"W1 {apart / float(exact.std()):.3f} at {reached:.2f}, R-hat "
                f"{dt.attrs['max_rhat']:.2f}, {took:.0f} s"
            )
        print(f"{name:20}", " | ".join(row), flush=True)


if __name__ == "__main__":
    main()
