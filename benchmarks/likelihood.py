"""Time maximum likelihood beside R's packages, on the same scores in one run.

    uv run python benchmarks/likelihood.py [--eloml FOLDER] [--pmra SCORES.csv]

Prints peers with ratios and the largest disagreement in any player's strength; run.py has our
own times. lme4 takes minutes. Peers need Rscript with lme4, glmnet, data.table and BradleyTerry2
(Debian: r-cran-*). FOLDER holds a checkout of ModelOriented/EloML,
timed from scores to estimates as it is used. --pmra is a board for lme4 instead of a simulated one
of 49 players and 10 rounds.
"""

import argparse
import shutil
import subprocess
import tempfile
import time
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
    names = [f"p{i:04d}" for i in range(players)]
    coords = {"player": names, "round": np.arange(rounds).astype(str)}
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
        return dict(pd.read_csv(out))


def disagreement(theirs, ours):
    """Largest difference of strengths, both relative to the average player."""
    theirs = theirs.set_index("player")["epp"]
    gap = theirs - theirs.mean() - ours["epp"].to_series()[theirs.index]
    return float(gap.abs().max())


def peers(board, pmra, eloml, quadrature):
    """Rows of the table."""
    matches = lb.matches(board, ties="floor")

    def ours():
        return lb.likelihood.bradley_terry(matches, covariance="model")

    def whole():
        return lb.likelihood.bradley_terry(lb.matches(board, ties="floor"), covariance="model")

    def fit():
        return lb.likelihood.round_intercept(lb.matches(pmra, ties="loss"), n_quadrature=quadrature)

    size = f"{pmra.sizes['player']}x{pmra.sizes['round']}"
    for case, tool, work, repeats, script, *given in (
        *([("EPP 80x20, from scores", "", whole, 20, "eloml.R", board, eloml)] if eloml else []),
        ("Bradley-Terry 80x20", "R ", ours, 20, "bradley_terry.R", board),
        (f"PMRA {size}, {quadrature} nodes", "R ", fit, 5, "pmra.R", pmra, quadrature),
    ):
        taken, found = seconds(work, repeats), {"method": "lme4::glmer"} | run_r(script, *given)
        for method, theirs in pd.DataFrame(found).groupby("method", sort=False):
            apart = disagreement(theirs, work())
            yield case, f"{tool}{method}", theirs["seconds"].iloc[0], taken, apart


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
            numbers = f"{theirs:.3f} | {ours:.4f} | {theirs / ours:.0f} | {apart:.1e}"
            print(f"| {case} | {peer} | {numbers} |")
    else:
        print("Rscript is not here: no peers.")


if __name__ == "__main__":
    main()
