"""How long `leaderbayes.audit` takes, and what it finds, on ten boards.

    OPENBLAS_NUM_THREADS=1 uv run --group test python benchmarks/audit.py [NAME ...]

Reads the shipped boards, and those of ../shared/reference where they are. Prints a row a board: its
size, seconds of the fit and of the audit, neighbours told apart singly and jointly, and what was
found. The first call of a machine compiles for a minute.
"""

import argparse
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import xarray as xr

import leaderbayes as lb

REFERENCE = Path(__file__).parents[2] / "shared" / "reference"


def means(scores):
    """Scores of which each tournament's mean is a round."""
    extra = [name for name in scores.coords if name not in ("player", "tournament")]
    mean = scores.mean("round").drop_vars(extra, errors="ignore").rename(tournament="round")
    return mean.transpose("player", "round")


def amlb():
    """Log losses are turned round, so that more is better throughout."""
    table = pd.read_csv(REFERENCE / "boards" / "amlb_2019_4h.csv")
    table.loc[table["type"] == "multiclass", "score"] *= -1.0
    return means(lb.read_scores(table.drop(columns="type"), higher_is_better=True))


def simulated(players=179, rounds=30):
    """A board that is larger than those that are at hand."""
    rng = np.random.default_rng(1)
    values = rng.gumbel(size=(players, rounds)) + rng.normal(size=(players, 1))
    names = {"player": [f"p{i}" for i in range(players)], "round": np.arange(rounds).astype(str)}
    return xr.DataArray(values, names, tuple(names), "score", {"higher_is_better": 1})


FOLDS = {"test_fraction": 0.2}
BOARDS = {
    "amlb": (amlb, "bradley_terry", {}),
    "tsml": (
        lambda: means(lb.read_scores(REFERENCE / "boards" / "tsml_univariate.csv.gz")),
        "bradley_terry", {},
    ),
    "bbtcomp": (
        lambda: means(lb.read_scores(REFERENCE / "boards" / "bbtcomp_ll_wide.csv")),
        "bradley_terry", {},
    ),
    "vtab": (lambda: lb.read_scores(REFERENCE / "vtab" / "scores.csv"), "bradley_terry", {}),
    "vtab by mean": (lambda: lb.read_scores(REFERENCE / "vtab" / "scores.csv"), "mean_score", {}),
    "eloml": (
        lambda: lb.read_scores(REFERENCE / "eloml" / "auc_scores.csv"), "bradley_terry", {}
    ),
    "pmra": (lambda: lb.read_scores(REFERENCE / "pmra" / "scores.csv"), "bradley_terry", {}),
    "digits": (lambda: lb.datasets.load("classifiers", "digits"), "bradley_terry", FOLDS),
    "regressors": (lambda: lb.datasets.load("regressors"), "bradley_terry", FOLDS),
    "answers": (
        lambda: lb.datasets.load("answers").rename(classifier="player", instance="round"),
        "mean_score", {},
    ),
    "simulated": (simulated, "bradley_terry", {}),
}  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help=", ".join(BOARDS))
    print(
        "| board | players x rounds | fit, s | audit, s | neighbours | singly | jointly | found |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name in parser.parse_args().names or BOARDS:
        make, model, options = BOARDS[name]
        try:
            scores = make()
        except (FileNotFoundError, lb.ScoresError):
            print(f"| {name} | not here |")
            continue
        begin = time.perf_counter()
        dt = lb.fit(scores, model, seed=1, progressbar=False, **options)
        fitted = time.perf_counter()
        asked = lb.audit(dt)
        done = time.perf_counter()
        pairs = asked["pairs"].attrs
        found = [question for question, part in asked.children.items() if part.attrs["found"]]
        print(
            f"| {name} | {scores.sizes['player']} x {scores.sizes['round']} | {fitted - begin:.1f} "
            f"| {done - fitted:.1f} | {pairs['neighbours']} | {pairs['neighbours_singly']} | "
            f"{pairs['neighbours_jointly']} | {', '.join(found)} |",
            flush=True,
        )


if __name__ == "__main__":
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lb.LeaderbayesWarning)
        main()
