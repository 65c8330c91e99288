"""Coverage of the best theta where n is known to a factor of 4 only.

    uv run python benchmarks/unknown_n.py [BOARDS]

Boards of 80 teams from the populations of models/populations.py, on test sets of 2000, 4000 and
8000 instances, printed with 3 digits, of which any of these is possible. Read with n between 2000
and 8000, and with n known: how many of nominal 95 % intervals hold the largest theta, how wide they
are, and how far off the estimates.
"""

import sys
import warnings
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "models"))

import leaderbayes as lb
from populations import POPULATIONS, scores

TEAMS, SIZES = 80, (2000, 4000, 8000)


def board(population: str, n: int, number: int) -> list[tuple[float, float, float]]:
    """Covered, width and error of one board: n unknown, and known."""
    rng = np.random.default_rng([list(POPULATIONS).index(population), n, number])
    theta = np.clip(POPULATIONS[population](TEAMS, rng), 0.01, 0.999)
    printed = np.round(scores(theta, n, 0.0, rng), 3)
    found = []
    for given in ((SIZES[0], SIZES[-1]), n):
        read = lb.sota.read_board(printed, n=given, chance=0.0)
        best = lb.sota.summary(lb.sota.posterior(read, draws=100, seed=number, workers=1))
        low, high = float(best["theta_sota_lower"]), float(best["theta_sota_upper"])
        off = float(best["theta_sota"]) - theta.max()
        found.append((float(low <= theta.max() <= high), high - low, off))
    return found


def main() -> None:
    """Print a row for each population and n."""
    warnings.simplefilter("ignore")
    boards = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    print(f"{'population':18}{'n':>6}  n unknown: covered, width, rmse   n known: the same")
    for population in POPULATIONS:
        for n in SIZES:
            made = np.array([board(population, n, k) for k in range(boards)])
            covered, width = made[..., 0].mean(axis=0), made[..., 1].mean(axis=0)
            error = np.sqrt((made[..., 2] ** 2).mean(axis=0))
            rows = [
                f"{c:.3f} {w:.4f} {e:.4f}" for c, w, e in zip(covered, width, error, strict=True)
            ]
            print(f"{population:18}{n:6d}  {rows[0]:>31}   {rows[1]}", flush=True)


if __name__ == "__main__":
    main()
