"""The posterior predictive check as a figure."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._answers.check import check
from leaderbayes.plots._canvas import BLUE, GREY, ORANGE, Backend, canvas


def deviance(
    dt: xr.DataTree, *, draws: int = 200, seed: int | None = None, backend: Backend | None = None
) -> Any:
    """Draw the board's deviance among those of replicated boards, draw by draw.

    Points above the diagonal are replicates that vary more than the board. Whole rankings are
    the valid reference; independent matches, the published test's assumption, stand beside them.

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
        One plot: deviance of the board across, of its replicate up.

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
        dt, f"Deviance check: p = {p_round:.2f} (rankings)", width=6.5, height=6.0, backend=backend
    )
    observed = result["observed"].to_numpy()
    values = result[["observed", "replicated_round", "replicated_naive"]].to_array().to_numpy()
    ends = np.array([values.min(), values.max()])
    plot.line(ends, ends, color=GREY)
    for name, color in (("replicated_naive", ORANGE), ("replicated_round", BLUE)):
        plot.scatter(observed, result[name].to_numpy(), color=color, alpha=0.5, size=18)
    plot.xlabel("deviance of the board at a posterior draw")
    plot.ylabel("deviance of its replicate")
    for at, text, color in (
        (ends[1], f"blue: whole rankings, p = {p_round:.2f}", BLUE),
        (ends[1] - 0.05 * np.ptp(ends), f"orange: independent matches, p = {p_naive:.2f}", ORANGE),
    ):
        plot.text(ends[0], at, text, color=color, vertical_align="top", horizontal_align="left")
    return collection
