"""Heat map of beating the average player, over tournaments."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._fits.require import require_result
from leaderbayes.plots._canvas import GREY, Backend, FigSize, canvas, rows_height
from leaderbayes.plots._heat_map import WINS


def average_player(
    average_player: xr.Dataset, *, figsize: FigSize | None = None, backend: Backend | None = None
) -> Any:
    """Draw each player's probability of beating the average player, in every tournament.

    Parameters
    ----------
    average_player : Dataset
        From `leaderbayes.study.average_player`.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        One plot: players across, the best overall on the left; tournaments down; the darker the
        more probable, from pale orange (0) to dark blue (1), a cross where the player is absent.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, property
    3.4.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(
    ...     scores, store="study", sampler="laplace", seed=1, progressbar=False
    ... )
    >>> pc = lb.plots.average_player(lb.study.average_player(study), backend="matplotlib")
    """
    require_result(average_player, "study.average_player", "overall", "mean")
    best_first = average_player.sortby(-average_player["overall"])
    mean = best_first["mean"].transpose("tournament", "player").to_numpy()
    rows, m = mean.shape
    collection, plot = canvas(
        average_player, "P(beats the average player)",
        width=float(np.clip(0.26 * m, 4.0, 14.0)) + 2.5, height=rows_height(rows) + 2.0,
        rows=True, figsize=figsize, backend=backend,
    )  # fmt: skip
    plot.heat_map(mean[::-1], WINS, "probability")
    absent, who = np.nonzero(np.isnan(mean))
    if len(absent):
        plot.scatter(who, rows - 1 - absent, marker="x", color=GREY, size=10)
    plot.label_rows(average_player["tournament"].to_numpy())
    plot.ylim((-0.5, rows - 0.5))
    names, shown = plot.labels(best_first["player"].to_numpy(), 24), plot.along(m, 50)
    plot.xticks(np.arange(m)[shown], names[shown], rotation=90)
    plot.xlim((-0.5, m - 0.5))
    return collection
