"""Two players: the posterior of their difference."""

from itertools import pairwise
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import expit, ndtr

from leaderbayes._answers.compare import compare as compared
from leaderbayes._answers.compare import position
from leaderbayes._answers.draws import draws_of, scores_of, sign_of, spread_of
from leaderbayes._answers.new_data_set import law_of_new
from leaderbayes._fits.posterior import is_mean_score
from leaderbayes._numerics.logistic_normal import expit_mean
from leaderbayes._types import Floats
from leaderbayes.plots._canvas import (
    BLACK,
    BLUE,
    GREY,
    ORANGE,
    Backend,
    FigSize,
    Mark,
    canvas,
    elided,
)
from leaderbayes.plots._heat_map import written

_BINS = 60  # about
_TAIL = 5e-4  # left out at either end


def compare(
    dt: xr.DataTree,
    a: str,
    b: str,
    *,
    rope: float | None = None,
    prob: float = 0.95,
    figsize: FigSize | None = None,
    backend: Backend | None = None,
) -> Any:
    """Draw the posterior of how two players compare, in parts: better, equivalent, worse.

    Of matches the probability that ``a`` beats ``b``, of mean scores a's less b's in the metric's
    unit; of those of many tournaments that on a new data set.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    a, b, rope, prob
        As for `leaderbayes.compare`: two players, the region of practical equivalence, which is
        shaded, and the probability of the interval, a bar below.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        One plot, "board": win probability or difference across, posterior density up (all but one
        in a thousand of it). The probabilities are those of `leaderbayes.compare`.

    Raises
    ------
    LeaderbayesError
        As `leaderbayes.compare`.

    References
    ----------
    Benavoli, Corani, Demšar, Zaffalon (2017), Time for a change: a tutorial for comparing multiple
    classifiers through Bayesian analysis, JMLR 18(77), Figure 4.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), sampler="laplace", seed=1)
    >>> pc = lb.plots.compare(dt, "svm C=1", "logistic C=1", rope=0.1, backend="matplotlib")
    """
    answer = compared(dt, a, b, rope=rope, prob=prob)
    of_scores = is_mean_score(dt)
    middle, far = (0.0 if of_scores else 0.5), (rope or 0.0)
    law = _scale_of_new(dt, a, b) if of_scores else None
    draws = _draws(dt, a, b)
    edges, density = _density(draws, law, [middle - far, middle + far])
    sign = sign_of(dt) if of_scores else 1.0
    first, second = (elided(str(name), 28) for name in (a, b))
    collection, plot = canvas(
        answer, f"{first} and {second}", width=7.0, height=4.2, figsize=figsize, backend=backend
    )
    first, second = plot.plain(first), plot.plain(second)
    top = float(density.max())
    centre = sign * ((edges[:-1] + edges[1:]) / 2.0 - middle)
    parts = {
        "p_better": (centre > far, BLUE, f"{first} is better"),
        "p_equivalent": (np.abs(centre) <= far, GREY, "practically equivalent"),
        "p_worse": (centre < -far, ORANGE, f"{second} is better"),
    }
    key = []
    if far > 0.0:
        region = np.array([middle - far, middle + far])
        plot.fill_between_y(
            region, y_bottom=np.zeros(2), y_top=np.full(2, top), color=GREY, alpha=0.18
        )
    for name, (part, color, words) in parts.items():
        if name == "p_equivalent" and rope is None:
            continue
        if part.any():
            plot.hist(
                density[part], edges[:-1][part], edges[1:][part], color=color,
                alpha={"p_better": 0.85, "p_equivalent": 0.6, "p_worse": 0.5}[name],
            )  # fmt: skip
        key.append(Mark(None, f"{words}: {written(float(answer[name]))}", color))
    ends = _interval(answer, law is not None)
    plot.marks([Mark(middle, "", BLACK, dashed=True)], top)
    bottom = plot.interval(*ends, BLACK, top)
    across = min(edges[0], middle - far, ends[0]), max(edges[-1], middle + far, ends[1])
    plot.frame(key, across=(float(across[0]), float(across[1])), top=top, bottom=bottom)
    plot.yticks([], [])
    plot.xlabel(_axis_of(of_scores, law is not None, spread_of(dt) is not None, first, second))
    return collection


def _draws(dt: xr.DataTree, a: str, b: str) -> Floats:
    """Give draws (sample,) of a's win probability, or of the difference of mean scores."""
    if is_mean_score(dt):
        score, players = scores_of(dt)
        return np.asarray(score[:, position(a, players)] - score[:, position(b, players)])
    epp, players = draws_of(dt)
    gap = epp[:, position(a, players)] - epp[:, position(b, players)]
    spread = spread_of(dt)
    win = expit(gap) if spread is None else expit_mean(gap, np.sqrt(2.0) * spread)
    return np.asarray(win)


def _scale_of_new(dt: xr.DataTree, a: str, b: str) -> Floats | None:
    """Read the spread (sample,) of their difference between data sets, if the fit is of several."""
    if (law := law_of_new(dt)) is None:
        return None
    _, players = scores_of(dt)
    return np.asarray(law[0] * law[1][position(a, players), position(b, players)])


def _density(draws: Floats, law: Floats | None, bounds: list[float]) -> tuple[Floats, Floats]:
    """Give edges of bins, among which are the bounds, and the density of each."""
    low, high = np.quantile(draws, [_TAIL, 1.0 - _TAIL])
    if law is not None:
        reach = 3.0 * float(np.median(law))
        low, high = low - reach, high + reach
    if high <= low:
        low, high = low - 0.005, high + 0.005
    stops = [low, *(bound for bound in sorted(set(bounds)) if low < bound < high), high]
    edges = [low]
    for begin, end in pairwise(stops):
        steps = int(np.ceil(_BINS * (end - begin) / (high - low)))
        edges += list(np.linspace(begin, end, steps + 1)[1:])
    at = np.array(edges)
    if law is None:
        mass = np.histogram(draws, at)[0] / len(draws)
    else:
        below = np.array([float(ndtr((edge - draws) / law).mean()) for edge in at])
        mass = np.diff(below)
    return at, mass / np.diff(at)


def _interval(answer: xr.Dataset, on_new: bool) -> tuple[float, float]:
    """Give the interval of what is drawn."""
    name = "win" if "win_lower" in answer else "new" if on_new else "difference"
    return float(answer[f"{name}_lower"]), float(answer[f"{name}_upper"])


def _axis_of(of_scores: bool, on_new: bool, in_new: bool, first: str, second: str) -> str:
    """Say what is drawn across."""
    if of_scores:
        where = ", on a new data set" if on_new else ""
        return f"mean score of {first} less that of {second}{where}"
    return f"P({first} beats {second}){' in a new tournament' if in_new else ''}"
