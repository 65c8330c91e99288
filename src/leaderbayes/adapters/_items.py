"""What readers of items share: the files of models, the answers in them, and their scores."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import xarray as xr

from leaderbayes._arguments import are_names
from leaderbayes._errors import ScoresError
from leaderbayes._scores.cells import as_names, as_numbers
from leaderbayes._scores.read import to_scores
from leaderbayes._scores.tables import Table, listed, shown, suggest
from leaderbayes.adapters._columns import collect, direction, named_sources

Files = str | Path
Sources = Files | Sequence[Files] | Mapping[str, Files]
# What was first said of a task or an item, and where.
Said = dict[tuple[str, ...], tuple[Any, str]]


def check_names(metric: Any, tasks: Any) -> list[str] | None:
    """Give the tasks; raise unless they are names, and a metric is one, where they are given."""
    if metric is not None and not isinstance(metric, str):
        raise ScoresError(f"metric={metric!r:.60}: give a name.")
    if tasks is None:
        return None
    if not are_names(tasks):
        raise ScoresError(f"tasks={tasks!r:.60}: give a list of names.")
    if not len(tasks):
        raise ScoresError("tasks=[]: name a task, or leave it out for all.")
    return list(tasks)


def check_tasks(tasks: Sequence[str] | None, known: Sequence[str]) -> None:
    """Raise if a task that is asked for is not there."""
    for task in tasks or ():
        if task not in known:
            raise ScoresError(f"no task {shown(task)} in these files; {suggest(task, known)}")


def files_of(
    source: Any, patterns: Sequence[str], *, what: str, hint: str
) -> Iterator[tuple[str, Path]]:
    """Give the files that are to be read, with the names that the user gave their models.

    Parameters
    ----------
    source : path, sequence of paths, or dict of names to paths
        Files, or folders in which they are, at any depth.
    patterns : sequence of str
        Names of files in a folder.
    what, hint : str
        Whose files they are, and what to do where a folder has none, for messages.

    Yields
    ------
    tuple of str and Path
        "" where the user gave no name.
    """
    sources = named_sources(source)
    if not sources or not all(isinstance(it, str | Path) for _, it in sources):
        raise ScoresError(
            f"Answers are read from folders or files of {what}: give their paths, not "
            f"{shown(source)}."
        )
    for name, it in sources:
        place = Path(it)
        try:
            is_folder = place.is_dir()
            paths = {path for pattern in patterns for path in place.rglob(pattern)}
        except (OSError, ValueError):
            is_folder, paths = False, set()  # to be refused by who reads it
        if is_folder and not paths:
            raise ScoresError(f"{place}: no {' or '.join(patterns)} in this folder; {hint}")
        yield from ((name, path) for path in (sorted(paths) if is_folder else [place]))


def hold(said: Said, key: tuple[str, ...], value: Any, place: str, *, by: str) -> None:
    """Refuse a task, or an item of a task, that is another than where it was met first.

    Parameters
    ----------
    said : dict
        What was said before.
    key : tuple of str
        A task, or a task and an item.
    value : object
        What tells whether it is the same; None does not tell.
    place : str
        Where this is said.
    by : str
        What ``value`` is, for the message.
    """
    first, there = said.setdefault(key, (value, place))
    if first is None:
        said[key] = (value, place)
    elif value is not None and value != first:
        item = f"item {shown(key[1])} of " if len(key) > 1 else ""
        raise ScoresError(
            f"{place}: {item}task {shown(key[0])} is another than in {there} ({by}); evaluate the "
            "models on the same items."
        )


def only_metric(names: Sequence[str], wanted: str | None, place: str) -> str:
    """Take the metric that is named, or the only one."""
    if wanted is not None and wanted not in names:
        raise ScoresError(f"{place}: no metric {shown(wanted)}, but {listed(names) or 'none'}.")
    if wanted is None and len(names) != 1:
        raise ScoresError(
            f"{place}: which metric is the score? Name one (metric=, --score): {listed(names)}."
            if names
            else f"{place}: no metric."
        )
    return names[0] if wanted is None else wanted


def arrange_items(
    files: Sequence[str],
    records: Sequence[dict[str, Any]],
    *,
    item: str,
    repeat: str | None = None,
    clusters: bool,
    better: bool | None,
) -> xr.DataArray:
    """Read the scores of models on items.

    Parameters
    ----------
    files : sequence of str
        Where the answers are from.
    records : sequence of dict
        An answer each: ``model``, ``task``, ``metric``, ``score``, the item and the repeat under
        their names, and ``where``.
    item, repeat : str
        Names of the item and of the number of a repeat, which counts if there are several.
    clusters : bool
        Whether several tasks are clusters, and not tournaments.
    better : bool, optional
        Whether more is better, where that is said.

    Returns
    -------
    DataArray (player, round) or (tournament, player, round)
        As `leaderbayes.read_scores` returns it; of clusters rounds are "task.item", and of one
        task its name is in attrs, ``tournament``.
    """
    table = answers(files, records)
    columns = {"player": "model", "round": item}
    if table.frame["task"].nunique() > 1:
        columns |= {"cluster": "task"} if clusters else {"tournament": "task"}
    if repeat is not None and table.frame[repeat].map(str).nunique() > 1:
        columns["repeat"] = repeat
    long = pd.DataFrame({role: as_names(table, name) for role, name in columns.items()})
    if "cluster" in long:
        long["round"] = long["cluster"] + "." + long["round"]
        columns["round"] = f"task.{item}"
    scores = finish(table, long, columns, better)
    tasks = table.frame["task"].unique()
    return scores if len(tasks) > 1 else scores.assign_attrs(tournament=str(tasks[0]))


def answers(files: Sequence[str], records: Sequence[dict[str, Any]]) -> Table:
    """Make a table of records, which say ``where`` they are from."""
    several = f"{files[0]} and {len(files) - 1} more" if len(files) > 1 else "".join(files)
    table = collect(several, records, lambda k: str(records[k]["where"]))
    if not records:
        table.refuse("there is no answer to any item.")
    return table


def finish(
    table: Table, long: pd.DataFrame, columns: Mapping[str, str], better: bool | None
) -> xr.DataArray:
    """Give the scores of answers whose other roles are known."""
    names = list(table.frame["metric"].unique())
    if len(names) > 1:
        table.refuse(f"items have several metrics: {listed(names)}; name one (metric=, --score).")
    metric = str(names[0])
    long["score"] = as_numbers(table, "score")
    # Of "scorer,key" the key says what is measured.
    better = direction(table, metric.rpartition(",")[2], better)
    return to_scores(table, long, higher_is_better=better, columns={**columns, "score": metric})
