"""What moves from fit to fit of one board, as a figure."""

from typing import Any, Literal

import numpy as np
import xarray as xr

from leaderbayes._arguments import one_of, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._types import Bools, Floats
from leaderbayes.plots._canvas import (
    BLACK,
    BLUE,
    GREY,
    MOST_NUMBERS,
    ORANGE,
    Backend,
    FigSize,
    Mark,
    Plot,
    canvas,
    of_all,
    thinned,
)
from leaderbayes.plots._heat_map import SHARES, written

_MOST = 40  # players, without top
_NEEDED = {"rank", "verdict", "in_top", "without", "converged", "fits", "other_leader"}
_LEFT_OUT = ("round", "judge")


def sensitivity(
    moved: xr.Dataset,
    *,
    what: Literal["rank", "pairs"] = "rank",
    top: int | None = None,
    figsize: FigSize | None = None,
    backend: Backend | None = None,
) -> Any:
    """Draw how leader, top set and pairs move with what one may choose, and with each round.

    Parameters
    ----------
    moved : Dataset
        From `leaderbayes.sensitivity`.
    what : {"rank", "pairs"}
        "rank": each player's rank in the base, with its range over fits of other choices (blue) and
        over fits without a round or judge (orange, below it); a dashed line after the top set, and
        in the key, by what was chosen and of so many fits, in how many leader and top set are
        others, and how many pairs have another verdict. "pairs": the share of all fits in which
        the row is told apart from the column as the better.
    top : int, optional
        Draw this many of the base's best players only; 40 of more, if absent.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        One plot, "board".

    Raises
    ------
    LeaderbayesError
        If it is something else, an option is out of range, or the backend is unknown.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers", "breast_cancer")[:6, :8]
    >>> moved = lb.sensitivity(scores, models=("bradley_terry",), test_fraction=0.2, seed=1)
    >>> pc = lb.plots.sensitivity(moved, backend="matplotlib")
    >>> pc = lb.plots.sensitivity(moved, what="pairs", backend="matplotlib")
    """
    one_of("what", what, "rank", "pairs")
    given: Any = moved
    if not isinstance(given, xr.Dataset) or not set(given.variables) >= _NEEDED:
        raise LeaderbayesError("plots.sensitivity takes what leaderbayes.sensitivity returns.")
    every = moved.sizes["player"]
    m = min(_MOST, every) if top is None else min(whole("top", top), every)
    names = moved["player"].to_numpy()[:m]
    good = moved["converged"].to_numpy() == 1
    if what == "pairs":
        return _pairs(moved, names, good, figsize, backend)
    title = f"Ranks in {good.sum()} fits{of_all(m, every)}"
    key = _key(moved)
    collection, plot = canvas(
        moved, title, width=8.0, height=1.6 + 0.28 * (m + len(key)), rows=True, figsize=figsize,
        backend=backend,
    )  # fmt: skip
    _ranks(plot, moved, m, good)
    y = np.arange(m)[::-1]
    last = float(np.nanmax(_range(moved, good, m)[1]))
    plot.frame(key, across=(0.6, last + 0.4), top=m - 0.3, bottom=-0.8, line=1.0 / (m + 0.5))
    plot.yticks(y, plot.labels(names, 16 if plot.narrow else 30))
    ticks = np.arange(1, int(last) + 1)[plot.along(int(last), 10, 2.4)]
    plot.xticks(ticks, [str(tick) for tick in ticks])
    plot.xlabel("rank, by posterior means")
    return collection


def _ranks(plot: Plot, moved: xr.Dataset, m: int, good: Bools) -> None:
    """Draw the base's ranks over the ranges of the others."""
    y = np.arange(m)[::-1].astype(float)
    base = moved["rank"].to_numpy()[0, :m]
    last = float(moved.attrs["top"]) + 0.5
    plot.line(np.full(2, last), np.array([-0.8, m - 0.4]), color=GREY, width=1.0, linestyle="C1")
    without = moved["without"].to_numpy() != ""
    for some, color, shift in ((good & ~without, BLUE, 0.14), (good & without, ORANGE, -0.14)):
        if not some.any():
            continue
        some[0] = True  # ranges hold the base
        low, high = _range(moved, some, m)
        plot.spans(low, high, y + shift, color=color, width=3.0)
    plot.scatter(base, y, color=BLACK, size=16)


def _range(moved: xr.Dataset, some: Bools, m: int) -> tuple[Floats, Floats]:
    """Give the best and the worst rank of each player in some fits, of those where it is."""
    rank = moved["rank"].to_numpy()[some, :m].astype(float)
    rank[rank == 0] = np.nan
    return np.nanmin(rank, axis=0), np.nanmax(rank, axis=0)


def _key(moved: xr.Dataset) -> list[Mark]:
    """Say what each choice moves, in a line each."""
    columns = ["fits", "other_leader", "other_top", "pairs_moved"]
    summary = moved[columns].to_dataframe()
    marks = [Mark(None, "others than in the base, by (fits):", BLACK)]
    for name, row in summary[summary["fits"] > 0].iterrows():
        out = name in _LEFT_OUT
        called = f"{name} out" if out else str(name).replace("_", " ")
        text = (
            f"{called} ({row['fits']}): leader {row['other_leader']}, "
            f"top {row['other_top']}, pairs {row['pairs_moved']}"
        )
        marks.append(Mark(None, text, ORANGE if out else BLUE))
    return marks


def _pairs(
    moved: xr.Dataset, names: Any, good: Bools, figsize: FigSize | None, backend: Backend | None
) -> Any:
    """Draw in what share of the fits each row is told apart as better than each column."""
    m, every = len(names), moved.sizes["player"]
    share = (moved["verdict"].to_numpy()[good, :m, :m] == 1).mean(axis=0)[::-1]
    side = float(np.clip((0.45 if m <= MOST_NUMBERS else 0.28) * m, 2.5, 12.0))
    collection, plot = canvas(
        moved, f"Told apart, share of {good.sum()} fits{of_all(m, every)}", width=side + 3.4,
        height=side + 2.2, figsize=figsize, backend=backend,
    )  # fmt: skip
    plot.heat_map(share, SHARES, "share of fits")
    if m <= MOST_NUMBERS:
        texts = np.array([[_share(p) for p in row] for row in share])
        plot.numbers(share, SHARES, texts, side / m)
    shown = thinned(m, 50)
    labels = plot.labels(names, 24)
    plot.yticks(np.arange(m)[::-1][shown], labels[shown])
    below = plot.along(m, 50)
    plot.xticks(np.arange(m)[below], labels[below], rotation=90)
    plot.xlim((-0.5, m - 0.5))
    plot.ylim((-0.5, m - 0.5))
    plot.xlabel("than whom")
    plot.ylabel("told apart as better")
    return collection


def _share(p: float) -> str:
    """Write a share of fits, which may be all of them; of none nothing is written."""
    return "" if p == 0.0 else "1.00" if p == 1.0 else written(p)
