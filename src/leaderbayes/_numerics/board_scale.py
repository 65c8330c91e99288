"""Scales on which scores have equal errors, and boards drawn from thetas on them.

Where all teams share the luck of the test set, it moves the scale along: the board shows where
thetas are on the scale, and only the distribution of the luck what they are.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betainc, logit, ndtr, ndtri

from leaderbayes._numerics import flexible_law
from leaderbayes._numerics.counts import Counts, allowed, conditionals_at
from leaderbayes._numerics.maximum import conditionals
from leaderbayes._numerics.theta_cells import (
    END,
    Cells,
    cells,
    cells_of_counts,
    of_counts,
    of_estimates,
    own_share,
)
from leaderbayes._types import Floats, Longs

_TRIALS = 30  # draws of a team that must score above the floor


class Luck(NamedTuple):
    """Shared luck of teams, and its effect on each score in its cells."""

    rho: float
    ease: float  # of the test set, in standard deviations
    shift: float  # of the cells
    value: Floats  # likelihood of each score in its cells, up to a factor
    factor: Floats  # logarithm of each score's factor


class Placed(NamedTuple):
    """Positions of teams given P(theta)."""

    at: Floats  # (team,): theta of each team of the board
    new: Floats  # (team,): of as many other teams
    log_likelihood: Floats  # (team,): of each score, its theta integrated out


@dataclass(frozen=True)
class CountScale:
    r"""Right answers, on :math:`\arcsin \sqrt{\theta}`, on which each errs by 1 / (2 sqrt n)."""

    board: Counts
    rho: Any  # a number, or a frozen scipy.stats distribution
    theta_0: float
    fine: float = 1.0  # how much smaller cells are

    @property
    def times(self) -> Longs:
        """Number of teams that have each count, (count,)."""
        return self.board.times

    @property
    def of(self) -> Longs:
        """Position of each team's count, (team,)."""
        return self.board.of

    @cached_property
    def cells(self) -> Cells:
        """Where thetas may lie."""
        return cells_of_counts(self.board.x, self.board.n, self.rho, self.fine)

    def theta(self, at: Floats, rho: float, ease: float) -> Floats:
        """Return thetas at points of the scale, without luck."""
        if rho > 0.0:
            luck = 0.5 * ease / math.sqrt(self.board.n)
            at = at - luck * allowed(np.sin(at) ** 2, rho, self.theta_0)
        return np.asarray(np.sin(np.clip(at, END, 0.5 * math.pi - END)) ** 2)

    def score(self, theta: Floats) -> Floats:
        """Return expected scores of thetas."""
        return theta

    def unscore(self, score: Floats) -> Floats:
        """Return thetas of expected scores."""
        return score

    def luck(self, rho: float, ease: float, shift: float = 0.0) -> Luck:
        """Return the likelihood of the counts, all above the floor, given the luck."""
        given, board = self.cells, self.board
        theta = self.theta(given.middle + shift, rho, ease)
        node = conditionals_at(board.n, np.log(theta / (1.0 - theta)), rho, self.theta_0, ease)
        seen = np.zeros(len(theta))
        if board.floor >= 0:
            less, size, log_p, _, _ = node.T
            y = np.clip(board.floor + 1.0 - less, 1e-12, size + 1.0 - 1e-12)
            with np.errstate(divide="ignore"):
                seen = np.log(betainc(y, size - y + 1.0, np.exp(log_p)))
        return Luck(rho, ease, shift, *of_counts(given, board.x, node, seen))

    def up_to(self, team: int, theta: Floats, rho: Floats, ease: Floats) -> tuple[Floats, Floats]:
        """P(a score below this team's) and P(one up to it) of thetas (draw,), given the luck."""
        n, x = self.board.n, float(self.board.x[self.of[team]])
        nodes = [
            conditionals_at(n, eta[None], shared, self.theta_0, z)
            for eta, shared, z in zip(logit(theta), rho, ease, strict=True)
        ]
        less, size, log_p, _, _ = np.concatenate(nodes).T
        y = np.clip([x - less, x + 1.0 - less], 1e-12, size + 1.0 - 1e-12)
        below, up_to = 1.0 - betainc(y, size - y + 1.0, np.exp(log_p))
        return below, up_to

    def replicate(
        self, theta: Floats, rho: Floats, rng: np.random.Generator, *, above: bool = False
    ) -> Floats:
        """Draw scores (draw, team) on another test set; ``above``: of who is above the floor."""
        n, floor = self.board.n, self.board.floor if above else -1
        right = rng.binomial(n, self.theta_0, size=(len(theta), 1))
        return draw_counts(theta, n, right, rho[:, None], self.theta_0, rng, floor) / n


