r"""Proposals for independence Metropolis sampling of strengths, scale and few other parameters.

.. math:: \sigma \sim \mathrm{HalfNormal}(s), \quad a_i \sim t_\nu(0, \sigma), \quad
          e_k \sim N(0, s_k^2), \quad y \sim p(y \mid a, e)

For each of a few values of log sigma (nodes, a standard deviation apart) the posterior of (a, e)
is nearly normal: Newton's method finds its mode and its whitened directions. Proposals draw log
sigma from its approximate density, then move along each direction by a number whose distribution
is the true density along that direction, so that one-sided players keep their long tails. A
model supplies its log-likelihood and gradient, for many points at once, and nothing else.

References
----------
Rue, Martino, Chopin (2009), Approximate Bayesian inference for latent Gaussian models by using
integrated nested Laplace approximations, JRSS B 71.
"""

from typing import NamedTuple

import numpy as np
from scipy.interpolate import CubicSpline, PchipInterpolator
from scipy.linalg.lapack import dtrtri
from scipy.special import ndtri

from leaderbayes._numerics.target import Target
from leaderbayes._types import Bools, Floats

_RANGE = (-7.0, 4.0)  # of log sigma: players are equal below, hundreds of log-odds apart above
_DROP = 8.0  # of the log density of log sigma, where nodes end
_FLOOR = 0.05  # of curvature along a direction, whose unit is a standard deviation
_DECREMENT = 0.03  # of Newton's method, before its last step
_STEPS = 30  # of Newton's method
# Knots of margins, in standard deviations, to 577 on either side; the second is 1.
_KNOTS = np.sinh(0.5 * np.arcsinh(1.0) * np.arange(-16, 17))
_CENTRE, _ONE, _NEAR = 16, 2, 5
_GONE = -9.0, -20.0  # log densities, at the last near knot and further, where nothing is beyond
_LEAST = -1e4  # log density
_FINE = 8  # cells between knots
_ENDS = 37.0  # standard deviations beyond which normal quantiles are no numbers
_MANY = 120  # coordinates
_LEAPS, _LEAP = 6, 0.4  # of Hamiltonian Monte Carlo; the last in standard deviations
_FARTHEST = 50.0  # asinh of a strength in units of sigma


class _Node(NamedTuple):
    """The posterior given log sigma, nearly normal."""

    log_scale: float
    mode: Floats  # (d,)
    ways: Floats  # (d, d): columns are steps of a standard deviation
    log_density: float  # of log sigma, by Laplace's method


class _Margins(NamedTuple):
    """How to move along each way: from a normal number to steps, piecewise linearly."""

    shift: Floats  # (way,): of the centre from the mode
    normal: Floats  # (way, knot)
    moved: Floats  # (way, knot)
    log_mass: float  # of all margins, over that of normal ones


class Proposals(NamedTuple):
    """Independent draws, with their log ratios of posterior to proposal density."""

    x: Floats  # (draw, player + k)
    log_scale: Floats  # (draw,)
    log_weight: Floats  # (draw,)

    def and_also(self, other: "Proposals") -> "Proposals":
        """Return the union with further draws."""
        return Proposals(*(np.concatenate(pair) for pair in zip(self, other, strict=True)))


