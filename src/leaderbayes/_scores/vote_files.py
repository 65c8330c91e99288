"""Files of votes to one table: what scores are read from, and TSV, JSON, JSON lines and PGN."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from leaderbayes._arguments import one_of, positive
from leaderbayes._errors import ScoresError
from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.json import parse
from leaderbayes._scores.tables import (
    FRAME,
    Source,
    Table,
    decode,
    from_content,
    from_frame,
    is_unicode,
    read_content,
)
from leaderbayes._scores.vote_nested import flattened

_SUFFIXES = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".json": "json", ".jsonl": "jsonl",
    ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet", ".pgn": "pgn",
}  # fmt: skip
_TAG = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]\s*')


def read_vote_table(
    source: Source, format: str | None = None, max_mb: float = MAX_MB, *, tallies: bool = True
) -> tuple[Table, str]:
    """Read a table of votes, and say of which format; nothing is asked of its columns yet.

    Parameters
    ----------
    source : path or DataFrame
        As for `leaderbayes.read_votes`.
    format : {"csv", "tsv", "json", "jsonl", "parquet", "pgn"}, optional
        Of the file; by its name and its first bytes by default.
    max_mb : float
        The most that a file may hold, unpacked, in megabytes.
    tallies : bool
        Whether numbers of wins may be numbers of votes: not where the user says who won.

    Raises
    ------
    ScoresError
        If it is no table: names the file, and the line.
    """
    positive("max_mb", max_mb)
    one_of("format", format, None, *sorted(set(_SUFFIXES.values())))
    if isinstance(source, pd.DataFrame):
        return _flat(from_frame(source, FRAME), tallies=tallies), "DataFrame"
    if not isinstance(source, str | os.PathLike):
        raise ScoresError(
            f"Votes cannot be read from a {type(source).__name__}: give a path or a DataFrame."
        )
    if Path(source).is_dir():
        raise ScoresError(
            f"{source}: this is a folder; leaderbayes.count_votes counts the votes of a folder of "
            "Parquet files."
        )
    where, content = read_content(Path(source), max_mb)
    kind = format or _told(Path(source), content)
    try:
        return _flat(_from_kind(kind, content, where, max_mb), tallies=tallies), kind
    except MemoryError as problem:
        raise ScoresError(
            f"{where}: the table does not fit into memory; give a part of it."
        ) from problem


def _flat(table: Table, *, tallies: bool) -> Table:
    frame, row = flattened(table.frame, tallies=tallies), table.row
    if frame.index.is_unique:
        return table._replace(frame=frame)
    # Several votes of a row are each called by it.
    origin = frame.index
    return table._replace(frame=frame.reset_index(drop=True), row=lambda k: row(origin[k]))


def _from_kind(kind: str, content: bytes, where: str, max_mb: float) -> Table:
    if kind in ("json", "jsonl"):
        return _from_json(content, where, lines=kind == "jsonl")
    if kind == "pgn":
        return _from_pgn(decode(content, where), where)
    delimiter = "\t" if kind == "tsv" else ","
    return from_content(content, where, f".{kind}", max_mb, delimiter=delimiter)


def _told(path: Path, content: bytes) -> str:
    """Tell a file's format by its first bytes, or else by its name."""
    suffix = Path(path.stem).suffix if path.suffix.lower() == ".gz" else path.suffix
    named = _SUFFIXES.get(suffix.lower(), "")
    if content.startswith(b"PAR1") or named == "parquet":
        return "parquet"
    begin = content[:4000].removeprefix(b"\xef\xbb\xbf").lstrip()
    if re.match(rb'\[\s*[A-Za-z]\w*\s+"', begin):
        return "pgn"
    if re.match(rb"\{|\[\s*[\[{\]]", begin):
        # Often lines of JSON are called .json.
        first, _, rest = content.partition(b"\n")
        lines = first.rstrip().endswith(b"}") and rest.lstrip().startswith(b"{")
        return "jsonl" if lines or named == "jsonl" else "json"
    if named:
        return named
    header = begin.partition(b"\n")[0]
    return "tsv" if b"\t" in header and b"," not in header else "csv"


# -- JSON ------------------------------------------------------------------------------------------


