"""Charts of the page, by Bokeh: drawn empty here, filled by the page's script.

One set of charts serves all tournaments. They draw on canvas, which is quick for the 10 000 cells
of 100 players; the numbers themselves stand in tables below them.
"""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import bokeh
from bokeh import models
from bokeh.embed import json_item
from bokeh.plotting import figure
from bokeh.transform import linear_cmap

from leaderbayes.plots._canvas import BLUE, ORANGE
from leaderbayes.plots._heat_map import SHARES, WINS, ink
from leaderbayes.report._words import Words

_FONT = "Helvetica Neue, Helvetica, Arial, sans-serif"


@cache
def bokeh_script() -> str:
    """Read Bokeh's library for browsers, without its widgets, tables and mathematics."""
    folder = Path(bokeh.__file__).parent / "server" / "static" / "js"
    return (folder / "bokeh.min.js").read_text(encoding="utf-8")


@cache
def charts(words: Words, checked: bool = True) -> tuple[dict[str, Any], ...]:
    """Give the charts as JSON items: "win", "rank" and "fit", of which the page knows the names.

    Without a check of fit there is no "fit".
    """
    drawn = (_win(words), _rank(), *((_fit(),) if checked else ()))
    return tuple(_item(chart) for chart in drawn)


def _item(chart: Any) -> dict[str, Any]:
    text = json.dumps(json_item(chart, target=f"chart-{chart.name}"))
    # Bokeh numbers its objects through: the same fit shall give the same page.
    numbers: dict[str, str] = {}

    def numbered(match: re.Match[str]) -> str:
        return numbers.setdefault(match[0], f'"{chart.name}{len(numbers)}"')

    item: dict[str, Any] = json.loads(re.sub(r'"p\d+"', numbered, text))
    return item


def _figure(name: str, **options: Any) -> Any:
    chart = figure(
        name=name, sizing_mode="stretch_width", toolbar_location=None, tools="",
        background_fill_color="white", border_fill_color="white", outline_line_color=None,
        **options,
    )  # fmt: skip
    chart.grid.visible = False
    for axis in chart.axis:
        axis.axis_line_color = axis.major_tick_line_color = axis.minor_tick_line_color = None
        axis.major_label_text_font = axis.axis_label_text_font = _FONT
        axis.major_label_text_color = axis.axis_label_text_color = "#333333"
        axis.axis_label_text_font_style = "normal"
        axis.axis_label_text_font_size = "13px"
        axis.major_label_text_font_size = "12px"
    return chart


def _cells(
    chart: Any, columns: tuple[str, ...], color: Any, tooltips: list[tuple[str, str]]
) -> None:
    """Draw cells (x, y) of a source that has these columns too, and say them on hover."""
    source = models.ColumnDataSource({name: [] for name in ("x", "y", *columns)})
    drawn = chart.rect(
        "x", "y", 1, 1, source=source, fill_color=color, line_color="white", line_width=0.5,
        nonselection_fill_alpha=1.0, nonselection_line_alpha=1.0,
        hover_line_color="black", hover_line_width=2,
    )  # fmt: skip
    # The cells alone: numbers written in them would answer a second time, and know nothing.
    chart.add_tools(
        models.HoverTool(renderers=[drawn], tooltips=tooltips, point_policy="follow_mouse"),
        models.TapTool(renderers=[drawn]),
    )
    # Apart, because only a few large cells have room for their numbers.
    numbers = models.ColumnDataSource({name: [] for name in ("x", "y", "text", "ink")})
    chart.text(
        "x", "y", "text", source=numbers, text_color="ink", text_align="center",
        text_baseline="middle", text_font_size="11px", text_font={"value": _FONT},
    )  # fmt: skip
    for axis in chart.axis:
        axis.major_label_policy = models.NoOverlap(min_distance=2)


def _win(words: Words) -> Any:
    """Open a heat map: players down, opponents across."""
    # Names may look like formulas or markup: as factors and as columns they stay text.
    chart = _figure(
        "win", x_range=models.FactorRange(factors=[]), y_range=models.FactorRange(factors=[]),
        x_axis_location="above",
    )  # fmt: skip
    _cells(
        chart,
        ("player", "opponent", "win", "won", "interval", "better"),
        linear_cmap("win", list(WINS), 0.0, 1.0),
        [("player", "@player"), ("opponent", "@opponent"), *words.tips],
    )
    chart.xaxis.major_label_orientation = "vertical"
    return chart


def _rank() -> Any:
    """Open a heat map: players down, ranks across."""
    chart = _figure(
        "rank", x_range=models.Range1d(0.5, 1.5), y_range=models.FactorRange(factors=[]),
        x_axis_location="above", x_axis_label="rank, 1 is best",
    )  # fmt: skip
    chart.xaxis.ticker = models.BasicTicker(min_interval=1)  # there is no rank 1.5
    _cells(
        chart,
        ("player", "rank", "share", "written", "top"),
        linear_cmap("share", list(SHARES), 0.0, 1.0),
        [("player", "@player"), ("rank", "@rank"), ("probability", "@written"),
         ("this or better", "@top")],
    )  # fmt: skip
    return chart


def _fit() -> Any:
    """Open a histogram of the deviance of replicates, with a line for the board's."""
    chart = _figure("fit", height=300, x_axis_label="", y_axis_label="boards drawn again")
    chart.y_range.start = 0.0
    bars = models.ColumnDataSource({"left": [], "right": [], "top": []})
    chart.quad("left", "right", "top", 0.0, source=bars, color=BLUE, line_color="white", alpha=0.6)
    line = models.ColumnDataSource({"x": [], "y": []})
    chart.line("x", "y", source=line, color=ORANGE, line_width=2.5)
    return chart


def white_from() -> dict[str, float]:
    """Give of each heat map the least probability whose cell takes white letters."""
    steps = [k / 255.0 for k in range(256)]
    return {
        name: next(p for p in steps if ink(p, palette) == "white")
        for name, palette in (("win", WINS), ("rank", SHARES))
    }


def scales() -> dict[str, str]:
    """Give of each heat map the colours of its bar from 0 to 1, as a gradient of CSS."""
    return {
        name: f"linear-gradient(to right, {', '.join(palette[::15])})"
        for name, palette in (("win", WINS), ("rank", SHARES))
    }
