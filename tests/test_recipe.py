"""The conda recipe asks for what pyproject.toml asks for."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
RECIPE = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text("utf-8"))


def test_requirements():
    wanted = dict(
        re.fullmatch(r"([\w-]+)(?:\[\w+\])?(.*)", d).groups() for d in PROJECT["dependencies"]
    )
    python, *asked = RECIPE["requirements"]["run"]
    found = dict(([*one.split(" ", 1), ""])[:2] for one in asked)
    assert python == "python >=${{ python_min }}"
    assert PROJECT["requires-python"] == f">={RECIPE['context']['python_min']}"
    assert found == wanted


def test_what_is_said_twice():
    assert RECIPE["context"]["version"] == PROJECT["version"]
    assert RECIPE["about"]["summary"] == PROJECT["description"]
    assert RECIPE["about"]["license"] == PROJECT["license"]
    assert RECIPE["about"]["homepage"] == PROJECT["urls"]["Homepage"]
    (entry,) = RECIPE["build"]["python"]["entry_points"]
    assert entry == f"leaderbayes = {PROJECT['scripts']['leaderbayes']}"
