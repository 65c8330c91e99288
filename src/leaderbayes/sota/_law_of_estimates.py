"""Law of the best of many estimates with standard errors, of any metric."""

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.maximum import (
    Mixture,
    estimate_cdf,
    estimate_window,
    of_estimates,
    of_law,
    steps_of,
)
from leaderbayes._types import Floats
from leaderbayes.sota._law_of_shares import check_many, lattice


def best_estimate(se: ArrayLike, theta: Any, m: int | None, rho: float) -> xr.Dataset:
    """Law of the highest estimate, as `maximum` gives it."""
    check_many(m)
    size, mixture, errors = _nodes(_errors(se), theta, m)
    steps = steps_of(*estimate_window(mixture, errors))
    low, cdf = estimate_cdf(mixture, errors, rho, steps)
    return lattice(low, cdf, steps, {"m": size, "rho": rho})


def _errors(se: ArrayLike) -> Floats:
    """Check standard errors."""
    values = np.asarray(se, dtype=float)
    wrong = ~((values > 0.0) & np.isfinite(values))
    if values.size == 0 or values.ndim > 1 or wrong.any():
        held = f" and holds {values[wrong][0]:g}" if wrong.any() else ""
        raise LeaderbayesError(
            f"se has the shape {values.shape}{held}: give one standard error above 0, or one for "
            "each classifier."
        )
    return values


def _nodes(se: Floats, theta: Any, m: int | None) -> tuple[int, Mixture, Floats]:
    """Give the number of classifiers, where their thetas lie, and the standard errors there."""
    if hasattr(theta, "ppf"):
        if m is None:
            raise LeaderbayesError("theta is drawn from a distribution: give m, how many are.")
        drawn, many = of_law(theta.ppf, int(m)), np.atleast_1d(se)
        nodes = Mixture(
            np.repeat(drawn.theta, many.size), np.repeat(drawn.weight, many.size) / many.size, m
        )
        return int(m), nodes, np.tile(many, len(drawn.theta))
    values = np.asarray(theta, dtype=float)
    if values.size == 0 or values.ndim > 1 or not np.isfinite(values).all():
        raise LeaderbayesError("theta is neither a number nor an array of them, without gaps.")
    if values.ndim and se.ndim and len(values) != len(se):
        raise LeaderbayesError(
            f"There are {len(values)} thetas and {len(se)} standard errors: give as many of both."
        )
    values, se = np.broadcast_arrays(values, se)
    if m is None:
        if values.ndim == 0:
            raise LeaderbayesError("theta and se are numbers: give m, how many classifiers.")
        return len(values), *of_estimates(values, se)
    if values.ndim == 0:
        return int(m), Mixture(values.reshape(1), np.array([float(m)]), 0.0), se.reshape(1)
    share = np.full(len(values), 1.0 / len(values))
    return int(m), Mixture(values, share, float(m)), se
