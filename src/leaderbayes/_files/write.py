"""Files written: all of them or none, in folders that are made where they are missing; and CSV.

CSV that a spreadsheet shows and does not run, and that is read back as it was.
"""

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from errno import EISDIR, ENOTDIR
from pathlib import Path
from platform import node
from typing import TYPE_CHECKING

from leaderbayes._errors import LeaderbayesError

if TYPE_CHECKING:
    import pandas as pd

# Spreadsheets take what begins so for a formula; a number is none, nor is one with its interval, as
# columns to publish have it. The apostrophe is our own sign.
_FORMULA = re.compile(r"[=+\-@＝＋－＠']")
_ONE = r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?"
_NUMBER = re.compile(rf"{_ONE}( \[{_ONE}, {_ONE}\])?", re.ASCII | re.IGNORECASE)
# Control characters, line and paragraph separators, and what turns the direction of writing.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_ESCAPED = re.compile(r"\\(?:\\|u([0-9a-f]{4}))")

_BEGIN = ".leaderbayes-"  # of folders that are there only while files are written
_LONGEST = 3600.0  # seconds after which such a folder is that of a process that was killed


@contextmanager
def writing(folder: Path, *, asked: Path | None = None) -> Iterator[Path]:
    """Yield a folder to write to, whose files move into ``folder``, whole, in the end."""
    try:
        place = Path(os.path.realpath(folder))
        # In the same file system, so that moving is renaming.
        nearest = next(path for path in (place, *place.parents) if path.exists())
        if not nearest.is_dir():
            raise NotADirectoryError(ENOTDIR, "a file stands where a folder is needed")
        for left in nearest.glob(f"{_BEGIN}*/"):
            with suppress(OSError):
                if time.time() - left.stat().st_mtime > _LONGEST:
                    shutil.rmtree(left)
        with tempfile.TemporaryDirectory(dir=nearest, prefix=_BEGIN) as temporary:
            # By the same names, which may be too long.
            part = Path(temporary) / place.relative_to(nearest)
            part.mkdir(parents=True, exist_ok=True)
            yield part
            names = sorted(path.name for path in part.iterdir())
            for name in names:
                _refuse_folder(place / name)
            if not names:
                return
            place.mkdir(parents=True, exist_ok=True)
            # Two processes that write to one folder take turns.
            with locked(place / ".leaderbayes.lock", timeout=60.0):
                for name in names:
                    os.replace(part / name, place / name)
    except OSError as problem:
        raise LeaderbayesError(
            f"{folder if asked is None else asked}: cannot be written "
            f"({problem.strerror or problem}); choose another path."
        ) from problem


@contextmanager
def locked(lock: Path, *, timeout: float = 0.0) -> Iterator[None]:
    """Hold a lock, whose file says who does and is there only so long; wait for it in seconds."""
    from filelock import FileLock, Timeout

    held = FileLock(lock)
    try:
        held.acquire(timeout=timeout)
    except Timeout as problem:
        holder = ""
        with suppress(OSError, UnicodeDecodeError):
            holder = lock.read_text("utf-8")
        raise LeaderbayesError(
            f"{lock}: {holder or 'another process'} is writing and holds this lock; wait until it "
            "ends, and call again."
        ) from problem
    try:
        with suppress(OSError):  # it is the lock that counts, and not who reads whose it is
            lock.write_text(f"process {os.getpid()} on {node()}", "utf-8")
        yield
    finally:
        # While it is held: whoever waits for this file takes the next one.
        with suppress(OSError):
            lock.unlink()
        held.release()


def check_folder(folder: Path) -> None:
    """Raise, before any work, where no file could be written to a folder."""
    with writing(folder):
        pass


def check_file(path: Path, *suffixes: str) -> None:
    """Raise, before any work, unless a file could be written, with one of these suffixes."""
    if path.suffix.lower() not in suffixes:
        known = " or ".join(filter(None, (", ".join(suffixes[:-1]), suffixes[-1])))
        raise LeaderbayesError(f"{path}: choose a file name that ends with {known}.")
    with writing(path.parent, asked=path) as part:
        _refuse_folder(path)
        (part / path.name).touch()
        (part / path.name).unlink()


def write_files(files: Mapping[Path, str | bytes]) -> None:
    """Write texts or bytes to files of one folder."""
    first = next(iter(files))
    with writing(first.parent, asked=first) as part:
        for path, content in files.items():
            if isinstance(content, str):
                # Half of a surrogate pair is no text: it is written as an escape.
                content = content.encode("utf-8", errors="backslashreplace")
            (part / path.name).write_bytes(content)


def _refuse_folder(path: Path) -> None:
    if path.is_dir():
        raise IsADirectoryError(EISDIR, f"{path.name} is a folder there")


def protect(name: str) -> str:
    r"""Write a name as a cell that no spreadsheet runs; `restore` gives the name back.

    Names like formulas get an apostrophe, control characters become ``\u001b`` (OWASP)
    """
    formula = _FORMULA.match(name) and not _NUMBER.fullmatch(name)
    return "'" + _escape(name) if formula or _CONTROL.search(name) else name


def restore(cell: str) -> str:
    """Return the name that `protect` made this cell of; any other cell stays as it is."""
    if not cell.startswith("'"):
        return cell
    name = _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else "\\", cell[1:])
    return name if protect(name) == cell else cell


def write_csv(frame: "pd.DataFrame", path: Path, *, index: bool = False) -> None:
    """Write a table, its texts and the names of its rows and columns protected."""
    safe = frame.apply(lambda column: column.map(_cell) if column.dtype.kind in "OT" else column)
    safe = safe.rename(index=_cell, columns=_cell).rename_axis(index=_cell(frame.index.name))
    safe.to_csv(path, index=index)


def _cell(value: object) -> object:
    return protect(value) if isinstance(value, str) else value


def _escape(name: str) -> str:
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", name.replace("\\", "\\\\"))
