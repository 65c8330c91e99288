"""How far a long job is, in a terminal and in a notebook."""

import time
import warnings

import pytest

from leaderbayes._files.progress import progress


def test_nothing_is_shown_unasked(capsys):
    with progress(False, "Tournaments") as advance:
        advance(1, 2)
    assert capsys.readouterr() == ("", "")


def test_a_bar_on_standard_error(capsys):
    with progress(True, "Tournaments") as advance:
        advance(2, 3)
        advance(1, 3)
    out, err = capsys.readouterr()
    assert out == ""
    assert "3/3" in err


def test_no_bar_of_what_takes_no_time(capsys):
    with progress(True, "Simulations", after=60.0) as advance:
        advance(2, 2)
    assert capsys.readouterr() == ("", "")
    with progress(True, "Simulations", after=0.01) as advance:
        time.sleep(0.02)
        advance(2, 2)
    assert "2/2" in capsys.readouterr().err


def test_a_notebook_needs_no_widgets(monkeypatch):
    """No warning that asks for ipywidgets; the bar is HTML, updated in place."""
    display = pytest.importorskip("IPython.display")
    import rich.console

    shown = []

    class Handle:
        def update(self, made):
            shown.append(made.data)

    monkeypatch.setattr(rich.console, "_is_jupyter", lambda: True)
    monkeypatch.setattr(display, "display", lambda made, display_id: Handle())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with progress(True, "Tournaments") as advance:
            advance(2, 5)
            # One state in a tenth of a second, and the last.
            advance(1, 5)
            advance(2, 5)
    assert ["2 of 5" in shown[0], "5 of 5" in shown[1]] == [True, True]
    assert 'value="5" max="5"' in shown[1]
    monkeypatch.setattr(display, "display", lambda made, display_id: shown.append(made.data))
    with progress(True, "Simulations", after=60.0) as advance:
        advance(1, 5)
    assert len(shown) == 2
    with progress(True, "Simulations", after=0.01) as advance:
        time.sleep(0.02)
        advance(1, 5)
    assert "1 of 5" in shown[2]
