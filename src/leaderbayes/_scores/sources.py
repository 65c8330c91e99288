"""Files of every format to one table: CSV, TSV, Excel, Parquet, JSON and JSON lines."""

import csv
import io
import json
import os
import re
import zipfile
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from leaderbayes._arguments import positive
from leaderbayes._errors import ScoresError
from leaderbayes._extras import extra
from leaderbayes._files.read import MAX_MB, check_size, read_file, unzip
from leaderbayes._files.write import restore
from leaderbayes._scores.tables import (
    FRAME,
    Source,
    Table,
    from_cv_results,
    from_frame,
    header,
    is_number,
    is_search,
    is_unicode,
    listed,
    shown,
    text_of,
)

_KINDS = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".json": "json", ".jsonl": "jsonl",
    ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_LONGEST = 1000  # characters of a path that a message repeats
_PASTED = rb"\||\\begin\{|[^,\n]*&[^\n]*\\\\"  # of Markdown, of LaTeX
_PACKED = rb"PK\x03\x04|\xd0\xcf\x11\xe0|BZh[1-9]1AY|\xfd7zXZ|\x28\xb5\x2f\xfd|(?s:.{257})ustar"


def read_table(source: Source, score: str | None = None, max_mb: float = MAX_MB) -> Table:
    """Read a file, a folder of Parquet files, a pandas table, or ``cv_results_`` by a score."""
    if isinstance(source, Mapping):
        return from_cv_results(source, "cv_results_", score)
    if isinstance(source, pd.DataFrame):
        table = from_frame(source, FRAME)
    elif isinstance(source, str | os.PathLike):
        table = _from_path(Path(source), max_mb)
    else:
        raise ScoresError(
            f"A table cannot be read from a {type(source).__name__}: pass a path, a DataFrame, or "
            "scikit-learn's cv_results_."
        )
    if is_search(table.frame):
        return from_cv_results(dict(table.frame.items()), table.where, score)
    return table


def _from_path(path: Path, max_mb: float) -> Table:
    if is_folder(path):
        return _from_folder(path, max_mb)
    where, content = read_bytes(path, max_mb)
    if not content:
        raise ScoresError(f"{where}: the file is empty.")
    if path.suffix.lower() == ".gz" or content.startswith(b"\x1f\x8b"):
        content = unzip(content, where, max_mb)
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):  # as some spreadsheets save text
        content = content.decode("utf-16", errors="replace").encode()
    kind = _kind_of(path, content)
    try:
        if kind == "parquet":
            return from_frame(_read_parquet(content, where, max_mb), where)
        if kind in ("json", "jsonl"):
            return _from_json(content, where, lines=kind == "jsonl")
        if re.match(_PACKED, content):
            return _from_excel(content, where, max_mb)
        if kind == "paper":
            return _from_paper(content, where)
        first = content.partition(b"\n")[0].decode(errors="replace")
        mark = "\t" if kind == "tsv" else max(",;\t|", key=first.count)
        return _read_csv(content, where, mark)
    except MemoryError as problem:
        raise ScoresError(f"{where}: does not fit into memory; use a part of it.") from problem


def is_folder(path: Path) -> bool:
    """Whether a path is that of a folder; False of what can be none."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def read_bytes(path: Path, max_mb: float) -> tuple[str, bytes]:
    """Return a file's name for messages, and its content, of at most so many megabytes."""
    if max_mb != np.inf:
        positive("max_mb", max_mb)
    where = str(path)
    if not is_unicode(where) or len(where) > _LONGEST:
        where = shown(where)
    return where, read_file(path, where, max_mb)


def _kind_of(path: Path, content: bytes) -> str:
    """Find a file's format by its first bytes, or else by its name."""
    suffix = Path(path.stem).suffix if path.suffix.lower() == ".gz" else path.suffix
    named = _KINDS.get(suffix.lower(), "")
    if content.startswith(b"PAR1") or named == "parquet":
        return "parquet"
    begin = content[:4000].removeprefix(b"\xef\xbb\xbf").lstrip()
    if re.match(rb'\{\s*["}]|\[\s*[\[{"\]\d-]', begin):
        # Often lines of JSON are called .json.
        first, _, rest = content.partition(b"\n")
        lines = first.rstrip().endswith(b"}") and rest.lstrip().startswith(b"{")
        return "jsonl" if lines or named == "jsonl" else "json"
    if suffix.lower() in (".md", ".tex") or re.match(_PASTED, begin):
        return "paper"
    return named or "csv"


