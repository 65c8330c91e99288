"""Estimates of the best theta: boards shrunk or cropped until their maximum is what was seen."""

from bisect import bisect_left
from collections.abc import Callable
from typing import Literal

import numpy as np
import xarray as xr
from numpy.typing import NDArray
from scipy.optimize import brentq

from leaderbayes._errors import LeaderbayesError
from leaderbayes.numerics.maximum import moments, of_board, quantiles
from leaderbayes.sota._board import naive_interval
from leaderbayes.sota._law import Dependence, cdf_of, feasible

Floats = NDArray[np.float64]
Criterion = Literal["mean", "upper"]


def shrink(
    board: xr.DataArray,
    *,
    classes: int = 2,
    rho: float = 0.0,
    theta_0: float | None = None,
    dependence: Dependence = "boland",
    criterion: Criterion = "mean",
    prob: float = 0.95,
) -> xr.Dataset:
    r"""Estimate the best theta by shrinking a board towards the random classifier.

    .. math:: \theta_j' = w \hat\theta_j + (1 - w) / |classes|

    with the weight w at which the best of a board with thetas :math:`\theta'` is expected to score
    what the best team scored; the estimate is :math:`\max \theta'`.

    Parameters
    ----------
    board : DataArray (team)
        From `read_board`. Teams at or below chance, 1 / classes, are left out.
    classes : int
        Number of classes.
    rho, theta_0, dependence
        As for `maximum_distribution`; theta_0 is the highest theta' by default. Teams that
        equation 8 excludes are left out: they are never the best.
    criterion : {"mean", "upper"}
        The observed maximum is the expected one, or the upper limit of its interval.
    prob : float
        Probability of the interval.

    Returns
    -------
    Dataset
        Scalars ``weight``; ``theta_sota``, the estimate; ``expected_max``, ``lower``, ``upper``,
        mean and interval of the best score on another test set; ``observed_max``, with
        ``naive_lower`` and ``naive_upper``, its interval were it the only team; ``bias``, of the
        best score where thetas are the scores; ``teams_above``, teams that scored above
        ``theta_sota``; ``m``, teams above chance; ``excluded`` of them by equation 8. attrs:
        ``solved`` (0 where multiplicity does not explain the maximum: then the estimate is the
        observed maximum), ``message``, and the arguments.

    Raises
    ------
    LeaderbayesError
        If an argument is out of range, or no team is above chance.

    References
    ----------
    Møllersen, Holsbø (2024), Accounting for multiplicity in machine learning benchmark
    performance, section 5.1, equation 9.
    """
    if classes < 2:
        raise LeaderbayesError(f"classes={classes}: give at least 2.")
    chance = 1.0 / classes

    def thetas(weight: float, scores: Floats) -> Floats:
        return weight * scores + (1.0 - weight) * chance

    def root(excess: Callable[[float], float], scores: Floats) -> float:
        return float(brentq(excess, 0.0, 1.0, xtol=1e-8))

    made = _solve(
        board, thetas, root, 1.0, chance, rho, theta_0, dependence, criterion, prob, "weight"
    )
    return made.assign_attrs(method="shrink", classes=classes)


def crop(
    board: xr.DataArray,
    *,
    classes: int = 2,
    rho: float = 0.0,
    theta_0: float | None = None,
    dependence: Dependence = "boland",
    criterion: Criterion = "mean",
    prob: float = 0.95,
) -> xr.Dataset:
    """Estimate the best theta by cropping a board: teams above a threshold are left out.

    The threshold is the score at which the best of the teams left is expected to score nearest to
    what the best team of all scored; it is the estimate.

    Parameters
    ----------
    board, classes, rho, theta_0, dependence, criterion, prob
        As for `shrink`.

    Returns
    -------
    Dataset
        As from `shrink`, with ``threshold`` for ``weight``.

    Raises
    ------
    LeaderbayesError
        As for `shrink`.

    References
    ----------
    Møllersen, Holsbø (2024), appendix, Table 4.
    """
    if classes < 2:
        raise LeaderbayesError(f"classes={classes}: give at least 2.")
    chance, top = 1.0 / classes, float(board.max())

    def thetas(threshold: float, scores: Floats) -> Floats:
        return scores[scores <= threshold]

    def root(excess: Callable[[float], float], scores: Floats) -> float:
        steps = np.unique(scores)
        above = bisect_left(range(len(steps)), 0.0, key=lambda k: excess(float(steps[k])))
        pair = steps[max(above - 1, 0) : above + 1]
        return float(min(pair, key=lambda t: abs(excess(float(t)))))

    made = _solve(
        board, thetas, root, top, chance, rho, theta_0, dependence, criterion, prob, "threshold"
    )
    return made.assign_attrs(method="crop", classes=classes)


