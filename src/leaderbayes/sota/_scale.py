"""Scales on which scores err alike, for a law of thetas that is learnt on one."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from scipy.special import betainc

from leaderbayes._numerics.best_of_variants import at_most
from leaderbayes._numerics.counts import Counts, allowed, conditionals_at
from leaderbayes._numerics.flexible_law import (
    END,
    Cells,
    cells,
    cells_of_counts,
    of_counts,
    of_estimates,
    own_share,
)
from leaderbayes._types import Floats, Longs
from leaderbayes.sota._model_of_counts import CountBoard
from leaderbayes.sota._model_of_estimates import EstimateBoard
from leaderbayes.sota._variants import Variants


class Scale(Protocol):
    """What a board is, on a scale less the luck that all share.

    Where the teams' common luck moves all scores it moves the scale along: the board says where
    thetas are on it, and only the luck's own law what they are.
    """

    @property
    def times(self) -> Longs:
        """Teams that have a score, (score,)."""

    @property
    def of(self) -> Longs:
        """Position of each team's score, (team,)."""

    @property
    def cells(self) -> Cells:
        """Where thetas may lie."""

    def likelihood(self, rho: float, ease: float, shift: float = 0.0) -> tuple[Floats, Floats]:
        """Of each score in its cells, (cell of any,); logarithm of its factor, (score,).

        shift: of all cells, where no common luck moves them.
        """

    def theta(self, at: Floats, rho: float, ease: float) -> Floats:
        """Thetas of places on the scale."""


def scale_of(model: CountBoard | EstimateBoard) -> Scale:
    """Give the scale of a board's model."""
    if isinstance(model, CountBoard):
        return CountScale(model.board, model.rho, model.theta_0, model.variants)
    return EstimateScale(model.estimate, model.se, model.rho)


@dataclass(frozen=True)
class CountScale:
    r"""Right answers, on :math:`\arcsin \sqrt{\theta}`, on which each errs by 1 / (2 sqrt n)."""

    board: Counts
    rho: Any
    theta_0: float
    variants: Variants | None = None

    @property
    def times(self) -> Longs:
        """Teams that have a count, (count,)."""
        return self.board.times

    @property
    def of(self) -> Longs:
        """Position of each team's count, (team,)."""
        return self.board.of

    @cached_property
    def cells(self) -> Cells:
        """Where thetas may lie."""
        return cells_of_counts(self.board.x, self.board.n, self.rho)

    def theta(self, at: Floats, rho: float, ease: float) -> Floats:
        """Take the luck off, as if a theta here were known; what it is matters to nobody."""
        if rho > 0.0:
            luck = 0.5 * ease / math.sqrt(self.board.n)
            at = at - luck * allowed(np.sin(at) ** 2, rho, self.theta_0)
        return np.asarray(np.sin(np.clip(at, END, 0.5 * math.pi - END)) ** 2)

    def likelihood(self, rho: float, ease: float, shift: float = 0.0) -> tuple[Floats, Floats]:
        """Of counts above the floor: who is on the board is."""
        given, board = self.cells, self.board
        theta = self.theta(given.middle + shift, rho, ease)
        node = conditionals_at(board.n, np.log(theta / (1.0 - theta)), rho, self.theta_0, ease)
        seen = np.zeros(len(theta))
        if board.floor >= 0:
            shift, size, log_p, _, _ = node.T
            y = np.clip(board.floor + 1.0 - shift, 1e-12, size + 1.0 - 1e-12)
            above = betainc(y, size - y + 1.0, np.exp(log_p))
            if self.variants is not None:
                above = 1.0 - self.variants.at_most(1.0 - above)
            with np.errstate(divide="ignore"):
                seen = np.log(above)
        value, factor = of_counts(given, board.x, node, seen)
        if self.variants is None:
            return value, factor
        return self._best(self.variants, node, seen, value, factor)

    def _best(
        self, variants: Variants, node: Floats, seen: Floats, value: Floats, factor: Floats
    ) -> tuple[Floats, Floats]:
        """Likelihood of counts that are the best of variants, of that of one variant's counts."""
        given = self.cells
        near = np.diff(given.row)
        score = np.repeat(np.arange(len(near)), near)
        cell = given.first[score] + np.arange(len(score)) - given.row[score]
        # Of one variant, whether or not it is above the floor.
        p = value * np.exp(factor[score] + seen[cell])
        upto = at_most(given, self.board.x, node, p)
        value = value * variants.chosen(p, upto)
        top = np.maximum.reduceat(value, given.row[:-1])
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.nan_to_num(value / top[score]), factor + np.log(top)


@dataclass(frozen=True)
class EstimateScale:
    """Estimates with normal errors, as they are."""

    estimate: Floats  # (team,)
    se: Floats  # (team,)
    rho: Any

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
        return cells(self.estimate, own * self.se, -math.inf, math.inf, fine)

    def theta(self, at: Floats, rho: float, ease: float) -> Floats:
        """Take off the luck of the team in the middle."""
        return at - rho * ease * float(np.median(self.se))

    def likelihood(self, rho: float, ease: float, shift: float = 0.0) -> tuple[Floats, Floats]:
        """Of estimates given the luck."""
        given = self.cells
        theta = self.theta(given.middle + shift, rho, ease)
        seen = self.estimate - rho * ease * self.se
        value, factor = of_estimates(given, seen, math.sqrt(1.0 - rho**2) * self.se, theta)
        return value, factor
