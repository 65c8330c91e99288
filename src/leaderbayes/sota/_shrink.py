"""Estimates of the best theta: boards shrunk or cropped until their maximum is what was seen."""

from bisect import bisect_left
from collections.abc import Callable
from typing import Literal, NamedTuple

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
Excess = Callable[[float], float]


class _Family(NamedTuple):
    """Boards made of a board's scores by one parameter; their maximum grows with it."""

    parameter: str
    thetas: Callable[[float], Floats]
    root: Callable[[Excess], float]  # where an increasing function crosses 0
    whole: float  # the board as it is


class _Law(NamedTuple):
    """What is known of a board besides its thetas."""

    n: int
    rho: float
    theta_0: float | None
    dependence: Dependence

    def __call__(self, theta: Floats) -> tuple[int, Floats, int]:
        """F from its first count on, and how many classifiers equation 8 excludes."""
        kept = np.ones(len(theta), dtype=bool)
        reference = float(theta.max()) if self.theta_0 is None else self.theta_0
        if self.rho > 0.0 and self.dependence == "boland" and 0.0 < reference < 1.0:
            kept = feasible(theta, self.rho, reference)
        mixture = of_board(theta[kept], self.n)
        low, cdf = cdf_of(self.n, mixture, self.rho, reference, self.dependence)
        return low, cdf, int((~kept).sum())


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
        Probability of the intervals.

    Returns
    -------
    Dataset
        Scalars ``weight``; ``theta_sota``, the estimate; ``theta_sota_lower`` and
        ``theta_sota_upper``, where the observed maximum would be the upper and the lower limit of
        its interval; ``expected_max``, ``max_lower``, ``max_upper``, mean and interval of the best
        score on another test set; ``observed_max``, with ``naive_lower`` and ``naive_upper``, its
        interval were it the only team; ``bias``, of the best score where thetas are the scores;
        ``teams_above``, teams that scored above ``theta_sota``; ``m``, teams above chance;
        ``excluded`` of them by equation 8. attrs: ``solved`` (0 where multiplicity does not
        explain the maximum: then the estimate is the observed maximum), ``message``, and the
        arguments.

    Raises
    ------
    LeaderbayesError
        If an argument is out of range, or no team is above chance.

    References
    ----------
    Møllersen, Holsbø (2024), Accounting for multiplicity in machine learning benchmark
    performance, section 5.1, equation 9.
    """
    law, scores, chance = _prepare(board, classes, rho, theta_0, dependence)
    # The best theta is next to 1.
    heaviest = max(1.0, (1.0 - 1e-9 - chance) / (scores.max() - chance))

    def thetas(weight: float) -> Floats:
        return np.minimum(weight * scores + (1.0 - weight) * chance, 1.0)

    def root(excess: Excess) -> float:
        return float(brentq(excess, 0.0, heaviest, xtol=1e-8)) if excess(heaviest) > 0 else heaviest

    made = _solve(_Family("weight", thetas, root, 1.0), law, scores, criterion, prob)
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
        As from `shrink`, with ``threshold`` for ``weight``. No limit lies above the observed
        maximum.

    Raises
    ------
    LeaderbayesError
        As for `shrink`.

    References
    ----------
    Møllersen, Holsbø (2024), appendix, Table 4.
    """
    law, scores, _ = _prepare(board, classes, rho, theta_0, dependence)
    steps = np.unique(scores)

    def thetas(threshold: float) -> Floats:
        return scores[scores <= threshold]

    def root(excess: Excess) -> float:
        above = bisect_left(range(len(steps)), 0.0, key=lambda k: excess(float(steps[k])))
        pair = steps[max(above - 1, 0) : above + 1]
        return float(min(pair, key=lambda t: abs(excess(float(t)))))

    family = _Family("threshold", thetas, root, float(steps[-1]))
    made = _solve(family, law, scores, criterion, prob)
    return made.assign_attrs(method="crop", classes=classes)


