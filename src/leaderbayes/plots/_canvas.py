"""One empty plot in a PlotCollection, and what arviz-plots has no visual for: a heat map."""

from types import ModuleType
from typing import Any, Literal

import numpy as np
import xarray as xr

Backend = Literal["matplotlib", "plotly", "bokeh", "none"]

# Colour-blind safe; the same in every backend.
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#8A8A8A"
_LONGEST = 40


def canvas(
    dt: xr.DataTree, title: str, *, width: float, height: float, backend: Backend | None
) -> tuple[Any, Any, ModuleType]:
    """Open a figure with one plot.

    Returns
    -------
    PlotCollection, target, module
        The target is the backend's axes; the module holds arviz-plots' drawing functions for it.
    """
    from importlib import import_module

    import arviz_plots as azp

    collection = azp.PlotCollection.wrap(
        xr.Dataset({"board": xr.DataArray(0.0)}),
        backend=backend,
        figure_kwargs={"figsize": (100 * width, 100 * height), "figsize_units": "dots"},
    )
    if collection.backend == "matplotlib":
        # Long names stay inside the figure.
        collection.get_viz("figure").set_layout_engine("constrained")
    target = collection.get_viz("plot", "board")
    draw = import_module(f"arviz_plots.backend.{collection.backend}")
    # A result that must not be trusted says so wherever it is shown.
    shown = title if dt.attrs["converged"] else f"NOT CONVERGED. {title}"
    draw.title(shown, target, color=ORANGE if not dt.attrs["converged"] else "black")
    return collection, target, draw


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
    values: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
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
