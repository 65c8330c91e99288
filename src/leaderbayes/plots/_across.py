"""Heat maps of players over tournaments."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes.plots._canvas import WINS, FigSize, heat_map, panels, require, rows_height


def average_player(average_player: xr.Dataset, *, figsize: FigSize | None = None) -> Any:
    """Plot each player's probability of beating the average player, in every tournament.

    Parameters
    ----------
    average_player : Dataset
        From `leaderbayes.study.average_player`.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        "board": players across, the best overall on the left; tournaments down; from pale orange
        (0) to dark blue (1), a cross where the player is absent.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, property
    3.4.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(scores, store="study", seed=1, progressbar=False)
    >>> pc = lb.plots.average_player(lb.study.average_player(study))
    """
    require(average_player, "study.average_player", "overall", "mean")
    return _over_tournaments(
        average_player, average_player["mean"].sortby(-average_player["overall"]),
        "P(beats the average player)", "probability", figsize,
    )  # fmt: skip


def average_rank(average_rank: xr.Dataset, *, figsize: FigSize | None = None) -> Any:
    """Plot each player's mean rank in every tournament, as the share of the others behind it.

    Parameters
    ----------
    average_rank : Dataset
        From `leaderbayes.study.average_rank`.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        "board": players across, the best on average on the left; tournaments down; from pale
        orange (last, 0) to dark blue (first, 1), a cross where the player is absent.

    References
    ----------
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets, Journal of
    Machine Learning Research 7.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(scores, store="study", seed=1, progressbar=False)
    >>> pc = lb.plots.average_rank(lb.study.average_rank(study))
    """
    require(average_rank, "study.average_rank", "average_rank", "rank")
    rank = average_rank["rank"].sortby(average_rank["average_rank"])
    present = rank.notnull().sum("player")
    return _over_tournaments(
        average_rank, (present - rank) / (present - 1), "Rank in each tournament",
        "share of the others ranked behind", figsize,
    )  # fmt: skip


def _over_tournaments(
    result: xr.Dataset, shares: xr.DataArray, title: str, label: str, figsize: FigSize | None
) -> Any:
    shares = shares.transpose("tournament", "player")
    rows, m = shares.shape
    size = float(np.clip(0.26 * m, 4.0, 14.0)) + 2.5, rows_height(rows) + 2.0
    with panels({"board": title}, result.attrs, size=size, rows=True, figsize=figsize) as (
        collection, (ax,),
    ):  # fmt: skip
        heat_map(
            ax, shares.to_numpy(), WINS, label, rows=shares["tournament"].to_numpy(),
            columns=shares["player"].to_numpy(), blank=np.ones(shares.shape, dtype=bool),
        )  # fmt: skip
    return collection
