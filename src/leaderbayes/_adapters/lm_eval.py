"""lm-evaluation-harness: results of language models on tasks, and on each item."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import xarray as xr

from leaderbayes._adapters.items import (
    Answer,
    Run,
    Said,
    Sources,
    at,
    files_of,
    hold,
    named_sources,
    read_items,
    read_json,
)
from leaderbayes._adapters.tables import Asked, arrange, collect
from leaderbayes._arguments import are_names
from leaderbayes._errors import ScoresError
from leaderbayes._files.read import unzip
from leaderbayes._scores.metrics import more_is_better
from leaderbayes._scores.sources import parse_lines, read_bytes
from leaderbayes._scores.tables import listed, shown, suggest

Results = str | Path | Mapping[str, Any]

# Entries of a task that are no metrics.
_OTHERS = ("alias", "sample_len", "samples", "name", "sample_count")
# Where the name of the model stands in model_args, most telling first, as the harness has it.
_MODEL = ("peft", "delta", "pretrained", "model", "path", "engine")


def from_lm_eval(source: Results | Sequence[Results], asked: Asked) -> xr.DataArray:
    """Read ``results_*.json``, or what ``simple_evaluate`` returned."""
    wanted = [asked.metric] if isinstance(asked.metric, str) else asked.metric or []
    if not are_names(wanted):
        raise ScoresError(f"metric={asked.metric!r:.60} must be a name or a list of names.")
    records: list[dict[str, Any]] = []
    better: dict[bool, str] = {}
    said: Said = {}
    files = []
    for model, where, results in _read_all(source, asked.max_mb):
        files.append(where)
        for task, key, score in _scores_of(where, results, list(wanted), asked.tasks):
            place = f"{where}, task {shown(task)}"
            for by, value in (
                ("metric", key.removesuffix(",none")),
                ("version", at(results, "versions", task)),
                ("n-shot", at(results, "n-shot", task)),
            ):
                plain = value if isinstance(value, int | float | str) else None
                hold(said, task, plain, place, by=by)
            more = _direction(results, task, key, asked.higher_is_better, place)
            better.setdefault(more, f"{shown(key)} of {shown(task)}")
            records.append({"model": model, "task": task, "score": score, "where": place})
    table = collect(files, records)
    if len(better) > 1:
        table.refuse(
            f"higher is better for {better[True]}, lower for {better[False]}; choose tasks of one "
            "direction (tasks=, metric=)."
        )
    columns = {"player": "model", "round": "task"}
    return arrange(table, columns, "score", better=next(iter(better)))


def _read_all(source: Any, max_mb: float) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield each result's model, place and content."""
    if isinstance(source, Mapping) and isinstance(source.get("results"), Mapping):
        source = [source]
    sources = named_sources(source)
    if not sources:
        raise ScoresError(
            f"Results cannot be read from {shown(source)}: pass paths of results_*.json, or a "
            "result of simple_evaluate."
        )
    for number, (name, it) in enumerate(sources):
        if isinstance(it, str | Path):
            hint = "lm-evaluation-harness writes one per run."
            for _, path in files_of(it, ["results*.json"], what="lm-evaluation-harness", hint=hint):
                where, results = read_json(path, max_mb)
                if not isinstance(results, Mapping):
                    raise ScoresError(f"{where}: no object with results.")
                yield name or _model(results, path.stem), where, results
        elif isinstance(it, Mapping):
            yield name or _model(it, f"model {number}"), f"result {shown(name or number)}", it
        else:
            raise ScoresError(f"result {number} is a {type(it).__name__}, not a path or a dict.")


def _model(results: Mapping[str, Any], default: str) -> str:
    """Name the model: as it says, as its arguments say, or as the file is called."""
    arguments = at(results, "config", "model_args")
    if isinstance(arguments, str):
        arguments = dict(part.partition("=")[::2] for part in arguments.split(","))
    names = [results.get("model_name"), *(at(arguments, key) for key in _MODEL)]
    names.append(at(results, "config", "model"))
    return next((name for name in names if isinstance(name, str) and name.strip()), default)


def _scores_of(
    where: str, results: Mapping[str, Any], wanted: list[str], tasks: Sequence[str] | None
) -> Iterator[tuple[str, str, Any]]:
    """Yield each task of a model, the key of its metric, and its score."""
    held, groups = results.get("results"), results.get("groups")
    if not isinstance(held, Mapping):
        raise ScoresError(f"{where}: no object 'results'; use results_*.json of the harness.")
    # Older files have the groups apart from the tasks.
    entries = {**(groups if isinstance(groups, Mapping) else {}), **held}
    names = tasks or [name for name in held if not at(results, "group_subtasks", name)]
    for name in dict.fromkeys(names):
        if name not in entries:
            raise ScoresError(f"{where}: no task {shown(name)}; {suggest(name, entries)}")
        entry = entries[name]
        if not isinstance(entry, Mapping):
            raise ScoresError(f"{where}: task {shown(name)} holds no metrics.")
        key = _metric_of(f"{where}: task {shown(name)}", entry, wanted)
        missing = isinstance(entry[key], str) and entry[key].strip().lower() == "n/a"
        yield str(name), key, None if missing else entry[key]