def _solve(
    board: xr.DataArray,
    thetas: Callable[[float, Floats], Floats],
    root: Callable[[Callable[[float], float], Floats], float],
    whole: float,
    chance: float,
    rho: float,
    theta_0: float | None,
    dependence: Dependence,
    criterion: Criterion,
    prob: float,
    name: str,
) -> xr.Dataset:
    """Find the parameter whose board has the observed maximum; ``whole`` leaves it as it is."""
    if criterion not in ("mean", "upper"):
        raise LeaderbayesError(f"criterion={criterion!r}: choose 'mean' or 'upper'.")
    if not 0.0 < prob < 1.0:
        raise LeaderbayesError(f"prob={prob}: give a probability between 0 and 1, such as 0.95.")
    if not 0.0 <= rho <= 1.0:
        raise LeaderbayesError(f"rho={rho}: give a correlation from 0 to 1.")
    if "n" not in board.attrs or board.dims != ("team",):
        raise LeaderbayesError("A board comes from sota.read_board: dimension team, attribute n.")
    n = int(board.attrs["n"])
    scores = board.to_numpy()[board.to_numpy() > chance]
    if scores.size == 0:
        raise LeaderbayesError(f"No team scores above chance, {chance:.4g}; is classes right?")
    observed = float(scores.max())
    tails = np.array([(1.0 - prob) / 2.0, (1.0 + prob) / 2.0])

    def law(parameter: float) -> tuple[int, Floats, int]:
        theta = thetas(parameter, scores)
        kept = np.ones(len(theta), dtype=bool)
        reference = float(theta.max()) if theta_0 is None else theta_0
        if rho > 0.0 and dependence == "boland" and 0.0 < reference < 1.0:
            kept = feasible(theta, rho, reference)
        low, cdf = cdf_of(n, of_board(theta[kept], n), rho, reference, dependence)
        return low, cdf, int((~kept).sum())

    def excess(parameter: float) -> float:
        low, cdf, _ = law(parameter)
        if criterion == "mean":
            return moments(n, low, cdf)[0] - observed
        # Between counts F is drawn as a line, so that the limit moves smoothly.
        at = np.interp(observed * n, low + np.arange(len(cdf)), cdf)
        return float(tails[1] - at)

    low, cdf, _ = law(whole)
    bias = moments(n, low, cdf)[0] - observed
    solved = bias >= 0.5 / n and excess(whole) > 0.0
    parameter = whole
    message = f"The best score is {bias:.4f} above its theta by choosing the best of {len(scores)}."
    if not solved:
        message = (
            "Multiplicity does not explain the maximum: were every team as good as its score, the "
            f"best of {len(scores)} would be expected at {observed + bias:.5f}, less than half an "
            f"instance from the observed {observed:.5f}."
        )
    else:
        parameter = root(excess, scores)
    low, cdf, excluded = law(parameter)
    estimate = float(thetas(parameter, scores).max())
    lower, upper = quantiles(n, low, cdf, tails)
    naive = naive_interval(observed, n, prob=prob)
    return xr.Dataset(
        {
            name: parameter,
            "theta_sota": estimate,
            "expected_max": moments(n, low, cdf)[0],
            "lower": lower,
            "upper": upper,
            "observed_max": observed,
            "naive_lower": naive[0],
            "naive_upper": naive[1],
            "bias": bias,
            "teams_above": int((scores > estimate).sum()),
            "m": len(scores),
            "excluded": excluded,
        },
        attrs={
            "solved": int(solved),
            "message": message,
            "n": n,
            "rho": rho,
            "dependence": dependence,
            "criterion": criterion,
            "prob": prob,
        },
    )