def _read_csv(content: bytes, where: str, delimiter: str) -> Table:
    """Read all cells as text: a player called 01 or NA keeps its name."""
    try:
        text = content.decode("utf-8-sig")
        at, problem = text.find("\0"), "holds a NUL byte, so this is not a text file"
    except UnicodeDecodeError as error:
        at, problem = error.start, "is not UTF-8; save the file as CSV in UTF-8"
    if at >= 0:
        raise ScoresError(f"{where}: line {content.count(b'\n', 0, at) + 1} {problem}.")
    limit = csv.field_size_limit(len(content) + 1)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        names = next(reader, [])
        _check_header(names, where)
        rows, lines, begin = [], [], reader.line_num + 1
        for cells in reader:
            if any(cells):  # no blank line
                if len(cells) != len(names):
                    hint = " (a decimal comma? use a point)" if len(cells) > len(names) else ""
                    raise ScoresError(
                        f"{where}: line {begin}: {len(cells)} cells do not fit the header of "
                        f"{len(names)} columns{hint}."
                    )
                rows.append(cells)
                lines.append(begin)
            begin = reader.line_num + 1
    except csv.Error as error:
        raise ScoresError(f"{where}: line {begin} is not CSV ({error}).") from error
    finally:
        csv.field_size_limit(limit)
    frame = pd.DataFrame(rows, columns=range(len(names)), dtype=object)
    # Spreadsheets write columns that hold nothing.
    there = [k for k, name in enumerate(names) if name.strip() or (frame[k] != "").any()]
    frame, names = frame[there], [names[k] for k in there]
    if b"'" in content:
        frame = frame.map(restore)
    frame.columns = _called([restore(name) for name in names], where)
    return Table(where, frame, lambda k: f"line {lines[k]}")


