r"""PMRA's posterior with the rounds' intercepts integrated out, of rounds that are alike at once.

.. math:: \log \int \phi(u) \left[e^{f c} / \prod_{i<j} (1 + e^{c + b_i - b_j})\right]^\eta du,
          \quad c = b_0 + s u,

depends on a round by its players, its weight eta, and f, the wins of the first-listed. What takes
time, the sum over pairs, is one smooth function of c for all rounds of the same players: it is
computed at Chebyshev's nodes, between which its polynomial is exact to some 1e-10, as its nearest
singularities are at :math:`\pm i\pi` from the real line; beyond where every match is decided it is
linear. Integrals are sums of even steps, which for what has no singularity within
:math:`\pi / s` of the real line are as exact. `quadrature` has the information matrix, too, and no
weights; twenty of its nodes would be off by 0.01 where s is 10, and by 1 where it is 40.
"""

from itertools import pairwise
from typing import NamedTuple

import numba
import numpy as np

from leaderbayes._numerics.round_intercept import ListedStatistics
from leaderbayes._types import Floats, Longs

_STEP, _STEPS = 0.75, 0.8  # of integrals, at most: in standard deviations at the mode, and 1 / s
_DROP = 25.0  # of the log integrand, where they end
_REACH = 7.2  # standard deviations: where that drop is, at most
_DIGITS = 23.0  # of the polynomial, as the logarithm of its error
_LEAST = 0.01  # half-width of an interval: of less there would be more error in derivatives
_DECIDED = 40.0  # log-odds at which a match is, to the last bit
_NEAR = 300.0  # log-odds up to which products of odds are numbers
_FARTHEST = 1e6  # log-odds: no posterior reaches beyond, but searches may
_LANES = 16  # points whose moments are added side by side


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
def _inside(c: Floats, ends: tuple[float, float]) -> Floats:
    """Put intercepts c, as far as they are between ends, on the interval from -1 to 1."""
    t = (2.0 * c - ends[0] - ends[1]) / (ends[1] - ends[0])
    return np.minimum(np.maximum(t, -1.0), 1.0)


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _clenshaw(series: Floats, t: Floats) -> Floats:
    """Clenshaw's sums of a series at points t."""
    one, two = np.zeros(t.size), np.zeros(t.size)
    for n in range(series.size - 1, 0, -1):
        for k in range(t.size):
            here = 2.0 * t[k] * one[k] - two[k] + series[n]
            two[k] = one[k]
            one[k] = here
    return np.asarray(t * one - two + series[0])


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _sums(series: Floats, c: Floats, ends: tuple[float, float], pairs: float) -> Floats:
    """Sum over pairs at intercepts c; above the interval all matches are won, below they are lost.

    Where the interval ends for another reason, nobody asks.
    """
    beyond = np.maximum(c - ends[1], 0.0)
    return np.asarray(_clenshaw(series, _inside(c, ends)) + pairs * beyond)


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _step(
    u: float, pull: float, curve: float, low: float, high: float
) -> tuple[float, float, float]:
    """Newton's step to the mode, and bounds, which it stays within."""
    low, high = (u, high) if pull > 0.0 else (low, u)
    move = u + pull / curve
    return move if low <= move <= high else 0.5 * (low + high), low, high


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _reached(
    b: Floats, weight: float, level: float, scale: float, least: float, most: float, wide: bool
) -> tuple[float, float]:
    """Give the intercepts that rounds reach, from and to: of first wins from least to most.

    What these do not reach is seen, and then asked for: they are the modes', and near enough.
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
    # By a tenth of a deviation modes may be elsewhere, and integrands fall slowly to one side.
    far = (_REACH + 0.5) * (1.0 if wide else min(1.3 * np.max(sd), 1.0))
    return level + scale * (np.min(mode) - far), level + scale * (np.max(mode) + far)


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _undecided(reached: tuple[float, float], b: Floats) -> tuple[float, float]:
    """Take of intercepts those at which matches are undecided, and at least some."""
    most = np.max(b) - np.min(b) + _DECIDED
    low = min(max(reached[0], -most), most - 2.0 * _LEAST)
    return low, max(min(reached[1], most), low + 2.0 * _LEAST)


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _nodes(ends: tuple[float, float]) -> Floats:
    """Chebyshev's nodes, as many as an interval of this width takes."""
    near = 2.0 * np.pi / (ends[1] - ends[0])
    count = int(max(np.ceil(_DIGITS / np.log(near + np.sqrt(1.0 + near**2))), 8.0))
    return np.cos(np.pi * (np.arange(count) + 0.5) / count)


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _modes(
    first: Floats, pairs: float, weight: float, level: float, scale: float,
    ends: tuple[float, float], slope: Floats, bend: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Modes of u (kind,) and standard deviations there, of series of derivatives."""
    low, high = weight * scale * (first - pairs), weight * scale * first
    u, sd = np.zeros(first.size), np.ones(first.size)
    for _ in range(100):
        t = _inside(level + scale * u, ends)
        expected, v = _clenshaw(slope, t), np.maximum(_clenshaw(bend, t), 0.0)
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
def _tails(
    first: Floats, pairs: float, weight: float, level: float, scale: float,
    ends: tuple[float, float], series: Floats, mode: Floats, sd: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Where the integrands of u (kind,) have dropped from their modes: below, and above."""
    c = level + scale * mode
    top = weight * (first * c - _sums(series, c, ends, pairs)) - 0.5 * mode * mode
    found = np.empty((2, mode.size))
    for side in range(2):
        sign = 2.0 * side - 1.0
        far = _REACH * sd
        while True:
            u = mode + sign * far
            c = level + scale * u
            height = weight * (first * c - _sums(series, c, ends, pairs)) - 0.5 * u * u
            # The prior of u alone lets it drop so far within the reach.
            on = (top - height < _DROP) & (far < _REACH)
            if not on.any():
                break
            far = np.where(on, np.minimum(1.3 * far, _REACH), far)
        found[side] = u
    return found[0], found[1]


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
        if not np.max(own) - np.min(own) + abs(level) < _FARTHEST:
            return -np.inf, slope, 0.0, 0.0
        won, count, pairs = first[rows], times[rows], 0.5 * who.size * (who.size - 1)
        for wide in (False, True):
            reached = _reached(own, eta, level, scale, won[0], won[-1], wide)
            ends = _undecided(reached, own)
            t = _nodes(ends)
            at_nodes = 0.5 * (ends[0] + ends[1] + (ends[1] - ends[0]) * t)
            value_at, slope_at = _at_nodes(own, at_nodes, with_slope)
            series = _to_series(value_at, t)
            down = _derivative(series, 0.5 * (ends[1] - ends[0]))
            bend = _derivative(down, 0.5 * (ends[1] - ends[0]))
            mode, sd = _modes(won, pairs, eta, level, scale, ends, down, bend)
            low, high = _tails(won, pairs, eta, level, scale, ends, series, mode, sd)
            from_, to = level + scale * np.min(low), level + scale * np.max(high)
            if reached[0] <= from_ and to <= reached[1]:
                break
        moment = np.zeros((t.size, _LANES))
        for a in range(won.size):
            step = min(_STEP * sd[a], _STEPS / scale)
            u = np.linspace(low[a], high[a], int(np.ceil((high[a] - low[a]) / step)) + 1)
            c = level + scale * u
            height = eta * (won[a] * c - _sums(series, c, ends, pairs)) - 0.5 * u * u
            top = np.max(height)
            share = np.exp(height - top)
            total = np.sum(share)
            whole = total * (u[1] - u[0]) / np.sqrt(2.0 * np.pi)
            value += count[a] * (top + np.log(whole))
            if with_slope:
                part, at = count[a] * eta * share / total, _inside(c, ends)
                pull = part * (won[a] - _clenshaw(down, at))
                by_level += np.sum(pull)
                by_scale += np.sum(u * pull)
                for begin in range(0, u.size, _LANES):
                    some = slice(begin, begin + _LANES)
                    _add_moments(moment, part[some], at[some])
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
            pairs = 0.5 * who.size * (who.size - 1)
            ends = _undecided(_reached(own, eta, level[d], s, won[0], won[-1], True), own)
            t = _nodes(ends)
            at_nodes = 0.5 * (ends[0] + ends[1] + (ends[1] - ends[0]) * t)
            series = _to_series(_at_nodes(own, at_nodes, False)[0], t)
            down = _derivative(series, 0.5 * (ends[1] - ends[0]))
            bend = _derivative(down, 0.5 * (ends[1] - ends[0]))
            mode, sd = _modes(won, pairs, eta, level[d], s, ends, down, bend)
            while k < rounds and set_of[order[k]] == g:
                r = order[k]
                a = kind[r] - kinds[g]
                u[d, r], value[d, r] = _one(
                    won[a], pairs, eta, level[d], s, mode[a], sd[a], ends, series, down, rng
                )
                # Of who is listed second, as in `log_normalisers`.
                for i in range(who.size):
                    value[d, r] += i * own[i]
                k += 1
    return u, value


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _one(
    first: float, pairs: float, weight: float, level: float, scale: float, mode: float, sd: float,
    ends: tuple[float, float], series: Floats, down: Floats, rng: np.random.Generator,
) -> tuple[float, float]:  # fmt: skip
    """Draw u exactly, by rejection: below the mode's height and tangents on both sides of it.

    The density is log-concave, so that nothing of it is above them (Gilks and Wild 1992).
    """
    x = mode + sd * np.array([-1.1, 0.0, 1.1])
    c = level + scale * x
    height = weight * (first * c - _sums(series, c, ends, pairs)) - 0.5 * x * x
    height -= height[1]
    slope = weight * scale * (first - _clenshaw(down, _inside(c, ends))) - x
    # Where tangents are as high as the mode.
    low, high = x[0] - height[0] / slope[0], x[2] - height[2] / slope[2]
    inner, left, right = high - low, 1.0 / slope[0], -1.0 / slope[2]
    top = weight * (first * c[1] - _sums(series, c, ends, pairs)[1]) - 0.5 * mode * mode
    while True:
        which = rng.random() * (left + inner + right)
        fall = 0.0
        if which < inner:
            u = low + which
        else:
            fall = -np.log(rng.random())
            u = high + fall * right if which < inner + right else low - fall * left
        if abs(u - mode) > _REACH:  # one of 10^12, at most
            continue
        at = level + scale * u
        taken = _sums(series, np.array([at]), ends, pairs)[0]
        if np.log(rng.random()) <= weight * (first * at - taken) - 0.5 * u * u - top + fall:
            return u, taken
