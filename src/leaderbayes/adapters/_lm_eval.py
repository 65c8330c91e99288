"""lm-evaluation-harness: results of language models on tasks."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import xarray as xr

from leaderbayes._arguments import are_names
from leaderbayes._errors import ScoresError
from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.metrics import known_direction
from leaderbayes._scores.tables import Table, listed, shown, suggest
from leaderbayes.adapters._columns import arrange, collect, named_sources
from leaderbayes.adapters._json import at, read_json

Results = str | Path | Mapping[str, Any]

# Entries of a task that are no metrics.
_OTHERS = ("alias", "sample_len", "samples", "name", "sample_count")
# Where the name of the model stands in model_args, most telling first, as the harness has it.
_MODEL = ("peft", "delta", "pretrained", "model", "path", "engine")


def from_lm_eval(
    source: Results | Sequence[Results],
    *,
    metric: str | Sequence[str] | None = None,
    tasks: Sequence[str] | None = None,
    higher_is_better: bool | None = None,
    max_mb: float = MAX_MB,
) -> xr.DataArray:
    """Read results of lm-evaluation-harness: models are players, tasks rounds.

    Parameters
    ----------
    source : path, dict, sequence of these, or dict of names to these
        ``results_*.json`` of each model, or a folder in which they are, at any depth; or what
        ``simple_evaluate`` returned. A dictionary of one's own names the models; without, a
        model goes by ``model_name``, or by what ``model_args`` say.
    metric : str or sequence of str, optional
        Such as "acc", or "exact_match,strict-match" with the filter; of several each task
        takes the first that it has. Needed where a task has several metrics.
    tasks : sequence of str, optional
        Tasks or groups that are rounds. The default is every task that is no group of others.
    higher_is_better : bool, optional
        Whether more is better. The default is what the files say, or else what is known.
    max_mb : float
        The most that each file may hold, unpacked, in megabytes.

    Returns
    -------
    DataArray (player, round)
        Scores of models on tasks.

    Raises
    ------
    ScoresError
        If a file cannot be read, a task has another metric, more is better on some tasks and
        less on others, or models had another metric, version or number of examples (n-shot) of a
        task: names the file and task.

    References
    ----------
    Gao et al., lm-evaluation-harness, doi:10.5281/zenodo.12608602;
    https://github.com/EleutherAI/lm-evaluation-harness/blob/main/docs/python-api.md

    Examples
    --------
    >>> import leaderbayes as lb
    >>> small = {"results": {"arc_easy": {"acc,none": 0.6}, "boolq": {"acc,none": 0.7}}}
    >>> large = {"results": {"arc_easy": {"acc,none": 0.8}, "boolq": {"acc,none": 0.75}}}
    >>> scores = lb.adapters.from_lm_eval({"small": small, "large": large}, metric="acc")
    >>> scores.to_pandas()
    round   arc_easy  boolq
    player
    small        0.6   0.70
    large        0.8   0.75
    """
    wanted = _wanted(metric)
    if tasks is not None and not are_names(tasks):
        raise ScoresError(f"tasks={tasks!r:.60}: give a list of names.")
    records: list[dict[str, Any]] = []
    better: dict[bool, str] = {}
    first: dict[str, dict[str, Any]] = {}
    files = []
    for model, where, results in _read_all(source, max_mb):
        files.append(where)
        for record in _scores_of(model, where, results, wanted, tasks, higher_is_better):
            records.append(record)
            _check_same(first.setdefault(record["task"], record), record)
            better.setdefault(record["better"], f"{shown(record['key'])} of {record['task']!r:.60}")
    several = f"{files[0]} and {len(files) - 1} more" if len(files) > 1 else "".join(files)
    table = collect(several, records, lambda k: _place(records[k]))
    if not records:
        table.refuse("there is no score of any task.")
    if len(better) > 1:
        table.refuse(
            f"more of {better[True]} is better, and less of {better[False]}; take tasks of one "
            "direction (tasks=, metric=)."
        )
    return arrange(table, player="model", round="task", score="score", better=next(iter(better)))


def _wanted(metric: Any) -> list[str]:
    wanted = [] if metric is None else [metric] if isinstance(metric, str) else metric
    if not are_names(wanted):
        raise ScoresError(f"metric={metric!r:.60}: give a name, or a list of names.")
    return list(wanted)


def _place(record: dict[str, Any]) -> str:
    return f"{record['where']}, task {shown(record['task'])}"


# -- files -----------------------------------------------------------------------------------------


def _read_all(source: Any, max_mb: float) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Give each result's model, place and content."""
    if isinstance(source, Mapping) and isinstance(source.get("results"), Mapping):
        source = [source]
    sources = named_sources(source)
    if sources is None:
        raise ScoresError(
            f"Results cannot be read from a {type(source).__name__}: give paths of results_*.json, "
            "or what simple_evaluate returned."
        )
    if not sources:
        raise ScoresError("There are no results to read: give paths of results_*.json.")
    for number, (name, it) in enumerate(sources):
        if isinstance(it, str | Path):
            for path in _files(Path(it)):
                where, results = _read_json(path, max_mb)
                yield name or _model(results, path.stem), where, results
        elif isinstance(it, Mapping):
            yield name or _model(it, f"model {number}"), f"result {shown(name or number)}", it
        else:
            raise ScoresError(f"result {number} is a {type(it).__name__}, not a path or a dict.")


