"""Distribution of the best score among many classifiers on one test set."""

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike, NDArray

from leaderbayes._errors import LeaderbayesError
from leaderbayes.numerics import auc
from leaderbayes.numerics.maximum import (
    Mixture,
    binomial_sd,
    boland_cdf,
    combine,
    conditionals,
    copula_cdf,
    draw_counts,
    independent_cdf,
    moments,
    of_board,
    of_law,
    quantiles,
)

Floats = NDArray[np.float64]
Dependence = Literal["boland", "copula"]

_PROBABILITY = np.array([0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975])
_TOLERANCE = 1e-12


def maximum_distribution(
    n: int,
    theta: Any,
    m: int | None = None,
    *,
    rho: float = 0.0,
    theta_0: float | None = None,
    dependence: Dependence = "boland",
) -> xr.Dataset:
    r"""Distribution of max X / n, the best share of right answers on a test set.

    .. math:: X_j \mid \theta_j \sim \mathrm{Bin}(n, \theta_j), \quad
              F(x) = \sum_s P(s) \prod_j P(X_j \le x \mid \theta_j, s)

    computed, not simulated: given the number s of instances on which a reference classifier is
    right, the others are independent.

    Parameters
    ----------
    n : int
        Instances of the test set.
    theta : float, array or distribution
        Probability of a right answer: one for all m classifiers; one for each (classifier,); or
        what m classifiers' are drawn from, a frozen ``scipy.stats`` law, or with ``m`` an array
        to draw from with replacement.
    m : int, optional
        Number of classifiers; not with an array of their thetas.
    rho : float
        Dependence, 0 to 1: right answers of two classifiers correlate by rho^2 (in the copula, of
        two that are right with theta_0). "boland": correlation of each classifier with the
        reference, rho_0 in the paper.
    theta_0 : float, optional
        P(the reference is right); the highest theta (of a distribution: next to its upper end) by
        default.
    dependence : {"boland", "copula"}
        Boland's model (section 4.2, exact), which equation 8 forbids to weak classifiers; or a
        Gaussian copula, which has no such bound: exact for each classifier, an approximation of
        their joint law (distance to the exact one on 400 instances: 0.02 for 1000 classifiers of
        theta 0.9, 0.04 of 0.98).

    Returns
    -------
    Dataset
        ``pmf`` and ``cdf`` over ``x`` (0 to n, counts); scalars ``mean`` and ``sd`` of max X / n;
        ``quantile`` (probability), shares. attrs: the arguments, and ``m``.

    Raises
    ------
    LeaderbayesError
        If an argument is out of range, or equation 8 excludes classifiers: names them.

    References
    ----------
    Møllersen, Holsbø (2024), Accounting for multiplicity in machine learning benchmark
    performance, equations 2 to 8.
    """
    _check(n, m, rho, dependence)
    size, mixture, thetas = _mixture(theta, m, lambda best: binomial_sd(n, best))
    reference = float(thetas.max()) if theta_0 is None else float(theta_0)
    _check_dependence(thetas, rho, reference, dependence)
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
            "quantile": ("probability", quantiles(n, low, inside, _PROBABILITY)),
        },
        coords={"x": np.arange(n + 1), "probability": _PROBABILITY},
        attrs={"n": n, "m": size, "rho": rho, "theta_0": reference, "dependence": dependence},
    )


