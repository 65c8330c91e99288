"""Boardbench: how right tools are that rank players and say how sure one can be.

    uv run --extra data python benchmarks/boardbench/run.py            # about an hour of CPU
    uv run --extra data python benchmarks/boardbench/run.py --quick    # some three minutes

Real boards, simulated ones and cells (boards.py) through every tool of tools/, each file in an
environment of its own that uv makes; writes docs/boardbench.md (--out) and tables.md. Real boards
are downloaded and checked by hash, or read from the folder LEADERBAYES_DATA.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import boards
import numpy as np
import scoring

import report

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "boardbench.md"
OURS = "ours.py"  # runs in the environment that runs this
QUICK = {"real": 12, "boards": 1, "splits": 1, "cells": 1, "limit": 6.0}


def asked(number, splits, cells, real):
    """List boards by id in the order of asking, and what they are for.

    ("simulated" or "cell", kind, number, Board), or ("half", name, split, Board, kept rounds). Of
    cells of 80 players there are a quarter as many boards.
    """
    found = {}
    for k in range(splits):
        for name, board in real.items():
            found[f"{name} / {k}"] = ("half", name, k, *boards.halves(board, k))
    for k in range(number):
        for kind in boards.SIMULATED:
            found[f"{kind} #{k}"] = ("simulated", kind, k, boards.simulated(kind, k))
    for kind, (_, players, *_) in boards.CELLS.items():
        for k in range(cells if players < 50 else -(-cells // 4)):
            found[f"{kind} #{k}"] = ("cell", kind, k, boards.simulated(kind, k))
    return found


def line_of(name, purpose, board):
    """Return a board as a tool's process reads it."""
    values = [[None if np.isnan(x) else x for x in row] for row in board.scores.to_numpy().tolist()]
    return json.dumps(
        {
            "id": name, "for": purpose, "scores": values, "players": list(board.scores.columns),
            "rounds": list(board.scores.index), "facts": board.facts, "seed": 1,
        }
    )  # fmt: skip


def command(file):
    """Return what starts a file of tools in its environment."""
    if file.name == OURS:
        return [sys.executable, str(file)]
    base = getattr(sys, "_base_executable", sys.executable)
    return [os.environ.get("UV", "uv"), "run", "-q", "--script", "--python", base, str(file)]


def environment(file):
    """Return variables for one thread, and byte code on disk."""
    gone = {"PYTHONDONTWRITEBYTECODE"} | ({"PYTHONPATH"} if file.name != OURS else set())
    kept = {k: v for k, v in os.environ.items() if k not in gone}
    return kept | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}


def started(file, *given, timeout=None):
    """Run a file of tools in its environment: return what it printed, and why it failed if so."""
    done = subprocess.run(
        [*command(file), *given], capture_output=True, text=True, env=environment(file),
        cwd=file.parent, timeout=timeout,
    )  # fmt: skip
    lines = done.stderr.strip().splitlines() or ["nothing said"]
    return done.stdout, lines[-1] if done.returncode else None


def named(file):
    """Return the tools of a file, or why there are none."""
    out, said = started(file, "--list")
    return ([] if said else json.loads(out.splitlines()[-1])), said


def answers(file, tool, jobs, limit):
    """Run a tool over all boards: return its answers by id, and why it stopped."""
    with tempfile.TemporaryDirectory() as folder:
        given, out = Path(folder) / "jobs.jsonl", Path(folder) / "answers.jsonl"
        given.write_text("".join(f"{line}\n" for line in jobs), encoding="utf-8")
        try:
            asked = tool, str(given), str(out), str(limit)
            _, said = started(file, *asked, timeout=120.0 + 12.0 * limit)
        except subprocess.TimeoutExpired:
            said = "stopped: it waited too long"
        lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    return {one["id"]: one for one in map(json.loads, lines)}, said


