"""Time the estimates of a board's best theta on a board of the size of Obesity Risk.

    uv run python benchmarks/sota.py [BOARD.csv] [--only WORD]

Prints a table. BOARD.csv has 13840 instances and 7 classes (shared/reference/sota/
obesity_risk_private.csv); without it a board of 3556 teams is drawn. Each is timed once, in a
process that has imported everything; Numba's kernels are on disk after the first run.
"""

import argparse
import os
import time
import warnings
from functools import partial
from pathlib import Path

import numpy as np
from scipy import stats

import leaderbayes as lb

N = 13840


def simulate():
    """A board of as many teams, most of them nearly as good as the best."""
    rng = np.random.default_rng(0)
    theta = rng.beta(0.9 * 2500, 0.1 * 2500, 3556)
    return lb.sota.read_board(rng.binomial(N, theta) / N, n=N, classes=7)


def cases(board):
    """Names, and what is timed."""
    given = {"rho": 0.6}
    yield "shrink", partial(lb.sota.shrink, board, **given)
    yield "crop", partial(lb.sota.shrink, board, rule="crop", **given)
    exact = partial(lb.sota.posterior, board, seed=1, **given)
    yield "exact, empirical, 4 x 250 draws", partial(exact, law="empirical")
    yield "exact, beta above 0.85, 4 x 250 draws", partial(exact, law="beta", floor=0.85)
    smc = partial(exact, sampler="abc-smc", draws=1000, chains=2, progressbar=False)
    known = stats.beta(0.9025 * 2500, 0.0975 * 2500)
    yield (
        "abc-smc, known law, maximum, 2 x 1000 draws",
        partial(smc, law=known, statistic="maximum"),
    )
    yield "abc-smc, empirical, 2 x 1000 draws", partial(smc, law="empirical")
    yield "abc-smc, beta above 0.85, 2 x 1000 draws", partial(smc, law="beta", floor=0.85)


def main():
    """Parse, run, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("board", type=Path, nargs="?", metavar="BOARD.csv")
    parser.add_argument("--only", default="", metavar="WORD", help="cases with this in their name")
    given = parser.parse_args()
    warnings.simplefilter("ignore", lb.LeaderbayesWarning)
    board = lb.sota.read_board(given.board, n=N, classes=7) if given.board else simulate()
    # Imports and kernels from disk are not timed.
    lb.sota.posterior(board[:50], draws=50, rho=0.6, seed=1)
    print("| case | s | processor s | theta_SOTA | converged | load before |\n" + "|---" * 6 + "|")
    for name, work in cases(board):
        if given.only not in name:
            continue
        load, start, used = os.getloadavg()[0], time.perf_counter(), sum(os.times()[:4])
        estimate = work()
        taken, used = time.perf_counter() - start, sum(os.times()[:4]) - used
        best = estimate if "theta_sota" in estimate else lb.sota.summary(estimate)
        converged = estimate.attrs.get("converged", "")
        print(
            f"| {name} | {taken:.1f} | {used:.1f} | {float(best['theta_sota']):.4f} | {converged} "
            f"| {load:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
