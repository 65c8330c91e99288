"""What `leaderbayes audit FILE` takes, and what it finds, on ten boards and a larger one.

    OPENBLAS_NUM_THREADS=1 uv run python benchmarks/audit.py [NAME ...]

Runs the command, as a user does, on the shipped boards and on those of ../shared/reference where
they are. Prints a row a board: its size, CPU and wall seconds and memory of the whole process,
neighbours told apart singly and jointly, and what was found. Run it twice: the first call of a
machine compiles for a minute.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

REFERENCE = Path(__file__).parents[2] / "shared" / "reference"
SHIPPED = Path(__file__).parents[1] / "src" / "leaderbayes" / "data"


def amlb(folder):
    """Turn log losses round, so that more is better throughout."""
    table = pd.read_csv(REFERENCE / "boards" / "amlb_2019_4h.csv")
    table.loc[table["type"] == "multiclass", "score"] *= -1.0
    table.drop(columns="type").to_csv(folder / "amlb.csv", index=False)
    return folder / "amlb.csv"


def simulated(folder, players=179, rounds=30):
    """Make a board that is larger than those that are at hand."""
    rng = np.random.default_rng(1)
    values = rng.gumbel(size=(players, rounds)) + rng.normal(size=(players, 1))
    table = pd.DataFrame(
        values, [f"p{i}" for i in range(players)], [f"r{k}" for k in range(rounds)]
    )
    long = table.rename_axis("player").reset_index().melt("player", var_name="round")
    long.rename(columns={"value": "score"}).to_csv(folder / "simulated.csv", index=False)
    return folder / "simulated.csv"


def tournaments(folder, count=142, players=30, rounds=10):
    """Make many boards, all of one fit: NUTS takes nearly all of the time, and not the audit."""
    rng = np.random.default_rng(3)
    strengths = rng.normal(size=players)
    boards = {}
    for t in range(count):
        own = strengths + 0.5 * rng.normal(size=players)
        values = own + rng.gumbel(size=(rounds, players))
        boards[f"data {t}"] = pd.DataFrame(values).rename_axis("round")
    table = pd.concat(boards, names=["tournament"]).rename(columns=lambda i: f"p{i}")
    long = table.reset_index().melt(["tournament", "round"], var_name="player", value_name="score")
    long.to_csv(folder / "tournaments.csv", index=False)
    return folder / "tournaments.csv"


FOLDS = ["--test-fraction", "0.2"]
BOARDS = {
    "amlb": (amlb, ["--means", "--higher-is-better"]),
    "tsml": (REFERENCE / "boards" / "tsml_univariate.csv.gz", ["--means"]),
    "bbtcomp": (REFERENCE / "boards" / "bbtcomp_ll_wide.csv", ["--means"]),
    "vtab": (REFERENCE / "vtab" / "scores.csv", []),
    "vtab by mean": (REFERENCE / "vtab" / "scores.csv", ["--model", "mean_score"]),
    "eloml": (REFERENCE / "eloml" / "auc_scores.csv", []),
    "pmra": (REFERENCE / "pmra" / "scores.csv", []),
    "digits": (SHIPPED / "classifiers.csv", ["--only", "digits", *FOLDS]),
    "regressors": (SHIPPED / "regressors.csv", ["--lower-is-better", *FOLDS]),
    "answers": (SHIPPED / "answers.csv.gz", ["--model", "mean_score"]),
    "simulated": (simulated, []),
    "tournaments": (tournaments, ["--model", "tournaments"]),
}


def audit(path, options):
    """Give what the command prints, its CPU and wall seconds, and its peak memory in MB."""
    command = [sys.executable, "-m", "leaderbayes", "audit", str(path), *options]
    begin = time.perf_counter()
    with subprocess.Popen(
        [*command, "--seed", "1", "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as running:
        printed = running.stdout.read()
        # Of this process alone, which getrusage does not give.
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    if not printed:
        raise SystemExit(f"{' '.join(command)}: exit status {running.returncode}")
    wall = time.perf_counter() - begin
    return json.loads(printed), used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1e3


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=", ".join(BOARDS))
    print("| board | size | CPU, s | wall, s | MB | neighbours | singly | jointly | found |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in parser.parse_args().names or BOARDS:
            board, options = BOARDS[name]
            try:
                path = board(Path(folder)) if callable(board) else board.resolve(strict=True)
            except FileNotFoundError:
                print(f"| {name} | not here |")
                continue
            result, cpu, wall, peak = audit(path, options)
            pairs = result["questions"]["pairs"]
            size = " x ".join(f"{n}" for n in result["read"]["sizes"].values())
            cells = (
                name, size, f"{cpu:.1f}", f"{wall:.1f}", f"{peak:.0f}", pairs["neighbours"],
                pairs["neighbours_singly"], pairs["neighbours_jointly"], ", ".join(result["found"]),
            )  # fmt: skip
            print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main()