class Engine:
    """Proposals for one posterior; nodes and margins are found once."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.order = np.arange(target.players + len(target.extra_scale))
        self.nodes = self._grid()
        # With many players log sigma is well known, and margins at all its nodes are the same.
        top = max(self.nodes, key=lambda node: node.log_density)
        alike = len(self.order) > _MANY
        self.margins = self._margins_of([top] if alike else self.nodes)
        if alike:
            self.margins *= len(self.nodes)

    def propose(self, draws: int, rng: np.random.Generator) -> Proposals:
        """Draw independently from the approximation."""
        at = np.array([node.log_scale for node in self.nodes])
        density = np.array(
            [n.log_density + m.log_mass for n, m in zip(self.nodes, self.margins, strict=True)]
        )
        t, log_density = _draw_log_scale(at, density, draws, rng)
        # Between nodes the centre moves along a line; the spread is that of the nearest.
        below = np.clip(np.searchsorted(at, t) - 1, 0, len(at) - 2)
        share = ((t - at[below]) / (at[below + 1] - at[below]))[:, None]
        centre = np.stack(
            [n.mode + n.ways @ m.shift for n, m in zip(self.nodes, self.margins, strict=True)]
        )
        x = (1.0 - share) * centre[below] + share * centre[below + 1]
        nearest = np.where(share[:, 0] > 0.5, below + 1, below)
        normal = rng.standard_normal(x.shape)
        wider = 1.0 + 0.5 / x.shape[1]
        log_density -= 0.5 * (normal**2).sum(axis=1)
        for k in np.unique(nearest):
            mine = nearest == k
            moved, log_slope = _stretch(wider * normal[mine], self.margins[k])
            ways = self.nodes[k].ways
            x[mine] += moved @ ways.T
            log_density[mine] -= log_slope + np.log(np.diag(ways[self.order])).sum()
        return Proposals(x, t, self.target.log_density(x, t) - log_density)

    def move(
        self, x: Floats, log_scale: Floats, rng: np.random.Generator, moves: int, kept: int = 1
    ) -> tuple[Floats, Floats, Floats]:
        """Move each point (point, player + k) and its log sigma.

        Log sigma takes random steps, points those of Hamiltonian Monte Carlo. Returns both after
        the last moves, of which so many are ``kept`` beside each other, and the share of the latter
        that were accepted (point,).
        """
        at = np.array([node.log_scale for node in self.nodes])
        x, t, accepted, m = x.copy(), log_scale.copy(), np.zeros(len(x)), self.target.players
        value, states = self.target.log_density(x, t), []
        for _ in range(moves):
            for power in (0.0, 1.0):  # strengths stay, and strengths stay in units of sigma
                more = (at[1] - at[0]) * rng.standard_normal(len(t))
                near = x.copy()
                near[:, :m] *= np.exp(power * more)[:, None]
                found = self.target.log_density(near, t + more)
                taken = np.log(rng.random(len(t))) < found + power * m * more - value
                x[taken], value[taken] = near[taken], found[taken]
                t[taken] += more[taken]
            nearest = abs(t[:, None] - at).argmin(axis=1)
            for k in np.unique(nearest):
                mine = nearest == k
                x[mine], value[mine], taken = self._leap(x[mine], t[mine], self.nodes[k], rng)
                accepted[mine] += taken / moves
            states.append((x.copy(), t.copy()))
            del states[:-kept]
        x, t = (np.stack(each, axis=1) for each in zip(*states, strict=True))
        return x.reshape(-1, x.shape[-1]), t.ravel(), accepted.repeat(kept)

    def _leap(
        self, x: Floats, t: Floats, node: _Node, rng: np.random.Generator
    ) -> tuple[Floats, Floats, Bools]:
        """Move points by steps of z, where strengths sigma sinh(z) are nearly normal."""
        m, sigma = self.target.players, np.exp(t)[:, None]

        def at(z: Floats) -> tuple[Floats, Floats, Floats, Floats]:
            near = np.clip(z[:, :m], -_FARTHEST, _FARTHEST)
            x, steep = z.copy(), sigma * np.cosh(near)
            x[:, :m] = sigma * np.sinh(near)
            value, pull = self.target.evaluate(x, t, True)
            pull[:, :m] = pull[:, :m] * steep + np.tanh(near)
            return x, value, value + np.log(steep).sum(axis=1), pull

        z, steep = x.copy(), np.ones((x.shape[1], 1))
        z[:, :m] = np.arcsinh(x[:, :m] / sigma)
        steep[:m, 0] = np.hypot(np.exp(node.log_scale), node.mode[:m])
        ways = node.ways / steep
        step = rng.uniform(0.5, 1.0, (len(x), 1)) * _LEAP
        p, (_, value, density, pull) = rng.standard_normal(x.shape), at(z)
        energy = density - 0.5 * (p**2).sum(axis=1)
        for _ in range(_LEAPS):
            p = p + 0.5 * step * (pull @ ways)
            z = z + (step * p) @ ways.T
            new, found, density, pull = at(z)
            p = p + 0.5 * step * (pull @ ways)
        taken = np.log(rng.random(len(x))) < density - 0.5 * (p**2).sum(axis=1) - energy
        return np.where(taken[:, None], new, x), np.where(taken, found, value), taken

    def _grid(self) -> list[_Node]:
        """Return nodes of log sigma, one standard deviation apart, over its range."""
        d, m = len(self.order), self.target.players
        node = self._at(0.0, np.zeros(d), np.eye(d))
        for _ in range(2):  # steps of the EM algorithm for normal strengths
            square = (node.mode[:m] ** 2 + (node.ways[:m] ** 2).sum(axis=1)).mean()
            node = self._at(float(np.clip(0.5 * np.log(square), *_RANGE)), node.mode, node.ways)
        # Players of whom least is known lead each way, and those follow of whom less is known.
        self.order = np.argsort(-(node.ways**2).sum(axis=1), kind="stable")
        node = self._near(node, 0.0)
        step = 1.0 / np.sqrt(m)
        for _ in range(8):
            low, high = (self._near(node, side) for side in (-step, step))
            slope = (high.log_density - low.log_density) / (2.0 * step)
            bend = (2.0 * node.log_density - low.log_density - high.log_density) / step**2
            best = max((low, node, high), key=lambda each: each.log_density)
            width = 1.0 / np.sqrt(max(bend, 1.0))
            if bend > 0.0 and abs(slope / bend) < 0.5 * width:
                break
            away = slope / bend if bend > 1e-3 else np.sign(slope)
            away = float(np.clip(away, -1.0, 1.0))
            moved = self._near(node, away)
            node = max((best, moved), key=lambda each: each.log_density)
            if not _RANGE[0] < node.log_scale < _RANGE[1]:
                break
        nodes = [node]
        for side in (-width, width):
            last, ahead = node, np.zeros_like(node.mode)
            while (
                last.log_density > node.log_density - _DROP
                and _RANGE[0] < last.log_scale < _RANGE[1]
            ):
                found = self._at(last.log_scale + side, last.mode + ahead, last.ways)
                last, ahead = found, found.mode - last.mode
                nodes.append(last)
        return sorted(nodes, key=lambda each: each.log_scale)

    def _near(self, node: _Node, away: float) -> _Node:
        return self._at(node.log_scale + away, node.mode, node.ways)

    def _at(self, t: float, mode: Floats, ways: Floats) -> _Node:
        """Find the mode given log sigma, and the ways there, from those nearby."""
        for _ in range(_STEPS):
            value, pull, ways = self._around(t, mode, ways)
            # Along Newton's step; far from the mode the best of a few lengths.
            step = ways.T @ pull
            decrement, ahead = float(step @ step), ways @ step
            if decrement < _DECREMENT:
                mode, value = mode + ahead, value + 0.5 * decrement
                break
            length = 0.5 ** np.arange(16)
            tried = self.target.log_density(mode + length[:, None] * ahead, t)
            best = int(np.argmax(tried))
            if tried[best] < value:
                break
            mode, value = mode + length[best] * ahead, float(tried[best])
        log_det = float(np.log(np.diag(ways[self.order])).sum())
        return _Node(t, mode, ways, value + log_det)

    def _around(self, t: float, mode: Floats, ways: Floats) -> tuple[float, Floats, Floats]:
        """Return log density, gradient and directions of curvature at a point."""
        d = len(mode)
        if self.target.hessian is not None:
            found, slopes = self.target.gradient(mode[None], t)
            return float(found[0]), slopes[0], self._ways_of(self.target.curvature(mode, t))
        points = np.concatenate([mode[None], mode + ways.T, mode - ways.T])
        found, slopes = self.target.gradient(points, t)
        curved = -0.5 * (slopes[1 : d + 1] - slopes[d + 1 :]) @ ways
        return float(found[0]), slopes[0], self._floored(0.5 * (curved + curved.T), ways)

    def _ways_of(self, hessian: Floats) -> Floats:
        """Find ways W of a curvature H, W'HW = 1, each led by a coordinate, in this order."""
        ordered = hessian[np.ix_(self.order, self.order)]
        try:
            lower = np.linalg.cholesky(ordered)
        except np.linalg.LinAlgError:
            # Far from the mode heavy tails curve upwards.
            unit = 1.0 / np.sqrt(abs(np.diag(hessian)) + 1e-12)
            return self._floored(hessian * unit * unit[:, None], np.diag(unit))
        new = np.empty_like(ordered)
        new[self.order] = dtrtri(lower, lower=1)[0].T
        return new

    def _floored(self, curved: Floats, root: Floats) -> Floats:
        """Find these for a curvature along ``root``, bounded below by a floor."""
        if np.isfinite(curved).all():  # it is not known so far out that the density overflows
            bend, turn = np.linalg.eigh(curved)
            root = root @ turn / np.sqrt(np.maximum(bend, _FLOOR))
        # Not by Cholesky's factor of root root': ways of very unequal lengths are none of it.
        lower = np.linalg.qr(root[self.order][::-1].T, mode="r").T
        new = np.empty_like(root)
        new[self.order] = (lower * np.copysign(1.0, np.diag(lower)))[::-1, ::-1]
        return new

    def _margins_of(self, nodes: list[_Node]) -> list[_Margins]:
        """Tabulate the density along each way, and shift the centres for the others' skewness."""
        d, mode = len(self.order), np.stack([node.mode for node in nodes])[:, None]
        ways = np.stack([node.ways for node in nodes])
        steps, t = ways.swapaxes(1, 2), np.array([node.log_scale for node in nodes])
        points = np.concatenate([mode, mode + steps, mode - steps], axis=1)
        value, slopes = self.target.evaluate(points.reshape(-1, d), np.repeat(t, 2 * d + 1), True)
        value, slopes = value.reshape(-1, 2 * d + 1), slopes.reshape(points.shape)
        top, up, down = slopes[:, :1], slopes[:, 1 : d + 1], slopes[:, d + 1 :]
        # Whitened third derivatives: along each way twice, along each once.
        third = (up + down - 2.0 * top) @ ways
        shift = 0.5 * (third.sum(axis=1) - np.diagonal(third, axis1=1, axis2=2))
        drop = np.full((*shift.shape, len(_KNOTS)), -np.inf)
        drop[:, :, _CENTRE] = 0.0

        for side, known, moved in ((1, slice(1, d + 1), up), (-1, slice(d + 1, None), down)):
            for k in range(_ONE + 2, len(_KNOTS) - _CENTRE):
                knot, last = _CENTRE + side * k, drop[:, :, _CENTRE + side * (k - 1)]
                gone = _GONE[0] if k == _NEAR + 1 else _GONE[1]
                node, way = np.nonzero((last > gone) | (k <= _NEAR))
                if not len(node):
                    break
                at = mode[node, 0] + _KNOTS[knot] * steps[node, way]
                found = self.target.evaluate(at, t[node], False)[0]
                drop[node, way, knot] = found - value[node, 0]
            one, slope = value[:, known] - value[:, :1], side * (moved * steps).sum(axis=2)
            between = _CENTRE + side * np.arange(1, _ONE + 2)
            far, end = drop[:, :, _CENTRE + side * (_ONE + 2)], _KNOTS[_CENTRE + _ONE + 2]
            far = np.maximum(far, _LEAST)
            drop[:, :, between] = _between(abs(_KNOTS[between]), one, slope, far, end)
        tables = _tables(np.minimum(drop, 50.0))
        return [_Margins(*each) for each in zip(shift, *tables, strict=True)]


