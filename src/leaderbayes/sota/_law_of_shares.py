"""Law of the best share of right answers on one test set, and what all such laws have."""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import xarray as xr

from leaderbayes._arguments import number, one_of, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.maximum import (
    Mixture,
    binomial_sd,
    boland_cdf,
    conditionals,
    copula_cdf,
    independent_cdf,
    moments,
    of_board,
    of_law,
    quantiles,
)
from leaderbayes._types import Bools, Floats

Dependence = Literal["boland", "copula"]

PROBABILITY = np.array([0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975])
_TOLERANCE = 1e-12


def best_share(
    n: int, theta: Any, m: int | None, rho: float, theta_0: float | None, dependence: Dependence
) -> xr.Dataset:
    """Law of the best share of right answers, as `maximum` gives it."""
    size, mixture, thetas = mixture_of(theta, m, lambda best: binomial_sd(n, best))
    reference = float(thetas.max()) if theta_0 is None else float(theta_0)
    check_reference(thetas, rho, reference, dependence)
    low, inside = cdf_of(n, mixture, rho, reference, dependence)
    cdf = np.concatenate(
        [np.zeros(low), np.minimum(inside, 1.0), np.ones(n - low - len(inside) + 1)]
    )
    mean, sd = moments(n, low, inside)
    return xr.Dataset(
        {
            "pmf": ("x", np.maximum(np.diff(cdf, prepend=0.0), 0.0)),
            "cdf": ("x", cdf),
            "mean": mean,
            "sd": sd,
            "quantile": ("probability", quantiles(n, low, inside, PROBABILITY)),
        },
        coords={"x": np.arange(n + 1), "probability": PROBABILITY},
        attrs={"n": n, "m": size, "rho": rho, "theta_0": reference, "dependence": dependence},
    )


def cdf_of(
    n: int, mixture: Mixture, rho: float, theta_0: float, dependence: str
) -> tuple[int, Floats]:
    """F from its first count on; of thetas that `feasible` allows."""
    if rho == 0.0:
        return independent_cdf(n, mixture)
    if dependence == "copula":
        return copula_cdf(n, mixture, rho, theta_0)
    return boland_cdf(n, mixture, rho, theta_0)


def check_reference(theta: Floats, rho: float, theta_0: float, dependence: str) -> None:
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


def feasible(theta: Floats, rho: float, theta_0: float) -> Bools:
    """Whether equations 6 and 7 give probabilities (equation 8 and its like), by classifier."""
    up, down = conditionals(theta, rho, theta_0)
    return np.asarray((down >= -_TOLERANCE) & (up <= 1.0 + _TOLERANCE))


def check_many(m: int | None) -> None:
    """Raise unless m, where it is given, is a number of classifiers."""
    if m is not None:
        whole("m", m)


def check_dependence(rho: float, dependence: str = "boland") -> None:
    """Raise unless these are a correlation and a model of dependence."""
    number("rho", rho, at_least=0.0, at_most=1.0)
    one_of("dependence", dependence, "boland", "copula")


def check_shares(values: Floats) -> None:
    """Raise unless all are numbers from 0 to 1."""
    wrong = ~((values >= 0.0) & (values <= 1.0))
    if wrong.any():
        first = np.atleast_1d(values)[np.atleast_1d(wrong)][0]
        hint = "; divide percentages by 100" if 1.0 < first <= 100.0 else ""
        raise LeaderbayesError(f"theta holds {first:.6g}: probabilities are from 0 to 1{hint}.")


def mixture_of(
    theta: Any, m: int | None, sd: Callable[[float], float]
) -> tuple[int, Mixture, Floats]:
    """Give the number of classifiers, where their thetas lie, and the thetas that occur.

    sd gives the standard deviation of the best one's score.
    """
    check_many(m)
    if hasattr(theta, "ppf"):
        if m is None:
            raise LeaderbayesError("theta is drawn from a distribution: give m, how many are.")
        mixture = of_law(theta.ppf, int(m))
        check_shares(mixture.theta)
        return int(m), mixture, mixture.theta
    values = np.asarray(theta, dtype=float)
    if values.size == 0:
        raise LeaderbayesError("There is no theta: give one at least.")
    check_shares(values)
    if values.ndim == 0:
        if m is None:
            raise LeaderbayesError("theta is one number: give m, how many classifiers have it.")
        one = values.reshape(1)
        return int(m), Mixture(one, np.array([float(m)]), 0.0), one
    values = values.ravel()
    if m is None:
        return values.size, of_board(values, sd(float(values.max()))), values
    distinct, counts = np.unique(values, return_counts=True)
    return int(m), Mixture(distinct, counts / values.size, float(m)), distinct


def lattice(low: int, cdf: Floats, steps: float, attrs: dict[str, Any]) -> xr.Dataset:
    """Give a maximum's law, tabled at low / steps, (low + 1) / steps, and so on, as a Dataset."""
    mean, sd = moments(steps, low, cdf)
    return xr.Dataset(
        {
            "cdf": ("x", cdf),
            "mean": mean,
            "sd": sd,
            "quantile": ("probability", quantiles(steps, low, cdf, PROBABILITY)),
        },
        coords={"x": (low + np.arange(len(cdf))) / steps, "probability": PROBABILITY},
        attrs=attrs,
    )
