"""inspect-ai: what language models and agents scored on each sample."""

import io
import lzma
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile

import xarray as xr

from leaderbayes._adapters.items import (
    Answer,
    Run,
    Said,
    Sources,
    at,
    check_tasks,
    files_of,
    hold,
    list_at,
    read_items,
    text_at,
)
from leaderbayes._adapters.tables import Asked
from leaderbayes._errors import LeaderbayesError, ScoresError
from leaderbayes._extras import extra
from leaderbayes._files.read import check_size
from leaderbayes._scores.sources import parse, read_bytes
from leaderbayes._scores.tables import shown

_ZSTANDARD = 93  # of zip's compressions
_PATTERNS = ["*.eval", "????-??-??T*.json"]  # its other files of JSON are lists of logs
# Correct, incorrect, partial, no answer, as inspect-ai counts them.
_GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


class _Log(NamedTuple):
    """An evaluation of a model on a task; its retry has the same task_id."""

    where: str
    model: str
    task: str
    task_id: str
    version: Any
    status: str
    samples: list[Any]


def from_inspect_ai(source: Sources, asked: Asked) -> xr.DataArray:
    """Read logs, ``.eval`` or ``.json``; ``metric`` is a scorer, or "scorer,value"."""
    hint = "inspect-ai writes its logs to ./logs, or where --log-dir says."
    files = files_of(source, _PATTERNS, what="inspect-ai (.eval, .json)", hint=hint)
    logs = [(name, _read_log(path, asked.max_mb)) for name, path in files]
    wanted = asked.tasks
    check_tasks(wanted, list(dict.fromkeys(log.task for _, log in logs)))
    logs = [one for one in logs if wanted is None or one[1].task in wanted]
    done = {log.task_id for _, log in logs if log.status == "success"} - {""}
    said: Said = {}
    runs = []
    for name, log in logs:
        if log.status != "success" and log.task_id not in done:
            raise ScoresError(
                f"{log.where}: this evaluation did not finish (status {shown(log.status)}); "
                "finish it (inspect eval-retry), or exclude the log."
            )
        if log.status == "success":
            hold(said, log.task, log.version, log.where, by="task_version")
            runs.append(Run(log.where, name or log.model, log.task, _answers(log)))
    return read_items(
        runs, asked._replace(tasks=None), item="sample", repeat="epoch", by="input", grades=_GRADES
    )


def _answers(log: _Log) -> Iterator[Answer]:
    for sample in log.samples:
        item, epoch, given = at(sample, "id"), at(sample, "epoch"), at(sample, "input")
        epoch = 1 if epoch is None else epoch
        if not isinstance(item, int | str) or not isinstance(epoch, int):
            raise ScoresError(f"{log.where}: a sample has no 'id' and 'epoch': {shown(sample)}.")
        # Summaries are cut, and have single blanks.
        start = " ".join(given.split())[:500] if isinstance(given, str) else None
        place = f"{log.where}, sample {shown(item)}"
        yield Answer(place, str(item), _values(at(sample, "scores")), epoch, start)


def _values(scores: Any) -> dict[str, Any]:
    """Return a sample's values by scorer, or by "scorer,key" where a scorer gives several."""
    values: dict[str, Any] = {}
    for scorer, score in scores.items() if isinstance(scores, Mapping) else ():
        value = at(score, "value")
        several = value if isinstance(value, Mapping) else {}
        values |= {f"{scorer},{key}": one for key, one in several.items()} or {scorer: value}
    return values


def _read_log(path: Path, max_mb: float) -> _Log:
    """Read a log, JSON or an archive."""
    where, content = read_bytes(path, max_mb)
    if content.startswith(b"PK"):
        header, samples = _unpack(content, where, max_mb)
    else:
        header = parse(content, where)
        samples = list_at(header, "samples")
    model, task = text_at(header, "eval", "model"), text_at(header, "eval", "task")
    if not (model and task):
        raise ScoresError(f"{where}: no 'eval' with a model and a task, as its logs have.")
    status = "invalidated" if at(header, "invalidated") is True else text_at(header, "status")
    of = at(header, "eval")
    version = of.get("task_version") if isinstance(of.get("task_version"), int | str) else None
    return _Log(where, model, task, text_at(of, "task_id"), version, status, samples)


def _unpack(content: bytes, where: str, max_mb: float) -> tuple[Any, list[Any]]:
    """Return the header of an archive and its samples, as its summaries have them."""

    def member(name: str) -> Any:
        return parse(_member(archive, name, content, where, max_mb), where)

    names: list[str] = []
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            if "header.json" in names and "summaries.json" in names:
                samples = member("summaries.json")
                return member("header.json"), samples if isinstance(samples, list) else []
            if "header.json" not in names and "_journal/start.json" in names:  # not at its end
                return {"eval": at(member("_journal/start.json"), "eval"), "status": "started"}, []
    except LeaderbayesError:
        raise
    except (BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, ValueError) as problem:
        raise ScoresError(f"{where}: incomplete archive ({str(problem)[:100]}).") from problem
    except (NotImplementedError, RuntimeError) as problem:
        raise ScoresError(f"{where}: cannot be unpacked ({str(problem)[:100]}).") from problem
    missing = "summaries.json" if "header.json" in names else "header.json"
    raise ScoresError(f"{where}: no {missing} in this archive, which logs of inspect-ai have.")


def _member(archive: ZipFile, name: str, content: bytes, where: str, max_mb: float) -> bytes:
    """Unpack a file of an archive; of Zstandard, which Python reads from 3.14 on, by pyarrow."""
    member = archive.getinfo(name)
    check_size(member.file_size, where, max_mb)
    try:
        return archive.read(member)
    except NotImplementedError:
        if member.compress_type != _ZSTANDARD:
            raise
    with extra("parquet", f"{where}: a log packed with Zstandard"):
        import pyarrow as pa
    # A header of 30 bytes, of which the last two pairs are the lengths of a name and of more.
    begin = member.header_offset + 30
    begin += sum(struct.unpack("<HH", content[begin - 4 : begin]))
    packed = content[begin : begin + member.compress_size]
    unpacked: bytes = pa.decompress(packed, member.file_size, "zstd", asbytes=True)
    return unpacked
