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
    ORANGE,
    Family,
    FigSize,
    best,
    labels,
    marks,
    name_rows,
    of_all,
    panels,
    plain,
    rows_height,
)

_MOST = 60  # players, without top
_TIED = {"tied_for_top": ("Tied for the top", "players")}
# Columns of a comparison that are drawn, by the first they are sorted: title, and label of the
# axis. Of matches, and of mean scores.
_OF_MATCHES = {
    "standardised": ("Standardised deviance", "(D - df) / sqrt(2 df)"),
    "p_check": ("Check of fit", "share of replicates that fit worse"),
    **_TIED,
}
_OF_SCORES = {"p_best": ("P(best) of the leader", "probability"), **_TIED}


def leaderboard(
    dt: xr.DataTree | pd.DataFrame,
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
    """Plot a leaderboard, best player on top; of a study, how each tournament's board stands.

    Parameters
    ----------
    dt : DataTree or DataFrame
        Posterior of any model; or a study, or the table of `leaderbayes.study.compare`.
    prob : float
        Probability of the thin credible intervals; the thick ones have half of it.
    top : int, optional
        Draw this many of the best players only; by default 60. Not of a study.
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
        "board": the parameter across, players down; of teams grey ticks are observed scores. Of a
        study "standardised", "p_check" and "tied_for_top" (players that cannot be distinguished
        from the leader), of mean scores "p_best" and "tied_for_top": tournaments down, orange
        where the chains did not converge.

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
        from leaderbayes.study._compare import compare

        dt = compare(dt, prob=prob)
    if isinstance(dt, pd.DataFrame):
        if any(each is not None for each in (anchor, scale, anchor_at, highlight, family)):
            raise LeaderbayesError(
                "anchor=, scale=, highlight= and family= are of one leaderboard: select a "
                "tournament of the study."
            )
        return _side_by_side(dt, top, figsize)
    post = Posterior(dt)
    view = shown_as(post, anchor, scale, anchor_at)
    table = table_of(post, share("prob", prob), view)
    shown, name = best(table, top, _MOST), view.name if view.behind is None else "difference"
    m, y = len(shown), np.arange(len(shown))[::-1]
    at = post.players.get_indexer(pd.Index(shown[post.who]))
    inner = ends((view.draws if view.behind is None else view.behind)[:, at], prob / 2.0)
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
        ax.set_xlabel(plain(view.axis))
        marked.rows(ax)
        marked.legend(ax)
    return collection


def _side_by_side(comparison: pd.DataFrame, top: int | None, figsize: FigSize | None) -> Any:
    """Draw how well each tournament's leaderboard fits, and how many players it leaves on top."""
    columns = _OF_MATCHES if "standardised" in comparison else _OF_SCORES
    if not {"tournament", "converged", *columns} <= set(comparison):
        raise LeaderbayesError("This takes a posterior, a study, or what study.compare returns.")
    if top is not None:
        raise LeaderbayesError("top= is of one leaderboard: select a tournament of the study.")
    by = next(iter(columns))
    rows = comparison.sort_values(by, ascending=by != "p_best", kind="stable")
    y, good = np.arange(len(rows))[::-1], rows["converged"].to_numpy(dtype=bool)
    with panels(
        {name: title for name, (title, _) in columns.items()}, comparison.attrs,
        size=(1.0 + 4.0 * len(columns), rows_height(len(rows)) + 1.5), columns=len(columns),
        rows=True, figsize=figsize,
    ) as (collection, axes):  # fmt: skip
        for k, (name, ax) in enumerate(zip(columns, axes, strict=True)):
            values, colors = rows[name].to_numpy(dtype=float), np.where(good, BLUE, ORANGE)
            ax.axvline(0.0, color=GREY, linewidth=1.0, zorder=0.5)
            ax.hlines(y, 0.0, values, color=colors, linewidth=1.5)
            ax.scatter(values, y, color=colors, s=14, zorder=3)
            name_rows(ax, rows["tournament"] if k == 0 or figsize == "column" else [])
            ax.set_ylim(-0.8, len(rows) - 0.2)
            ax.set_xlabel(columns[name][1])
    return collection
