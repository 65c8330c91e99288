"""Empty plots in a PlotCollection, and what arviz-plots has no visual for: marks, a heat map."""

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._arguments import whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._extras import extra
from leaderbayes._types import Floats

Backend = Literal["matplotlib", "plotly", "bokeh", "none"]

# Colour-blind safe; the same in every backend.
BLACK, BLUE, ORANGE, GREEN, GREY = "#000000", "#0072B2", "#D55E00", "#009E73", "#8A8A8A"
_LONGEST = 40


def canvas(
    result: xr.DataTree | xr.Dataset,
    title: str,
    *,
    width: float,
    height: float,
    backend: Backend | None,
) -> tuple[Any, Any, ModuleType]:
    """Open a figure with one plot of a result, named "board".

    Returns
    -------
    PlotCollection, target, module
        The target is the backend's axes; the module holds arviz-plots' drawing functions for it.
    """
    collection, targets, draw = panels(
        {"board": title}, result, width=width, height=height, columns=1, backend=backend
    )
    return collection, targets["board"], draw


def panels(
    titles: Mapping[str, str],
    result: xr.DataTree | xr.Dataset | pd.DataFrame | None = None,
    *,
    width: float,
    height: float,
    columns: int,
    backend: Backend | None,
) -> tuple[Any, dict[str, Any], ModuleType]:
    """Open a figure with one plot for each named title, row by row, of a result if there is one.

    Returns
    -------
    PlotCollection, targets, module
        As from `canvas`, targets by name.
    """
    from importlib import import_module

    import arviz_plots as azp

    if backend is not None and backend not in get_args(Backend):
        raise LeaderbayesError(
            f"backend={backend!r}: choose one of {', '.join(map(repr, get_args(Backend)))}."
        )
    with extra("plots", "The backend of this plot"):
        collection = azp.PlotCollection.wrap(
            xr.Dataset({name: xr.DataArray(0.0) for name in titles}),
            cols=["__variable__"],
            col_wrap=columns,
            backend=backend,
            figure_kwargs={"figsize": (100 * width, 100 * height), "figsize_units": "dots"},
        )
    if collection.backend == "matplotlib":
        # Long names stay inside the figure.
        collection.get_viz("figure").set_layout_engine("constrained")
    draw = import_module(f"arviz_plots.backend.{collection.backend}")
    # A result that must not be trusted says so wherever it is shown.
    doubt = "" if result is None else _doubt(result.attrs)
    targets = {name: collection.get_viz("plot", name) for name in titles}
    for name, title in titles.items():
        draw.title(doubt + title, targets[name], color=ORANGE if doubt else "black")
    return collection, targets, draw


def best(table: pd.DataFrame, top: int | None) -> pd.DataFrame:
    """Give the first rows of a leaderboard, all without ``top``."""
    if top is not None:
        top = whole("top", top)
    return table.iloc[:top]


def _doubt(attrs: Mapping[Any, Any]) -> str:
    """Give what stands before the title of a result that did not come off."""
    if not attrs.get("converged", True):
        return "NOT CONVERGED. "
    return "" if attrs.get("solved", True) else "NO SOLUTION. "


class Mark(NamedTuple):
    """A value on the horizontal axis (or none), and what the key says of it."""

    at: float | None
    label: str
    color: str
    dashed: bool = False


def draw_marks(draw: ModuleType, target: Any, marks: Sequence[Mark], top: float) -> None:
    """Draw each mark as a line from 0 up to ``top``."""
    for mark in marks:
        if mark.at is not None:
            draw.line(
                np.full(2, mark.at), np.array([0.0, top]), target, color=mark.color,
                linestyle="C1" if mark.dashed else "C0", width=1.5,
            )  # fmt: skip


def draw_interval(
    draw: ModuleType, target: Any, low: float, high: float, color: str, top: float
) -> float:
    """Draw a bar below 0, for an axis whose drawing reaches up to ``top``; give its lower end."""
    draw.line(np.array([low, high]), np.full(2, -0.04 * top), target, color=color, width=4)
    return -0.08 * top


