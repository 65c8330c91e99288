"""Two players: the posterior of their difference."""

from functools import singledispatch
from itertools import pairwise
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._answers.compare import compare as compared
from leaderbayes._answers.compare import win_of
from leaderbayes._files.printed import probability
from leaderbayes._fits.posterior import MeanScores, Posterior, ScoresOfTournaments, Strengths
from leaderbayes._types import Floats
from leaderbayes.plots._canvas import FigSize, labels, legend, panels
from leaderbayes.plots._colors import BLACK, BLUE, GREY, ORANGE

_BINS = 60  # about
_TAIL = 5e-4  # excluded at either end
_NEW = 20  # new tournaments that a draw stands for


def compare(
    dt: xr.DataTree,
    a: str,
    b: str,
    *,
    rope: float | None = None,
    prob: float = 0.95,
    figsize: FigSize | None = None,
) -> Any:
    """Plot the posterior of how two players compare, in parts: better, equivalent, worse.

    Parameters
    ----------
    dt : DataTree
        Posterior of any model. For strengths the probability that ``a`` beats ``b`` is drawn, for
        scores and theta their difference; of several tournaments in a new one.
    a, b, rope, prob
        As for `leaderbayes.compare`: two players, the region of practical equivalence, which is
        shaded, and the probability of the interval, the bar below.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        "board": win probability or difference across, posterior density up.

    References
    ----------
    Benavoli, Corani, Demšar, Zaffalon (2017), Time for a change: a tutorial for comparing multiple
    classifiers through Bayesian analysis, JMLR 18(77), Figure 4.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), seed=1)
    >>> pc = lb.plots.compare(dt, "svm C=1", "logistic C=1", rope=0.1)
    """
    answer, post = compared(dt, a, b, rope=rope, prob=prob), Posterior(dt)
    far, sign = rope or 0.0, 1.0 if post.higher_is_better else -1.0
    draws, middle, axis = _drawn(post, a, b)
    edges, density = _density(draws, [middle - far, middle + far])
    first, second = labels([a, b], 28)
    centre = sign * ((edges[:-1] + edges[1:]) / 2.0 - middle)
    parts = {
        "p_better": (centre > far, BLUE, f"{first} is better", 0.85),
        "p_equivalent": (np.abs(centre) <= far, GREY, "practically equivalent", 0.6),
        "p_worse": (centre < -far, ORANGE, f"{second} is better", 0.5),
    }
    with panels(
        {"board": f"{first} and {second}"}, answer.attrs, size=(7.0, 4.2), figsize=figsize
    ) as (collection, (ax,)):
        if far > 0.0:
            ax.axvspan(middle - far, middle + far, color=GREY, alpha=0.18, linewidth=0)
        for name, (part, color, words, alpha) in parts.items():
            if name != "p_equivalent" or rope is not None:
                ax.bar(
                    edges[:-1][part], density[part], np.diff(edges)[part], align="edge",
                    color=color, alpha=alpha, label=f"{words}: {probability(float(answer[name]))}",
                )  # fmt: skip
        ax.axvline(middle, color=BLACK, linestyle="--", linewidth=1.0)
        end = next(e for e in ("win", "new", "difference") if f"{e}_lower" in answer)
        interval = float(answer[f"{end}_lower"]), float(answer[f"{end}_upper"])
        ax.hlines(
            -0.04 * density.max(), *interval, color=BLACK, linewidth=4.0,
            label=f"{prob:.0%} interval",
        )  # fmt: skip
        ax.set_yticks([])
        ax.set_xlabel(axis.format(first, second) + post.kind.where)
        legend(ax)
    return collection


@singledispatch
def _drawn(post: Posterior, a: str, b: str) -> tuple[Floats, float, str]:
    """Return draws of how two compare, where they are equal, and the label of the axis."""
    gap = np.subtract(*post.draws[:, [post.position(a), post.position(b)]].T)
    return gap, 0.0, f"{post.parameter} of {{}} minus that of {{}}"


@_drawn.register
def _wins(post: Strengths, a: str, b: str) -> tuple[Floats, float, str]:
    return win_of(post, [post.position(a), post.position(b)])[1], 0.5, "P({} beats {})"


@_drawn.register
def _in_new(post: ScoresOfTournaments, a: str, b: str) -> tuple[Floats, float, str]:
    gap, middle, axis = _drawn.dispatch(MeanScores)(post, a, b)
    off = np.random.default_rng(post.seed).normal(size=(len(gap), _NEW))
    spread = post.apart[post.position(a), post.position(b)] * post.spread[:, None]
    return np.ravel(gap[:, None] + spread * off), middle, axis


def _density(draws: Floats, bounds: list[float]) -> tuple[Floats, Floats]:
    """Return edges of bins, among which are the bounds, and the density of each."""
    low, high = np.quantile(draws, [_TAIL, 1.0 - _TAIL])
    if high <= low:
        low, high = low - 0.005, high + 0.005
    stops = [low, *(bound for bound in sorted(set(bounds)) if low < bound < high), high]
    edges = [low]
    for begin, end in pairwise(stops):
        steps = int(np.ceil(_BINS * (end - begin) / (high - low)))
        edges += list(np.linspace(begin, end, steps + 1)[1:])
    at = np.array(edges)
    return at, np.histogram(draws, at)[0] / len(draws) / np.diff(at)
