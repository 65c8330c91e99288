"""The posterior predictive check as a figure."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._answers.check import check
from leaderbayes.plots._canvas import BLACK, BLUE, ORANGE, Backend, Mark, canvas

_BINS = 40


def deviance(
    dt: xr.DataTree, *, draws: int = 200, seed: int | None = None, backend: Backend | None = None
) -> Any:
    """Draw how much larger than the board's the deviances of replicated boards are.

    Right of the line at 0 are replicates that are farther from their own estimate than the board
    is from its: their share is p. Whole rankings are the valid reference; independent matches, the
    published test's assumption, stand beside them.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    draws, seed
        As for `leaderbayes.check`.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        One plot: deviance of a replicate less the board's across, number of replicates up.

    Raises
    ------
    LeaderbayesError
        If ``draws`` is below 1.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), sampler="laplace", seed=1)
    >>> pc = lb.plots.deviance(dt, seed=1, backend="matplotlib")
    """
    result = check(dt, draws=draws, seed=seed)
    p_round, p_naive = float(result["p_round"]), float(result["p_naive"])
    collection, plot = canvas(
        dt, f"Deviance check: p = {p_round:.2f} (rankings)", width=6.5, height=5.0, backend=backend
    )
    replicated = result[["replicated_naive", "replicated_round"]].to_array().to_numpy()
    more = replicated - result["observed"].to_numpy()
    edges = np.histogram_bin_edges(np.append(more, 0.0), _BINS)
    counts = np.array([np.histogram(values, edges)[0] for values in more])
    for count, color in zip(counts, (ORANGE, BLUE), strict=True):
        plot.hist(count, edges[:-1], edges[1:], color=color, alpha=0.5)
    board = Mark(0.0, "line: the board", BLACK)
    key = [
        Mark(None, f"blue: whole rankings, p = {p_round:.2f}", BLUE),
        Mark(None, f"orange: independent matches, p = {p_naive:.2f}", ORANGE),
        board,
    ]
    top = float(counts.max())
    plot.marks([board], top)
    plot.frame(key, across=(edges[0], edges[-1]), top=top)
    plot.xlabel("deviance of a replicate, less the board's")
    plot.ylabel("replicates")
    return collection
