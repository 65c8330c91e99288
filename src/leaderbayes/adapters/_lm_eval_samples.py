"""lm-evaluation-harness: what language models answered to each item (``--log_samples``)."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import xarray as xr

from leaderbayes._errors import ScoresError
from leaderbayes._files.read import MAX_MB, unzip
from leaderbayes._scores.tables import listed, read_bytes, shown
from leaderbayes.adapters._items import (
    Said,
    Sources,
    arrange_items,
    check_names,
    check_tasks,
    files_of,
    hold,
    only_metric,
)

_ITEM = "doc_id"
# samples_TASK_2024-05-01T10-00-00.000000.jsonl
_NAME = re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d\d-\d\dT[\d.\-]+)?\.jsonl(\.gz)?")


def from_lm_eval_samples(
    source: Sources,
    *,
    metric: str | None = None,
    tasks: Sequence[str] | None = None,
    clusters: bool = False,
    higher_is_better: bool | None = None,
    max_mb: float = MAX_MB,
) -> xr.DataArray:
    r"""Read answers of models to items as lm-evaluation-harness logs them: items are rounds.

    Parameters
    ----------
    source : path, sequence of paths, or dict of names to paths
        Folders in which ``samples_*.jsonl`` of the models are, at any depth, or such files (also
        ``.gz``). A dictionary names the models; without, a model goes by the folder of its file,
        in which "org__name" is "org/name".
    metric : str, optional
        Such as "acc", or "exact_match,strict-match" with the filter. Needed where items have
        several.
    tasks : sequence of str, optional
        Tasks to read; by default all.
    clusters : bool
        Whether several tasks are clusters of one board, as the subjects of MMLU are, and not
        tournaments of their own.
    higher_is_better : bool, optional
        Whether more is better. The default is what is known of the metric.
    max_mb : float
        The most that each file may hold, unpacked, in megabytes.

    Returns
    -------
    DataArray (player, round) or (tournament, player, round)
        Scores of models on items, ``doc_id``; of several tasks "task.doc_id", with the coordinate
        ``cluster`` (round,), or tasks as tournaments.

    Raises
    ------
    ScoresError
        If a file cannot be read, an item has no such metric, two answers, or is another for two
        models (by ``doc_hash``): names the file and line.

    References
    ----------
    Gao et al., lm-evaluation-harness, doi:10.5281/zenodo.12608602;
    https://github.com/EleutherAI/lm-evaluation-harness/blob/main/docs/interface.md

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> import leaderbayes as lb
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for model, answers in {"small": [1, 0, 0], "large": [1, 1, 0]}.items():
    ...     (folder / model).mkdir()
    ...     lines = [json.dumps({"doc_id": k, "acc": right}) for k, right in enumerate(answers)]
    ...     _ = (folder / model / "samples_quiz.jsonl").write_text("\n".join(lines))
    >>> lb.adapters.from_lm_eval_samples(folder).to_pandas().sort_index()
    round     0    1    2
    player
    large   1.0  1.0  0.0
    small   1.0  0.0  0.0
    """
    tasks = check_names(metric, tasks)
    found = [(name, *_model_and_task(path), path) for name, path in _files(source)]
    check_tasks(tasks, list(dict.fromkeys(task for _, _, task, _ in found)))
    found = [one for one in found if tasks is None or one[2] in tasks]
    records: list[dict[str, Any]] = []
    hashes: Said = {}
    for name, model, task, path in found:
        records += _answers(name or model, task, path, metric, max_mb, hashes)
    files = [str(path) for *_, path in found]
    return arrange_items(files, records, item=_ITEM, clusters=clusters, better=higher_is_better)


def _files(source: Any) -> Iterator[tuple[str, Path]]:
    return files_of(
        source,
        ["samples_*.jsonl*"],
        what="lm-evaluation-harness (samples_*.jsonl)",
        hint="lm-evaluation-harness writes them with --log_samples.",
    )


def _model_and_task(path: Path) -> tuple[str, str]:
    """Name them by the folder and the file."""
    named = _NAME.fullmatch(path.name)
    task = named["task"] if named else path.name.split(".")[0]
    return path.parent.name.replace("__", "/") or "model", task


def _answers(
    model: str,
    task: str,
    path: Path,
    wanted: str | None,
    max_mb: float,
    hashes: Said,
) -> Iterator[dict[str, Any]]:
    """Read a file's answers; hold its items against those of other models."""
    where, content = read_bytes(path, max_mb)
    if content.startswith(b"\x1f\x8b"):
        content = unzip(content, where, max_mb)
    try:
        lines = content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as problem:
        raise ScoresError(f"{where}: not readable as JSON in UTF-8 ({problem}).") from problem
    name, _, by = (wanted or "").partition(",")
    filters: dict[str, Any] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{where}, line {number}"
        sample = _object(line, place)
        if by and sample.get("filter") != by:
            continue
        item = sample.get(_ITEM)
        if not isinstance(item, int | str) or isinstance(item, bool):
            raise ScoresError(f"{place}: no 'doc_id', which answers of lm-evaluation-harness have.")
        key = _metric(sample, name, place)
        first = filters.setdefault(str(item), sample.get("filter"))
        if first != sample.get("filter"):
            raise ScoresError(
                f"{place}: item {shown(item)} is scored by several filters; name one: "
                f"{listed(f'{key},{one}' for one in (first, sample.get('filter')))}."
            )
        hold(hashes, (task, str(item)), sample.get("doc_hash"), place, by="doc_hash")
        if isinstance(sample[key], list | dict):
            raise ScoresError(
                f"{place}: {shown(key)} is {shown(sample[key])}, which is no score of this item: "
                "the task makes one number of all items' (an F1 score, a perplexity). Name a "
                "metric that items have (metric=, --score), or read the results_*.json "
                "(from_lm_eval, --format lm-eval)."
            )
        yield {
            "model": model, "task": task, "doc_id": str(item), "metric": key,
            "score": sample[key], "where": place,
        }  # fmt: skip


def _object(line: str, place: str) -> dict[str, Any]:
    try:
        sample = json.loads(line)
    except (ValueError, RecursionError) as problem:
        raise ScoresError(f"{place}: not readable as JSON ({str(problem)[:100]}).") from problem
    if not isinstance(sample, dict):
        raise ScoresError(f"{place}: holds no object; give samples_*.jsonl of --log_samples.")
    return sample


def _metric(sample: dict[str, Any], wanted: str, place: str) -> str:
    """Find the metric of an answer: the one that is named, or the only number that may be one."""
    if wanted and wanted in sample:
        return wanted
    named = None if wanted else sample.get("metrics")
    if not isinstance(named, list):
        return only_metric(_numbers(sample), wanted or None, place)
    return only_metric([m for m in named if isinstance(m, str) and m in sample], None, place)


def _numbers(sample: dict[str, Any]) -> list[str]:
    return [
        name
        for name, value in sample.items()
        if isinstance(value, int | float) and name != "doc_id"
    ]
