"""Areas under the ROC curve: the best of many, boards of them, and the error of each."""

import math
from typing import Any, Literal

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from leaderbayes import _arguments
from leaderbayes._arguments import number, share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics import auc as numerics
from leaderbayes._numerics.maximum import Mixture, factor_cdf
from leaderbayes._types import Bools, Floats
from leaderbayes.sota._law import (
    check_boards,
    check_dependence,
    check_shares,
    check_size,
    lattice,
    mixture_of,
)


def maximum_auc(
    n: int, theta: Any, m: int | None = None, *, positive_rate: float, rho: float = 0.0
) -> xr.Dataset:
    r"""Distribution of the best AUC of many classifiers on a test set.

    Of binormal scores. One estimate's law is computed with the smaller class exactly, and the
    larger one by three moments. Dependent estimates share one normal factor, on which each loads by

    .. math:: \lambda_j^2 = \mathrm{corr}(\hat a_j, \hat a_k), \quad a_k = a_j,

    the exact correlation of two estimates of that AUC. Kolmogorov's distance to simulated scores is
    0.01 for 10 classifiers of AUC 0.9 on 100 positives and 400 negatives, rho 0.7, and below 0.03
    for 100 on 51 and 449; with a thousand and 20 positives E max is a tenth of its sd off.

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
    rho : float
        Dependence, 0 to 1: within either class scores of each classifier correlate by rho with
        those of a reference, and so scores of two by rho^2 (section 5.3.1).

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
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, sections 5.2 and 5.3.1.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> law = lb.sota.maximum_auc(500, 0.9, 10, positive_rate=0.2, rho=0.7)
    >>> round(float(law["mean"]), 3), round(float(law["sd"]), 3)
    (0.919, 0.012)
    """
    check_size(n)
    check_dependence(rho)
    sizes = class_sizes(n, positive_rate)
    size, mixture, _ = mixture_of(theta, m, lambda best: auc_sd(best, *sizes))
    attrs = {"n": n, "m": size, "positives": sizes[0], "negatives": sizes[1], "rho": rho}
    return lattice(0, auc_cdf(mixture, *sizes, rho), numerics.STEPS, attrs)


def simulate_aucs(
    n: int,
    theta: ArrayLike,
    *,
    positive_rate: float,
    boards: int = 1,
    rho: float = 0.0,
    seed: int = 0,
) -> xr.DataArray:
    """Draw whole boards: the AUCs of all classifiers on one test set each, from binormal scores.

    Parameters
    ----------
    n, positive_rate, rho
        As for `maximum_auc`.
    theta : array (classifier,)
        AUCs.
    boards : int
        Number of test sets.
    seed : int
        Same seed, same boards.

    Returns
    -------
    DataArray (board, classifier)
        Estimates of the AUCs.

    Raises
    ------
    LeaderbayesError
        As for `maximum_auc`.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark performance,
    sections 5.2.1 and 5.3.1.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> boards = lb.sota.simulate_aucs(100, [0.9, 0.9, 0.8], positive_rate=0.3, boards=5, seed=1)
    >>> dict(boards.sizes)
    {'board': 5, 'classifier': 3}
    """
    check_size(n)
    check_dependence(rho)
    check_boards(boards)
    sizes = class_sizes(n, positive_rate)
    values = np.atleast_1d(np.asarray(theta, dtype=float))
    check_shares(values)
    rng = np.random.default_rng(_arguments.seed(seed))
    drawn = [numerics.draw_board(values, *sizes, rho, rng) for _ in range(boards)]
    return xr.DataArray(np.array(drawn), dims=("board", "classifier"), name="score")


def auc_variance(
    auc: float,
    n: int,
    *,
    positive_rate: float,
    method: Literal["binormal", "hanley_mcneil"] = "binormal",
) -> float:
    """Variance of the estimate of an AUC on one test set, without its scores.

    Parameters
    ----------
    auc : float
        The AUC.
    n : int
        Instances of the test set.
    positive_rate : float
        Share of the positive class.
    method : {"binormal", "hanley_mcneil"}
        Exact for normal scores of equal variance in both classes, or for exponential scores, as
        Hanley and McNeil have it.

    Returns
    -------
    float
        The variance.

    Raises
    ------
    LeaderbayesError
        If an argument is out of range.

    References
    ----------
    Hanley, McNeil (1982), The meaning and use of the area under a receiver operating
    characteristic (ROC) curve, https://doi.org/10.1148/radiology.143.1.7063747.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> variance = lb.sota.auc_variance(0.9, 500, positive_rate=0.2)
    >>> round(variance**0.5, 3)
    0.017
    """
    check_size(n)
    number("auc", auc, at_least=0.0, at_most=1.0)
    sizes = class_sizes(n, positive_rate)
    if method == "binormal":
        return numerics.variance(auc, *sizes)
    if method == "hanley_mcneil":
        return numerics.hanley_mcneil(auc, *sizes)
    raise LeaderbayesError(f"method={method!r}: choose 'binormal' or 'hanley_mcneil'.")


