"""lighteval: what language models scored on each sample (``--save-details``)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import xarray as xr

from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.tables import suggest, text_of
from leaderbayes.adapters._columns import read_frame
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
from leaderbayes.adapters._json import at, text_at

# details_TASK_2026-05-01T10-00-00.000000.parquet
_NAME = re.compile(r"details_(?P<task>.+?)(_\d{4}-\d\d-\d\dT[\d.\-]+)?\.parquet")


def from_lighteval(
    source: Sources,
    *,
    metric: str | None = None,
    tasks: Sequence[str] | None = None,
    clusters: bool = False,
    higher_is_better: bool | None = None,
    max_mb: float = MAX_MB,
) -> xr.DataArray:
    """Read details of lighteval: samples are rounds.

    Parameters
    ----------
    source : path, sequence of paths, or dict of names to paths
        Folders in which ``details_*.parquet`` of the models are, at any depth, or such files. A
        dictionary names the models; without, a model goes by its folders,
        ``details/MODEL/DATE/details_TASK_DATE.parquet``.
    metric : str, optional
        Such as "extractive_match". Needed where samples have several.
    tasks : sequence of str, optional
        Tasks to read, as the files are called ("gsm8k|5"); by default all.
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
        Scores of models on samples, by their ``id``, or by their number (from 0) in files that
        have none; of several tasks "task.sample", with the coordinate ``cluster`` (round,), or
        tasks as tournaments.

    Raises
    ------
    ScoresError
        If a file cannot be read, has no such metric, two dates of a model and task are given, or a
        sample is another for two models (by ``doc.query``): names the file and row.
    MissingExtraError
        Without pyarrow (``leaderbayes[parquet]``).

    Notes
    -----
    Files as lighteval 0.13.0 writes them, with columns ``doc`` and ``metric``; and older ones with
    ``metrics``.

    References
    ----------
    Habib et al. (2023), LightEval: A lightweight framework for LLM evaluation;
    https://huggingface.co/docs/lighteval/saving-and-reading-results

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import leaderbayes as lb
    >>> import pandas as pd
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for model, answers in {"small": [1, 0, 0], "large": [1, 1, 0]}.items():
    ...     (folder / "details" / model / "2026-05-01T10-00-00").mkdir(parents=True)
    ...     file = folder / "details" / model / "2026-05-01T10-00-00" / "details_quiz.parquet"
    ...     pd.DataFrame({"metric": [{"acc": right} for right in answers]}).to_parquet(file)
    >>> lb.adapters.from_lighteval(folder).to_pandas()
    round     0    1    2
    player
    large   1.0  1.0  0.0
    small   1.0  0.0  0.0
    """
    tasks = check_names(metric, tasks)
    files = files_of(
        source,
        ["details_*.parquet"],
        what="lighteval (details_*.parquet)",
        hint="lighteval writes them with --save-details.",
    )
    found = [(name or _model(path), _task(path), path) for name, path in files]
    check_tasks(tasks, list(dict.fromkeys(task for _, task, _ in found)))
    found = [one for one in found if tasks is None or one[1] in tasks]
    records: list[dict[str, Any]] = []
    said: Said = {}
    for model, task, path in found:
        records += _answers(model, task, path, metric, max_mb, said)
    return arrange_items(
        [str(path) for *_, path in found],
        records,
        item="sample",
        clusters=clusters,
        better=higher_is_better,
    )


def _task(path: Path) -> str:
    named = _NAME.fullmatch(path.name)
    return named["task"] if named else path.stem


def _model(path: Path) -> str:
    """Name the model by the folders between details/ and that of the date."""
    _, *after = re.split("(?:^|/)details/", path.parent.as_posix())
    return (after[-1].rpartition("/")[0] or after[-1]) if after else path.parent.name or "model"


def _answers(
    model: str, task: str, path: Path, wanted: str | None, max_mb: float, said: Said
) -> Iterator[dict[str, Any]]:
    """Read a file's scores; hold its samples against those of other models."""
    table = read_frame(path, max_mb)
    columns = table.frame.columns
    column = next((name for name in ("metric", "metrics") if name in columns), None)
    if column is None:
        table.refuse(
            f"no column 'metric', which details of lighteval have; {suggest('metric', columns)}"
        )
    docs = table.frame["doc"] if "doc" in columns else [None] * len(table.frame)
    scores = [it if isinstance(it, Mapping) else {} for it in table.frame[column]]
    names = dict.fromkeys(text_of(name) for of in scores for name in of)
    metric = only_metric(list(names), wanted, table.where)
    for number, (doc, values) in enumerate(zip(docs, scores, strict=True)):
        place = f"{table.where}, {table.row(number)}"
        item = text_at(doc, "id") or str(number)
        hold(said, (task, item), text_at(doc, "query") or None, place, by="doc.query")
        yield {
            "model": model, "task": task, "sample": item, "metric": metric,
            "score": at(values, metric), "where": place,
        }  # fmt: skip
