"""Heat map of ranks, over tournaments."""

from typing import Any

import xarray as xr

from leaderbayes._fits.require import require_result
from leaderbayes.plots._across import over_tournaments
from leaderbayes.plots._canvas import Backend, FigSize


def average_rank(
    average_rank: xr.Dataset, *, figsize: FigSize | None = None, backend: Backend | None = None
) -> Any:
    """Draw each player's mean rank in every tournament, as the share of the others behind it.

    So the colour means the same where tournaments have different players.

    Parameters
    ----------
    average_rank : Dataset
        From `leaderbayes.study.average_rank`.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        One plot: players across, the best on average on the left; tournaments down; from pale
        orange (last, 0) to dark blue (first, 1), a cross where the player is absent.

    References
    ----------
    Demšar (2006), Statistical comparisons of classifiers over multiple data sets, Journal of
    Machine Learning Research 7.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(
    ...     scores, store="study", sampler="laplace", seed=1, progressbar=False
    ... )
    >>> pc = lb.plots.average_rank(lb.study.average_rank(study), backend="matplotlib")
    """
    require_result(average_rank, "study.average_rank", "average_rank", "rank")
    rank = average_rank["rank"].sortby(average_rank["average_rank"])
    present = rank.notnull().sum("player")
    behind = (present - rank) / (present - 1)
    return over_tournaments(
        average_rank, behind, "Rank in each tournament", "share of the others ranked behind",
        figsize=figsize, backend=backend,
    )  # fmt: skip
