"""Figures on arviz-plots, for every backend that it has.

Each function takes the DataTree of `leaderbayes.fit`, or what `leaderbayes.sota` or a function on
many tournaments gives, and returns an ``arviz_plots.PlotCollection``: ``.show()``,
``.savefig(path)``. Matplotlib draws (the extra ``plots``); ``backend="plotly"`` and
``"bokeh"`` need the extra ``interactive``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
