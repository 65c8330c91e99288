r"""PMRA's posterior with the rounds' intercepts integrated out, of rounds that are alike at once.

.. math:: \log \int \phi(u) \left[e^{f c} / \prod_{i<j} (1 + e^{c + b_i - b_j})\right]^\eta du,
          \quad c = b_0 + s u,

depends on a round by its players, its weight eta, and f, the wins of the first-listed. What takes
time, the sum over pairs, is one smooth function of c for all rounds of the same players: it is
computed at Chebyshev's nodes, between which its polynomial is exact to some 1e-11, as its nearest
singularities are at :math:`\pm i\pi` from the real line. Integrals are Gauss and Hermite's, around
the mode of each, as in `quadrature`, which has the information matrix, too, and no weights.
"""

from itertools import pairwise
from typing import NamedTuple

import numba
import numpy as np

from leaderbayes._numerics.round_intercept import ListedStatistics
from leaderbayes._types import Floats, Longs

_NODES = 20  # of Gauss and Hermite
_REACH = 8.0  # standard deviations: as far as these nodes are, and beyond where draws are
_DIGITS = 23.0  # of the polynomial, as the logarithm of its error
_MOST = 400  # its nodes
_LEAST = 0.01  # half-width of an interval: of less there would be more error in derivatives
_NEAR = 300.0  # log-odds up to which products of odds are numbers
_PLACE, _SHARE = np.polynomial.hermite.hermgauss(_NODES)
_PLACE *= np.sqrt(2.0)
_LOG_SHARE = np.log(_SHARE) + 0.5 * _PLACE**2 + 0.5 * np.log(2.0) - 0.5 * np.log(2.0 * np.pi)


class AlikeRounds(NamedTuple):
    """Rounds by sets, of the same players and weight; of a set by kinds, of as many first wins."""

    points: Floats  # (player,): weighted, less one for each match as the second-listed
    start: Longs  # (set + 1,), in CSR form
    member: Longs  # (start[-1],): players of a set, as listed
    weight: Floats  # (set,)
    kinds: Longs  # (set + 1,), in CSR form
    first: Floats  # (kind,): wins of first-listed players, ties half, in order within a set
    times: Floats  # (kind,): rounds
    kind: Longs  # (round,)


def alike_rounds(statistics: ListedStatistics, eta: Floats) -> AlikeRounds:
    """Group rounds of weights eta (round,)."""
    points, first, start, member = statistics
    players = [member[a:b] for a, b in pairwise(start)]
    # Zero for each round of one player, which says nothing.
    keys = [(who.tobytes(), float(w)) for who, w in zip(players, eta, strict=True)]
    of = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    numbers = np.array([of[key] for key in keys])
    own = [players[keys.index(key)] for key in of]
    second = np.zeros_like(points)
    for k, who in enumerate(players):
        second[k, who] = np.arange(who.size)
    kinds, kind, times = np.unique(
        np.column_stack([numbers, first]), axis=0, return_inverse=True, return_counts=True
    )
    return AlikeRounds(
        points=eta @ (points - second),
        start=np.cumsum([0, *map(len, own)], dtype=np.int64),
        member=np.concatenate(own).astype(np.int64),
        weight=np.array([weight for _, weight in of]),
        kinds=np.searchsorted(kinds[:, 0], np.arange(len(of) + 1)).astype(np.int64),
        first=np.ascontiguousarray(kinds[:, 1]),
        times=times.astype(float),
        kind=kind.ravel().astype(np.int64),
    )


def log_likelihood(
    b: Floats, level: float, scale: float, rounds: AlikeRounds
) -> tuple[float, Floats, float, float]:
    """Give the marginal log-likelihood at (b, b_0, s), and its derivatives in each of these."""
    points, *others = rounds[:-1]
    value, slope, by_level, by_scale = _marginal(b, level, scale, *others, True)
    return value + float(points @ b), points + slope, by_level, by_scale


def many_log_likelihoods(b: Floats, level: Floats, scale: Floats, rounds: AlikeRounds) -> Floats:
    """Give `log_likelihood` of points b (point, player), b_0 and s (point,): its value alone."""
    points, *others = rounds[:-1]
    return np.asarray(np.vecdot(b, points) + _many(b, level, scale, *others))


