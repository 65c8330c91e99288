"""Leaderboards of many tournaments, side by side."""

from typing import Any

import numpy as np
import pandas as pd

from leaderbayes.plots._canvas import (
    BLUE,
    GREY,
    ORANGE,
    Backend,
    draw_spans,
    label_rows,
    panels,
    rows_height,
)

_TITLES = {
    "standardised": "Standardised deviance",
    "p_check": "Posterior predictive check",
    "tied_for_top": "Tied for the top",
}
_ACROSS = {
    "standardised": "(D - df) / sqrt(2 df)",
    "p_check": "share of replicates that fit worse",
    "tied_for_top": "players",
}


def leaderboards(comparison: pd.DataFrame, *, backend: Backend | None = None) -> Any:
    """Draw how well each tournament's leaderboard fits, and how many players it leaves on top.

    Parameters
    ----------
    comparison : DataFrame
        From `leaderbayes.study.compare`.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        Plots "standardised", "p_check" and "tied_for_top": tournaments down, the lowest
        standardised deviance on top; orange where the fit did not converge.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, properties
    3.8 to 3.10.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(
    ...     scores, store="study", sampler="laplace", seed=1, progressbar=False
    ... )
    >>> pc = lb.plots.leaderboards(lb.study.compare(study), backend="matplotlib")
    """
    rows = comparison.sort_values("standardised", kind="stable")
    m = len(rows)
    collection, targets, draw = panels(
        _TITLES, comparison,
        width=13.0, height=rows_height(m) + 1.5, columns=3, backend=backend,
    )  # fmt: skip
    y, trusted = np.arange(m)[::-1], rows["converged"].to_numpy(dtype=bool)
    for name, target in targets.items():
        values = rows[name].to_numpy(dtype=float)
        for kept, color in ((trusted, BLUE), (~trusted, ORANGE)):
            if kept.any():
                draw_spans(
                    draw, target, 0.0 * values[kept], values[kept], y[kept], color=color, width=1.5
                )
                draw.scatter(values[kept], y[kept], target, color=color, size=14)
        draw.vline(0.0, target, color=GREY)
        label_rows(
            draw, target, rows["tournament"], collection.backend, shown=name == "standardised"
        )
        draw.xlabel(_ACROSS[name], target)
    return collection
