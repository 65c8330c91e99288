"""Distribution of the best score among many classifiers on one test set."""

from typing import Any

import xarray as xr
from numpy.typing import ArrayLike

from leaderbayes._arguments import whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._scores.facts import class_sizes
from leaderbayes.sota._law_of_aucs import best_auc
from leaderbayes.sota._law_of_estimates import best_estimate
from leaderbayes.sota._law_of_shares import Dependence, best_share, check_dependence


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
    r"""Distribution of the best score of many classifiers, computed, not simulated.

    With n of max X / n, the best share of right answers,

    .. math:: X_j \mid \theta_j \sim \mathrm{Bin}(n, \theta_j), \quad
              F(x) = \sum_s P(s) \prod_j P(X_j \le x \mid \theta_j, s)

    as given the number s of instances on which a reference classifier is right, the others are
    independent. With n and the positive rate of the best AUC of binormal scores. With standard
    errors of the highest estimate of any metric,

    .. math:: \hat\theta_j \sim N(\theta_j, \mathrm{se}_j^2), \quad
              \mathrm{corr}(\hat\theta_j, \hat\theta_k \mid \theta) = \rho^2

    Parameters
    ----------
    theta : float, array or distribution
        True scores (probabilities of a right answer, AUCs): one for all m classifiers; one for each
        (classifier,); or what m classifiers' are drawn from, a frozen ``scipy.stats`` law, or with
        ``m`` an array to draw from with replacement.
    m : int, optional
        Number of classifiers; not with an array of their thetas.
    n : int, optional
        Instances of the test set.
    se : float or array (classifier,), optional
        Standard errors, one for all classifiers or one for each, in place of n. With ``m`` an array
        is drawn from, together with theta where that is an array.
    positive_rate : float, optional
        Share of the positive class: scores are AUCs.
    rho : float
        Dependence, 0 to 1. Right answers of two classifiers correlate by rho^2 (in the copula, of
        two that are right with theta_0), in Boland's model by rho with the reference's, rho_0 in
        the paper. Of AUCs, within either class scores correlate by rho with those of a reference
        (section 5.3.1). Estimates correlate by rho with a factor that all share (1 is taken as
        0.999).
    theta_0 : float, optional
        P(the reference is right), of shares of right answers; the highest theta (of a distribution:
        next to its upper end) by default.
    dependence : {"boland", "copula"}
        Of shares of right answers: Boland's model (section 4.2, exact), which equation 8 forbids to
        weak classifiers; or a Gaussian copula, which has no such bound: exact for each classifier,
        an approximation of their joint law (distance to the exact one on 400 instances: 0.02 for
        1000 classifiers of theta 0.9, 0.04 of 0.98).

    Returns
    -------
    Dataset
        ``cdf`` over ``x``: counts from 0 to n, with their ``pmf``; AUCs in steps of 1/4000; values
        of estimates in even steps. Scalars ``mean`` and ``sd`` and ``quantile`` (probability) of
        the best score (of max X / n: shares). attrs: the arguments, and ``m``.

    Raises
    ------
    LeaderbayesError
        If an argument is out of range, is not of this kind of scores, or equation 8 excludes
        classifiers: names them.

    Notes
    -----
    One AUC's law is computed with the smaller class exactly, and the larger one by three moments.
    Dependent AUCs share one normal factor, on which each loads by

    .. math:: \lambda_j^2 = \mathrm{corr}(\hat a_j, \hat a_k), \quad a_k = a_j,

    the exact correlation of two estimates of that AUC. Kolmogorov's distance to simulated scores is
    0.01 for 10 classifiers of AUC 0.9 on 100 positives and 400 negatives, rho 0.7, and below 0.03
    for 100 on 51 and 449; with a thousand and 20 positives E max is a tenth of its sd off.

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
    >>> law = lb.sota.maximum(0.0, 100, se=0.1)
    >>> round(float(law["mean"]), 2), round(float(law["sd"]), 2)
    (0.25, 0.04)
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
