"""Importance sampling of a density of few dimensions."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, minimize
from scipy.special import gammaln

from leaderbayes._errors import NotConvergedError
from leaderbayes._types import Floats

LogDensity = Callable[[Floats], Floats]  # (point, parameter) -> (point,)

_DF = 5.0  # of the proposals' t distribution: its tails are heavier than any posterior's here
_NONE = -1e12  # log-density where there is none: optimisers subtract
_ROUNDS = 20  # at most, in which the proposals' mean and covariance are learned


class Sample(NamedTuple):
    """Points of the proposals, and their weights."""

    point: Floats  # (point, parameter)
    log_weight: Floats  # (point,)


def sample(log_density: LogDensity, start: Floats, size: int, rng: np.random.Generator) -> Sample:
    """Draw from a t distribution fitted to the density, and weight what was drawn.

    The fit starts at the mode with the curvature there, and goes on by the weighted mean and
    covariance of its own draws.

    Raises
    ------
    NotConvergedError
        If none of the points has a density.
    """

    def bounded(x: Floats) -> Floats:
        height = log_density(x)
        return np.asarray(np.where(np.isfinite(height), np.maximum(height, _NONE), _NONE))

    def depth(x: Floats) -> float:
        return -float(bounded(x[None, :])[0])

    mode = minimize(depth, start, method="Nelder-Mead", options={"maxfev": 200 * len(start)}).x
    # Grids move with the parameters, so that gradients are no better than this.
    mean = minimize(depth, mode, method="BFGS", options={"gtol": 0.01}).x
    if depth(mean) > depth(mode):  # next to a bound gradients lead anywhere
        mean = mode
    covariance = np.linalg.inv(_curvature(bounded, mean))
    steady = 0
    for _ in range(_ROUNDS):
        drawn = _draw(bounded, mean, 1.5 * covariance, 200 * len(start), rng)
        power, weight = _tempered(drawn.log_weight, 20.0 * len(start))
        mean = weight @ drawn.point
        gap = drawn.point - mean
        covariance = (weight * gap.T) @ gap
        steady += power == 1.0
        if steady == 3:
            break
    return _draw(bounded, mean, 1.2 * covariance, size, rng)


def _tempered(log_weight: Floats, enough: float) -> tuple[float, Floats]:
    """Weights, flattened by a power until they are worth so many points.

    The covariance of a few points says little.
    """

    def flat(power: float) -> Floats:
        weight = np.exp(power * (log_weight - log_weight.max()))
        weight[log_weight < 0.5 * _NONE] = 0.0
        return np.asarray(weight / weight.sum())

    def lack(power: float) -> float:
        return float(1.0 / (flat(power) ** 2).sum()) - enough

    power = 1.0 if lack(1.0) >= 0.0 else float(brentq(lack, 0.0, 1.0))
    return power, flat(power)


def _draw(
    log_density: LogDensity, mean: Floats, covariance: Floats, size: int, rng: np.random.Generator
) -> Sample:
    """Draw from t with this location and scale."""
    d = len(mean)
    root = np.linalg.cholesky(covariance)
    normal = rng.standard_normal((size, d))
    stretch = np.sqrt(_DF / rng.chisquare(_DF, size))
    point = mean + stretch[:, None] * normal @ root.T
    square = (normal**2).sum(axis=1) * stretch**2
    proposal = gammaln((_DF + d) / 2.0) - gammaln(_DF / 2.0) - 0.5 * d * np.log(_DF * np.pi)
    proposal = proposal - np.log(np.diag(root)).sum()
    proposal = proposal - 0.5 * (_DF + d) * np.log1p(square / _DF)
    height = log_density(point)
    if height.max() <= _NONE:
        raise NotConvergedError(
            "LB001 importance sampling found no point that has a density: take a simpler law."
        )
    return Sample(point, height - proposal)


def _curvature(log_density: LogDensity, mode: Floats) -> Floats:
    """Minus the Hessian, by differences over about a standard deviation of each parameter."""
    d = len(mode)
    top = float(log_density(mode[None, :])[0])
    step = np.full(d, 1e-3)
    for k in range(d):
        for _ in range(30):
            # At a bound there is one side only.
            sides = mode + step[k] * np.array([[1.0], [-1.0]]) * np.eye(d)[k]
            fall = top - float(log_density(sides).max())
            if 0.1 < fall < 1.0:
                break
            step[k] *= 2.0 if fall <= 0.1 else 0.5
    move = np.diag(step)
    out = np.empty((d, d))
    for k in range(d):
        for j in range(k + 1):
            if k == j:
                points = [mode + move[k], mode - move[k]]
                second = log_density(np.array(points)) @ [1.0, 1.0] - 2.0 * top
            else:
                both = np.array([[1, 1], [-1, -1], [1, -1], [-1, 1]])
                points = [mode + s * move[k] + t * move[j] for s, t in both]
                second = log_density(np.array(points)) @ [1.0, 1.0, -1.0, -1.0] / 4.0
            out[k, j] = out[j, k] = -second
    # Next to a bound nothing is known but the step; where it is flat, or rises, that is the scale.
    out = np.where(np.abs(out) < -1e-3 * _NONE, out, np.eye(d))
    value, vector = np.linalg.eigh(out)
    safe = (vector * np.maximum(value, 1e-4)) @ vector.T
    return np.asarray(safe / np.outer(step, step))
