"""Posterior distribution of ranks."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._answers.leaderboard import leaderboard as table_of
from leaderbayes._answers.ranks import rank_probability
from leaderbayes.plots._canvas import Backend, best, canvas, thinned


def rank_distribution(
    dt: xr.DataTree, *, top: int | None = None, backend: Backend | None = None
) -> Any:
    """Draw the probability of every rank for every player, best player on top.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    top : int, optional
        Draw this many of the best players only.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        One plot: ranks across (1 is best), players down; the darker the more probable.

    Raises
    ------
    LeaderbayesError
        If ``top`` is below 1, or the backend is unknown.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), sampler="laplace", seed=1)
    >>> pc = lb.plots.rank_distribution(dt, top=5, backend="matplotlib")
    """
    best_first = best(table_of(dt), top)["player"].to_numpy()
    share = rank_probability(dt).sel(player=best_first).to_numpy()
    m, ranks = share.shape
    height, width = (float(np.clip(0.32 * n, 2.5, 12.0)) for n in (m, ranks))
    collection, plot = canvas(
        dt, "Probability of each rank", width=width + 3.0, height=height + 1.5, backend=backend
    )
    # A median player's likeliest rank is dark; one sure player would leave the rest white.
    high = float(np.median(share.max(axis=1)))
    plot.heat_map(share[::-1], low=0.0, high=high, diverging=False)
    shown = thinned(m, 50)
    plot.yticks(np.arange(m)[::-1][shown], plot.labels(best_first, 30)[shown])
    across = thinned(ranks, 25)
    plot.xticks(np.arange(ranks)[across], [str(k + 1) for k in range(ranks)][across])
    plot.xlim((-0.5, ranks - 0.5))
    plot.ylim((-0.5, m - 0.5))
    plot.xlabel("rank")
    return collection
