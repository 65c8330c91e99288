"""Bias of the best score."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from numpy.typing import ArrayLike

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.require import require_result
from leaderbayes.plots._canvas import BLACK, BLUE, GREEN, GREY, ORANGE, Backend, Mark, panels

_AXIS = {
    "m": "m, classifiers",
    "n": "n, instances",
    "theta": "theta of the best classifier",
    "spread": "spread, width of the thetas' distribution",
    "rho": "rho, correlation with the reference",
}
_COLORS = (BLACK, BLUE, ORANGE, GREEN, "#CC79A7")


def plot_bias(
    curves: xr.Dataset | Sequence[xr.Dataset],
    *,
    at: Mapping[str, ArrayLike] | None = None,
    backend: Backend | None = None,
) -> Any:
    """Draw bias and standard deviation of the best score over a parameter, or over several.

    Parameters
    ----------
    curves : Dataset or sequence of Dataset
        From `leaderbayes.paper.bias_curve`. Curves over the same parameter share a row of plots,
        and are told apart by the arguments in which they differ.
    at : mapping of str to array (value,), optional
        Values of each parameter to mark with a vertical line.
    backend : {"matplotlib", "plotly", "bokeh", "none"}, optional
        Of arviz-plots; its default if absent.

    Returns
    -------
    arviz_plots.PlotCollection
        Plots "bias_m" and "sd_m" for curves over m, and so on: the parameter across, share up. All
        plots of the bias have one scale, and all of the standard deviation.

    Raises
    ------
    LeaderbayesError
        If there is no curve, or ``at`` names what no curve is over.

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, Figures 4 and 5.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> curve = lb.paper.bias_curve("m", [1, 10, 100, 1000])
    >>> pc = lb.paper.plot_bias(curve, backend="matplotlib")
    """
    rows: dict[str, list[xr.Dataset]] = {}
    for curve in curves if isinstance(curves, Sequence) else [curves]:
        require_result(curve, "paper.bias_curve", "bias", "sd")
        rows.setdefault(curve.attrs["over"], []).append(curve)
    if not rows:
        raise LeaderbayesError("Give at least one curve, from paper.bias_curve.")
    unknown = sorted(set(at or {}) - set(rows))
    if unknown:
        raise LeaderbayesError(f"at marks {unknown[0]!r}, and no curve is over that.")
    titles = {"bias": "Bias of the best score", "sd": "Standard deviation of the best score"}
    collection, plots = panels(
        {f"{name}_{over}": title for over in rows for name, title in titles.items()},
        width=11.0, height=0.5 + 3.8 * len(rows), columns=2, backend=backend,
    )  # fmt: skip
    keys = {over: _key(row) for over, row in rows.items()}
    room = max(len(key) for key in keys.values())
    for name in titles:
        highest = [float(curve[name].max()) for row in rows.values() for curve in row]
        top = max(1e-4, *highest)  # where there is no bias at all, too
        for over, row in rows.items():
            plot = plots[f"{name}_{over}"]
            lines = np.atleast_1d((at or {}).get(over, []))
            plot.marks([Mark(float(x), "", GREY) for x in lines], top)
            for k, curve in enumerate(row):
                x, y = curve[over].to_numpy(), curve[name].to_numpy()
                plot.line(x, y, color=_COLORS[k % len(_COLORS)], linestyle=f"C{k % 4}")
            x = np.concatenate([curve[over].to_numpy() for curve in row])
            across = float(x.min()), float(x.max())
            plot.frame(keys[over], across=across, top=top, room=room)
            plot.xlabel(_AXIS[over])
            plot.ylabel(f"{name} (share of right answers)")
    return collection


def _key(row: Sequence[xr.Dataset]) -> list[Mark]:
    """Name each curve by the arguments in which the row differs; a curve alone needs no name."""
    differ = [name for name in _AXIS if len({curve.attrs.get(name) for curve in row}) > 1]
    names = [", ".join(f"{name} = {curve.attrs[name]:g}" for name in differ) for curve in row]
    return [Mark(None, name, _COLORS[k % len(_COLORS)]) for k, name in enumerate(names) if differ]
