"""A search of hyper-parameters: where its candidates lie, and how they were dropped."""

from typing import Any

import numpy as np
import pandas as pd

from leaderbayes._arguments import whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._types import Floats
from leaderbayes.plots._canvas import FigSize, labels, legend, panels, plain
from leaderbayes.plots._colors import BLACK, BLUE, GREEN, GREY, ORANGE

# Colours of iterations; later ones begin again.
_COLORS = (BLUE, ORANGE, GREEN, "#CC79A7", "#E69F00", "#56B4E9")
_MOST_TICKS = 8  # of numbers, each of which is a tick
_LOGARITHMIC = 50.0  # times the least is the largest of numbers that are drawn by logarithms


def search(
    search: Any,
    x: str | None = None,
    y: str | None = None,
    *,
    iteration: int | None = None,
    figsize: FigSize | None = None,
) -> Any:
    """Plot how a search dropped candidates, or candidates by two parameters.

    Parameters
    ----------
    search : LeaderboardSearchCV
        After `fit`.
    x, y : str, optional
        Parameters. Positive numbers of several magnitudes are drawn by their logarithms. Without
        them the probability that each candidate beats the leader is drawn, after every fold.
    iteration : int, optional
        Draw what was known after this iteration; after the last one by default. Of ``x`` and ``y``.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        A panel an iteration, "iteration 1" and so on: folds across, probabilities on a logarithmic
        scale from 0.001 up; blue lines end where candidates were dropped, grey ones remain. Of
        ``x`` and ``y`` "search": a colour for each iteration; the best candidate is a star, those
        indistinguishable from it are large, and all others small.

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
    >>> race = lb.plots.search(search)
    >>> candidates = lb.plots.search(search, "n_neighbors", "p")
    """
    if not hasattr(search, "n_iterations_") or not hasattr(search, "cv_results_"):
        raise LeaderbayesError(
            "This takes a fitted leaderbayes.tuning.LeaderboardSearchCV, not "
            f"{type(search).__name__}."
        )
    if x is None or y is None:
        if (x, y, iteration) != (None, None, None):
            raise LeaderbayesError("Candidates are drawn by two parameters: name both x and y.")
        return _race(search.decisions_, figsize)
    last = search.n_iterations_ if iteration is None else iteration
    last = whole("iteration", last, at_most=search.n_iterations_)
    results = search.cv_results_
    for name in (x, y):
        if f"param_{name}" not in results:
            known = [key.removeprefix("param_") for key in results if key.startswith("param_")]
            raise LeaderbayesError(f"The search has no parameter {name!r}; it has {known}.")
    # For several grids not every candidate has every parameter.
    absent = [np.ma.getmaskarray(results[f"param_{name}"]) for name in (x, y)]
    tried = np.flatnonzero((results["iteration"] <= last) & ~absent[0] & ~absent[1])
    if not len(tried):
        raise LeaderbayesError(
            f"No candidate has both {x!r} and {y!r}: choose parameters of one grid."
        )
    number = results["iteration"][tried]
    best, tied = _standing(search.decisions_, last)
    with panels(
        {"search": f"Candidates of {last} iteration{'s' if last > 1 else ''}"}, {},
        size=(7.5, 5.8), figsize=figsize,
    ) as (collection, (ax,)):  # fmt: skip
        across, up = (
            _values(ax, side, results[f"param_{name}"][tried])
            for side, name in (("x", x), ("y", y))
        )
        sizes = np.where(np.isin(tried, tied), 90, 14)
        for k in range(1, last + 1):
            some, color = number == k, _COLORS[(k - 1) % len(_COLORS)]
            ax.scatter(across[some], up[some], s=sizes[some], color=color, alpha=0.7)
            ax.scatter([], [], color=color, label=f"iteration {k}")
        if best is not None:
            at = tried == best
            ax.scatter(
                across[at], up[at], s=60, marker="*", color=BLACK, zorder=3,
                label="best (large: indistinguishable from it)",
            )  # fmt: skip
        ax.margins(0.06)
        ax.set_xlabel(plain(x))
        ax.set_ylabel(plain(y))
        legend(ax)
    return collection


