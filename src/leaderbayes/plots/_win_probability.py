"""Heat map of win probabilities."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._answers.leaderboard import leaderboard as table_of
from leaderbayes._answers.win_probability import By
from leaderbayes._answers.win_probability import win_probability as probabilities
from leaderbayes._fits.posterior import is_mean_score
from leaderbayes.plots._canvas import MOST_NUMBERS, Backend, FigSize, best, canvas, of_all, thinned
from leaderbayes.plots._heat_map import WINS, written


def win_probability(
    dt: xr.DataTree,
    *,
    top: int | None = None,
    by: By = "model",
    figsize: FigSize | None = None,
    backend: Backend | None = None,
) -> Any:
    """Draw P(row beats column), best player first; numbers in the cells of up to 20 players.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    top : int, optional
        Draw this many of the best players only.
    by : {"model", "record"}
        As for `leaderbayes.win_probability`: "record" by each pair's own matches.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        One plot: opponents across, players down. Colours run from 0, pale orange, to 1, dark blue,
        on every board, and get darker all the way, in grey too.

    Raises
    ------
    LeaderbayesError
        If ``top`` is below 1, ``by`` or the backend is unknown, or a fit of many tournaments has
        no record.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), sampler="laplace", seed=1)
    >>> pc = lb.plots.win_probability(dt, top=5, backend="matplotlib")
    """
    table = table_of(dt)
    best_first = best(table, top)["player"].to_numpy()
    mean = probabilities(dt, by=by)["mean"].sel(player=best_first, opponent=best_first).to_numpy()
    m = len(best_first)
    # Of mean scores of many tournaments: on a new one.
    by_record = is_mean_score(dt) and "score_spread" not in dt["posterior"]
    own = ", own matches" if by == "record" or by_record else ""
    side = float(np.clip(0.5 * m, 3.0, 12.0))
    collection, plot = canvas(
        dt, f"P(row beats column){own}{of_all(m, len(table))}", width=side + 3.0,
        height=side + 2.0, figsize=figsize, backend=backend,
    )  # fmt: skip
    plot.heat_map(mean[::-1], WINS, "probability")
    if m <= MOST_NUMBERS:
        texts = np.array([[written(p) for p in row] for row in mean], dtype=object)
        np.fill_diagonal(texts, "")
        plot.numbers(mean[::-1], WINS, texts[::-1], side / m)
    names, shown = plot.labels(best_first, 24), thinned(m, 40)
    plot.yticks(np.arange(m)[::-1][shown], names[shown])
    below = plot.along(m, 50)
    plot.xticks(np.arange(m)[below], names[below], rotation=90)
    plot.xlim((-0.5, m - 0.5))
    plot.ylim((-0.5, m - 0.5))
    return collection
