"""Distribution of the best score of many classifiers, for each kind of score."""

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from leaderbayes._arguments import number, one_of, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics import auc
from leaderbayes._numerics.maximum import (
    Mixture,
    binomial_sd,
    boland_cdf,
    conditionals,
    copula_cdf,
    estimate_cdf,
    estimate_window,
    factor_cdf,
    independent_cdf,
    moments,
    of_board,
    of_estimates,
    of_law,
    quantiles,
    steps_of,
)
from leaderbayes._types import Bools, Floats

Dependence = Literal["boland", "copula"]

PROBABILITY = np.array([0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975])
_TOLERANCE = 1e-12


def best_share(
    n: int, theta: Any, m: int | None, rho: float, theta_0: float | None, dependence: Dependence
) -> xr.Dataset:
    """Distribution of the best share of right answers, as `maximum` returns it."""
    size, mixture, thetas = _shares(theta, m, lambda best: binomial_sd(n, best))
    reference = float(thetas.max()) if theta_0 is None else float(theta_0)
    _check_reference(thetas, rho, reference, dependence)
    low, inside = cdf_of(n, mixture, rho, reference, dependence)
    cdf = np.concatenate(
        [np.zeros(low), np.minimum(inside, 1.0), np.ones(n - low - len(inside) + 1)]
    )
    attrs = {"n": n, "m": size, "rho": rho, "theta_0": reference, "dependence": dependence}
    made = _dataset(low, inside, n, attrs, x=np.arange(n + 1), cdf=cdf)
    return made.assign(pmf=("x", np.maximum(np.diff(cdf, prepend=0.0), 0.0)))


def best_auc(sizes: tuple[int, int], theta: Any, m: int | None, rho: float) -> xr.Dataset:
    """Distribution of the best AUC with so many positives and negatives."""
    size, mixture, _ = _shares(theta, m, lambda best: auc_sd(best, *sizes))
    attrs = {"n": sum(sizes), "m": size, "positives": sizes[0], "negatives": sizes[1], "rho": rho}
    return _dataset(0, auc_cdf(mixture, *sizes, rho), auc.STEPS, attrs)


def best_estimate(se: ArrayLike, theta: Any, m: int | None, rho: float) -> xr.Dataset:
    """Distribution of the highest estimate with these standard errors."""
    size, mixture, errors = _estimates(np.asarray(se, dtype=float), theta, m)
    steps = steps_of(*estimate_window(mixture, errors))
    low, cdf = estimate_cdf(mixture, errors, rho, steps)
    return _dataset(low, cdf, steps, {"m": size, "rho": rho})


def cdf_of(
    n: int, mixture: Mixture, rho: float, theta_0: float, dependence: str
) -> tuple[int, Floats]:
    """F of the best count from its first count on; of thetas that `feasible` allows."""
    if rho == 0.0:
        return independent_cdf(n, mixture)
    if dependence == "copula":
        return copula_cdf(n, mixture, rho, theta_0)
    return boland_cdf(n, mixture, rho, theta_0)


def auc_cdf(mixture: Mixture, positives: int, negatives: int, rho: float) -> Floats:
    """F of the best AUC at multiples of 1 / STEPS."""
    tabled = auc.cdf if len(mixture.theta) == 1 else auc.cdf_of_many
    load = auc.loading(mixture.theta, positives, negatives, rho)
    return factor_cdf(tabled(mixture.theta, positives, negatives), mixture, load)


def auc_sd(theta: float, positives: int, negatives: int) -> float:
    """Standard deviation of an estimate; of an AUC next to 1 where it would be 0."""
    return math.sqrt(auc.variance(min(theta, 0.999), positives, negatives))


def feasible(theta: Floats, rho: float, theta_0: float) -> Bools:
    """Whether equations 6 and 7 give probabilities (equation 8), by classifier."""
    up, down = conditionals(theta, rho, theta_0)
    return np.asarray((down >= -_TOLERANCE) & (up <= 1.0 + _TOLERANCE))


def check_dependence(rho: float, dependence: str = "boland") -> None:
    """Raise unless these are a correlation and a model of dependence."""
    number("rho", rho, at_least=0.0, at_most=1.0)
    one_of("dependence", dependence, "boland", "copula")


def _check_reference(theta: Floats, rho: float, theta_0: float, dependence: str) -> None:
    """Raise where the dependence is impossible, naming the thetas that equation 8 excludes."""
    if rho == 0.0:
        return
    if not 0.0 < theta_0 < 1.0:
        raise LeaderbayesError(
            f"theta_0={theta_0}: a reference that is always, or never, right depends on nothing; "
            "give theta_0 between 0 and 1, or rho=0."
        )
    excluded = theta[~feasible(theta, rho, theta_0)]
    if dependence == "boland" and excluded.size:
        named = ", ".join(f"{t:.4g}" for t in excluded[:5])
        raise LeaderbayesError(
            f"Equation 8 excludes theta {named}{' and more' if excluded.size > 5 else ''} at "
            f"theta_0={theta_0:.4g}, rho={rho}: leave these out, lower rho, or take "
            "dependence='copula'."
        )


