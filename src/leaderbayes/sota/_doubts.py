"""Warnings of a posterior that should not be believed without a look at the board."""

import warnings

import numpy as np
import xarray as xr
from scipy.stats import binom

from leaderbayes._answers.best import compared, placed
from leaderbayes._answers.completed import board_of
from leaderbayes._errors import BoardWarning
from leaderbayes._numerics.decimals import decimals_of_best
from leaderbayes._scores.tables import shown

_LUCK = 4.0  # standard deviations of the test set's ease, from which it is hardly possible
_APART = 3.0  # standard deviations between the best theta and the teams' best theta
_MISFIT = 0.005  # p-value of a statistic of the board, below which the model is called in question
# Boards of the model: fewer all lie on one side of a board of the same model more often than that.
_FEWEST = round(2.0 / _MISFIT)


def question(tree: xr.DataTree, *, flexible: bool) -> None:
    """Warn where the posterior should not be believed without a look at the board."""
    doubts = (_misfit(tree, flexible), _low(tree, flexible), _lucky(tree), _apart(tree))
    for message in filter(None, doubts):
        warnings.warn(message, BoardWarning, stacklevel=3)


def _misfit(tree: xr.DataTree, flexible: bool) -> str | None:
    """Report that boards of the model do not look like this one; of too few boards nothing."""
    again = tree["posterior_predictive"].sizes
    if again["chain"] * again["draw"] < _FEWEST:
        return None
    found = compared(tree)
    odd = found[found["p_value"] < _MISFIT]
    if odd.empty:
        return None
    first = odd.iloc[0]
    observed, low, high = _distinguished(*(float(first[k]) for k in ("observed", "lower", "upper")))
    boards = f"{low} to {high}" if low != high else f"{low}, nearly always"
    return (
        f"LB021 the model does not describe the board: its {odd.index[0]} is "
        f"{observed}, and of the model's boards {boards} (p = {first['p_value']:.3f}). "
        + ("" if flexible else "Take law='flexible'. ")
        + "Teams may also depend on each other more than by rho (see leaderbayes.check)."
    )


def _distinguished(observed: float, low: float, high: float) -> tuple[str, str, str]:
    """Write a number and the ends of an interval with as many digits as distinguish them."""
    for digits in range(4, 17):
        shown_, *ends = (f"{value:.{digits}g}" for value in (observed, low, high))
        if (shown_ not in ends or observed in (low, high)) and (low == high or ends[0] != ends[1]):
            break
    return shown_, ends[0], ends[1]


def _low(tree: xr.DataTree, flexible: bool) -> str | None:
    """Report that the best theta, or the score of whoever has it, is below the board's middle."""
    table = placed(tree)
    median = float(table["score"].median())
    low = table[table["score"] < median]
    best = tree["posterior"]["theta_sota"]
    # Of a few teams whose scores are mostly luck the best is about as good as the middle.
    if _scored(tree, float(best.mean() + best.std())) < median:
        what = f"theta_SOTA is {float(best.mean()):.4g}"
    elif low["p_best"].sum() > 0.5:  # of equal teams any may be the best, as often above as below
        leader = low.iloc[int(low["p_best"].argmax())]
        what = f"the best team, {shown(leader['team'])}, scored {leader['score']:.4g}"
    else:
        return None
    remedies = [] if flexible else ["law='flexible'"]
    remedies += ["a lower rho"] if "ease" in tree["posterior"] else []
    return (
        f"LB022 {what}, below the board's median, {median:.4g}: more than half of the teams would "
        "be better than the best. "
        + (
            f"Take {', or '.join(remedies)} (see leaderbayes.check)."
            if remedies
            else "The teams may depend on each other, or be on the board several times "
            "(clones='one'; see leaderbayes.check)."
        )
    )


def _scored(tree: xr.DataTree, theta: float) -> float:
    """Median score of such a theta: next to 1 that is a perfect one."""
    known = board_of(tree).attrs
    if known.get("metric") != "accuracy":
        return theta
    n = int(known["n"])
    return max(float(binom.median(n, min(theta, 1.0))) / n, theta)


def _lucky(tree: xr.DataTree) -> str | None:
    """Report that the luck that all teams share is more than any test set has."""
    if "ease" not in tree["posterior"]:
        return None
    ease = float(tree["posterior"]["ease"].mean())
    if abs(ease) <= _LUCK:
        return None
    return (
        f"LB023 the teams' common luck on the test set is estimated at {ease:.1f} standard "
        "deviations, which no test set has: P(theta) does not describe the board, and luck fills "
        "the gap. Take law='flexible', or a lower rho."
    )


def _apart(tree: xr.DataTree) -> str | None:
    """Report that the best theta, where it is drawn by itself, is not that of the teams' thetas."""
    best, teams = tree["posterior"]["theta_sota"], tree["posterior"]["theta"].max("team")
    own, theirs = float(best.mean()), float(teams.mean())
    gap = abs(own - theirs)
    if gap <= _APART * max(float(best.std()), float(teams.std())) or np.isclose(gap, 0.0):
        return None
    form = f".{decimals_of_best(min(own, theirs), max(own, theirs))}f"
    return (
        f"LB024 theta_sota, {own:{form}}, is not the best of the teams' thetas, {theirs:{form}}, "
        "which come from the whole board: the leaderboard does not fit to sota.summary. Take "
        "sampler='exact' with statistic='board'."
    )
