"""Distribution of the best score among many classifiers on one test set."""

from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from leaderbayes._arguments import number, one_of, share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.maximum import Tabled, of_law
from leaderbayes._scores.facts import class_sizes
from leaderbayes._types import Floats
from leaderbayes.sota._laws import AucLaw, Dependence, EstimateLaw, ShareLaw

_PROBABILITY = np.array([0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975])


def maximum(
    theta: Any,
    m: int | None = None,
    *,
    n: int | None = None,
    se: ArrayLike | None = None,
    positive_rate: float | None = None,
    rho: float = 0.0,
    theta_0: float | None = None,
    dependence: Dependence = "boland",
) -> xr.Dataset:
    r"""Compute the distribution of the best score of many classifiers on one test set.

    With n of max X / n, the best share of right answers,

    .. math:: X_j \mid \theta_j \sim \mathrm{Bin}(n, \theta_j), \quad
              F(x) = \sum_s P(s) \prod_j P(X_j \le x \mid \theta_j, s)

    as classifiers are independent given the number s of instances on which a reference is right.
    With n and the positive rate, of the best AUC of binormal scores; with standard errors, of the
    highest normal estimate of any metric.

    Parameters
    ----------
    theta : float, array or distribution
        True scores: one for all m classifiers; one for each (classifier,); or what m classifiers'
        are drawn from, frozen from ``scipy.stats``, or an array to draw from with replacement.
    m : int, optional
        Number of classifiers; not with an array of their thetas.
    n : int, optional
        Instances of the test set.
    se : float or array (classifier,), optional
        Standard errors, in place of n.
    positive_rate : float, optional
        Share of the positive class: scores are AUCs.
    rho : float
        Dependence, 0 to 1. Right answers of two classifiers correlate by rho^2, in Boland's model
        by rho with the reference's; AUCs' scores, within either class, by rho with a reference's;
        estimates by rho with a factor that all share.
    theta_0 : float, optional
        P(the reference is right), of shares of right answers; the highest theta by default.
    dependence : {"boland", "copula"}
        For accuracies: Boland's model (section 4.2, exact), which equation 8 forbids to weak
        classifiers; or a Gaussian copula, an approximation without such a bound.

    Returns
    -------
    Dataset
        ``cdf`` over ``x`` (counts from 0 to n, with their ``pmf``; AUCs; or estimates), ``mean``,
        ``sd`` and ``quantile`` (probability) of the best score. attrs: the arguments, and ``m``.

    Raises
    ------
    LeaderbayesError
        If an argument is out of range, or equation 8 excludes classifiers.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, equations 2 to 8, sections 5.2 and 5.3.1.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> law = lb.sota.maximum(0.5, 1000, n=20)
    >>> round(float(1 - law["cdf"].sel(x=17)), 2), round(float(law["mean"]), 2)
    (0.18, 0.85)
    >>> law = lb.sota.maximum(0.9, 10, n=500, positive_rate=0.2, rho=0.7)
    >>> round(float(law["mean"]), 3), round(float(law["sd"]), 3)
    (0.919, 0.012)
    """
    if (n is None) == (se is None):
        raise LeaderbayesError(
            "Give n, the instances of the test set, or se, the standard errors of the scores"
            + ("." if n is None else ", not both.")
        )
    if positive_rate is not None and n is None:
        raise LeaderbayesError("positive_rate is for AUCs on n instances: omit it, or set n.")
    shares = n is not None and positive_rate is None
    if not shares and (theta_0 is not None or dependence == "copula"):
        raise LeaderbayesError(
            "theta_0 and dependence are for shares of right answers on n instances: omit them."
        )
    one_of("dependence", dependence, "boland", "copula")
    rho = number("rho", rho, at_least=0.0, at_most=1.0)
    theta, errors = _checked(theta, se, m)
    size = theta.size if m is None else whole("m", m)
    draws, known = 0 if m is None else size, {"m": size, "rho": rho}
    if errors is not None:
        return _dataset(EstimateLaw(se=errors, rho=rho)(theta, draws), known)
    n = whole("n", n)
    if positive_rate is not None:
        positives, negatives = class_sizes(n, positive_rate)
        auc = AucLaw(positives=positives, negatives=negatives, rho=rho)
        known |= {"n": n, "positives": positives, "negatives": negatives}
        return _dataset(auc(theta, draws), known)
    thetas = of_law(theta.ppf, size).theta if hasattr(theta, "ppf") else np.atleast_1d(theta)
    theta_0 = float(thetas.max()) if theta_0 is None else share("theta_0", theta_0)
    law = ShareLaw(n=n, rho=rho, theta_0=theta_0, dependence=dependence)
    tabled = law(theta, draws)
    _check_allowed(thetas, law)
    above = n + 1 - tabled.low - len(tabled.cdf)
    cdf = np.concatenate([np.zeros(tabled.low), np.minimum(tabled.cdf, 1.0), np.ones(above)])
    known |= {"n": n, "theta_0": theta_0, "dependence": dependence}
    found = _dataset(tabled, known).drop_dims("x").assign_coords(x=np.arange(n + 1))
    return found.assign(cdf=("x", cdf), pmf=("x", np.maximum(np.diff(cdf, prepend=0.0), 0.0)))


def _checked(theta: Any, se: ArrayLike | None, m: int | None) -> tuple[Any, Floats | None]:
    """Check thetas and standard errors."""
    errors = None if se is None else np.asarray(se, dtype=float)
    if errors is not None:
        wrong = ~((errors > 0.0) & np.isfinite(errors))
        if errors.size == 0 or errors.ndim > 1 or wrong.any():
            held = f" and holds {errors[wrong][0]:g}" if wrong.any() else ""
            raise LeaderbayesError(
                f"se has the shape {errors.shape}{held}: use one standard error above 0, or one "
                "for each classifier."
            )
    if not hasattr(theta, "ppf"):
        theta = np.asarray(theta, dtype=float)
        if theta.size == 0 or theta.ndim > 1 or not np.isfinite(theta).all():
            raise LeaderbayesError("theta must be a number, or an array of numbers without gaps.")
        if errors is not None and theta.ndim and errors.ndim and theta.size != errors.size:
            raise LeaderbayesError(
                f"There are {theta.size} thetas and {errors.size} standard errors: use the same "
                "number of both."
            )
        theta = theta if errors is None else np.broadcast_arrays(theta, errors)[0]
    if m is None and not np.ndim(theta):
        raise LeaderbayesError(
            "theta is one number or a distribution: set m, the number of classifiers."
        )
    return theta, errors


def _check_allowed(theta: Floats, law: ShareLaw) -> None:
    """Raise if the dependence is impossible, naming the thetas that equation 8 excludes."""
    excluded = np.unique(theta[law.excluded(theta)])
    if excluded.size:
        named = ", ".join(f"{t:.4g}" for t in excluded[:5])
        raise LeaderbayesError(
            f"Equation 8 excludes theta {named}{' and more' if excluded.size > 5 else ''} at "
            f"theta_0={law.theta_0:.4g}, rho={law.rho}: exclude these, lower rho, or use "
            "dependence='copula'."
        )


def _dataset(tabled: Tabled, known: dict[str, Any]) -> xr.Dataset:
    """Return F of a maximum, with its mean, sd and quantiles."""
    return xr.Dataset(
        {
            "cdf": ("x", tabled.cdf),
            "mean": tabled.mean,
            "sd": tabled.sd,
            "quantile": ("probability", tabled.quantile(_PROBABILITY)),
        },
        coords={"x": tabled.x, "probability": _PROBABILITY},
        attrs=known,
    )
