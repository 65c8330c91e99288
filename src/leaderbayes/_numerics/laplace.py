r"""Nested Laplace approximation of Bradley-Terry's posterior, whose draws know their own density.

.. math:: \sigma \sim \mathrm{HalfNormal}(s), \quad a_i \sim t_\nu(0, \sigma), \quad
          \prod_k p(y_k \mid a)^{\eta_k}, \quad b = a - \bar a

Given sigma the posterior of the strengths a is nearly normal; sigma itself is integrated
numerically, on a grid of its logarithm that reaches as far as its density does. Draws are
independent along ways on which one player goes and those follow of whom less is known: so what is
known best, the differences of many players, is not torn apart. Along a way the margin is not normal
but has the priors and matches of those who go (`margins`): players who won or lost nearly every
match have one long tail. The centre is the mean that the third derivatives give, to first order.

Weights (`log_weight`) take draws of it to the posterior itself.

References
----------
Rue, Martino, Chopin (2009), Approximate Bayesian inference for latent Gaussian models by using
integrated nested Laplace approximations, JRSS B 71.
"""

from collections.abc import Callable
from typing import NamedTuple

import numba
import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, solve_triangular
from scipy.optimize import minimize_scalar

from leaderbayes._numerics import two_players
from leaderbayes._numerics.bradley_terry import pair_sums, probability
from leaderbayes._numerics.margins import Margins, margins, stretch
from leaderbayes._numerics.pairs_by_round import log_normaliser
from leaderbayes._types import Floats, Longs

_STEP = 1.0  # of the grid, in standard deviations of log sigma
_DROP = 8.0  # of the log density, where the grid ends
RANGE = (-7.0, 4.0)  # of log sigma: players are equal below, and hundreds of log-odds apart above
# In which it is looked for, around the best so far, in widths of its density; at last everywhere.
_WINDOWS = (8.0, 8.0, np.inf)
_DECREMENT = 1e-4  # of Newton's method: about twice the log-density still to be gained
_FINE = 64  # points between nodes, where log sigma is drawn


class Board(NamedTuple):
    """What the posterior depends on: matches by their weights, and the prior."""

    points: Floats  # (player,): wins, ties half
    n: Floats  # (player, opponent): matches of each pair
    prior_scale: float  # of sigma's half-normal prior, log-odds
    df: float  # degrees of freedom of the strengths' law


class _Node(NamedTuple):
    """Posterior of the strengths given log sigma."""

    log_scale: float
    log_density: float  # of log sigma, up to a constant
    mode: Floats  # (player,)
    slope: Floats  # (player,): derivative of the mode in log sigma
    factor: Floats  # (player, player): its lower triangle is the information's Cholesky factor


class _Spread(NamedTuple):
    """What is drawn around a node's mode."""

    centre: Floats  # (player,)
    margins: Margins


class Laplace(NamedTuple):
    """Draws of the approximate posterior."""

    strength: Floats  # (draw, player): a
    scale: Floats  # (draw,)
    log_density: Floats  # (draw,): of strengths and log sigma, up to a constant

    @property
    def epp(self) -> Floats:
        """Strengths relative to their mean (draw, player)."""
        return self.strength - self.strength.mean(axis=1, keepdims=True)


def sample(board: Board, draws: int, rng: np.random.Generator) -> Laplace:
    """Draw from the approximate posterior, independently; of two players from tables."""
    if len(board.points) == 2:
        return Laplace(*two_players.draw(board.points[0], board.n[0, 1], *board[2:], draws, rng))
    order = _order(board)
    known = board._replace(points=board.points[order], n=board.n[np.ix_(order, order)])
    log_scale, nodes = _grid(known)
    spreads = [_spread(node, known) for node in nodes]
    density = np.array([node.log_density for node in nodes])
    density += [each.margins.log_mass for each in spreads]
    drawn, log_density = draw_log_scale(log_scale, density, draws, rng)
    # Between nodes the centre moves along a line; the spread is that of the nearest.
    at = np.clip(np.searchsorted(log_scale, drawn), 1, len(nodes) - 1)
    share = (drawn - log_scale[at - 1]) / (log_scale[at] - log_scale[at - 1])
    centre = np.stack([each.centre for each in spreads])
    strength = np.empty((draws, len(order)))
    nearest = np.where(share > 0.5, at, at - 1)
    for k in np.unique(nearest):
        mine = np.flatnonzero(nearest == k)
        normal = rng.standard_normal((len(mine), len(order)))
        factor, (_, table) = nodes[k].factor, spreads[k]
        moved, log_slope = stretch(normal, table.normal, table.moved, table.wider)
        away = solve_triangular(
            factor, moved.T, trans="T", lower=True, overwrite_b=True, check_finite=False
        ).T
        _write(away, centre, at, share, mine, order, strength)
        log_density[mine] += np.log(np.diag(factor) / table.wider).sum() - log_slope
        log_density[mine] -= 0.5 * (normal**2).sum(axis=1)
    return Laplace(strength, np.exp(drawn), log_density)