def _race(decisions: pd.DataFrame, figsize: FigSize | None) -> Any:
    """Draw how probably each candidate beats the leader, after every fold."""
    compared = decisions[decisions["decision"].isin(("tied", "stays", "dropped"))]
    if compared.empty:
        raise LeaderbayesError("A race needs two candidates: none was compared with a leader.")
    each = {int(str(k)): one for k, one in compared.groupby("iteration")}
    columns = min(len(each), 2 if figsize == "page" else 3)
    out = {k: set(one.loc[one["decision"] == "dropped", "candidate"]) for k, one in each.items()}
    titles = {}
    for number, one in each.items():
        at_end = one.loc[one["rounds"] == one["rounds"].max(), "decision"]
        kept = at_end.ne("dropped").sum() + 1  # the leader is not compared
        titles[f"iteration {number}"] = (
            f"Iteration {number}: {len(out[number])} dropped, {kept} remain"
        )
    size = 4.5 * columns + 1.0, 3.8 * -(-len(each) // columns)
    with panels(titles, {}, size=size, columns=columns, figsize=figsize) as (collection, axes):
        for (k, mine), ax in zip(each.items(), axes, strict=True):
            for candidate, one in mine.groupby("candidate"):
                p = one["probability"].to_numpy(dtype=float).clip(min=0.001)
                dropped = candidate in out[k]
                color = BLUE if dropped else GREY
                ax.plot(one["rounds"], p, color=color, alpha=0.6, linewidth=0.8)
                if dropped:
                    ax.plot(one["rounds"].iloc[-1], p[-1], "o", color=BLUE, markersize=4.0)
            ax.set_yscale("log")
            ax.set_ylim(0.0008, 1.2)
            ax.set_xlim(0.5, compared["rounds"].max() + 0.5)
            ax.xaxis.get_major_locator().set_params(integer=True)
            ax.set_xlabel("folds played")
            ax.set_ylabel("P(beats the leader)")
    return collection


def _standing(decisions: pd.DataFrame, iteration: int) -> tuple[int | None, list[int]]:
    """Return the leader after an iteration, and all indistinguishable from it."""
    looked = decisions[decisions["iteration"] == iteration]
    out = looked.loc[looked["decision"] == "failed", "candidate"]
    looked = looked[looked["decision"].isin(("leads", "tied", "stays", "dropped"))]
    looked = looked[~looked["candidate"].isin(out)]
    if looked.empty:
        return None, []
    looked = looked[looked["rounds"] == looked["rounds"].max()]
    leader, tied = (
        looked.loc[looked["decision"] == kind, "candidate"].astype(int).to_list()
        for kind in ("leads", "tied")
    )
    return (leader + tied)[0], leader + tied


def _values(ax: Any, side: str, values: Any) -> Floats:
    """Return positions of a parameter's values on an axis, whose scale or ticks are set."""
    values = np.ma.getdata(values)
    numbers = pd.to_numeric(pd.Series(values), errors="coerce").to_numpy(dtype=float)
    if np.isfinite(numbers).all() and not isinstance(values[0], bool | np.bool_ | str):
        if numbers.min() > 0.0 and numbers.max() >= _LOGARITHMIC * numbers.min():
            getattr(ax, f"set_{side}scale")("log")
        if len(distinct := np.unique(numbers)) <= _MOST_TICKS:
            getattr(ax, f"set_{side}ticks")(distinct, [f"{v:.4g}" for v in distinct])
            getattr(ax, f"set_{side}ticks")([], minor=True)
        return numbers
    texts = [str(v) for v in values]
    names = sorted(set(texts))
    getattr(ax, f"set_{side}ticks")(range(len(names)), labels(names, 16))
    return np.array([float(names.index(text)) for text in texts])
