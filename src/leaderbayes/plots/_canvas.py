"""Empty plots in a PlotCollection, and what arviz-plots has no visual for: marks, a heat map."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._arguments import whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._extras import extra
from leaderbayes._fits.trust import warnings_of
from leaderbayes._types import Floats

Backend = Literal["matplotlib", "plotly", "bokeh", "none"]

# Colour-blind safe; the same in every backend.
BLACK, BLUE, ORANGE, GREEN, GREY = "#000000", "#0072B2", "#D55E00", "#009E73", "#8A8A8A"


class Mark(NamedTuple):
    """A value on the horizontal axis (or none), and what the key says of it."""

    at: float | None
    label: str
    color: str
    dashed: bool = False


@dataclass(frozen=True)
class Plot:
    """One plot of a figure: all functions of arviz-plots' backend draw on it, and some of our own.

    ``plot.line(x, y)`` is the backend's function ``line``, and so on.
    """

    target: Any
    backend: str

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Give arviz-plots' function of this name, to draw here."""
        module = import_module(f"arviz_plots.backend.{self.backend}")
        return partial(getattr(module, name), target=self.target)

    def marks(self, marks: Sequence[Mark], top: float) -> None:
        """Draw each mark as a line from 0 up to ``top``."""
        for mark in marks:
            if mark.at is not None:
                style = "C1" if mark.dashed else "C0"
                x, y = np.full(2, mark.at), np.array([0.0, top])
                self.line(x, y, color=mark.color, linestyle=style, width=1.5)

    def interval(self, low: float, high: float, color: str, top: float) -> float:
        """Draw a bar below 0, where the drawing reaches up to ``top``; give its lower end."""
        self.line(np.array([low, high]), np.full(2, -0.04 * top), color=color, width=4)
        return -0.08 * top

    def frame(
        self,
        key: Sequence[Mark],
        *,
        across: tuple[float, float],
        top: float,
        bottom: float = 0.0,
        room: int = 0,
    ) -> None:
        """Limit both axes, with the key's labels, each in its colour, above ``top``.

        ``room`` lines are left at least, so that plots with shorter keys have the same limits.
        """
        margin = 0.03 * (across[1] - across[0]) or 0.01  # a single value has no width
        line = 0.085 * (top - bottom)
        for k, mark in enumerate(reversed(key)):
            self.text(
                across[0], top + (k + 0.5) * line, mark.label, color=mark.color,
                vertical_align="bottom", horizontal_align="left",
            )  # fmt: skip
        self.xlim((across[0] - margin, across[1] + margin))
        self.ylim((bottom, top + (max(len(key), room) + 0.7) * line))

    def spans(self, low: Any, high: Any, at: Any, *, color: str, width: float) -> None:
        """Draw horizontal lines from ``low`` to ``high`` at the heights ``at``, all at once."""
        gap = np.full(len(at), np.nan)
        x, y = np.column_stack([low, high, gap]), np.column_stack([at, at, gap])
        self.line(x.reshape(-1), y.reshape(-1), color=color, width=width)

    def label_rows(self, names: Any, *, shown: bool = True) -> None:
        """Put names beside rows, the first on top, as many as are legible (or none)."""
        m = len(names)
        some = thinned(m, 150) if shown else slice(0)
        self.yticks(np.arange(m)[::-1][some], self.labels(names, 30)[some])
        self.ylim((-0.8, m - 0.2))

    def labels(self, names: Iterable[object], longest: int = 40) -> list[str]:
        """Write names as labels: long ones elided in the middle."""
        return [self.plain(elided(str(name), longest)) for name in names]

    def plain(self, text: str) -> str:
        """Write a text that may hold dollars, between which Matplotlib would see mathematics."""
        return text.replace("$", r"\$") if self.backend == "matplotlib" else text

    def heat_map(self, values: Floats, *, low: float, high: float, diverging: bool) -> None:
        """Fill cell (row, column) at x = column, y = row; colours run from ``low`` to ``high``."""
        rows, columns = values.shape
        colors = "RdBu" if diverging else "Blues"
        if self.backend == "matplotlib":
            self.target.imshow(
                values, cmap=colors, vmin=low, vmax=high, aspect="auto", interpolation="nearest",
                origin="lower",
            )  # fmt: skip
            self.target.grid(False)
        elif self.backend == "plotly":
            import plotly.graph_objects as go

            trace = go.Heatmap(z=values, zmin=low, zmax=high, colorscale=colors)
            self.target.figure.add_trace(trace, row=self.target.row, col=self.target.col)
        elif self.backend == "bokeh":
            from bokeh.models import LinearColorMapper
            from bokeh.palettes import Blues256, RdBu11

            palette = RdBu11[::-1] if diverging else Blues256[::-1]
            mapper = LinearColorMapper(palette=palette, low=low, high=high)
            self.target.image(
                image=[values], x=-0.5, y=-0.5, dw=columns, dh=rows, color_mapper=mapper
            )
        else:
            self.target.append({"function": "heat_map", "values": values})


def canvas(
    result: xr.DataTree | xr.Dataset,
    title: str,
    *,
    width: float,
    height: float,
    backend: Backend | None,
) -> tuple[Any, Plot]:
    """Open a figure with one plot of a result, named "board"."""
    collection, plots = panels(
        {"board": title}, result, width=width, height=height, columns=1, backend=backend
    )
    return collection, plots["board"]


def panels(
    titles: Mapping[str, str],
    result: xr.DataTree | xr.Dataset | pd.DataFrame | None = None,
    *,
    width: float,
    height: float,
    columns: int,
    backend: Backend | None,
) -> tuple[Any, dict[str, Plot]]:
    """Open a figure with one plot for each named title, row by row, of a result if there is one.

    Returns
    -------
    PlotCollection, dict
        Plots by name.
    """
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
    # A result that must not be trusted says so wherever it is shown.
    doubt = "" if result is None else _doubt(result.attrs)
    plots = {name: Plot(collection.get_viz("plot", name), collection.backend) for name in titles}
    for name, plot in plots.items():
        plot.title(plot.plain(doubt + titles[name]), color=ORANGE if doubt else "black")
    return collection, plots


def _doubt(attrs: Mapping[Any, Any]) -> str:
    """Give what stands before the title of a result that must not be trusted."""
    if not attrs.get("converged", True):
        return "NOT CONVERGED. "
    # Of a study, where it is said of some tournament by name, the others may well fit.
    if any(text.startswith("LB016") for text in warnings_of({"warnings": "[]", **attrs})):
        return "MISFIT. "
    return "" if attrs.get("solved", True) else "NO SOLUTION. "


def best(table: pd.DataFrame, top: int | None) -> pd.DataFrame:
    """Give the first rows of a leaderboard, all without ``top``."""
    return table if top is None else table.iloc[: whole("top", top)]


def rows_height(count: int) -> float:
    """Give the height in inches of rows with a name each, of up to 150 of them."""
    return float(np.clip(0.17 * count, 2.0, 26.0))


def thinned(count: int, most: int = 60) -> slice:
    """Take every k-th position, so that at most ``most`` carry a label."""
    return slice(None, None, -(-count // most))


def elided(text: str, longest: int) -> str:
    """Leave out the middle of a long text."""
    half = longest // 2 - 1
    return text if len(text) <= longest else f"{text[:half]} … {text[-half:]}"
