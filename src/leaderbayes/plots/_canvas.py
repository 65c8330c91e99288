"""What all figures share: a Matplotlib figure in a PlotCollection, its sizes, names and colours."""

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from arviz_plots import PlotCollection

from leaderbayes._arguments import number, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.printed import probability
from leaderbayes._scores.tables import listed, suggest
from leaderbayes._types import Bools, Floats
from leaderbayes.plots._colors import BLACK, BLUE, GREEN, GREY, ORANGE, ink

# Letters stay letters, which editors can change and readers can search (journals ask for it), in
# place of outlines: TrueType in PDF and PostScript, text in SVG.
_VECTOR: Any = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none"}


class Collection(PlotCollection):  # type: ignore[misc]  # arviz-plots has no types
    """arviz-plots' PlotCollection: saved for print, and shown once in a notebook."""

    def savefig(self, filename: Any, **kwargs: Any) -> None:
        """Save the figure, in a PDF or SVG with letters as letters."""
        import matplotlib as mpl

        with mpl.rc_context(_VECTOR):
            super().savefig(filename, **kwargs)

    def _ipython_display_(self) -> None:
        """Print no line about the object under the figure, which notebooks show by themselves."""
        import matplotlib as mpl

        if "inline" not in mpl.get_backend() and not mpl.is_interactive():
            raise NotImplementedError  # IPython goes on to its other ways.


_FAMILIES = (BLUE, ORANGE, GREEN, "#CC79A7", "#56B4E9", "#E69F00", BLACK)

Family = Mapping[str, str] | pd.Series

FigSize = tuple[float, float] | Literal["column", "page"]
_FONT, _SMALLEST = 10.0, 4.5  # points
# One column of a journal, and both: width in inches, letters in points.
_JOURNAL = {"column": (3.4, 7.0), "page": (7.0, 8.0)}
_HIGHEST = 7.9  # inches, of panels below each other in one column
MOST_NUMBERS = 20  # rows and columns of a heat map whose cells have numbers


