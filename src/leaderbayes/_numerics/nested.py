r"""Proposals of a posterior whose first coordinate is a logarithm of scale: one law for each scale.

The first coordinate, t, is on a grid that reaches as far as its density does; at each of its nodes
the others have their highest density at :math:`\hat x(t)`, with curvature :math:`L L^\top`. Drawn
is t, by a spline of its density, and given it

.. math:: x = \hat x + L^{-\top} (q \circ z) \, \sqrt{\nu / c}, \quad z \sim N(0, I), \quad
          c \sim \chi^2_\nu,

where each entry of q is one number above zero and another below: as wide as the density is, to both
sides along the columns of :math:`L^{-\top}` (Geweke's split t). `proposals` has one law for all
scales together: where scores leave open whether players differ at all, that one is far from the
density, which has a long tail to small scales, and may have no top.

References
----------
Geweke (1989), Bayesian inference in econometric models using Monte Carlo integration, Econometrica
57(6).
Rue, Martino, Chopin (2009), Approximate Bayesian inference for latent Gaussian models by using
integrated nested Laplace approximations, JRSS B 71.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from leaderbayes._numerics.laplace import RANGE, draw_log_scale
from leaderbayes._numerics.proposals import DF, Density, Proposal, at_the_top
from leaderbayes._types import Floats

_STEP = 0.5  # of the grid, at most; of many players as many times less as scales are better known
_DROP = 9.0  # of the log density, where the grid ends
_ASIDE = (1.0, 2.0)  # where it is looked how wide the density is, in standard deviations
_WIDTHS = (0.4, 3.0)  # at least and at most: far from these the curvature says more


class Nested(NamedTuple):
    """Laws of the other coordinates at nodes of the first."""

    log_scale: Floats  # (node,)
    log_density: Floats  # (node,): up to a constant
    top: list[Proposal]  # (node,)
    width: Floats  # (node, side, coordinate): below and above the centre


def nested(density: Density, start: Floats) -> Nested:
    """Look for the highest density at each scale, from near the highest of all, and around it."""
    m = start.size
    step = min(_STEP, 1.0 / np.sqrt(m))
    first = float(np.clip(start[0], *RANGE))
    seen: dict[float, tuple[float, Proposal, Floats]] = {}
    best = -np.inf
    for side in (step, -step):
        at, near = first, start[1:]
        while RANGE[0] <= at <= RANGE[1]:
            if at not in seen:
                seen[at] = _at(density, at, near)
                best = max(best, seen[at][0])
            near = seen[at][1].centre
            if seen[at][0] < best - _DROP:
                break
            at += side
    nodes = sorted(seen)
    log_density, top, width = zip(*(seen[at] for at in nodes), strict=True)
    return Nested(np.array(nodes), np.array(log_density), list(top), np.array(width))


def _at(density: Density, log_scale: float, near: Floats) -> tuple[float, Proposal, Floats]:
    """Log-density of one log scale, and the law of the others there."""

    def given(x: Floats) -> tuple[float, Floats]:
        value, gradient = density(np.append(log_scale, x))
        return value, gradient[1:]

    top = at_the_top(given, near)
    value, width = _widths(given, top)
    mass = np.log(width.mean(axis=0)).sum() - np.log(np.diag(top.factor)).sum()
    return value + float(mass), top, width


def _widths(density: Density, top: Proposal) -> tuple[float, Floats]:
    """Log-density at the top, and how wide it is (side, coordinate), of what curvature says."""
    highest = density(top.centre)[0]
    ways = solve_triangular(top.factor, np.eye(top.centre.size), trans="T", lower=True).T
    found = np.empty((2, top.centre.size))
    for i, way in enumerate(ways):
        for k, side in enumerate((-1.0, 1.0)):
            drops = [highest - density(top.centre + side * far * way)[0] for far in _ASIDE]
            # Of a normal law a drop of half the square.
            each = np.array(_ASIDE) / np.sqrt(2.0 * np.maximum(drops, 1e-9))
            found[k, i] = np.clip(each, *_WIDTHS).mean()
    return highest, found


def propose_nested(given: Nested, count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw points (draw, coordinate); and the logarithm of their density, up to a constant."""
    nodes, width = given.log_scale, given.width
    t, log = draw_log_scale(nodes, given.log_density, count, rng)
    d = width.shape[2]
    z = rng.standard_normal((count, d))
    far = np.sqrt(rng.chisquare(DF, (count, 1)) / DF)
    log -= 0.5 * (DF + d) * np.log1p(((z / far) ** 2).sum(axis=1) / DF)
    above = rng.random((count, d))
    # Between nodes the centre moves along a line; the spread is that of the nearest.
    at = np.clip(np.searchsorted(nodes, t), 1, nodes.size - 1)
    share = ((t - nodes[at - 1]) / (nodes[at] - nodes[at - 1]))[:, None]
    centre = np.array([top.centre for top in given.top])
    x = np.column_stack([t, (1.0 - share) * centre[at - 1] + share * centre[at]])
    nearest = np.where(share[:, 0] > 0.5, at, at - 1)
    for k in np.unique(nearest):
        mine, (low, high), factor = nearest == k, width[k], given.top[k].factor
        side = np.where(above[mine] < high / (low + high), high, -low)
        moved = side * np.abs(z[mine]) / far[mine]
        x[mine, 1:] += solve_triangular(factor, moved.T, trans="T", lower=True).T
        log[mine] += np.log(np.diag(factor)).sum() - np.log(low + high).sum()
    return x, log
