"""Posterior distribution of ranks."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._answers.leaderboard import leaderboard as table_of
from leaderbayes._answers.ranks import rank_probability
from leaderbayes.plots._canvas import MOST_NUMBERS, Backend, FigSize, best, canvas, of_all, thinned
from leaderbayes.plots._heat_map import SHARES, written


def rank_distribution(
    dt: xr.DataTree,
    *,
    top: int | None = None,
    figsize: FigSize | None = None,
    backend: Backend | None = None,
) -> Any:
    """Draw the probability of every rank for every player, best player on top.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    top : int, optional
        Draw this many of the best players only.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        One plot: ranks across (1 is best), players down; the darker the more probable. Colours
        are the same on every board, from 0 to 1, and closer together near 0; numbers in the cells
        of up to 20 players and ranks.

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
    table = table_of(dt)
    best_first = best(table, top)["player"].to_numpy()
    share = rank_probability(dt).sel(player=best_first).to_numpy()
    m, ranks = share.shape
    side = 0.45 if max(m, ranks) <= MOST_NUMBERS else 0.32
    height, width = (float(np.clip(side * n, 2.5, 12.0)) for n in (m, ranks))
    collection, plot = canvas(
        dt, f"Probability of each rank{of_all(m, len(table))}", width=width + 3.0,
        height=height + 1.5, figsize=figsize, backend=backend,
    )  # fmt: skip
    plot.heat_map(share[::-1], SHARES, "probability")
    if max(m, ranks) <= MOST_NUMBERS:
        # What rounds to nothing is left blank.
        texts = np.array([[written(p) if p >= 0.005 else "" for p in row] for row in share[::-1]])
        plot.numbers(share[::-1], SHARES, texts, width / ranks)
    shown = thinned(m, 50)
    plot.yticks(np.arange(m)[::-1][shown], plot.labels(best_first, 30)[shown])
    across = plot.along(ranks, 25, 0.7 * len(str(ranks)) + 0.7)
    plot.xticks(np.arange(ranks)[across], [str(k + 1) for k in range(ranks)][across])
    plot.xlim((-0.5, ranks - 0.5))
    plot.ylim((-0.5, m - 0.5))
    plot.xlabel("rank")
    return collection
