"""Errors and warnings are of one family, and each warning has its page."""

import inspect
import re
from pathlib import Path

import pytest

from leaderbayes import _errors

CLASSES = dict(inspect.getmembers(_errors, inspect.isclass))
PAGE = (Path(__file__).parents[1] / "docs" / "warnings.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (LB\d{3}):(.*?)(?=^## |\Z)", PAGE, flags=re.MULTILINE | re.DOTALL))
WARNINGS = [name for name in CLASSES if name.endswith("Warning") and name != "LeaderbayesWarning"]


def codes(name):
    """Codes that a class's docstring names; those from one to another, too."""
    first = re.match(r"[^:]*", CLASSES[name].__doc__)[0]
    found = [int(code) for code in re.findall(r"LB(\d{3})", first)]
    return [f"LB{k:03d}" for k in (range(found[0], found[-1] + 1) if " to " in first else found)]


def test_one_except_clause_catches_all():
    for name, kind in CLASSES.items():
        if name.endswith("Warning"):
            assert issubclass(kind, _errors.LeaderbayesWarning)
            assert issubclass(kind, UserWarning)
        else:
            # Who expects what Python raises of its own catches ours.
            assert issubclass(kind, _errors.LeaderbayesError)
            assert issubclass(kind, ValueError)
    assert issubclass(_errors.MissingExtraError, ModuleNotFoundError)
    assert issubclass(_errors.NotConvergedError, RuntimeError)


@pytest.mark.parametrize("name", WARNINGS)
def test_every_warning_has_its_codes_in_the_docs(name):
    assert codes(name)
    for code in codes(name):
        assert code in SECTIONS
        assert f"`{name}`" in SECTIONS[code]


def test_no_code_is_of_two_kinds_of_warnings():
    every = [code for name in WARNINGS for code in codes(name)]
    assert len(set(every)) == len(every)


def test_every_warning_that_the_docs_name_is_said_to_have_the_code():
    for code, text in SECTIONS.items():
        for name in set(re.findall(r"`(\w+Warning)`", text)) & set(WARNINGS):
            assert code in codes(name), f"{name} does not say {code}"


def test_a_missing_extra_names_its_module():
    with pytest.raises(_errors.LeaderbayesError, match="no zarr") as caught:
        raise _errors.MissingExtraError("no zarr", name="zarr")
    assert caught.value.name == "zarr"
