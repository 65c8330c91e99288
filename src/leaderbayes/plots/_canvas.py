"""Empty plots in a PlotCollection, and what arviz-plots has no visual for: marks, a heat map."""

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._arguments import number, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._extras import extra
from leaderbayes._fits.trust import warnings_of
from leaderbayes._types import Floats
from leaderbayes.plots._heat_map import draw, ink

Backend = Literal["matplotlib", "plotly", "bokeh", "none"]

# Colour-blind safe; the same in every backend.
BLACK, BLUE, ORANGE, GREEN, GREY = "#000000", "#0072B2", "#D55E00", "#009E73", "#8A8A8A"

FigSize = tuple[float, float] | Literal["column", "page"]
_FONT, _SMALLEST = 10.0, 4.5  # points
_NARROW = 4.5  # inches
_HIGHEST = 7.9  # inches of plots that stand below each other in one column
MOST_NUMBERS = 20  # players of a heat map whose cells have numbers
# Of two columns of a journal one, and both: width in inches, letters in points.
_JOURNAL = {"column": (3.4, 7.0), "page": (7.0, 8.0)}


class Mark(NamedTuple):
    """A value on the horizontal axis (or none), and what the key says of it."""

    at: float | None
    label: str
    color: str
    dashed: bool = False


@dataclass(frozen=True)
class Plot:
    """One plot of a figure: all functions of arviz-plots' backend draw on it, and some of our own.

    ``plot.line(x, y)`` is the backend's function ``line``, and so on. ``font`` is the size of
    letters, in points; ``scale`` how much wider than usual the figure is; ``wide`` its share of the
    figure's width, in inches, and ``high`` of its height; ``rows`` whether names stand beside it.
    """

    target: Any
    backend: str
    font: float = _FONT
    scale: float = 1.0
    wide: float = 8.0
    high: float = 6.0
    rows: bool = False

    @property
    def narrow(self) -> bool:
        """Whether it is one column of a journal, in which few letters stand beside each other."""
        return self.wide < _NARROW

    def along(self, count: int, most: int, letters: float = 1.1) -> slice:
        """Take as many of the positions below the plot as have room, at most ``most``.

        Each takes the width of so many ``letters``, 1.1 where it stands upright; beside the plot
        names and a bar take about two inches.
        """
        return thinned(count, self.most(most, letters))

    def most(self, most: int, letters: float) -> int:
        """Count labels below the plot that have room, each so many ``letters`` wide."""
        room = max(self.wide - 2.0, 0.35 * self.wide) * 72.0
        return max(2, min(most, int(room / (letters * self.font))))

    def _lines(self, string: str, size: float) -> str:
        """Break a title or a label that would be wider than a narrow figure's plot."""
        if not self.narrow:
            return string
        # Names of 30 letters take half of the width.
        room = 0.5 if self.rows else 0.66
        letters = int(room * self.wide * 72.0 / (0.55 * self.font * size / _FONT))
        made = "\n".join(textwrap.wrap(string, letters, break_long_words=False)) or string
        return made.replace("\n", "<br>") if self.backend == "plotly" else made

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Give arviz-plots' function of this name, to draw here."""
        module = import_module(f"arviz_plots.backend.{self.backend}")
        return partial(getattr(module, name), target=self.target)

    def scatter(
        self,
        x: Any,
        y: Any,
        *,
        color: str,
        size: float = 20.0,
        filled: bool = True,
        triangle: bool = False,
        **more: Any,
    ) -> None:
        """Draw points of this area (square points) over all lines, as large in every backend."""
        pixels = 4.0 / 3.0  # of a point, on a screen
        sized = {"plotly": size * pixels**2, "bokeh": size**0.5 * pixels}.get(self.backend, size)
        if triangle:  # the second shape, for prints in grey
            named = {"matplotlib": "^", "plotly": "triangle-up"}
            more["marker"] = named.get(self.backend, "triangle")
        if self.backend == "matplotlib":
            more["zorder"] = 3
        if not filled:
            more |= {"facecolor": "white", "width": 1.0 if self.backend == "matplotlib" else 1.5}
        self.__getattr__("scatter")(x, y, color=color, size=sized, **more)

    def vline(self, x: float, *, color: str = GREY, **more: Any) -> None:
        """Draw a vertical line over the whole height, below everything else."""
        if self.backend == "plotly":
            # It leaves lines out of plots that are empty as yet.
            # "between" stops the drawing half-way in plotly.js of Plotly 7, names clipped, no line.
            more |= {"exclude_empty_subplots": False, "layer": "below"}
            # The template's shapes have lines without width, and are nearly transparent.
            more = {"width": 1.0, "alpha": 1.0} | more
        elif self.backend == "bokeh":
            more.setdefault("level", "underlay")
        elif self.backend == "matplotlib":
            more.setdefault("zorder", 0.5)
        self.__getattr__("vline")(x, color=color, **more)

    def text(self, x: Any, y: Any, string: str, *, size: float = _FONT, **more: Any) -> None:
        """Write a text; sizes are of a figure whose letters have 10 points."""
        self.__getattr__("text")(x, y, string, size=self._size(size), **more)

    def title(self, string: str, **more: Any) -> None:
        """Write what the plot shows above it."""
        string = self._lines(string, 1.2 * _FONT)
        self.__getattr__("title")(string, size=self._size(1.2 * _FONT), **more)

    def xlabel(self, string: str) -> None:
        """Name the horizontal axis."""
        self.__getattr__("xlabel")(self._lines(string, _FONT), size=self._size(_FONT))

    def ylabel(self, string: str) -> None:
        """Name the vertical axis."""
        self.__getattr__("ylabel")(string, size=self._size(_FONT))

    def _size(self, size: float) -> Any:
        """Give a size of letters, in the backend's unit, pixels other than Matplotlib's."""
        points = size * self.font / _FONT
        if self.backend in ("plotly", "bokeh"):
            pixels = round(points * 1.25)
            return f"{pixels}px" if self.backend == "bokeh" else pixels
        return points

    def over(self, x: Any, y: Any, *, color: str, width: float) -> None:
        """Draw a line over all else, points too."""
        more: dict[str, Any] = {}
        if self.backend == "matplotlib":
            more = {"zorder": 4}
        elif self.backend == "bokeh":
            more = {"level": "annotation"}
        self.line(x, y, color=color, width=width, **more)

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
        line: float = 0.085,
    ) -> None:
        """Limit both axes, with the key's labels, each in its colour, above ``top``.

        ``room`` lines are left at least, so that plots with shorter keys have the same limits; a
        ``line`` is this share of the drawing's height. Labels wider than the plot are broken.
        """
        letters = max(12, int((self.wide - 0.8) * 72.0 / (0.55 * self.font)))
        key = [
            mark._replace(label=part)
            for mark in key
            for part in textwrap.wrap(mark.label, letters, break_long_words=False) or [mark.label]
        ]
        if self.narrow:
            # As high as letters are, of what the figure's axis and title leave.
            share = 1.45 * self.font / 72.0 / (0.68 * self.high)
            line = max(line, share / (1.0 - min(share * len(key), 0.7)))
        margin = 0.03 * (across[1] - across[0]) or 0.01  # a single value has no width
        line *= top - bottom
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

    def spans_up(self, low: Any, high: Any, at: Any, *, color: str, width: float) -> None:
        """Draw vertical lines from ``low`` to ``high`` at the places ``at``, all at once."""
        gap = np.full(len(at), np.nan)
        x, y = np.column_stack([at, at, gap]), np.column_stack([low, high, gap])
        self.line(x.reshape(-1), y.reshape(-1), color=color, width=width)

    def label_rows(self, names: Any, *, shown: bool = True) -> None:
        """Put names beside rows, the first on top, as many as are legible (or none)."""
        m = len(names)
        room = max(2, int((self.high - 0.6) * 72.0 / (1.15 * self.font)))
        some = thinned(m, min(150, room)) if shown else slice(0)
        self.yticks(np.arange(m)[::-1][some], self.labels(names, 30)[some])
        self.ylim((-0.8, m - 0.2))

    def labels(self, names: Iterable[object], longest: int | None = None) -> list[str]:
        """Write names as labels: long ones elided, in the middle if they still differ."""
        longest = longest or (30 if self.narrow else 40)
        every = [str(name) for name in names]
        ways = [[cut(name, longest) for name in every] for cut in (elided, _end_of, _begin_of)]
        there = len(set(every))
        shown = next((way for way in ways if len(set(way)) == there), None)
        return [self.plain(name) for name in shown or _numbered(every, ways[0])]

    def plain(self, text: str) -> str:
        """Write a text that a backend would take for more: dollars for mathematics, < for tags."""
        if self.backend == "plotly":
            return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return text.replace("$", r"\$") if self.backend == "matplotlib" else text

    def heat_map(self, values: Floats, palette: tuple[str, ...], label: str) -> None:
        """Fill cell (row, column) at x = column, y = row; a bar says what colours are."""
        draw(self.target, self.backend, values, palette, label, self.font)

    def numbers(self, values: Floats, palette: tuple[str, ...], texts: Any, width: float) -> None:
        """Write texts in the cells of a heat map, usually so wide (inches), if they have room."""
        room = 72.0 * width * self.scale / 2.3  # four characters
        size = min(0.85 * self.font, room)
        if size < _SMALLEST:
            return
        middle = "center" if self.backend == "matplotlib" else "middle"
        for (row, column), text in np.ndenumerate(texts):
            if text:
                self.text(
                    column, row, text, color=ink(float(values[row, column]), palette),
                    size=size * _FONT / self.font, vertical_align=middle,
                    horizontal_align="center",
                )  # fmt: skip


