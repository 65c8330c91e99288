"""lm-evaluation-harness: what language models answered to each item (``--log_samples``)."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import xarray as xr

from leaderbayes._adapters.items import Answer, Run, Sources, files_of, read_items
from leaderbayes._adapters.tables import check_metric
from leaderbayes._errors import ScoresError
from leaderbayes._files.read import unzip
from leaderbayes._scores.sources import parse_lines, read_bytes
from leaderbayes._scores.tables import shown

# samples_TASK_2024-05-01T10-00-00.000000.jsonl
_NAME = re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d\d-\d\dT[\d.\-]+)?\.jsonl(\.gz)?")
_NO_METRICS = ("doc_id", "filter", "doc_hash", "prompt_hash", "target_hash", "target")


def from_lm_eval_samples(
    source: Sources,
    *,
    metric: str | None = None,
    tasks: Sequence[str] | None = None,
    clusters: bool = False,
    higher_is_better: bool | None = None,
    max_mb: float,
) -> xr.DataArray:
    """Read ``samples_*.jsonl``, whose folder names the model; ``metric`` may name a filter."""
    check_metric(metric)
    hint = "lm-evaluation-harness writes them with --log_samples."
    files = files_of(source, ["samples_*.jsonl*"], what="lm-evaluation-harness", hint=hint)
    name, _, by = (metric or "").partition(",")
    runs = []
    for model, path in files:
        named = _NAME.fullmatch(path.name)
        task = named["task"] if named else path.name.split(".")[0]
        model = model or path.parent.name.replace("__", "/") or "model"
        runs.append(Run(str(path), model, task, _answers(path, by, max_mb)))
    return read_items(
        runs, item="doc_id", metric=name or None, tasks=tasks, clusters=clusters,
        higher_is_better=higher_is_better, by="doc_hash",
    )  # fmt: skip


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
        scores = _scores_of(sample, place)
        if not by and len(filters) > 1:
            scores = {f"{name},{sample.get('filter')}": it for name, it in scores.items()}
        yield Answer(place, str(item), scores, same=sample.get("doc_hash"))


def _scores_of(sample: dict[str, Any], place: str) -> dict[str, Any]:
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
