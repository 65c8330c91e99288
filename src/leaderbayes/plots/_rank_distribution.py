"""Posterior distribution of ranks."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._answers.leaderboard import leaderboard as table_of
from leaderbayes._answers.ranks import rank_probability
from leaderbayes._fits.posterior import Posterior
from leaderbayes.plots._canvas import (
    MOST_NUMBERS,
    SHARES,
    FigSize,
    best,
    heat_map,
    of_all,
    panels,
)


def rank_distribution(
    dt: xr.DataTree, *, top: int | None = None, figsize: FigSize | None = None
) -> Any:
    """Plot the probability of every rank for every player, best player on top.

    Parameters
    ----------
    dt : DataTree
        Posterior of any model.
    top : int, optional
        Draw this many of the best players only.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        "board": ranks across (1 is best), players down, the darker the more probable, with numbers
        in the cells of up to 20 players and ranks. Colours mean the same on every board.

    Raises
    ------
    LeaderbayesError
        If ``top`` is below 1.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), seed=1)
    >>> pc = lb.plots.rank_distribution(dt, top=5)
    """
    who, table = Posterior(dt).who, table_of(dt)
    names = best(table, top)[who].to_numpy()
    share = rank_probability(dt).sel({who: names}).to_numpy()
    m, ranks = share.shape
    side = 0.45 if max(m, ranks) <= MOST_NUMBERS else 0.32
    high, wide = (float(np.clip(side * n, 2.5, 12.0)) for n in (m, ranks))
    title = f"Probability of each rank{of_all(m, len(table))}"
    with panels({"board": title}, table.attrs, size=(wide + 3.0, high + 1.5), figsize=figsize) as (
        collection,
        (ax,),
    ):
        heat_map(
            ax, share, SHARES, "probability", rows=names, columns=range(1, ranks + 1),
            blank=share < 0.005, upright=False,
        )  # fmt: skip
        ax.set_xlabel("rank")
    return collection