def _files(path: Path) -> list[Path]:
    try:
        if not path.is_dir():
            return [path]
        found = sorted(path.rglob("results*.json"))
    except (OSError, ValueError):
        return [path]  # to be refused by who reads it
    if not found:
        raise ScoresError(f"{path}: no results*.json in this folder.")
    return found


def _read_json(path: Path, max_mb: float) -> tuple[str, Mapping[str, Any]]:
    where, results = read_json(path, max_mb)
    if not isinstance(results, Mapping):
        raise ScoresError(f"{where}: holds no object with results; give results_*.json.")
    return where, results


def _model(results: Mapping[str, Any], default: str) -> str:
    """Name the model: as it says, as its arguments say, or as the file is called."""
    arguments = at(results, "config", "model_args")
    if isinstance(arguments, str):
        arguments = dict(part.partition("=")[::2] for part in arguments.split(","))
    names = [results.get("model_name"), *(at(arguments, key) for key in _MODEL)]
    names.append(at(results, "config", "model"))
    return next((name for name in names if isinstance(name, str) and name.strip()), default)


# -- scores ----------------------------------------------------------------------------------------


def _scores_of(
    model: str,
    where: str,
    results: Mapping[str, Any],
    wanted: list[str],
    tasks: Sequence[str] | None,
    higher_is_better: bool | None,
) -> Iterator[dict[str, Any]]:
    """Read the score of each task of a model, with its metric and direction."""
    held = results.get("results")
    if not isinstance(held, Mapping):
        raise ScoresError(f"{where}: no object 'results'; give results_*.json of the harness.")
    table = Table(where, pd.DataFrame(), lambda k: "")
    # Older files have the groups apart from the tasks.
    groups = results.get("groups")
    entries = {**(groups if isinstance(groups, Mapping) else {}), **held}
    names = [name for name in held if not at(results, "group_subtasks", name)]
    if tasks is not None:
        names = list(dict.fromkeys(tasks))
        for name in names:
            if name not in entries:
                table.refuse(f"no task {shown(name)}; {suggest(name, map(str, entries))}")
    for name in names:
        entry = entries[name]
        if not isinstance(entry, Mapping):
            table.refuse(f"task {shown(name)} holds no metrics.")
        key = _metric_of(table, str(name), entry, wanted)
        better = higher_is_better
        if better is None:
            better = _direction_of(results, name, key)
        if better is None:
            table.refuse(
                f"task {shown(name)}: whether more of {shown(key)} is better is not known; say so "
                "(higher_is_better=True or False)."
            )
        score = entry[key]
        yield {
            "model": model,
            "task": name,
            "score": None if isinstance(score, str) and score.strip().lower() == "n/a" else score,
            "key": key,
            "metric": key.removesuffix(",none"),
            "version": _said(results, "versions", name),
            "n-shot": _said(results, "n-shot", name),
            "better": bool(better),
            "where": where,
        }


def _check_same(first: dict[str, Any], record: dict[str, Any]) -> None:
    """Refuse scores of a task that was put to two models in different ways."""
    for name in ("metric", "version", "n-shot"):
        one, other = first[name], record[name]
        if one is not None and other is not None and one != other:
            raise ScoresError(
                f"{_place(record)}: its {name} is {shown(other)}, but {shown(one)} in "
                f"{first['where']}; evaluate the models alike, or leave the task out (tasks=)."
            )


def _said(results: Mapping[str, Any], key: str, task: str) -> float | str | None:
    """Give what a file says of a task under this key, if it is a number or text."""
    value = at(results, key, task)
    return value if isinstance(value, int | float | str) else None


def _metric_of(table: Table, task: str, entry: Mapping[str, Any], wanted: list[str]) -> str:
    """Find the key of a task's metric: "acc,none", or "acc" in older files."""
    keys = [
        str(key)
        for key in entry
        if key not in _OTHERS and not str(key).split(",")[0].endswith("_stderr")
    ]
    for name in wanted:
        found = [key for key in keys if name in (key, key.split(",")[0])]
        if name in found:
            return name
        if len(found) > 1:
            table.refuse(
                f"task {shown(task)} has {shown(name)} by several filters; name one: "
                f"{listed(found)}."
            )
        if found:
            return found[0]
    if wanted:
        table.refuse(
            f"task {shown(task)} has no metric {' or '.join(map(shown, wanted))}, but "
            f"{listed(keys) or 'none'}; name one of each task in metric=, or leave the task out "
            "(tasks=)."
        )
    if not keys:
        table.refuse(f"task {shown(task)} has no metric; leave it out (tasks=).")
    if len(keys) > 1:
        table.refuse(
            f"task {shown(task)} has several metrics; name one (metric=, --score): {listed(keys)}."
        )
    return keys[0]


def _direction_of(results: Mapping[str, Any], task: str, key: str) -> bool | None:
    """Tell whether more is better, by the file, or as is known; None where neither says."""
    metric = key.split(",")[0]
    said = at(results, "higher_is_better", task, metric)
    return said if isinstance(said, bool) else known_direction(metric)
