"""Does another prior than the flexible law's cover more best thetas, and come nearer?

    uv run python benchmarks/law_variants.py VARIANT TEAMS N RHO BOARDS [POPULATION ...]

The boards of models/populations.py, each under the law as it is and under a variant of it:

- "concentrations": 8, 16 and 32 beside those that the Dirichlet process has.
- "cells": half as large.
- "bells": what is drawn from the Dirichlet process are values and normal laws. Half of its base
  are values, as it is; half are laws with standard deviations of 1, 2, 4 or 8 errors of a score, so
  that many may be alike and yet all differ. Slow: every cell has to do with every score.
- "boxes": so, but the laws are uniform, from so far below their middle to so far above it.
- "tops": so, but the laws are exponential, falling off below a hard upper edge.

How many of nominal 95 % intervals hold the largest theta; on how many it is above them; how wide
they are; how far off the estimates. Last how much the mean square error changes, in Monte Carlo
errors of its difference by board.
"""

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from scipy.stats import norm

sys.path.insert(0, str(Path(__file__).parents[1] / "models"))

from populations import POPULATIONS, board

CONCENTRATIONS = (8.0, 16.0, 32.0)
WIDTHS = (0.0, 1.0, 2.0, 4.0, 8.0)  # errors of a score
VALUES = 0.5  # share of the base that has no width
APART = 40  # places of a pair between which weight is moved, at most


def concentrations():
    """Allow larger concentrations."""
    from leaderbayes._numerics import flexible_law as law

    equal, differ = law.ALPHAS_PRIOR[:1], len(law.ALPHAS) - 1 + len(CONCENTRATIONS)
    law.ALPHAS = np.append(law.ALPHAS, CONCENTRATIONS)
    law.ALPHAS_PRIOR = np.append(equal, np.full(differ, (1.0 - equal[0]) / differ))


def cells():
    """Halve the cells, and let weight move as far as before."""
    from leaderbayes._numerics import flexible_law as law

    law._STEP, law._APART = 0.5 * law._STEP, 2 * law._APART


def bell(gap):
    """Shares of a normal law."""
    return norm.cdf(gap)


def box(gap):
    """Shares of a uniform law of half this width."""
    return np.clip(gap, -1.0, 1.0)


def top(gap):
    """Shares of a law that falls off below a hard upper edge."""
    return np.exp(np.minimum(gap, 0.0))


