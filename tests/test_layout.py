"""Tests lie as the sources do: what `_a/_b.py` does is tested in `tests/a/test_b.py`."""

from pathlib import Path

import leaderbayes as lb

SRC, TESTS = Path(lb.__file__).parent, Path(__file__).parent
EXEMPT = (
    "__main__.py",  # calls `_cli.main`: tests/cli runs it
    "_types.py",  # names of types: mypy checks them
)
# Of others' rooms, whose tests are being moved: to be empty.
BEING_WRITTEN = (
    "_cli/_console.py",
    "_cli/_options.py",
    "_cli/_output.py",
    "_cli/_plan.py",
    "_cli/_rank.py",
    "_cli/_report.py",
    "_cli/_sota.py",
    "_cli/_tournaments.py",
    "_inference/psis.py",
    "_numerics/composite_weight.py",
    "_numerics/elo.py",
    "_numerics/logistic_normal.py",
    "_numerics/places.py",
    "likelihood/_eliminate.py",
    "likelihood/_estimate.py",
    "likelihood/_spread.py",
    "models/_board.py",
    "models/_bradley_terry.py",
    "models/_davidson.py",
    "models/_ops.py",
    "models/_plackett_luce.py",
    "models/_tournaments.py",
    "models/_weight.py",
    "sota/_counts.py",
    "sota/_estimates.py",
    "sota/_parameters.py",
    "sota/_summary.py",
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
    missing = without - {*EXEMPT, *BEING_WRITTEN}
    assert not missing, f"give each its tests, in tests/: {sorted(missing)}"
    # What is excused has no tests: an excuse that is not needed goes.
    assert set(EXEMPT) <= without


def test_every_folder_of_tests_is_a_room():
    rooms = {path.name.lstrip("_") for path in SRC.iterdir() if path.is_dir()}
    apart = {"docs", "fuzz", "statistics"}  # pages; readers and fits against noise; coverage
    folders = {path.parent.relative_to(TESTS).parts[0] for path in TESTS.glob("*/**/test_*.py")}
    assert folders <= rooms | apart
