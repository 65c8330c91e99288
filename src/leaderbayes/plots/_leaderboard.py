"""Forest of a leaderboard; of many tournaments side by side; strengths over time."""

from collections.abc import Sequence
from functools import singledispatch
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.leaderboard import Shown, shown_as, table_of
from leaderbayes._answers.ranks import by_period
from leaderbayes._arguments import share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import Posterior, ScoresOfTournaments
from leaderbayes._numerics.intervals import ends
from leaderbayes.plots._canvas import (
    Family,
    FigSize,
    best,
    fitting,
    labels,
    marks,
    of_all,
    panels,
    plain,
)
from leaderbayes.plots._colors import BLUE, GREY

_MOST = 60  # players, without top
_COLORS = 8  # trajectories that are told apart by their colours, without top
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
        dt = average(dt, of=first.kind.average, prob=prob)
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
    shown = best(table, top, _MOST)
    if view.behind is None:
        view = _drawn(post, view)
    m, y = len(shown), np.arange(len(shown))[::-1]
    at = post.players.get_indexer(pd.Index(shown[post.who]))
    inner = ends(view.drawn[:, at], prob / 2.0)
    marked = marks(table, m, highlight, family)
    title = f"Leaderboard with {prob:.0%} intervals{of_all(m, len(table))}"
    with panels(
        {"board": title}, table.attrs, size=(8.0, 1.4 + 0.28 * m), rows=True, figsize=figsize
    ) as (collection, (ax,)):
        if view.line is not None:
            ax.axvline(view.line, color=GREY, linewidth=1.0, zorder=0.5)
        colors = marked.colors
        outer = [shown[f"{view.column}{end}"] for end in ("_lower", "_upper")]
        ax.hlines(y, *outer, color=colors, linewidth=1.2)
        ax.hlines(y, *inner, color=colors, linewidth=3.2)
        ax.scatter(shown[view.column], y, s=20.0, color="white", edgecolors=colors, zorder=3)
        if view.behind is None and post.kind.ticks in shown:
            ax.plot(shown[post.kind.ticks], y, "|", color=GREY, markersize=9.0)
        # Everybody who is asked for is named.
        ax.set_yticks(y, labels(shown[post.who]))
        ax.set_ylim(-0.8, m - 0.2)
        ax.set_xlabel(plain(view.axis))
        marked.rows(ax)
        marked.legend(ax)
    return collection


@singledispatch
def _drawn(post: Posterior, view: Shown) -> Shown:
    """Return what is drawn: the column of the table."""
    return view


@_drawn.register
def _drawn_of_tournaments(post: ScoresOfTournaments, view: Shown) -> Shown:
    # What tournaments share makes intervals of the means wide, where differences are known.
    first = post.order[0]
    axis = f"{view.axis} minus that of {post.players[first]}"
    return view._replace(behind=post.draws - post.draws[:, [first]], axis=axis)


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


def trajectories(
    dt: xr.DataTree,
    *,
    top: int | None = None,
    prob: float = 0.95,
    anchor: str | None = None,
    scale: Literal["elo"] | None = None,
    anchor_at: float | None = None,
    figsize: FigSize | None = None,
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
    anchor, scale, anchor_at
        As for `leaderbayes.leaderboard`; the anchor is that player in each period.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        "board": periods across, up log-odds of beating that period's average player or the anchor.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(votes, "dynamic", options={"period": "month"})  # doctest: +SKIP
    >>> lb.plots.trajectories(dt, top=5)  # doctest: +SKIP
    """
    import matplotlib as mpl

    post, prob = Posterior(dt), share("prob", prob)
    periods, draws = by_period(post)
    view = shown_as(post, anchor, scale, anchor_at, draws)
    axis = view.axis if view.said else "log-odds against the average player"
    names = post.players[post.order][: _COLORS if top is None else whole("top", top)]
    title = f"Strength over time{of_all(len(names), len(post.players))}"
    across, colors = np.arange(len(periods)), mpl.colormaps["tab10"]
    with panels({"board": title}, post.trust, size=(8.0, 5.0), figsize=figsize) as (
        collection, (ax,),
    ):  # fmt: skip
        ax.axhline(view.line, color="black", linewidth=0.5)
        for k, (name, label) in enumerate(zip(names, labels(names), strict=True)):
            own = view.drawn[:, :, post.position(name)]
            style = "-" if k < 10 else "--"
            ax.plot(across, own.mean(axis=0), style, color=colors(k % 10), marker="o", label=label)
            ax.fill_between(across, *ends(own, prob), color=colors(k % 10), alpha=0.15, linewidth=0)
        shown = labels(periods, 24)
        some = fitting(ax, len(shown), "x", 0.7 * max(map(len, shown)) + 0.7)
        ax.set_xticks(across[some], shown[some])
        ax.set(xlabel="period", ylabel=f"{plain(axis)}, {prob:.0%} bands")
        ax.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    return collection