def _from_json(content: bytes, where: str, *, lines: bool) -> Table:
    if lines:
        records, numbers = _lines(content, where)
        return from_frame(_of_records(records, where), where)._replace(
            row=lambda k: f"line {numbers[k]}"
        )
    found = parse(content, where)
    held = _records(found)
    if held is not None:
        table = from_frame(_of_records(held, where), where)
        return table._replace(row=lambda k: f"record {k} (from 0)")
    return from_frame(_of_columns(found, where), where)


def _lines(content: bytes, where: str) -> tuple[list[Any], list[int]]:
    """Read a record a line; give the records and the numbers of their lines."""
    pieces = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    numbers = [k for k, line in enumerate(pieces, 1) if line.strip()]
    kept = [pieces[k - 1] for k in numbers]
    try:
        # At once, which takes a third of the time.
        records = parse(b"[" + b",".join(kept) + b"]", where)
    except ScoresError:
        records = []
    if len(records) != len(kept) or not all(isinstance(it, dict) for it in records):
        records = [parse(line, f"{where}: line {k}") for k, line in zip(numbers, kept, strict=True)]
        for number, record in zip(numbers, records, strict=True):
            if not isinstance(record, dict):
                raise ScoresError(
                    f"{where}: line {number} holds no object; each line is a vote, with the names "
                    "of columns as keys."
                )
    return records, numbers


def _records(found: Any) -> list[Any] | None:
    """Find the list of objects, a vote each; alone, or as the one list of an object."""
    if isinstance(found, Mapping):
        lists = [it for it in found.values() if isinstance(it, list) and it]
        found = lists[0] if len(lists) == 1 else None
    are_records = isinstance(found, list) and all(isinstance(it, dict) for it in found)
    return found if are_records else None


def _of_records(records: list[Any], where: str) -> pd.DataFrame:
    if not records:
        raise ScoresError(f"{where}: there is no vote.")
    try:
        return pd.DataFrame(records)
    except (ValueError, TypeError, OverflowError) as problem:
        raise ScoresError(f"{where}: the records make no table ({problem}).") from problem


def _of_columns(found: Any, where: str) -> pd.DataFrame:
    """Make a table of an object of columns, as pandas writes it."""
    try:
        if isinstance(found, Mapping) and {"columns", "data"} <= set(found):
            return pd.DataFrame(found["data"], columns=pd.Index(found["columns"]))
        if isinstance(found, Mapping) and found:
            kinds = {type(column) for column in found.values()}
            if kinds == {list} or kinds == {dict}:
                frame = pd.DataFrame(found)
                return frame.reset_index(drop=True)
    except (ValueError, TypeError, OverflowError) as problem:
        raise ScoresError(f"{where}: the columns make no table ({problem}).") from problem
    raise ScoresError(
        f"{where}: this JSON is no table; give a list of objects, a vote each, with the names of "
        "columns as keys."
    )


# -- PGN -------------------------------------------------------------------------------------------


def _from_pgn(text: str, where: str) -> Table:
    """Read the tags of games, a column each; moves are passed over.

    References
    ----------
    Edwards, Portable Game Notation Specification (1994), section 8.1.
    """
    games: list[dict[str, str]] = []
    numbers: list[int] = []
    among_tags = False
    for number, line in enumerate(text.split("\n"), 1):
        found = _TAG.fullmatch(line.strip()) if line.lstrip().startswith("[") else None
        if found is None:
            among_tags = among_tags and not line.strip()
            continue
        name, value = found[1], re.sub(r"\\(.)", r"\1", found[2])
        if not among_tags or name in games[-1]:
            games.append({})
            numbers.append(number)
        among_tags = True
        games[-1][name] = value
    if not games:
        raise ScoresError(f'{where}: no tag of a game, such as [White "..."]; this is no PGN.')
    tags = {tag for game in games for tag in game}
    if not all(is_unicode(tag) for tag in tags):
        raise ScoresError(f"{where}: a tag is no text.")
    for tag in ("White", "Black", "Result"):
        missing = next((k for k, game in enumerate(games) if tag not in game), None)
        if missing is not None:
            raise ScoresError(
                f"{where}: the game of line {numbers[missing]} has no tag {tag}; add it, or leave "
                "the game out."
            )
    table = from_frame(pd.DataFrame(games, dtype=object), where)
    return table._replace(row=lambda k: f"the game of line {numbers[k]}")
