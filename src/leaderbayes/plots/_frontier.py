"""Cost against quality, and the frontier of the best that each cost buys."""

from typing import Any, Literal

import numpy as np
import xarray as xr

from leaderbayes._answers.frontier import Cost, costs_of
from leaderbayes._answers.frontier import frontier as table_of
from leaderbayes._answers.leaderboard import shown_as
from leaderbayes._fits.posterior import Posterior
from leaderbayes._numerics.intervals import ends
from leaderbayes._types import Floats
from leaderbayes.plots._canvas import FigSize, labels, legend, name_points, panels, plain
from leaderbayes.plots._colors import BLACK, BLUE, GREY, ORANGE

_STEPS = 200  # of the band, where costs have intervals
_KINDS = {
    "frontier": (BLUE, BLUE, "on the frontier"), "undecided": (BLUE, "white", "undecided"),
    "dominated": (GREY, GREY, "dominated"),
}  # fmt: skip


def frontier(
    dt: xr.DataTree,
    cost: Cost,
    *,
    prob: float = 0.95,
    label: str | None = None,
    anchor: str | None = None,
    scale: Literal["elo"] | None = None,
    anchor_at: float | None = None,
    figsize: FigSize | None = None,
) -> Any:
    """Plot quality against cost, with a band of the best quality at each cost.

    Parameters
    ----------
    dt : DataTree
        Posterior of any model.
    cost, prob
        As for `leaderbayes.frontier`: costs by player, and the probability of the intervals.
    label : str, optional
        Label of the axis of costs, such as "US$ per million tokens"; by default a Series' own name.
    anchor, scale, anchor_at
        As for `leaderbayes.leaderboard`.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        "board": cost across, in logarithms (linear below the least cost where one is 0), and
        quality up. Names that would overlap are left out, those of dominated players first.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), seed=1)
    >>> names = dt.posterior["player"].values
    >>> pc = lb.plots.frontier(dt, {name: 1.0 + k for k, name in enumerate(names)})
    """
    asked: dict[str, Any] = {"anchor": anchor, "scale": scale, "anchor_at": anchor_at}
    table, post = table_of(dt, cost, prob=prob, **asked), Posterior(dt)
    view = shown_as(post, **asked)
    name, x = view.column, table["cost"].to_numpy()
    title = f"Cost against quality, with {prob:.0%} intervals"
    with panels({"board": title}, table.attrs, size=(8.0, 5.5), figsize=figsize) as (
        collection, (ax,),
    ):  # fmt: skip
        if (x > 0.0).all():
            ax.set_xscale("log")
        elif (x > 0.0).any():
            ax.set_xscale("symlog", linthresh=float(x[x > 0.0].min()))
        at, *band = _band(post, view.drawn, costs_of(post, cost)[1], prob)
        ax.fill_between(
            at, *band, step="post", color=ORANGE, alpha=0.25, linewidth=0.0,
            label="best quality at each cost",
        )  # fmt: skip
        for verdict, (color, face, words) in _KINDS.items():
            rows = table[table["verdict"] == verdict]
            if rows.empty:
                continue
            y = rows[name]
            ax.vlines(rows["cost"], rows[f"{name}_lower"], rows[f"{name}_upper"], color=color)
            if "cost_lower" in rows:
                ax.hlines(y, rows["cost_lower"], rows["cost_upper"], color=color)
            ax.plot(rows["cost"], y, "o", color=color, markerfacecolor=face, label=words)
        ax.margins(0.08)
        if not post.higher_is_better:
            ax.invert_yaxis()
        ax.set_xlabel(plain(str(label or getattr(cost, "name", None) or "cost")))
        ax.set_ylabel(plain(view.axis))
        legend(ax, 2)
        ax.figure.draw_without_rendering()
        first = table.sort_values("p_frontier", ascending=False, kind="stable")
        spans = [first[["cost", f"{name}{end}"]].to_numpy() for end in ("_lower", "_upper")]
        corners = np.sort([ax.transData.transform(span) for span in spans], axis=0).swapaxes(0, 1)
        name_points(
            ax, first[["cost", name]].to_numpy(), labels(first[post.who], 24), BLACK, [*corners]
        )
    return collection


def _band(
    post: Posterior, quality: Floats, costs: Floats, prob: float
) -> tuple[Floats, Floats, Floats]:
    """Return costs, and the interval of the best quality that each of them buys."""
    at = np.unique(ends(costs, prob))
    if len(costs) > 1 and at[0] > 0.0:
        at = np.geomspace(at[0], at[-1], _STEPS)
    sign = 1.0 if post.higher_is_better else -1.0
    reached = [np.where(costs <= price, sign * quality, -np.inf).max(axis=1) for price in at]
    low, high = ends(np.array(reached), prob, axis=1, method="inverted_cdf")
    known = np.isfinite(low)
    # The best stays the best for whoever pays more.
    return at[known], sign * low[known], sign * high[known]
