"""Time maximum likelihood beside R's packages, on the same scores in one run.

    uv run python benchmarks/likelihood.py [--eloml FOLDER] [--pmra SCORES.csv]

Prints two tables: peers with ratios and the largest disagreement in any player's strength, and our
own times. lme4 takes minutes. Peers need Rscript with lme4, glmnet, data.table and BradleyTerry2
(Debian: r-cran-*); without it they are left out. FOLDER holds a checkout of ModelOriented/EloML,
timed from scores to estimates as it is used. --pmra is a board for lme4 instead of a simulated one
of 49 players and 10 rounds.

The whole command is timed warm: byte code and Numba's kernels are on disk after the first run.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

import leaderbayes as lb

PEERS = Path(__file__).parent / "peers"


def simulate(players, rounds, spread=0.7):
    """Scores (player, round): normal strengths, Gumbel noise."""
    rng = np.random.default_rng(players)
    values = spread * rng.normal(size=(players, 1)) + rng.gumbel(size=(players, rounds))
    coords = {
        "player": [f"p{i:04d}" for i in range(players)],
        "round": np.arange(rounds).astype(str),
    }
    return xr.DataArray(values, coords, ("player", "round"), "score", {"higher_is_better": 1})


def seconds(work, repeats):
    """Best of several, warm."""
    work()
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def run_r(script, scores, *arguments):
    """Results of a script on these scores."""
    with tempfile.TemporaryDirectory() as folder:
        board, out = Path(folder) / "scores.csv", Path(folder) / "out.csv"
        scores.to_series().rename("score").reset_index().to_csv(board, index=False)
        command = ["Rscript", PEERS / script, board, out, *map(str, arguments)]
        subprocess.run(command, check=True, capture_output=True)
        return pd.read_csv(out)


def disagreement(theirs, ours):
    """Largest difference of strengths, both relative to the average player."""
    theirs = theirs.set_index("player")["epp"]
    gap = theirs - theirs.mean() - ours["epp"].to_series()[theirs.index]
    return float(gap.abs().max())


def peers(board, pmra, eloml, quadrature):
    """Rows of the first table."""
    matches = lb.matches(board, ties="floor")

    def ours():
        return lb.likelihood.bradley_terry(matches, covariance="model")

    def whole():
        return lb.likelihood.bradley_terry(lb.matches(board, ties="floor"), covariance="model")

    if eloml:
        taken = seconds(whole, 20)
        for method, theirs in run_r("eloml.R", board, eloml).groupby("method", sort=False):
            apart = disagreement(theirs, ours())
            yield "EPP 80x20, from scores", method, theirs["seconds"].iloc[0], taken, apart
    taken = seconds(ours, 20)
    for method, theirs in run_r("bradley_terry.R", board).groupby("method", sort=False):
        yield (
            "Bradley-Terry 80x20",
            f"R {method}",
            theirs["seconds"].iloc[0],
            taken,
            disagreement(theirs, ours()),
        )

    def fit():
        return lb.likelihood.round_intercept(lb.matches(pmra, ties="loss"), n_quadrature=quadrature)

    taken = seconds(fit, 5)
    theirs = run_r("pmra.R", pmra, quadrature)
    size = f"{pmra.sizes['player']}x{pmra.sizes['round']}"
    name = f"PMRA {size}, {quadrature} nodes"
    yield name, "R lme4::glmer", theirs["seconds"].iloc[0], taken, disagreement(theirs, fit())


def own(board, pmra):
    """Rows of the second table."""
    matches, large = lb.matches(board), lb.matches(simulate(2000, 20))
    ml = lb.likelihood
    yield (
        "Bradley-Terry 80x20, scores to covariance",
        seconds(lambda: ml.bradley_terry(lb.matches(board)), 20),
    )
    yield (
        "Bradley-Terry 2000x20, matches to covariance",
        seconds(lambda: ml.bradley_terry(large), 1),
    )
    yield "Plackett-Luce 80x20", seconds(lambda: ml.plackett_luce(matches), 5)
    yield "1000 bootstraps of rounds, 80x20", seconds(lambda: ml.bootstrap(matches, seed=0), 1)
    yield "best_test, ten sizes of 1000, 80x20", seconds(lambda: ml.best_test(matches, seed=0), 1)
    for method in ("heuristic", "accelerated", "rigorous"):
        yield (
            f"PMRA, {method} elimination",
            seconds(lambda m=method: ml.eliminate(lb.matches(pmra, ties="loss"), method=m), 1),
        )


def command(board):
    """Rows of the second table: the whole command, a process of its own."""
    # Where the environment forbids byte code, every run compiles pandas and Numba from source.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scores.csv"
        board.to_series().reset_index().to_csv(file, index=False)
        for options in (
            "--model bradley_terry",
            "--model plackett_luce",
            "--model round_intercept --eliminate accelerated",
        ):
            words = f"-m leaderbayes rank {file} --ml {options}".split()

            def run(words=words):
                subprocess.run(
                    [sys.executable, *words], check=True, capture_output=True, env=environment
                )

            yield f"`rank --ml {options}` 80x20, the whole command", seconds(run, 5)


def main():
    """Parse, run, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quadrature", type=int, default=10, help="nodes; lme4's nAGQ")
    parser.add_argument("--eloml", type=Path, metavar="FOLDER")
    parser.add_argument("--pmra", type=Path, metavar="SCORES.csv")
    given = parser.parse_args()
    board, pmra = simulate(80, 20), simulate(49, 10)
    if given.pmra:
        pmra = lb.read_scores(given.pmra, player="player", round="round", score="score")
    if shutil.which("Rscript"):
        print("| case | peer | peer s | ours s | ratio | disagreement |\n|---|---|---|---|---|---|")
        for case, peer, theirs, ours, apart in peers(board, pmra, given.eloml, given.quadrature):
            print(
                f"| {case} | {peer} | {theirs:.3f} | {ours:.4f} | {theirs / ours:.0f} "
                f"| {apart:.1e} |"
            )
        print()
    else:
        print("Rscript is not here: no peers.\n")
    print("| ours | s |\n|---|---|")
    for case, taken in chain(own(board, pmra), command(board)):
        print(f"| {case} | {taken:.4f} |", flush=True)


if __name__ == "__main__":
    main()
