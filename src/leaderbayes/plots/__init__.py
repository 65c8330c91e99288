"""Figures of posteriors and of what was made of them, drawn by Matplotlib (extra ``plots``).

Each function returns an ``arviz_plots.PlotCollection``: ``.show()``, ``.savefig(path)``, and
``.get_viz("plot", name)`` for the Axes of a panel, to change what you like.
"""

import lazy_loader

from leaderbayes._extras import extra

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    with extra("plots", f"leaderbayes.plots.{name}"):
        import matplotlib  # noqa: F401
    return _load(name)
