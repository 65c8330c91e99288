"""The figure that every function here returns: arviz-plots' own, with letters kept as letters."""

from typing import Any

from arviz_plots import PlotCollection

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
