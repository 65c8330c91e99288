"""How much classifiers depend on each other, from their answers."""

import numpy as np
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._arguments import share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.require import require_array
from leaderbayes._types import Floats


def estimate_rho(
    right: xr.DataArray, *, replicates: int = 400, seed: int | None = None, prob: float = 0.95
) -> xr.Dataset:
    """Estimate rho, the dependence of `maximum`, from right and wrong answers.

    In Boland's model right answers of two classifiers correlate by rho^2: the estimate is the root
    of the mean correlation of all pairs, 0 where that is negative.

    Parameters
    ----------
    right : DataArray (classifier, instance)
        1 or True where the classifier is right on the instance, else 0, such as
        `leaderbayes.datasets.load` gives by "answers".
    replicates : int
        Bootstrap samples of the instances, for the interval.
    seed : int, optional
        Same seed, same samples. None draws one and records it.
    prob : float
        Coverage of the percentile interval.

    Returns
    -------
    Dataset
        Scalars ``rho``, ``lower``, ``upper``. attrs: ``prob``, ``replicates``, ``seed``,
        ``classifiers`` (that are neither always right nor always wrong).

    Raises
    ------
    LeaderbayesError
        If answers are not 0 and 1 of at least two classifiers that are neither always right nor
        always wrong.

    References
    ----------
    Møllersen, Holsbø (2025), section 4.2.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> right = lb.datasets.load("answers")
    >>> found = lb.sota.estimate_rho(right, replicates=50, seed=0)
    >>> {name: round(float(value), 2) for name, value in found.items()}
    {'rho': 0.55, 'lower': 0.5, 'upper': 0.59}
    """
    require_array(right, "Answers", "classifier", "instance")
    replicates, prob = whole("replicates", replicates, at_least=2), share("prob", prob)
    answers = right.transpose("classifier", "instance").to_numpy().astype(float)
    if not np.isin(answers, (0.0, 1.0)).all():
        raise LeaderbayesError("Answers are 1 (right) or 0 (wrong), without gaps.")
    estimate = _rho(answers)
    if np.isnan(estimate):
        raise LeaderbayesError(
            "Fewer than two classifiers are right on some instances and wrong on others: their "
            "dependence cannot be seen."
        )
    seed = _arguments.seed_or_new(seed)
    rng = np.random.default_rng(seed)
    n = answers.shape[1]
    drawn = [_rho(answers[:, rng.integers(n, size=n)]) for _ in range(replicates)]
    low, high = np.nanquantile(drawn, [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0])
    varies = int((answers.std(axis=1) > 0.0).sum())
    return xr.Dataset(
        {"rho": estimate, "lower": float(low), "upper": float(high)},
        attrs={"prob": prob, "replicates": replicates, "seed": seed, "classifiers": varies},
    )


def _rho(answers: Floats) -> float:
    """Root of the mean correlation of pairs; classifiers that never vary have none."""
    sd = answers.std(axis=1)
    varies = answers[sd > 0.0]
    m, n = varies.shape
    if m < 2:
        return float("nan")
    unit = (varies - varies.mean(axis=1, keepdims=True)) / sd[sd > 0.0, None]
    # The sum over pairs is the square of the sum, less the diagonal.
    mean = (float((unit.sum(axis=0) ** 2).sum()) / n - m) / (m * (m - 1))
    return float(np.sqrt(max(mean, 0.0)))