def widths(shape):
    """Put one such law of each width beside each cell, as a cell of its own, near all scores."""
    from leaderbayes._numerics import flexible_law as law
    from leaderbayes.sota import _gibbs

    class Places(law.Cells):
        furthest = 0.0  # set for each board

    class Wide:
        def __init__(self, scale):
            self.scale, self.times, self.of, self.theta = scale, scale.times, scale.of, scale.theta
            edge, furthest = scale.cells.edge, scale.cells.furthest
            step, unit, span = np.diff(edge), 4.0 * furthest, edge[-1] - edge[0]
            middle, within = 0.5 * (edge[1:] + edge[:-1]), [np.eye(len(step))]
            for width in WIDTHS[1:]:
                if width * unit < 0.5 * span:
                    shares = np.diff(shape((edge - middle[:, None]) / (width * unit)), axis=1)
                    within.append(shares / shares.sum(axis=1, keepdims=True))
            many = len(within)
            share = np.full(many, (1.0 - VALUES) / max(many - 1, 1))
            share[0] = VALUES if many > 1 else 1.0
            size, scores = len(step) * many, len(scale.cells.first)
            self.cells = Places(
                np.append(0.0, np.cumsum(np.outer(step, share))),
                np.zeros(scores, np.int64),
                size * np.arange(scores + 1),
            )
            self.cells.furthest, self.cells.wide = furthest, self
            self.edge, self.within = edge, np.array(within)  # (width, cell, cell)

        def likelihood(self, rho, ease, shift=0.0):
            value, factor = self.scale.likelihood(rho, ease, shift)
            given = self.scale.cells
            score = np.repeat(np.arange(len(given.first)), np.diff(given.row))
            cell = given.first[score] + np.arange(len(score)) - given.row[score]
            full = np.zeros((len(given.first), len(self.edge) - 1))
            full[score, cell] = value
            return np.stack([full @ shares.T for shares in self.within], axis=2).ravel(), factor

    def drawn(ahead, rng):
        found = np.searchsorted(ahead, rng.random() * ahead[-1], side="right")
        return min(found, len(ahead) - 1)

    def thetas(wide, ahead, seen, rng):
        """Draw thetas: of one value, or each its own; ahead and seen (team, ...)."""
        edge, many, at = wide.edge, len(wide.within), []
        value = edge[:-1] + rng.random(len(edge) - 1) * np.diff(edge)
        for chance, likelihood in zip(ahead, seen, strict=True):
            cell, width = divmod(drawn(chance, rng), many)
            if width:
                cell = drawn(np.cumsum(wide.within[width, cell] * likelihood), rng)
                at.append(edge[cell] + rng.random() * (edge[cell + 1] - edge[cell]))
            else:
                at.append(value[cell])
        return np.array(at)

    def place(given, value, share, of, rng):
        wide, values = given.wide, value.reshape(len(given.first), -1)
        ahead, seen = np.cumsum(share * values, axis=1), values[:, :: len(wide.within)]
        with np.errstate(divide="ignore"):
            return thetas(wide, ahead[of], seen[of], rng), np.log(values @ share)

    def draw(given, share, size, rng):
        wide = given.wide
        ahead, seen = np.cumsum(share), np.ones(len(wide.edge) - 1)
        return thetas(wide, [ahead] * size, [seen] * size, rng.spawn(1)[0])

    own = _gibbs.scale_of
    _gibbs.scale_of, law.place, law.draw = lambda model: Wide(own(model)), place, draw
    law._APART = APART


VARIANTS = {
    "concentrations": (concentrations,), "cells": (cells,),
    "bells": (widths, bell), "boxes": (widths, box), "tops": (widths, top),
}  # fmt: skip


def boards(kind, teams, n, rho, count):
    """Covered, width, error and convergence of each board, (board, 4)."""
    made = [board(kind, teams, n, rho, number, "flexible") for number in range(count)]
    return np.array(made, float)


def main():
    """Print a row for each population."""
    variant, teams, n, rho, count = (
        of(value) for of, value in zip((str, int, int, float, int), sys.argv[1:6], strict=True)
    )
    kinds, found = sys.argv[6:] or list(POPULATIONS), []
    for change, *by in ((int,), VARIANTS[variant]):  # int() changes nothing
        # Compiled code has the law's constants in it: a process and a cache of its own for each.
        with TemporaryDirectory() as cache:
            os.environ["NUMBA_CACHE_DIR"] = cache
            with ProcessPoolExecutor(1, get_context("spawn"), change, by) as executor:
                asked = [executor.submit(boards, kind, teams, n, rho, count) for kind in kinds]
                found.append([each.result() for each in asked])
    print(f"{variant}: {teams} teams, {n} instances, rho {rho}, {count} boards of each population")
    print("| thetas | covered | best above | width | bias | rmse | mse, change |")
    print("|---|---|---|---|---|---|---|")
    for kind, *pair in zip(kinds, *found, strict=True):
        covered, width, off, _ = np.moveaxis(pair, 2, 0)
        above = (1.0 - covered) * (off < 0.0)
        change = np.diff(off**2, axis=0)[0]
        row = [
            " -> ".join(f"{v:.2f}" for v in covered.mean(axis=1)),
            " -> ".join(f"{v:.0f}" for v in above.sum(axis=1)),
            " -> ".join(f"{v:.4f}" for v in width.mean(axis=1)),
            " -> ".join(f"{v:+.4f}" for v in off.mean(axis=1)),
            " -> ".join(f"{v:.4f}" for v in np.sqrt((off**2).mean(axis=1))),
            f"{change.mean() / (change.std() / np.sqrt(count)):+.1f}",
        ]
        print("|", " | ".join([kind, *row]), "|")


if __name__ == "__main__":
    main()
