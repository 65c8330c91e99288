"""Time commands cold and warm, as ratios to importing their libraries in the same run.

    uv run --all-extras python benchmarks/run.py [--docs]

Cold is a process with empty caches, as in a container; warm is the next one. CPU seconds of a
whole process, user time. With --docs the table replaces that in benchmarks/README.md.
"""

import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
BOARD = str(ROOT / "src" / "leaderbayes" / "data" / "classifiers.csv")
ONE = [BOARD, "--only", "breast_cancer", "--test-fraction", "0.2", "--seed", "1"]
IMPORTS = "import numpy, pandas, xarray, scipy.linalg, scipy.special, arviz_stats"
CACHES = ("HOME", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "MPLCONFIGDIR")
BEGIN, END = "<!-- benchmarks/run.py -->", "<!-- end -->"


def rows(folder):
    """Commands by what they are called in the table."""
    return {
        "rank": ["rank", *ONE],
        "rank, with figures": ["rank", *ONE, "--out", f"{folder}/fit"],
        "compare": ["compare", BOARD, "svm C=1", "svm C=10", *ONE[1:]],
        "audit": ["audit", *ONE],
        "report": ["report", f"{folder}/fit", "--out", f"{folder}/page.html"],
        "rank, PMRA": ["rank", *ONE, "--model", "round_intercept"],
        "rank, Plackett-Luce": ["rank", *ONE, "--model", "plackett_luce"],
        "rank, Davidson": ["rank", *ONE, "--model", "davidson"],
    }


def seconds(command, caches):
    """User seconds of a process."""
    own = {name: f"{caches}/{name}" for name in CACHES} | {"OPENBLAS_NUM_THREADS": "1"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run(command, check=True, capture_output=True, env=os.environ | own)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def table():
    """Lines of the table."""
    yield "| command | cold, CPU s | warm, CPU s | cold / imports | warm / imports |"
    yield "|---|---|---|---|---|"
    with tempfile.TemporaryDirectory() as folder:
        imports = [seconds([sys.executable, "-c", IMPORTS], folder) for _ in range(3)]
        least = min(imports)
        for name, arguments in rows(folder).items():
            command = [sys.executable, "-W", "ignore", "-m", "leaderbayes", *arguments]
            caches = tempfile.mkdtemp(dir=folder)
            cold, warm = (seconds(command, caches) for _ in range(2))
            numbers = (f"{cold:.1f}", f"{warm:.1f}", f"{cold / least:.1f}", f"{warm / least:.1f}")
            yield f"| {' | '.join((name, *numbers))} |"
        yield f"| imports alone | {least:.1f} | {least:.1f} | 1 | 1 |"


def main():
    made = []
    for line in table():
        print(line, flush=True)
        made.append(line)
    if "--docs" in sys.argv:
        page = Path(__file__).with_name("README.md")
        text = "\n".join([BEGIN, "", *made, "", END])
        old = page.read_text("utf-8")
        page.write_text(re.sub(f"{BEGIN}.*?{END}", text, old, flags=re.DOTALL), "utf-8")


if __name__ == "__main__":
    main()
