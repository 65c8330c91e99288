"""One published score: what it is worth where variants were tried and the best was shown."""

from typing import Any

import numpy as np
import xarray as xr
from scipy.special import bdtr, ndtr

from leaderbayes._arguments import share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.decimals import decimals_of_best
from leaderbayes._scores.tables import counted
from leaderbayes._types import Floats
from leaderbayes.sota._read_board import read_board

_GRID = 1501  # thetas
_REACH = 12.0  # standard errors that they span on either side
_MOST, _MOST_KNOWN = 5_000, 1_000_000  # variants, of a prior and as a number


def claim(
    score: float,
    *,
    k: Any = 1,
    n: int | None = None,
    se: float | None = None,
    prob: float = 0.95,
) -> xr.Dataset:
    r"""Return what a published score is worth, if it is the best of k variants on one test set.

    Variants are equally good, and each has luck of its own, which is the pessimistic choice: with
    F the distribution function of a variant's score, and a flat prior,
    :math:`p(\theta \mid x) \propto F(x; \theta)^k - F(x^-; \theta)^k`.

    Parameters
    ----------
    score : float
        As it was published.
    k : int or distribution
        Number of variants, the published one included; or a prior, a frozen discrete distribution
        of ``scipy.stats``, such as ``randint(1, 51)``.
    n, se : int, float
        Instances of the test set, of shares of right answers; or the score's standard error.
    prob : float
        Probability of the intervals.

    Returns
    -------
    Dataset
        ``score``; ``theta``, its posterior mean, with ``theta_lower``, ``theta_upper``; ``alone``,
        the mean if there were no other variant; ``law_free_lower``, ``law_free_upper``, an interval
        of the best variant's theta whatever the variants are. attrs: ``k`` (mean of a prior),
        ``prob``, ``message``.

    Raises
    ------
    LeaderbayesError
        If an argument is out of range.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> found = lb.sota.claim(0.931, k=27, n=2000)
    >>> [round(float(found[name]), 3) for name in ("theta", "theta_lower", "theta_upper")]
    [0.919, 0.912, 0.924]
    """
    share("prob", prob)
    many, weight = _variants(k)
    score = float(read_board([score], n=n, se=se)[0])
    tail = (1.0 - prob) / 2.0
    if n is not None:
        error = np.sqrt(max(score * (1.0 - score), 1.0 / n) / n)
        ends = np.clip(score + _REACH * error * np.array([-1.0, 1.0]), 0.0, 1.0)
        theta, right = np.linspace(*ends, _GRID), float(round(n * score))
        upto, under = bdtr(right, n, theta), np.where(right > 0, bdtr(right - 1.0, n, theta), 0.0)
    else:
        error = float(se or 0.0)
        theta = score + _REACH * error * np.linspace(-1.0, 1.0, _GRID)
        z, half = (score - theta) / error, 1e-4
        upto, under = ndtr(z + half), ndtr(z - half)
    density = (upto[:, None] ** many - under[:, None] ** many) @ weight
    lower, upper = np.interp([tail, 1.0 - tail], np.cumsum(density) / density.sum(), theta)
    mean, one = float(density @ theta / density.sum()), upto - under
    # Were all as bad as this, or the shown one as good, so high, or low, a score would be as rare.
    most = many[min(np.searchsorted(np.cumsum(weight), 1.0 - tail), len(many) - 1)]
    free = [float(np.interp(-level, -side, theta)) for side, level in
            ((under, (1.0 - tail) ** (1.0 / most)), (upto, tail))]  # fmt: skip
    expected, form = float(many @ weight), f".{decimals_of_best(lower, upper)}f"
    about = "" if len(many) == 1 else "about "
    return xr.Dataset(
        {
            "score": score,
            "theta": mean,
            "theta_lower": lower,
            "theta_upper": upper,
            "alone": float(one @ theta / one.sum()),
            "law_free_lower": free[0],
            "law_free_upper": free[1],
        },
        attrs={
            "k": expected,
            "prob": prob,
            "message": f"{score:.4g}, if it is the best of {about}"
            f"{counted(round(expected), 'variant')}, is worth {mean:{form}} "
            f"({prob:.0%} interval {lower:{form}} to {upper:{form}}).",
        },
    )


def _variants(k: Any) -> tuple[Floats, Floats]:
    """Numbers of variants and their probabilities."""
    if not hasattr(k, "pmf"):
        return np.array([float(whole("k", k, at_most=_MOST_KNOWN))]), np.ones(1)
    first, last = max(int(k.ppf(1e-6)), 1), int(k.ppf(1.0 - 1e-6))
    if not first <= last <= _MOST:
        raise LeaderbayesError(f"k: its prior must lie from 1 to {_MOST}, such as randint(1, 51).")
    many = np.arange(first, last + 1.0)
    weight = np.asarray(k.pmf(many), dtype=float)
    return many, weight / weight.sum()