def frame(
    draw: ModuleType,
    target: Any,
    key: Sequence[Mark],
    *,
    across: tuple[float, float],
    top: float,
    bottom: float = 0.0,
    room: int = 0,
) -> None:
    """Limit both axes, with the key's labels, each in its colour, above what reaches to ``top``.

    ``room`` lines are left at least, so that plots with shorter keys have the same limits.
    """
    margin = 0.03 * (across[1] - across[0]) or 0.01  # a single value has no width
    line = 0.085 * (top - bottom)
    for k, mark in enumerate(reversed(key)):
        draw.text(
            across[0], top + (k + 0.5) * line, mark.label, target, color=mark.color,
            vertical_align="bottom", horizontal_align="left",
        )  # fmt: skip
    draw.xlim((across[0] - margin, across[1] + margin), target)
    draw.ylim((bottom, top + (max(len(key), room) + 0.7) * line), target)


def draw_spans(
    draw: ModuleType, target: Any, low: Any, high: Any, at: Any, *, color: str, width: float
) -> None:
    """Draw horizontal lines from ``low`` to ``high`` at the heights ``at``, all at once."""
    gap = np.full(len(at), np.nan)
    x, y = np.column_stack([low, high, gap]), np.column_stack([at, at, gap])
    draw.line(x.reshape(-1), y.reshape(-1), target, color=color, width=width)


def rows_height(count: int) -> float:
    """Height in inches of rows with a name each, of up to 150 of them."""
    return float(np.clip(0.17 * count, 2.0, 26.0))


def label_rows(
    draw: ModuleType, target: Any, names: Any, backend: str, *, shown: bool = True
) -> None:
    """Put names beside rows, the first on top, as many as are legible (or none)."""
    m = len(names)
    some = thinned(m, 150) if shown else slice(0)
    draw.yticks(np.arange(m)[::-1][some], labels(names, backend, 30)[some], target)
    draw.ylim((-0.8, m - 0.2), target)


def labels(names: Any, backend: str, longest: int = _LONGEST) -> list[str]:
    """Names as axis labels: long ones elided in the middle, no mathematics in dollars."""
    texts = [str(name) for name in names]
    half = longest // 2 - 1
    texts = [t if len(t) <= longest else f"{t[:half]} … {t[-half:]}" for t in texts]
    return [t.replace("$", r"\$") for t in texts] if backend == "matplotlib" else texts


def thinned(count: int, most: int = 60) -> slice:
    """Every k-th position, so that at most ``most`` carry a label."""
    return slice(None, None, -(-count // most))


def heat_map(
    target: Any,
    values: Floats,
    backend: str,
    *,
    low: float,
    high: float,
    diverging: bool,
) -> None:
    """Fill cell (row, column) at x = column, y = row; colours run from ``low`` to ``high``."""
    rows, columns = values.shape
    if backend == "matplotlib":
        target.imshow(
            values,
            cmap="RdBu" if diverging else "Blues",
            vmin=low,
            vmax=high,
            aspect="auto",
            interpolation="nearest",
            origin="lower",
        )
        target.grid(False)
    elif backend == "plotly":
        import plotly.graph_objects as go

        trace = go.Heatmap(
            z=values, zmin=low, zmax=high, colorscale="RdBu" if diverging else "Blues"
        )
        target.figure.add_trace(trace, row=target.row, col=target.col)
    elif backend == "bokeh":
        from bokeh.models import LinearColorMapper
        from bokeh.palettes import Blues256, RdBu11

        palette = RdBu11[::-1] if diverging else Blues256[::-1]
        target.image(
            image=[values],
            x=-0.5,
            y=-0.5,
            dw=columns,
            dh=rows,
            color_mapper=LinearColorMapper(palette=palette, low=low, high=high),
        )
    else:
        target.append({"function": "heat_map", "values": values})
