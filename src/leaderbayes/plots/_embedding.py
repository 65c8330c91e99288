"""Biplot of tournaments and players."""

from typing import Any

import numpy as np
import xarray as xr
from scipy.stats import chi2

from leaderbayes._errors import LeaderbayesError
from leaderbayes._types import Floats
from leaderbayes.plots._canvas import FigSize, labels, name_points, panels, require
from leaderbayes.plots._colors import BLACK, BLUE, ORANGE

_MOST_NAMES = 20


def embedding(embedding: xr.Dataset, *, figsize: FigSize | None = None) -> Any:
    """Plot tournaments as points with uncertainty, and players as lines from the origin.

    A player is strong, compared with its mean, in tournaments that lie where its line points to.
    Tips are hollow of players whose strength rests on the prior in a tenth of tournaments or more.

    Parameters
    ----------
    embedding : Dataset
        From `leaderbayes.study.embedding`, of two dimensions or more: the first two are drawn.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        "board". Ellipses hold each tournament with the posterior probability ``prob`` of the
        embedding. For the longest lines and farthest tournaments up to 20 each are named, where
        there is room.

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
    >>> study = lb.study.fit(scores, store="study", seed=1, progressbar=False)
    >>> pc = lb.plots.embedding(lb.study.embedding(study))
    """
    from matplotlib.collections import LineCollection

    require(embedding, "study.embedding", "component", "score", "loading")
    if embedding.sizes["component"] < 2:
        raise LeaderbayesError("The embedding has one dimension: use two to draw it.")
    plane = embedding.isel(component=slice(2))
    score, loading = plane["score"].to_numpy(), plane["loading"].to_numpy()
    ellipses = _ellipses(score, plane["score_draws"].to_numpy(), embedding.attrs["prob"])
    # The longest line reaches as far as most of the tournaments.
    tips = np.quantile(np.hypot(*score.T), 0.9) / np.hypot(*loading.T).max() * loading
    share = plane["explained"].to_numpy()
    with panels(
        {"board": "Tournaments (points) and players (lines)"}, embedding.attrs, size=(9.0, 9.0),
        figsize=figsize,
    ) as (collection, (ax,)):  # fmt: skip
        ax.add_collection(LineCollection(list(ellipses), color=BLUE, alpha=0.35, linewidth=0.8))
        ax.scatter(*score.T, color=BLUE, s=14, zorder=3)
        lines = np.stack([np.zeros_like(tips), tips], axis=1)
        ax.add_collection(LineCollection(list(lines), color=ORANGE, linewidth=1.0))
        filled = np.where(plane["on_prior"].mean("tournament") >= 0.1, "white", ORANGE)
        ax.scatter(*tips.T, c=filled, edgecolors=ORANGE, s=14, zorder=3)
        # One scale for both axes, so that angles mean something, and room for names.
        drawn = np.concatenate([tips, score, ellipses.reshape(-1, 2)])
        low, high = drawn.min(axis=0), drawn.max(axis=0)
        centre, half = (low + high) / 2.0, 0.65 * float((high - low).max())
        ax.set_xlim(centre[0] - half, centre[0] + half)
        ax.set_ylim(centre[1] - half, centre[1] + half)
        ax.set_xlabel(f"component 1 ({share[0]:.0%})")
        ax.set_ylabel(f"component 2 ({share[1]:.0%})")
        taken = [ax.transData.transform(point)[None].repeat(2, axis=0) for point in [*score, *tips]]
        for points, names, color in (
            (score, plane["tournament"], BLACK), (tips, plane["player"], ORANGE),
        ):  # fmt: skip
            far = np.argsort(-np.hypot(*points.T), kind="stable")[:_MOST_NAMES]
            name_points(ax, points[far], labels(names.to_numpy()[far], 24), color, taken)
    return collection


def _ellipses(score: Floats, draws: Floats, prob: float) -> Floats:
    """Return outlines (tournament, step, 2) that hold normal draws (sample, tournament, 2)."""
    turn = np.linspace(0.0, 2.0 * np.pi, 61)
    circle = np.sqrt(chi2.ppf(prob, 2)) * np.stack([np.cos(turn), np.sin(turn)])
    centred = draws - draws.mean(axis=0)
    covariance = np.einsum("sti,stj->tij", centred, centred) / len(draws)
    square, axes = np.linalg.eigh(covariance)
    radii = axes * np.sqrt(np.maximum(square, 0.0))[:, None]
    return np.asarray(score[:, None] + (radii @ circle).transpose(0, 2, 1))
