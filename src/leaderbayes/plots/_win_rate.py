"""Observed against fitted win rates."""

from typing import Any

import numpy as np
import xarray as xr
from scipy.special import expit

from leaderbayes._inference.boards import boards_of
from leaderbayes.plots._canvas import BLACK, BLUE, Backend, FigSize, canvas


def win_rate(
    dt: xr.DataTree, *, figsize: FigSize | None = None, backend: Backend | None = None
) -> Any:
    """Draw each pair's observed share of wins against the fitted win probability.

    A leaderboard that fits has its pairs along the diagonal (the paper's Figure 5). Each pair is
    drawn once, from the side of its better player.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        One plot: fitted probability across, observed share of wins up (ties by the fit's rule).

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, Figure 5.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), sampler="laplace", seed=1)
    >>> pc = lb.plots.win_rate(dt, backend="matplotlib")
    """
    pairs = [_rates(board, epp) for board, epp in boards_of(dt)]
    fitted, observed = (np.concatenate(rates) for rates in zip(*pairs, strict=True))
    collection, plot = canvas(
        dt, "Observed and fitted win rates", width=6.0, height=6.0, figsize=figsize, backend=backend
    )
    # Thousands of pairs lie on each other: the more, the fainter.
    alpha = float(np.clip(30.0 / np.sqrt(len(fitted)), 0.05, 0.8))
    size = 20 if len(fitted) < 2000 else 8
    plot.scatter(fitted, observed, color=BLUE, alpha=alpha, size=size)
    plot.over(np.array([0.45, 1.0]), np.array([0.45, 1.0]), color=BLACK, width=1.0)
    plot.xlabel("fitted probability that the better player wins")
    plot.ylabel("observed share of its wins")
    return collection


def _rates(board: xr.Dataset, draws: xr.DataArray) -> tuple[np.ndarray, np.ndarray]:
    """Give fitted and observed win rates of the better player of each pair that met."""
    epp = draws.mean(("chain", "draw")).to_numpy()
    order = np.argsort(-epp, kind="stable")
    better, worse = (order[side] for side in np.triu_indices(len(epp), 1))
    wins, n = (board[name].to_numpy()[better, worse] for name in ("wins", "n"))
    met = n > 0
    return expit(epp[better] - epp[worse])[met], wins[met] / n[met]
