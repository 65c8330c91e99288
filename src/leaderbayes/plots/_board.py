"""A competition's board, and what its best score is worth."""

import math
from typing import Any

import numpy as np
import xarray as xr
from scipy.stats import binomtest

from leaderbayes._numerics.intervals import decimals_of_best
from leaderbayes._scores.facts import facts, in_own_unit
from leaderbayes._types import Floats
from leaderbayes.plots._canvas import FigSize, legend, panels, require
from leaderbayes.plots._colors import BLUE, GREY, ORANGE

_BINS = 60  # at most


def board(
    board: xr.DataArray,
    estimate: xr.Dataset | None = None,
    *,
    lowest: float | None = None,
    figsize: FigSize | None = None,
) -> Any:
    """Plot a board's scores with the best score and the estimate of the best true performance.

    Parameters
    ----------
    board : DataArray (team)
        From `leaderbayes.sota.read_board`.
    estimate : Dataset, optional
        From `leaderbayes.sota.shrink` or `leaderbayes.sota.summary`. Without one, the best score
        of a board of accuracies has the interval that it would have were it the only team.
    lowest : float, optional
        Lower end of the axis; by default the median less three times its distance from the best.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        "board": score across, teams up; the bar below is the interval.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, Figures 8, 9 and 11.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> board = lb.sota.read_board(scores, n=200)
    >>> pc = lb.plots.board(board, lb.sota.shrink(board))
    """
    known = facts(board)
    if estimate is not None:
        require(estimate, "sota.shrink", "theta_sota", "theta_sota_lower", "observed_max")
    title = f"{board.sizes['team']:,} teams"
    if estimate is not None and "m" in estimate and int(estimate["m"]) < board.sizes["team"]:
        title = f"{int(estimate['m']):,} of {title} above chance"
    if known.n is not None:
        title += f" on {known.n:,} instances"
    scores, best = board.to_numpy(), float(board.max())
    more = board.attrs.get("higher_is_better", 1)

    def own(level: Any) -> Any:
        return in_own_unit({"level": level}, board)["level"]  # and back

    marks, interval = [(best, f"best score {own(best):.4f}", ORANGE, "-")], None
    if estimate is not None:
        sota, low, high = (float(estimate[f"theta_sota{end}"]) for end in ("", "_lower", "_upper"))
        interval, form = (own(low), own(high)), f".{decimals_of_best(low, high)}f"
        words = f"best team's true performance {sota:{form}}, {low:{form}} to {high:{form}}"
        marks.append((own(sota), words, BLUE, "--"))
    elif known.metric == "accuracy" and known.n is not None:
        alone = binomtest(round(best * known.n), known.n).proportion_ci()  # Clopper and Pearson's
        interval = (alone.low, alone.high)
        low, high = sorted(own(np.array(interval)))
        words = f"best score {own(best):.4f}; as the only team {low:.4f} to {high:.4f}"
        marks = [(best, words, ORANGE, "-")]
    drawn = [*(at for at, *_ in marks), *(interval or ())]
    edges = _edges(scores, drawn, lowest, known.n)
    hidden = int((scores < edges[0]).sum())
    with panels(
        {"board": title}, {} if estimate is None else estimate.attrs, size=(7.5, 5.0),
        figsize=figsize,
    ) as (collection, (ax,)):  # fmt: skip
        counts, _, _ = ax.hist(own(scores), np.sort(own(edges)), color=GREY, alpha=0.5)
        for at, words, color, style in marks:
            ax.axvline(own(at), color=color, linestyle=style, linewidth=1.5, label=words)
        if interval is not None:
            below_zero = -0.04 * max(counts.max(), 1.0)
            ax.hlines(below_zero, *map(own, interval), color=marks[-1][2], linewidth=4.0)
        side = f"{'below' if more else 'above'} {own(edges[0]):.3g}"
        below = f" ({hidden:,} teams {side} are not shown)" if hidden else ""
        ax.set_xlabel(f"{'AUC' if known.metric == 'auc' else 'score'}{below}")
        ax.set_ylabel("teams")
        ax.yaxis.get_major_locator().set_params(integer=True)
        legend(ax)
    return collection


def _edges(scores: Floats, drawn: list[float], lowest: float | None, n: int | None) -> Floats:
    """Return edges of bins with scores inside; of n instances whole multiples of 1 / n wide."""
    if lowest is None:
        lowest = float(4.0 * np.median(scores) - 3.0 * scores.max())
    low, high = max(lowest, min(float(scores.min()), *drawn)), max(float(scores.max()), *drawn)
    if n is None:  # estimates have no lattice
        return np.histogram_bin_edges(scores, _BINS, (low, high))
    width = max(1, math.ceil((high - low) * n / _BINS))
    first = math.floor(low * n)
    count = math.ceil((high * n - first) / width) + 1
    return np.asarray((first - 0.5 + width * np.arange(count + 1)) / n)