def _between(u: Floats, one: Floats, slope: Floats, far: Floats, end: float) -> Floats:
    """Interpolate u^2 (a + b u + c u^2) by its value and slope at 1, and its value at the end."""
    b_and_2c, b_and_more = slope - 2.0 * one, (far / end**2 - one) / (end - 1.0)
    c = (b_and_more - b_and_2c) / (end - 1.0)
    b = b_and_2c - 2.0 * c
    a = one - b - c
    return np.asarray(u**2 * (a[..., None] + b[..., None] * u + c[..., None] * u**2))


def _tables(drop: Floats) -> tuple[Floats, Floats, Floats]:
    """Map normal numbers to steps (..., way, knot), by log densities at `_KNOTS`."""
    # Beside a Cauchy density a margin is smooth between knots of asinh.
    s = np.arcsinh(_KNOTS)
    fine = np.linspace(s[0], s[-1], _FINE * (len(s) - 1) + 1)
    u = np.sinh(fine)
    beside = np.maximum(drop + np.log1p(_KNOTS**2), _LEAST)
    log = PchipInterpolator(s, beside, axis=-1)(fine) - np.log1p(u**2)
    density = np.exp(log)
    mass = 0.5 * (density[..., 1:] + density[..., :-1]) * np.diff(u)
    mass = np.maximum(mass, 1e-300)
    total = mass.sum(axis=-1, keepdims=True)
    # From both ends, so that neither tail loses its digits.
    none = np.zeros((*drop.shape[:-1], 1))
    left = np.concatenate([none, np.cumsum(mass, axis=-1)], axis=-1) / total
    right = np.concatenate([np.cumsum(mass[..., ::-1], axis=-1)[..., ::-1], none], axis=-1) / total
    z = np.copysign(np.maximum(ndtri(np.minimum(left, right)), -_ENDS), left - right)
    log_mass = np.log(total).sum(axis=(-2, -1)) - 0.5 * drop.shape[-2] * np.log(2.0 * np.pi)
    return z, np.broadcast_to(u, z.shape), log_mass


