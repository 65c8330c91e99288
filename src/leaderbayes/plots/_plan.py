"""What further rounds would decide."""

import json
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.require import require_result
from leaderbayes.plots._canvas import BLACK, BLUE, GREY, ORANGE, Backend, FigSize, Mark, panels

_COLORS = {"all": BLUE, "contested": ORANGE}


def plan(
    plan: xr.Dataset, *, figsize: FigSize | None = None, backend: Backend | None = None
) -> Any:
    """Draw the probability of a decision, and the width of the interval, over further rounds.

    Parameters
    ----------
    plan : Dataset
        From `leaderbayes.plan`.
    figsize : (float, float) or {"column", "page"}, optional
        Width and height in inches; or of one column of a journal (3.4 inches) or both (7), with
        letters of 7 or 8 points. A size that suits what is drawn, if absent.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        Plots "p_decided", with the simulation's 95 % intervals and the target, and "width", from
        that of now on, with the wanted one: further rounds across. Of votes, further votes across,
        and dashed those by new judges (or on new prompts).

    Raises
    ------
    LeaderbayesError
        If it is of no further round, or vote.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers", "iris")[:6]
    >>> dt = lb.fit(scores, sampler="laplace", seed=1)
    >>> plan = lb.plan(dt, ("svm C=1", "svm C=10"), rounds=(10, 20), simulations=20, seed=1)
    >>> pc = lb.plots.plan(plan, backend="matplotlib")
    """
    if getattr(plan, "attrs", {}).get("unit") == "vote":
        return _of_votes(plan, backend)
    require_result(plan, "plan", "rounds", "p_decided")
    if not plan.sizes["rounds"]:
        raise LeaderbayesError(f"{plan.attrs['message']} There is nothing to draw.")
    collection, plots = panels(
        {"p_decided": "Probability of a decision", "width": "Width of the interval"},
        plan, width=11.0, height=4.6, columns=2, figsize=figsize, backend=backend,
    )  # fmt: skip
    rounds = plan["rounds"].to_numpy()
    across = 0.0, float(rounds[-1])
    from_now = np.append(0, rounds)
    decided, widths = plots["p_decided"], plots["width"]
    target = np.full(2, plan.attrs["target"])
    decided.line(np.array(across), target, color=GREY, linestyle="C1")
    if "wanted_width" in plan.attrs:
        wanted = np.full(2, plan.attrs["wanted_width"])
        widths.line(np.array(across), wanted, color=GREY, linestyle="C1")
    for who in plan["who"].to_numpy():
        way, color = plan.sel(who=who), _COLORS[str(who)]
        lower, upper = (way[f"p_decided_{side}"].to_numpy() for side in ("lower", "upper"))
        # Told apart in grey too.
        more = {"linestyle": "C1"} if who == "contested" else {}
        decided.fill_between_y(rounds, y_bottom=lower, y_top=upper, color=color, alpha=0.2)
        p = way["p_decided"].to_numpy()
        decided.line(rounds, p, color=color, **more)
        decided.scatter(rounds, p, color=color)
        width = np.append(plan["width_now"], way["width"])
        widths.line(from_now, width, color=color, **more)
        widths.scatter(from_now, width, color=color)
    question = decided.labels([plan.attrs["question"]], longest=60)[0]
    key = [Mark(None, question, BLACK), *_key(plan)]
    widest = float(max(plan["width"].max(), plan["width_now"]))
    for plot, top in ((decided, 1.0), (widths, widest)):
        plot.frame(key, across=across, top=top)
        plot.xlabel(f"further {plan.attrs['unit']}s")
    _probabilities(decided)
    scale = "metric's unit" if plan.attrs["model"] == "mean_score" else "log-odds"
    widths.ylabel(f"{scale}, {plan.attrs['prob']:.0%} interval of the difference")
    return collection


def _of_votes(plan: xr.Dataset, backend: Backend | None) -> Any:
    """Draw a plan of votes: nothing is simulated, so that there are no bands."""
    require_result(plan, "plan", "votes", "p_decided", "width", "votes_needed", "width_now")
    if not plan.sizes["votes"]:
        raise LeaderbayesError(f"{plan.attrs['message']} There is nothing to draw.")
    collection, plots = panels(
        {"p_decided": "Probability of a decision", "width": "Width of the interval"},
        plan, width=11.0, height=4.6, columns=2, backend=backend,
    )  # fmt: skip
    decided, widths = plots["p_decided"], plots["width"]
    votes = plan["votes"].to_numpy()
    across = 0.0, float(votes[-1])
    decided.line(np.array(across), np.full(2, plan.attrs["target"]), color=GREY, linestyle="C1")
    key = [Mark(None, decided.labels([plan.attrs["question"]], longest=60)[0], BLACK)]
    number, several = len(json.loads(plan.attrs["contested"])), plan.sizes["clusters"] > 1
    for who in plan["who"].to_numpy():
        for clusters in plan["clusters"].to_numpy():
            way, color = plan.sel(who=who, clusters=clusters), _COLORS[str(who)]
            dashed = several and str(clusters) == "new"
            style = "C1" if dashed else "C0"
            p, width = way["p_decided"].to_numpy(), np.append(plan["width_now"], way["width"])
            decided.line(votes, p, color=color, linestyle=style)
            decided.scatter(votes, p, color=color)
            widths.line(np.append(0, votes), width, color=color, linestyle=style)
            widths.scatter(np.append(0, votes), width, color=color)
            label = "pairs as they are" if who == "all" else f"only {number} players"
            if several:
                label += f", {'the same' if clusters == 'same' else 'new'} {plan.attrs['cluster']}s"
            label += " (dashed)" if dashed else ""
            needed = float(way["votes_needed"])
            label += ": no number" if np.isnan(needed) else f": {needed:,.0f} votes"
            key.append(Mark(None, label, color, dashed))
    widest = float(max(plan["width"].max(), plan["width_now"]))
    for plot, top in ((decided, 1.0), (widths, widest)):
        plot.frame(key, across=across, top=top)
        plot.xlabel("further votes")
    _probabilities(decided)
    widths.ylabel(f"log-odds, {plan.attrs['prob']:.0%} interval of the difference")
    return collection


def _probabilities(plot: Any) -> None:
    """Label an axis from 0 to 1, and nothing above."""
    ticks = np.linspace(0.0, 1.0, 6)
    plot.yticks(ticks, [f"{tick:.1f}" for tick in ticks])
    plot.ylabel("probability")


def _key(plan: xr.Dataset) -> list[Mark]:
    """Name both ways, with the rounds and runs that they need."""
    key, contested = [], len(json.loads(plan.attrs["contested"]))
    for who in plan["who"].to_numpy():
        way = plan.sel(who=who)
        size = plan.attrs["players"] if who == "all" else contested
        label = f"all {size} players" if who == "all" else f"only {size} of them"
        needed = float(way["rounds_needed"])
        if needed > 0:
            runs = needed * float(way["runs"][0]) / float(way["rounds"][0])
            label += f": {needed:.0f} {plan.attrs['unit']}s, {runs:.0f} runs"
        key.append(Mark(None, label, _COLORS[str(who)]))
    return key
