"""Heat map of beating the average player, over tournaments."""

from typing import Any

import xarray as xr

from leaderbayes._fits.require import require_result
from leaderbayes.plots._across import over_tournaments
from leaderbayes.plots._canvas import Backend, FigSize


def average_player(
    average_player: xr.Dataset, *, figsize: FigSize | None = None, backend: Backend | None = None
) -> Any:
    """Draw each player's probability of beating the average player, in every tournament.

    Parameters
    ----------
    average_player : Dataset
        From `leaderbayes.study.average_player`.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        One plot: players across, the best overall on the left; tournaments down; the darker the
        more probable, from pale orange (0) to dark blue (1), a cross where the player is absent.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, property
    3.4.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(
    ...     scores, store="study", sampler="laplace", seed=1, progressbar=False
    ... )
    >>> pc = lb.plots.average_player(lb.study.average_player(study), backend="matplotlib")
    """
    require_result(average_player, "study.average_player", "overall", "mean")
    return over_tournaments(
        average_player,
        average_player["mean"].sortby(-average_player["overall"]),
        "P(beats the average player)", "probability", figsize=figsize, backend=backend,
    )  # fmt: skip
