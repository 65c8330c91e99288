"""Estimates of the best theta: boards shrunk or cropped until their maximum is what was seen."""

from bisect import bisect_left
from typing import Literal

import numpy as np
import xarray as xr

from leaderbayes._arguments import one_of, share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._scores.facts import Facts, facts, require_n
from leaderbayes._types import Floats
from leaderbayes.sota._law_of_board import Convention, law_of
from leaderbayes.sota._law_of_shares import Dependence, check_dependence
from leaderbayes.sota._solve import Criterion, Excess, Family, root_between, solve


def shrink(
    board: xr.DataArray,
    *,
    rule: Literal["shrink", "crop"] = "shrink",
    rho: float | None = None,
    theta_0: float | None = None,
    dependence: Dependence = "boland",
    criterion: Criterion = "mean",
    prob: float = 0.95,
    convention: Convention = "correct",
) -> xr.Dataset:
    r"""Estimate the best theta by making a board worse until its best score is no surprise.

    Shrunk, all teams are drawn towards the random classifier,

    .. math:: \theta_j' = w \hat\theta_j + (1 - w) \, \mathrm{chance}

    with the weight w at which the best of a board with thetas :math:`\theta'` is expected to score
    what the best team scored; the estimate is :math:`\max \theta'`. Cropped, the teams above a
    threshold are left out: the score at which the best of the teams left is expected to score
    nearest to what the best of all scored, which is the estimate.

    Parameters
    ----------
    board : DataArray (team)
        From `read_board` or `read_answers`. Teams at or below chance are left out; of estimates
        only where chance is known, without which they cannot be shrunk.
    rule : {"shrink", "crop"}
        How the board is made worse.
    rho, theta_0, dependence
        As for `maximum`; by default rho is the board's own, of `read_answers`, else 0, and theta_0
        the highest theta'. Teams that equation 8 excludes are left out: they are never the best.
    criterion : {"mean", "upper"}
        The observed maximum is the expected one, or the upper limit of its interval.
    prob : float
        Probability of the intervals.
    convention : {"correct", "published"}
        Each team is on the board once; or, as in the authors' program, as many teams are drawn
        from the thetas with replacement (of cropped thetas too, as many as there are teams above
        chance that equation 8 does not exclude). Not of estimates.

    Returns
    -------
    Dataset
        Scalars ``weight``, or ``threshold``; ``theta_sota``, the estimate; ``theta_sota_lower`` and
        ``theta_sota_upper``, where the observed maximum would be the upper and the lower limit of
        its interval (of "crop" no higher than the observed maximum); ``expected_max``,
        ``max_lower``, ``max_upper``, mean and interval of the best score on another test set;
        ``observed_max``, with ``naive_lower`` and ``naive_upper``, its interval were it the only
        team; ``bias``, of the best score where thetas are the scores; ``teams_above``, teams that
        scored above ``theta_sota``; ``m``, teams above chance; ``excluded`` of them by equation 8.
        attrs: ``solved`` (0 where multiplicity does not explain the maximum: then the estimate is
        the observed maximum), ``message``, the arguments, and what the board says of chance.

    Raises
    ------
    LeaderbayesError
        If an argument is out of range, or no team is above chance.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, section 5.1, equation 9; of cropping the appendix, Table 4.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> board = lb.sota.read_board(scores, n=200)
    >>> best = lb.sota.shrink(board)
    >>> float(best["observed_max"]), round(float(best["theta_sota"]), 3), int(best["teams_above"])
    (0.93, 0.915, 3)
    >>> float(lb.sota.shrink(board, rule="crop")["threshold"])
    0.91
    """
    known = facts(board)
    require_n(board)
    rho = known.rho if rho is None else rho
    _check(known, rule, rho, theta_0, dependence, convention)
    above = board[board.to_numpy() > known.chance]
    if not above.size:
        raise LeaderbayesError(
            f"No team scores above chance, {known.chance:.4g}; are the board's classes, or chance, "
            "right?"
        )
    law = law_of(above, known, rho, theta_0, dependence, convention)
    scores = above.to_numpy()
    family = _cropped(scores) if rule == "crop" else _shrunk(scores, known.chance, law.bounds[1])
    estimate = solve(family, law, scores, criterion, prob)
    said = {name: board.attrs[name] for name in ("chance", "classes") if name in board.attrs}
    return estimate.assign_attrs(rule=rule, **said)


def _shrunk(scores: Floats, chance: float, highest: float) -> Family:
    """Scores drawn towards chance by a weight (equation 9)."""
    if not np.isfinite(chance):
        raise LeaderbayesError(
            "Estimates of any metric are shrunk towards chance: say what a random classifier "
            "scores (of a regression who predicts the mean), on the scale of the source, "
            "sota.read_board(chance=...) (--chance), or take rule='crop' (--rule crop)."
        )
    best = float(scores.max())
    # The best theta is next to the highest possible one.
    heaviest = max(1.0, (highest - chance) / (best - chance))

    def thetas(weight: float) -> Floats:
        return weight * scores + (1.0 - weight) * chance

    def root(excess: Excess) -> float:
        return root_between(excess, 1e-9, heaviest)

    return Family("weight", thetas, root, 1.0)


def _cropped(scores: Floats) -> Family:
    """Scores up to a threshold."""
    steps = np.unique(scores)

    def thetas(threshold: float) -> Floats:
        return np.where(scores <= threshold, scores, -np.inf)

    def root(excess: Excess) -> float:
        above = bisect_left(range(len(steps)), 0.0, key=lambda k: excess(float(steps[k])))
        pair = steps[max(above - 1, 0) : above + 1]
        return float(min(pair, key=lambda t: abs(excess(float(t)))))

    return Family("threshold", thetas, root, float(steps[-1]))


def _check(
    known: Facts,
    rule: str,
    rho: float,
    theta_0: float | None,
    dependence: str,
    convention: str,
) -> None:
    """Raise unless the options are known, and of this board's metric."""
    one_of("rule", rule, "shrink", "crop")
    check_dependence(rho, dependence)
    one_of("convention", convention, "correct", "published")
    if theta_0 is not None:
        share("theta_0", theta_0)
        if known.metric != "accuracy":
            raise LeaderbayesError(
                "theta_0 is for shares of right answers on n instances: leave it out."
            )
    if convention == "published" and known.metric == "estimate":
        raise LeaderbayesError("convention='published' is for shares of right answers and AUCs.")
