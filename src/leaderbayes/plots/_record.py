"""Each pair's own record against what the model makes of it."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.leaderboard import leaderboard as table_of
from leaderbayes._answers.record import record as records
from leaderbayes._answers.win_probability import win_probability
from leaderbayes._arguments import share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import is_mean_score
from leaderbayes._types import Bools
from leaderbayes.plots._canvas import (
    BLACK,
    BLUE,
    GREY,
    ORANGE,
    Backend,
    FigSize,
    Mark,
    Plot,
    canvas,
    tint,
)

_NAMED = 5  # pairs that fit worst


def record(
    dt: xr.DataTree,
    *,
    prob: float = 0.95,
    figsize: FigSize | None = None,
    backend: Backend | None = None,
) -> Any:
    """Draw each pair's own record, with its interval, against the model's win probability.

    Where strengths describe the board, records lie around the diagonal, and their intervals hold
    the model's probability nearly always: misses are about one less ``prob`` of the pairs, or
    fewer, for the model has learnt from the same matches. Each pair is drawn once, from the side of
    its better player.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`, of matches or votes of one tournament.
    prob : float
        Posterior probability of the intervals of records.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        One plot, "board": the model's probability that the better player wins across, up what the
        pair's own matches say (`leaderbayes.win_probability` with ``by="record"``). Orange
        triangles: the record's interval does not hold the model's probability; the five farthest
        off are named.

    Raises
    ------
    LeaderbayesError
        If ``prob`` is not between 0 and 1, or it is a fit of mean scores, whose win probabilities
        are records, or of many tournaments.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), sampler="laplace", seed=1)
    >>> pc = lb.plots.record(dt, backend="matplotlib")
    """
    prob = share("prob", prob)
    if is_mean_score(dt):
        raise LeaderbayesError(
            "A fit of mean scores has no win probabilities but records: fit matches, "
            "lb.fit(scores), to hold one against the other."
        )
    pairs = _pairs(dt, prob)
    if pairs.empty:
        raise LeaderbayesError("No two players met: there is no record to draw.")
    missed = ((pairs["model"] < pairs["lower"]) | (pairs["model"] > pairs["upper"])).to_numpy()
    collection, plot = canvas(
        dt, f"Own records and the model, {len(pairs):,} pairs", width=6.5, height=6.8,
        figsize=figsize, backend=backend,
    )  # fmt: skip
    low = float(min(pairs["lower"].min(), pairs["model"].min(), 0.45))
    ends = np.array([0.45, 1.0])
    # Thousands of pairs lie on each other: the more, the fainter.
    alpha, fainter = (
        float(np.clip(k / np.sqrt(len(pairs)), 0.06, most)) for k, most in ((6.0, 0.6), (20.0, 0.7))
    )
    kinds = [(pairs[some], color) for some, color in ((~missed, BLUE), (missed, ORANGE))]
    kinds = [(mine, color) for mine, color in kinds if len(mine)]
    # Intervals of all lie below the points of all.
    for mine, color in kinds:
        plot.spans_up(
            mine["lower"].to_numpy(), mine["upper"].to_numpy(), mine["model"].to_numpy(), width=0.8,
            color=tint(color, min(1.0, 2.0 * alpha) if color == ORANGE else alpha),
        )  # fmt: skip
    for mine, color in kinds:
        other = color == ORANGE
        shade, size = (0.7, 14) if other else (fainter, 14 if len(pairs) < 2000 else 6)
        plot.scatter(
            mine["model"].to_numpy(), mine["own"].to_numpy(), color=color, alpha=shade, size=size,
            triangle=other,
        )  # fmt: skip
    plot.over(ends, ends, color=BLACK, width=1.0)
    usual = (1.0 - prob) * len(pairs)
    of = "model" if plot.narrow else "model's probability"
    key = [
        Mark(None, f"{prob:.0%} interval holds the {of}: {(~missed).sum():,}", BLUE),
        Mark(None, f"does not: {missed.sum():,} (usual: up to about {usual:.0f})", ORANGE),
        *_worst(pairs, missed, plot),
    ]
    plot.frame(key, across=(0.45, 1.0), top=1.0, bottom=low - 0.02, line=0.055)
    plot.xlabel("model's probability that the better player wins")
    plot.ylabel("by the pair's own matches")
    ticks = np.arange(np.ceil(10.0 * low) / 10.0, 1.01, 0.1)
    plot.yticks(ticks, [f"{tick + 0.0:.1f}" for tick in ticks])
    return collection


def _pairs(dt: xr.DataTree, prob: float) -> pd.DataFrame:
    """Give a row a pair that met, the better player first."""
    names = table_of(dt)["player"].to_list()
    own = records(dt, prob).sel(player=names, opponent=names)
    model = win_probability(dt, prob=prob)["mean"].sel(player=names, opponent=names).to_numpy()
    better, worse = np.triu_indices(len(names), 1)
    table = pd.DataFrame(
        {
            "player": np.array(names, dtype=object)[better],
            "opponent": np.array(names, dtype=object)[worse],
            "model": model[better, worse],
            "own": own["mean"].to_numpy()[better, worse],
            **{name: own[name].to_numpy()[better, worse] for name in ("lower", "upper", "played")},
        }
    )
    return table[table["played"] > 0]


def _worst(pairs: pd.DataFrame, missed: Bools, plot: Plot) -> list[Mark]:
    """Name the pairs whose records are the farthest off, in half widths of their intervals."""
    names = list(dict.fromkeys([*pairs["player"], *pairs["opponent"]]))
    longest, own = (8, "") if plot.narrow else (18, "own ")
    label = dict(zip(names, plot.labels(names, longest), strict=True))
    half = (pairs["upper"] - pairs["lower"]) / 2.0
    far = ((pairs["own"] - pairs["model"]).abs() / half)[missed].sort_values(ascending=False)
    lines = []
    for index in far.index[:_NAMED]:
        pair = pairs.loc[index]
        text = (
            f"{label[pair['player']]} – {label[pair['opponent']]}: {own}{pair['own']:.2f}, "
            f"model {pair['model']:.2f}"
        )
        lines.append(Mark(None, text, GREY))
    return lines
