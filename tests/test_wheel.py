"""The wheel that is built has all that the package reads, and needs no checkout."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

from leaderbayes.report._card import card_of

ROOT = Path(__file__).parents[1]
UV = os.environ.get("UV") or shutil.which("uv")

READ = """
import json, sys
import leaderbayes as lb
from leaderbayes.report._card import card_of
cards = {model: card_of(model) for model in sys.argv[1:]}
print(json.dumps([lb.__file__, lb.datasets.load("regressors").shape, cards]))
"""


def check_links_of(readme):
    """Each link of README as a package index shows it leads to a page, a section or a file."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["urls"]
    pages, files = f"{urls['Documentation']}/", f"{urls['Source']}/blob/main/"
    links = re.findall(r"\]\((\S+?)\)", readme)
    assert len(links) == len(re.findall(r"\]\(", (ROOT / "README.md").read_text("utf-8")))
    for link in links:
        assert link.startswith("https://"), link
        if link.startswith(pages):
            page, _, section = link.removeprefix(pages).partition("#")
            text = (ROOT / "docs" / page.replace(".html", ".md")).read_text("utf-8")
            heads = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
            names = {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}
            assert not section or section in names, link
        elif link.startswith(urls["Source"]):
            assert (ROOT / link.removeprefix(files)).is_file(), link


@pytest.mark.slow  # downloads hatchling, where it is not in uv's cache
@pytest.mark.skipif(UV is None, reason="there is no uv to build it with")
def test_a_wheel_of_the_source_distribution(tmp_path):
    def call(*command, **options):
        return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout

    call(UV, "build", "--python", sys.executable, "--out-dir", tmp_path, ROOT)
    (wheel,) = tmp_path.glob("*.whl")
    call(UV, "venv", "--python", sys.executable, tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    call(UV, "pip", "install", "--python", python, "--no-deps", wheel)
    with zipfile.ZipFile(wheel) as packed:
        (metadata,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        check_links_of(packed.read(metadata).decode("utf-8").partition("\n\n")[2])
    # What it depends on is taken from here; the package is not, it is installed as a link.
    there = {"PATH": os.environ["PATH"], "PYTHONPATH": sysconfig.get_path("purelib")}
    models = sorted(path.parent.name for path in ROOT.glob("models/*/README.md"))
    shown = call(python, "-c", READ, *models, cwd=tmp_path, env=there)
    where, shape, cards = json.loads(shown)
    assert Path(where).is_relative_to(tmp_path / "venv")
    assert shape == [15, 25]
    assert models
    assert cards == {model: json.loads(json.dumps(card_of(model))) for model in models}
