"""What users wait for: CPU seconds and memory of whole calls, beside a peer where there is one.

    uv run --all-extras --with choix python benchmarks/waits.py [ROW ...]

Prints a Markdown table. Each row runs in a process of its own, which has made the same call on a
small board before; the command `rank` is a process by itself, after one that has filled the caches.
Memory is the largest that its process held while it worked (Linux), not while boards were made.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
TABLE = Path(__file__).parents[1] / "src" / "leaderbayes" / "data" / "classifiers.csv"


def board(players, rounds):
    """Scores (player, round): normal strengths, Gumbel noise."""
    import numpy as np
    import xarray as xr

    rng = np.random.default_rng(players)
    coords = {
        "player": [f"p{i}" for i in range(players)],
        "round": [f"r{k}" for k in range(rounds)],
    }
    values = rng.normal(size=(players, 1)) + rng.gumbel(size=(players, rounds))
    return xr.DataArray(values, coords, ("player", "round"), "score", {"higher_is_better": 1})


def fitted(players, rounds, **options):
    """A fit, and how well its draws mix."""
    import leaderbayes as lb

    return lb.fit(board(players, rounds), seed=1, progressbar=False, **options)


def prepared(take, players, rounds, **options) -> Callable[[], object]:
    """What is timed: a function of a fit that is made before."""
    take(fitted(5, 5))  # whatever is loaded once
    made = fitted(players, rounds, **options)
    return lambda: take(made)


def tied():
    """Davidson's model, of scores that are rounded."""
    import leaderbayes as lb

    scores = board(80, 20).round()
    return lambda: lb.fit(scores, "davidson", seed=1, progressbar=False)


def nuts_of_another_shape():
    """A second fit by NUTS, of few draws: what it costs before it samples."""
    fitted(16, 20, sampler="nutpie", draws=1, chains=1)
    return lambda: fitted(17, 21, sampler="nutpie", draws=1, chains=1)


def study():
    """142 data sets of 40 players and 30 rounds in one process."""
    import xarray as xr

    import leaderbayes as lb

    boards = [board(40, 30) + k for k in range(142)]
    names = xr.DataArray([f"data {k}" for k in range(142)], dims="tournament", name="tournament")
    scores = xr.concat(boards, names).assign_attrs(higher_is_better=1)
    folder = tempfile.mkdtemp()
    return lambda: lb.study.fit(scores, store=f"{folder}/study", seed=1, progressbar=False)


def bradley_terry():
    import leaderbayes as lb

    matches = lb.matches(board(80, 20))
    return lambda: lb.likelihood.bradley_terry(matches)


def bradley_terry_alone():
    """The estimate, without errors."""
    import leaderbayes as lb

    matches = lb.matches(board(80, 20))
    return lambda: lb.likelihood.bradley_terry(matches, covariance="none")


def choix_dense():
    """The estimate alone, without errors."""
    import choix

    import leaderbayes as lb

    wins = lb.matches(board(80, 20))["wins"].to_numpy()
    return lambda: choix.ilsr_pairwise_dense(wins, alpha=0.01)


def plackett_luce(players, rounds):
    import leaderbayes as lb

    matches = lb.matches(board(players, rounds), pairs=False)
    # Of one round, which has a first and a last, there is an estimate by a pseudo-round only.
    pseudo = 0.0 if rounds > 1 else 1.0
    return lambda: lb.likelihood.plackett_luce(matches, covariance="none", pseudo_rounds=pseudo)


def page():
    import leaderbayes as lb

    made = fitted(40, 20)
    path = Path(tempfile.mkdtemp()) / "page.html"
    return lambda: lb.report.html(made, path)


def page_of_study(boards):
    """A page of a study in its store, of 40 players and 30 rounds a board."""
    import xarray as xr

    import leaderbayes as lb

    names = xr.DataArray([f"data {k}" for k in range(boards)], dims="tournament", name="tournament")
    scores = xr.concat([board(40, 30) + k for k in range(boards)], names)
    folder = Path(tempfile.mkdtemp())
    lb.study.fit(
        scores.assign_attrs(higher_is_better=1), store=folder / "study", seed=1, progressbar=False
    )
    lb.report.html(fitted(5, 5), folder / "first.html")
    return lambda: lb.report.html(lb.study.open(folder / "study"), folder / "page.html")


def items(players, rounds):
    """Right-or-wrong answers in a wide CSV file, from there to the leaderboard."""
    import numpy as np
    import pandas as pd

    import leaderbayes as lb

    rng = np.random.default_rng(players)
    odds = 1.0 + 0.5 * rng.normal(size=players) + 1.5 * rng.normal(size=(rounds, 1))
    right = rng.random((rounds, players)) < 1.0 / (1.0 + np.exp(-odds))
    names = [f"p{i}" for i in range(players)]
    path = Path(tempfile.mkdtemp()) / "items.csv"
    pd.DataFrame(right.astype(int), columns=names).rename_axis("item").to_csv(path)
    return lambda: lb.leaderboard(lb.fit(lb.read_scores(path), "mean_score", seed=1))


def long_table(players, rounds):
    """A long CSV file of normal scores of four decimals."""
    import numpy as np
    import pandas as pd

    scores = np.random.default_rng(players).normal(size=players * rounds).round(4)
    columns = {
        "model": np.repeat([f"m{i}" for i in range(players)], rounds),
        "fold": np.tile(np.arange(rounds), players),
        "score": scores,
    }
    path = Path(tempfile.mkdtemp()) / "scores.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    return path


