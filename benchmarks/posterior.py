"""Time the posterior of simulated boards: compile, sample, effective samples, memory.

    uv run python benchmarks/posterior.py 16x19 80x20 500x20 2000x20
    uv run python benchmarks/posterior.py 16x19 80x20 --peer PYTHON
    uv run python benchmarks/posterior.py 2000x20 --model plackett_luce --draws 500

Prints a row a board. Each board has its own process, so that its peak memory is its own; the
model is compiled (or fetched from PyTensor's cache) before the clock of sampling starts. PYTHON
is that of an environment with bayes-testkit, which is then run on the same scores:

    cd /tmp && uv venv --python 3.12 peer
    uv pip install --python peer/bin/python bayes-testkit==0.5.3 "numpy<2.4"
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PEER = Path(__file__).parent / "peers" / "bayes_testkit.py"
COLUMNS = (
    "compile_s", "sample_s", "min_ess", "ess_per_s", "max_rhat", "divergences", "peak_GB",
)  # fmt: skip


def simulate(players, rounds):
    """Scores (player, round): normal strengths, Gumbel noise."""
    import numpy as np

    rng = np.random.default_rng(players)
    return rng.normal(size=(players, 1)) + rng.gumbel(size=(players, rounds))


def measure(path, model, draws, tune, chains):
    """One board: build, compile, sample."""
    import arviz as az
    import numpy as np
    import nutpie
    import xarray as xr

    import leaderbayes as lb
    from leaderbayes._inference.nuts import adaptation

    scores = np.load(path)
    players, rounds = scores.shape
    board = xr.DataArray(
        scores,
        dims=("player", "round"),
        coords={
            "player": [f"p{i}" for i in range(players)],
            "round": list(map(str, range(rounds))),
        },
        attrs={"higher_is_better": 1},
    )
    begin = time.perf_counter()
    # Plackett-Luce needs no table of all pairs, which 10^5 players would not fit into.
    matches = lb.matches(board, pairs=model != "plackett_luce")
    compiled = nutpie.compile_pymc_model(getattr(lb.models, model)(matches))
    ready = time.perf_counter()
    dt = nutpie.sample(
        compiled,
        draws=draws,
        tune=tune,
        chains=chains,
        cores=2,
        seed=1,
        progress_bar=False,
        **adaptation(1 + players, "nutpie"),
    )
    done = time.perf_counter()
    names = ["epp", "epp_scale"]
    statistics = [az.ess(dt, var_names=names, method=method) for method in ("bulk", "tail")]
    rhat = az.rhat(dt, var_names=names)
    return {
        "compile_s": ready - begin,
        "sample_s": done - ready,
        "min_ess": min(float(x[name].min()) for x in statistics for name in names),
        "max_rhat": max(float(rhat[name].max()) for name in names),
        "divergences": int(dt["sample_stats"]["diverging"].sum()),
        "peak_GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    }


def run(command):
    """Last line of a process as JSON."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr
    row = json.loads(done.stdout.splitlines()[-1])
    return row | {"ess_per_s": row["min_ess"] / row["sample_s"]}, ""


def main():
    """Measure each board in a process of its own."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("boards", nargs="+", metavar="PLAYERSxROUNDS")
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--tune", type=int, default=1000)
    parser.add_argument("--chains", type=int, default=4)
    parser.add_argument("--model", default="bradley_terry", help="or plackett_luce")
    parser.add_argument("--peer", metavar="PYTHON", help="also run bayes-testkit by this Python")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    length = (given.draws, given.tune, given.chains)
    if given.here:
        print(json.dumps(measure(given.boards[0], given.model, *length)))
        return
    print("| board | who |", " | ".join(COLUMNS), "|")
    print("|---" * (len(COLUMNS) + 2) + "|")
    for board in given.boards:
        with tempfile.TemporaryDirectory() as folder:
            import numpy as np

            path = Path(folder) / "scores.npy"
            np.save(path, simulate(*map(int, board.split("x"))))
            options = [f"--{k}={getattr(given, k)}" for k in ("model", "draws", "tune", "chains")]
            commands = {"leaderbayes": [sys.executable, __file__, path, "--here", *options]}
            if given.peer:
                commands["bayes-testkit"] = [given.peer, PEER, path, *length]
            for who, command in commands.items():
                row, problem = run(command)
                if row is None:
                    last = problem.strip().splitlines()[-1] if problem.strip() else "killed"
                    print(f"| {board} | {who} | {last} |")
                    continue
                shown = [
                    f"{row[c]:.0f}" if c in ("min_ess", "ess_per_s", "divergences")
                    else f"{row[c]:.3f}" if c == "max_rhat" else f"{row[c]:.2f}"
                    for c in COLUMNS
                ]  # fmt: skip
                print(f"| {board} | {who} |", " | ".join(shown), "|", flush=True)


if __name__ == "__main__":
    main()
