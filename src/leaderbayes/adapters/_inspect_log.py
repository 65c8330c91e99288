"""Logs of inspect-ai: what a file holds, be it JSON or an archive (``.eval``)."""

import io
import lzma
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile

from leaderbayes._errors import LeaderbayesError, ScoresError
from leaderbayes._extras import extra
from leaderbayes._files.read import check_size
from leaderbayes._scores.json import parse
from leaderbayes._scores.tables import read_bytes, shown
from leaderbayes.adapters._json import at, list_at, text_at

_ZSTANDARD = 93  # of zip's compressions; Python reads it from 3.14 on
_KEPT = ("id", "epoch", "input", "scores")  # of a sample; the rest is large


class Log(NamedTuple):
    """An evaluation of a model on a task."""

    where: str
    model: str
    task: str
    task_id: str  # the same for an evaluation and its retry
    task_version: str | int | None
    status: str
    samples: list[dict[str, Any]]


def read_log(path: Path, max_mb: float) -> Log:
    """Read a log, ``.json`` or ``.eval``.

    Raises
    ------
    ScoresError
        If it cannot be read, or is no log: names the file.
    """
    where, content = read_bytes(path, max_mb)
    if content.startswith(b"PK"):
        header, samples = _unpack(content, where, max_mb)
    else:
        header = parse(content, where)
        samples = list_at(header, "samples")
    model, task = text_at(header, "eval", "model"), text_at(header, "eval", "task")
    if not (model and task):
        raise ScoresError(
            f"{where}: no 'eval' with a model and a task, as logs of inspect-ai have; give its "
            "logs (.eval, .json)."
        )
    version = at(header, "eval", "task_version")
    for number, sample in enumerate(samples):
        if not isinstance(sample, Mapping):
            raise ScoresError(f"{where}: sample {number} (from 0) is {shown(sample)}, no object.")
    return Log(
        where,
        model,
        task,
        text_at(header, "eval", "task_id"),
        version if isinstance(version, int | str) else None,
        "invalidated" if at(header, "invalidated") is True else text_at(header, "status"),
        [{key: sample[key] for key in _KEPT if key in sample} for sample in samples],
    )


def _unpack(content: bytes, where: str, max_mb: float) -> tuple[Any, list[Any]]:
    """Give the header of an archive and its samples, as its summaries have them."""
    try:
        with ZipFile(io.BytesIO(content)) as archive:
            names = archive.namelist()
            if "header.json" in names:
                header = parse(_member(archive, "header.json", content, where, max_mb), where)
                if "summaries.json" not in names:
                    raise ScoresError(f"{where}: no summaries.json in this log of inspect-ai.")
                samples = parse(_member(archive, "summaries.json", content, where, max_mb), where)
                return header, samples if isinstance(samples, list) else []
            if "_journal/start.json" in names:  # has not come to its end
                begun = parse(
                    _member(archive, "_journal/start.json", content, where, max_mb), where
                )
                return {"eval": at(begun, "eval"), "status": "started"}, []
    except LeaderbayesError:
        raise
    except (BadZipFile, zlib.error, lzma.LZMAError, OSError, EOFError, ValueError) as problem:
        raise ScoresError(f"{where}: not a whole archive ({str(problem)[:100]}).") from problem
    except (NotImplementedError, RuntimeError) as problem:
        raise ScoresError(f"{where}: cannot be unpacked ({str(problem)[:100]}).") from problem
    raise ScoresError(f"{where}: no header.json in this archive, which logs of inspect-ai have.")


def _member(archive: ZipFile, name: str, content: bytes, where: str, max_mb: float) -> bytes:
    """Unpack a file of an archive."""
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
    begin = member.header_offset
    name_size, more = (
        int.from_bytes(content[begin + k : begin + k + 2], "little") for k in (26, 28)
    )
    begin += 30 + name_size + more
    packed = pa.BufferReader(content[begin : begin + member.compress_size])
    unpacked: bytes = pa.CompressedInputStream(packed, "zstd").read(member.file_size)
    if zlib.crc32(unpacked) != member.CRC:
        raise BadZipFile(f"bad CRC-32 of {name}")
    return unpacked
