"""Remake the evidence of the models, or check that the code still says the same.

    uv run --group evidence python models/make.py fits              # a table, in models/evidence/
    uv run --group evidence python models/make.py bradley_terry     # a model: plate, calibration
    uv run --group evidence python models/make.py --check           # a few cells of everything

Without a name all are remade, which takes hours; each has a run.json with the command, the date
and the versions that made it. A table that was stopped goes on where it was. Plates need Graphviz'
dot. --check remakes some boards of a few cells of each table, other ones every day, and calibrates
each model on a few boards. It prints what differs by more than Monte Carlo error, and then ends
with status 1.
"""

import argparse
import json
import os
import random
import sys
from concurrent.futures import Executor, ProcessPoolExecutor
from datetime import date
from functools import partial
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
# Read when NumPy loads: every process has one core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import best  # noqa: E402
import calibration  # noqa: E402
import judges  # noqa: E402
import learning  # noqa: E402
import matches  # noqa: E402
import means  # noqa: E402
import tables  # noqa: E402

TABLES = {
    "coverage": matches.COVERAGE, "fits": matches.FITS, "rounded": matches.ROUNDED,
    "plan": matches.PLAN, "learning": learning.LEARNING, "sizes": means.SIZES,
    "new_data": means.NEW_DATA, "answers": means.ANSWERS, "best": best.BEST,
    "populations": best.POPULATIONS_TABLE, "votes": judges.VOTES_TABLE,
    "matched": judges.MATCHED_TABLE,
}  # fmt: skip
NAMES = (*TABLES, *calibration.NAMES)


def folder_of(name: str) -> Path:
    """Where the evidence of a name is."""
    return HERE / "evidence" / name if name in TABLES else HERE / name / "evidence"


def make(name: str, executor: Executor, simulations: int) -> None:
    """Evidence of one name, and what README shows of it."""
    folder = folder_of(name)
    folder.mkdir(parents=True, exist_ok=True)
    command = f"python models/make.py {name}"
    if name in TABLES:
        tables.make(name, TABLES[name], folder, executor)
        for mark, table in TABLES[name].shown(folder).items():
            write_table(mark, table)
    else:
        calibration.plate(name, folder)
        calibration.make(name, simulations, folder, executor)
        command += f" --simulations {simulations}"
    packages = ("leaderbayes", "pymc", "nutpie", "numpy", "arviz")
    versions = {package: version(package) for package in packages}
    run = {"command": command, "date": date.today().isoformat(), "versions": versions}
    (folder / "run.json").write_text(json.dumps(run, indent=2) + "\n")


def write_table(mark: str, table) -> None:
    """Put a table between its marks in models/README.md."""
    rows = [table.columns, ["---"] * table.shape[1], *table.itertuples(index=False)]
    rows = [[f"{v:.3f}" if isinstance(v, float) else str(v) for v in row] for row in rows]
    lines = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    readme = HERE / "README.md"
    head, rest = readme.read_text().split(f"<!-- {mark} -->")
    tail = rest.split("<!-- end -->", 1)[1]
    readme.write_text(f"{head}<!-- {mark} -->\n{lines}\n<!-- end -->{tail}")


def check(name: str, executor: Executor, cells: int, day: str) -> list[str]:
    """What differs from the evidence of one name by more than Monte Carlo error."""
    rng = random.Random(f"{day} {name}")
    if not (folder_of(name) / "run.json").exists():
        print(name, "is not made yet", flush=True)
        return []
    if table := TABLES.get(name):
        some = rng.sample(list(table.cells), min(cells, len(table.cells)))
        print(name, *some, flush=True)
        path = folder_of(name) / f"{name}.csv"
        work = partial(tables.differences, path, table.board, table.keys, checked=table.checked)
        found = executor.map(work, some)
        return [one for differences in found for one in differences]
    ranks = calibration.ranks(name, 10 * cells, executor, seed=rng.randrange(2, 2**32))
    print(name, len(ranks), "simulations", flush=True)
    return [f"{name}, {len(ranks)} simulations: {one}" for one in calibration.uniform(ranks)]


def main() -> None:
    """Parse, and make or check."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--check", action="store_true", help="compare in place of remaking")
    parser.add_argument("--cells", type=int, default=2, help="cells of each table that are checked")
    parser.add_argument("--day", default=date.today().isoformat(), help="that says which cells")
    parser.add_argument("--simulations", type=int, default=1000, help="of a model's calibration")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    given = parser.parse_args()
    if unknown := set(given.names) - set(NAMES):
        parser.error(f"there is no {', '.join(sorted(unknown))}, but {', '.join(NAMES)}")
    found = []
    # Fork would carry Numba's threads over.
    with ProcessPoolExecutor(given.workers, get_context("spawn")) as executor:
        for name in given.names or NAMES:
            if given.check:
                found += check(name, executor, given.cells, given.day)
            else:
                make(name, executor, given.simulations)
    sys.exit("\n".join(found) or 0)


if __name__ == "__main__":
    main()
