"""How wide must intervals of the best theta be, of few teams on few instances?

    uv run python benchmarks/normal_teams.py [BOARDS]

Boards of 20 independent teams on 200 instances, the same as those of models/populations.py. The
posterior of who knows that thetas have a normal law, but neither its mean nor its standard
deviation (a grid; log-uniform from 0.001 to 0.07): how many of nominal 95 % intervals hold the
largest theta, on how many it is above or below them, how wide they are, and how far off the
estimates. To set beside the flexible law's, which does not know that.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.stats import binom, norm

sys.path.insert(0, str(Path(__file__).parents[1] / "models"))

from populations import POPULATIONS, scores

TEAMS, N = 20, 200
KINDS = ("Beta, wide", "Beta, narrow", "normal, cut", "each three times", "two groups", "equal")
THETA = np.linspace(0.6, 0.995, 260)
MEAN = np.linspace(0.75, 0.95, 41)
SPREAD = np.geomspace(0.001, 0.07, 13)


def laws():
    """Of each mean and spread the weights of thetas (law, theta)."""
    # A spread below the grid's step is one value, as it should be.
    weight = norm.logpdf(THETA, MEAN[:, None, None], SPREAD[:, None])
    weight = np.exp(weight - weight.max(axis=-1, keepdims=True)).reshape(-1, len(THETA))
    return weight / weight.sum(axis=-1, keepdims=True)


def board(kind, number, law):
    """Covered, above, below, width and error of one board."""
    rng = np.random.default_rng([list(POPULATIONS).index(kind), TEAMS, N, 0, number])
    theta = np.clip(POPULATIONS[kind](TEAMS, rng), 0.01, 0.999)
    right = np.round(scores(theta, N, 0.0, rng) * N).astype(int)
    x, times = np.unique(right, return_counts=True)
    seen = binom.pmf(x[:, None], N, THETA)
    log = np.log(np.maximum(law @ seen.T, 1e-300)) @ times
    weight = np.exp(log - log.max())
    cdf = np.zeros(len(THETA))
    for k in np.flatnonzero(weight > 1e-6):
        below = np.cumsum(law[k] * seen, axis=1)
        below = np.maximum(below / below[:, -1:], 1e-300)
        cdf += weight[k] * np.exp(times @ np.log(below))
    cdf /= cdf[-1]
    low, high = THETA[np.searchsorted(cdf, [0.025, 0.975])]
    best, mean = theta.max(), np.diff(cdf, prepend=0.0) @ THETA
    return low <= best <= high, best > high, best < low, high - low, mean - best


def main():
    """Print a row for each population."""
    boards, law = int(sys.argv[1]) if len(sys.argv) > 1 else 200, laws()
    print("| thetas | covered | above | below | width | rmse |\n|---|---|---|---|---|---|")
    for kind in KINDS:
        made = np.array([board(kind, k, law) for k in range(boards)], float)
        row = [f"{v:.3f}" for v in made[:, :3].mean(axis=0)] + [f"{made[:, 3].mean():.4f}"]
        print("|", " | ".join([kind, *row, f"{np.sqrt((made[:, 4] ** 2).mean()):.4f}"]), "|")


if __name__ == "__main__":
    main()
