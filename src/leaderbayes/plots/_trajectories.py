"""Strengths over time."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._answers.leaderboard import leaderboard as table_of
from leaderbayes._answers.ranks import by_period
from leaderbayes._arguments import share
from leaderbayes._fits.posterior import Posterior
from leaderbayes._numerics.intervals import ends
from leaderbayes.plots._canvas import FigSize, best, fitting, labels, of_all, panels

_MOST = 8  # players that are told apart by their colours


def trajectories(
    dt: xr.DataTree, *, top: int | None = None, prob: float = 0.95, figsize: FigSize | None = None
) -> Any:
    """Plot players' strengths from period to period, with bands of credible intervals.

    Parameters
    ----------
    dt : DataTree
        Posterior of strengths by period: ``fit(data, "dynamic", options={"period": ...})``.
    top : int, optional
        Draw this many of the last period's best players; by default up to 8.
    prob : float
        Probability mass of the bands, which are equal-tailed by period.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        "board": periods across, log-odds of beating that period's average player up.

    Raises
    ------
    LeaderbayesError
        If strengths are not by period, or an argument is out of range.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(votes, "dynamic", options={"period": "month"})  # doctest: +SKIP
    >>> lb.plots.trajectories(dt, top=5)  # doctest: +SKIP
    """
    import matplotlib as mpl

    post, prob = Posterior(dt), share("prob", prob)
    periods, draws = by_period(post)
    table = table_of(dt)
    names = best(table, top, _MOST)["player"].to_numpy()
    title = f"Strength over time{of_all(len(names), len(table))}"
    across, colors = np.arange(len(periods)), mpl.colormaps["tab10"]
    with panels({"board": title}, table.attrs, size=(8.0, 5.0), figsize=figsize) as (
        collection, (ax,),
    ):  # fmt: skip
        ax.axhline(0.0, color="black", linewidth=0.5)
        for k, (name, label) in enumerate(zip(names, labels(names), strict=True)):
            own = draws[:, :, post.position(name)]
            style = "-" if k < 10 else "--"
            ax.plot(across, own.mean(axis=0), style, color=colors(k % 10), marker="o", label=label)
            ax.fill_between(across, *ends(own, prob), color=colors(k % 10), alpha=0.15, linewidth=0)
        shown = labels(periods, 24)
        some = fitting(ax, len(shown), "x", 0.7 * max(map(len, shown)) + 0.7)
        ax.set_xticks(across[some], shown[some])
        ax.set(xlabel="period", ylabel=f"log-odds against the average player, {prob:.0%} bands")
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    return collection