def _shares(
    theta: Any, m: int | None, sd: Callable[[float], float]
) -> tuple[int, Mixture, Floats]:
    """Return the number of classifiers, where their thetas lie, and the thetas that occur.

    sd: standard deviation of the best one's score.
    """
    many = _many(theta, m)
    if hasattr(theta, "ppf"):
        mixture = of_law(theta.ppf, many)
        return many, _probabilities(mixture), mixture.theta
    values = np.asarray(theta, dtype=float)
    if values.size == 0:
        raise LeaderbayesError("There is no theta: give one at least.")
    thetas = values.ravel()
    if m is None:
        _probabilities(Mixture(thetas, thetas, 0.0))
        return many, of_board(thetas, sd(float(thetas.max()))), thetas
    distinct, counts = np.unique(thetas, return_counts=True)
    one = values.ndim == 0
    weight = np.array([float(many)]) if one else counts / thetas.size
    return many, _probabilities(Mixture(distinct, weight, 0.0 if one else float(many))), distinct


def _estimates(se: Floats, theta: Any, m: int | None) -> tuple[int, Mixture, Floats]:
    """Return the number of classifiers, where their thetas lie, and the standard errors there."""
    wrong = ~((se > 0.0) & np.isfinite(se))
    if se.size == 0 or se.ndim > 1 or wrong.any():
        held = f" and holds {se[wrong][0]:g}" if wrong.any() else ""
        raise LeaderbayesError(
            f"se has the shape {se.shape}{held}: give one standard error above 0, or one for "
            "each classifier."
        )
    if hasattr(theta, "ppf"):
        m = _many(theta, m)
        drawn, errors = of_law(theta.ppf, m), np.atleast_1d(se)
        share = np.repeat(drawn.weight, errors.size) / errors.size
        nodes = Mixture(np.repeat(drawn.theta, errors.size), share, m)
        return m, nodes, np.tile(errors, len(drawn.theta))
    values = np.asarray(theta, dtype=float)
    if values.size == 0 or values.ndim > 1 or not np.isfinite(values).all():
        raise LeaderbayesError("theta is neither a number nor an array of them, without gaps.")
    if values.ndim and se.ndim and len(values) != len(se):
        raise LeaderbayesError(
            f"There are {len(values)} thetas and {len(se)} standard errors: give as many of both."
        )
    values, se = np.broadcast_arrays(values, se)
    many = _many(values, m)
    if m is None:
        return many, *of_estimates(values, se)
    if values.ndim == 0:
        return many, Mixture(values.reshape(1), np.array([float(many)]), 0.0), se.reshape(1)
    return many, Mixture(values, np.full(len(values), 1.0 / len(values)), float(many)), se


def _many(theta: Any, m: int | None) -> int:
    """Check the number of classifiers, or count them."""
    if m is not None:
        return whole("m", m)
    if hasattr(theta, "ppf"):
        raise LeaderbayesError("theta is drawn from a distribution: give m, how many are.")
    if np.ndim(theta) == 0:
        raise LeaderbayesError("theta is one number: give m, how many classifiers have it.")
    return int(np.size(theta))


def _probabilities(mixture: Mixture) -> Mixture:
    """Raise unless all thetas are numbers from 0 to 1."""
    wrong = mixture.theta[~((mixture.theta >= 0.0) & (mixture.theta <= 1.0))]
    if wrong.size:
        hint = "; divide percentages by 100" if 1.0 < wrong[0] <= 100.0 else ""
        raise LeaderbayesError(f"theta holds {wrong[0]:.6g}: probabilities are from 0 to 1{hint}.")
    return mixture


def _dataset(
    low: int, inside: Floats, steps: float, attrs: dict[str, Any], **given: Floats
) -> xr.Dataset:
    """Return a maximum's F, tabled at low / steps, (low + 1) / steps, and so on, as a Dataset."""
    mean, sd = moments(steps, low, inside)
    x = given.get("x", (low + np.arange(len(inside))) / steps)
    return xr.Dataset(
        {
            "cdf": ("x", given.get("cdf", inside)),
            "mean": mean,
            "sd": sd,
            "quantile": ("probability", quantiles(steps, low, inside, PROBABILITY)),
        },
        coords={"x": x, "probability": PROBABILITY},
        attrs=attrs,
    )