def canvas(
    result: xr.DataTree | xr.Dataset,
    title: str,
    *,
    width: float,
    height: float,
    backend: Backend | None,
    figsize: FigSize | None = None,
    rows: bool = False,
) -> tuple[Any, Plot]:
    """Open a figure with one plot of a result, named "board"."""
    collection, plots = panels(
        {"board": title}, result, width=width, height=height, columns=1, backend=backend,
        figsize=figsize, rows=rows,
    )  # fmt: skip
    return collection, plots["board"]


def panels(
    titles: Mapping[str, str],
    result: xr.DataTree | xr.Dataset | pd.DataFrame | None = None,
    *,
    width: float,
    height: float,
    columns: int,
    backend: Backend | None,
    figsize: FigSize | None = None,
    rows: bool = False,
) -> tuple[Any, dict[str, Plot]]:
    """Open a figure with one plot for each named title, row by row, of a result if there is one.

    It is ``width`` and ``height`` inches large if no other size is asked for; with ``rows`` it is
    as high as its rows of letters, whatever its width.

    Returns
    -------
    PlotCollection, dict
        Plots by name.
    """
    check_backend(backend)
    stacked = figsize == "column" and columns > 1
    if stacked:
        # One below the other.
        width, height = width / columns, height * len(titles) / -(-len(titles) // columns)
        columns = 1
    usual = width
    width, height, font = _sized(figsize, width, height, rows=rows)
    height = min(height, _HIGHEST) if stacked else height
    scale = width / usual
    from leaderbayes.plots._collection import Collection

    collection = Collection.wrap(
        xr.Dataset({name: xr.DataArray(0.0) for name in titles}),
        cols=["__variable__"],
        col_wrap=columns,
        backend=backend,
        figure_kwargs={"figsize": (100 * width, 100 * height), "figsize_units": "dots"},
    )
    across = min(columns, len(titles))
    alone = rows and across == 1  # of several plots in a row the names stand beside the first
    each = width / across, height / -(-len(titles) // across)
    # A result that must not be trusted says so wherever it is shown.
    doubt = "" if result is None else _doubt(result.attrs)
    plots = {
        name: Plot(collection.get_viz("plot", name), collection.backend, font, scale, *each, alone)
        for name in titles
    }
    _dress(collection, [plot.target for plot in plots.values()], font)
    if collection.backend == "bokeh" and rows and across > 1:
        # Else names beside the first plot would be taken out of its width.
        for plot in plots.values():
            plot.target.frame_width = int(100 * plot.wide) - 30
    for name, plot in plots.items():
        plot.title(plot.plain(doubt + titles[name]), color=ORANGE if doubt else "black")
    return collection, plots


def check_backend(backend: Backend | None) -> None:
    """Raise, before any work, unless a backend is known and installed.

    Raises
    ------
    LeaderbayesError
        If there is none of this name.
    MissingExtraError
        Naming the extra that brings it.
    """
    if backend is not None and backend not in get_args(Backend):
        raise LeaderbayesError(
            f"backend={backend!r}: choose one of {', '.join(map(repr, get_args(Backend)))}."
        )
    from arviz_base import rcParams

    named = rcParams["plot.backend"] if backend is None else backend
    if backend is None and named == "none":
        # What ArviZ takes where nothing is installed that draws; or what the user told it.
        with extra("plots", "A figure"):
            import matplotlib  # noqa: F401
    elif named == "matplotlib":
        with extra("plots", "A figure"):
            import_module("arviz_plots.backend.matplotlib")
    else:
        with extra("interactive", f"backend={named!r}"):
            import_module(f"arviz_plots.backend.{named}")


def _sized(
    figsize: FigSize | None, width: float, height: float, *, rows: bool
) -> tuple[float, float, float]:
    """Give width and height in inches, and the size of letters in points."""
    if figsize is None:
        return width, height, _FONT
    if isinstance(figsize, str):
        if figsize not in _JOURNAL:
            raise LeaderbayesError(
                f"figsize={figsize!r}: choose 'column' ({_JOURNAL['column'][0]} inches wide), "
                f"'page' ({_JOURNAL['page'][0]}), or (width, height) in inches."
            )
        wide, font = _JOURNAL[figsize]
        # Rows are as high as their letters; all else keeps its shape, within limits.
        scale = font / _FONT if rows else float(np.clip(wide / width, 0.45, 1.0))
        return wide, height * scale, font
    try:
        wide, high = (number("figsize", side, above=0.0) for side in figsize)
    except (TypeError, ValueError) as error:
        raise LeaderbayesError(
            f"figsize={figsize!r}: give (width, height) in inches, 'column' or 'page'."
        ) from error
    return wide, high, float(np.clip(_FONT * wide / 7.0, 7.0, _FONT))


def _dress(collection: Any, targets: Sequence[Any], font: float) -> None:
    """Give a figure the looks that are the same in every backend: white, letters within it."""
    if collection.backend == "matplotlib":
        # Long names stay inside the figure.
        collection.get_viz("figure").set_layout_engine("constrained")
        for axes in targets:
            axes.tick_params(labelsize=0.95 * font)
    elif collection.backend == "plotly":
        figure = collection.get_viz("figure")
        # What is below everything else is seen through the plot, white on the page's white.
        figure.update_layout(
            template="simple_white", margin={"t": 60, "r": 30}, plot_bgcolor="rgba(0, 0, 0, 0)"
        )
        if font < _FONT:
            figure.update_layout(margin={"t": 45, "r": 15, "b": 45, "l": 45})
        ticks = {"automargin": True, "mirror": True, "tickfont_size": round(1.2 * font)}
        figure.update_xaxes(**ticks)
        figure.update_yaxes(**ticks)
    elif collection.backend == "bokeh":
        for plot in targets:
            plot.axis.axis_label_text_font_style = "normal"
            plot.axis.major_label_text_font_size = f"{round(1.2 * font)}px"
            plot.axis.minor_tick_line_color = None
            plot.grid.visible = False
            plot.outline_line_color = "#000000"


def _doubt(attrs: Mapping[Any, Any]) -> str:
    """Give what stands before the title of a result that must not be trusted."""
    if not attrs.get("converged", True):
        return "NOT CONVERGED. "
    # Of a study, where it is said of some tournament by name, the others may well fit.
    if any(text.startswith("LB016") for text in warnings_of({"warnings": "[]", **attrs})):
        return "MISFIT. "
    return "" if attrs.get("solved", True) else "NO SOLUTION. "


def best(table: pd.DataFrame, top: int | None, most: int | None = None) -> pd.DataFrame:
    """Give the first rows of a leaderboard, without ``top`` up to ``most`` of them."""
    return table.iloc[:most] if top is None else table.iloc[: whole("top", top)]


def of_all(shown: int, every: int) -> str:
    """Say in a title how many of how many players are shown, if not all of them are."""
    return "" if shown == every else f": the best {shown:,} of {every:,}"


def rows_height(count: int) -> float:
    """Give the height in inches of rows with a name each, of up to 150 of them."""
    return float(np.clip(0.2 * count, 2.0, 30.0))


def tint(color: str, alpha: float) -> str:
    """Mix a colour with the white below it.

    Lines that are let through lie on each other: of thousands nothing is left to see.
    """
    rgb = (int(color[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(255 + alpha * (c - 255)):02x}" for c in rgb)


def thinned(count: int, most: int = 60) -> slice:
    """Take every k-th position, so that at most ``most`` carry a label."""
    return slice(None, None, -(-count // most))


def elided(text: str, longest: int) -> str:
    """Leave out the middle of a long text."""
    half = longest // 2 - 1
    return text if len(text) <= longest else f"{text[:half]} … {text[-half:]}"


def _numbered(names: Sequence[str], labels: Sequence[str]) -> list[str]:
    """Put a number behind the label of each further name that has it."""
    taken: dict[str, dict[str, int]] = {}
    again = []
    for name, label in zip(names, labels, strict=True):
        same = taken.setdefault(label, {})
        again.append(same.setdefault(name, len(same) + 1))
    return [f"{label} ({k})" if k > 1 else label for label, k in zip(labels, again, strict=True)]


def _end_of(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"… {text[2 - longest :]}"


def _begin_of(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 2]} …"
