"""Colours of heat maps: the same on every board, in grey too, and written on a bar."""

import numpy as np
import pytest

import leaderbayes as lb
from figures import drawn
from leaderbayes.plots._heat_map import SHARES, WINS, ink, lightness, written


@pytest.mark.parametrize("palette", [WINS, SHARES])
def test_the_more_the_darker_in_grey_too(palette):
    grey = np.array([lightness(color) for color in palette])
    assert len(grey) == 256
    # Whole numbers of 255 round up now and then.
    assert (np.diff(grey) < 0.002).all()
    assert (np.diff(grey[::8]) < 0.0).all()
    assert grey[0] > 0.95
    assert grey[-1] < 0.2


@pytest.mark.parametrize("palette", [WINS, SHARES])
def test_numbers_can_be_read_on_their_cells(palette):
    """Contrast of 4.5 and more, WCAG's of small text."""

    def luminance(color):
        parts = np.array([int(color[k : k + 2], 16) / 255.0 for k in (1, 3, 5)])
        linear = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722]

    for value in np.linspace(0.0, 1.0, 101):
        cell = luminance(palette[round(value * 255)])
        letter = 1.0 if ink(value, palette) == "white" else 0.0
        contrast = (max(cell, letter) + 0.05) / (min(cell, letter) + 0.05)
        assert contrast > 4.5


@pytest.mark.parametrize("figure", ["win_probability", "rank_distribution"])
def test_one_scale_for_every_board(laplace, misfit, figure):
    for dt in (laplace, misfit):
        (cells,) = drawn(getattr(lb.plots, figure)(dt, backend="none"), "board", "heat_map")
        assert (cells["low"], cells["high"], cells["bar"]) == (0.0, 1.0, "probability")


def test_a_bar_in_every_backend(laplace):
    axes = lb.plots.win_probability(laplace, backend="matplotlib").get_viz("figure").axes
    assert [one.get_ylabel() for one in axes] == ["", "probability"]
    assert axes[1].get_ylim() == (0.0, 1.0)
    trace = lb.plots.win_probability(laplace, backend="plotly").get_viz("plot", "board").figure
    heat = trace.data[0]
    assert (heat.zmin, heat.zmax, heat.colorbar.title.text) == (0.0, 1.0, "probability")
    plot = lb.plots.win_probability(laplace, backend="bokeh").get_viz("plot", "board")
    (bar,) = [one for one in plot.right if type(one).__name__ == "ColorBar"]
    assert (bar.color_mapper.low, bar.color_mapper.high) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("p", "said"),
    [(0.0, "<0.01"), (0.004, "<0.01"), (0.5, "0.50"), (0.996, ">0.99"), (1.0, ">0.99")],
)
def test_nothing_is_certain(p, said):
    assert written(p) == said


@pytest.mark.parametrize("figsize", [None, "column", "page"])
def test_letters_of_the_bar_are_as_large_as_the_axes(laplace, figsize):
    plotly = lb.plots.win_probability(laplace, figsize=figsize, backend="plotly")
    figure = plotly.get_viz("figure")
    (bar,) = [trace.colorbar for trace in figure.data if trace.type == "heatmap"]
    size = figure.layout.xaxis.tickfont.size
    assert abs(bar.tickfont.size - size) <= 1
    assert abs(bar.title.font.size - size) <= 1
    bokeh = lb.plots.win_probability(laplace, figsize=figsize, backend="bokeh")
    plot = bokeh.get_viz("plot", "board")
    (shown,) = [each for each in plot.right if type(each).__name__ == "ColorBar"]
    own = int(plot.xaxis[0].major_label_text_font_size.removesuffix("px"))
    for letters in (shown.major_label_text_font_size, shown.title_text_font_size):
        assert abs(int(letters.removesuffix("px")) - own) <= 1