def _stretch(normal: Floats, margins: _Margins) -> tuple[Floats, Floats]:
    """Stretch normal numbers to steps (draw, way); add up the logs of their slopes (draw,)."""
    ways = len(margins.normal)
    # All ways' knots in one row, far from each other's. Those that coincide at the ends carry no
    # probability.
    apart = 4.0 * _ENDS * np.arange(ways)
    row = (margins.normal + apart[:, None]).ravel()
    at = np.searchsorted(row, normal + apart) - 1
    z, u = margins.normal.ravel(), margins.moved.ravel()
    gap = z[at + 1] - z[at]
    slope = (u[at + 1] - u[at]) / gap
    return u[at] + slope * (normal - z[at]), np.log(slope).sum(axis=1)


def _draw_log_scale(
    nodes: Floats, log_density: Floats, draws: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw log sigma by a spline of its log density at nodes, and return the density there."""
    fine = np.linspace(nodes[0], nodes[-1], 64 * (len(nodes) - 1) + 1)
    density = np.exp(CubicSpline(nodes, log_density)(fine) - log_density.max())
    mass = 0.5 * (density[1:] + density[:-1])
    below = np.append(0.0, np.cumsum(mass))
    t = np.interp(rng.random(draws), below / below[-1], fine)
    cell = np.clip(np.searchsorted(fine, t) - 1, 0, len(mass) - 1)
    return t, np.log(mass[cell])
