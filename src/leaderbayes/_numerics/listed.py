r"""PMRA's likelihood with the rounds' intercepts integrated out, at many points at once.

.. math:: \log \int N(c; b_0, s^2) \Big[ e^{f c} / \prod_{i<j} (1 + e^{c + b_i - b_j})
          \Big]^\eta dc

depends on a round by its players, its weight eta, and f, the wins of the player listed first. The
sum over pairs is one smooth function of c for all rounds of the same players: it is computed at
Chebyshev's nodes, from which a fixed matrix interpolates to the even grid that integrals sum over.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from leaderbayes._numerics.round_intercept import ListedStatistics
from leaderbayes._types import Floats, Longs

_GRID = (32, 2048)  # points of an integral
_STEP = 0.9  # of an integral, in standard deviations at a mode
_REACH = 7.0  # standard deviations to either side of a mode, at most those of the prior
_DIGITS = 17.0  # of interpolation, as the logarithm of its error
_NODES = (8, 384)
_NEWTON = 60  # steps to a mode, at most
_BLOCK = 2_000_000  # numbers at once
_EXPONENT = 700.0  # of numbers that are no larger


class RoundSet(NamedTuple):
    """Rounds of the same players and weight."""

    players: Longs  # (member,): as listed
    weight: float
    first: Floats  # (kind,): wins of first-listed players, ties half
    times: Floats  # (kind,): rounds of each
    rounds: Longs  # (own round,)
    kind: Longs  # (own round,)


class AlikeRounds(NamedTuple):
    """All rounds."""

    points: Floats  # (player,): weighted
    sets: list[RoundSet]


def alike_rounds(statistics: ListedStatistics, eta: Floats) -> AlikeRounds:
    """Group rounds by their players and their weights eta (round,)."""
    points, first, start, member = statistics
    players, second = [member[a:b] for a, b in pairwise(start)], np.zeros_like(points)
    groups: dict[tuple[bytes, float], list[int]] = {}
    for k, (who, w) in enumerate(zip(players, eta, strict=True)):
        if who.size > 1:
            groups.setdefault((who.tobytes(), float(w)), []).append(k)
    sets = []
    for (_, weight), rounds in groups.items():
        won, kind, times = np.unique(first[rounds], return_inverse=True, return_counts=True)
        own = np.array(rounds)
        sets.append(RoundSet(players[own[0]], weight, won, times.astype(float), own, kind))
    # Less one for each match as the second-listed: pairs sum log(1 + e^gap).
    for k, who in enumerate(players):
        second[k, who] = np.arange(who.size)
    return AlikeRounds(eta @ (points - second), sets)


def log_likelihood(
    b: Floats, level: Floats, scale: Floats, rounds: AlikeRounds, *, gradient: bool
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the log-likelihood at b (point, player), b_0, s (point,), and derivatives."""
    value, by_b = b @ rounds.points, np.tile(rounds.points, (len(b), 1))
    by_level, by_scale = np.zeros((2, len(b)))
    for each in rounds.sets:
        for some in _blocks(b, scale, each):
            own = b[some][:, each.players]
            grid = _Integrals(own, level[some], scale[some], each)
            value[some] += grid.value()
            if gradient:
                slope, in_level, in_scale = grid.slopes()
                by_b[np.ix_(some, each.players)] += slope
                by_level[some] += in_level
                by_scale[some] += in_scale
    return value, by_b, by_level, by_scale


def draw_intercepts(
    b: Floats, level: Floats, scale: Floats, rounds: AlikeRounds, total: int,
    rng: np.random.Generator,
) -> Floats:  # fmt: skip
    """Draw the intercepts c (draw, round) of all rounds, b_0 + u_k, given the rest."""
    out = level[:, None] + scale[:, None] * rng.standard_normal((len(b), total))
    for each in rounds.sets:
        for some in _blocks(b, scale, each):
            own = b[some][:, each.players]
            grid = _Integrals(own, level[some], scale[some], each)
            out[np.ix_(some, each.rounds)] = grid.draw(rng)
    return out


