"""HELM: what language models scored on each instance."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import xarray as xr

from leaderbayes._errors import ScoresError
from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.tables import shown
from leaderbayes.adapters._items import (
    Sources,
    arrange_items,
    check_names,
    check_tasks,
    files_of,
    only_metric,
)
from leaderbayes.adapters._json import at, list_at, read_json, text_at

_STATS, _RUN = "per_instance_stats.json", "run_spec.json"


def from_helm(
    source: Sources,
    *,
    metric: str | None = None,
    tasks: Sequence[str] | None = None,
    clusters: bool = False,
    higher_is_better: bool | None = None,
    max_mb: float = MAX_MB,
) -> xr.DataArray:
    """Read results of HELM on instances: instances are rounds, train trials repeats.

    Parameters
    ----------
    source : path, sequence of paths, or dict of names to paths
        Folders in which those of runs are, at any depth, such as ``benchmark_output/runs/SUITE``;
        each with ``per_instance_stats.json`` and ``run_spec.json``. A dictionary names the models;
        without, a model goes by what its run says.
    metric : str, optional
        Such as "exact_match". Needed where instances have several.
    tasks : sequence of str, optional
        Runs to read, by their names without the model ("mmlu:subject=anatomy,method=..."); by
        default all.
    clusters : bool
        Whether several runs are clusters of one board, as the subjects of MMLU are, and not
        tournaments of their own.
    higher_is_better : bool, optional
        Whether more is better. The default is what is known of the metric.
    max_mb : float
        The most that each file may hold, in megabytes.

    Returns
    -------
    DataArray (player, round) or (tournament, player, round)
        Scores of models on instances, perturbed ones left out. Several train trials are averaged,
        as the repeats of `leaderbayes.read_scores`. Of several runs "task.instance_id", with the
        coordinate ``cluster`` (round,), or runs as tournaments.

    Raises
    ------
    ScoresError
        If a file cannot be read, a run has no such metric, or an instance two scores of it: names
        the file and the instance.

    Notes
    -----
    Files as HELM 0.5.16 (crfm-helm) writes them. It leaves out statistics that are NaN: they are
    missing.

    References
    ----------
    Liang et al. (2023), Holistic Evaluation of Language Models, TMLR;
    https://crfm-helm.readthedocs.io/en/latest/tutorial/

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> import leaderbayes as lb
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for model, answers in {"small": [1, 0, 0], "large": [1, 1, 0]}.items():
    ...     (folder / model).mkdir()
    ...     spec = {"name": f"quiz:model={model}", "adapter_spec": {"model": model}}
    ...     _ = (folder / model / "run_spec.json").write_text(json.dumps(spec))
    ...     stats = [
    ...         {
    ...             "instance_id": f"id{k}",
    ...             "train_trial_index": 0,
    ...             "stats": [{"name": {"name": "exact_match", "split": "test"}, "mean": right}],
    ...         }
    ...         for k, right in enumerate(answers)
    ...     ]
    ...     file = folder / model / "per_instance_stats.json"
    ...     _ = file.write_text(json.dumps(stats))
    >>> lb.adapters.from_helm(folder, metric="exact_match").to_pandas()
    round   id0  id1  id2
    player
    large   1.0  1.0  0.0
    small   1.0  0.0  0.0
    """
    tasks = check_names(metric, tasks)
    files = files_of(source, [_STATS], what=f"HELM ({_STATS})", hint="helm-run writes one a run.")
    runs = [(path, *_run(path, name, max_mb)) for name, path in files]
    check_tasks(tasks, list(dict.fromkeys(task for _, _, task in runs)))
    runs = [run for run in runs if tasks is None or run[2] in tasks]
    records: list[dict[str, Any]] = []
    for path, model, task in runs:
        records += _answers(path, model, task, metric, max_mb)
    return arrange_items(
        [str(path) for path, *_ in runs],
        records,
        item="instance_id",
        repeat="train_trial_index",
        clusters=clusters,
        better=higher_is_better,
    )


def _run(path: Path, name: str, max_mb: float) -> tuple[str, str]:
    """Name the model and the task of a run, by the file beside its statistics."""
    beside = path.with_name(_RUN)
    if not beside.exists():
        raise ScoresError(
            f"{path}: there is no {_RUN} beside it, which names the model; give the folder of a "
            "run of helm-run, or of several."
        )
    where, spec = read_json(beside, max_mb)
    model, run = name or text_at(spec, "adapter_spec", "model"), text_at(spec, "name")
    if not (model and run):
        raise ScoresError(f"{where}: no 'name' and 'adapter_spec' with a model, as runs have.")
    scenario, _, given = run.partition(":")
    of_task = [one for one in given.split(",") if not one.startswith(("model=", "model_dep"))]
    return model, ":".join(filter(None, [scenario, ",".join(of_task)]))


def _answers(
    path: Path, model: str, task: str, wanted: str | None, max_mb: float
) -> Iterator[dict[str, Any]]:
    """Read a run's means of a metric, one an instance and train trial."""
    where, entries = read_json(path, max_mb)
    if not isinstance(entries, list):
        raise ScoresError(f"{where}: holds no list of instances; give {_STATS} of HELM.")
    plain = [one for one in entries if not isinstance(at(one, "perturbation"), Mapping)]
    # Each of a run's metrics may have an entry of its own for an instance.
    found = [(one, stat) for one in plain for stat in list_at(one, "stats")]
    names = list(dict.fromkeys(text_at(stat, "name", "name") for _, stat in found))
    metric = only_metric(names, wanted, where)
    for entry, stat in found:
        if text_at(stat, "name", "name") != metric:
            continue
        item, trial = at(entry, "instance_id"), at(entry, "train_trial_index")
        if not isinstance(item, str) or not isinstance(trial, int):
            raise ScoresError(
                f"{where}: an instance has no 'instance_id' and 'train_trial_index', but "
                f"{shown(entry)}."
            )
        yield {
            "model": model, "task": task, "instance_id": item, "train_trial_index": trial,
            "metric": metric, "score": at(stat, "mean"), "where": f"{where}, {shown(item)}",
        }  # fmt: skip
