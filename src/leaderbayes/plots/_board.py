"""A competition's board, and what its best score is worth."""

import math
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from scipy.stats import binomtest

from leaderbayes._fits.require import require_result
from leaderbayes._numerics.decimals import decimals_of_best
from leaderbayes._scores.facts import Facts, facts
from leaderbayes._types import Floats
from leaderbayes.plots._canvas import BLUE, GREEN, GREY, ORANGE, Backend, FigSize, Mark, panels

_BINS = 60  # at most


class _Content(NamedTuple):
    """What is drawn over the board's histogram."""

    title: str
    marks: list[Mark]
    interval: tuple[float, float] | None = None  # a bar below, in the colour of the last mark
    overlay: Floats | None = None  # an outlined histogram, in that colour too


def board(
    board: xr.DataArray,
    estimate: xr.Dataset | None = None,
    *,
    realisation: xr.Dataset | None = None,
    lowest: float | None = None,
    figsize: FigSize | None = None,
    backend: Backend | None = None,
) -> Any:
    """Draw a board's scores with the best score, the estimate of the best theta, and a realisation.

    A realisation whose histogram is not like the board's, or whose best score is far from the
    board's, speaks against the estimate.

    Parameters
    ----------
    board : DataArray (team)
        From `leaderbayes.sota.read_board`.
    estimate : Dataset, optional
        Scalars ``theta_sota``, ``theta_sota_lower``, ``theta_sota_upper`` and ``observed_max``, as
        from `leaderbayes.sota.shrink`. Without one, the best score of a board of
        accuracies has the interval that it would have were there no multiplicity.
    realisation : Dataset, optional
        ``theta`` and ``score`` over team, from `leaderbayes.paper.realisation`: thetas are outlined
        over the board, scores over the board in a plot of their own.
    lowest : float, optional
        Lower end of the axis; by default the median less three times its distance from the best.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        Plot "board", and with a realisation "realisation": score (a share) across, teams up.

    Raises
    ------
    LeaderbayesError
        If it is no board, no estimate or no realisation.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, Figures 8, 9 and 11.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> board = lb.sota.read_board(scores, n=200)
    >>> pc = lb.plots.board(board, lb.sota.shrink(board), backend="matplotlib")
    """
    known = facts(board)
    if estimate is not None:
        require_result(estimate, "sota.shrink", "theta_sota", "observed_max")
    contents = {"board": _of_board(board, known, estimate, realisation)}
    if realisation is not None:
        require_result(realisation, "paper.realisation", "theta", "score")
        contents["realisation"] = _of_realisation(float(board.max()), estimate, realisation)
    scores = board.to_numpy()
    edges = _edges(scores, list(contents.values()), lowest, known.n)
    counts = np.histogram(scores, edges)[0]
    outlines = {
        name: np.histogram(content.overlay, edges)[0]
        for name, content in contents.items()
        if content.overlay is not None
    }
    top = float(max(1, counts.max(), *(outline.max() for outline in outlines.values())))
    hidden = int((scores < edges[0]).sum())
    below = f" ({hidden:,} teams below {edges[0]:.3g} are not shown)" if hidden else ""

    collection, plots = panels(
        {name: content.title for name, content in contents.items()}, estimate,
        width=1.0 + 6.5 * len(contents), height=5.0, columns=2, figsize=figsize, backend=backend,
    )  # fmt: skip
    for name, plot in plots.items():
        marks, interval = contents[name].marks, contents[name].interval
        color = marks[-1].color
        plot.hist(counts, edges[:-1], edges[1:], color=GREY, alpha=0.5)
        if name in outlines:
            steps = np.concatenate([[0], np.repeat(outlines[name], 2), [0]])
            plot.line(np.repeat(edges, 2), steps, color=color)
        plot.marks(marks, top)
        bottom = plot.interval(*interval, color, top) if interval else 0.0
        plot.frame(marks, across=(edges[0], edges[-1]), top=top, bottom=bottom)
        plot.xlabel(f"{'AUC' if board.attrs['metric'] == 'auc' else 'score'}{below}")
        ticks = _whole_ticks(top)
        plot.yticks(ticks, [str(tick) for tick in ticks])
        plot.ylabel("teams")
    return collection


