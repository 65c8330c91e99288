"""The check of fit as a figure."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._answers.check import check
from leaderbayes._fits.posterior import is_of_votes
from leaderbayes.plots._canvas import (
    BLUE,
    GREY,
    ORANGE,
    Backend,
    FigSize,
    Mark,
    canvas,
    check_backend,
)


def deviance(
    dt: xr.DataTree,
    *,
    draws: int = 200,
    seed: int | None = None,
    figsize: FigSize | None = None,
    backend: Backend | None = None,
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
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
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
    check_backend(backend)  # before anything is simulated
    result = check(dt, draws=draws, seed=seed)
    if is_of_votes(dt):
        return _of_votes(dt, result, figsize, backend)
    draws = result.sizes["draw"]
    by_round, by_match = (_said(float(result[name]), draws) for name in ("p_round", "p_naive"))
    collection, plot = canvas(
        dt, f"Deviance check: {by_round} (rankings)", width=6.5, height=6.0, figsize=figsize,
        backend=backend,
    )  # fmt: skip
    observed = result["observed"].to_numpy()
    values = result[["observed", "replicated_round", "replicated_naive"]].to_array().to_numpy()
    ends = np.array([values.min(), values.max()])
    plot.line(ends, ends, color=GREY)
    # Two shapes, for prints in grey.
    for name, color in (("replicated_naive", ORANGE), ("replicated_round", BLUE)):
        y, other = result[name].to_numpy(), color == ORANGE
        plot.scatter(observed, y, color=color, alpha=0.5, size=18, triangle=other)
    plot.xlabel("deviance of the board at a posterior draw")
    plot.ylabel("deviance of its replicate")
    key = [
        Mark(None, f"blue dots: whole rankings, {by_round}", BLUE),
        Mark(None, f"orange triangles: independent matches, {by_match}", ORANGE),
    ]
    plot.frame(key, across=(ends[0], ends[1]), top=ends[1], bottom=ends[0] - 0.03 * np.ptp(ends))
    return collection


def _said(p: float, draws: int) -> str:
    """Write the share of so many replicates; none of them is less than one, and not nothing."""
    if p <= 0.0 or p >= 1.0:
        least = 1.0 / draws
        return f"p < {least:.2g}" if p <= 0.0 else f"p > {1.0 - least:.4g}"
    return f"p = {p:.2f}" if 0.005 <= p < 0.995 else f"p = {p:.2g}"


def _of_votes(
    dt: xr.DataTree, result: xr.Dataset, figsize: FigSize | None, backend: Backend | None
) -> Any:
    """Draw the distance of votes from strengths among those of votes that are drawn again."""
    p, observed = float(result["p_round"]), float(result["observed"][0])
    again = result["replicated_round"].to_numpy()
    known = bool(np.isfinite(observed))  # not where strengths describe any votes
    own = [observed] if known else []
    ends = min([again.min(), *own]), max([again.max(), *own])
    said = _said(p, len(again)) if known else "none, so few pairs met"
    counts, edges = np.histogram(again, "auto", ends)
    collection, plot = canvas(
        dt, f"Check of votes: {said}", width=6.5, height=4.5, figsize=figsize, backend=backend
    )
    plot.hist(counts, edges[:-1], edges[1:], color=BLUE, alpha=0.5)
    if known:
        on_top = {"zorder": 3} if plot.backend == "matplotlib" else {}
        plot.vline(observed, color=ORANGE, **on_top)
        plot.text(
            observed, 1.04 * counts.max(), "these votes", color=ORANGE, vertical_align="bottom",
            horizontal_align="left" if observed < sum(ends) / 2.0 else "right",
        )  # fmt: skip
    plot.ylim((0.0, 1.15 * counts.max()))
    plot.xlabel("distance of pairs from strengths (chi-square)")
    plot.ylabel("votes drawn again")
    return collection
