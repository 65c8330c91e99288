"""A search of hyper-parameters: where its candidates lie, and how they were dropped."""

from typing import Any

import numpy as np
import pandas as pd

from leaderbayes._arguments import whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._types import Floats
from leaderbayes.plots._canvas import (
    BLACK,
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    Backend,
    FigSize,
    Mark,
    panels,
    thinned,
)

# Of iterations; later ones begin again.
_COLORS = (BLUE, ORANGE, GREEN, "#CC79A7", "#E69F00", "#56B4E9")
_MOST_TICKS = 8


def search(
    search: Any,
    x: str,
    y: str,
    *,
    iteration: int | None = None,
    figsize: FigSize | None = None,
    backend: Backend | None = None,
) -> Any:
    """Draw the candidates of a search by two of their parameters.

    Parameters
    ----------
    search : LeaderboardSearchCV
        After `fit`.
    x, y : str
        Parameters. Numbers that are spaced by their logarithms are drawn so; others than numbers
        stand beside each other.
    iteration : int, optional
        Draw what was known after this iteration; after the last one by default.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        One plot "search". A colour for each iteration; the best candidate is a star, those that
        cannot be told from it are large, and all others small.

    Raises
    ------
    LeaderbayesError
        If it is no fitted search, or has no such parameter or iteration.

    References
    ----------
    Gajda, Chlebus (2022), A probability-based models ranking approach, Figures 9 and 10.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> space = {"n_neighbors": [1, 5, 60, 110], "p": [1, 2]}
    >>> search = lb.tuning.LeaderboardSearchCV(KNeighborsClassifier(), space, cv=10, random_state=1)
    >>> search = search.fit(*load_iris(return_X_y=True))
    >>> pc = lb.plots.search(search, "n_neighbors", "p", backend="matplotlib")
    """
    if not hasattr(search, "n_iterations_") or not hasattr(search, "cv_results_"):
        raise LeaderbayesError(
            "This takes a fitted leaderbayes.tuning.LeaderboardSearchCV, not "
            f"{type(search).__name__}."
        )
    last = search.n_iterations_ if iteration is None else iteration
    last = whole("iteration", last, at_most=search.n_iterations_)
    results = search.cv_results_
    for name in (x, y):
        if f"param_{name}" not in results:
            known = [key.removeprefix("param_") for key in results if key.startswith("param_")]
            raise LeaderbayesError(f"The search has no parameter {name!r}; it has {known}.")
    collection, plots = panels(
        {"search": f"Candidates of {last} iteration{'s' if last > 1 else ''}"},
        width=7.5, height=5.8, columns=1, figsize=figsize, backend=backend,
    )  # fmt: skip
    plot = plots["search"]
    # Of several grids not every candidate has every parameter.
    absent = [np.ma.getmaskarray(results[f"param_{name}"]) for name in (x, y)]
    tried = np.flatnonzero((results["iteration"] <= last) & ~absent[0] & ~absent[1])
    if not len(tried):
        raise LeaderbayesError(
            f"No candidate has both {x!r} and {y!r}: draw parameters of one grid."
        )
    place: dict[str, tuple[Floats, list[float], list[str]]] = {
        name: _axis(results[f"param_{name}"][tried], most)
        for name, most in ((y, _MOST_TICKS), (x, plot.most(_MOST_TICKS, 4.5)))
    }
    across, up = place[x][0], place[y][0]
    number = results["iteration"][tried]
    best, tied = _standing(search.decisions_, last)
    large = np.isin(tried, tied)
    key = []
    # In one column those of a grid would lie on each other.
    small, big, starred = (8, 36, 45) if plot.narrow else (14, 90, 60)
    for k in range(1, last + 1):
        color = _COLORS[(k - 1) % len(_COLORS)]
        key.append(Mark(None, f"iteration {k}", color))
        for some, size in (((number == k) & ~large, small), ((number == k) & large, big)):
            if some.any():
                alpha = 0.9 if size == small else 0.6
                plot.scatter(across[some], up[some], color=color, size=size, alpha=alpha)
    if best is not None:
        at, star = tried == best, "*" if plot.backend == "matplotlib" else "star"
        plot.scatter(across[at], up[at], color=BLACK, size=starred, marker=star)
    key.append(Mark(None, "star: best; large: not told from it", BLACK))
    for name, axis in ((x, plot.xticks), (y, plot.yticks)):
        _, ticks, texts = place[name]
        axis(ticks, plot.labels(texts, 16))
    ends, low, high = (across.min(), across.max()), up.min(), up.max()
    margin = 0.06 * (high - low) or 0.5
    plot.frame(key, across=ends, top=high + margin, bottom=low - margin)
    plot.xlabel(plot.plain(x))
    plot.ylabel(plot.plain(y))
    return collection