@numba.njit(cache=True, error_model="numpy")
def _write(
    away: Floats, centre: Floats, at: Longs, share: Floats, mine: Longs, order: Longs, out: Floats
) -> None:
    """Write strengths ``out`` (draw, player) of some draws, ``mine``, in the players' own order.

    Parameters
    ----------
    away : (own draw, player)
        From the centre.
    centre : (node, player)
    at, share : (draw,)
        The node above, and how far it is on the way there from the one before.
    order : (player,)
    """
    for row, d in enumerate(mine):
        low, high, s = centre[at[d] - 1], centre[at[d]], share[d]
        for j in range(order.size):
            out[d, order[j]] = (1.0 - s) * low[j] + s * high[j] + away[row, j]


def _order(board: Board) -> Longs:
    """Players by what their own matches say of them, least first: they follow others."""
    played = board.n.sum(axis=1)
    won = np.divide(board.points, played, out=np.zeros_like(played), where=played > 0.0)
    return np.argsort(board.points * (1.0 - won), kind="stable")


def log_weight(drawn: Laplace, board: Board) -> Floats:
    """Log of the posterior's density over that of the draws (draw,), up to a constant."""
    a, scale = drawn.strength, drawn.scale
    square = (a / scale[:, None]) ** 2
    value = a @ board.points - log_normaliser(np.ascontiguousarray(a), board.n)
    value -= 0.5 * (board.df + 1.0) * np.log1p(square / board.df).sum(axis=1)
    # Less one for the Jacobian of log sigma.
    value -= (a.shape[1] - 1) * np.log(scale) + 0.5 * (scale / board.prior_scale) ** 2
    return np.asarray(value - drawn.log_density)


def posterior(board: Board, draws: int, rng: np.random.Generator) -> Floats:
    """Draw epp (draw, player) from the posterior: draws of the approximation, taken by weight."""
    drawn = sample(board, draws, rng)
    ratio = log_weight(drawn, board)
    total = np.cumsum(np.exp(ratio - ratio.max()))
    # Systematically: a draw comes as often as its weight says, but for less than one.
    taken = np.searchsorted(total, total[-1] * (np.arange(draws) + rng.random()) / draws)
    return np.asarray(rng.permutation(drawn.epp[np.minimum(taken, draws - 1)]))


def peak(board: Board) -> tuple[float, Floats, Floats]:
    """Give log sigma where its density is highest, and the strengths' modes and variances there."""
    _, nodes = _grid(board)
    top = max(nodes, key=lambda node: node.log_density)
    inverse = solve_triangular(top.factor, np.eye(len(top.mode)), lower=True, check_finite=False)
    return top.log_scale, top.mode, np.asarray((inverse**2).sum(axis=0))


def _prior(a: Floats, scale: float, df: float) -> tuple[float, Floats, Floats, Floats]:
    """Log-density of strengths given sigma, up to a constant; three derivatives of each's."""
    q = df * scale**2 + a**2
    value = -0.5 * (df + 1.0) * float(np.log1p((a / scale) ** 2 / df).sum())
    first = -(df + 1.0) * a / q
    second = -(df + 1.0) * (q - 2.0 * a**2) / q**2
    third = 2.0 * (df + 1.0) * a * (3.0 * q - 4.0 * a**2) / q**3
    return value, first, second, third


def _grid(board: Board) -> tuple[Floats, list[_Node]]:
    """Even grid of log sigma over its posterior, and the strengths at each node."""
    seen: list[_Node] = []
    m = len(board.points)

    def at(log_scale: float) -> _Node:
        start = np.zeros(m)
        if seen:
            nearest = min(seen, key=lambda node: abs(node.log_scale - log_scale))
            ahead = np.clip(log_scale - nearest.log_scale, -1.0, 1.0)
            start = nearest.mode + ahead * nearest.slope
        node = _given(log_scale, board, start)
        # Factors of thousands of players are large, and only the grid's are wanted again.
        seen.append(node._replace(factor=np.empty(0)))
        return node

    middle = _highest(at, m)
    width = 1.0 / np.sqrt(m)
    low, high = (at(middle + d).log_density for d in (-width, width))
    top = at(middle)
    curvature = max((2.0 * top.log_density - low - high) / width**2, 4.0)
    step = _STEP / np.sqrt(curvature)
    nodes = [top]
    for side in (-step, step):
        node = top
        while node.log_density > top.log_density - _DROP and RANGE[0] < node.log_scale < RANGE[1]:
            node = at(node.log_scale + side)
            nodes.append(node)
    nodes.sort(key=lambda node: node.log_scale)
    return np.array([node.log_scale for node in nodes]), nodes


