"""One classifier against the best of many."""

from typing import Any

import numpy as np
import xarray as xr
from scipy import stats

from leaderbayes._arguments import number
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.require import require_result
from leaderbayes.plots._canvas import BLACK, BLUE, GREEN, ORANGE, Backend, Mark, canvas


def plot_multiplicity(law: xr.Dataset, *, theta: float, backend: Backend | None = None) -> Any:
    """Draw the score of a better classifier next to the best score of many worse ones.

    The better one's theta is the upper 95 % limit of one classifier with ``theta``: significantly
    better, were there no multiplicity. The shaded areas are its chances of scoring at least the
    expected best of the many, and at least the upper 95 % limit of that.

    Parameters
    ----------
    law : Dataset
        From `leaderbayes.sota.maximum`.
    theta : float
        Probability of a right answer of the (best of the) many.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        One plot: score (a share) across, probability of each up.

    Raises
    ------
    LeaderbayesError
        If the law is of AUCs, or theta is no probability.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, Figure 3.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> law = lb.sota.maximum(0.9, 1000, n=3000)
    >>> pc = lb.paper.plot_multiplicity(law, theta=0.9, backend="matplotlib")
    """
    require_result(law, "sota.maximum")
    if "pmf" not in law:
        raise LeaderbayesError("Give a law of accuracies, from sota.maximum.")
    theta = number("theta", theta, at_least=0.0, at_most=1.0)
    m, n = law.attrs["m"], law.attrs["n"]
    interval = stats.binomtest(round(theta * n), n).proportion_ci()
    better = interval[1]
    mean, upper = float(law["mean"]), float(law["quantile"].sel(probability=0.975))
    one, other = stats.binom(n, theta), stats.binom(n, better)
    # Of rounding errors next to a count, too.
    reached = [float(other.sf(np.ceil(n * at - 1e-9) - 1)) for at in (mean, upper)]

    collection, plot = canvas(
        law, f"One classifier and the best of {m:,} on {n:,} instances",
        width=8.0, height=5.5, backend=backend,
    )  # fmt: skip
    counts = np.arange(int(one.ppf(1e-5)), int(max(other.ppf(1.0 - 1e-5), n * upper)) + 1)
    top = float(max(one.pmf(counts).max(), other.pmf(counts).max()))
    for at, alpha in ((mean, 0.3), (upper, 0.6)):
        beyond = counts[counts >= n * at - 1e-9]
        plot.fill_between_y(
            beyond / n, np.zeros(len(beyond)), other.pmf(beyond), color=GREEN, alpha=alpha
        )
    plot.line(counts / n, one.pmf(counts), color=BLUE)
    plot.line(counts / n, other.pmf(counts), color=ORANGE)
    bottom = plot.interval(*interval, BLUE, top)
    marks = [
        Mark(None, f"one classifier, θ = {theta:.4f}, and its 95 % interval", BLUE),
        Mark(None, f"a better one, θ = {better:.4f}", ORANGE),
        Mark(mean, f"expected best {mean:.4f}: the better one gets there with P = {reached[0]:.3f}",
             BLACK),
        Mark(upper, f"its upper 95 % limit {upper:.4f}: with P = {reached[1]:.3f}", GREEN, True),
    ]  # fmt: skip
    plot.marks(marks, top)
    plot.frame(marks, across=(counts[0] / n, counts[-1] / n), top=top, bottom=bottom)
    plot.xlabel("score")
    plot.ylabel("probability of each score")
    return collection
