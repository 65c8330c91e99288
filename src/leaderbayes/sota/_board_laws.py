"""Distributions of a board's best score given the thetas, one for each kind of score."""

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import xarray as xr

from leaderbayes._numerics import auc
from leaderbayes._numerics.maximum import (
    binomial_sd,
    estimate_cdf,
    estimate_window,
    moments,
    of_board,
    of_estimates,
    steps_of,
)
from leaderbayes._scores.facts import Facts
from leaderbayes._types import Floats
from leaderbayes.sota._laws import Dependence, auc_cdf, auc_sd, cdf_of, feasible

Convention = Literal["correct", "published"]

_PROBABILITIES = (1e-9, 1.0 - 1e-9)  # next to 0 and to 1


class Tabled(NamedTuple):
    """F of the best score at low / steps, (low + 1) / steps, and so on."""

    steps: float
    low: int
    cdf: Floats
    excluded: int = 0  # classifiers, by equation 8

    @property
    def mean(self) -> float:
        """The expected best score."""
        return moments(self.steps, self.low, self.cdf)[0]

    def quantile(self, tail: float) -> float:
        """Score, in steps, at which F is this; between steps a line, so that limits are smooth."""
        return self.low + float(np.interp(tail, self.cdf, np.arange(len(self.cdf))))


@dataclass(frozen=True)
class ShareLaw:
    """The best share of right answers of classifiers with these thetas."""

    n: int
    rho: float
    theta_0: float | None
    dependence: Dependence
    convention: Convention

    # A maximum at least as high is one count more than below it, one at most as high is not.
    ticks: ClassVar[tuple[float, float]] = (1.0, 0.0)
    bounds: ClassVar[tuple[float, float]] = _PROBABILITIES  # of thetas

    def __call__(self, theta: Floats) -> Tabled:
        """Table F at counts."""
        teams = len(theta)
        theta = theta[np.isfinite(theta)]
        kept = np.ones(len(theta), dtype=bool)
        reference = float(theta.max()) if self.theta_0 is None else self.theta_0
        # A reference that is always right depends on nothing.
        rho = self.rho if 0.0 < reference < 1.0 else 0.0
        if rho > 0.0 and self.dependence == "boland":
            kept = feasible(theta, rho, reference)
        excluded = int((~kept).sum())
        sd = binomial_sd(self.n, float(theta.max()))
        mixture = of_board(theta[kept], sd, _draws(teams - excluded, self.convention))
        low, cdf = cdf_of(self.n, mixture, rho, reference, self.dependence)
        return Tabled(self.n, low, cdf, excluded)


@dataclass(frozen=True)
class AucLaw:
    """The best AUC of classifiers with these AUCs."""

    positives: int
    negatives: int
    rho: float
    convention: Convention

    ticks: ClassVar[tuple[float, float]] = (0.5, 0.5)  # F is that of the middle between steps
    bounds: ClassVar[tuple[float, float]] = _PROBABILITIES

    def __call__(self, theta: Floats) -> Tabled:
        """Table F from 0 to 1."""
        sizes, draws = (self.positives, self.negatives), _draws(len(theta), self.convention)
        theta = theta[np.isfinite(theta)]
        mixture = of_board(theta, auc_sd(float(theta.max()), *sizes), draws)
        return Tabled(auc.STEPS, 0, auc_cdf(mixture, *sizes, self.rho))


@dataclass(frozen=True)
class EstimateLaw:
    """The best estimate of teams with these thetas and standard errors of their own."""

    se: Floats  # (team,)
    rho: float
    bounds: tuple[float, float]

    ticks: ClassVar[tuple[float, float]] = (0.5, 0.5)

    def __call__(self, theta: Floats) -> Tabled:
        """Table F in steps that are small against the range of the best score."""
        kept = np.isfinite(theta)
        mixture, se = of_estimates(theta[kept], self.se[kept])
        steps = steps_of(*estimate_window(mixture, se))
        return Tabled(steps, *estimate_cdf(mixture, se, self.rho, steps))


Law = ShareLaw | AucLaw | EstimateLaw


def law_of(
    board: xr.DataArray,
    known: Facts,
    rho: float,
    theta_0: float | None,
    dependence: Dependence,
    convention: Convention,
) -> Law:
    """Return the distribution of a board's maximum given thetas, by its metric."""
    if known.sizes is not None:
        return AucLaw(*known.sizes, rho, convention)
    if known.n is not None:
        return ShareLaw(known.n, rho, theta_0, dependence, convention)
    se, best = board["se"].to_numpy().astype(float), float(board.max())
    far = 10.0 * float(se.max())
    return EstimateLaw(se, rho, (best - far, best + far))


def _draws(teams: int, convention: Convention) -> float:
    """Number of draws from the thetas; 0 where each team is taken once."""
    return float(teams) if convention == "published" else 0.0