def _whole_ticks(top: float) -> list[int]:
    """Give round numbers of teams from 0 up, six or seven at most: there is no half a team."""
    unit = 10 ** max(0, math.floor(math.log10(top / 6.0)))
    step = next(unit * k for k in (1, 2, 5, 10) if unit * k >= top / 6.0)
    return list(range(0, int(top) + 1, step))


def _of_board(
    board: xr.DataArray,
    known: Facts,
    estimate: xr.Dataset | None,
    realisation: xr.Dataset | None,
) -> _Content:
    """Show the best score, and what the estimate makes of it."""
    best, n = float(board.max()), known.n
    title, label = f"{board.sizes['team']:,} teams", f"best score {best:.4f}"
    if n is not None:
        title += f" on {n:,} instances"
    if estimate is None:
        alone = None
        if known.metric == "accuracy" and n is not None:
            alone = binomtest(round(best * n), n).proportion_ci()  # Clopper and Pearson's
            label += f"; were it the only one, {_from_to(alone, '.4f')}"
        return _Content(title, [Mark(best, label, ORANGE)], alone)
    sota = float(estimate["theta_sota"])
    interval = float(estimate["theta_sota_lower"]), float(estimate["theta_sota_upper"])
    thetas = None if realisation is None else realisation["theta"].to_numpy()
    form = f".{decimals_of_best(*interval)}f"
    label = f"best score {best:{form}}"
    of_sota = f"best classifier {sota:{form}}, {_from_to(interval, form)}"
    if thetas is not None:
        of_sota += "; all thetas outlined"
    marks = [Mark(best, label, ORANGE), Mark(sota, of_sota, BLUE, dashed=True)]
    return _Content(title, marks, interval, thetas)


def _from_to(interval: tuple[float, float], form: str) -> str:
    return f"from {interval[0]:{form}} to {interval[1]:{form}}"


def _of_realisation(best: float, estimate: xr.Dataset | None, realisation: xr.Dataset) -> _Content:
    """Show scores drawn from the estimate's thetas, and their best."""
    scores = realisation["score"].to_numpy()
    drawn = float(scores.max())
    interval, form, others = None, ".4f", ""
    if estimate is not None and "max_lower" in estimate:
        interval = float(estimate["max_lower"]), float(estimate["max_upper"])
        form = f".{decimals_of_best(*interval)}f"
        share = estimate.attrs.get("prob", 0.95)
        others = f"; {100.0 * share:g} % of such are {_from_to(interval, form)}"
    marks = [
        Mark(best, f"best score {best:{form}}", ORANGE),
        Mark(drawn, f"best of the realisation {drawn:{form}}{others}", GREEN, dashed=True),
    ]
    return _Content("A realisation, outlined", marks, interval, scores)


def _edges(scores: Floats, contents: list[_Content], lowest: float | None, n: int | None) -> Floats:
    """Give edges of bins with scores inside; of n instances whole multiples of 1 / n wide."""
    drawn = [scores]
    drawn += [np.array(content.interval) for content in contents if content.interval is not None]
    drawn += [content.overlay for content in contents if content.overlay is not None]
    if lowest is None:
        lowest = float(4.0 * np.median(scores) - 3.0 * scores.max())
    low = max(lowest, float(min(values.min() for values in drawn)))
    high = float(max(values.max() for values in drawn))
    if n is None:
        # Estimates have no lattice.
        return np.histogram_bin_edges(scores, _BINS, (low, high))
    width = max(1, math.ceil((high - low) * n / _BINS))
    first = math.floor(low * n)
    count = math.ceil((high * n - first) / width) + 1
    return np.asarray((first - 0.5 + width * np.arange(count + 1)) / n)
