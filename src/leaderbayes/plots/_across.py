"""Players over tournaments: heat maps, and win probabilities by algorithm."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes.plots._canvas import (
    FigSize,
    heat_map,
    labels,
    name_rows,
    panels,
    require,
    rows_height,
)
from leaderbayes.plots._colors import BLACK, BLUE, GREY, ORANGE, WINS

_COLUMNS = 5  # of `tunability`, at most
_THINNEST = 3.0  # points that a row of `tunability` needs to be seen by itself


def average(average: xr.Dataset, *, figsize: FigSize | None = None) -> Any:
    """Plot how each player does in every tournament, by win probabilities or by ranks.

    Parameters
    ----------
    average : Dataset
        From `leaderbayes.study.average`: of probabilities of beating the average player, or of
        ranks, which are drawn as the share of the others behind.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        "board": players across, the best overall on the left; tournaments down; from orange (0)
        to blue (1), a cross where the player is absent.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, property
    3.4. Demšar (2006), Statistical comparisons of classifiers over multiple data sets, Journal of
    Machine Learning Research 7.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(scores, store="study", seed=1, progressbar=False)
    >>> pc = lb.plots.average(lb.study.average(study))
    """
    if "average_rank" in getattr(average, "data_vars", ()):
        rank = average["rank"].sortby(average["average_rank"])
        present = rank.notnull().sum("player")
        shares = (present - rank) / (present - 1)
        title, label = "Rank in each tournament", "share of the others ranked behind"
    else:
        require(average, "study.average", "overall", "mean")
        shares = average["mean"].sortby(-average["overall"])
        title, label = "P(beats the average player)", "probability"
    shares = shares.transpose("tournament", "player")
    rows, m = shares.shape
    size = float(np.clip(0.26 * m, 4.0, 14.0)) + 2.5, rows_height(rows) + 2.0
    with panels({"board": title}, average.attrs, size=size, rows=True, figsize=figsize) as (
        collection, (ax,),
    ):  # fmt: skip
        heat_map(
            ax, shares.to_numpy(), WINS, label, rows=shares["tournament"].to_numpy(),
            columns=shares["player"].to_numpy(), blank=np.ones(shares.shape, dtype=bool),
        )  # fmt: skip
    return collection


def tunability(tunability: xr.Dataset, *, figsize: FigSize | None = None) -> Any:
    """Plot the range of each group's players in every tournament: the longer, the more tunable.

    Parameters
    ----------
    tunability : Dataset
        From `leaderbayes.study.tunability`.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        A panel for each group, by its name: probability of beating another player across,
        tournaments down. A thin line from the worst player to the best, a thick one over the middle
        half, a dot for the median; below it the best player's credible interval (orange). Crosses
        are players whose strength rests on the prior. Rows too thin for names are bands, sorted by
        the median.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, Figure 4.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(scores, store="study", seed=1, progressbar=False)
    >>> groups = {name: name.split()[0] for name in scores["player"].values.tolist()}
    >>> pc = lb.plots.tunability(lb.study.tunability(study, groups))
    """
    require(tunability, "study.tunability", "p_win", "group", "tournament")
    names = [str(name) for name in tunability["group"].to_numpy()]
    tournaments = tunability["tournament"].to_numpy()
    m, columns = len(tournaments), min(len(names), _COLUMNS)
    down = -(-len(names) // columns)
    with panels(
        dict(zip(names, labels(names, 24), strict=True)), tunability.attrs,
        size=(2.5 + 2.5 * columns, down * (rows_height(m) + 1.2)), columns=columns, rows=True,
        figsize=figsize,
    ) as (collection, axes):  # fmt: skip
        for k, (name, ax) in enumerate(zip(names, axes, strict=True)):
            own = tunability.isel(player=tunability["player_group"].to_numpy() == name)
            there = own["p_win"].notnull().any("player").to_numpy()
            own, y = own.isel(tournament=there), np.arange(m)[::-1][there]
            ends = own["p_win"].quantile([0.0, 0.25, 0.5, 0.75, 1.0], "player")
            worst, lower, middle, upper, best = ends.to_numpy()
            # Rows do not touch.
            row = 72.0 * ax.figure.get_size_inches()[1] * ax.get_position().height / (m + 0.6)
            thick, best_of = float(np.clip(0.5 * row, 0.8, 4.0)), own.sel(group=name)
            ax.axvline(0.5, color=GREY, linewidth=1.0, zorder=0.5)
            if row < _THINNEST:
                y = y[middle.argsort()[::-1].argsort()]
                rising = y.argsort()
                for left, right, color, alpha in (
                    (worst, best, BLUE, 0.3), (lower, upper, BLUE, 0.6),
                    (best_of["best_lower"], best_of["best_upper"], ORANGE, 0.4),
                ):  # fmt: skip
                    band = np.stack([left, right])[:, rising]
                    ax.fill_betweenx(y[rising], *band, color=color, alpha=alpha, linewidth=0.0)
                ax.plot(middle[rising], y[rising], color=BLACK, linewidth=1.0)
                ax.set_ylabel(f"{len(y)} tournaments")
                ax.set_yticks([])
            else:
                ax.hlines(y, worst, best, color=BLUE, linewidth=min(1.0, 0.4 * thick))
                ax.hlines(y, lower, upper, color=BLUE, linewidth=thick)
                ax.plot(middle, y, "o", color=BLUE, markerfacecolor="white", markersize=1.2 * thick)
                ax.hlines(
                    y - 0.3, best_of["best_lower"], best_of["best_upper"], color=ORANGE,
                    linewidth=min(1.0, 0.4 * thick),
                )  # fmt: skip
                name_rows(ax, tournaments if figsize == "column" or k % columns == 0 else [])
            rows, at = np.nonzero(own["on_prior"].to_numpy())
            crossed = own["p_win"].to_numpy()[rows, at]
            ax.plot(crossed, y[rows], "x", color=GREY, markersize=1.2 * thick)
            ax.set_ylim(-0.8, m - 0.2)
            ax.set_xlim(-0.04, 1.04)
            ax.set_xlabel("win probability")
    return collection
