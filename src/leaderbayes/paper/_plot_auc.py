"""What an AUC looks like on a test set."""

from typing import Any

import numpy as np
from scipy import stats

from leaderbayes import _arguments
from leaderbayes._arguments import share, whole
from leaderbayes._numerics.auc import draw_scores, roc
from leaderbayes._scores.facts import class_sizes
from leaderbayes.plots._canvas import BLUE, GREY, ORANGE, Backend, Mark, Plot, panels

_LIGHT = "#B8D4E8"


def plot_auc(
    theta: float,
    *,
    n: int,
    positive_rate: float,
    m: int = 100,
    seed: int | None = None,
    backend: Backend | None = None,
) -> Any:
    """Draw a classifier's scores by class, and ROC curves of many such classifiers.

    Scores are binormal: those of negatives N(0, 1), those of positives N(mu, 1). All classifiers
    have the same AUC; what tells their curves apart is luck.

    Parameters
    ----------
    theta : float
        AUC of every classifier.
    n : int
        Instances of the test set.
    positive_rate : float
        Share of the positive class.
    m : int
        Number of classifiers.
    seed : int, optional
        Same seed, same scores; None draws one.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        Plots "scores", densities of the two classes with the scores of one classifier (negatives
        below, positives above), and "roc", the curves: that of the highest AUC marked, the middle
        half darker than the rest.

    Raises
    ------
    LeaderbayesError
        If an argument is out of range.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, section 5.2, Figure 10 (a) and (b).

    Examples
    --------
    >>> import leaderbayes as lb
    >>> pc = lb.paper.plot_auc(0.9, n=500, positive_rate=0.2, backend="matplotlib")
    """
    theta, n, m = share("theta", theta), whole("n", n), whole("m", m)
    sizes = class_sizes(n, positive_rate)
    collection, plots = panels(
        {"scores": f"A classifier with AUC {theta:g}",
         "roc": f"ROC curves of {m:,}, all with AUC {theta:g}"},
        width=11.0, height=5.0, columns=2, backend=backend,
    )  # fmt: skip
    rng = np.random.default_rng(_arguments.seed_or_new(seed))
    positive, negative = draw_scores(theta, m, *sizes, rng)
    _draw_scores(plots["scores"], theta, positive[0], negative[0])
    _draw_curves(plots["roc"], positive, negative)
    return collection


def _draw_scores(plot: Plot, theta: float, positive: np.ndarray, negative: np.ndarray) -> None:
    """Draw densities, and the scores of one classifier as rugs."""
    mu = float(np.sqrt(2.0) * stats.norm.ppf(theta))
    x = np.linspace(min(0.0, mu) - 4.0, max(0.0, mu) + 4.0, 400)
    top = float(stats.norm.pdf(0.0))
    sides = ((0.0, GREY, negative, -0.04 * top), (mu, BLUE, positive, 1.04 * top))
    for center, color, scores, at in sides:
        plot.line(x, stats.norm.pdf(x, center), color=color, width=2)
        rug = np.full(len(scores), at)
        plot.scatter(scores, rug, marker="|", color=color, alpha=0.5, size=60)
    marks = [
        Mark(None, f"{len(positive):,} positives", BLUE),
        Mark(None, f"{len(negative):,} negatives", GREY),
    ]
    plot.frame(marks, across=(x[0], x[-1]), top=1.08 * top, bottom=-0.08 * top)
    plot.xlabel("score of an instance")
    plot.ylabel("density")


def _draw_curves(plot: Plot, positive: np.ndarray, negative: np.ndarray) -> None:
    """Draw ROC curves: the rest, the middle half, and the best on top."""
    rate = np.linspace(0.0, 1.0, 201)
    curves, areas = roc(positive, negative, rate)
    # Up from the origin.
    rate, curves = np.insert(rate, 0, 0.0), np.insert(curves, 0, 0.0, axis=1)
    low, high = np.quantile(areas, [0.25, 0.75])
    middle = (areas >= low) & (areas <= high)
    # Thousands of curves lie on each other: the more, the fainter.
    alpha = float(np.clip(5.0 / np.sqrt(len(areas)), 0.05, 0.8))
    for kept, color in ((~middle, _LIGHT), (middle, GREY)):
        if kept.any():
            plot.multiple_lines(rate, curves[kept].T, color=color, alpha=alpha, width=1)
    best = int(areas.argmax())
    plot.line(rate, curves[best], color=ORANGE, width=2)
    for y, label, color in (
        (0.12, f"the highest AUC, {areas[best]:.3f}", ORANGE),
        (0.05, f"the middle half, {low:.3f} to {high:.3f}", GREY),
    ):
        plot.text(0.98, y, label, color=color, vertical_align="bottom", horizontal_align="right")
    plot.xlabel("false positive rate")
    plot.ylabel("true positive rate")
