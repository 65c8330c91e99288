r"""Draws near the highest density of a posterior, of whose density they know their own.

.. math:: x = \hat x + L^{-\top} z \, \sqrt{\nu / c}, \quad L L^\top = -\nabla^2 \log p(\hat x),
          \quad z \sim N(0, I), \quad c \sim \chi^2_\nu

a multivariate t with the curvature at the top (Laplace's method), and heavier tails than a normal
law's. In coordinates in which the posterior is nearly normal it is near to all of it; draws by
their weights say where it is not, and mean and covariance of these are the next t's
(`refined`).

References
----------
Cappé, Guillin, Marin, Robert (2004), Population Monte Carlo, Journal of Computational and Graphical
Statistics 13(4).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import solve_triangular

from leaderbayes._types import Floats

Density = Callable[[Floats], tuple[float, Floats]]  # of a point: its logarithm, and the gradient
Densities = Callable[[Floats], Floats]  # of points (point, coordinate): their logarithms
DF = 10.0  # degrees of freedom
_STEP = 1e-4  # in which gradients are compared
_LEAST = 1e-6  # curvature, of the largest
_ROUNDS = 2  # of refining
_DRAWS, _EACH = 2000, 40  # of a round, at least; and for each coordinate
_GOOD = 0.5  # of draws that are worth something, at which nothing is refined


class Proposal(NamedTuple):
    """A multivariate t."""

    centre: Floats  # (coordinate,)
    factor: Floats  # (coordinate, coordinate): Cholesky's of the curvature, lower


def at_the_top(density: Density, start: Floats) -> Proposal:
    """Look for the highest density near a point, and measure how it falls off."""
    from scipy.optimize import minimize

    def less(x: Floats) -> tuple[float, Floats]:
        value, gradient = density(x)
        return -value, -gradient

    top = minimize(less, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
    rows = [
        (density(top - _STEP * e)[1] - density(top + _STEP * e)[1]) / (2.0 * _STEP)
        for e in np.eye(len(top))
    ]
    curvature = 0.5 * (np.array(rows) + np.array(rows).T)
    if not np.isfinite(curvature).all():  # it has no highest density, and is followed to nowhere
        return Proposal(start, np.eye(start.size))
    value, vector = np.linalg.eigh(curvature)
    value = np.maximum(value, _LEAST * value.max())
    return Proposal(top, np.linalg.cholesky((vector * value) @ vector.T))


def propose(given: Proposal, count: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Draw points (draw, coordinate); and the logarithm of their density, up to a constant."""
    d = len(given.centre)
    z = rng.standard_normal((count, d)) / np.sqrt(rng.chisquare(DF, (count, 1)) / DF)
    x = given.centre + solve_triangular(given.factor, z.T, trans="T", lower=True).T
    return x, -0.5 * (DF + d) * np.log1p((z**2).sum(axis=1) / DF)


def log_weights(wanted: Floats, log: Floats) -> Floats:
    """Give the wanted density of points (draw,) over their own, as logarithms."""
    with np.errstate(all="ignore"):  # of far draws, whose density is nothing
        found = wanted - log
    return np.where(np.isfinite(found), found, -np.inf)


def worth(log_weight: Floats) -> float:
    """Say which share of draws is worth something, by logarithms of their weights (draw,)."""
    weight = np.exp(log_weight - log_weight.max())
    return float(weight.sum() ** 2 / (weight**2).sum() / weight.size)


def refined(
    densities: Densities, given: Proposal, rng: np.random.Generator, least: float = 0.0
) -> tuple[Proposal, float]:
    """Move a proposal to where its draws, by their weights, say that the posterior is.

    Gives the best one that was seen, and which share of its draws is worth something. Of many
    coordinates rounds are long: where the first draws are worth less than ``least`` of them there
    is none.
    """
    count = max(_DRAWS, _EACH * len(given.centre))
    best, most = given, 0.0
    for again in range(_ROUNDS + 1):
        x, log = propose(given, count, rng)
        ratio = log_weights(densities(x[:_DRAWS]), log[:_DRAWS])
        if count > _DRAWS:
            if not again and np.isfinite(ratio).any() and (share := worth(ratio)) < least:
                return given, share
            ratio = np.append(ratio, log_weights(densities(x[_DRAWS:]), log[_DRAWS:]))
        if not np.isfinite(ratio).any():
            break
        share = worth(ratio)
        if share > most:
            best, most = given, share
        if most > _GOOD or again == _ROUNDS:
            break
        # None counts for more than it should by chance alone.
        weight = np.exp(ratio - ratio.max())
        weight = np.minimum(weight, weight.mean() * np.sqrt(count))
        weight /= weight.sum()
        centre = weight @ x
        covariance = (x - centre).T * weight @ (x - centre)
        try:
            given = Proposal(centre, np.linalg.cholesky(np.linalg.inv(covariance)))
        except np.linalg.LinAlgError:  # of fewer draws than coordinates
            break
    return best, most
