"""Tables of evidence: CSV files that grow cell by cell, so that a run that was stopped goes on."""

import csv
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from pathlib import Path

import numpy as np


def read(path: Path) -> list[dict]:
    """Rows of a table, none where there is none."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: Sequence[dict]) -> None:
    """Write a table whole, or not at all."""
    part = path.with_suffix(".part")
    with part.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    part.replace(path)


def complete(
    folder: Path,
    table: str,
    keys: Sequence[str],
    asked: Sequence[tuple],
    work: Callable[..., dict[str, list[dict]]],
    executor: Executor,
    batch: int = 1,
) -> None:
    """Write what ``work(*cell)`` gives of every cell asked for that is not in the table yet.

    That is the rows of each table that it makes, by name, all of them with the cell's ``keys``.
    The ``table`` that says what is there is written last; ``batch`` cells go to a process at once.
    """
    order = {tuple(map(str, cell)): place for place, cell in enumerate(asked)}

    def place(row):
        return order[tuple(str(row[key]) for key in keys)]

    there = {place(row) for row in read(folder / f"{table}.csv")}
    left = [cell for number, cell in enumerate(asked) if number not in there]
    found = executor.map(work, *zip(*left, strict=True), chunksize=batch) if left else ()
    for cell, made in zip(left, found, strict=True):
        for name in sorted(made, key=table.__eq__):
            path = folder / f"{name}.csv"
            # A run may have been stopped between two tables.
            others = [row for row in read(path) if place(row) != order[tuple(map(str, cell))]]
            if rows := sorted([*others, *made[name]], key=place):
                write(path, rows)
        print(table, *cell, flush=True)


def mean(values: Iterable[float]) -> float:
    """Mean, as tables have it."""
    return round(float(np.mean(list(values))), 4)


def error(values: Iterable[float]) -> float:
    """Monte Carlo error of the mean."""
    values = np.array(list(values), float)
    return round(float(values.std() / np.sqrt(len(values))), 4)
