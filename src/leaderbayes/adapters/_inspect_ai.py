"""inspect-ai: what language models and agents scored on each sample."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import xarray as xr

from leaderbayes._errors import ScoresError
from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.tables import shown
from leaderbayes.adapters._inspect_log import Log, read_log
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

_PATTERNS = ["*.eval", "????-??-??T*.json"]  # its other files of JSON are lists of logs
# Correct, incorrect, partial, no answer, as inspect-ai counts them.
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
_WORDS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


def from_inspect_ai(
    source: Sources,
    *,
    metric: str | None = None,
    tasks: Sequence[str] | None = None,
    clusters: bool = False,
    higher_is_better: bool | None = None,
    max_mb: float = MAX_MB,
) -> xr.DataArray:
    """Read logs of inspect-ai: samples are rounds, epochs repeats.

    Parameters
    ----------
    source : path, sequence of paths, or dict of names to paths
        Logs (``.eval``, ``.json``), or folders in which they are, at any depth. A dictionary names
        the models; without, a model goes by what its log says.
    metric : str, optional
        Scorer, such as "match"; of a scorer that gives several values with the value's name,
        "judge,clarity". Needed where samples have several scores.
    tasks : sequence of str, optional
        Tasks to read; by default all.
    clusters : bool
        Whether several tasks are clusters of one board, and not tournaments of their own.
    higher_is_better : bool, optional
        Whether more is better. Of grades (C, I, P, N) it is; of numbers the default is what is
        known of the scorer's name.
    max_mb : float
        The most that each file may hold, unpacked, in megabytes.

    Returns
    -------
    DataArray (player, round) or (tournament, player, round)
        Scores of models on samples: C is 1, P 0.5, I and N (no answer) 0, as inspect-ai counts
        them. A sample without a score, such as one that ended with an error, is missing. Epochs
        are averaged, as the repeats of `leaderbayes.read_scores`. Of several tasks "task.sample",
        with the coordinate ``cluster`` (round,), or tasks as tournaments.

    Raises
    ------
    ScoresError
        If a file cannot be read, an evaluation did not finish, a score is no number, a sample has
        two, or a sample (by its input) or a task (by its version) is another for two models:
        names the file and sample.
    MissingExtraError
        If a log is packed with Zstandard, as inspect-ai does now, which Python before 3.14 reads
        with pyarrow alone (``leaderbayes[parquet]``).

    Notes
    -----
    Logs as inspect-ai 0.3.285 writes them, version 2; of ``.eval`` the summaries are read. A log
    that did not finish is left out if there is one of its retry, and is an error otherwise.

    References
    ----------
    UK AI Security Institute, inspect-ai; https://inspect.aisi.org.uk/eval-logs.html

    Examples
    --------
    >>> import json, pathlib, tempfile
    >>> import leaderbayes as lb
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for model, grades in {"small": "CIN", "large": "CPC"}.items():
    ...     samples = [
    ...         {"id": k, "epoch": 1, "scores": {"match": {"value": grade}}}
    ...         for k, grade in enumerate(grades)
    ...     ]
    ...     log = {"status": "success", "eval": {"model": model, "task": "quiz"}}
    ...     _ = (folder / f"{model}.json").write_text(json.dumps(log | {"samples": samples}))
    >>> lb.adapters.from_inspect_ai([folder / "large.json", folder / "small.json"]).to_pandas()
    round     0    1    2
    player
    large   1.0  0.5  1.0
    small   1.0  0.0  0.0
    """
    tasks = check_names(metric, tasks)
    files = files_of(
        source,
        _PATTERNS,
        what="inspect-ai (.eval, .json)",
        hint="inspect-ai writes its logs to ./logs, or where --log-dir says.",
    )
    logs = [(name, read_log(path, max_mb)) for name, path in files]
    check_tasks(tasks, list(dict.fromkeys(log.task for _, log in logs)))
    logs = [one for one in logs if tasks is None or one[1].task in tasks]
    done = {log.task_id for _, log in logs if log.status == "success"} - {""}
    logs = [one for one in logs if one[1].status == "success" or one[1].task_id not in done]
    records: list[dict[str, Any]] = []
    said: Said = {}
    for name, log in logs:
        records += _answers(name or log.model, log, metric, said)
    graded = any(record["graded"] for record in records)
    return arrange_items(
        [log.where for _, log in logs],
        records,
        item="sample",
        repeat="epoch",
        clusters=clusters,
        better=True if graded and higher_is_better is None else higher_is_better,
    )


def _answers(model: str, log: Log, wanted: str | None, said: Said) -> Iterator[dict[str, Any]]:
    """Read a log's scores; hold its samples against those of other models."""
    if log.status != "success":
        raise ScoresError(
            f"{log.where}: this evaluation did not finish (status {shown(log.status)}); let it "
            "(inspect eval-retry), or leave the log out."
        )
    hold(said, (log.task,), log.task_version, log.where, by="task_version")
    scores = [_values(sample.get("scores")) for sample in log.samples]
    key = only_metric(list(dict.fromkeys(name for of in scores for name in of)), wanted, log.where)
    for sample, values in zip(log.samples, scores, strict=True):
        item, epoch, given = sample.get("id"), sample.get("epoch", 1), sample.get("input")
        if not isinstance(item, int | str) or not isinstance(epoch, int):
            raise ScoresError(
                f"{log.where}: a sample has no 'id' and 'epoch', but {shown(sample)}."
            )
        place = f"{log.where}, sample {shown(item)}"
        # Summaries are cut, and have single blanks.
        start = " ".join(given.split())[:500] if isinstance(given, str) else None
        hold(said, (log.task, str(item)), start, place, by="input")
        value = values.get(key)
        graded = isinstance(value, str) and value in _GRADES
        if isinstance(value, str):
            value = _GRADES.get(value, _WORDS.get(value.lower(), value))
        yield {
            "model": model, "task": log.task, "sample": str(item), "epoch": epoch, "metric": key,
            "score": value, "graded": graded, "where": place,
        }  # fmt: skip


def _values(scores: Any) -> dict[str, Any]:
    """Give a sample's values by scorer, or by "scorer,key" where a scorer gives several."""
    values: dict[str, Any] = {}
    for scorer, score in scores.items() if isinstance(scores, Mapping) else ():
        value = score.get("value") if isinstance(score, Mapping) else None
        if isinstance(value, Mapping):
            values |= {f"{scorer},{key}": one for key, one in value.items()}
        else:
            values[scorer] = value
    return values
