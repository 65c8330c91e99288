"""scikit-learn's private names: in one file, and of releases that were tried."""

import ast
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

from leaderbayes.tuning import _sklearn

ROOT = Path(__file__).parents[2]


def test_private_names_of_scikit_learn_stand_in_one_file():
    users = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sklearn"):
                parts = [*node.module.split("."), *(alias.name for alias in node.names)]
                if any(part.startswith("_") for part in parts):
                    users.add(path.name)
    assert users == {"_sklearn.py"}


def test_scikit_learn_has_an_upper_bound():
    """Its next release may move them: then the bound goes up where the tests pass."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    needed = {each.name: each.specifier for each in map(Requirement, extras["tuning"])}
    assert version("scikit-learn") in needed["scikit-learn"]
    assert str(Version(version("scikit-learn")).major + 1) not in needed["scikit-learn"]
    assert any(bound.operator in ("<", "<=") for bound in needed["scikit-learn"])


def test_every_name_is_there():
    source = (ROOT / "src/leaderbayes/tuning/_search.py").read_text(encoding="utf-8")
    used = set(re.findall(r"\b_sklearn\.(\w+)", source))
    assert "fit_and_score" in used
    assert all(callable(getattr(_sklearn, name)) for name in used)
