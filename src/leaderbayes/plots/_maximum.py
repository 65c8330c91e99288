"""Distribution of the best score."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._arguments import number
from leaderbayes._errors import LeaderbayesError
from leaderbayes.plots._canvas import FigSize, legend, panels, require
from leaderbayes.plots._colors import BLACK, BLUE, GREEN, ORANGE

_TAIL = 1e-4  # excluded at either end


def maximum(law: xr.Dataset, *, theta: float | None = None, figsize: FigSize | None = None) -> Any:
    """Plot the distribution of the best score: cumulative, and the probability of each score.

    Parameters
    ----------
    law : Dataset
        From `leaderbayes.sota.maximum`, of accuracies or AUCs.
    theta : float, optional
        Mark the best classifier's true performance, which the best score is compared with.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        Panels "cdf" and "pmf": the best score across, where all but 2 in 10,000 of it is.

    Raises
    ------
    LeaderbayesError
        If it is the distribution of something else.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, Figures 2, 6 and 10 (c).

    Examples
    --------
    >>> import leaderbayes as lb
    >>> law = lb.sota.maximum(0.9, 1000, n=3000)
    >>> pc = lb.plots.maximum(law, theta=0.9)
    """
    require(law, "sota.maximum", "cdf", "mean", "quantile")
    if "n" not in law.attrs:
        raise LeaderbayesError("Pass a result of sota.maximum(..., n=...) for accuracies or AUCs.")
    m, n, steps = law.attrs["m"], law.attrs["n"], law.sizes["x"] - 1
    what = "AUC" if "positives" in law.attrs else "score"
    score, cdf = np.arange(steps + 1) / steps, law["cdf"].to_numpy()
    mean, upper = float(law["mean"]), float(law["quantile"].sel(probability=0.975))
    marks = [
        (mean, f"expected best {what} {mean:.4f}", ORANGE, "-"),
        (upper, f"upper 95 % limit {upper:.4f}", GREEN, "--"),
    ]
    if theta is not None:
        theta = number("theta", theta, at_least=0.0, at_most=1.0)
        marks.insert(0, (theta, f"best classifier {theta:.4f}", BLACK, "-"))
    first, last = np.searchsorted(cdf, [_TAIL, 1.0 - _TAIL])
    ends = [score[first], score[last], *([] if theta is None else [theta])]
    titles = {"cdf": f"Best of {m:,} on {n:,} instances", "pmf": f"Probability of each {what}"}
    with panels(titles, law.attrs, size=(11.0, 4.8), columns=2, figsize=figsize) as (
        collection, (up_to, each),
    ):  # fmt: skip
        up_to.step(score, cdf, where="post", color=BLUE)
        seen = slice(max(first - 1, 0), last + 2)
        each.bar(score[seen], np.diff(cdf, prepend=0.0)[seen], 1.0 / steps, color=BLUE, alpha=0.6)
        for ax in (up_to, each):
            for at, words, color, style in marks:
                ax.axvline(at, color=color, linestyle=style, linewidth=1.5, label=words)
            ax.set_xlim(min(ends) - 1.0 / steps, max(ends) + 1.0 / steps)
            ax.set_xlabel(f"best {what}")
        up_to.set_ylabel(f"P(best {what} up to x)")
        each.set_ylabel(f"probability per 1/{steps:,}")
        legend(up_to)
    return collection