def race(
    decisions: pd.DataFrame, *, figsize: FigSize | None = None, backend: Backend | None = None
) -> Any:
    """Draw how probably each candidate beats the leader, after every fold.

    Parameters
    ----------
    decisions : DataFrame
        ``decisions_`` of `leaderbayes.tuning.LeaderboardSearchCV`.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        A plot an iteration, "iteration 1" and so on: folds across, probabilities on a logarithmic
        scale from 0.001 upwards. Points are candidates that were dropped; grey lines are those of
        candidates that stayed to the end.

    Raises
    ------
    LeaderbayesError
        If these are no decisions, or nobody was compared.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> space = {"n_neighbors": [1, 5, 60, 90, 110]}
    >>> search = lb.tuning.LeaderboardSearchCV(KNeighborsClassifier(), space, cv=10, random_state=1)
    >>> search = search.fit(*load_iris(return_X_y=True))
    >>> pc = lb.plots.race(search.decisions_, backend="matplotlib")
    """
    if "decision" not in getattr(decisions, "columns", ()):
        raise LeaderbayesError(
            "This takes decisions_ of a leaderbayes.tuning.LeaderboardSearchCV, not "
            f"{type(decisions).__name__}."
        )
    compared = decisions[decisions["decision"].isin(("tied", "stays", "dropped"))]
    if compared.empty:
        raise LeaderbayesError("Nobody was compared with a leader: a race needs two candidates.")
    iterations = [int(k) for k in compared["iteration"].unique()]
    # Of three beside each other on a page of a journal each would be an inch high.
    columns = min(len(iterations), 2 if figsize == "page" else 3)
    rows = -(-len(iterations) // columns)
    collection, plots = panels(
        {f"iteration {k}": f"Iteration {k}" for k in iterations},
        width=4.5 * columns + 1.0, height=3.8 * rows, columns=columns, figsize=figsize,
        backend=backend,
    )  # fmt: skip
    last = int(compared["rounds"].max())
    for position, k in enumerate(iterations):
        plot = plots[f"iteration {k}"]
        mine = compared[compared["iteration"] == k]
        at = mine[mine["decision"] == "dropped"]
        dropped = mine["candidate"].isin(at["candidate"])
        for color, some in ((GREY, mine[~dropped]), (BLUE, mine[dropped])):
            if not some.empty:
                plot.line(*_lines(some), color=color, alpha=0.6, width=0.8)
        if not at.empty:
            plot.scatter(at["rounds"].to_numpy(), _log(at["probability"]), color=BLUE, size=14)
        left = mine.loc[mine["rounds"] == mine["rounds"].max(), "decision"].ne("dropped").sum() + 1
        key = [
            Mark(None, f"{at['candidate'].nunique()} dropped", BLUE),
            Mark(None, f"{left} left" + ", the leader among them" * (not plot.narrow), GREY),
        ]
        plot.frame(key, across=(1.0, float(last)), top=0.0, bottom=-3.2)
        plot.yticks([-3, -2, -1, 0], ["0.001", "0.01", "0.1", "1"])
        ticks = list(range(1, last + 1))[thinned(last, 10)]
        plot.xticks(ticks, [str(k) for k in ticks])
        plot.xlabel("folds played")
        if figsize == "column" or position % columns == 0:
            plot.ylabel("P(beats the leader)")
    return collection


def _standing(decisions: pd.DataFrame, iteration: int) -> tuple[int | None, list[int]]:
    """Give the leader after an iteration, and all that could not be told from it."""
    looked = decisions[decisions["iteration"] == iteration]
    out = looked.loc[looked["decision"] == "failed", "candidate"]
    looked = looked[looked["decision"].isin(("leads", "tied", "stays", "dropped"))]
    looked = looked[~looked["candidate"].isin(out)]
    if looked.empty:
        return None, []
    looked = looked[looked["rounds"] == looked["rounds"].max()]
    leader = looked.loc[looked["decision"] == "leads", "candidate"]
    tied = [int(i) for i in (*leader, *looked.loc[looked["decision"] == "tied", "candidate"])]
    return tied[0], tied


def _axis(values: Any, most: int) -> tuple[Floats, list[float], list[str]]:
    """Give positions of a parameter's values, ticks (of numbers at most so many), and labels."""
    values = np.ma.getdata(values)
    numbers = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(dtype=float)
    if np.isfinite(numbers).all() and not isinstance(values[0], bool | np.bool_ | str):
        distinct = np.unique(numbers)
        logarithmic = distinct[0] > 0 and distinct[-1] >= 50.0 * distinct[0]
        scale = np.log10 if logarithmic else np.asarray
        shown = distinct[_spaced(scale(distinct), most)]
        return scale(numbers), scale(shown).tolist(), [f"{v:.4g}" for v in shown]
    texts = [str(v) for v in values]
    names = sorted(set(texts))
    positions = np.array([float(names.index(text)) for text in texts])
    return positions, [float(k) for k in range(len(names))], names


def _spaced(at: Floats, most: int) -> list[int]:
    """Choose, in order, the ends of some places and up to ``most`` in all, none near another."""
    last = len(at) - 1
    apart = 0.999 * (at[last] - at[0]) / (most - 1)
    kept = [0]
    for k in range(1, last):
        if min(at[k] - at[kept[-1]], at[last] - at[k]) >= apart:
            kept.append(k)
    return [*kept, last] if last else kept


def _lines(some: pd.DataFrame) -> tuple[Floats, Floats]:
    """Give the lines of all candidates, one after the other, with gaps."""
    x: list[float] = []
    y: list[float] = []
    for _, one in some.groupby("candidate"):
        x += [*one["rounds"], np.nan]
        y += [*_log(one["probability"]), np.nan]
    return np.array(x), np.array(y)


def _log(probability: pd.Series) -> Floats:
    return np.asarray(np.log10(np.maximum(probability.to_numpy(dtype=float), 0.001)))