def _metric_of(place: str, entry: Mapping[str, Any], wanted: list[str]) -> str:
    """Find the key of a task's metric: "acc,none", or "acc" in older files."""
    keys = [str(key) for key in entry if key not in _OTHERS and "_stderr" not in str(key)]
    for name in wanted:
        found = [key for key in keys if name in (key, key.split(",")[0])]
        if name in found or len(found) == 1:
            return name if name in found else found[0]
        if found:
            raise ScoresError(f"{place} has {shown(name)} by several filters: {listed(found)}.")
    if len(keys) == 1 and not wanted:
        return keys[0]
    none = f"none is {' or '.join(map(shown, wanted))}; " if wanted else ""
    raise ScoresError(
        f"{place} has {listed(keys) or 'no metric'}; {none}name a metric of each task (metric=, "
        "--score), or exclude the task (tasks=)."
    )


def _direction(
    results: Mapping[str, Any], task: str, key: str, given: bool | None, place: str
) -> bool:
    """Return whether more is better, as the user says, the file, or the metric's name."""
    metric = key.split(",")[0]
    said = at(results, "higher_is_better", task, metric)
    for better in (given, said if isinstance(said, bool) else None, more_is_better(metric)):
        if better is not None:
            return bool(better)
    raise ScoresError(f"{place}: direction of {shown(key)} unknown; set higher_is_better=.")


# What language models answered to each item (``--log_samples``)

# samples_TASK_2024-05-01T10-00-00.000000.jsonl
_NAME = re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d\d-\d\dT[\d.\-]+)?\.jsonl(\.gz)?")
_NO_METRICS = ("doc_id", "filter", "doc_hash", "prompt_hash", "target_hash", "target")


def from_lm_eval_samples(source: Sources, asked: Asked) -> xr.DataArray:
    """Read ``samples_*.jsonl``, whose folder names the model; ``metric`` may name a filter."""
    hint = "lm-evaluation-harness writes them with --log_samples."
    files = files_of(source, ["samples_*.jsonl*"], what="lm-evaluation-harness", hint=hint)
    name, _, by = (asked.metric or "").partition(",")
    runs = []
    for model, path in files:
        named = _NAME.fullmatch(path.name)
        task = named["task"] if named else path.name.split(".")[0]
        model = model or path.parent.name.replace("__", "/") or "model"
        runs.append(Run(str(path), model, task, _answers(path, by, asked.max_mb)))
    return read_items(runs, asked._replace(metric=name or None), item="doc_id", by="doc_hash")


def _answers(path: Path, by: str, max_mb: float) -> Iterator[Answer]:
    """Read a file's answers, by one filter if it is named."""
    where, content = read_bytes(path, max_mb)
    if content.startswith(b"\x1f\x8b"):
        content = unzip(content, where, max_mb)
    samples, lines = parse_lines(content, where)
    filters = {str(sample.get("filter")) for sample in samples}
    for sample, line in zip(samples, lines, strict=True):
        place = f"{where}, line {line}"
        if by and sample.get("filter") != by:
            continue
        item = sample.get("doc_id")
        if not isinstance(item, int | str) or isinstance(item, bool):
            raise ScoresError(f"{place}: no 'doc_id', which answers of lm-evaluation-harness have.")
        scores = _metrics_in(sample, place)
        if not by and len(filters) > 1:
            scores = {f"{name},{sample.get('filter')}": it for name, it in scores.items()}
        yield Answer(place, str(item), scores, same=sample.get("doc_hash"))


def _metrics_in(sample: dict[str, Any], place: str) -> dict[str, Any]:
    """Return the metrics that a sample names, or all of its numbers."""
    named = sample.get("metrics")
    names = named if isinstance(named, list) else [n for n in sample if n not in _NO_METRICS]
    held = {str(n): sample[n] for n in names if isinstance(n, str) and n in sample}
    scores = {name: it for name, it in held.items() if not isinstance(it, list | dict)}
    if isinstance(named, list) and held and not scores:
        raise ScoresError(
            f"{place}: {', '.join(map(shown, held))} has no score per item (F1, perplexity): use "
            "the results_*.json ('lm-eval', --format lm-eval)."
        )
    numbers = {name: it for name, it in scores.items() if isinstance(it, int | float)}
    return scores if isinstance(named, list) or not numbers else numbers
