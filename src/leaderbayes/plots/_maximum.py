"""Law of the best score."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._arguments import number
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.require import require_result
from leaderbayes.plots._canvas import BLACK, BLUE, GREEN, ORANGE, Backend, FigSize, Mark, panels

_TAIL = 1e-4  # left out at either end


def maximum(
    law: xr.Dataset,
    *,
    theta: float | None = None,
    figsize: FigSize | None = None,
    backend: Backend | None = None,
) -> Any:
    """Draw the law of the best score: cumulative, and the probability of each score.

    Parameters
    ----------
    law : Dataset
        From `leaderbayes.sota.maximum`, of accuracies or AUCs.
    theta : float, optional
        Mark the best classifier's own expected score, which the best score is compared with.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        Plots "cdf" and "pmf": the best score (a share) across, where all but 2 in 10,000 of it is.

    Raises
    ------
    LeaderbayesError
        If the law is another.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, Figures 2, 6 and 10 (c).

    Examples
    --------
    >>> import leaderbayes as lb
    >>> law = lb.sota.maximum(0.9, 1000, n=3000)
    >>> pc = lb.plots.maximum(law, theta=0.9, backend="matplotlib")
    """
    require_result(law, "sota.maximum")
    if "n" not in law.attrs:
        raise LeaderbayesError("Give a law of accuracies or AUCs, from sota.maximum(..., n=...).")
    m, n, steps = law.attrs["m"], law.attrs["n"], law.sizes["x"] - 1
    score_name = "AUC" if "positives" in law.attrs else "score"
    collection, plots = panels(
        {"cdf": f"Best of {m:,} on {n:,} instances",
         "pmf": f"Probability of each best {score_name}"},
        width=11.0, height=4.5, columns=2, figsize=figsize, backend=backend,
    )  # fmt: skip
    score, cdf = np.arange(steps + 1) / steps, law["cdf"].to_numpy()
    pmf = np.diff(cdf, prepend=0.0)
    mean = float(law["mean"])
    upper = float(law["quantile"].sel(probability=0.975))
    marks = [
        Mark(mean, f"expected best {score_name} {mean:.4f}", ORANGE),
        Mark(upper, f"upper 95 % limit {upper:.4f}", GREEN, dashed=True),
    ]
    if theta is not None:
        theta = number("theta", theta, at_least=0.0, at_most=1.0)
        marks.insert(0, Mark(theta, f"best classifier {theta:.4f}", BLACK))
    first, last = np.searchsorted(cdf, [_TAIL, 1.0 - _TAIL])
    shown = [score[first], score[last], *([] if theta is None else [theta])]
    across = min(shown) - 0.5 / steps, max(shown) + 0.5 / steps
    seen = slice(max(first - 1, 0), last + 2)

    up_to, each = plots["cdf"], plots["pmf"]
    up_to.step(score, cdf, color=BLUE, step_mode="after")
    left, right = score[seen] - 0.5 / steps, score[seen] + 0.5 / steps
    each.hist(pmf[seen], left, right, color=BLUE, alpha=0.6)
    for plot, top, key in ((up_to, 1.0, marks), (each, float(pmf.max()), [])):
        plot.marks(marks, top)
        plot.frame(key, across=across, top=top)
        plot.xlabel(f"best {score_name}")
    ticks = np.linspace(0.0, 1.0, 6)
    up_to.yticks(ticks, [f"{tick:.1f}" for tick in ticks])
    up_to.ylabel(f"P(best {score_name} up to x)")
    each.ylabel(f"probability per 1/{steps:,}")
    return collection
