"""Indistinguishable players: the critical difference diagram's successor."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.groups import groups as groups_of
from leaderbayes._answers.leaderboard import Shown, shown_as, table_of
from leaderbayes._arguments import one_of, share
from leaderbayes._fits.posterior import Posterior
from leaderbayes._types import Floats
from leaderbayes.plots._canvas import (
    Family,
    FigSize,
    Marks,
    best,
    labels,
    marks,
    of_all,
    panels,
    plain,
)
from leaderbayes.plots._colors import BLACK, GREY

_MOST = 40  # players, without top
_LANE = 5.0  # points, from bar to bar
_APART = 0.045  # of the axis, between two bars of one lane, in the style "demsar"

Bar = tuple[int, int, int]  # lane, first and last row


def groups(
    dt: xr.DataTree,
    *,
    prob: float = 0.95,
    control: Literal["pair", "joint"] = "pair",
    style: Literal["rows", "demsar"] = "rows",
    top: int | None = None,
    anchor: str | None = None,
    scale: Literal["elo"] | None = None,
    anchor_at: float | None = None,
    highlight: str | Sequence[str] | None = None,
    family: Family | None = None,
    figsize: FigSize | None = None,
) -> Any:
    """Plot players by their strengths, with bars over those that are indistinguishable.

    A bar is a group of `leaderbayes.groups`: two players that no bar joins are distinguishable.

    Parameters
    ----------
    dt : DataTree
        Posterior of any model.
    prob : float
        Posterior probability from which players are distinguishable, and of the intervals.
    control : {"pair", "joint"}
        What has that probability, as for `leaderbayes.groups`.
    style : {"rows", "demsar"}
        "rows": a row a player with its interval, and bars beside the rows. "demsar": names at
        either side of one axis and bars below it, like the critical difference diagram.
    top : int, optional
        Draw this many of the best players only; by default 40.
    anchor, scale, anchor_at
        As for `leaderbayes.leaderboard`.
    highlight, family, figsize
        As for `leaderbayes.plots.leaderboard`.

    Returns
    -------
    arviz_plots.PlotCollection
        "board": the parameter across. A bar ends at the last row that is shown.

    References
    ----------
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets, Journal of
    Machine Learning Research 7, Figure 1.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), seed=1)
    >>> pc = lb.plots.groups(dt, top=10)
    >>> pc = lb.plots.groups(dt, style="demsar", control="joint")
    """
    one_of("style", style, "rows", "demsar")
    post = Posterior(dt)
    view = shown_as(post, anchor, scale, anchor_at)
    table = table_of(post, share("prob", prob), view)
    group = groups_of(dt, prob=prob, control=control)
    shown = best(table, top, _MOST)
    m, x = len(shown), table[view.column].to_numpy()
    marked = marks(table, m, highlight, family)
    claims = "" if control == "pair" else ", all claims together"
    title = f"Bars join players indistinguishable at {prob:.0%}{claims}{of_all(m, len(table))}"
    if style == "rows":
        bars, height = bars_of(group, table, m), 1.4 + 0.28 * m
    else:
        ahead = x if post.higher_is_better else -x
        bars = bars_of(group, table, m, ahead, _APART * float(np.ptp(x[:m])))
        height = 2.2 + 0.12 * m + 0.1 * lanes_of(bars)
    with panels({"board": title}, table.attrs, size=(8.0, height), rows=True, figsize=figsize) as (
        collection,
        (ax,),
    ):
        names = labels(shown[post.who])
        if style == "rows":
            _rows(ax, shown, view, names, bars, marked)
        else:
            _demsar(ax, x[:m], names, bars, marked)
            if not post.higher_is_better:
                ax.invert_xaxis()
        ax.set_xlabel(plain(view.axis))
        marked.legend(ax)
    return collection


def bars_of(
    group: pd.DataFrame, table: pd.DataFrame, shown: int, along: Floats | None = None,
    apart: float = 1.0,
) -> list[Bar]:  # fmt: skip
    """Return a bar for each group of two or more that begins among those shown, in lanes."""
    along = -np.arange(float(len(table))) if along is None else along
    row = {str(name): k for k, name in enumerate(table.iloc[:, 0])}
    ends = group.assign(row=group.iloc[:, 1].astype(str).map(row)).groupby("group")["row"]
    ended: list[float] = []  # where each lane's last bar does
    bars = []
    for first, last in zip(ends.min(), ends.max(), strict=True):
        if last == first or first >= shown:
            continue
        lane = next((k for k, at in enumerate(ended) if at - along[first] >= apart), len(ended))
        ended[lane : lane + 1] = [float(along[last])]
        # A bar of which one row is left joins no rows.
        if (end := min(last, shown - 1)) > first:
            bars.append((lane, int(first), int(end)))
    return bars


def lanes_of(bars: list[Bar]) -> int:
    """Count the lanes of bars."""
    return 1 + max((lane for lane, _, _ in bars), default=-1)


def _rows(
    ax: Any, shown: pd.DataFrame, view: Shown, names: list[str], bars: list[Bar], marked: Marks
) -> None:
    """Draw a row a player, and upright bars right of the axes."""
    from matplotlib.transforms import offset_copy

    y = np.arange(len(shown))[::-1]
    if view.line is not None:
        ax.axvline(view.line, color=GREY, linewidth=1.0, zorder=0.5)
    ends = [shown[f"{view.column}{end}"] for end in ("_lower", "_upper")]
    ax.hlines(y, *ends, color=marked.colors, linewidth=1.4)
    ax.scatter(shown[view.column], y, s=20.0, color=marked.colors, zorder=3)
    for lane, first, last in bars:
        beside = offset_copy(
            ax.get_yaxis_transform(), ax.figure, x=_LANE * (lane + 1.0), units="points"
        )
        ax.plot(
            [1.0, 1.0], [y[first] + 0.25, y[last] - 0.25], color=BLACK, linewidth=0.55 * _LANE,
            transform=beside, clip_on=False, solid_capstyle="butt",
        )  # fmt: skip
    ax.set_yticks(y, names)
    ax.set_ylim(-0.8, len(shown) - 0.2)
    marked.rows(ax)


def _demsar(ax: Any, x: Floats, names: list[str], bars: list[Bar], marked: Marks) -> None:
    """Draw one axis on top, names at either side below it, the better half on one side."""
    m, lanes = len(x), lanes_of(bars)
    half, top = -(-m // 2), 0.45 * (lanes + 1.0)
    for lane, first, last in bars:
        y = -0.45 * (lane + 1.0)
        ax.plot([x[first], x[last]], [y, y], color=BLACK, linewidth=3.0)
    across = ax.get_yaxis_transform()
    for k, name in enumerate(names):
        better = k < half
        # Next to the axis the outermost of each side, so that lines do not cross.
        y = -top - 0.6 - (k if better else m - 1 - k)
        ax.plot([x[k], x[k]], [0.0, y], color=GREY, linewidth=0.8)
        side = 1.0 if better else 0.0
        ax.annotate(
            name, (x[k], y), (side, y), textcoords=across, va="center",
            ha="left" if better else "right", annotation_clip=False,
            weight="bold" if marked.bold[k] else "normal",
            arrowprops={"arrowstyle": "-", "color": GREY, "linewidth": 0.8, "shrinkB": 0.0},
        )  # fmt: skip
    ax.scatter(x, np.zeros(m), s=14.0, color=marked.colors, zorder=3, clip_on=False)
    ax.set_ylim(-top - 0.6 - half, 0.0)
    ax.margins(x=0.04)
    ax.yaxis.set_visible(False)
    ax.spines[["left", "right", "bottom"]].set_visible(False)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.spines["top"].set_visible(True)
