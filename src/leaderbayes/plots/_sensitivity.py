"""What moves from fit to fit of one board."""

from typing import Any, Literal

import numpy as np
import xarray as xr

from leaderbayes._arguments import one_of, whole
from leaderbayes._types import Bools
from leaderbayes.plots._canvas import (
    MOST_NUMBERS,
    FigSize,
    heat_map,
    labels,
    legend,
    of_all,
    panels,
    require,
)
from leaderbayes.plots._colors import BLACK, BLUE, GREY, ORANGE, SHARES

_MOST = 40  # players, without top
_LEFT_OUT = ("round", "judge")


def sensitivity(
    moved: xr.Dataset,
    *,
    what: Literal["rank", "pairs"] = "rank",
    top: int | None = None,
    figsize: FigSize | None = None,
) -> Any:
    """Plot how ranks and pairs change with other choices, and without each round.

    Parameters
    ----------
    moved : Dataset
        From `leaderbayes.sensitivity`.
    what : {"rank", "pairs"}
        "rank": each player's rank in the base (dot), its range over fits of other choices (blue)
        and over fits without a round or judge (orange), with a dashed line after the top set.
        "pairs": the share of all fits in which the row is better than the column.
    top : int, optional
        Draw this many of the base's best players only; by default 40.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        "board". The legend of ranks counts, by what was chosen, in how many of so many fits leader
        and top set are others, and how many pairs get another verdict.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers", "breast_cancer")[:6, :8]
    >>> moved = lb.sensitivity(scores, models=("bradley_terry",), rounds=False, seed=1)
    >>> pc = lb.plots.sensitivity(moved)
    >>> pc = lb.plots.sensitivity(moved, what="pairs")
    """
    one_of("what", what, "rank", "pairs")
    require(moved, "sensitivity", "rank", "verdict", "without", "converged", "fits", "other_leader")
    every = moved.sizes["player"]
    m = min(_MOST if top is None else whole("top", top), every)
    good = moved["converged"].to_numpy() == 1
    draw = _pairs if what == "pairs" else _ranks
    return draw(moved.isel(player=slice(m), opponent=slice(m)), good, of_all(m, every), figsize)


def _ranks(moved: xr.Dataset, good: Bools, of: str, figsize: FigSize | None) -> Any:
    """Draw the base's ranks over the ranges of the others."""
    m = moved.sizes["player"]
    y, without = np.arange(m)[::-1].astype(float), moved["without"].to_numpy() != ""
    rank = moved["rank"].where(moved["rank"] > 0)
    with panels(
        {"board": f"Ranks in {good.sum()} fits{of}"}, moved.attrs, size=(8.0, 2.6 + 0.28 * m),
        rows=True, figsize=figsize,
    ) as (collection, (ax,)):  # fmt: skip
        for some, color, shift in ((good & ~without, BLUE, 0.14), (good & without, ORANGE, -0.14)):
            if some.any():
                some[0] = True  # ranges hold the base
                own = rank.isel(fit=some)
                ax.hlines(y + shift, own.min("fit"), own.max("fit"), color=color, linewidth=3.0)
        ax.plot(rank.isel(fit=0), y, "o", color=BLACK, markersize=4.0)
        ax.axvline(float(moved.attrs["top"]) + 0.5, color=GREY, linestyle="--", linewidth=1.0)
        for text, color in _key(moved):
            ax.plot([], [], color=color, linewidth=3.0, label=text)
        ax.set_yticks(y, labels(moved["player"].to_numpy(), 30))
        ax.xaxis.get_major_locator().set_params(integer=True)
        ax.set_xlabel("rank, by posterior means")
        legend(ax)
    return collection


def _key(moved: xr.Dataset) -> list[tuple[str, str]]:
    """Return a line for each choice with what it changes, and its colour."""
    columns = ["fits", "other_leader", "other_top", "pairs_moved"]
    table = moved[columns].to_dataframe().query("fits > 0")
    return [
        (
            f"{str(name).replace('_', ' ')}{' left out' * (name in _LEFT_OUT)} ({row['fits']} "
            f"fits): leader changes in {row['other_leader']}, top set in {row['other_top']}; pairs "
            f"that change {row['pairs_moved']}",
            ORANGE if name in _LEFT_OUT else BLUE,
        )
        for name, row in table.iterrows()
    ]


def _pairs(moved: xr.Dataset, good: Bools, of: str, figsize: FigSize | None) -> Any:
    """Draw in what share of the fits each row is distinguishable as better than each column."""
    names = moved["player"].to_numpy()
    share = (moved["verdict"].to_numpy()[good] == 1).mean(axis=0)
    side = float(np.clip((0.45 if len(names) <= MOST_NUMBERS else 0.28) * len(names), 2.5, 12.0))
    with panels(
        {"board": f"Share of {good.sum()} fits in which row is better than column{of}"},
        moved.attrs, size=(side + 3.4, side + 2.2), figsize=figsize,
    ) as (collection, (ax,)):  # fmt: skip
        heat_map(ax, share, SHARES, "share of fits", rows=names, columns=names, blank=share == 0.0)
    return collection
