"""HELM: what language models scored on each instance."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import xarray as xr

from leaderbayes._adapters.items import (
    Answer,
    Run,
    Sources,
    at,
    files_of,
    list_at,
    read_items,
    read_json,
    text_at,
)
from leaderbayes._adapters.tables import Asked
from leaderbayes._errors import ScoresError
from leaderbayes._scores.tables import shown

_STATS, _RUN = "per_instance_stats.json", "run_spec.json"


def from_helm(source: Sources, asked: Asked) -> xr.DataArray:
    """Read runs: each folder has ``per_instance_stats.json`` and ``run_spec.json``."""
    files = files_of(source, [_STATS], what=f"HELM ({_STATS})", hint="helm-run writes it.")
    return read_items(
        [_run(path, name, asked.max_mb) for name, path in files],
        asked,
        item="instance_id",
        repeat="train_trial_index",
    )


def _run(path: Path, name: str, max_mb: float) -> Run:
    """Name the model and the task of a run by the file beside its statistics."""
    beside = path.with_name(_RUN)
    if path.exists() and not beside.exists():
        raise ScoresError(f"{path}: there is no {_RUN} beside it, which names the model.")
    where, spec = read_json(beside, max_mb)
    model, run = name or text_at(spec, "adapter_spec", "model"), text_at(spec, "name")
    if not (model and run):
        raise ScoresError(f"{where}: no 'name' and 'adapter_spec' with a model, as runs have.")
    scenario, _, given = run.partition(":")
    of_task = [one for one in given.split(",") if not one.startswith(("model=", "model_dep"))]
    task = ":".join(filter(None, [scenario, ",".join(of_task)]))
    return Run(str(path), model, task, _answers(path, max_mb))


def _answers(path: Path, max_mb: float) -> Iterator[Answer]:
    where, entries = read_json(path, max_mb)
    if not isinstance(entries, list):
        raise ScoresError(f"{where}: has no list of instances; use {_STATS} of HELM.")
    for entry in entries:
        if isinstance(at(entry, "perturbation"), Mapping):
            continue
        item, trial = at(entry, "instance_id"), at(entry, "train_trial_index")
        if not isinstance(item, str) or not isinstance(trial, int):
            known = "'instance_id' and 'train_trial_index'"
            raise ScoresError(f"{where}: an instance has no {known}: {shown(entry)}.")
        # Each of a run's metrics may have an entry of its own for an instance.
        for stat in list_at(entry, "stats"):
            scores = {text_at(stat, "name", "name"): at(stat, "mean")}
            yield Answer(f"{where}, {shown(item)}", item, scores, trial)
