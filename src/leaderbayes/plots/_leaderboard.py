"""Forest of a leaderboard; leaderboards of many tournaments, side by side."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.leaderboard import shown_as, table_of
from leaderbayes._arguments import share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import Posterior
from leaderbayes._numerics.intervals import ends
from leaderbayes.plots._canvas import (
    BLUE,
    GREY,
    Family,
    FigSize,
    best,
    labels,
    marks,
    of_all,
    panels,
    plain,
)

_MOST = 60  # players, without top
# Variables of `study.average`, and what they are.
_AVERAGES = {
    "overall": ("mean", "P(beats the average player)"), "average_rank": ("rank", "rank (1 is best)")
}  # fmt: skip


def leaderboard(
    dt: xr.DataTree | xr.Dataset,
    *,
    prob: float = 0.95,
    top: int | None = None,
    anchor: str | None = None,
    scale: Literal["elo"] | None = None,
    anchor_at: float | None = None,
    highlight: str | Sequence[str] | None = None,
    family: Family | None = None,
    figsize: FigSize | None = None,
) -> Any:
    """Plot a leaderboard, best player on top; of a study, the averages over its tournaments.

    Parameters
    ----------
    dt : DataTree or Dataset
        Posterior of any model; or a study, or what `leaderbayes.study.average` returns.
    prob : float
        Probability of the thin credible intervals; the thick ones have half of it.
    top : int, optional
        Draw this many of the best players only; by default 60.
    anchor, scale, anchor_at
        As for `leaderbayes.leaderboard`: with an anchor differences are drawn. Not of a study.
    highlight : str or list of str, optional
        Players whose rows stand out.
    family : mapping or Series, optional
        Family of each player, such as its vendor, by name; each has a colour. Players without one
        are grey.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        "board": the parameter across, players down; for mean scores of several tournaments the
        difference to the leader, for teams also observed scores (grey ticks), for a study also
        each tournament (grey dots).

    Raises
    ------
    LeaderbayesError
        If this is neither, or an option is out of range.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, properties
    3.8 to 3.10.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), seed=1)
    >>> pc = lb.plots.leaderboard(dt, top=5)
    >>> pc.savefig("leaderboard.png")
    """
    if isinstance(dt, xr.DataTree) and dt.children and "posterior" not in dt.children:
        from leaderbayes.study._average import average

        first = Posterior(next(iter(dt.children.values())))
        dt = average(dt, of="win" if first.parameter == "epp" else "rank", prob=prob)
    if isinstance(dt, xr.Dataset):
        if any(each is not None for each in (anchor, scale, anchor_at, highlight, family)):
            raise LeaderbayesError(
                "anchor=, scale=, highlight= and family= are for one leaderboard: select a "
                "tournament of the study."
            )
        return _averages(dt, top, figsize)
    post = Posterior(dt)
    view = shown_as(post, anchor, scale, anchor_at)
    table = table_of(post, share("prob", prob), view)
    shown, name, behind, axis = best(table, top, _MOST), view.name, view.behind, view.axis
    if behind is None and post.several and "difference" in table:
        # What tournaments share makes intervals of the means wide, where differences are known.
        first = post.order[0]
        behind = post.draws - post.draws[:, [first]]
        axis = f"{axis} minus that of {post.players[first]}"
    name = name if behind is None else "difference"
    m, y = len(shown), np.arange(len(shown))[::-1]
    at = post.players.get_indexer(pd.Index(shown[post.who]))
    inner = ends((view.draws if behind is None else behind)[:, at], prob / 2.0)
    marked = marks(table, m, highlight, family)
    title = f"Leaderboard with {prob:.0%} intervals{of_all(m, len(table))}"
    with panels(
        {"board": title}, table.attrs, size=(8.0, 1.4 + 0.28 * m), rows=True, figsize=figsize
    ) as (collection, (ax,)):
        if (zero := 0.0 if name == "difference" else view.zero) is not None:
            ax.axvline(zero, color=GREY, linewidth=1.0, zorder=0.5)
        colors, outer = marked.colors, [shown[f"{name}{end}"] for end in ("_lower", "_upper")]
        ax.hlines(y, *outer, color=colors, linewidth=1.2)
        ax.hlines(y, *inner, color=colors, linewidth=3.2)
        ax.scatter(shown[name], y, s=20.0, color="white", edgecolors=colors, zorder=3)
        if name == "theta" and "score" in shown:
            ax.plot(shown["score"], y, "|", color=GREY, markersize=9.0)
        # Everybody who is asked for is named.
        ax.set_yticks(y, labels(shown[post.who]))
        ax.set_ylim(-0.8, m - 0.2)
        ax.set_xlabel(plain(axis))
        marked.rows(ax)
        marked.legend(ax)
    return collection


def _averages(average: xr.Dataset, top: int | None, figsize: FigSize | None) -> Any:
    """Draw each player's average with its interval, and its value in each tournament."""
    name = next((each for each in _AVERAGES if each in average), None)
    if name is None:
        raise LeaderbayesError("This takes a posterior, a study, or what study.average returns.")
    each, axis = _AVERAGES[name]
    table = average[[f"{name}{end}" for end in ("", "_lower", "_upper")]].to_dataframe()
    table = table.sort_values(name, ascending=name == "average_rank", kind="stable")
    shown = best(table.reset_index(), top, _MOST)
    m, y = len(shown), np.arange(len(shown))[::-1]
    values = average[each].sel(player=shown["player"].to_numpy()).transpose("player", "tournament")
    title = f"Average over {average.sizes['tournament']} tournaments{of_all(m, len(table))}"
    with panels(
        {"board": title}, average.attrs, size=(8.0, 1.4 + 0.28 * m), rows=True, figsize=figsize
    ) as (collection, (ax,)):
        ax.plot(values, y, "o", color=GREY, markersize=3.0, alpha=0.6)
        ax.hlines(y, shown[f"{name}_lower"], shown[f"{name}_upper"], color=BLUE, linewidth=2.0)
        ax.scatter(shown[name], y, s=24.0, color=BLUE, zorder=3)
        ax.set_yticks(y, labels(shown["player"]))
        ax.set_ylim(-0.8, m - 0.2)
        ax.set_xlabel(axis)
    return collection
