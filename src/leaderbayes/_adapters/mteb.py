"""MTEB: results of embedding models on tasks."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._adapters.items import (
    Said,
    Sources,
    at,
    check_tasks,
    files_of,
    hold,
    list_at,
    read_json,
    text_at,
)
from leaderbayes._adapters.tables import (
    Asked,
    arrange,
    collect,
    direction,
)
from leaderbayes._errors import ScoresError
from leaderbayes._scores.tables import listed, shown

_MAIN = "main_score"


def from_mteb(source: Sources, asked: Asked) -> xr.DataArray:
    """Read ``results/MODEL/REVISION/TASK.json``: means over splits and subsets."""
    score, most = asked.metric or _MAIN, asked.max_mb
    files = files_of(source, ["*.json"], what="MTEB (TASK.json)", hint="mteb writes one per task.")
    read = [
        (name or path.parent.parent.name.replace("__", "/") or "model", *read_json(path, most))
        for name, path in files
        if path.name != "model_meta.json"
    ]
    for _, where, result in read:
        if not (text_at(result, "task_name") and at(result, "scores")):
            raise ScoresError(
                f"{where}: no 'task_name' and 'scores', as in results of MTEB since 1.11; convert "
                "older ones by TaskResult.from_disk and to_disk."
            )
    check_tasks(
        asked.tasks, list(dict.fromkeys(text_at(result, "task_name") for *_, result in read))
    )
    said: Said = {}
    records = [
        {"model": model, "task": task, score: _mean(where, task, result, score, asked.splits, said),
         "where": f"{where}, task {shown(task)}"}
        for model, where, result in read
        if (task := text_at(result, "task_name")) in (asked.tasks or [task])
    ]  # fmt: skip
    table = collect([where for _, where, _ in read], records)
    better = True if score == _MAIN and asked.higher_is_better is None else asked.higher_is_better
    columns = {"player": "model", "round": "task"}
    return arrange(table, columns, score, better=direction(table, score, better))


def _mean(
    where: str, task: str, result: Any, metric: str, splits: Sequence[str] | None, said: Said
) -> float:
    """Average the scores of a task's subsets, which must be those of the other models."""
    revision = text_at(result, "dataset_revision") or None
    hold(said, task, revision, where, by="dataset_revision")
    held = at(result, "scores")
    names = list(held) if isinstance(held, dict) else []
    parts: dict[tuple[str, str], float] = {}
    for split in names if splits is None else [name for name in splits if name in names]:
        for entry in list_at(held, split):
            value, part = at(entry, metric), (split, text_at(entry, "hf_subset"))
            place = f"{where}: subset {shown(part[1])} of split {shown(split)}"
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise ScoresError(f"{place} has no number {shown(metric)} (metric=, --score).")
            if part in parts:
                raise ScoresError(f"{place} appears twice; keep one of its scores.")
            parts[part] = float(value)
    if not parts:
        raise ScoresError(f"{where}: no scores of these splits; there are {listed(names)}.")
    # mteb writes NaN for a split whose labels are not public, beside the scores of others.
    parts = {part: value for part, value in parts.items() if not np.isnan(value)}
    if not parts:
        return float("nan")
    first, there = said.setdefault((task, "", "parts"), (parts.keys(), where))
    if parts.keys() != first:
        other = "/".join(min(parts.keys() ^ first))
        raise ScoresError(
            f"{where}: task {shown(task)} has other splits or subsets than in {there}, such as "
            f"{shown(other)}; name common splits (splits=), or exclude the task (tasks=)."
        )
    return float(np.mean(list(parts.values())))
