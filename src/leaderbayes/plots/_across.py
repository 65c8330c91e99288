"""Heat map of players over tournaments."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes.plots._canvas import GREY, Backend, FigSize, canvas, rows_height
from leaderbayes.plots._heat_map import WINS


def over_tournaments(
    result: xr.Dataset,
    shares: xr.DataArray,
    title: str,
    label: str,
    *,
    figsize: FigSize | None,
    backend: Backend | None,
) -> Any:
    """Draw shares (tournament, player), the more the better: a cross where a player is absent.

    Parameters
    ----------
    result : Dataset
        What they are of, whose attrs say whether it converged.
    shares : DataArray (tournament, player)
        From 0 to 1, with players from left to right; NaN for absent ones.
    title, label : str
        Of the figure, and of the bar of its colours.
    """
    values = shares.transpose("tournament", "player").to_numpy()
    rows, m = values.shape
    collection, plot = canvas(
        result, title,
        width=float(np.clip(0.26 * m, 4.0, 14.0)) + 2.5, height=rows_height(rows) + 2.0,
        rows=True, figsize=figsize, backend=backend,
    )  # fmt: skip
    plot.heat_map(values[::-1], WINS, label)
    absent, who = np.nonzero(np.isnan(values))
    if len(absent):
        plot.scatter(who, rows - 1 - absent, marker="x", color=GREY, size=10)
    plot.label_rows(shares["tournament"].to_numpy())
    plot.ylim((-0.5, rows - 0.5))
    names, shown = plot.labels(shares["player"].to_numpy(), 24), plot.along(m, 50)
    plot.xticks(np.arange(m)[shown], names[shown], rotation=90)
    plot.xlim((-0.5, m - 0.5))
    return collection
