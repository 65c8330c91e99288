"""Figures of posteriors and of what was made of them, drawn by Matplotlib (extra ``plots``).

Each function returns an ``arviz_plots.PlotCollection``: ``.show()``, ``.savefig(path)``, and
``.get_viz("plot", name)`` for the Axes of a panel, to change what you like.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
