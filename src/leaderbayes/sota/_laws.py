"""Distribution of the best score given thetas, for each kind of score."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics import auc
from leaderbayes._numerics.maximum import (
    Mixture,
    Tabled,
    binomial_sd,
    boland_cdf,
    conditionals,
    copula_cdf,
    estimate_cdf,
    factor_cdf,
    independent_cdf,
    of_board,
    of_estimates,
    of_law,
)
from leaderbayes._types import Bools, Floats

Dependence = Literal["boland", "copula"]

_TOLERANCE = 1e-12  # of equation 8
_PROBABILITIES = (1e-9, 1.0 - 1e-9)  # next to 0 and to 1


@dataclass(frozen=True, kw_only=True)
class ShareLaw:
    """Shares of right answers; theta_0 is by default the highest theta."""

    n: int
    rho: float
    theta_0: float | None = None
    dependence: Dependence = "boland"

    # A maximum at least as high is one count more than below it, one at most as high is not.
    ticks = (1.0, 0.0)
    bounds = _PROBABILITIES  # of thetas

    def __call__(self, theta: Any, m: float = 0.0) -> Tabled:
        """Tabulate F for the best of classifiers (classifier,), or of m draws of theta."""
        mixture = _mixture(theta, m, lambda best: binomial_sd(self.n, best))
        rho, theta_0 = self._reference(mixture.theta if hasattr(theta, "ppf") else theta)
        if rho == 0.0:
            return independent_cdf(self.n, mixture)
        cdf = copula_cdf if self.dependence == "copula" else boland_cdf
        return cdf(self.n, mixture, rho, theta_0)

    def excluded(self, theta: Floats) -> Bools:
        """Check which classifiers (classifier,) equation 8 excludes."""
        known = np.where(np.isfinite(theta), theta, 0.5)
        rho, theta_0 = self._reference(theta)
        if rho == 0.0 or self.dependence == "copula":
            return np.zeros(len(theta), dtype=bool)
        up, down = conditionals(known, rho, theta_0)
        allowed = (down >= -_TOLERANCE) & (up <= 1.0 + _TOLERANCE)
        return np.asarray(np.isfinite(theta) & ~allowed)

    def _reference(self, theta: Floats) -> tuple[float, float]:
        theta_0 = float(np.max(theta)) if self.theta_0 is None else self.theta_0
        return (self.rho if 0.0 < theta_0 < 1.0 else 0.0), theta_0


@dataclass(frozen=True, kw_only=True)
class AucLaw:
    """AUCs of binormal scores on one test set."""

    positives: int
    negatives: int
    rho: float

    ticks = (0.5, 0.5)  # F is that of the middle between steps
    bounds = _PROBABILITIES

    def __call__(self, theta: Any, m: float = 0.0) -> Tabled:
        """Tabulate F from 0 to 1."""
        sizes = self.positives, self.negatives
        # For an AUC of 1 there is no spread.
        mixture = _mixture(theta, m, lambda best: auc.variance(min(best, 0.999), *sizes) ** 0.5)
        tabled = auc.cdf if len(mixture.theta) == 1 else auc.cdf_of_many
        load = auc.loading(mixture.theta, *sizes, self.rho)
        return Tabled(auc.STEPS, 0, factor_cdf(tabled(mixture.theta, *sizes), mixture, load))

    def excluded(self, theta: Floats) -> Bools:
        """Return no team."""
        return np.zeros(len(theta), dtype=bool)


@dataclass(frozen=True, kw_only=True)
class EstimateLaw:
    """Estimates with normal errors, (classifier,) or equal."""

    se: Any
    rho: float
    bounds: tuple[float, float] = (-math.inf, math.inf)

    ticks = (0.5, 0.5)

    def __call__(self, theta: Any, m: float = 0.0) -> Tabled:
        """Tabulate F in steps that are small relative to the range of the best score."""
        if hasattr(theta, "ppf"):
            drawn, se = of_law(theta.ppf, int(m)), np.atleast_1d(self.se)
            share = np.repeat(drawn.weight, se.size) / se.size
            mixture = Mixture(np.repeat(drawn.theta, se.size), share, m)
            return estimate_cdf(mixture, np.tile(se, len(drawn.theta)), self.rho)
        theta, se = np.broadcast_arrays(np.atleast_1d(theta), self.se)
        kept = np.isfinite(theta)
        return estimate_cdf(*of_estimates(theta[kept], se[kept], m), self.rho)

    def excluded(self, theta: Floats) -> Bools:
        """Return no team."""
        return np.zeros(len(theta), dtype=bool)


Law = ShareLaw | AucLaw | EstimateLaw


def _mixture(theta: Any, m: float, sd: Callable[[float], float]) -> Mixture:
    """Return nodes and weights for a distribution of theta."""
    law = of_law(theta.ppf, int(m)) if hasattr(theta, "ppf") else None
    known = np.atleast_1d(theta) if law is None else law.theta
    known = known[np.isfinite(known)]
    wrong = known[(known < 0.0) | (known > 1.0)]
    if wrong.size:
        hint = "; divide percentages by 100" if 1.0 < wrong[0] <= 100.0 else ""
        raise LeaderbayesError(f"theta has {wrong[0]:.6g}; probabilities are from 0 to 1{hint}.")
    return of_board(known, sd(float(known.max())), m) if law is None else law