def _prepare(
    board: xr.DataArray,
    classes: int,
    rho: float,
    theta_0: float | None,
    dependence: Dependence,
) -> tuple[_Law, Floats, float]:
    """Check what is given; the scores above chance, and chance."""
    if classes < 2:
        raise LeaderbayesError(f"classes={classes}: give at least 2.")
    if not 0.0 <= rho <= 1.0:
        raise LeaderbayesError(f"rho={rho}: give a correlation from 0 to 1.")
    if "n" not in board.attrs or board.dims != ("team",):
        raise LeaderbayesError("A board comes from sota.read_board: dimension team, attribute n.")
    chance = 1.0 / classes
    scores = board.to_numpy()[board.to_numpy() > chance]
    if scores.size == 0:
        raise LeaderbayesError(f"No team scores above chance, {chance:.4g}; is classes right?")
    return _Law(int(board.attrs["n"]), rho, theta_0, dependence), scores, chance


def _solve(
    family: _Family, law: _Law, scores: Floats, criterion: Criterion, prob: float
) -> xr.Dataset:
    """Find the board of the family that has the observed maximum."""
    if criterion not in ("mean", "upper"):
        raise LeaderbayesError(f"criterion={criterion!r}: choose 'mean' or 'upper'.")
    if not 0.0 < prob < 1.0:
        raise LeaderbayesError(f"prob={prob}: give a probability between 0 and 1, such as 0.95.")
    observed, n = float(scores.max()), law.n
    tails = ((1.0 - prob) / 2.0, (1.0 + prob) / 2.0)

    def above_mean(parameter: float) -> float:
        low, cdf, _ = law(family.thetas(parameter))
        return moments(n, low, cdf)[0] - observed

    def limit(count: float, tail: float) -> Excess:
        def excess(parameter: float) -> float:
            low, cdf, _ = law(family.thetas(parameter))
            # Between counts F is drawn as a line, so that the limit moves smoothly.
            return tail - float(np.interp(count, low + np.arange(len(cdf)), cdf))

        return excess

    # As Clopper and Pearson have it: so high a maximum, or so low a one, has half of 1 - prob.
    so_high, so_low = limit(observed * n - 1.0, tails[1]), limit(observed * n, tails[0])

    def estimate(excess: Excess) -> float:
        return float(family.thetas(family.root(excess)).max())

    bias = above_mean(family.whole)
    solved = bias >= 0.5 / n
    parameter = family.whole
    if solved:
        parameter = family.root(above_mean if criterion == "mean" else so_high)
        message = "Choosing the best of {} adds {:.4f} to its score on average."
    else:
        message = (
            "Multiplicity does not explain the maximum: were every team as good as its score, the "
            f"best of {len(scores)} would be expected at {observed + bias:.5f}, less than half an "
            f"instance from the observed {observed:.5f}."
        )
    theta = family.thetas(parameter)
    low, cdf, excluded = law(theta)
    expected = moments(n, low, cdf)[0]
    lower, upper = quantiles(n, low, cdf, np.array(tails))
    naive = naive_interval(observed, n, prob=prob)
    return xr.Dataset(
        {
            family.parameter: parameter,
            "theta_sota": theta.max(),
            "theta_sota_lower": estimate(so_high),
            "theta_sota_upper": estimate(so_low),
            "expected_max": expected,
            "max_lower": lower,
            "max_upper": upper,
            "observed_max": observed,
            "naive_lower": naive[0],
            "naive_upper": naive[1],
            "bias": bias,
            "teams_above": int((scores > theta.max()).sum()),
            "m": len(scores),
            "excluded": excluded,
        },
        attrs={
            "solved": int(solved),
            "message": message.format(len(scores), expected - theta.max()),
            "n": n,
            "rho": law.rho,
            "dependence": law.dependence,
            "criterion": criterion,
            "prob": prob,
        },
    )