def _blocks(b: Floats, scale: Floats, rounds: RoundSet) -> list[Longs]:
    """Group points whose integrals need the same number of nodes."""
    m = rounds.players.size
    size = int(np.clip(_BLOCK // (m * m * 24), 1, 200))
    order = np.argsort(scale + np.ptp(b, axis=1))
    return np.array_split(order, -(-len(order) // size))


class _Integrals:
    """The integrals of one set of rounds at some points."""

    def __init__(self, b: Floats, level: Floats, scale: Floats, rounds: RoundSet) -> None:
        self.b, self.level, self.scale, self.rounds = b, level, scale, rounds
        low, high, sd = self._ends()
        half = 0.5 * (high - low)
        # The nearest singularities are at i pi from the real line.
        nodes = int(np.clip(_DIGITS / np.arcsinh(np.pi / half.max()), *_NODES))
        self.t = np.cos(np.pi * (np.arange(nodes) + 0.5) / nodes)
        even = np.linspace(-1.0, 1.0, int(np.clip((2.0 * half / (_STEP * sd)).max(), *_GRID)))
        self.to_grid = _interpolation(self.t, even)
        self.node = 0.5 * (low + high)[:, None] + half[:, None] * self.t
        self.c = 0.5 * (low + high)[:, None] + half[:, None] * even  # (point, grid)
        self.sums = _sums(b, self.node)  # (point, node)
        away = (self.c - level[:, None]) / scale[:, None]
        height = rounds.weight * (
            rounds.first[:, None] * self.c[:, None] - (self.sums @ self.to_grid.T)[:, None]
        )
        height = height - 0.5 * away[:, None] ** 2  # (point, kind, grid)
        self.away, self.top = away, height.max(axis=2)
        self.share = np.exp(height - self.top[..., None])
        self.total = self.share.sum(axis=2)
        self.step = self.c[:, 1] - self.c[:, 0]

    def value(self) -> Floats:
        """Log of the integrals, summed over rounds (point,)."""
        log = self.top + np.log(self.total)
        one = np.log(self.step / self.scale) - 0.5 * np.log(2.0 * np.pi)
        times = self.rounds.times
        return np.asarray(log @ times + times.sum() * one)

    def slopes(self) -> tuple[Floats, Floats, Floats]:
        """Differentiate in strengths (point, member), b_0 and s (point,)."""
        times = self.rounds.times
        posterior = (self.share / self.total[..., None] * times[:, None]).sum(axis=1)
        by_level = (posterior * self.away).sum(axis=1) / self.scale
        by_scale = (posterior * (self.away**2 - 1.0)).sum(axis=1) / self.scale
        slope = _slopes(self.b, self.node, posterior @ self.to_grid)
        return -self.rounds.weight * slope, by_level, by_scale

    def draw(self, rng: np.random.Generator) -> Floats:
        """Draw intercepts of the set's rounds (point, own round)."""
        share = self.share[:, self.rounds.kind]
        below = np.cumsum(share, axis=2)
        u = rng.random(share.shape[:2])[..., None] * below[..., -1:]
        at = (below < u).sum(axis=2)
        inside = rng.random(at.shape) - 0.5
        return np.asarray(self.c[:, :1] + (at + inside) * self.step[:, None])

    def _ends(self) -> tuple[Floats, Floats, Floats]:
        """Return the range of intercepts (point,) over rounds, and their smallest sd."""
        ends, narrow = [], self.scale
        eta, var = self.rounds.weight, self.scale**2
        for first, side in ((self.rounds.first.min(), -1.0), (self.rounds.first.max(), 1.0)):
            c = self.level.copy()
            low, high = c - var * eta * self.b.shape[1] ** 2, c + var * eta * self.b.shape[1] ** 2
            sd = np.ones_like(c)
            for _ in range(_NEWTON):
                p, v = _expected(self.b, c)
                pull, curve = eta * (first - p) - (c - self.level) / var, eta * v + 1.0 / var
                low, high = np.where(pull > 0.0, c, low), np.where(pull > 0.0, high, c)
                move = c + pull / curve
                inside = (move > low) & (move < high)
                last, c = c, np.where(inside, move, 0.5 * (low + high))
                sd = 1.0 / np.sqrt(curve)
                if (abs(c - last) < 0.2 * sd).all():
                    break
            # Beside a mode where few matches are open, integrands fall more slowly than there.
            reach = _REACH * np.minimum(np.maximum(1.5 * sd, 0.7), self.scale)
            ends.append(c + side * reach)
            narrow = np.minimum(narrow, sd)
        return ends[0], np.maximum(ends[1], ends[0] + 1e-9), narrow


def _gaps(b: Floats) -> Floats:
    """Log-odds of the first-listed of each pair (point, pair)."""
    i, j = np.triu_indices(b.shape[1], 1)
    return b[:, i] - b[:, j]


def _expected(b: Floats, c: Floats) -> tuple[Floats, Floats]:
    """Wins of first-listed players expected at intercepts c (point,), and their variance."""
    p = expit(_gaps(b) + c[:, None])
    return p.sum(axis=1), (p * (1.0 - p)).sum(axis=1)


def _sums(b: Floats, c: Floats) -> Floats:
    """Sum over pairs of log(1 + e^(c + b_i - b_j)) at intercepts c (point, node)."""
    gap, out = _gaps(b), np.empty(c.shape)
    if abs(gap).max(initial=0.0) + abs(c).max() > _EXPONENT:
        for k in range(c.shape[1]):
            out[:, k] = np.logaddexp(0.0, gap + c[:, k : k + 1]).sum(axis=1)
        return out
    odds, level = np.exp(gap), np.exp(c)
    # One logarithm for as many pairs as a product can hold.
    few = max(int(_EXPONENT // max(np.log1p(odds.max() * level.max()), 1.0)), 1)
    pad = -odds.shape[1] % few
    odds = np.pad(odds, ((0, 0), (0, pad))).reshape(len(b), few, -1)
    for k in range(c.shape[1]):
        term = 1.0 + odds * level[:, k, None, None]
        out[:, k] = np.log(term.prod(axis=1)).sum(axis=1)
    return out


def _slopes(b: Floats, c: Floats, weight: Floats) -> Floats:
    """Differentiate `_sums`, added up with weights (point, node), in b (point, player)."""
    i, j = np.triu_indices(b.shape[1], 1)
    gap, mean = _gaps(b), np.zeros((len(b), i.size))
    near = abs(gap).max(initial=0.0) + abs(c).max() < _EXPONENT
    odds, level = np.exp(-gap) if near else gap, np.exp(-c) if near else c
    for k in range(c.shape[1]):
        w = weight[:, k : k + 1]
        at = level[:, k : k + 1]
        mean += w / (1.0 + odds * at) if near else w * expit(odds + at)
    table = np.zeros((len(b), b.shape[1], b.shape[1]))
    table[:, i, j] = mean
    return np.asarray(table.sum(axis=2) - table.sum(axis=1))


def _interpolation(t: Floats, at: Floats) -> Floats:
    """Matrix (at, node) that interpolates values at Chebyshev's nodes t."""
    n = len(t)
    degree = np.arange(n)
    there = np.cos(degree * np.arccos(at)[:, None])
    here = np.cos(degree * np.arccos(t)[:, None])
    here[:, 0] *= 0.5
    return np.asarray(2.0 / n * there @ here.T)