def delong(scores: xr.DataArray, labels: ArrayLike | xr.DataArray) -> xr.Dataset:
    """AUCs of classifiers on one test set and their covariance, by DeLong's method.

    Nothing is assumed of the scores; ties count half. O(n log n) a classifier.

    Parameters
    ----------
    scores : DataArray (classifier, instance)
        Scores, higher for the positive class.
    labels : array or DataArray (instance,)
        1 or True for the positive class, else 0.

    Returns
    -------
    Dataset
        ``auc`` (classifier); ``covariance`` (classifier, ``classifier_``). attrs: ``positives``,
        ``negatives``.

    Raises
    ------
    LeaderbayesError
        If scores are missing or dimensions do not fit, or a class has fewer than two instances.

    References
    ----------
    DeLong, DeLong, Clarke-Pearson (1988), Comparing the areas under two or more correlated receiver
    operating characteristic curves, https://doi.org/10.2307/2531595.
    Sun, Xu (2014), Fast implementation of DeLong's algorithm,
    https://doi.org/10.1109/LSP.2014.2337313.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> import numpy as np
    >>> import xarray as xr
    >>> labels = np.repeat([0, 1], 50)
    >>> noise = np.random.default_rng(1).normal(size=(2, 100))
    >>> scores = xr.DataArray(noise + [[1.0], [2.0]] * labels, dims=("classifier", "instance"))
    >>> made = lb.sota.delong(scores, labels)
    >>> made["auc"].round(2).values.tolist(), made["covariance"].dims
    ([0.78, 0.92], ('classifier', 'classifier_'))
    """
    if set(scores.dims) != {"classifier", "instance"}:
        raise LeaderbayesError("Scores have the dimensions classifier and instance.")
    values = scores.transpose("classifier", "instance").to_numpy().astype(float)
    positive = _positive(labels, scores)
    missing = np.argwhere(np.isnan(values))
    if len(missing):
        raise LeaderbayesError(
            f"Classifier {missing[0, 0]} has no score for instance {missing[0, 1]}: leave out the "
            "instance, or the classifier."
        )
    auc, covariance = numerics.delong(values, positive)
    made = xr.Dataset(
        {"auc": ("classifier", auc), "covariance": (("classifier", "classifier_"), covariance)},
        attrs={"positives": int(positive.sum()), "negatives": int((~positive).sum())},
    )
    if "classifier" in scores.coords:
        names = scores["classifier"].to_numpy()
        made = made.assign_coords(classifier=names, classifier_=names)
    return made


def _positive(labels: ArrayLike | xr.DataArray, scores: xr.DataArray) -> Bools:
    """Check the labels of the instances that have scores, (instance,)."""
    given = np.asarray(labels)
    count = scores.sizes["instance"]
    if given.shape != (count,):
        raise LeaderbayesError(
            f"Labels have the shape {given.shape}: give one for each of the {count} instances."
        )
    if (
        isinstance(labels, xr.DataArray)
        and "instance" in labels.coords
        and "instance" in scores.coords
        and not np.array_equal(labels["instance"], scores["instance"])
    ):
        raise LeaderbayesError(
            "Labels and scores name instances differently: put the labels into the scores' order, "
            "as labels.sel(instance=scores['instance']) does."
        )
    if not np.isin(given, (0, 1)).all():
        raise LeaderbayesError("Labels are 1 (positive) or 0 (negative).")
    positive = given.astype(bool)
    if not 2 <= positive.sum() <= count - 2:
        raise LeaderbayesError(
            f"Of {count} instances {int(positive.sum())} are positive: a variance needs two of "
            "either class."
        )
    return positive


def auc_cdf(mixture: Mixture, positives: int, negatives: int, rho: float) -> Floats:
    """F of the best AUC at multiples of 1 / STEPS."""
    tabled = numerics.cdf if len(mixture.theta) == 1 else numerics.cdf_of_many
    load = numerics.loading(mixture.theta, positives, negatives, rho)
    return factor_cdf(tabled(mixture.theta, positives, negatives), mixture, load)


def auc_sd(auc: float, positives: int, negatives: int) -> float:
    """Give the standard deviation of an estimate; of an AUC next to 1 where it would be 0."""
    return math.sqrt(numerics.variance(min(auc, 0.999), positives, negatives))


def class_sizes(n: int, positive_rate: float) -> tuple[int, int]:
    """Positives and negatives among n instances."""
    share("positive_rate", positive_rate)
    positives = round(n * positive_rate)
    if not 0 < positives < n:
        raise LeaderbayesError(
            f"positive_rate={positive_rate} leaves one class of {n} instances empty."
        )
    return positives, n - positives
