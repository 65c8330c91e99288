"""Time studies of many tournaments, and how they scale.

    OPENBLAS_NUM_THREADS=1 uv run --group evidence python benchmarks/tournaments.py \
        [--scores SCORES.csv] [--memento] [--nuts] [--scaling FIGURE.png] [--workers 2]

--scores fits every tournament of a table as by default, and with --nuts by NUTS; --memento a
simulated study of MementoML's size, 30 data sets of 2000 players and 20 splits; --scaling draws
times against players, rounds, tournaments and workers, with the exponents of power laws through
them. Prints Markdown tables. With several workers, one BLAS thread each is fastest.
"""

import argparse
import os
import resource
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import xarray as xr

import leaderbayes as lb


def simulate(tournaments, players, rounds, seed=1):
    """Scores of players whose strengths differ between tournaments, as settings of algorithms."""
    rng = np.random.default_rng(seed)
    algorithm = np.arange(players) % 5
    epp = (
        rng.normal(scale=1.0, size=(tournaments, 5))[:, algorithm]
        + rng.normal(scale=0.7, size=players)
        + rng.normal(scale=0.5, size=(tournaments, players))
    )
    values = epp[..., None] + rng.gumbel(size=(tournaments, players, rounds))
    coords = {
        "tournament": [f"t{t:03d}" for t in range(tournaments)],
        "player": [f"p{i:04d}" for i in range(players)],
        "round": np.arange(rounds).astype(str),
    }
    return xr.DataArray(values, coords, tuple(coords), "score", {"higher_is_better": 1})


def study(scores, workers, **options):
    """Seconds to fit and to open a study, its size on disk in MB, and how many converged."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "study"
        start = time.perf_counter()
        with ProcessPoolExecutor(workers) as executor:
            lb.study.fit(
                scores, store=store, executor=executor, seed=1, progressbar=False, **options
            )
        fitted = time.perf_counter() - start
        start = time.perf_counter()
        study = lb.study.open(store)
        opened = time.perf_counter() - start
        size = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
        good = sum(int(child.attrs["converged"]) for child in study.children.values())
        return fitted, opened, size / 1e6, good


def row(name, scores, workers, **options):
    """Print a row of the table of studies."""
    fitted, opened, size, good = study(scores, workers, **options)
    # The largest process, times how many there are: an upper bound of what they held at once.
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e6
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    sizes = " x ".join(str(scores.sizes[d]) for d in ("tournament", "player", "round"))
    print(
        f"| {name} | {sizes} | {fitted:.1f} | {opened:.1f} | {size:.0f} | "
        f"{own + workers * most:.2f} | {good} |",
        flush=True,
    )


def exponent(x, seconds):
    """Slope of log seconds on log x, over the larger half, where what is fixed counts for less."""
    half = len(x) // 2 if len(x) > 3 else 0
    return float(np.polyfit(np.log(x[half:]), np.log(seconds[half:]), 1)[0])


def scaling(figure, workers):
    """Draw and print times against each size; returns nothing."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    curves = {
        "players": ((25, 50, 100, 200, 400, 800, 1600), lambda m: (1, m, 20, 1)),
        "rounds": ((5, 10, 20, 40, 80, 160, 320), lambda r: (1, 100, r, 1)),
        "tournaments": ((4, 8, 16, 32, 64, 128), lambda t: (t, 40, 30, workers)),
        "workers": (tuple(range(1, workers + 1)), lambda w: (64, 40, 30, w)),
    }
    _, axes = plt.subplots(1, len(curves), figsize=(14, 3.5), layout="constrained")
    print("\n| against | seconds | exponent |\n|---|---|---|")
    for ax, (name, (sizes, shape)) in zip(axes, curves.items(), strict=True):
        seconds = []
        for size in sizes:
            tournaments, players, rounds, w = shape(size)
            scores = simulate(tournaments, players, rounds)
            if tournaments == 1:
                board = scores.isel(tournament=0, drop=True)
                taken = []
                for _ in range(3):
                    start = time.perf_counter()
                    lb.fit(board, draws=250, replicates=200, seed=1)
                    taken.append(time.perf_counter() - start)
                seconds.append(min(taken))
            else:
                seconds.append(study(scores, w)[0])
        slope = exponent(np.array(sizes), np.array(seconds))
        told = ", ".join(f"{x}: {s:.2f}" for x, s in zip(sizes, seconds, strict=True))
        print(f"| {name} | {told} | {slope:.2f} |", flush=True)
        ax.loglog(sizes, seconds, "o-")
        ax.set(xlabel=name, ylabel="seconds", title=f"exponent {slope:.2f}")
    plt.savefig(figure, dpi=120)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scores")
    parser.add_argument("--nuts", action="store_true")
    parser.add_argument("--memento", action="store_true")
    parser.add_argument("--scaling", metavar="FIGURE")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    given = parser.parse_args()
    warnings.simplefilter("ignore", lb.LeaderbayesWarning)
    # Numba's kernels are compiled once, as they are on a machine that has fitted anything before.
    lb.fit(simulate(1, 5, 5).isel(tournament=0, drop=True), seed=1)
    print("| study | size | fit s | open s | disk MB | memory GB | converged |")
    print("|---|---|---|---|---|---|---|")
    if given.scores:
        scores = lb.read_scores(given.scores)
        row("auto", scores, given.workers)
        if given.nuts:
            row("NUTS", scores, given.workers, sampler="nutpie")
    if given.memento:
        row("auto", simulate(30, 2000, 20), given.workers)
    if given.scaling:
        scaling(given.scaling, given.workers)


if __name__ == "__main__":
    main()
