"""Strengths by algorithm and tournament."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._fits.require import require_result
from leaderbayes.plots._canvas import BLUE, Backend, FigSize, elided, panels, rows_height

_COLUMNS = 5  # at most


def tunability(
    tunability: xr.Dataset, *, figsize: FigSize | None = None, backend: Backend | None = None
) -> Any:
    """Draw the range of each group's players in every tournament: the longer, the more tunable.

    Parameters
    ----------
    tunability : Dataset
        From `leaderbayes.study.tunability`.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        A plot for each group, by its name: epp (log-odds of beating the average player) across,
        tournaments down. A thin line from the worst player to the best, a thick one over the
        middle half, a dot for the median. All have one scale.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, Figure 4.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(
    ...     scores, store="study", sampler="laplace", seed=1, progressbar=False
    ... )
    >>> groups = {name: name.split()[0] for name in scores["player"].values.tolist()}
    >>> pc = lb.plots.tunability(lb.study.tunability(study, groups), backend="matplotlib")
    """
    require_result(tunability, "study.tunability", "group", "tournament")
    names = [str(name) for name in tunability["group"].to_numpy()]
    tournaments = tunability["tournament"].to_numpy()
    m, columns = len(tournaments), min(len(names), _COLUMNS)
    down = -(-len(names) // columns)
    collection, plots = panels(
        {name: elided(name, 24) for name in names}, tunability,
        width=2.5 + 2.5 * columns, height=down * (rows_height(m) + 1.2),
        columns=columns, rows=True, figsize=figsize, backend=backend,
    )  # fmt: skip
    y = np.arange(m)[::-1]
    ends = float(tunability["epp"].min()), float(tunability["epp"].max())
    margin = 0.04 * (ends[1] - ends[0])
    for k, (name, plot) in enumerate(plots.items()):
        epp = tunability["epp"].isel(player=tunability["player_group"].to_numpy() == name)
        there = epp.notnull().any("player").to_numpy()
        at = y[there]
        lowest, low, middle, high, highest = (
            epp.isel(tournament=there).quantile([0.0, 0.25, 0.5, 0.75, 1.0], "player").to_numpy()
        )
        plot.vline(0.0)
        row = 72.0 * (plot.high - 0.6) / (m + 0.6)  # points; rows do not touch
        thick = float(np.clip(0.6 * row, 0.8, 4.0))
        plot.spans(lowest, highest, at, color=BLUE, width=min(1.0, 0.4 * thick))
        plot.spans(low, high, at, color=BLUE, width=thick)
        plot.scatter(middle, at, color=BLUE, filled=False, size=thick**2)
        plot.label_rows(tournaments, shown=figsize == "column" or k % columns == 0)
        plot.xlim((ends[0] - margin, ends[1] + margin))
        plot.xlabel("epp")
    return collection
