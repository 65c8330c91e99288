"""Every public name has examples, and they run as they are printed."""

import doctest
import io

import pytest

from public_names import FUNCTIONS, look_up

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


# PyMC's Simulator calls PyTensor in the old way.
@pytest.mark.filterwarnings("ignore:[\\s\\S]*RandomVariable:DeprecationWarning")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples_run_as_printed(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # some of them write files
    # Of a class its methods' too, if they have any.
    docstrings = doctest.DocTestFinder(exclude_empty=True).find(look_up(name), name, globs={})
    assert any(found.name == name and found.examples for found in docstrings), "no example"
    said = io.StringIO()
    for found in docstrings:
        doctest.DocTestRunner(optionflags=FLAGS).run(found, out=said.write)
    assert not said.getvalue(), said.getvalue()