def _from_excel(content: bytes, where: str, max_mb: float) -> Table:
    """Read the only sheet of a workbook that holds anything; its first row names the columns."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as packed:
            names = packed.namelist()
            check_size(sum(part.file_size for part in packed.infolist()), where, max_mb)
    except zipfile.BadZipFile:
        names = []
    if "xl/workbook.xml" not in names:
        raise ScoresError(
            f"{where}: a packed file, or an old Excel workbook. Unpack it, or save the sheet as "
            "CSV UTF-8; for logs of inspect-ai use --format inspect-ai."
        )
    with extra("excel", f"{where}: an Excel workbook"):
        import_module("openpyxl")
    try:
        sheets = pd.read_excel(
            io.BytesIO(content), sheet_name=None, header=None, dtype=object,
            keep_default_na=False, na_values=[""], engine="openpyxl",
        )  # fmt: skip
    except Exception as problem:  # openpyxl and what reads XML have errors of many kinds
        raise ScoresError(f"{where}: not a readable Excel workbook ({problem}).") from problem
    held = {name: sheet.dropna(how="all") for name, sheet in sheets.items()}
    held = {name: sheet.dropna(axis=1, how="all") for name, sheet in held.items() if len(sheet)}
    if len(held) != 1:
        raise ScoresError(
            f"{where}: sheets {listed(held) or 'without a cell'}; choose one, for example "
            "leaderbayes.read_scores(pd.read_excel(path, sheet_name=...))."
        )
    ((_, sheet),) = held.items()
    first = ["" if missing else text_of(cell) for cell, missing in
             zip(sheet.iloc[0], sheet.iloc[0].isna(), strict=True)]  # fmt: skip
    _check_header(first, where)
    rows = sheet.index[1:]
    frame = sheet.iloc[1:].reset_index(drop=True)
    frame = frame.astype(object).where(frame.notna(), None)
    frame.columns = _called(first, where)
    return Table(where, frame, lambda k: f"row {rows[k] + 1} of the sheet")


def _from_paper(content: bytes, where: str) -> Table:
    """Read a table as papers have it, in Markdown or LaTeX, without its bold face and daggers."""
    text = content.decode("utf-8-sig", errors="replace")
    bars = text.lstrip().startswith("|")
    rows, lines = [], []
    for k, line in enumerate(text.splitlines(), 1):
        bare = re.sub(r"\\(?:hline|(?:top|mid|bottom)rule|cmidrule\S*|cline\S*)", "", line).strip()
        bare = bare.strip("|") if bars else re.sub(r"\\\\(\[.*\])?$", "", bare)
        cells = re.split(r"(?<!\\)\|" if bars else r"(?<!\\)&", bare)
        if len(cells) > 1 and not re.fullmatch(r"[\s:|-]*", bare):
            rows.append([_plain_cell(cell) for cell in cells])
            lines.append(k)
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        raise ScoresError(f"{where}: rows have different numbers of cells.")
    frame = pd.DataFrame(rows[1:], columns=range(len(rows[0])), dtype=object)
    frame.columns = _called(rows[0], where)
    return Table(where, frame, lambda k: f"line {lines[k + 1]}")


def _plain_cell(cell: str) -> str:
    """Take away marks of bold face, underlining and footnotes."""
    cell = cell.replace(r"\uparrow", "↑").replace(r"\downarrow", "↓")
    bare = re.sub(r"\$?\^\{?(\\?[a-z]+|[*†‡§]+)\}?\$?|\\d?dag(ger)?\b|[†‡§]", "", cell.strip())
    bare = re.sub(r"\\(?:text|math)?(?:bf|it|tt|rm|sc|underline|emph|uline)\w*\s*", "", bare)
    bare = re.sub(
        r"\*\*|^__|__$|</?(?:b|u|i|strong|em|sup|sub)>|^\s*[*_](?=\S)|(?<=\S)[*_]\s*$", "", bare
    )
    bare = re.sub(r"^\{|\}$|\{([^{}]*)\}", r"\1", bare.strip())
    bare = re.sub(r"^\$([^$\\]*)\$$", r"\1", bare)
    return re.sub(r"\\([%&_#|])", r"\1", bare).strip()


def _called(names: list[str], where: str) -> pd.Index:
    """Return names of columns, of which one, the index, may have none; called as pandas does."""
    unnamed = sum(not name.strip() for name in names)
    if unnamed > 1:
        raise ScoresError(
            f"{where}: the first line names {len(names) - unnamed} of {len(names)} columns; "
            "remove any text above the header, and name every column."
        )
    return header([name or f"Unnamed: {k}" for k, name in enumerate(names)], where)


def _check_header(names: list[str], where: str) -> None:
    if not any(name.strip() for name in names):
        raise ScoresError(f"{where}: the first line is empty; it must name the columns.")
    if len(names) == 1:
        raise ScoresError(
            f"{where}: there is only one column, {shown(names[0])}. Use commas, remove any text "
            "above the header, or choose another program's format (--format preflib, ...)."
        )
    numbers = [cell for cell in names if is_number(cell)]
    if is_number(names[0]) or any("." in cell for cell in numbers):
        raise ScoresError(
            f"{where}: the first line holds the number {shown(numbers[0])}; it must name columns."
        )


def _read_parquet(content: bytes, where: str, max_mb: float) -> pd.DataFrame:
    with extra("parquet", f"{where}: a Parquet file"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    try:
        held = pq.read_schema(io.BytesIO(content))
        texts = [f.name for f in held if pa.types.is_string(f.type) or pa.types.is_binary(f.type)]
        # A text that repeats is held once, as it is in the file.
        file = pq.ParquetFile(io.BytesIO(content), read_dictionary=texts)
        held = file.metadata
        groups = [held.row_group(k).total_byte_size for k in range(held.num_row_groups)]
        # Cells that repeat are packed to next to nothing, and 8 bytes each in memory.
        check_size(max(sum(groups), 8 * held.num_rows * held.num_columns), where, max_mb)
        table = file.read()
        header(table.column_names, where)
        # Without this, text that is not UTF-8 comes to light much later.
        table.validate(full=True)
        # Else whole numbers with a missing one become floats, and large ones others.
        frame: pd.DataFrame = table.to_pandas(integer_object_nulls=True)
        for name in frame.columns[frame.dtypes == "category"]:
            known = np.array([*frame[name].cat.categories, None], dtype=object)
            frame[name] = pd.Series(known[frame[name].cat.codes], dtype=object)
    except ScoresError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as problem:
        raise ScoresError(f"{where}: not a readable Parquet file ({problem}).") from problem
    return frame


def _from_folder(folder: Path, max_mb: float) -> Table:
    """Read the Parquet files of a folder, at any depth, as one table."""
    files = sorted(p for p in folder.rglob("*") if p.suffix.lower() in (".parquet", ".pq"))
    files = [path for path in files if path.is_file()]
    if not files:
        raise ScoresError(
            f"{folder}: a folder without Parquet files (*.parquet, *.pq); for results of another "
            "program use leaderbayes.read_results (--format lm-eval, ...)."
        )
    frames = [_read_parquet(read_bytes(path, max_mb)[1], str(path), max_mb) for path in files]
    for path, frame in zip(files, frames, strict=True):
        if list(frame.columns) != list(frames[0].columns):
            raise ScoresError(f"{path}: other columns than {files[0]}; use files of one kind.")
    table = from_frame(pd.concat(frames, ignore_index=True), str(folder))
    return table._replace(row=lambda k: f"row {k} (from 0) of all files")


def parse(content: bytes, where: str) -> Any:
    """Read JSON, in which each key of an object stands once."""
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=_once)
    except RecursionError as problem:
        raise ScoresError(f"{where}: too deeply nested; this is not a result file.") from problem
    except ValueError as problem:
        raise ScoresError(f"{where}: not readable as JSON in UTF-8 ({problem}).") from problem


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that an object has twice, of which JSON readers drop one."""
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [key for key, _ in pairs]
        raise ValueError(f"the key {shown(max(names, key=names.count))} appears twice in an object")
    return content


