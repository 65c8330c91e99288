"""The figure that every function here returns: arviz-plots' own, with letters kept as letters."""

from typing import Any

from arviz_plots import PlotCollection

# Letters stay letters, which editors can change and readers can search (journals ask for it), in
# place of outlines: TrueType in PDF and PostScript, text in SVG.
_VECTOR: Any = {"pdf.fonttype": 42, "ps.fonttype": 42, "svg.fonttype": "none"}


class Collection(PlotCollection):  # type: ignore[misc]  # arviz-plots has no types
    """arviz-plots' PlotCollection: saved for print, and shown once in a notebook."""

    def savefig(self, filename: Any, **kwargs: Any) -> None:
        """Save as PlotCollection does; in a PDF or SVG of Matplotlib letters stay letters."""
        if self.backend != "matplotlib":
            super().savefig(filename, **kwargs)
            return
        import matplotlib as mpl

        with mpl.rc_context(_VECTOR):
            super().savefig(filename, **kwargs)

    def _ipython_display_(self) -> None:
        """Print no line about the object under the figure, which notebooks show by themselves."""
        if self.backend == "matplotlib":
            import matplotlib as mpl

            if "inline" in mpl.get_backend() or mpl.is_interactive():
                return
        # IPython goes on to its other ways.
        raise NotImplementedError
