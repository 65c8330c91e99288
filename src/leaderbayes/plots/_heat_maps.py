"""Heat maps of win probabilities and of ranks."""

from functools import singledispatch
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._answers.compare import p_better
from leaderbayes._answers.leaderboard import leaderboard as table_of
from leaderbayes._answers.ranks import rank_probability
from leaderbayes._answers.win_probability import By
from leaderbayes._answers.win_probability import win_probability as probabilities
from leaderbayes._fits.posterior import Posterior, Teams
from leaderbayes.plots._canvas import MOST_NUMBERS, FigSize, best, heat_map, of_all, panels
from leaderbayes.plots._colors import SHARES, WINS


def win_probability(
    dt: xr.DataTree, *, top: int | None = None, by: By = "auto", figsize: FigSize | None = None
) -> Any:
    """Plot P(row beats column) as a heat map, best player first.

    Parameters
    ----------
    dt : DataTree
        Posterior of any model; for teams the probability that the row is better is drawn.
    top : int, optional
        Draw this many of the best players only.
    by : {"auto", "blend", "model", "record"}
        As for `leaderbayes.win_probability`: "record" by each pair's head-to-head results.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        "board": opponents across, players down, with numbers in the cells of up to 20. Colours run
        from orange (0) over white (1/2) to blue (1).

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), seed=1)
    >>> pc = lb.plots.win_probability(dt, top=5)
    """
    post, table = Posterior(dt), table_of(dt)
    names = best(table, top)[post.who].to_numpy()
    pairs, title = _pairs(post, by)
    values = pairs.sel(player=names, opponent=names).to_numpy()
    m = len(names)
    side = float(np.clip(0.5 * m, 3.0, 12.0))
    with panels(
        {"board": f"{title}{of_all(m, len(table))}"}, table.attrs, size=(side + 3.0, side + 2.0),
        figsize=figsize,
    ) as (collection, (ax,)):  # fmt: skip
        heat_map(
            ax, values, WINS, "probability", rows=names, columns=names, blank=np.eye(m, dtype=bool)
        )
    return collection


@singledispatch
def _pairs(post: Posterior, by: By) -> tuple[xr.DataArray, str]:
    """Return the probability of each pair, and what it is."""
    found = probabilities(post.tree, by=by)
    from_record = ", from head-to-head results" if found.attrs["by"] == "record" else ""
    return found["mean"], f"P(row beats column in a new {post.kind.unit}){from_record}"


@_pairs.register
def _of_teams(post: Teams, by: By) -> tuple[xr.DataArray, str]:
    return p_better(post), "P(row is better than column)"


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
        "board": ranks across (1 is best), players down, darker where more probable, with numbers
        in the cells of up to 20 players and ranks.

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