def parse_lines(content: bytes, where: str) -> tuple[list[dict[str, Any]], list[int]]:
    """Read an object a line; return the objects and the numbers of their lines."""
    pieces = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    numbers = [k for k, line in enumerate(pieces, 1) if line.strip()]
    records = [parse(pieces[k - 1], f"{where}: line {k}") for k in numbers]
    for number, record in zip(numbers, records, strict=True):
        if not isinstance(record, dict):
            raise ScoresError(
                f"{where}: line {number} is not an object; each line must be a row, with column "
                "names as keys."
            )
    return records, numbers


def _from_json(content: bytes, where: str, *, lines: bool) -> Table:
    """Make a table of a list of objects, or of an object of columns as pandas writes it."""
    numbers: list[int] = []
    found: Any
    if lines:
        found, numbers = parse_lines(content, where)
    else:
        found = parse(content, where)
    rows = isinstance(found, list) and all(isinstance(it, dict) for it in found)
    columns = isinstance(found, dict) and all(isinstance(it, list) for it in found.values())
    split = columns and set(found) == {"columns", "index", "data"}  # as pandas writes it
    # Objects of numbers by their names, such as tasks of models.
    of_names = isinstance(found, dict) and all(
        isinstance(it, dict) and it and all(map(_is_plain, it.values())) for it in found.values()
    )
    if not (found and (rows or columns or of_names)):
        raise ScoresError(
            f"{where}: this JSON is not a table. Use a list of objects, one per row, with column "
            "names as keys; for results of other programs use leaderbayes.read_results (--format "
            "lm-eval, ...)."
        )
    try:
        if split:
            frame = pd.DataFrame(found["data"], found["index"], found["columns"])
        elif of_names:
            frame = pd.DataFrame.from_dict(found, orient="index")
        elif rows and any(isinstance(cell, dict) for row in found for cell in row.values()):
            frame = pd.json_normalize(found)
        else:
            frame = pd.DataFrame(found)
        table = from_frame(frame, where)
    except (ValueError, TypeError, OverflowError) as problem:
        raise ScoresError(f"{where}: these rows do not make a table ({problem}).") from problem
    if numbers:
        return table._replace(row=lambda k: f"line {numbers[k]}")
    return table._replace(row=lambda k: f"record {k} (from 0)") if rows else table


def _is_plain(cell: Any) -> bool:
    """Whether a value of JSON is a number, or none."""
    return cell is None or (isinstance(cell, int | float) and not isinstance(cell, bool))