def draw_intercepts(
    b: Floats, level: Floats, scale: Floats, rounds: AlikeRounds, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw u (draw, round) given b (draw, player), b_0 and s (draw,); as in c = b_0 + s u.

    Returns
    -------
    u, value : (draw, round)
        Of value the log-likelihood at them, without its weight, is
        ``points b + first c - value`` with the `ListedStatistics` of a round.
    """
    u, value = _draw(b, level, scale, *rounds[1:], rng)
    return u, value


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _slopes(c: float, up: Floats, down: Floats) -> tuple[float, float]:
    """Sum over pairs of p and p (1 - p) at intercept c, of odds e^c up_i down_j."""
    odds = np.exp(min(max(c, -_NEAR), _NEAR))
    # By whoever is second: sums of their own go on side by side.
    first, bend = np.zeros(up.size), np.zeros(up.size)
    for i in range(up.size):
        above = odds * up[i]
        for j in range(i + 1, up.size):
            q = 1.0 / (1.0 + above * down[j])
            first[j] += 1.0 - q
            bend[j] += q * (1.0 - q)
    return np.sum(first), np.sum(bend)


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _at_nodes(b: Floats, c: Floats, with_slope: bool) -> tuple[Floats, Floats]:
    """Sum over pairs of log(1 + e^(c + b_i - b_j)) at each c (node,); its slopes (player, node).

    Those of strengths: of sums of p of whoever is listed first, less those of the second.
    """
    m, nodes = b.size, c.size
    value, slope = np.zeros(nodes), np.zeros((m if with_slope else 0, nodes))
    middle = 0.5 * (np.max(b) + np.min(b))
    if np.max(b) - np.min(b) + np.max(np.abs(c)) > _NEAR:
        for i in range(m):
            for j in range(i + 1, m):
                for n in range(nodes):
                    gap = c[n] + b[i] - b[j]
                    less = np.exp(-abs(gap))
                    value[n] += max(gap, 0.0) + np.log1p(less)
                    if with_slope:
                        p = (1.0 if gap > 0.0 else less) / (1.0 + less)
                        slope[i, n] += p
                        slope[j, n] -= p
        return value, slope
    up, down, odds = np.exp(b - middle), np.exp(middle - b), np.exp(c)
    most, product = np.max(odds), np.empty(nodes)
    for i in range(m):
        # One logarithm for many terms, before they overflow.
        product[:] = 1.0
        highest = 1.0
        for j in range(i + 1, m):
            ratio = up[i] * down[j]
            if highest * (1.0 + ratio * most) > 1e300:
                value += np.log(product)
                product[:] = 1.0
                highest = 1.0
            highest *= 1.0 + ratio * most
            if with_slope:
                for n in range(nodes):
                    z = ratio * odds[n]
                    p = z / (1.0 + z)
                    product[n] *= 1.0 + z
                    slope[i, n] += p
                    slope[j, n] -= p
            else:
                for n in range(nodes):
                    product[n] *= 1.0 + ratio * odds[n]
        value += np.log(product)
    return value, slope


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _to_series(value: Floats, t: Floats) -> Floats:
    """Coefficients of Chebyshev's polynomials of values (node,) at nodes t."""
    nodes = t.size
    out = np.empty(nodes)
    before, here = np.ones(nodes), t.copy()
    for n in range(nodes):
        out[n] = 2.0 * np.sum(value * before) / nodes
        before, here = here, 2.0 * t * here - before
    out[0] *= 0.5
    return out


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _to_nodes(moment: Floats, t: Floats) -> Floats:
    """Weights of nodes t whose sum with values there is that of moments with their series."""
    nodes = t.size
    out = np.full(nodes, 0.5 * moment[0])
    before, here = np.ones(nodes), t.copy()
    for n in range(1, nodes):
        out += moment[n] * here
        before, here = here, 2.0 * t * here - before
    return 2.0 * out / nodes


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _derivative(series: Floats, half: float) -> Floats:
    """Series of the derivative in c, of an interval of this half-width."""
    size = series.size
    out = np.zeros(size)
    for n in range(size - 1, 0, -1):
        out[n - 1] = (out[n + 1] if n + 1 < size else 0.0) + 2.0 * n * series[n] / half
    out[0] *= 0.5
    return out


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _sums(series: Floats, t: Floats) -> Floats:
    """Clenshaw's sums of a series at points t."""
    one, two = np.zeros(t.size), np.zeros(t.size)
    for n in range(series.size - 1, 0, -1):
        for k in range(t.size):
            here = 2.0 * t[k] * one[k] - two[k] + series[n]
            two[k] = one[k]
            one[k] = here
    return np.asarray(t * one - two + series[0])


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _sum(series: Floats, t: float) -> float:
    """Do as `_sums`, at one point."""
    one, two = 0.0, 0.0
    for n in range(series.size - 1, 0, -1):
        one, two = 2.0 * t * one - two + series[n], one
    total: float = t * one - two + series[0]
    return total


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _step(
    u: float, pull: float, curve: float, low: float, high: float
) -> tuple[float, float, float]:
    """Newton's step to the mode, and bounds, which it stays within."""
    low, high = (u, high) if pull > 0.0 else (low, u)
    move = u + pull / curve
    return move if low <= move <= high else 0.5 * (low + high), low, high


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _interval(
    b: Floats, weight: float, level: float, scale: float, least: float, most: float, wide: bool
) -> tuple[float, float]:
    """Middle and half-width of the intercepts that rounds reach: first wins from least to most.

    What it does not reach is seen, and then asked for: it is the modes' of both, and near enough.
    """
    middle = 0.5 * (np.max(b) + np.min(b))
    up = np.exp(np.minimum(np.maximum(b - middle, -_NEAR), _NEAR))
    pairs = 0.5 * b.size * (b.size - 1)
    mode, sd = np.zeros(2), np.ones(2)
    for k in range(2):
        first = most if k == 1 else least
        # p is between 0 and 1.
        low, high, u = weight * scale * (first - pairs), weight * scale * first, 0.0
        for _ in range(100):
            expected, v = _slopes(level + scale * u, up, 1.0 / up)
            pull, curve = weight * scale * (first - expected) - u, weight * scale * scale * v + 1.0
            mode[k], sd[k] = u, 1.0 / np.sqrt(curve)
            u, low, high = _step(u, pull, curve, low, high)
            if abs(u - mode[k]) < 0.1 * sd[k]:
                break
    far = _REACH * (1.0 if wide else np.max(sd))
    low, high = np.min(mode) - far, np.max(mode) + far
    return level + scale * 0.5 * (low + high), max(scale * 0.5 * (high - low), _LEAST)


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _modes(
    first: Floats, pairs: float, weight: float, level: float, scale: float, middle: float,
    half: float, slope: Floats, bend: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Modes of u (kind,) and standard deviations there, of series of derivatives."""
    low, high = weight * scale * (first - pairs), weight * scale * first
    u, sd = np.zeros(first.size), np.ones(first.size)
    for _ in range(100):
        t = np.minimum(np.maximum((level + scale * u - middle) / half, -1.0), 1.0)
        expected, v = _sums(slope, t), np.maximum(_sums(bend, t), 0.0)
        moved = 0.0
        for k in range(u.size):
            pull = weight * scale * (first[k] - expected[k]) - u[k]
            curve = weight * scale * scale * v[k] + 1.0
            sd[k] = 1.0 / np.sqrt(curve)
            move, low[k], high[k] = _step(u[k], pull, curve, low[k], high[k])
            moved = max(moved, abs(move - u[k]))
            u[k] = move
        if moved < 1e-9:
            break
    return u, sd


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _nodes(half: float) -> Floats:
    """Chebyshev's nodes, as many as an interval of this half-width takes."""
    rate = np.log(np.pi / half + np.sqrt(1.0 + (np.pi / half) ** 2))
    count = int(min(max(np.ceil(_DIGITS / rate), 8.0), _MOST))
    return np.cos(np.pi * (np.arange(count) + 0.5) / count)


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _marginal(
    b: Floats, level: float, scale: float, start: Longs, member: Longs, weight: Floats,
    kinds: Longs, first: Floats, times: Floats, with_slope: bool,
) -> tuple[float, Floats, float, float]:  # fmt: skip
    value, slope, by_level, by_scale = 0.0, np.zeros(b.size), 0.0, 0.0
    for g in range(weight.size):
        who, eta = member[start[g] : start[g + 1]], weight[g]
        if who.size < 2:
            continue
        own, rows = b[who], slice(kinds[g], kinds[g + 1])
        won, count, pairs = first[rows], times[rows], 0.5 * who.size * (who.size - 1)
        for wide in (False, True):
            middle, half = _interval(own, eta, level, scale, won[0], won[-1], wide)
            if not np.isfinite(half):  # of strengths that are no numbers
                return -np.inf, slope, 0.0, 0.0
            t = _nodes(half)
            value_at, slope_at = _at_nodes(own, middle + half * t, with_slope)
            series = _to_series(value_at, t)
            down = _derivative(series, half)
            mode, sd = _modes(
                won, pairs, eta, level, scale, middle, half, down, _derivative(down, half)
            )
            away = np.abs(level + scale * mode - middle) + scale * sd * _PLACE[-1]
            if np.max(away) <= half:
                break
        moment = np.zeros((t.size, _NODES))
        for a in range(won.size):
            u = mode[a] + sd[a] * _PLACE
            c = level + scale * u
            at = (c - middle) / half
            height = eta * (won[a] * c - _sums(series, at)) + _LOG_SHARE - 0.5 * u * u
            top = np.max(height)
            share = np.exp(height - top)
            total = np.sum(share)
            value += count[a] * (top + np.log(total) + np.log(sd[a]))
            if with_slope:
                part = count[a] * eta * share / total
                pull = part * (won[a] - _sums(down, at))
                by_level += np.sum(pull)
                by_scale += np.sum(u * pull)
                _add_moments(moment, part, at)
        if with_slope:
            slope[who] -= slope_at @ _to_nodes(moment.sum(axis=1), t)
    return value, slope, by_level, by_scale


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _add_moments(moment: Floats, part: Floats, at: Floats) -> None:
    """Add Chebyshev's polynomials at points, times their parts, to moments (degree, point)."""
    before, here = np.ones(at.size), at.copy()
    for n in range(len(moment)):
        for q in range(at.size):
            moment[n, q] += part[q] * before[q]
            before[q], here[q] = here[q], 2.0 * at[q] * here[q] - before[q]


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _many(
    b: Floats, level: Floats, scale: Floats, start: Longs, member: Longs, weight: Floats,
    kinds: Longs, first: Floats, times: Floats,
) -> Floats:  # fmt: skip
    out = np.empty(level.size)
    for d in range(out.size):
        out[d] = _marginal(
            b[d], level[d], scale[d], start, member, weight, kinds, first, times, False
        )[0]
    return out


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _draw(
    b: Floats, level: Floats, scale: Floats, start: Longs, member: Longs, weight: Floats,
    kinds: Longs, first: Floats, times: Floats, kind: Longs, rng: np.random.Generator,
) -> tuple[Floats, Floats]:  # fmt: skip
    draws, rounds = level.size, kind.size
    u, value = np.empty((draws, rounds)), np.zeros((draws, rounds))
    set_of = np.searchsorted(kinds, kind, side="right") - 1
    order = np.argsort(set_of)
    for d in range(draws):
        k = 0
        for g in range(weight.size):
            who, eta = member[start[g] : start[g + 1]], weight[g]
            own, s, won = b[d][who], scale[d], first[kinds[g] : kinds[g + 1]]
            if who.size < 2:
                while k < rounds and set_of[order[k]] == g:
                    u[d, order[k]] = rng.standard_normal()
                    k += 1
                continue
            middle, half = _interval(own, eta, level[d], s, won[0], won[-1], True)
            t = _nodes(half)
            series = _to_series(_at_nodes(own, middle + half * t, False)[0], t)
            down = _derivative(series, half)
            mode, sd = _modes(
                won, 0.5 * who.size * (who.size - 1), eta, level[d], s, middle, half, down,
                _derivative(down, half),
            )  # fmt: skip
            while k < rounds and set_of[order[k]] == g:
                r = order[k]
                a = kind[r] - kinds[g]
                u[d, r], value[d, r] = _one(
                    first[kind[r]], eta, level[d], s, mode[a], sd[a], middle, half, series, down,
                    rng,
                )  # fmt: skip
                # Of who is listed second, as in `log_normalisers`.
                for i in range(who.size):
                    value[d, r] += i * own[i]
                k += 1
    return u, value


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _one(
    first: float, weight: float, level: float, scale: float, mode: float, sd: float, middle: float,
    half: float, series: Floats, down: Floats, rng: np.random.Generator,
) -> tuple[float, float]:  # fmt: skip
    """Draw u exactly, by rejection: below the mode's height and tangents on both sides of it.

    The density is log-concave, so that nothing of it is above them (Gilks and Wild 1992).
    """
    ends, slopes, heights = np.empty(2), np.empty(2), np.empty(2)
    c = level + scale * mode
    top = weight * (first * c - _sum(series, (c - middle) / half)) - 0.5 * mode * mode
    for k in range(2):
        x = mode + (2.0 * k - 1.0) * 1.1 * sd
        c = level + scale * x
        t = (c - middle) / half
        heights[k] = weight * (first * c - _sum(series, t)) - 0.5 * x * x - top
        slopes[k] = weight * scale * (first - _sum(down, t)) - x
        # Where the tangent is as high as the mode.
        ends[k] = x - heights[k] / slopes[k]
    inner = ends[1] - ends[0]
    left, right = 1.0 / slopes[0], -1.0 / slopes[1]
    while True:
        which = rng.random() * (left + inner + right)
        fall = 0.0
        if which < inner:
            x = ends[0] + which
        else:
            fall = -np.log(rng.random())
            x = ends[1] + fall * right if which < inner + right else ends[0] - fall * left
        c = level + scale * x
        t = (c - middle) / half
        if abs(t) > 1.0:
            continue
        taken = _sum(series, t)
        if np.log(rng.random()) <= weight * (first * c - taken) - 0.5 * x * x - top + fall:
            return x, taken
