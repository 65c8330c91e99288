"""Remake the evidence of the models.

    uv run --group evidence python models/make.py bradley_terry
    uv run --group evidence python models/make.py coverage

NAME is a model (its plate diagram, drawn from the code, and simulation-based calibration, in
models/NAME/evidence/), "coverage", "fits", "learning", "new_data", "populations", "sizes",
"votes", "vote_models" or "vote_tournaments" (tables in models/evidence/) or "all".
What is there is kept if this very code made it (run.json has its hash, see sources.py): a run that
was stopped goes on; delete a file to remake it. What other code made is deleted. Plates need
Graphviz' dot.
--confirm remakes some rows of each table in place of all: where this code gives the very same
numbers (a function moved, a name changed), the evidence is taken as its own, and run.json says so.
--dask ADDRESS runs on a cluster's scheduler instead of processes here.
"""

import argparse
import json
import sys
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from shutil import copy, copytree
from tempfile import TemporaryDirectory

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import bests  # noqa: E402
import fits  # noqa: E402
import intervals  # noqa: E402
import learning  # noqa: E402
import new_data  # noqa: E402
import populations  # noqa: E402
import sizes  # noqa: E402
import vote_models  # noqa: E402
import vote_tournaments  # noqa: E402
import votes  # noqa: E402
from calibration import SETTINGS, build, calibrate  # noqa: E402
from sources import digest  # noqa: E402

# Of all models together.
TABLES = {
    "coverage": intervals, "fits": fits, "learning": learning, "new_data": new_data,
    "populations": populations, "sizes": sizes, "votes": votes, "vote_models": vote_models,
    "vote_tournaments": vote_tournaments,
}  # fmt: skip
# Each after those that it imports.
MODULES = (
    "tables", "bests", "calibration", "fits", "intervals", "learning", "new_data", "populations",
    "sizes", "votes", "vote_models", "vote_tournaments",
)  # fmt: skip


def plate(name, folder):
    """Draw the model of the calibration's board."""
    import pymc as pm

    graph = pm.model_to_graphviz(build(name))
    graph.render(folder / "plate", format="svg", cleanup=True)


def write_table(mark, readme, table):
    """Put a table between its marks in models/README.md."""
    rows = [list(table.columns), ["---"] * table.shape[1]]
    rows += [
        [f"{v:.3f}" if isinstance(v, float) else str(v) for v in row.values()]
        for row in table.to_dict("records")
    ]
    lines = "\n".join("| " + " | ".join(row) + " |" for row in rows)
    head, rest = readme.read_text().split(f"<!-- {mark} -->")
    tail = rest.split("<!-- end -->", 1)[1]
    readme.write_text(f"{head}<!-- {mark} -->\n{lines}\n<!-- end -->{tail}")


def begin(name, folder):
    """Say in run.json what code makes this evidence; what other code made is no part of it."""
    record = folder / "run.json"
    sources = digest(name)
    if not (record.exists() and json.loads(record.read_text()).get("sources") == sources):
        for file in folder.iterdir():
            file.unlink()
    packages = ("leaderbayes", "pymc", "nutpie", "numpy", "arviz")
    run = {"sources": sources, "versions": {package: version(package) for package in packages}}
    record.write_text(json.dumps(run, indent=2) + "\n")


def complete(name, folder, executor: Executor, count, **parts):
    """Make what is not there."""
    if name in TABLES:
        TABLES[name].cover(folder, executor)
        return
    if not (folder / "plate.svg").exists():
        plate(name, folder)
    calibrate(name, folder, executor, count=count, **parts)
    if name == "sota":
        bests.cover(folder, executor)


def folder_of(name):
    """Where the evidence of a name is."""
    return HERE / "evidence" / name if name in TABLES else HERE / name / "evidence"


def make(name, executor: Executor, count):
    """Evidence of one name."""
    folder = folder_of(name)
    folder.mkdir(parents=True, exist_ok=True)
    begin(name, folder)
    complete(name, folder, executor, count)
    if name in TABLES:
        for mark, table in TABLES[name].shown(folder).items():
            write_table(mark, HERE / "README.md", table)


def confirm(name, executor: Executor, rows):
    """Take evidence of other code as evidence of this, if so many rows come out the same."""
    folder, record = folder_of(name), folder_of(name) / "run.json"
    run, sources = json.loads(record.read_text()), digest(name)
    if run["sources"] == sources:
        return
    count = None
    if name not in TABLES:
        count = json.loads((folder / "sbc.json").read_text())["simulations"]
    with TemporaryDirectory() as scratch:
        again = copytree(folder, Path(scratch) / "evidence")
        # Of what goes with a table all is remade that its rows are remade with.
        for table in again.glob(f"{name}.csv" if name in TABLES else "*.csv"):
            head, *lines = table.read_text().splitlines(keepends=True)
            step = -(-len(lines) // rows)
            table.write_text(head + "".join(lines[i] for i in range(len(lines)) if i % step))
        if name not in TABLES:
            (again / "plate.svg").unlink()
        # Each part compiles its model.
        complete(name, again, executor, count, parts=1)
        for table in again.glob("*.csv"):
            if table.read_text() != (folder / table.name).read_text():
                sys.exit(f"{name}: this code makes another {table.name}; remake the evidence")
        if name not in TABLES:
            # The same graph may be listed in another order.
            copy(again / "plate.svg", folder)
    run |= {"sources": sources, "confirmed": {"made by": run["sources"], "rows": rows}}
    record.write_text(json.dumps(run, indent=2) + "\n")
    print(f"{name}: the same in {rows} rows of each table", flush=True)


@contextmanager
def workers(count, dask):
    """Executor of so many processes here, or of a Dask cluster."""
    if dask is None:
        # Fork would carry Numba's threads over.
        with ProcessPoolExecutor(count, get_context("spawn")) as executor:
            yield executor
        return
    from distributed import Client

    local = {"n_workers": count, "threads_per_worker": 1, "dashboard_address": None}
    with Client(**local) if dask == "local" else Client(dask) as client:
        # Workers import the modules beside this file.
        for module in MODULES:
            client.upload_file(str(HERE / f"{module}.py"))
        yield client.get_executor()


def main():
    """Parse, and make."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", choices=[*SETTINGS, *TABLES, "all"])
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--confirm", type=int, metavar="ROWS", help="about so many of each table")
    parser.add_argument("--dask", metavar="ADDRESS", help='a scheduler; "local" starts one')
    given = parser.parse_args()
    names = [*SETTINGS, *TABLES] if given.name == "all" else [given.name]
    with workers(given.workers, given.dask) as executor:
        for name in names:
            if given.confirm:
                confirm(name, executor, given.confirm)
            else:
                make(name, executor, given.simulations)


if __name__ == "__main__":
    main()