def maximum_auc(n: int, theta: Any, m: int | None = None, *, positive_rate: float) -> xr.Dataset:
    """Distribution of the best AUC of independent classifiers on a test set.

    Of binormal scores; computed with the smaller class exactly, and the larger one as normal.

    Parameters
    ----------
    n : int
        Instances of the test set.
    theta : float, array or distribution
        AUCs, as for `maximum_distribution`.
    m : int, optional
        Number of classifiers; not with an array of their AUCs.
    positive_rate : float
        Share of the positive class.

    Returns
    -------
    Dataset
        ``cdf`` over ``x`` (AUC, in steps of 1/4000); scalars ``mean`` and ``sd``; ``quantile``
        (probability). attrs: the arguments, and ``m``.

    Raises
    ------
    LeaderbayesError
        If an argument is out of range.

    References
    ----------
    Møllersen, Holsbø (2024), Accounting for multiplicity in machine learning benchmark
    performance, section 5.2.
    """
    _check(n, m, 0.0, "boland")
    positives, negatives = class_sizes(n, positive_rate)
    size, mixture, _ = _mixture(
        theta, m, lambda best: math.sqrt(auc.variance(min(best, 0.999), positives, negatives))
    )
    cdf = auc_cdf(mixture, positives, negatives)
    mean, sd = moments(auc.STEPS, 0, cdf)
    return xr.Dataset(
        {
            "cdf": ("x", cdf),
            "mean": mean,
            "sd": sd,
            "quantile": ("probability", quantiles(auc.STEPS, 0, cdf, _PROBABILITY)),
        },
        coords={"x": np.arange(auc.STEPS + 1) / auc.STEPS, "probability": _PROBABILITY},
        attrs={"n": n, "m": size, "positives": positives, "negatives": negatives},
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


def _check_dependence(theta: Floats, rho: float, theta_0: float, dependence: str) -> None:
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


def auc_cdf(mixture: Mixture, positives: int, negatives: int) -> Floats:
    """F of the best AUC at multiples of 1 / auc.STEPS."""
    tabled = auc.cdf if len(mixture.theta) == 1 else auc.cdf_of_many
    return combine(tabled(mixture.theta, positives, negatives), mixture)


def class_sizes(n: int, positive_rate: float) -> tuple[int, int]:
    """Positives and negatives among n instances."""
    if not 0.0 < positive_rate < 1.0:
        raise LeaderbayesError(
            f"positive_rate={positive_rate}: give the share of the positive class, above 0 and "
            "below 1."
        )
    positives = round(n * positive_rate)
    if not 0 < positives < n:
        raise LeaderbayesError(
            f"positive_rate={positive_rate} leaves one class of {n} instances empty."
        )
    return positives, n - positives


def feasible(theta: Floats, rho: float, theta_0: float) -> NDArray[np.bool_]:
    """Whether equations 6 and 7 give probabilities (equation 8 and its like), by classifier."""
    up, down = conditionals(theta, rho, theta_0)
    return np.asarray((down >= -_TOLERANCE) & (up <= 1.0 + _TOLERANCE))


def _check(n: int, m: int | None, rho: float, dependence: str) -> None:
    if n != int(n) or n < 1:
        raise LeaderbayesError(f"n={n}: give the number of instances of the test set, from 1 up.")
    if m is not None and (m != int(m) or m < 1):
        raise LeaderbayesError(f"m={m}: give the number of classifiers, from 1 up.")
    if not 0.0 <= rho <= 1.0:
        raise LeaderbayesError(f"rho={rho}: give a correlation from 0 to 1.")
    if dependence not in ("boland", "copula"):
        raise LeaderbayesError(f"dependence={dependence!r}: choose 'boland' or 'copula'.")


def _mixture(
    theta: Any, m: int | None, sd: Callable[[float], float]
) -> tuple[int, Mixture, Floats]:
    """Give the number of classifiers, where their thetas lie, and the thetas that occur."""
    if hasattr(theta, "ppf"):
        if m is None:
            raise LeaderbayesError("theta is drawn from a distribution: give m, how many are.")
        mixture = of_law(theta.ppf, int(m))
        _check_shares(mixture.theta)
        return int(m), mixture, mixture.theta
    values = np.asarray(theta, dtype=float)
    _check_shares(values)
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


def _check_shares(values: Floats) -> None:
    """Raise unless all are numbers from 0 to 1, and there is one."""
    if values.size == 0:
        raise LeaderbayesError("There is no theta: give one at least.")
    wrong = ~((values >= 0.0) & (values <= 1.0))
    if wrong.any():
        first = np.atleast_1d(values)[np.atleast_1d(wrong)][0]
        hint = "; divide percentages by 100" if 1.0 < first <= 100.0 else ""
        raise LeaderbayesError(f"theta holds {first:.6g}: probabilities are from 0 to 1{hint}.")


def simulate_boards(
    n: int,
    theta: ArrayLike,
    *,
    boards: int = 1,
    rho: float = 0.0,
    theta_0: float | None = None,
    dependence: Dependence = "boland",
    seed: int = 0,
) -> xr.DataArray:
    """Draw whole boards: the shares of right answers of all classifiers on one test set each.

    Parameters
    ----------
    n, rho, theta_0, dependence
        As for `maximum_distribution`; the copula is simulated instance by instance.
    theta : array (classifier,)
        Probability of a right answer.
    boards : int
        Number of test sets.
    seed : int
        Same seed, same boards.

    Returns
    -------
    DataArray (board, classifier)
        X / n.

    Raises
    ------
    LeaderbayesError
        As for `maximum_distribution`.
    """
    _check(n, None, rho, dependence)
    values = np.atleast_1d(np.asarray(theta, dtype=float))
    _check_shares(values)
    if boards < 1:
        raise LeaderbayesError(f"boards={boards}: give at least 1.")
    reference = float(values.max()) if theta_0 is None else float(theta_0)
    _check_dependence(values, rho, reference, dependence)
    rng = np.random.default_rng(seed)
    drawn = [draw_counts(n, values, rho, reference, dependence, rng) for _ in range(boards)]
    return xr.DataArray(np.array(drawn) / n, dims=("board", "classifier"), name="score")