@dataclass(frozen=True)
class EstimateScale:
    """Estimates with normal errors, as they are; AUCs by their probits."""

    estimate: Floats  # (team,)
    se: Floats  # (team,)
    rho: Any
    probit: bool = False
    fine: float = 1.0

    @property
    def times(self) -> Longs:
        """One each, (team,)."""
        return np.ones(len(self.estimate), np.int64)

    @property
    def of(self) -> Longs:
        """Everyone's own, (team,)."""
        return np.arange(len(self.estimate))

    @cached_property
    def cells(self) -> Cells:
        """Where thetas may lie."""
        own, fine = own_share(self.rho)
        return cells(self.estimate, own * self.se, -math.inf, math.inf, fine * self.fine)

    def theta(self, at: Floats, rho: float, ease: float) -> Floats:
        """Places less the luck of the team in the middle."""
        return at - rho * ease * float(np.median(self.se))

    def score(self, theta: Floats) -> Floats:
        """Return expected scores of thetas on the scale."""
        return np.asarray(ndtr(theta)) if self.probit else theta

    def unscore(self, score: Floats) -> Floats:
        """Thetas on the scale of expected scores."""
        return np.asarray(ndtri(score)) if self.probit else score

    def luck(self, rho: float, ease: float, shift: float = 0.0) -> Luck:
        """Return the likelihood of the estimates given the luck."""
        given = self.cells
        theta = self.theta(given.middle + shift, rho, ease)
        seen, own = self.estimate - rho * ease * self.se, math.sqrt(1.0 - rho**2) * self.se
        return Luck(rho, ease, shift, *of_estimates(given, seen, own, theta))

    def up_to(self, team: int, theta: Floats, rho: Floats, ease: Floats) -> tuple[Floats, Floats]:
        """P(a score below this team's) and P(one up to it) of thetas (draw,), given the luck."""
        se = self.se[team]
        off = self.estimate[team] - self.unscore(theta) - rho * ease * se
        up_to = ndtr(off / (np.sqrt(1.0 - rho**2) * se))
        return up_to, up_to

    def replicate(
        self, theta: Floats, rho: Floats, rng: np.random.Generator, *, above: bool = False
    ) -> Floats:
        """Draw scores (draw, team) on another test set with the same standard errors."""
        common = rho[:, None] * rng.standard_normal((len(theta), 1))
        own = np.sqrt(1.0 - rho[:, None] ** 2) * rng.standard_normal(theta.shape)
        return self.score(theta + self.se * (common + own))


Scale = CountScale | EstimateScale


def place(scale: Scale, law: Floats, luck: Luck, rng: np.random.Generator) -> Placed:
    """Draw teams, and others like them, given P(theta) by the weights of its cells (cell,)."""
    at, log = flexible_law.place(scale.cells, luck.value, law, scale.of, rng)
    new = flexible_law.draw(scale.cells, law, len(scale.of), rng)
    at, new = (scale.theta(x + luck.shift, luck.rho, luck.ease) for x in (at, new))
    return Placed(at, new, (log + luck.factor)[scale.of])


def draw_counts(
    theta: Floats, n: int, right: Longs, rho: Any, theta_0: float, rng: np.random.Generator,
    floor: int = -1,
) -> Longs:  # fmt: skip
    """Draw counts, above the floor, where the reference is right on so many instances."""
    theta = np.clip(theta, 1e-12, 1.0 - 1e-12)
    theta, right, rho = map(np.array, np.broadcast_arrays(theta, right, rho))
    count, alone = np.full(theta.shape, floor), not rho.any()
    if not alone:
        up, down = conditionals(theta, allowed(theta, rho, theta_0), theta_0)
        up, down = np.clip(up, 0.0, 1.0), np.clip(down, 0.0, 1.0)
    for _ in range(_TRIALS):
        low = count <= floor
        if not low.any():
            break
        if alone:
            count[low] = rng.binomial(n, theta[low])
        else:
            count[low] = rng.binomial(right[low], up[low])
            count[low] += rng.binomial(n - right[low], down[low])
    return count
