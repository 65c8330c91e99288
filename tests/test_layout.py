"""Tests lie as the sources do: what `_a/_b.py` does is tested in `tests/a/test_b.py`."""

from pathlib import Path

import leaderbayes as lb

SRC, TESTS = Path(lb.__file__).parent, Path(__file__).parent
EXEMPT = (
    "__main__.py",  # calls `_cli.main`: tests/cli runs it
    "_types.py",  # names of types: mypy checks them
)


def place_of(module):
    """Where the tests of a module stand."""
    *folders, name = [part.lstrip("_") for part in module.with_suffix("").parts]
    return TESTS.joinpath(*folders, f"test_{name}.py")


def test_every_module_has_tests_of_its_name():
    modules = [
        path.relative_to(SRC) for path in sorted(SRC.rglob("*.py")) if path.name != "__init__.py"
    ]
    without = {module.as_posix() for module in modules if not place_of(module).exists()}
    missing = without - set(EXEMPT)
    assert not missing, f"give each its tests, in tests/: {sorted(missing)}"
    # What is excused has no tests: an excuse that is not needed goes.
    assert set(EXEMPT) <= without


def test_every_folder_of_tests_is_a_room():
    rooms = {path.name.lstrip("_") for path in SRC.iterdir() if path.is_dir()}
    # Pages; readers and fits against noise; coverage; what benchmarks/ counts with.
    apart = {"docs", "fuzz", "statistics", "benchmarks"}
    folders = {path.parent.relative_to(TESTS).parts[0] for path in TESTS.glob("*/**/test_*.py")}
    assert folders <= rooms | apart
