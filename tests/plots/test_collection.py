"""The figure that comes back: what a notebook shows of it. How it is saved: test_canvas."""

import pytest

import leaderbayes as lb


def test_a_notebook_prints_no_line_under_the_figure(laplace, monkeypatch):
    """Where figures are shown by themselves; elsewhere IPython goes on to its other ways."""
    import matplotlib as mpl

    collection = lb.plots.leaderboard(laplace, backend="matplotlib")
    monkeypatch.setattr(mpl, "get_backend", lambda: "module://matplotlib_inline.backend_inline")
    assert collection._ipython_display_() is None
    monkeypatch.setattr(mpl, "get_backend", lambda: "agg")
    with pytest.raises(NotImplementedError):
        collection._ipython_display_()
    with pytest.raises(NotImplementedError):
        lb.plots.leaderboard(laplace, backend="plotly")._ipython_display_()


def test_it_is_arviz_plots_own(laplace):
    from arviz_plots import PlotCollection

    assert isinstance(lb.plots.leaderboard(laplace, backend="none"), PlotCollection)
