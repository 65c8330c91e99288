"""What further rounds would decide."""

import json
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes.plots._canvas import FigSize, legend, panels, plain, require
from leaderbayes.plots._colors import BLUE, GREY, ORANGE

_COLORS = {"all": BLUE, "contested": ORANGE}


def plan(plan: xr.Dataset, *, figsize: FigSize | None = None) -> Any:
    """Plot the probability of a decision, and the width of the interval, over further rounds.

    Of a design without data: the probability of finding a difference, and the smallest one found.

    Parameters
    ----------
    plan : Dataset
        From `leaderbayes.plan` or `leaderbayes.design`.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches, or the width of one or both columns of a journal.

    Returns
    -------
    arviz_plots.PlotCollection
        Panels "p_decided", with the target, and "width", from that of now on: further rounds or
        votes across. Dashed: by new judges, or on new prompts. Of a design "p_correct", where a
        difference was given, and "smallest_difference".

    Raises
    ------
    LeaderbayesError
        If it is of no further round, or vote.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris")[:6], seed=1)
    >>> plan = lb.plan(dt, ("svm C=1", "svm C=10"), rounds=(10, 20), seed=1)
    >>> pc = lb.plots.plan(plan)
    """
    if "smallest_difference" in getattr(plan, "data_vars", ()):
        return _design(plan, figsize)
    require(plan, "plan", "p_decided", "width", "width_now", "who")
    dim = str(plan["p_decided"].dims[-1])
    if not plan.sizes[dim]:
        raise LeaderbayesError(f"{plan.attrs['message']} There is nothing to draw.")
    further = plan[dim].to_numpy()
    clusters = plan["clusters"].to_numpy() if "clusters" in plan.dims else [None]
    titles = {"p_decided": "Probability of a decision", "width": "Width of the interval"}
    with panels(titles, plan.attrs, size=(11.0, 4.8), columns=2, figsize=figsize) as (
        collection, (decided, widths),
    ):  # fmt: skip
        decided.plot([], [], " ", label=plain(plan.attrs["question"]))
        decided.axhline(plan.attrs["target"], color=GREY, linestyle=":", label="target")
        if "wanted_width" in plan.attrs:
            widths.axhline(plan.attrs["wanted_width"], color=GREY, linestyle=":")
        for who in plan["who"].to_numpy():
            for by in clusters:
                way = plan.sel(who=who) if by is None else plan.sel(who=who, clusters=by)
                style = {
                    "color": _COLORS[str(who)], "marker": "o", "markersize": 4.0,
                    "linestyle": "--" if len(clusters) > 1 and by == "new" else "-",
                }  # fmt: skip
                label = _label(plan.attrs, str(who), by, float(way[f"{dim}_needed"]))
                decided.plot(further, way["p_decided"], label=label, **style)
                width = np.append(plan["width_now"], way["width"])
                widths.plot(np.append(0, further), width, **style)
        for ax in (decided, widths):
            ax.set_xlim(left=0.0)
            ax.set_xlabel(f"further {plan.attrs['unit']}s")
        decided.set_ylim(0.0, 1.02)
        decided.set_ylabel("probability")
        widths.set_ylim(bottom=0.0)
        widths.set_ylabel(f"{plan.attrs['prob']:.0%} interval of the difference")
        legend(decided)
    return collection


def _design(made: xr.Dataset, figsize: FigSize | None) -> Any:
    """Plot what so many rounds or items find, on logarithmic axes."""
    from matplotlib.ticker import ScalarFormatter

    said, titles = made.attrs, {"smallest_difference": "Smallest difference found"}
    if "p_correct" in made:
        titles = {"p_correct": f"Probability of finding {said['difference']:g}"} | titles
    whom = {"pair": "the better of a pair", "leader": f"the leader of {said['players']}"}
    wide = 5.5 * len(titles)
    with panels(titles, said, size=(wide, 4.8), columns=len(titles), figsize=figsize) as (
        collection, axes,
    ):  # fmt: skip
        for name, ax in zip(titles, axes, strict=True):
            for question, color in zip(made["question"].to_numpy(), (BLUE, ORANGE), strict=False):
                own = made[name].sel(question=question)
                ax.plot(made["rounds"], own, color=color, marker="o", label=whom[str(question)])
            scaled = [ax.xaxis] if name == "p_correct" else [ax.xaxis, ax.yaxis]
            ax.set(xscale="log", xlabel=f"{said['unit']}s")
            if name == "p_correct":
                ax.axhline(said["target"], color=GREY, linestyle=":", label="target")
                ax.set(ylim=(0.0, 1.02), ylabel="probability")
            else:
                ax.set(yscale="log", ylabel=f"difference found with probability {said['target']:g}")
            for axis in scaled:
                axis.set_major_formatter(ScalarFormatter())
        legend(axes[0])
    return collection


def _label(attrs: dict[str, Any], who: str, by: Any, needed: float) -> str:
    """Label who plays, and how many further rounds or votes are needed."""
    size = attrs["players"] if who == "all" else len(json.loads(attrs["contested"]))
    said = f"{'all' if who == 'all' else 'only'} {size} players"
    if by is not None and attrs.get("cluster", "none") != "none":
        said += f", {'the same' if by == 'same' else 'new'} {attrs['cluster']}s"
    if needed > 0.0:
        return f"{said}: {needed:,.0f} {attrs['unit']}s needed"
    return said if needed == 0.0 else f"{said}: no number is enough"
