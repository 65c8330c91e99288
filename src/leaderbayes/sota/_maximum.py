"""Distribution of the best score among many classifiers on one test set."""

from typing import Any

import xarray as xr
from numpy.typing import ArrayLike

from leaderbayes._arguments import whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._scores.facts import class_sizes
from leaderbayes.sota._laws import (
    Dependence,
    best_auc,
    best_estimate,
    best_share,
    check_dependence,
)


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
        Of shares of right answers: Boland's model (section 4.2, exact), which equation 8 forbids to
        weak classifiers; or a Gaussian copula, an approximation without such a bound.

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
        raise LeaderbayesError("positive_rate is for AUCs on n instances: leave it out, or give n.")
    shares = n is not None and positive_rate is None
    if not shares and (theta_0 is not None or dependence == "copula"):
        raise LeaderbayesError(
            "theta_0 and dependence are for shares of right answers on n instances: leave them out."
        )
    check_dependence(rho, dependence)
    if se is not None:
        return best_estimate(se, theta, m, rho)
    n = whole("n", n)
    if positive_rate is not None:
        return best_auc(class_sizes(n, positive_rate), theta, m, rho)
    return best_share(n, theta, m, rho, theta_0, dependence)
