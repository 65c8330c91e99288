"""Coverage of the best theta where each team showed the best of many variants.

    uv run python benchmarks/variants.py [BOARDS]

Boards of 60 teams from populations of models/populations.py on 1000 instances. All tried 27
variants, and the posterior is told of none, of 27, or that it was between 1 and 54; or each tried
between 1 and 50, and it is told of none, or so. How many of nominal 95 % intervals hold the largest
theta, how wide they are, and how far off the estimates. A minute of CPU for each board.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
from scipy.stats import randint

sys.path.insert(0, str(Path(__file__).parents[1] / "models"))

import leaderbayes as lb
from populations import POPULATIONS

TEAMS, N = 60, 1000
KINDS = ("Beta, wide", "edge and tail", "equal")
# How many were tried, and what the posterior is told.
CASES = {
    "27": (randint(27, 28), (1, 27, randint(1, 55))),
    "1 to 50": (randint(1, 51), (1, randint(1, 51))),
}


def board(kind: str, tried: str, number: int) -> list[tuple[float, float, float]]:
    """Covered, width and error of one board, by what is told."""
    law, told = CASES[tried]
    rng = np.random.default_rng([KINDS.index(kind), list(CASES).index(tried), number])
    theta = np.clip(POPULATIONS[kind](TEAMS, rng), 0.01, 0.999)
    variants = law.rvs(TEAMS, random_state=rng)
    right = [rng.binomial(N, t, k).max() for t, k in zip(theta, variants, strict=True)]
    read = lb.sota.read_board(np.array(right) / N, n=N, chance=0.0)
    found = []
    for of in told:
        dt = lb.sota.posterior(read, variants=of, draws=100, seed=number, workers=1)
        best = lb.sota.summary(dt)
        low, high = float(best["theta_sota_lower"]), float(best["theta_sota_upper"])
        off = float(best["theta_sota"]) - theta.max()
        found.append((float(low <= theta.max() <= high), high - low, off))
    return found


def main() -> None:
    """Print a row for each population, what was tried and what is told."""
    warnings.simplefilter("ignore", lb.LeaderbayesWarning)
    boards = int(sys.argv[1]) if len(sys.argv) > 1 else 30
    print("| population | tried | told | covered | width | rmse |\n|---|---|---|---|---|---|")
    for kind in KINDS:
        for tried, (_, told) in CASES.items():
            made = np.array([board(kind, tried, k) for k in range(boards)])
            for of, row in zip(told, made.transpose(1, 2, 0), strict=True):
                ends = of if isinstance(of, int) else f"{of.support()[0]}-{of.support()[1]}"
                error = np.sqrt((row[2] ** 2).mean())
                numbers = f"{row[0].mean():.3f} | {row[1].mean():.4f} | {error:.4f}"
                print(f"| {kind} | {tried} | {ends} | {numbers} |", flush=True)


if __name__ == "__main__":
    main()