def _highest(at: Callable[[float], _Node], m: int) -> float:
    """Log sigma of the highest density: two steps of EM for a normal law, then a search around."""
    t = 0.0
    for _ in range(2):
        node = at(t)
        inverse = solve_triangular(node.factor, np.eye(m), lower=True, check_finite=False)
        second_moment = float(node.mode @ node.mode) + float((inverse**2).sum())
        t = float(np.clip(0.5 * np.log(second_moment / m), *RANGE))
    width = 1.0 / np.sqrt(m)
    for around in _WINDOWS:
        low, high = max(t - around * width, RANGE[0]), min(t + around * width, RANGE[1])
        found = minimize_scalar(
            lambda t: -at(float(t)).log_density, bounds=(low, high), method="bounded",
            options={"xatol": 0.5 * width},
        )  # fmt: skip
        t = float(found.x)
        if low + width < t < high - width:
            break
    return t


def _given(log_scale: float, board: Board, start: Floats) -> _Node:
    """Mode and curvature of the strengths, and the density of log sigma (Laplace's method)."""
    m = len(board.points)
    scale = float(np.exp(log_scale))
    x, step, best = start, np.zeros(m), -np.inf
    # Newton's method as in `newton.maximise`, whose last factor is what is wanted here.
    for _ in range(200):
        total, expected, information, _ = pair_sums(x, 0.0, board.n)
        log_prior, slope, curvature, _ = _prior(x, scale, board.df)
        value = float(board.points @ x) - total + log_prior
        if value < best - 1e-6:
            # Too long a step: half of it.
            step = 0.5 * step
            x = x - step
            continue
        best = value
        gradient = board.points - expected + slope
        factor = _factor(information[:m, :m], -curvature, scale, board.df)
        step = cho_solve((factor, True), gradient, check_finite=False)
        decrement = float(gradient @ step)
        x = x + step
        if decrement < _DECREMENT:
            break
    # The last step gains half its decrement; the curvature is as good as that at its end.
    value += 0.5 * decrement
    # One sigma less: the Jacobian of log sigma.
    density = value - (m - 1) * log_scale - float(np.log(np.diag(factor)).sum())
    density -= 0.5 * (scale / board.prior_scale) ** 2
    pull = 2.0 * (board.df + 1.0) * board.df * scale**2 * x / (board.df * scale**2 + x**2) ** 2
    mode_slope = cho_solve((factor, True), pull, check_finite=False)
    return _Node(log_scale, density, x, mode_slope, factor)


def _factor(information: Floats, prior: Floats, scale: float, df: float) -> Floats:
    """Cholesky factor of the information and the prior's; where that is none, of a bound of it.

    Far out the prior's log-density is convex.
    """
    diagonal = np.diag_indices(len(prior))
    own = information[diagonal]
    for each in (prior, np.full(len(prior), (df + 1.0) / (df * scale**2))):
        information[diagonal] = own + each
        try:
            factor: Floats = cho_factor(information, lower=True, check_finite=False)[0]
        except LinAlgError:
            continue
        return factor
    raise AssertionError("the bound is positive definite")  # pragma: no cover


def _spread(node: _Node, board: Board) -> _Spread:
    """Centre and margins of the strengths at a node."""
    m, x, scale = len(node.mode), node.mode, float(np.exp(node.log_scale))
    way = solve_triangular(node.factor, np.eye(m), trans="T", lower=True, check_finite=False)
    covariance = way @ way.T
    variance = np.diag(covariance)
    found = margins(x, way, board.n, scale, board.df)
    # Mean less mode, to first order: half H^-1 times third derivatives times variances. Margins
    # that lean have their own part of that.
    p = probability(x)
    pairs = board.n * p * (1.0 - p) * (2.0 * p - 1.0)
    third = (pairs * (variance[:, None] + variance - 2.0 * covariance)).sum(axis=1)
    third += _prior(x, scale, board.df)[3] * variance
    return _Spread(x + 0.5 * (covariance @ third - way @ found.lean), found)


def draw_log_scale(
    nodes: Floats, log_density: Floats, draws: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw from a density that is known at nodes, by a spline of its logarithm; say how dense."""
    from scipy.interpolate import CubicSpline

    fine = np.linspace(nodes[0], nodes[-1], _FINE * (len(nodes) - 1) + 1)
    density = np.exp(CubicSpline(nodes, log_density)(fine) - log_density.max())
    mass = (density[1:] + density[:-1]) / 2.0
    below = np.concatenate([[0.0], np.cumsum(mass)])
    drawn = np.interp(rng.random(draws), below / below[-1], fine)
    cell = np.clip(np.searchsorted(fine, drawn) - 1, 0, len(mass) - 1)
    return drawn, np.log(mass[cell])
