"""What an installation takes: PyMC, ArviZ and nutpie alone, and with leaderbayes.

    uv run python benchmarks/install_size.py            # prints a table; fails above 10 % more
    uv run python benchmarks/install_size.py df58ed3~   # beside it, the core of an earlier commit

Each is installed anew by uv, in the newest versions there are. MB (10^6 bytes) are of the files as
installed, without byte code.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MADE_OF = ["arviz", "nutpie", "pymc"]
MOST = 1.10


def size_of(requirements: list[str], python: str) -> tuple[float, int]:
    """Install requirements into an empty environment; return MB and the number of distributions."""
    uv = os.environ.get("UV") or shutil.which("uv")
    if uv is None:
        sys.exit("there is no uv: pip install uv")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([uv, "venv", "-q", "--no-config", "--python", python, folder], check=True)
        command = [uv, "pip", "install", "-q", "--no-config", "--python", folder]
        subprocess.run([*command, *requirements], check=True, cwd=folder)
        files = [file for file in Path(folder).rglob("*") if file.suffix != ".pyc"]
        kept = [file for file in files if file.is_file() and not file.is_symlink()]
        total = sum(file.stat().st_size for file in kept) / 1e6
        return total, sum(file.name == "METADATA" for file in kept)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", nargs="?", help="a commit, whose core is measured too")
    parser.add_argument("--python", default=sys.executable)
    asked = parser.parse_args()
    rows = {"pymc arviz nutpie": MADE_OF}
    if asked.before:
        command = ["git", "show", f"{asked.before}:pyproject.toml"]
        shown = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
        needed = tomllib.loads(shown.stdout)["project"]["dependencies"]
        rows[f"dependencies of {asked.before}"] = needed
    rows["leaderbayes"] = [str(ROOT)]
    rows["leaderbayes[all]"] = [f"leaderbayes[all] @ {ROOT.as_uri()}"]
    sizes = {name: size_of(requirements, asked.python) for name, requirements in rows.items()}
    base, distributions = sizes["pymc arviz nutpie"]
    print("| installed | MB | more | distributions | more |\n|---|---|---|---|---|")
    for name, (mb, n) in sizes.items():
        more = f"{mb / base - 1.0:+.1%}", f"{n - distributions:+d} ({n / distributions - 1.0:+.0%})"
        print(f"| {name} | {mb:.0f} | {more[0]} | {n} | {more[1]} |")
    core = sizes["leaderbayes"]
    if core[0] > MOST * base or core[1] > MOST * distributions:
        sys.exit(f"the core is more than {MOST - 1.0:.0%} larger than what it is made of")


if __name__ == "__main__":
    main()