def scored(tool, said, jobs):
    """Score the answers of a tool: return a list of rows for report.py."""
    rows = []
    for name, one in said.items():
        purpose, kind, number, board, *kept = jobs[name]
        row = {"tool": tool, "for": purpose, "board": kind, "number": number, "cpu": one["cpu"]}
        if "refused" in one:
            rows.append(row | {"refused": one["refused"]})
            continue
        answer = {k: v if k == "unit" else np.array(v) for k, v in one["answer"].items()}
        try:
            answer = scoring.checked(answer, board.scores.shape[1])
        except ValueError as error:
            raise SystemExit(f"{tool}, {name}: {error}") from None
        if purpose == "half":
            row |= scoring.of_half(answer, kept[0].to_numpy(), len(board.scores))
        else:
            row |= scoring.of_truth(answer, board.score, board.win)
        rows.append(row)
    return rows


def main():
    """Run, and write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--boards", type=int, default=20, help="of each simulated kind")
    parser.add_argument("--real", type=int, default=1000, help="real boards, first by hash")
    parser.add_argument("--splits", type=int, default=1, help="cuts of each real board")
    parser.add_argument("--cells", type=int, default=40, help="boards of each simulated cell")
    parser.add_argument("--limit", type=float, default=600.0, help="CPU seconds of a tool, thrice")
    parser.add_argument("--workers", type=int, default=2, help="tools at a time")
    parser.add_argument("--tools", nargs="+", metavar="TOOL", help="these only; nothing is written")
    parser.add_argument("--quick", action="store_true", help=f"the same as {QUICK}")
    parser.add_argument("--out", type=Path, help=f"page to write; default {PAGE.name} of docs/")
    given = parser.parse_args()
    if given.quick:
        vars(given).update(QUICK)
    start = time.time()
    frozen = json.loads(boards.FROZEN.read_text(encoding="utf-8"))
    changed = [name for name, now in boards.digests().items() if now not in (None, frozen[name])]
    if changed:
        raise SystemExit(
            f"{', '.join(changed)}: not the frozen boards (frozen.json), so no number of this "
            "machine can stand beside others. What has changed: NumPy, SciPy, or boards.py?"
        )
    sources = {source: boards.real(source) for source in boards.SOURCES}
    absent = [source for source, each in sources.items() if each is None]
    real = {name: board for each in sources.values() for name, board in (each or {}).items()}
    real = dict(sorted(real.items(), key=lambda pair: boards.number_of(pair[0])))
    real = dict(list(real.items())[: given.real])
    jobs = asked(given.boards, given.splits, given.cells, real)
    lines = [line_of(name, job[0], job[3]) for name, job in jobs.items()]
    found, failed = [], {}
    files = sorted((HERE / "tools").glob("[!_]*.py"), key=lambda file: file.name != OURS)
    tools = []
    for file in files:
        names, said = named(file)
        tools += [(file, tool) for tool in names if not given.tools or tool in given.tools]
        if said:
            failed[file.name] = said
    with ThreadPoolExecutor(given.workers) as pool:
        running = [pool.submit(answers, *each, lines, given.limit) for each in tools]
        for (_, tool), each in zip(tools, running, strict=True):
            said, error = each.result()
            if error:
                failed[tool] = error
            found += scored(tool, said, jobs)
            print(f"{tool}: {len(said)} of {len(jobs)} boards", file=sys.stderr, flush=True)
    about = {
        "real": given.real, "boards": given.boards, "splits": given.splits, "cells": given.cells,
        "limit": given.limit, "absent": absent,
        "sources": {source: len(each or {}) for source, each in sources.items()},
        "failed": failed, "minutes": (time.time() - start) / 60.0, "workers": given.workers,
        "cpu": platform.processor() or platform.machine(), "date": time.strftime("%Y-%m-%d"),
        "load": os.getloadavg()[0], "cores": os.cpu_count(), "quick": given.quick,
    }  # fmt: skip
    text, tables = report.page(found, [tool for _, tool in tools], about)
    if given.tools and given.out is None:
        print(text, tables)
        return
    out = given.out or PAGE
    out.write_text(text, encoding="utf-8")
    (out.parent if given.out else HERE).joinpath("tables.md").write_text(tables, encoding="utf-8")


if __name__ == "__main__":
    main()
