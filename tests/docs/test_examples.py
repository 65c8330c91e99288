"""Every public name has examples, and they run as they are printed."""

import doctest
import inspect
import io
import re
from functools import cache

import pytest

from public_names import FUNCTIONS, look_up

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.fixture(scope="module")
def folder_of(tmp_path_factory):
    """Examples with the same study share its store: whoever comes first fits it."""

    @cache
    def shared(data):
        return tmp_path_factory.mktemp("study")

    def folder(text):
        data = re.search(r"scores = .+\n.+ lb.study.fit\(.+", text)
        return shared(data.group()) if data else tmp_path_factory.mktemp("example")

    return folder


# PyMC's Simulator calls PyTensor in the old way. Other tests draw every plot, too.
@pytest.mark.filterwarnings("ignore:[\\s\\S]*RandomVariable:DeprecationWarning")
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.slow] * n.startswith("plots.")) for n in FUNCTIONS]
)
def test_examples_run_as_printed(name, folder_of, monkeypatch):
    monkeypatch.chdir(folder_of(inspect.getdoc(look_up(name))))  # some of them write files
    # Of a class its methods' too, if they have any.
    docstrings = doctest.DocTestFinder(exclude_empty=True).find(look_up(name), name, globs={})
    assert any(found.name == name and found.examples for found in docstrings), "no example"
    said = io.StringIO()
    for found in docstrings:
        doctest.DocTestRunner(optionflags=FLAGS).run(found, out=said.write)
    assert not said.getvalue(), said.getvalue()
