"""The check of fit as a figure."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._answers.check import check
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import Posterior
from leaderbayes.plots._canvas import FigSize, legend, name_rows, panels
from leaderbayes.plots._colors import BLUE, ORANGE


def deviance(
    dt: xr.DataTree, *, draws: int = 200, seed: int | None = None, figsize: FigSize | None = None
) -> Any:
    """Plot the discrepancy of the data (line) and of replicates (histogram).

    Replicates beyond the line vary more than the data do; where few of them are, the model does
    not describe the data.

    Parameters
    ----------
    dt : DataTree
        Posterior of any model.
    draws, seed
        As for `leaderbayes.check`.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        "board": a histogram of the discrepancies; for teams the statistics of the board, each with
        the model's 95 % interval.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), seed=1)
    >>> pc = lb.plots.deviance(dt, seed=1)
    """
    post, found = Posterior(dt), check(dt, draws=draws, seed=seed)
    if "statistic" in found.dims:
        return _of_statistics(found, post.model.unit, figsize)
    p, observed = float(found["p_value"]), float(found["observed"])
    replicated = found["replicated"].to_numpy()
    if not len(replicated):
        raise LeaderbayesError("There are no replicates to draw: too few pairs met, or were kept.")
    least = 1.0 / len(replicated)
    said = f"p < {least:.2g}" if p < least else f"p = {p:.2f}"
    with panels(
        {"board": f"Check of fit: {said}" if np.isfinite(p) else "Check of fit"}, found.attrs,
        size=(6.5, 4.5), figsize=figsize,
    ) as (collection, (ax,)):  # fmt: skip
        kept = replicated[np.isfinite(replicated)]
        ax.hist(kept, bins=min(30, 5 + len(kept) // 10), color=BLUE, alpha=0.5, label="replicates")
        if np.isfinite(observed):
            ax.axvline(observed, color=ORANGE, linewidth=2.0, label="these data")
        ax.set_xlabel(post.kind.misfit)
        ax.set_ylabel("replicates")
        legend(ax)
    return collection


def _of_statistics(found: xr.Dataset, unit: str, figsize: FigSize | None) -> Any:
    """Draw statistics of a board with the intervals that the model gives them."""
    names = found["statistic"].to_numpy()
    y, inside = np.arange(len(names))[::-1], found["p_value"].to_numpy() >= 0.05
    with panels(
        {"board": "Check of fit"}, found.attrs, size=(6.5, 1.6 + 0.4 * len(names)), rows=True,
        figsize=figsize,
    ) as (collection, (ax,)):  # fmt: skip
        ax.hlines(y, found["lower"], found["upper"], color=BLUE, linewidth=2.0, label="model, 95 %")
        colors = np.where(inside, BLUE, ORANGE)
        ax.scatter(found["observed"], y, color=colors, s=30, zorder=3, label="this board")
        name_rows(ax, names)
        ax.set_xlabel(f"score ({unit})")
        legend(ax)
    return collection
