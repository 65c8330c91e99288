"""Heat maps of probabilities: the same colour says the same on every board, and a bar says what.

Both palettes get darker from 0 to 1 without a turn, so that a print in grey says the same, and
neither needs red told from green.
"""

from typing import Any

import numpy as np

from leaderbayes._types import Floats

# Lightness falls all the way: pale orange where the row loses, grey at 1/2, dark blue.
_OF_WINS = ("#fff4e6", "#f2cfa0", "#bdb7b1", "#5b86b5", "#08306b")
_OF_SHARES = ("#ffffff", "#c9dff0", "#7fb5d8", "#2f77b4", "#08306b")
_STEPS = 256


def _between(anchors: tuple[str, ...], gamma: float) -> tuple[str, ...]:
    """Interpolate colours; with ``gamma`` below 1 small values are told apart sooner."""
    rgb = np.array([[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in anchors], dtype=float)
    at = np.linspace(0.0, 1.0, _STEPS) ** gamma * (len(anchors) - 1)
    steps = [np.interp(at, np.arange(len(anchors)), channel) for channel in rgb.T]
    return tuple(f"#{int(r):02x}{int(g):02x}{int(b):02x}" for r, g, b in np.round(steps).T)


# Of P(row beats column); and of ranks' shares, of which many are small.
WINS = _between(_OF_WINS, 1.0)
SHARES = _between(_OF_SHARES, 0.6)


def ink(value: float, palette: tuple[str, ...]) -> str:
    """Give the colour of a number on the cell of a probability: white where the cell is dark.

    Their contrast is 4.5 or more (WCAG 2.2).
    """
    color = palette[round(value * (_STEPS - 1))]
    rgb = np.array([int(color[k : k + 2], 16) / 255.0 for k in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return "white" if linear @ [0.2126, 0.7152, 0.0722] < 0.179 else "black"


def written(p: float) -> str:
    """Write a probability; what rounds to 0 or 1 is neither."""
    if p < 0.005:
        return "<0.01"
    return ">0.99" if p > 0.995 else f"{p:.2f}"


def lightness(color: str) -> float:
    """Give how light a colour is in grey, from 0 to 1 (luma of Rec. 601)."""
    red, green, blue = (int(color[k : k + 2], 16) / 255.0 for k in (1, 3, 5))
    return 0.299 * red + 0.587 * green + 0.114 * blue


def draw(
    target: Any, backend: str, values: Floats, palette: tuple[str, ...], label: str, font: float
) -> None:
    """Fill cell (row, column) at x = column, y = row, on a scale from 0 to 1, with its bar."""
    rows, columns = values.shape
    if backend == "matplotlib":
        from matplotlib.colors import ListedColormap

        cells = target.imshow(
            values, cmap=ListedColormap(palette), vmin=0.0, vmax=1.0, aspect="auto",
            interpolation="nearest", origin="lower",
        )  # fmt: skip
        target.grid(False)
        # Of a fixed width, about, however many cells there are.
        width = target.figure.get_size_inches()[0]
        bar = target.figure.colorbar(
            cells, ax=target, fraction=0.15 * min(1.0, 5.0 / width), pad=0.02, aspect=30
        )
        bar.set_label(label, fontsize=font)
        bar.ax.tick_params(labelsize=0.9 * font)
    elif backend == "plotly":
        import plotly.graph_objects as go

        scale = [[k / (_STEPS - 1), color] for k, color in enumerate(palette)]
        letters = {"size": round(1.25 * font)}  # pixels, as of the axes
        title = {"text": label, "side": "right", "font": letters}
        bar = {"title": title, "thickness": 14, "tickfont": letters}
        trace = go.Heatmap(z=values, zmin=0.0, zmax=1.0, colorscale=scale, colorbar=bar)
        target.figure.add_trace(trace, row=target.row, col=target.col)
    elif backend == "bokeh":
        from bokeh.models import ColorBar, LinearColorMapper

        # Bokeh's own grey for what is absent would be a probability of a half.
        mapper = LinearColorMapper(palette=list(palette), low=0.0, high=1.0, nan_color="white")
        target.image(image=[values], x=-0.5, y=-0.5, dw=columns, dh=rows, color_mapper=mapper)
        size = f"{round(1.25 * font)}px"  # as of the axes
        bar = ColorBar(
            color_mapper=mapper, title=label, width=14, title_text_font_style="normal",
            title_text_font_size=size, major_label_text_font_size=size,
        )  # fmt: skip
        target.add_layout(bar, "right")
    else:
        said = {"low": 0.0, "high": 1.0, "palette": palette, "bar": label}
        target.append({"function": "heat_map", "values": values, **said})
