"""The posterior predictive check as a figure."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._answers.check import check
from leaderbayes._fits.posterior import is_of_votes
from leaderbayes.plots._canvas import BLUE, GREY, ORANGE, Backend, canvas


def deviance(
    dt: xr.DataTree, *, draws: int = 200, seed: int | None = None, backend: Backend | None = None
) -> Any:
    """Draw the board's deviance among those of replicated boards, draw by draw.

    Points above the diagonal are replicates that vary more than the board. Whole rankings are
    the valid reference; independent matches, the published test's assumption, stand beside them.
    Of votes, whose distance from strengths is at the estimate: that of the votes, a line, among
    those of votes that are drawn again.

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
        One plot: deviance of the board across, of its replicate up; of votes distances across.

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
    if is_of_votes(dt):
        return _of_votes(dt, result, backend)
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


def _of_votes(dt: xr.DataTree, result: xr.Dataset, backend: Backend | None) -> Any:
    """Draw the distance of votes from strengths among those of votes that are drawn again."""
    p, observed = float(result["p_round"]), float(result["observed"][0])
    again = result["replicated_round"].to_numpy()
    ends = min(observed, again.min()), max(observed, again.max())
    counts, edges = np.histogram(again, "auto", ends)
    collection, plot = canvas(
        dt, f"Check of votes: p = {p:.2f}", width=6.5, height=4.5, backend=backend
    )
    plot.hist(counts, edges[:-1], edges[1:], color=BLUE, alpha=0.5)
    plot.vline(observed, color=ORANGE)
    plot.text(
        observed, 1.04 * counts.max(), "these votes", color=ORANGE, vertical_align="bottom",
        horizontal_align="left" if observed < sum(ends) / 2.0 else "right",
    )  # fmt: skip
    plot.ylim((0.0, 1.15 * counts.max()))
    plot.xlabel("distance of pairs from strengths (chi-square)")
    plot.ylabel("votes drawn again")
    return collection
