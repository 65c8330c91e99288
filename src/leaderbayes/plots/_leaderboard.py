"""Forest of the leaderboard."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._answers.leaderboard import leaderboard as table_of
from leaderbayes.plots._canvas import BLUE, GREY, Backend, best, canvas, labels, thinned


def leaderboard(
    dt: xr.DataTree, *, prob: float = 0.95, top: int | None = None, backend: Backend | None = None
) -> Any:
    """Draw epp with intervals, best player on top.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    prob : float
        Posterior probability of the thin intervals; the thick ones hold half of it.
    top : int, optional
        Draw this many of the best players only.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        One plot: epp (log-odds of beating the average player) across, players down.

    Raises
    ------
    LeaderbayesError
        If ``prob`` is not between 0 and 1, ``top`` is below 1, or the backend is unknown.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), sampler="laplace", seed=1)
    >>> pc = lb.plots.leaderboard(dt, top=5, backend="matplotlib")
    >>> pc.savefig("leaderboard.png")
    """
    outer = best(table_of(dt, prob=prob), top)
    inner = best(table_of(dt, prob=prob / 2.0), top)
    m = len(outer)
    height = 1.4 + min(m * 0.28, 30.0 if m <= 100 else 16.0)
    collection, target, draw = canvas(
        dt, f"Leaderboard with {prob:.0%} intervals", width=8.0, height=height, backend=backend
    )
    y = np.arange(m)[::-1]
    draw.vline(0.0, target, color=GREY)
    for table, width in ((outer, 1.2), (inner, 3.2)):
        for at, low, high in zip(y, table["epp_lower"], table["epp_upper"], strict=True):
            draw.line(np.array([low, high]), np.array([at, at]), target, color=BLUE, width=width)
    draw.scatter(outer["epp"].to_numpy(), y, target, color=BLUE, facecolor="white", size=22)
    shown = thinned(m)
    draw.yticks(y[shown], labels(outer["player"], collection.backend)[shown], target)
    draw.ylim((-0.8, m - 0.2), target)
    draw.xlabel("epp: log-odds of beating the average player", target)
    return collection
