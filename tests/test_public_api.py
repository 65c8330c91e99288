"""The public surface: every name, its docstring, and what importing costs."""

import ast
import inspect
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import leaderbayes as lb
from leaderbayes.models._registry import MODELS
from public_names import ERRORS, FUNCTIONS, look_up

SECTIONS = [
    "Parameters", "Attributes", "Returns", "Raises", "Warns", "Notes", "References", "Examples",
]  # fmt: skip
HEAVY = [
    "arviz", "arviz_plots", "matplotlib", "nutpie", "numpy", "pandas", "pymc", "pytensor", "rich",
    "xarray",
]  # fmt: skip


def loaded_after(code):
    """Heavy packages that a fresh interpreter holds after running this code."""
    report = f"import sys; print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr)"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, check=True
    )
    return ast.literal_eval(done.stderr.splitlines()[-1]), done.stdout


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_is_documented_and_typed(name):
    function = look_up(name)
    signature = inspect.signature(function)
    sections = re.findall(r"^(\w+)\n-{3,}$", inspect.getdoc(function), flags=re.MULTILINE)
    assert ("Returns" in sections) != inspect.isclass(function)
    assert ("Parameters" in sections) == bool(signature.parameters)
    assert sections == [name for name in SECTIONS if name in sections]
    documented = inspect.getdoc(function).split("Returns\n---")[0]
    for parameter in signature.parameters.values():
        assert re.search(rf"\b{parameter.name}\b", documented)
        assert parameter.annotation is not inspect.Parameter.empty
    if not inspect.isclass(function):
        assert signature.return_annotation is not inspect.Signature.empty


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_docstring_fits_a_screen(name):
    most = 80 if name in ("fit", "read_scores", "read_votes") else 60
    assert len(inspect.getdoc(look_up(name)).splitlines()) <= most


def test_docstrings_begin_with_plain_verbs():
    for file in sorted(Path(lb.__file__).parent.rglob("*.py")):
        found = re.findall(r'"""(?:Gives?|Says?|Tells?) ', file.read_text(encoding="utf-8"))
        assert not found, file


@pytest.mark.parametrize("name", FUNCTIONS)
def test_options_are_keyword_only(name):
    for parameter in inspect.signature(look_up(name)).parameters.values():
        has_default = parameter.default is not inspect.Parameter.empty
        allowed = (name, parameter.name) in {
            ("fit", "model"),
            ("study.fit", "model"),
            ("datasets.load", "tournament"),
            ("likelihood.hypothesis_test", "a"),
            ("likelihood.hypothesis_test", "b"),
            ("plan", "pair"),
            ("plots.board", "estimate"),
            ("plots.search", "x"),
            ("plots.search", "y"),
            ("report.latex", "path"),
            ("sota.maximum", "m"),
        }
        assert not has_default or allowed or parameter.kind is parameter.KEYWORD_ONLY


def test_no_name_of_a_model_is_compared_outside_models():
    found = []
    for file in sorted(Path(lb.__file__).parent.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8")) if file.parent.name != "models" else ""
        for node in ast.walk(tree) if tree else ():
            sides = [getattr(node, "value", None)] if isinstance(node, ast.MatchValue) else []
            if isinstance(node, ast.Compare) and not isinstance(node.left, ast.Constant):
                sides = [each for s in node.comparators for each in (s, *getattr(s, "elts", ()))]
            names = {s.value for s in sides if isinstance(s, ast.Constant)}
            found += [f"{file.name}:{node.lineno}" for _ in names & MODELS.keys()]
    assert not found


def test_list_of_names_is_complete():
    names = [*FUNCTIONS, *ERRORS]
    assert len(set(names)) == len(names)
    assert set(lb.__all__) == {name.split(".")[0] for name in names}
    assert set(lb.__all__) <= set(dir(lb))
    modules = [name for name in lb.__all__ if inspect.ismodule(getattr(lb, name))]
    assert len(modules) == 8
    for module in modules:
        listed = {
            name.removeprefix(f"{module}.") for name in names if name.startswith(f"{module}.")
        }
        assert set(getattr(lb, module).__all__) == listed


@pytest.mark.parametrize("name", ERRORS)
def test_one_except_clause_catches_all_of_ours(name):
    kind = getattr(lb, name)
    # Who expects what Python raises of its own catches ours.
    for base in (
        (lb.LeaderbayesWarning, UserWarning)
        if name.endswith("Warning")
        else (lb.LeaderbayesError, ValueError)
    ):
        assert issubclass(kind, base)
    assert kind.__doc__


def test_errors_are_those_of_python_that_they_stand_for():
    assert issubclass(lb.MissingExtraError, ModuleNotFoundError)
    assert lb.MissingExtraError("no zarr", name="zarr").name == "zarr"
    assert issubclass(lb.NotConvergedError, RuntimeError)


def test_eighteen_codes_and_each_has_a_section_in_the_docs():
    root = Path(__file__).parents[1]
    used = {
        code
        for file in (root / "src").rglob("*.py")
        for code in re.findall(r"\bLB\d{3}\b", file.read_text(encoding="utf-8"))
    }
    page = (root / "docs" / "warnings.md").read_text(encoding="utf-8")
    assert used == set(re.findall(r"^## (LB\d{3})\b", page, flags=re.MULTILINE))
    assert len(used) <= 18


def test_version():
    assert lb.__version__ == version("leaderbayes")


def test_help_loads_nothing_heavy():
    code = (
        "import sys, leaderbayes._cli\n"
        "sys.argv = ['leaderbayes', '--help']\n"
        "try:\n"
        "    leaderbayes._cli.main()\n"
        "except SystemExit as stop:\n"
        "    assert not stop.code"
    )
    loaded, printed = loaded_after(code)
    assert loaded == []
    assert "rank" in printed


def test_repeated_access_gives_the_function():
    # A submodule of the same name would take its place after the first use.
    assert all(callable(look_up(name)) for name in FUNCTIONS for _ in range(2))
