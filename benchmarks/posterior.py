"""Time the posterior of simulated boards: compile, sample, effective samples, memory.

    uv run python benchmarks/posterior.py 16x19 80x20 500x20 2000x20

Prints a row a board. Each board has its own process, so that its peak memory is its own; the
model is compiled (or fetched from PyTensor's cache) before the clock of sampling starts.
"""

import argparse
import json
import resource
import subprocess
import sys
import time


def measure(players, rounds, draws, tune, chains):
    """One board: build, compile, sample."""
    import arviz as az
    import numpy as np
    import nutpie
    import xarray as xr

    import leaderbayes as lb
    from leaderbayes._fit import _adaptation

    rng = np.random.default_rng(players)
    scores = rng.normal(size=(players, 1)) + rng.gumbel(size=(players, rounds))
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
    model = lb.models.bradley_terry(lb.matches(board))
    built = time.perf_counter()
    compiled = nutpie.compile_pymc_model(model)
    ready = time.perf_counter()
    options = _adaptation("nutpie", players)["nuts"]
    dt = nutpie.sample(
        compiled,
        draws=draws,
        tune=tune,
        chains=chains,
        cores=2,
        seed=1,
        progress_bar=False,
        **options,
    )
    done = time.perf_counter()
    bulk = az.ess(dt, var_names=["epp", "epp_scale"])
    tail = az.ess(dt, var_names=["epp", "epp_scale"], method="tail")
    rhat = az.rhat(dt, var_names=["epp", "epp_scale"])
    ess = min(float(x[name].min()) for x in (bulk, tail) for name in ("epp", "epp_scale"))
    return {
        "board": f"{players}x{rounds}",
        "build_s": built - begin,
        "compile_s": ready - built,
        "sample_s": done - ready,
        "min_ess": ess,
        "ess_per_s": ess / (done - ready),
        "max_rhat": max(float(rhat[name].max()) for name in ("epp", "epp_scale")),
        "divergences": int(dt["sample_stats"]["diverging"].sum()),
        "peak_GB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6,
    }


def main():
    """Measure each board in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("boards", nargs="+", metavar="PLAYERSxROUNDS")
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--tune", type=int, default=1000)
    parser.add_argument("--chains", type=int, default=4)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    for board in given.boards:
        players, rounds = map(int, board.split("x"))
        if given.here:
            print(json.dumps(measure(players, rounds, given.draws, given.tune, given.chains)))
            continue
        options = [f"--{k}={getattr(given, k)}" for k in ("draws", "tune", "chains")]
        done = subprocess.run(
            [sys.executable, __file__, board, "--here", *options], capture_output=True, text=True
        )
        if done.returncode:
            sys.exit(done.stderr)
        row = json.loads(done.stdout.splitlines()[-1])
        print(
            "  ".join(
                f"{k} {v if isinstance(v, (str, int)) else round(v, 3)}" for k, v in row.items()
            )
        )


if __name__ == "__main__":
    main()
