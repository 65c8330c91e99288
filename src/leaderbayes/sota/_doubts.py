"""Warnings of a posterior that should not be believed without a look at the board."""

import warnings

import pandas as pd
import xarray as xr
from scipy.stats import binom

from leaderbayes._answers.check import check
from leaderbayes._answers.leaderboard import leaderboard
from leaderbayes._errors import BoardWarning
from leaderbayes._scores.tables import shown
from leaderbayes.models._sota_completed import board_of

_MISFIT = 0.005  # p-value of a statistic of the board, below which the model is called in question
# Boards of the model: fewer all lie on one side of a board of the same model more often than that.
_FEWEST = round(2.0 / _MISFIT)


def question(tree: xr.DataTree, *, flexible: bool) -> None:
    """Warn where the posterior should not be believed without a look at the board."""
    again = tree["posterior_predictive"].sizes
    compared = check(tree, seed=0).to_dataframe()
    if again["chain"] * again["draw"] >= _FEWEST and compared["p_value"].min() < _MISFIT:
        remedy = "" if flexible else "Take law='flexible'. "
        warnings.warn(f"{_misfit(compared)} {remedy}{_ALSO}", BoardWarning, stacklevel=3)
    if low := _low(tree):
        remedies = [] if flexible else ["law='flexible'"]
        remedies += ["a lower rho"] if "ease" in tree["posterior"] else []
        take = f"Take {', or '.join(remedies)} (see leaderbayes.check)." if remedies else _CLONES
        warnings.warn(f"{low} {take}", BoardWarning, stacklevel=3)


_ALSO = "Teams may also depend on each other more than by rho (see leaderbayes.check)."
_CLONES = (
    "The teams may depend on each other, or be on the board several times (clones='one'; see "
    "leaderbayes.check)."
)


def _misfit(compared: pd.DataFrame) -> str:
    """Return that boards of the model do not look like this one."""
    first = compared[compared["p_value"] < _MISFIT].iloc[0]
    observed, low, high = _distinguished(*(float(first[k]) for k in ("observed", "lower", "upper")))
    boards = f"{low} to {high}" if low != high else f"{low}, nearly always"
    return (
        f"LB021 the model does not describe the board: its {first.name} is {observed}, and of the "
        f"model's boards {boards} (p = {first['p_value']:.3f})."
    )


def _distinguished(observed: float, low: float, high: float) -> tuple[str, str, str]:
    """Write a number and the ends of an interval with as many digits as distinguish them."""
    for digits in range(4, 17):
        seen, *ends = (f"{value:.{digits}g}" for value in (observed, low, high))
        if (seen not in ends or observed in (low, high)) and (low == high or ends[0] != ends[1]):
            break
    return seen, ends[0], ends[1]


def _low(tree: xr.DataTree) -> str:
    """Return that the best theta, or the score of whoever has it, is below the board's middle."""
    table = leaderboard(tree)
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
        return ""
    return (
        f"LB022 {what}, below the board's median, {median:.4g}: more than half of the teams would "
        "be better than the best."
    )


def _scored(tree: xr.DataTree, theta: float) -> float:
    """Median score of such a theta: next to 1 that is a perfect one."""
    known = board_of(tree).attrs
    if known["metric"] != "accuracy":
        return theta
    n = int(known["n"])
    return max(float(binom.median(n, min(theta, 1.0))) / n, theta)
