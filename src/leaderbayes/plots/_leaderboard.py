"""Forest of a leaderboard; leaderboards of many tournaments, side by side."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.leaderboard import leaderboard as table_of
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import is_mean_score
from leaderbayes._fits.require import no_fit
from leaderbayes.plots._canvas import (
    BLUE,
    ORANGE,
    Backend,
    FigSize,
    best,
    canvas,
    of_all,
    panels,
    rows_height,
)
from leaderbayes.study._compare import compare

MOST_ROWS = 60  # named on one figure, without top
_TIED = {"tied_for_top": ("Tied for the top", "players")}
# Columns of a comparison that are drawn, by the first they are sorted: title, and label of the
# axis. Of matches, and of mean scores.
_COLUMNS = {
    "standardised": ("Standardised deviance", "(D - df) / sqrt(2 df)"),
    "p_check": ("Check of fit", "share of replicates that fit worse"),
    **_TIED,
}
_COLUMNS_OF_SCORES = {"p_best": ("P(best) of the leader", "probability"), **_TIED}
# What a fit's players are placed by.
_ACROSS = {"epp": "epp: log-odds of beating the average player", "score": "mean score"}


def leaderboard(
    dt: xr.DataTree | pd.DataFrame,
    *,
    prob: float = 0.95,
    top: int | None = None,
    figsize: FigSize | None = None,
    backend: Backend | None = None,
) -> Any:
    """Draw a leaderboard, best player on top; of a study, how each tournament's board stands.

    Parameters
    ----------
    dt : DataTree or DataFrame
        From `leaderbayes.fit`; or a study. Of a study, or of a fit of many tournaments, also the
        table of `leaderbayes.study.compare`, which a study's figure shows.
    prob : float
        Posterior probability of the thin intervals; the thick ones hold half of it. Of a study,
        at which two players are told apart; a table has its own.
    top : int, optional
        Draw this many of the best players only; 60 of more, if absent. Of a fit.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        Of a fit one plot, "board": epp (log-odds of beating the average player) or the mean score
        across, players down. Of a study plots "standardised", "p_check" and "tied_for_top"
        (players that cannot be told apart from the leader, itself included): tournaments down, the
        lowest standardised deviance on top; orange where the fit did not converge. Of a study of
        mean scores "p_best", the leader's probability of being the best, and "tied_for_top": the
        most certain on top.

    Raises
    ------
    LeaderbayesError
        If this is neither, ``prob`` is not between 0 and 1, ``top`` is below 1 or given with a
        study, or the backend is unknown.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, properties
    3.8 to 3.10.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), sampler="laplace", seed=1)
    >>> pc = lb.plots.leaderboard(dt, top=5, backend="matplotlib")
    >>> pc.savefig("leaderboard.png")

    Of a study:

    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(
    ...     scores, store="study", sampler="laplace", seed=1, progressbar=False
    ... )
    >>> pc = lb.plots.leaderboard(study, backend="matplotlib")
    """
    if isinstance(dt, xr.DataTree) and dt.children and "posterior" not in dt.children:
        dt = compare(dt, prob=prob)
    if isinstance(dt, pd.DataFrame):
        columns = _COLUMNS if "standardised" in dt else _COLUMNS_OF_SCORES
        if not {"tournament", "converged", *columns} <= set(dt):
            raise no_fit(dt)
        if top is not None:
            raise LeaderbayesError("top= is of one leaderboard: select a tournament of the study.")
        return _side_by_side(dt, columns, figsize, backend)
    table = table_of(dt, prob=prob)
    outer = best(table, top, MOST_ROWS)
    inner = table_of(dt, prob=prob / 2.0).iloc[: len(outer)]
    m = len(outer)
    collection, plot = canvas(
        dt,
        f"Leaderboard with {prob:.0%} intervals{of_all(m, len(table))}",
        width=8.0,
        height=1.4 + 0.28 * min(m, MOST_ROWS) + 0.2 * max(m - MOST_ROWS, 0),
        rows=True,
        figsize=figsize,
        backend=backend,
    )
    y = np.arange(m)[::-1]
    what = "score" if is_mean_score(dt) else "epp"
    if what == "epp":
        plot.vline(0.0)
    for rows, width in ((outer, 1.2), (inner, 3.2)):
        for at, low, high in zip(y, rows[f"{what}_lower"], rows[f"{what}_upper"], strict=True):
            plot.line(np.array([low, high]), np.array([at, at]), color=BLUE, width=width)
    plot.scatter(outer[what].to_numpy(), y, color=BLUE, filled=False, size=22)
    ends = float(outer[f"{what}_lower"].min()), float(outer[f"{what}_upper"].max())
    margin = 0.03 * (ends[1] - ends[0]) or 0.5
    plot.xlim((ends[0] - margin, ends[1] + margin))
    # Everybody who is asked for is named.
    plot.yticks(y, plot.labels(outer["player"]))
    plot.ylim((-0.8, m - 0.2))
    plot.xlabel(_ACROSS[what])
    return collection


def _side_by_side(
    comparison: pd.DataFrame,
    columns: Mapping[str, tuple[str, str]],
    figsize: FigSize | None,
    backend: Backend | None,
) -> Any:
    """Draw how well each tournament's leaderboard fits, and how many players it leaves on top."""
    by = next(iter(columns))
    rows = comparison.sort_values(by, ascending=by != "p_best", kind="stable")
    m = len(rows)
    collection, plots = panels(
        {name: title for name, (title, _) in columns.items()}, comparison,
        width=1.0 + 4.0 * len(columns), height=rows_height(m) + 1.5, columns=len(columns),
        figsize=figsize, backend=backend, rows=True,
    )  # fmt: skip
    y, trusted = np.arange(m)[::-1], rows["converged"].to_numpy(dtype=bool)
    for name, plot in plots.items():
        values = rows[name].to_numpy(dtype=float)
        for kept, color in ((trusted, BLUE), (~trusted, ORANGE)):
            if kept.any():
                plot.spans(0.0 * values[kept], values[kept], y[kept], color=color, width=1.5)
                plot.scatter(values[kept], y[kept], color=color, size=14)
        plot.vline(0.0)
        plot.label_rows(rows["tournament"], shown=name == by)
        plot.xlabel(columns[name][1])
    return collection
