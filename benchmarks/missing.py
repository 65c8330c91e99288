"""How often LB053 is said: of scores that are missing at random, and where rounds are hard.

    uv run python benchmarks/missing.py [BOARDS]

Boards of `models/sizes.py`, 300 a row. "named": some player lacks rounds that are unlike the others
(of items that is LB053); "said of rounds": and its lead goes with them (of rounds, too).
"""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import xarray as xr

from leaderbayes._scores.where_missing import lacking
from leaderbayes._types import Floats

sys.path.insert(0, str(Path(__file__).parents[1] / "models"))

import sizes

OF_CLUSTER = 10  # items


def at_random(y: Floats, rng: np.random.Generator, share: float = 0.3) -> Floats:
    """Let each score be missing by itself."""
    return np.where(rng.random(y.shape) < share, np.nan, y)


def by_cluster(y: Floats, rng: np.random.Generator) -> Floats:
    """Let whole clusters of a player's be missing."""
    gone = rng.random((len(y), y.shape[1] // OF_CLUSTER)) < 0.3
    return np.where(np.repeat(gone, OF_CLUSTER, axis=1), np.nan, y)


def hardness(y: Floats, rng: np.random.Generator) -> Floats:
    """Rank rounds from the hardest (0) to the easiest (1)."""
    return (y.mean(axis=0) + 1e-6 * rng.random(y.shape[1])).argsort().argsort() / y.shape[1]


def hardest_of_one(y: Floats, rng: np.random.Generator) -> Floats:
    """Let the first player lack the hardest 30 %."""
    gone = np.arange(len(y))[:, None] == 0
    return np.where(gone & (hardness(y, rng) < 0.3), np.nan, y)


def hard_more_often(y: Floats, rng: np.random.Generator) -> Floats:
    """Let all lack 30 %, of the hardest rounds 60."""
    return np.where(rng.random(y.shape) < 0.6 * (1.0 - hardness(y, rng)), np.nan, y)


def designs() -> Iterator[tuple[str, str, tuple[int, int], Callable[..., Floats]]]:
    """Give what rounds are, their kind, players and rounds, and how scores go missing."""
    for size in ((3, 50), (3, 500), (10, 100), (50, 500)):
        yield "items", "right or wrong", size, at_random
        yield "items", "right or wrong", size, lambda y, rng: at_random(y, rng, 0.05)
        yield "items", "near the ceiling", size, at_random
    for size in ((3, 500), (10, 500), (10, 1000)):
        yield "items", "clusters of 10", size, by_cluster
    for size in ((3, 30), (8, 30), (20, 100)):
        for kind in ("normal", "heavy tails", "skewed"):
            yield "rounds", kind, size, at_random
    for size in ((3, 100), (10, 100), (10, 500)):
        yield "items", "right or wrong", size, hardest_of_one
        yield "rounds", "normal", size, hardest_of_one
    for size in ((10, 100), (10, 500)):
        yield "items", "right or wrong", size, hard_more_often


def main() -> None:
    """Print a row for each design."""
    boards = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    for what, kind, (players, rounds), gone in designs():
        named = said = 0
        for number in range(boards):
            rng = np.random.default_rng(number)
            make = sizes.items_of if what == "items" else sizes.rounds_of
            y = gone(make(kind, players, rounds, rng)[0], rng)
            names = {"player": np.arange(players), "round": np.arange(rounds)}
            scores = xr.DataArray(y, names, ("player", "round"))
            if gone is by_cluster:
                cluster = np.arange(rounds) // OF_CLUSTER
                scores = scores.assign_coords(cluster=("round", cluster))
            found = lacking(scores)
            named += bool(found)
            said += any(one.bends for one in found)
        how = gone.__name__.replace("_", " ").replace("<lambda>", "at random, 5 %")
        print(
            f"{what:7}{kind:18}{players:3} x {rounds:<5}{how:17} named {named:4}, "
            f"said of rounds {said:4} of {boards}",
            flush=True,
        )


if __name__ == "__main__":
    main()
