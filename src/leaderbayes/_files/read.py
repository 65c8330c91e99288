"""Content of a file, unpacked, and no more of it than asked for."""

import gzip
import io
import os
import zlib
from pathlib import Path

from leaderbayes._errors import ScoresError

MAX_MB = 200.0  # a table takes ten times as much in memory
_LIFT = "if it is the right file, raise the limit (max_mb=..., --max-mb)"


def read_file(path: Path, where: str, max_mb: float) -> bytes:
    """Read a file, called ``where`` in messages, of at most so many megabytes."""
    try:
        with path.open("rb") as file:
            return _bounded(file, where, max_mb, "holds", os.fstat(file.fileno()).st_size)
    except (OSError, ValueError) as problem:
        if isinstance(problem, ScoresError):
            raise
        reason = getattr(problem, "strerror", None) or "no name of a file"
        raise ScoresError(f"{where}: cannot be read ({reason}).") from problem


def unzip(content: bytes, where: str, max_mb: float) -> bytes:
    """Unpack a gzip file in memory, to at most so many megabytes."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
            return _bounded(file, where, max_mb, "unpacks to")
    except (OSError, EOFError, zlib.error) as problem:
        raise ScoresError(f"{where}: damaged gzip file ({problem}).") from problem


def check_size(size: float, where: str, max_mb: float) -> None:
    """Raise a ScoresError if a file would unpack to more bytes than ``max_mb``."""
    if size > max_mb * 1e6:
        raise ScoresError(
            f"{where}: unpacks to {size / 1e6:.0f} MB, above the limit of {max_mb:g} MB; {_LIFT}."
        )


def _bounded(
    file: io.BufferedIOBase, where: str, max_mb: float, verb: str, expected: int = 0
) -> bytes:
    # In pieces, so that no memory is taken for what the file may not have; what it has, at once.
    pieces, left = [], int(min(max_mb * 1e6, 2**62)) + 1
    while left > 0 and (piece := file.read(min(left, max(expected, 2**24)))):
        pieces.append(piece)
        left -= len(piece)
    if left <= 0:
        raise ScoresError(f"{where}: {verb} more than the limit of {max_mb:g} MB; {_LIFT}.")
    return b"".join(pieces)