def reading(players, rounds):
    import leaderbayes as lb

    path = long_table(players, rounds)
    return lambda: lb.read_scores(path)


def pandas_reading(players, rounds):
    """What its columns are, without a look at what they hold."""
    import pandas as pd

    path = long_table(players, rounds)
    return lambda: pd.read_csv(path)


def functions():
    """Rows by their names: what makes what is timed, and the target in CPU seconds."""
    import leaderbayes as lb

    return {
        "fit 16 x 20": (lambda: lambda: fitted(16, 20), 0.05),
        "fit 80 x 20": (lambda: lambda: fitted(80, 20), 0.1),
        "fit 500 x 20": (lambda: lambda: fitted(500, 20), 2.0),
        "fit 2000 x 20": (lambda: lambda: fitted(2000, 20, draws=250), 60.0),
        "second NUTS fit of another shape": (nuts_of_another_shape, 0.2),
        "fit 80 x 20 by Davidson's model, a sixth of matches tied": (tied, None),
        "fit 12 x 20 by PMRA": (lambda: lambda: fitted(12, 20, model="round_intercept"), None),
        "study 142 x 40 x 30": (study, 8.0),
        "loo 500 x 20": (lambda: prepared(lb.loo, 500, 20), 1.0),
        "loo 100 x 1000": (lambda: prepared(lb.loo, 100, 1000, replicates=50), 5.0),
        "win_probability, 500 players": (lambda: prepared(lb.win_probability, 500, 20), 2.0),
        "Bradley-Terry ML 80 x 20, with covariance": (bradley_terry, 0.002),
        "Bradley-Terry ML 80 x 20, the estimate alone": (bradley_terry_alone, None),
        "peer: choix, dense spectral, 80 x 20": (choix_dense, None),
        "Plackett-Luce ML 10000 x 10": (lambda: plackett_luce(10_000, 10), 5.0),
        "Plackett-Luce ML 100000 x 1": (lambda: plackett_luce(100_000, 1), 20.0),
        "mean scores of 150 x 500 items, from the file": (lambda: items(150, 500), 2.0),
        "mean scores of 100 x 14000 items, from the file": (lambda: items(100, 14_000), 10.0),
        "read 1000 x 1000 scores": (lambda: reading(1000, 1000), 0.09),
        "read 1000 x 10000 scores": (lambda: reading(1000, 10_000), 0.91),
        "peer: pandas.read_csv of 1000 x 10000 scores": (
            lambda: pandas_reading(1000, 10_000),
            None,
        ),
        "HTML page of 40 players": (page, 2.0),
        "HTML page of a study of 63 x 40 x 30": (lambda: page_of_study(63), 6.0),
    }


RANK = "rank on README's board, whole process"


def measure(row):
    """Print what one row takes, as JSON; short ones are the best of several."""
    import warnings

    warnings.simplefilter("ignore")
    if row not in (known := functions()):
        raise SystemExit(f"no row {row!r}; there are: {', '.join([RANK, *known])}")
    make, target = known[row]
    fitted(5, 5)
    work = make()
    best = None
    # From here on: of the memory that was taken before only what is still held counts.
    Path("/proc/self/clear_refs").write_text("5")
    for _ in range(5):
        begin, cpu = time.perf_counter(), time.process_time()
        found = work()
        taken = time.process_time() - cpu, time.perf_counter() - begin
        best = min(best or taken, taken)
        # A second loo would find the log-likelihood made.
        if taken[1] > 2.0 or row.startswith(("study", "loo")):
            break
    status = Path("/proc/self/status").read_text()
    peak = int(status.partition("VmHWM:")[2].split()[0]) / 1e6
    ess = found.attrs["min_ess"] if row.startswith("fit") else None
    print(json.dumps([*best, peak, target, ess]))


def rank():
    """CPU and wall seconds of the command, the second time."""
    command = [
        sys.executable, "-m", "leaderbayes", "rank", str(TABLE), "--only", "breast_cancer",
        "--test-fraction", "0.2",
    ]  # fmt: skip
    for _ in range(3):
        begin = time.perf_counter()
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as running:
            # Of this process alone: getrusage has the largest of all that ever ran.
            _, status, used = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(status)
        if running.returncode:
            raise SystemExit(f"{' '.join(command)}: exit status {running.returncode}")
        wall = time.perf_counter() - begin
    return [used.ru_utime + used.ru_stime, wall, used.ru_maxrss / 1e6, 1.5, None]


def main(rows):
    print("| work | CPU s | wall s | to reach, CPU s | peak GB | min ESS |")
    print("|---|---|---|---|---|---|")
    for row in rows:
        if row == RANK:
            found = rank()
        else:
            command = [sys.executable, __file__, "--measure", row]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                print(f"| {row} | {done.stderr.strip().splitlines()[-1]} | | | | |", flush=True)
                continue
            found = json.loads(done.stdout.splitlines()[-1])
        cpu, wall, peak, target, ess = found
        cells = (row, f"{cpu:.3g}", f"{wall:.3g}", target or "", f"{peak:.2f}", int(ess or 0) or "")
        print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        measure(sys.argv[2])
    else:
        main(sys.argv[1:] or [RANK, *functions()])
