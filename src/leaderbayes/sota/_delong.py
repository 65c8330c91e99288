"""Areas under the ROC curve and their covariance, from the scores of one test set."""

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.require import require_array
from leaderbayes._numerics import auc


def delong(scores: xr.DataArray, labels: ArrayLike | xr.DataArray) -> xr.Dataset:
    """Compute AUCs of classifiers on one test set and their covariance, by DeLong's method.

    Nothing is assumed of the scores; ties count half.

    Parameters
    ----------
    scores : DataArray (classifier, instance)
        Scores, higher for the positive class.
    labels : array (instance,)
        1 or True for the positive class, else 0, in the scores' order.

    Returns
    -------
    Dataset
        ``auc`` (classifier); ``covariance`` (classifier, ``classifier_``), which `winner` takes.
        attrs: ``positives``, ``negatives``.

    Raises
    ------
    LeaderbayesError
        If scores are missing or dimensions do not fit, or a class has fewer than two instances.

    References
    ----------
    DeLong, DeLong, Clarke-Pearson (1988), https://doi.org/10.2307/2531595; fast implementation:
    Sun, Xu (2014), https://doi.org/10.1109/LSP.2014.2337313.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> import numpy as np
    >>> import xarray as xr
    >>> labels = np.repeat([0, 1], 50)
    >>> noise = np.random.default_rng(1).normal(size=(2, 100))
    >>> scores = xr.DataArray(noise + [[1.0], [2.0]] * labels, dims=("classifier", "instance"))
    >>> lb.sota.delong(scores, labels)["auc"].round(2).values.tolist()
    [0.78, 0.92]
    """
    require_array(scores, "Scores", "classifier", "instance")
    values = scores.transpose("classifier", "instance").to_numpy().astype(float)
    given, count = np.asarray(labels), scores.sizes["instance"]
    if given.shape != (count,):
        raise LeaderbayesError(
            f"Labels have the shape {given.shape}: give one for each of the {count} instances."
        )
    named = isinstance(labels, xr.DataArray) and "instance" in labels.coords
    if named and not np.array_equal(labels["instance"], scores["instance"]):
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
    missing = np.argwhere(np.isnan(values))
    if len(missing):
        raise LeaderbayesError(
            f"Classifier {missing[0, 0]} has no score for instance {missing[0, 1]}: leave out the "
            "instance, or the classifier."
        )
    areas, covariance = auc.delong(values, positive)
    made = xr.Dataset(
        {"auc": ("classifier", areas), "covariance": (("classifier", "classifier_"), covariance)},
        attrs={"positives": int(positive.sum()), "negatives": int((~positive).sum())},
    )
    if "classifier" in scores.coords:
        names = scores["classifier"].to_numpy()
        made = made.assign_coords(classifier=names, classifier_=names)
    return made
