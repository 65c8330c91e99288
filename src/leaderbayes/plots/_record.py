"""Each pair's head-to-head results against what the model makes of them."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.leaderboard import leaderboard as table_of
from leaderbayes._answers.record import record as records
from leaderbayes._answers.win_probability import wins_of
from leaderbayes._arguments import share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import Posterior, Strengths
from leaderbayes.plots._canvas import FigSize, distinct, labels, legend, panels
from leaderbayes.plots._colors import BLACK, BLUE, GREY, ORANGE

_NAMED = 5  # pairs that fit worst


def record(dt: xr.DataTree, *, prob: float = 0.95, figsize: FigSize | None = None) -> Any:
    """Plot each pair's head-to-head results against the model's win probability.

    Where strengths describe the board, pairs lie around the diagonal, and about a share ``prob``
    of the intervals, or more, hold the model's probability. Each pair is drawn once, from the side
    of its better player.

    Parameters
    ----------
    dt : DataTree
        Posterior of matches or votes of one tournament.
    prob : float
        Probability of the credible intervals of the results.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        "board": the model's probability across, that of the pair's own matches up. Triangles:
        intervals that do not hold the model's probability, of which the farthest off are named.

    Raises
    ------
    LeaderbayesError
        If it is of scores or teams, or of several tournaments.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), seed=1)
    >>> pc = lb.plots.record(dt)
    """
    prob = share("prob", prob)
    post = Strengths.of(
        dt, "This posterior has {parameter}, but no strengths: fit model='bradley_terry'."
    )
    pairs = _pairs(post, prob)
    if pairs.empty:
        raise LeaderbayesError("No player beat another, so there are no results to draw.")
    missed = ((pairs["model"] < pairs["lower"]) | (pairs["model"] > pairs["upper"])).to_numpy()
    # Thousands of pairs lie on each other: the more, the fainter.
    alpha = float(np.clip(20.0 / np.sqrt(len(pairs)), 0.06, 0.7))
    kinds = [
        (~missed, BLUE, "o", alpha, f"{prob:.0%} interval contains the model's probability"),
        (missed, ORANGE, "^", 0.7, f"does not (expected: about {(1.0 - prob) * len(pairs):.0f})"),
    ]
    with panels(
        {"board": f"Head-to-head results and the model, {len(pairs):,} pairs"}, post.trust,
        size=(6.5, 6.8), figsize=figsize,
    ) as (collection, (ax,)):  # fmt: skip
        for some, color, marker, opaque, words in kinds:
            mine = pairs[some]
            ax.vlines(
                mine["model"], mine["lower"], mine["upper"], color=color, alpha=0.4 * opaque,
                linewidth=0.8,
            )  # fmt: skip
            ax.scatter(
                mine["model"], mine["own"], color=color, marker=marker, alpha=opaque, zorder=3,
                s=14 if len(pairs) < 2000 else 6, label=f"{words}: {some.sum():,}",
            )  # fmt: skip
        ax.axline((0.5, 0.5), slope=1.0, color=BLACK, linewidth=1.0, zorder=4)
        for text in _worst(pairs[missed]):
            ax.plot([], [], " ", label=text, color=GREY)
        ax.set_xlim(0.45, 1.02)
        ax.set_ylim(top=1.02)
        ax.set_xlabel("model's probability that the better player wins")
        ax.set_ylabel("probability by head-to-head results")
        legend(ax)
    return collection


def _pairs(post: Posterior, prob: float) -> pd.DataFrame:
    """Return a row for each pair that met, the better player first."""
    names = table_of(post.tree)["player"].to_list()
    own = records(post, prob).sel(player=names, opponent=names)
    model = wins_of(post, prob, "model", names)["mean"]
    at = np.triu_indices(len(names), 1)
    table = pd.DataFrame(
        {
            "player": np.array(names, dtype=object)[at[0]],
            "opponent": np.array(names, dtype=object)[at[1]],
            "model": model.to_numpy()[at],
            "own": own["mean"].to_numpy()[at],
            **{name: own[name].to_numpy()[at] for name in ("lower", "upper", "played")},
        }
    )
    return table[table["played"] > 0]


def _worst(missed: pd.DataFrame) -> list[str]:
    """Name the pairs whose results are farthest off, in half widths of their intervals."""
    half = (missed["upper"] - missed["lower"]) / 2.0
    far = ((missed["own"] - missed["model"]).abs() / half).nlargest(_NAMED)
    rows = missed.loc[far.index]
    named = zip(labels(rows["player"], 18), labels(rows["opponent"], 18), strict=True)
    values = zip(rows["own"], rows["model"], strict=True)
    return distinct(
        f"{a} – {b}: own {own:.2f}, model {model:.2f}"
        for (a, b), (own, model) in zip(named, values, strict=True)
    )
