"""What stands in a figure of Matplotlib."""

import numpy as np


def axes(collection, name="board"):
    return collection.get_viz("plot", name)


def figure(collection):
    return collection.get_viz("figure")


def segments(ax, *, horizontal=True):
    """Ends (line, 2) and places (line,) of lines by `hlines` or `vlines`, in their order."""
    k = 0 if horizontal else 1
    every = [line for lines in ax.collections if hasattr(lines, "get_segments")
             for line in lines.get_segments()]  # fmt: skip
    straight = np.array([line for line in every if line[0, 1 - k] == line[1, 1 - k]])
    return straight[:, :, k], straight[:, 0, 1 - k]


def points(ax):
    """Places (point, 2) of all points, in their order."""
    scattered = [e.get_offsets() for e in ax.collections if type(e).__name__ == "PathCollection"]
    marked = [line.get_xydata() for line in ax.lines if line.get_marker() not in ("None", "", " ")]
    return np.concatenate([np.asarray(each, float) for each in [*scattered, *marked]])


def heat(ax):
    """Values (row, column) of a heat map."""
    return np.asarray(ax.images[0].get_array())


def cells(ax):
    """Numbers in the cells of a heat map, by (row, column)."""
    return {
        (round(t.get_position()[1]), round(t.get_position()[0])): t.get_text() for t in ax.texts
    }


def key(collection):
    """Lines of the legend."""
    return [text.get_text() for each in figure(collection).legends for text in each.get_texts()]


def rows(ax):
    """Names beside rows, from the top."""
    ticks = sorted(zip(ax.get_yticks(), (t.get_text() for t in ax.get_yticklabels()), strict=True))
    names = [name for _, name in ticks]
    return names if ax.yaxis_inverted() else names[::-1]


def titles(collection):
    """Title and caveat."""
    head = figure(collection).get_suptitle()
    every = (head, *(ax.get_title() for ax in figure(collection).axes))
    return [text.replace("\n", " ") for text in every if text]
