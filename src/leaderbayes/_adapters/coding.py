"""Tasks of code that models solved: SWE-bench, LiveCodeBench, terminal-bench."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
from leaderbayes._arguments import are_names
from leaderbayes._errors import ScoresError, warn
from leaderbayes._scores.tables import counted, shown

_SOLVED = Asked(higher_is_better=True)  # answers have one metric
_IN_FOLDERS = ["results.json", "per_instance_details.json"]
# Fields of a report: what was resolved, and what was put to the system; its other lists are parts.
_RESOLVED = "resolved_ids"
_FAILED = ("unresolved_ids", "error_ids", "empty_patch_ids", "completed_ids", "submitted_ids")
_CONTRARY = {"unresolved_ids", "error_ids", "empty_patch_ids", "no_generation", "no_logs"}


def from_swe_bench(source: Sources, asked: Asked) -> xr.DataArray:
    """Read reports ``MODEL.RUN_ID.json``, or results of the repository "experiments"."""
    found = files_of(
        source,
        [*_IN_FOLDERS, "*.*.json"],
        what="SWE-bench (MODEL.RUN_ID.json, results.json)",
        hint="the harness writes a report MODEL.RUN_ID.json.",
    )
    # What agents did stands beside it.
    files = [one for one in found if not one[1].name.endswith(".traj.json")]
    outcomes = [(name or _system(path), *_outcomes(path, asked.max_mb)) for name, path in files]
    known = asked.instances
    named = dict.fromkeys(item for *_, outcome in outcomes for item in outcome)
    partial = [where for _, where, whole, _ in outcomes if not whole]
    if partial and known is None:
        warn(
            f"LB053 {partial[0]} lists only resolved instances: shares of the "
            f"{counted(len(named), 'instance')} that any file names are too high. Pass all "
            "instances of the benchmark (instances=)."
        )
    everything = dict.fromkeys(named if known is None else known)
    runs = []
    for system, where, whole, outcome in outcomes:
        if unknown := [item for item in outcome if item not in everything]:
            raise ScoresError(f"{where}: {shown(unknown[0])} is not among the instances= given.")
        full = outcome if whole else dict.fromkeys(everything, 0) | outcome
        answers = []
        for item, resolved in full.items():
            repository = item.rpartition("-")[0].replace("__", "/") or item
            place = f"{where}, {shown(item)}"
            answers.append(Answer(place, item, {"resolved": resolved}, cluster=repository))
        runs.append(Run(where, system, "SWE-bench", answers))
    return read_items(
        runs, _SOLVED, item="instance_id", cluster="" if asked.clusters is False else "repository"
    )


def _system(path: Path) -> str:
    """Name a system by its folder among the experiments, or by its report."""
    if path.name in _IN_FOLDERS:
        folder = path.parent.parent if path.parent.name == "results" else path.parent
        return folder.name or "model"
    return (path.stem.rpartition(".")[0] or path.stem).replace("__", "/")


def _outcomes(path: Path, max_mb: float) -> tuple[str, bool, dict[str, int]]:
    """Read what a file says of instances, and whether of all that were put to the system."""
    where, report = read_json(path, max_mb)
    report = report if isinstance(report, Mapping) else {}
    if _RESOLVED in report:
        return where, True, _marked(report, _RESOLVED, [k for k in _FAILED if k in report], where)
    if isinstance(report.get("resolved"), list):
        others = [key for key, held in report.items() if isinstance(held, list)]
        return where, False, _marked(report, "resolved", others, where)
    details = {item: at(of, "resolved") for item, of in report.items()}
    if details and all(isinstance(resolved, bool) for resolved in details.values()):
        return where, True, {item: int(resolved) for item, resolved in details.items()}
    raise ScoresError(f"{where}: no 'resolved_ids' or 'resolved', which results of SWE-bench have.")


def _marked(report: Mapping[str, Any], key: str, others: list[str], where: str) -> dict[str, int]:
    """Mark what was resolved 1, and what else is listed 0."""
    lists = {name: report[name] for name in (key, *others)}
    for name, items in lists.items():
        if not are_names(items) or len(set(items)) < len(items):
            raise ScoresError(f"{where}: {shown(name)} must list instances, each once.")
        both = set(items) & set(lists[key]) if name in _CONTRARY else set()
        if both:
            raise ScoresError(f"{where}: {shown(min(both))} is in {shown(key)} and {shown(name)}.")
    resolved = set(lists[key])
    return {item: int(item in resolved) for item in sorted(set().union(*lists.values()))}


def from_livecodebench(source: Sources, asked: Asked) -> xr.DataArray:
    """Read ``*_eval_all.json``: the share of a model's samples that solved a question."""
    runs = []
    for name, path in files_of(
        source, ["*_eval_all.json"], what="LiveCodeBench", hint="its --evaluate writes them."
    ):
        where, found = read_json(path, asked.max_mb)
        records = found if isinstance(found, list) else [None]
        answers = []
        for k, record in enumerate(records):
            item, grades = text_at(record, "question_id"), list_at(record, "graded_list")
            if not item or not grades or not all(isinstance(grade, bool) for grade in grades):
                raise ScoresError(
                    f"{where}, record {k} (from 0): no 'question_id' and 'graded_list' of true and "
                    "false, which results of LiveCodeBench have (*_eval_all.json)."
                )
            answers += [
                Answer(f"{where}, {shown(item)}", item, {"solved": grade}, repeat=n)
                for n, grade in enumerate(grades, 1)
            ]
        runs.append(Run(where, name or path.parent.name or "model", "LiveCodeBench", answers))
    return read_items(runs, _SOLVED, item="question_id", repeat="sample")


def from_terminal_bench(source: Sources, asked: Asked) -> xr.DataArray:
    """Read ``results.json`` of runs: the share of attempts that resolved a task."""
    of_agent: dict[str, list[Answer]] = {}
    attempts: dict[tuple[str, str], int] = {}
    for name, path in files_of(
        source, ["results.json"], what="terminal-bench", hint="tb run writes them."
    ):
        where, found = read_json(path, asked.max_mb)
        if at(found, "task_id") is not None:
            continue  # a trial by itself, which the run's file has too
        agent = name or _agent(path, asked.max_mb)
        answers = of_agent.setdefault(agent, [])
        for k, trial in enumerate(list_at(found, "results") or [None]):
            item, resolved = text_at(trial, "task_id"), at(trial, "is_resolved")
            if not item or resolved not in (True, False, None):
                raise ScoresError(
                    f"{where}, result {k} (from 0): no 'task_id' and 'is_resolved', which results "
                    "of terminal-bench have."
                )
            attempts[agent, item] = number = attempts.get((agent, item), 0) + 1
            place = f"{where}, {shown(item)}"
            answers.append(Answer(place, item, {"is_resolved": bool(resolved)}, repeat=number))
    runs = [Run(agent, agent, "terminal-bench", answers) for agent, answers in of_agent.items()]
    return read_items(runs, _SOLVED, item="task_id", repeat="attempt")


def _agent(path: Path, max_mb: float) -> str:
    """Name who made a run, as its metadata do, or by its folder."""
    beside = path.with_name("run_metadata.json")
    about = read_json(beside, max_mb)[1] if beside.is_file() else {}
    agent, model = text_at(about, "agent_name"), text_at(about, "model_name")
    return f"{agent} ({model})" if agent and model else agent or model or path.parent.name
