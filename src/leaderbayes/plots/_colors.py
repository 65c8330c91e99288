"""Colours of all figures."""

import numpy as np

# Colour-blind safe.
BLACK, BLUE, ORANGE, GREEN, GREY = "#000000", "#0072B2", "#D55E00", "#009E73", "#8A8A8A"

# Heat maps of probabilities, with the same colours on all boards: orange (0) over white (1/2) to
# blue (1), and white (0) to blue (1).
_OF_WINS = ("#e08214", "#fbc98e", "#f7f7f7", "#8fb8dc", "#1d5ea8")
_OF_SHARES = ("#ffffff", "#c9dff0", "#7fb5d8", "#2f77b4", "#08306b")
_STEPS = 256


def _between(anchors: tuple[str, ...], gamma: float) -> tuple[str, ...]:
    """Interpolate colours; with ``gamma`` below 1 small values differ more."""
    rgb = np.array([[int(c[k : k + 2], 16) for k in (1, 3, 5)] for c in anchors], dtype=float)
    at = np.linspace(0.0, 1.0, _STEPS) ** gamma * (len(anchors) - 1)
    steps = [np.interp(at, np.arange(len(anchors)), channel) for channel in rgb.T]
    return tuple(f"#{int(r):02x}{int(g):02x}{int(b):02x}" for r, g, b in np.round(steps).T)


WINS, SHARES = _between(_OF_WINS, 1.0), _between(_OF_SHARES, 0.6)


def ink(value: float, palette: tuple[str, ...]) -> str:
    """Return the colour of a number on the cell of a probability: white where dark (WCAG 2.2)."""
    color = palette[round(value * (_STEPS - 1))]
    rgb = np.array([int(color[k : k + 2], 16) / 255.0 for k in (1, 3, 5)])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return "white" if linear @ [0.2126, 0.7152, 0.0722] < 0.179 else "black"
