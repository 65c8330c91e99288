"""Warnings of a posterior that should not be believed without a look at the board."""

import warnings

import pandas as pd
import xarray as xr
from scipy.stats import binom

from leaderbayes._answers.check import check
from leaderbayes._errors import BoardWarning
from leaderbayes.models._sota_completed import board_of

_MISFIT = 0.005  # p-value of a statistic of the board, below which the model is called in question
# Boards of the model: fewer all lie on one side of a board of the same model more often than that.
_FEWEST = round(2.0 / _MISFIT)


def question(tree: xr.DataTree, *, flexible: bool) -> None:
    """Warn where the posterior should not be believed without a look at the board."""
    boards = tree["posterior_predictive"].sizes
    compared = check(tree, seed=0).to_dataframe()
    remedies = [] if flexible else ["law='flexible'"]
    if boards["chain"] * boards["draw"] >= _FEWEST and compared["p_value"].min() < _MISFIT:
        take = f"Take {remedies[0]}. " if remedies else ""
        _warn(f"{_misfit(compared)} {take}Teams may also depend on each other more than by rho")
    if low := _low(tree):
        remedies += ["a lower rho"] if "ease" in tree["posterior"] else []
        copies = "The teams may depend on each other, or be copies of one"
        _warn(f"{low} " + (f"Take {', or '.join(remedies)}" if remedies else copies))


def _warn(message: str) -> None:
    warnings.warn(f"{message} (see leaderbayes.check).", BoardWarning, stacklevel=4)


def _misfit(compared: pd.DataFrame) -> str:
    """Return that boards of the model do not look like this one."""
    first = compared[compared["p_value"] < _MISFIT].iloc[0]
    observed, *ends = (float(first[name]) for name in ("observed", "lower", "upper"))
    for digits in range(4, 17):  # as many as distinguish them
        seen, low, high = (f"{value:.{digits}g}" for value in (observed, *ends))
        if seen not in (low, high) or observed in ends:
            break
    boards = f"{low} to {high}" if low != high else f"{low}, nearly always"
    return (
        f"LB021 the model does not describe the board: its {first.name} is {seen}, and of the "
        f"model's boards {boards} (p = {first['p_value']:.3f})."
    )


def _low(tree: xr.DataTree) -> str:
    """Return that the best theta is below the board's middle."""
    board, best = board_of(tree), tree["posterior"]["theta_sota"]
    # Of a few teams whose scores are mostly luck the best is about as good as the middle.
    highest, median = float(best.mean() + best.std()), float(board.median())
    if board.attrs["metric"] == "accuracy":  # next to 1 the median score of a theta is 1
        n = int(board.attrs["n"])
        highest = max(float(binom.median(n, min(highest, 1.0))) / n, highest)
    if highest >= median:
        return ""
    return (
        f"LB022 theta_SOTA is {float(best.mean()):.4g}, below the board's median, {median:.4g}: "
        "more than half of the teams would be better than the best."
    )
