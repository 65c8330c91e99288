"""Time matches within and across rounds, and their peak memory above the scores'.

uv run python benchmarks/matches.py 80x20 500x20 2000x20
"""

import sys
import time
import tracemalloc

import numpy as np
import xarray as xr

import leaderbayes as lb

REPEATS = 5


def main():
    """Print a row a board: best of REPEATS, and NumPy's peak allocation."""
    print("| board | within rounds s | across rounds s | within MB | across MB |")
    print("|---|---|---|---|---|")
    for board in sys.argv[1:]:
        players, rounds = map(int, board.split("x"))
        scores = xr.DataArray(
            np.random.default_rng(0).normal(size=(players, rounds)),
            dims=("player", "round"),
            coords={"player": [f"p{i}" for i in range(players)], "round": range(rounds)},
        )
        cells = []
        for within in (True, False):
            lb.matches(scores, within_round=within)  # Numba compiles, or loads its cache
            seconds = []
            for _ in range(REPEATS):
                begin = time.perf_counter()
                lb.matches(scores, within_round=within)
                seconds.append(time.perf_counter() - begin)
            cells.append(f"{min(seconds):.3f}")
        for within in (True, False):
            tracemalloc.start()
            lb.matches(scores, within_round=within)
            cells.append(f"{tracemalloc.get_traced_memory()[1] / 1e6:.0f}")
            tracemalloc.stop()
        print(f"| {board} |", " | ".join(cells), "|", flush=True)


if __name__ == "__main__":
    main()
