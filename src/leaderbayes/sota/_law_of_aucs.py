"""Law of the best AUC of many classifiers on one test set, of binormal scores."""

import math
from typing import Any

import xarray as xr

from leaderbayes._numerics import auc as numerics
from leaderbayes._numerics.maximum import Mixture, factor_cdf
from leaderbayes._types import Floats
from leaderbayes.sota._law_of_shares import lattice, mixture_of


def best_auc(sizes: tuple[int, int], theta: Any, m: int | None, rho: float) -> xr.Dataset:
    """Law of the best AUC with so many positives and negatives, as `maximum` gives it."""
    size, mixture, _ = mixture_of(theta, m, lambda best: auc_sd(best, *sizes))
    attrs = {"n": sum(sizes), "m": size, "positives": sizes[0], "negatives": sizes[1], "rho": rho}
    return lattice(0, auc_cdf(mixture, *sizes, rho), numerics.STEPS, attrs)


def auc_cdf(mixture: Mixture, positives: int, negatives: int, rho: float) -> Floats:
    """F of the best AUC at multiples of 1 / STEPS."""
    tabled = numerics.cdf if len(mixture.theta) == 1 else numerics.cdf_of_many
    load = numerics.loading(mixture.theta, positives, negatives, rho)
    return factor_cdf(tabled(mixture.theta, positives, negatives), mixture, load)


def auc_sd(auc: float, positives: int, negatives: int) -> float:
    """Give the standard deviation of an estimate; of an AUC next to 1 where it would be 0."""
    return math.sqrt(numerics.variance(min(auc, 0.999), positives, negatives))
