"""Players who cannot be told apart, as a figure: the critical difference diagram's successor."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.draws import sign_of
from leaderbayes._answers.groups import groups as groups_of
from leaderbayes._answers.leaderboard import leaderboard as table_of
from leaderbayes._arguments import one_of
from leaderbayes._fits.posterior import is_mean_score
from leaderbayes._types import Floats
from leaderbayes.plots._canvas import (
    BLACK,
    BLUE,
    GREY,
    Backend,
    FigSize,
    Plot,
    best,
    canvas,
    of_all,
)

_MOST = 40  # players, without top
_ACROSS = {"epp": "epp: log-odds of beating the average player", "score": "mean score"}
_CLAIMS = {"pair": "each pair by itself", "joint": "all claims together"}
# Heights, in lines of names.
_LANE, _TICK = 0.42, 0.25
_WIDTH = 9.0  # inches
_REACH, _APART = 0.006, 0.045  # of the axis: of a bar beyond its players, between those of two bars
_LETTER = 0.8  # inches, of a letter of 100 points

Run = tuple[int, int]  # first and last row of a group


def groups(
    dt: xr.DataTree,
    *,
    prob: float = 0.95,
    control: Literal["pair", "joint"] = "pair",
    style: Literal["rows", "demsar"] = "rows",
    top: int | None = None,
    figsize: FigSize | None = None,
    backend: Backend | None = None,
) -> Any:
    """Draw players on the axis of their strengths, with bars over those not told apart.

    Two players whom no bar joins are told apart. A bar is a group of `leaderbayes.groups` of two
    players or more; bars overlap.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    prob : float
        Posterior probability at which two players are told apart, and of the intervals.
    control : {"pair", "joint"}
        What has that probability, as for `leaderbayes.groups`: each claim by itself, or all
        together.
    style : {"rows", "demsar"}
        "rows": a row a player with its interval, the best on top, and upright bars beside the rows.
        "demsar": names at either side of one axis and bars below it, as in the critical difference
        diagram of mean ranks that papers have.
    top : int, optional
        Draw this many of the best players only; 40 of more, if absent. A bar goes to the last row
        where its group goes on.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        One plot, "board": epp (log-odds of beating the average player) or the mean score across.

    Raises
    ------
    LeaderbayesError
        If an option is out of range or unknown.

    References
    ----------
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets, Journal of
    Machine Learning Research 7, Figure 1.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), sampler="laplace", seed=1)
    >>> pc = lb.plots.groups(dt, top=10, backend="matplotlib")
    >>> pc = lb.plots.groups(dt, style="demsar", control="joint", backend="matplotlib")
    """
    one_of("style", style, "rows", "demsar")
    group = groups_of(dt, prob=prob, control=control)
    table = table_of(dt, prob=prob)
    shown = best(table, top, _MOST)
    m = len(shown)
    title = f"Not told apart at {prob:.0%}, {_CLAIMS[control]}{of_all(m, len(table))}"
    what = "score" if is_mean_score(dt) else "epp"
    if style == "rows":
        collection, plot = canvas(
            dt, title, width=8.0, height=1.4 + 0.28 * m, rows=True, figsize=figsize,
            backend=backend,
        )  # fmt: skip
        _rows(plot, shown, what, bars_of(group, table, m))
        return collection
    # The best stand on the right.
    sign = sign_of(dt) if what == "score" else 1.0
    x = sign * table[what].to_numpy()
    bars = bars_of(group, table, m, x, _APART * float(np.ptp(x[:m])))
    half = -(-m // 2)
    # Lines of names, of bars, and those that the axis and the gap below it take.
    height = 1.3 + 0.22 * (half + _LANE * _count(bars) + 2.7)
    collection, plot = canvas(
        dt, title, width=_WIDTH, height=height, rows=True, figsize=figsize, backend=backend
    )
    _demsar(plot, shown, what, sign, bars)
    return collection


def bars_of(
    group: pd.DataFrame, table: pd.DataFrame, shown: int, along: Floats | None = None,
    apart: float = 1.0,
) -> list[tuple[int, Run]]:  # fmt: skip
    """Give lane and run of each group of two players or more that begins among those shown.

    Bars of a lane are so far ``apart``: rows, or where players stand ``along``, the first highest.
    """
    along = -np.arange(float(len(table))) if along is None else along
    row = {str(player): k for k, player in enumerate(table["player"])}
    members: dict[int, list[int]] = {}
    for number, player in zip(group["group"], group["player"], strict=True):
        members.setdefault(number, []).append(row[player])
    ends = [(min(rows), max(rows)) for rows in members.values()]
    runs = [(a, b) for a, b in ends if b > a and a < shown]
    ended: list[float] = []  # where each lane's last bar does
    placed = []
    for first, last in runs:
        lane = next((k for k, at in enumerate(ended) if at - along[first] >= apart), len(ended))
        ended[lane : lane + 1] = [float(along[last])]
        placed.append((lane, (first, min(last, shown - 1))))
    # A bar of which one row is left joins nobody.
    return [(lane, run) for lane, run in placed if run[1] > run[0]]


def _count(bars: Sequence[tuple[int, Run]]) -> int:
    return 1 + max((lane for lane, _ in bars), default=-1)


def _rows(plot: Plot, shown: pd.DataFrame, what: str, bars: Sequence[tuple[int, Run]]) -> None:
    """Draw a row a player, and upright bars right of them all."""
    m = len(shown)
    y = np.arange(m)[::-1]
    low, high = shown[f"{what}_lower"].to_numpy(), shown[f"{what}_upper"].to_numpy()
    ends = float(low.min()), float(high.max())
    width = ends[1] - ends[0] or 1.0
    if what == "epp" and ends[0] < 0.0 < ends[1]:
        plot.vline(0.0)
    plot.spans(low, high, y, color=BLUE, width=1.4)
    plot.scatter(shown[what].to_numpy(), y, color=BLUE, size=22)
    step = 0.028 * width
    right = ends[1] + 0.03 * width + (_count(bars) + 0.5) * step
    # Bars that touch would be one: in points, of what names leave of the figure.
    inside = 72.0 * max(plot.wide - 2.0, 0.45 * plot.wide)
    thick = min(0.35 * plot.font, 0.6 * inside * step / (right - ends[0] + 0.03 * width))
    for lane, (first, last) in bars:
        x = ends[1] + 0.03 * width + (lane + 0.5) * step
        plot.line(
            np.full(2, x),
            np.array([y[first] + 0.25, y[last] - 0.25]),
            color=BLACK,
            width=thick,
        )
    plot.xlim((ends[0] - 0.03 * width, right))
    ticks = _ticks(ends)
    plot.xticks(ticks, _written(ticks))
    plot.yticks(y, plot.labels(shown["player"]))
    plot.ylim((-0.8, m - 0.2))
    plot.xlabel(f"{_ACROSS[what]}; bars: not told apart")


def _demsar(
    plot: Plot, shown: pd.DataFrame, what: str, sign: float, bars: Sequence[tuple[int, Run]]
) -> None:
    """Draw one axis on top, names at either side below it, the better half on the right."""
    m = len(shown)
    x = sign * shown[what].to_numpy()
    ends = float(x.min()), float(x.max())
    width = ends[1] - ends[0] or 1.0
    left, right = ends[0] - 0.04 * width, ends[1] + 0.04 * width
    plot.line(np.array([left, right]), np.zeros(2), color=BLACK, width=1.0)
    shown_ends = min(sign * ends[0], sign * ends[1]), max(sign * ends[0], sign * ends[1])
    ticks = _ticks(shown_ends, 3.0) if plot.narrow else np.empty(0)
    if len(ticks) < 2:  # one says nothing of the scale
        ticks = _ticks(shown_ends)
    ticks = np.sort(sign * ticks)
    plot.spans_up(np.zeros(len(ticks)), np.full(len(ticks), _TICK), ticks, color=BLACK, width=1.0)
    for at, text in zip(ticks, _written(sign * ticks), strict=True):
        plot.text(at, 1.4 * _TICK, text, size=9, color=BLACK, vertical_align="bottom",
                  horizontal_align="center")  # fmt: skip
    lanes = _count(bars)
    for lane, (first, last) in bars:
        reach = _REACH * width
        plot.line(
            np.array([x[last] - reach, x[first] + reach]), np.full(2, -(lane + 1.0) * _LANE),
            color=BLACK, width=0.35 * plot.font,
        )  # fmt: skip
    middle = "center" if plot.backend == "matplotlib" else "middle"
    # Names have up to three tenths of the width at either side.
    letter = 0.009 * plot.font * _LETTER / (_WIDTH * plot.scale)
    names = plot.labels(shown["player"], min(28, int(0.3 / letter)))
    better = -(-m // 2)
    for k in range(m):
        on_right = k < better
        # Next to the axis the outermost of each side, so that lines do not cross.
        line = k if on_right else m - 1 - k
        y = -(lanes + 1.0) * _LANE - 0.6 - line
        end = right if on_right else left
        plot.line(np.array([x[k], x[k], end]), np.array([0.0, y, y]), color=GREY, width=0.8)
        plot.text(
            end + (0.01 if on_right else -0.01) * width, y, names[k], size=9, color=BLACK,
            vertical_align=middle, horizontal_align="left" if on_right else "right",
        )  # fmt: skip
    plot.scatter(x, np.zeros(m), color=BLUE, size=14)
    # Room for names, by their length.
    longest = [max(map(len, side), default=0) for side in (names[better:], names[:better])]
    share = [letter * letters for letters in longest]
    room = [part / (1.0 - sum(share)) * 1.1 * width for part in share]
    plot.xlim((left - room[0] - 0.02 * width, right + room[1] + 0.02 * width))
    plot.ylim((-(lanes + 1.0) * _LANE - 0.6 - better, 1.6))
    plot.remove_axis(axis="both")
    plot.text(
        (left + right) / 2.0, 1.55, _ACROSS[what], size=9, color=BLACK, vertical_align="top",
        horizontal_align="center",
    )  # fmt: skip


def _ticks(ends: tuple[float, float], most: float = 6.0) -> Floats:
    """Give a few round values between two ends."""
    width = (ends[1] - ends[0] or 1.0) / most
    unit = 10.0 ** np.floor(np.log10(width))
    step = next(unit * k for k in (1.0, 2.0, 5.0, 10.0) if unit * k >= width)
    return np.asarray(step * np.arange(np.ceil(ends[0] / step), np.floor(ends[1] / step) + 1.0))


def _written(ticks: Floats) -> list[str]:
    """Write ticks with as many decimals as their steps have."""
    step = abs(ticks[1] - ticks[0]) if len(ticks) > 1 else 1.0
    digits = max(0, -int(np.floor(np.log10(step) + 1e-9)))
    return [f"{tick + 0.0:.{digits}f}".replace("-", "−") for tick in ticks]
