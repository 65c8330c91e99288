"""The check of fit as a figure."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._answers.check import check
from leaderbayes._fits.posterior import is_of_votes
from leaderbayes._inference.discrepancy import against, histogram
from leaderbayes.plots._canvas import (
    BLUE,
    GREY,
    ORANGE,
    Backend,
    FigSize,
    Mark,
    Plot,
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
    """Draw the board's deviance, a line, among those of boards that are drawn again.

    Boards beyond the line vary more than the board. Bars are of whole rankings, the valid
    reference; the outline beside them is of independent matches, the published test's assumption.
    Of Davidson's model, whose deviances go with the ties of a posterior draw, they are less the
    board's. Of votes: their distance from strengths, among those of votes that are drawn again.

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
        One plot: deviances across, boards up; of votes distances.

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
        dt, f"Deviance check: {by_round} (rankings)", width=6.5, height=4.5, figsize=figsize,
        backend=backend,
    )  # fmt: skip
    observed = result["observed"].to_numpy()
    (own, whole), (_, alone) = (
        against(observed, result[name].to_numpy())
        for name in ("replicated_round", "replicated_naive")
    )
    ends = min(own, whole.min(), alone.min()), max(own, whole.max(), alone.max())
    (bars, edges), (outline, _) = (histogram(each, ends) for each in (whole, alone))
    # Two shapes, for prints in grey.
    plot.hist(bars, edges[:-1], edges[1:], color=BLUE, alpha=0.5)
    plot.line(np.repeat(edges, 2), np.pad(np.repeat(outline, 2), 1), color=ORANGE)
    plot.vline(own, color=GREY, **_on_top(plot))
    plot.xlabel("deviance" if own == observed[0] else "deviance, less that of the board")
    plot.ylabel("boards drawn again")
    key = [
        Mark(None, "grey line: this board", GREY),
        Mark(None, f"blue bars: whole rankings, {by_round}", BLUE),
        Mark(None, f"orange outline: independent matches, {by_match}", ORANGE),
    ]
    plot.frame(key, across=ends, top=float(max(bars.max(), outline.max())))
    return collection


def _on_top(plot: Plot) -> dict[str, Any]:
    """Give what a line takes to lie above bars."""
    return {"zorder": 3} if plot.backend == "matplotlib" else {}


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
    counts, edges = histogram(again, ends)
    collection, plot = canvas(
        dt, f"Check of votes: {said}", width=6.5, height=4.5, figsize=figsize, backend=backend
    )
    plot.hist(counts, edges[:-1], edges[1:], color=BLUE, alpha=0.5)
    if known:
        plot.vline(observed, color=ORANGE, **_on_top(plot))
        plot.text(
            observed, 1.04 * counts.max(), "these votes", color=ORANGE, vertical_align="bottom",
            horizontal_align="left" if observed < sum(ends) / 2.0 else "right",
        )  # fmt: skip
    plot.ylim((0.0, 1.15 * counts.max()))
    plot.xlabel("distance of pairs from strengths (chi-square)")
    plot.ylabel("votes drawn again")
    return collection
