"""Biplot of tournaments and players."""

from typing import Any

import numpy as np
import xarray as xr
from scipy.stats import chi2

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.require import require_result
from leaderbayes._types import Floats
from leaderbayes.plots._canvas import BLUE, GREY, ORANGE, Backend, FigSize, canvas

_MOST_NAMES = 20
_SIDE = 9.0  # of the figure, inches
# Of the plot's width and height, as it usually is: a letter, and a line.
_LETTER, _LINE = 0.012, 0.024
_GAP, _POINT = 0.008, 0.006  # shares of the plot: from a point to its name, and its radius
_TURNS = np.array([(1, 1), (1, -1), (-1, 1), (-1, -1)])  # of a name, from outwards


def embedding(
    embedding: xr.Dataset, *, figsize: FigSize | None = None, backend: Backend | None = None
) -> Any:
    """Draw tournaments as points with their uncertainty, and players as lines from the middle.

    A player is strong, compared with its mean, in tournaments that lie where its line points to.

    Parameters
    ----------
    embedding : Dataset
        From `leaderbayes.study.embedding`, of two dimensions or more: the first two are drawn.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        One plot. Ellipses hold each tournament with the posterior probability ``prob`` of the
        embedding, if its posterior is normal. Up to 20 of the longest lines and of the farthest
        tournaments are named, where there is room.

    Raises
    ------
    LeaderbayesError
        If the embedding has one dimension.

    References
    ----------
    Gosiewska, Bakała, Woźnica, Zwoliński, Biecek (2019), EPP: interpretable score of model
    predictive power, Figure 4.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["breast_cancer", "iris", "wine"])
    >>> study = lb.study.fit(
    ...     scores, store="study", sampler="laplace", seed=1, progressbar=False
    ... )
    >>> pc = lb.plots.embedding(lb.study.embedding(study), backend="matplotlib")
    """
    require_result(embedding, "study.embedding", "component", "score", "loading")
    if embedding.sizes["component"] < 2:
        raise LeaderbayesError("The embedding has one dimension: embed in two to draw it.")
    plane = embedding.isel(component=slice(2))
    score, loading = plane["score"].to_numpy(), plane["loading"].to_numpy()
    ellipses = _ellipses(score, plane["score_draws"].to_numpy(), embedding.attrs["prob"])
    collection, plot = canvas(
        embedding, "Tournaments (points) and players (lines)", width=_SIDE, height=_SIDE,
        figsize=figsize, backend=backend,
    )  # fmt: skip
    # The longest line reaches as far as most of the tournaments.
    reach = np.quantile(np.hypot(*score.T), 0.9) / np.hypot(*loading.T).max()
    tips = reach * loading
    plot.line(*_joined(ellipses), color=BLUE, alpha=0.35, width=0.8)
    plot.scatter(*score.T, color=BLUE, size=14)
    middle = np.zeros_like(tips)
    plot.line(*_joined(np.stack([middle, tips], axis=1)), color=ORANGE, width=1.0)
    plot.scatter(*tips.T, color=ORANGE, size=8)

    points = np.concatenate([tips, score])
    drawn = np.concatenate([points, ellipses.reshape(-1, 2)])
    low, high = drawn.min(axis=0), drawn.max(axis=0)
    # One scale for both axes, so that angles mean something; a fifth at either side for names.
    center, half = (low + high) / 2.0, 0.7 * (high - low).max()
    limits = center - half, center + half
    texts = plot.labels([*embedding["player"].to_numpy(), *embedding["tournament"].to_numpy()], 24)
    # Letters are larger, beside a smaller plot.
    scale = plot.font / 10.0 * _SIDE / plot.wide
    for k, away in _named(points, texts, limits, len(tips), scale):
        x, y = points[k] + 2.0 * _GAP * half * away
        plot.text(
            x, y, texts[k],
            color=ORANGE if k < len(tips) else GREY, size=9,
            vertical_align="top" if away[1] < 0.0 else "bottom",
            horizontal_align="right" if away[0] < 0.0 else "left",
        )  # fmt: skip
    share = plane["explained"].to_numpy()
    plot.xlim((limits[0][0], limits[1][0]))
    plot.ylim((limits[0][1], limits[1][1]))
    plot.xlabel(f"component 1 ({share[0]:.0%})")
    plot.ylabel(f"component 2 ({share[1]:.0%})")
    return collection


def _ellipses(score: Floats, draws: Floats, prob: float) -> Floats:
    """Give outlines (tournament, step, 2) that hold normal draws (sample, tournament, 2)."""
    turn = np.linspace(0.0, 2.0 * np.pi, 61)
    circle = np.sqrt(chi2.ppf(prob, 2)) * np.stack([np.cos(turn), np.sin(turn)])
    centred = draws - draws.mean(axis=0)
    covariance = np.einsum("sti,stj->tij", centred, centred) / len(draws)
    square, axes = np.linalg.eigh(covariance)
    radii = axes * np.sqrt(np.maximum(square, 0.0))[:, None]
    return np.asarray(score[:, None] + (radii @ circle).transpose(0, 2, 1))


def _joined(lines: Floats) -> tuple[Floats, Floats]:
    """Give coordinates of lines (line, point, 2) with gaps between them, to draw at once."""
    gaps = np.full((len(lines), 1, 2), np.nan)
    x, y = np.concatenate([lines, gaps], axis=1).reshape(-1, 2).T
    return x, y


def _named(
    points: Floats, texts: list[str], limits: tuple[Floats, Floats], lines: int, scale: float = 1.0
) -> list[tuple[int, Floats]]:
    """Choose points with names that do not overlap: the farthest tournaments, the longest lines.

    Nor do they lie on a point, or on a line, but for those of few points, all of which have a name
    if there is room. Letters are ``scale`` times as large as usual. Names stand away from the
    middle, or in another direction (2,) in which there is room, if any.
    """
    far = -np.hypot(*points.T)
    farthest = lines + np.argsort(far[lines:], kind="stable")[:_MOST_NAMES]
    longest = np.argsort(far[:lines], kind="stable")[:_MOST_NAMES]
    at = (points - limits[0]) / (limits[1] - limits[0])
    chosen: list[tuple[int, Floats]] = []
    middle = -limits[0] / (limits[1] - limits[0])
    along = middle + np.linspace(0.15, 0.95, 17)[:, None, None] * (at[:lines] - middle)
    # (point or name, end, 2), shares of the plot
    ends = np.array([[-_POINT], [_POINT]])
    taken, crossed = (each.reshape(-1, 1, 2) + ends for each in (at, along))
    ways = [(True, turn) for turn in _TURNS]
    if len(points) <= _MOST_NAMES:
        ways += [(False, turn) for turn in _TURNS]
    for k in [*farthest, *longest]:
        size = scale * np.array([_LETTER * len(texts[k]), _LINE])
        outwards = np.where(points[k] < 0.0, -1.0, 1.0)
        for clear, turn in ways:
            away = outwards * turn
            near = at[k] + away * _GAP
            box = np.sort(np.stack([near, near + away * size]), axis=0)
            others = np.concatenate([taken, crossed]) if clear else taken
            apart = (box[0] >= others[:, 1]) | (box[1] <= others[:, 0])
            if (box >= 0.0).all() and (box <= 1.0).all() and apart.any(axis=1).all():
                chosen.append((int(k), away))
                taken = np.concatenate([taken, box[None]])
                break
    return chosen
