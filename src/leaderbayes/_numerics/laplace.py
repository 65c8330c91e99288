r"""Nested Laplace approximation of Bradley-Terry's posterior.

.. math:: \sigma \sim \mathrm{HalfNormal}(s), \quad b \sim \mathrm{ZeroSumNormal}(\sigma), \quad
          p(y \mid b)^\eta

Given sigma the posterior of b is nearly normal; sigma itself is integrated numerically, on a grid
of its logarithm that reaches as far as its density does. The normal laws are centred on the means
that the third derivatives give, to first order (undefeated players are farther off than the mode
says).

References
----------
Rue, Martino, Chopin (2009), Approximate Bayesian inference for latent Gaussian models by using
integrated nested Laplace approximations, JRSS B 71.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.optimize import minimize_scalar

from leaderbayes._numerics.bradley_terry import pair_sums, probability
from leaderbayes._types import Floats

_STEP = 1.0  # of the grid, in standard deviations of log sigma
_DROP = 8.0  # of the log density, where the grid ends
_RANGE = (-7.0, 4.0)  # of log sigma: players are equal below, and hundreds of log-odds apart above
_DECREMENT = 1e-4  # of Newton's method: about twice the log-density still to be gained
_FINE = 64  # points between nodes, where log sigma is drawn


class _Node(NamedTuple):
    """Posterior of the strengths given log sigma."""

    log_scale: float
    log_density: float  # of log sigma, up to a constant
    mode: Floats  # (player,)
    slope: Floats  # (player,): derivative of the mode in log sigma
    factor: Floats  # (player, player): its lower triangle is the information's Cholesky factor


class Laplace(NamedTuple):
    """Draws of the approximate posterior."""

    epp: Floats  # (draw, player), sum to zero
    scale: Floats  # (draw,)


def sample(
    points: Floats, n: Floats, weight: float, prior_scale: float, draws: int,
    rng: np.random.Generator,
) -> Laplace:  # fmt: skip
    """Draw from the approximate posterior.

    Parameters
    ----------
    points : (player,)
        Wins, ties half.
    n : (player, opponent)
        Matches of each pair.
    weight : float
        Power of the likelihood, eta.
    prior_scale : float
        Scale of sigma's half-normal prior, log-odds.
    draws : int
        Independent draws.
    """
    log_scale, nodes = _grid(weight * points, weight * n, prior_scale)
    drawn = _draw_log_scale(log_scale, np.array([node.log_density for node in nodes]), draws, rng)
    # Between nodes the centre moves along a line; the spread is that of the nearest.
    at = np.clip(np.searchsorted(log_scale, drawn), 1, len(nodes) - 1)
    share = (drawn - log_scale[at - 1]) / (log_scale[at] - log_scale[at - 1])
    mode = np.stack([node.mode for node in nodes])
    epp = (1.0 - share[:, None]) * mode[at - 1] + share[:, None] * mode[at]
    nearest = np.where(share > 0.5, at, at - 1)
    highest = int(np.argmax([node.log_density for node in nodes]))
    epp += _skewness(nodes[highest], weight * n)
    for k in np.unique(nearest):
        mine = np.flatnonzero(nearest == k)
        normal = rng.standard_normal((len(points), len(mine)))
        epp[mine] += solve_triangular(
            nodes[k].factor, normal, trans="T", lower=True, check_finite=False
        ).T
    epp -= epp.mean(axis=1, keepdims=True)
    return Laplace(epp, np.exp(drawn))


def _grid(points: Floats, n: Floats, prior_scale: float) -> tuple[Floats, list[_Node]]:
    """Even grid of log sigma over its posterior, and the strengths at each node."""
    seen: list[_Node] = []

    def at(log_scale: float) -> _Node:
        start = np.zeros(len(points))
        if seen:
            nearest = min(seen, key=lambda node: abs(node.log_scale - log_scale))
            ahead = np.clip(log_scale - nearest.log_scale, -1.0, 1.0)
            start = nearest.mode + ahead * nearest.slope
        node = _given(log_scale, points, n, prior_scale, start)
        # Factors of thousands of players are large, and only the grid's are wanted again.
        seen.append(node._replace(factor=np.empty(0)))
        return node

    middle = _highest(at, len(points))
    width = 1.0 / np.sqrt(len(points))
    low, high = (at(middle + d).log_density for d in (-width, width))
    top = at(middle)
    curvature = max((2.0 * top.log_density - low - high) / width**2, 4.0)
    step = _STEP / np.sqrt(curvature)
    nodes = [top]
    for side in (-step, step):
        node = top
        while node.log_density > top.log_density - _DROP and _RANGE[0] < node.log_scale < _RANGE[1]:
            node = at(node.log_scale + side)
            nodes.append(node)
    nodes.sort(key=lambda node: node.log_scale)
    return np.array([node.log_scale for node in nodes]), nodes


def _highest(at: Callable[[float], _Node], m: int) -> float:
    """Log sigma of the highest density: two steps of EM, then a search around."""
    t = 0.0
    for _ in range(2):
        node = at(t)
        inverse = solve_triangular(node.factor, np.eye(m), lower=True, check_finite=False)
        second_moment = float(node.mode @ node.mode) + float((inverse**2).sum())
        t = float(np.clip(0.5 * np.log(second_moment / m), *_RANGE))
    width = 1.0 / np.sqrt(m)
    bounds = (max(t - 8.0 * width, _RANGE[0]), min(t + 8.0 * width, _RANGE[1]))
    for low, high in (bounds, _RANGE):
        found = minimize_scalar(
            lambda t: -at(float(t)).log_density, bounds=(low, high), method="bounded",
            options={"xatol": 0.5 * width},
        )  # fmt: skip
        if low + width < found.x < high - width:
            break
    return float(found.x)


def _given(log_scale: float, points: Floats, n: Floats, prior_scale: float, start: Floats) -> _Node:
    """Mode and curvature of the strengths, and the density of log sigma (Laplace's method)."""
    m = len(points)
    precision = np.exp(-2.0 * log_scale)
    x, step, best = start, np.zeros(m), -np.inf
    # Newton's method as in `newton.maximise`, whose last factor is what is wanted here.
    for _ in range(100):
        log_normaliser, expected, information, _ = pair_sums(x, 0.0, n)
        value = float(points @ x) - log_normaliser - 0.5 * precision * float(x @ x)
        if value < best - 1e-6:
            # Too long a step: half of it.
            step = 0.5 * step
            x = x - step
            continue
        best = value
        information = information[:m, :m]
        information[np.diag_indices(m)] += precision
        gradient = points - expected - precision * x
        factor = cho_factor(information, lower=True, check_finite=False)[0]
        step = cho_solve((factor, True), gradient, check_finite=False)
        decrement = float(gradient @ step)
        x = x + step
        if decrement < _DECREMENT:
            break
    # The last step gains half its decrement; the curvature is as good as that at its end.
    value += 0.5 * decrement
    # Along 1 the information is sigma^-2, and no strength moves there: m - 1 dimensions, one sigma
    # less in the determinant, and the Jacobian of log sigma.
    density = value - (m - 1) * log_scale - float(np.log(np.diag(factor)).sum())
    density -= 0.5 * np.exp(2.0 * log_scale) / prior_scale**2
    mode = x - x.mean()
    slope = cho_solve((factor, True), 2.0 * precision * mode, check_finite=False)
    return _Node(log_scale, density, mode, slope, factor)


def _skewness(node: _Node, n: Floats) -> Floats:
    """Mean less mode, to first order: half H^-1 times third derivatives times variances."""
    m = len(n)
    covariance = cho_solve((node.factor, True), np.eye(m), check_finite=False)
    spread = np.diag(covariance)
    p = probability(node.mode)
    third = n * p * (1.0 - p) * (2.0 * p - 1.0) * (spread[:, None] + spread - 2.0 * covariance)
    return np.asarray(0.5 * covariance @ third.sum(axis=1))


def _draw_log_scale(
    nodes: Floats, log_density: Floats, draws: int, rng: np.random.Generator
) -> Floats:
    """Draw from a density that is known at nodes, by a spline of its logarithm."""
    from scipy.interpolate import CubicSpline

    fine = np.linspace(nodes[0], nodes[-1], _FINE * (len(nodes) - 1) + 1)
    density = np.exp(CubicSpline(nodes, log_density)(fine) - log_density.max())
    below = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2.0)])
    return np.asarray(np.interp(rng.random(draws), below / below[-1], fine))
