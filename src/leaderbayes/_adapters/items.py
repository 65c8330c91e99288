"""One walker of the files of models, in which are their answers to items."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import xarray as xr

from leaderbayes._adapters.tables import Asked, arrange, choose, collect, direction
from leaderbayes._errors import ScoresError
from leaderbayes._scores.sources import is_folder, parse, read_bytes
from leaderbayes._scores.tables import Table, listed, shown, suggest

Files = str | Path
Sources = Files | Sequence[Files] | Mapping[str, Files]
# What was first said of a task or an item, and where.
Said = dict[tuple[str, ...], tuple[Any, str]]


class Answer(NamedTuple):
    """What a model scored on an item, by metric."""

    place: str
    item: str
    scores: Mapping[str, Any]
    repeat: int = 1
    same: Any = None  # what must be the same for all models; None is not compared
    cluster: str = ""


class Run(NamedTuple):
    """A model's answers to the items of a task."""

    where: str
    model: str
    task: str
    answers: Iterable[Answer]


def named_sources(source: Any) -> list[tuple[str, Any]] | None:
    """Return one source or several with their names, "" where they have none; None of no such."""
    if isinstance(source, str | Path):
        source = [source]
    if isinstance(source, Mapping):
        return [(str(name), it) for name, it in source.items()]
    if isinstance(source, Sequence) and not isinstance(source, bytes | bytearray):
        return [("", it) for it in source]
    return None


def files_of(
    source: Any, patterns: Sequence[str], *, what: str, hint: str
) -> Iterator[tuple[str, Path]]:
    """Yield the files of these names in files or folders, and the user's names of their models."""
    sources = named_sources(source)
    if not sources or not all(isinstance(it, str | Path) for _, it in sources):
        raise ScoresError(f"Pass paths of files of {what}, or of folders, not {shown(source)}.")
    for name, it in sources:
        place = Path(it)
        if not is_folder(place):
            yield name, place
            continue
        paths = {path for pattern in patterns for path in place.rglob(pattern)}
        if not paths:
            raise ScoresError(f"{place}: no {' or '.join(patterns)} in this folder; {hint}")
        yield from ((name, path) for path in sorted(paths))


def read_json(path: Path, max_mb: float) -> tuple[str, Any]:
    """Return a file's name for messages, and what it holds."""
    where, content = read_bytes(path, max_mb)
    return where, parse(content, where)


def at(results: Any, *keys: str) -> Any:
    """Return what stands under these keys, one within another; None where nothing does."""
    for key in keys:
        results = results.get(key) if isinstance(results, Mapping) else None
    return results


def text_at(results: Any, *keys: str) -> str:
    """Return the text under these keys; "" where there is none."""
    value = at(results, *keys)
    return value.strip() if isinstance(value, str) else ""


def list_at(results: Any, *keys: str) -> list[Any]:
    """Return the list under these keys; an empty one where there is none."""
    value = at(results, *keys)
    return value if isinstance(value, list) else []


def check_tasks(tasks: Sequence[str] | None, known: Sequence[str]) -> None:
    """Raise if a task that is asked for is not there."""
    for task in tasks or ():
        if task not in known:
            raise ScoresError(f"no task {shown(task)} in these files; {suggest(task, known)}")


def hold(said: Said, task: str, value: Any, place: str, *, by: str, item: str = "") -> None:
    """Refuse a task, or an item of one, whose ``value`` is another than where it was met first."""
    first, there = said.setdefault((task, item, by), (value, place))
    if first is None:
        said[task, item, by] = (value, place)
    elif value is not None and value != first:
        what = f"item {shown(item)} of task" if item else "task"
        raise ScoresError(
            f"{place}: {what} {shown(task)} differs from that in {there} ({by}); evaluate all "
            "models on the same task."
        )


def read_items(
    runs: Iterable[Run], asked: Asked, *, item: str, repeat: str = "repeat", by: str = "",
    cluster: str = "", grades: Mapping[str, float] | None = None,
) -> xr.DataArray:  # fmt: skip
    """Read scores of models on items, called ``item``; ``grades`` are words that are scores."""
    runs, tasks, higher_is_better = list(runs), asked.tasks, asked.higher_is_better
    check_tasks(tasks, list(dict.fromkeys(run.task for run in runs)))
    runs = [run for run in runs if tasks is None or run.task in tasks]
    records: list[dict[str, Any]] = []
    said: Said = {}
    metrics: dict[str, None] = {}
    for run in runs:
        answers = list(run.answers)
        names = list(dict.fromkeys(name for answer in answers for name in answer.scores))
        chosen = choose(Table(run.where, pd.DataFrame(), str), asked.metric, names)
        metrics[chosen] = None
        for answer in answers:
            hold(said, run.task, answer.same, answer.place, by=by, item=answer.item)
            if chosen in answer.scores:
                score = answer.scores[chosen]
                if isinstance(score, str) and score in (grades or {}):
                    higher_is_better = True if higher_is_better is None else higher_is_better
                    score = (grades or {})[score]
                records.append(
                    {"model": run.model, "task": run.task, item: answer.item,
                     repeat: answer.repeat, "score": score, "where": answer.place,
                     cluster: answer.cluster}
                )  # fmt: skip
    table = collect([run.where for run in runs], records)
    if len(metrics) > 1:
        table.refuse(f"items have several metrics: {listed(metrics)}; name one (metric=, --score).")
    columns = {"player": "model", "round": item} | ({"cluster": cluster} if cluster else {})
    known = list(table.frame["task"].unique())
    if len(known) > 1 and asked.clusters:
        columns |= {"round": f"task.{item}", "cluster": "task"}
        table.frame[columns["round"]] = table.frame["task"] + "." + table.frame[item]
    elif len(known) > 1:
        columns["tournament"] = "task"
    if table.frame[repeat].map(str).nunique() > 1:
        columns["repeat"] = repeat
    (name,) = metrics
    # The key in "scorer,key".
    better = direction(table, name.rpartition(",")[2], higher_is_better)
    scores = arrange(table, columns, "score", better=better, metric=name)
    return scores if len(known) > 1 else scores.assign_attrs(tournament=str(known[0]))