@contextmanager
def panels(
    titles: Mapping[str, str], attrs: Mapping[Any, Any], *, size: tuple[float, float],
    columns: int = 1, rows: bool = False, figsize: FigSize | None = None,
) -> Iterator[tuple[Any, list[Any]]]:  # fmt: skip
    """Open a figure with a panel for each title, in whose context letters have its size.

    ``titles`` are by panels' names in the PlotCollection; a caveat in ``attrs``, those of what is
    drawn, stands below. ``size`` is width and height in inches if no other is asked for, and with
    ``rows`` the height goes with rows of names, and not with the width.
    """
    import matplotlib as mpl
    from matplotlib import pyplot

    # A notebook's backend, which makes it interactive, is loaded before settings are kept.
    pyplot.draw_if_interactive()  # type: ignore[no-untyped-call]
    if figsize == "column" and columns > 1:
        down = len(titles) * columns / -(-len(titles) // columns) / columns
        size, columns = (size[0] / columns, min(size[1] * down, 2.0 * _HIGHEST)), 1
    width, height, font = _sized(figsize, *size, rows=rows)
    if figsize == "column":
        height = min(height, _HIGHEST)
    letters: dict[Any, Any] = {
        "font.size": font, "axes.titlesize": 1.15 * font, "axes.labelsize": font,
        "legend.fontsize": 0.95 * font, "legend.frameon": False,
        "xtick.labelsize": 0.95 * font, "ytick.labelsize": 0.95 * font,
    }  # fmt: skip
    with mpl.rc_context(letters):
        collection = Collection.wrap(
            xr.Dataset({name: xr.DataArray(0.0) for name in titles}),
            cols=["__variable__"], col_wrap=columns, backend="matplotlib",
            figure_kwargs={
                "figsize": (width, height), "figsize_units": "inches", "layout": "constrained"
            },
        )  # fmt: skip
        figure = collection.get_viz("figure")
        axes = [collection.get_viz("plot", name) for name in titles]
        note = caveat(attrs)
        for ax, title in zip(axes, titles.values(), strict=True):
            wide = 72.0 * width / columns * (0.75 if rows else 0.9)
            ax.set_title(textwrap.fill(plain(title), max(int(wide / (0.6 * 1.15 * font)), 12)))
        if note and len(axes) == 1:
            figure.suptitle(axes[0].get_title(), fontsize=1.15 * font)
            axes[0].set_title(note, fontsize=0.9 * font, color=GREY)
        elif note:
            figure.suptitle(note, fontsize=0.9 * font, color=GREY)
        yield collection, axes


def caveat(attrs: Mapping[Any, Any]) -> str:
    """Return what has to be known of a result wherever it is drawn; "" where there is nothing."""
    if not attrs.get("converged", 1):
        return "The chains did not converge"
    return "" if attrs.get("solved", 1) else "Multiplicity does not explain the best score"


def _sized(
    figsize: FigSize | None, width: float, height: float, *, rows: bool
) -> tuple[float, float, float]:
    """Return width and height in inches, and the size of letters in points."""
    if figsize is None:
        return width, height, _FONT
    if isinstance(figsize, str) and figsize in _JOURNAL:
        wide, font = _JOURNAL[figsize]
        # Rows are as high as their letters; all else keeps its shape, within limits.
        scale = font / _FONT if rows else float(np.clip(wide / width, 0.45, 1.0))
        return wide, height * scale, font
    try:
        wide, high = (number("figsize", side, above=0.0) for side in figsize)
    except (TypeError, ValueError) as error:
        raise LeaderbayesError(
            f"figsize={figsize!r} must be (width, height) in inches, or 'column' (3.4 inches "
            "wide) or 'page' (7)."
        ) from error
    return wide, high, float(np.clip(_FONT * wide / 7.0, 7.0, _FONT))


def require(given: Any, source: str, *variables: str) -> None:
    """Raise unless this is a Dataset with these variables, as a function of ours returns."""
    if not isinstance(given, xr.Dataset) or not {*variables} <= {*given.variables, *given.dims}:
        raise LeaderbayesError(
            f"This takes the result of leaderbayes.{source}, not {type(given).__name__}."
        )


# Names


def best(table: pd.DataFrame, top: int | None, most: int | None = None) -> pd.DataFrame:
    """Return the first rows of a leaderboard, without ``top`` up to ``most`` of them."""
    return table.iloc[:most] if top is None else table.iloc[: whole("top", top)]


def of_all(shown: int, every: int) -> str:
    """Return the end of a title, how many of how many players are shown, if not all are."""
    return "" if shown == every else f": the best {shown:,} of {every:,}"


def plain(text: str) -> str:
    """Keep Matplotlib from taking dollars for mathematics."""
    return text.replace("$", r"\$")


def labels(names: Iterable[object], longest: int = 40) -> list[str]:
    """Write names as labels: long ones cut in the middle, and each of them once."""
    every, half = [str(name) for name in names], longest // 2 - 1
    cut = [n if len(n) <= longest else f"{n[:half]}…{n[-half:]}" for n in every]
    return [plain(text) for text in distinct(cut)]


def distinct(texts: Iterable[str]) -> list[str]:
    """Put a number behind each text that stands there already: "a", "a (2)"."""
    taken: dict[str, None] = {}
    for text in texts:
        label, again = text, 1
        while label in taken:
            again += 1
            label = f"{text} ({again})"
        taken[label] = None
    return list(taken)


def name_rows(ax: Any, names: Iterable[object]) -> None:
    """Name rows beside the plot, the first on top, as many as are legible."""
    shown = labels(names, 30)
    some = fitting(ax, len(shown), "y")
    ax.set_yticks(np.arange(len(shown))[::-1][some], shown[some])
    ax.set_ylim(-0.8, len(shown) - 0.2)


def name_points(
    ax: Any, points: Floats, names: Iterable[str], color: str, taken: list[Floats]
) -> None:
    """Name points, the first first, outwards from 0 if need be not, where nothing is ``taken``."""
    renderer = ax.figure.canvas.get_renderer()
    for point, name in zip(points, names, strict=True):
        right, up = np.where(point >= 0.0, 1.0, -1.0)
        for x, y in ((right, up), (-right, up), (right, -up), (-right, -up)):
            text = ax.annotate(
                name, point, (4.0 * x, 3.0 * y), textcoords="offset points", color=color,
                ha="left" if x > 0.0 else "right", va="bottom" if y > 0.0 else "top",
                fontsize="small",
            )  # fmt: skip
            box = text.get_window_extent(renderer).get_points()
            inside = ax.bbox.contains(*box[0]) and ax.bbox.contains(*box[1])
            if inside and not any(
                (box[0] < other[1]).all() and (box[1] > other[0]).all() for other in taken
            ):
                taken.append(box)
                break
            text.remove()


def fitting(ax: Any, count: int, side: str, letters: float = 1.2) -> slice:
    """Take every k-th of so many positions along an axis, of labels so many letters wide."""
    import matplotlib as mpl

    k = "xy".index(side)
    inches = ax.figure.get_size_inches()[k] * ax.get_position().size[k]
    room = max(2, int(72.0 * inches / (letters * float(mpl.rcParams["font.size"]))))
    return slice(None, None, max(-(-count // room), 1))


def rows_height(count: int) -> float:
    """Return the height in inches of rows with a name each, of up to 150 of them."""
    return float(np.clip(0.2 * count, 2.0, 30.0))


def legend(ax: Any, columns: int = 1) -> None:
    """Set the legend of a plot below the figure."""
    import matplotlib as mpl

    handles, texts = ax.get_legend_handles_labels()
    letters = 72.0 * ax.figure.get_size_inches()[0] / (0.55 * float(mpl.rcParams["font.size"]))
    shown = [textwrap.fill(text, max(int(letters / columns) - 8, 12)) for text in texts]
    ax.figure.legend(handles, shown, loc="outside lower left", ncols=columns)


class Marks(NamedTuple):
    """How players are marked: a colour each, and whose names are bold."""

    colors: list[str]
    bold: list[bool]
    key: dict[str, str]  # colours by family, for a legend

    def rows(self, ax: Any) -> None:
        """Mark rows, the first on top: names in bold, and a band behind them."""
        for y, label, bold in zip(ax.get_yticks(), ax.get_yticklabels(), self.bold, strict=True):
            if bold:
                label.set_fontweight("bold")
                ax.axhspan(y - 0.4, y + 0.4, color=GREY, alpha=0.15, linewidth=0.0, zorder=0.1)

    def legend(self, ax: Any) -> None:
        """Name the families below the figure."""
        for name, color in self.key.items():
            ax.scatter([], [], color=color, s=30, label=plain(name))
        if self.key:
            legend(ax, min(len(self.key), 4))


def marks(
    table: pd.DataFrame, shown: int, highlight: str | Sequence[str] | None, family: Family | None
) -> Marks:
    """Return marks of the first players of a leaderboard; or raise, naming all unknown ones."""
    names = [str(name) for name in table["player" if "player" in table else "team"]]
    picked = [highlight] if isinstance(highlight, str) else list(highlight or ())
    of = {} if family is None else {str(k): str(v) for k, v in dict(family).items()}
    for option, given in (("highlight", picked), ("family", of)):
        if unknown := [name for name in given if name not in names]:
            raise LeaderbayesError(
                f"{option}: no player {listed(unknown)}; {suggest(unknown[0], names)}"
            )
    # Families in the order of their best players; with many the last share a colour.
    colors = dict(zip(dict.fromkeys(of[n] for n in names if n in of), _FAMILIES, strict=False))
    each = [colors.get(of.get(name, ""), GREY) for name in names[:shown]]
    if family is None:
        each = [ORANGE if name in picked else BLUE for name in names[:shown]]
    key = {name: color for name, color in colors.items() if color in each}
    if family is not None and GREY in each:
        key["others"] = GREY
    return Marks(each, [name in picked for name in names[:shown]], key)


def heat_map(
    ax: Any, values: Floats, palette: tuple[str, ...], label: str, *, rows: Iterable[object],
    columns: Iterable[object], blank: Bools | None = None, upright: bool = True,
) -> None:  # fmt: skip
    """Draw probabilities (row, column), with numbers in few cells, none in ``blank`` ones."""
    import matplotlib as mpl
    from matplotlib.colors import ListedColormap

    cells = ax.imshow(
        values, cmap=ListedColormap(palette), vmin=0.0, vmax=1.0, aspect="auto",
        interpolation="nearest",
    )  # fmt: skip
    ax.grid(visible=False)
    ax.figure.colorbar(cells, ax=ax, label=label, fraction=0.05, pad=0.02, aspect=30)
    down, across = labels(rows, 30), labels(columns, 24)
    some = fitting(ax, len(down), "y")
    ax.set_yticks(np.arange(len(down))[some], down[some])
    widest = 1.2 if upright else 0.7 * max(map(len, across)) + 0.7
    some = fitting(ax, len(across), "x", widest)
    ax.set_xticks(np.arange(len(across))[some], across[some], rotation=90 if upright else 0)
    absent = np.argwhere(np.isnan(values))
    if len(absent):
        ax.scatter(*absent[:, ::-1].T, marker="x", color=GREY, s=10, linewidth=0.8)
    elif max(values.shape) <= MOST_NUMBERS:
        font = float(mpl.rcParams["font.size"])
        # Four characters, or so, in a cell.
        room = 72.0 * ax.figure.get_size_inches()[0] * ax.get_position().width
        letter = min(0.85 * font, 0.8 * room / values.shape[1] / 2.3)
        for (row, column), p in np.ndenumerate(values):
            if letter >= _SMALLEST and (blank is None or not blank[row, column]):
                ax.text(
                    column, row, probability(p), color=ink(p, palette), fontsize=letter,
                    ha="center", va="center",
                )  # fmt: skip
