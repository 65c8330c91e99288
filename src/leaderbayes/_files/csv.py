"""CSV that a spreadsheet shows and does not run, and that is read back as it was."""

import re
from pathlib import Path

import pandas as pd

# Spreadsheets take what begins so for a formula; a number is none, nor is one with its interval, as
# columns to publish have it. The apostrophe is our own sign.
_FORMULA = re.compile(r"[=+\-@＝＋－＠']")
_ONE = r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?"
_NUMBER = re.compile(rf"{_ONE}( \[{_ONE}, {_ONE}\])?", re.ASCII | re.IGNORECASE)
# Control characters, line and paragraph separators, and what turns the direction of writing.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_ESCAPED = re.compile(r"\\(?:\\|u([0-9a-f]{4}))")


def protect(name: str) -> str:
    r"""Write a name as a cell that no spreadsheet runs; `restore` gives the name back.

    A name that begins as a formula or with an apostrophe, or has control characters, gets an
    apostrophe in front, and in it a control character becomes ``\u001b`` and a backslash two, as
    in JSON.

    References
    ----------
    OWASP, CSV Injection; https://owasp.org/www-community/attacks/CSV_Injection
    """
    formula = _FORMULA.match(name) and not _NUMBER.fullmatch(name)
    return "'" + _escape(name) if formula or _CONTROL.search(name) else name


def restore(cell: str) -> str:
    """Return the name that `protect` made this cell of; any other cell stays as it is."""
    if not cell.startswith("'"):
        return cell
    name = _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else "\\", cell[1:])
    return name if protect(name) == cell else cell


def write_csv(frame: pd.DataFrame, path: Path, *, index: bool = False) -> None:
    """Write a table, its texts and the names of its rows and columns protected."""
    safe = frame.apply(lambda column: column.map(_cell) if column.dtype.kind in "OT" else column)
    safe = safe.rename(index=_cell, columns=_cell).rename_axis(index=_cell(frame.index.name))
    safe.to_csv(path, index=index)


def _cell(value: object) -> object:
    return protect(value) if isinstance(value, str) else value


def _escape(name: str) -> str:
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", name.replace("\\", "\\\\"))
