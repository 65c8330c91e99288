"""Sources to one table: CSV, Parquet, DataFrame, scikit-learn's cv_results_; columns are text."""

import csv
import io
import os
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np
import pandas as pd
from pandas.api.types import infer_dtype

from leaderbayes._arguments import positive
from leaderbayes._errors import ScoresError
from leaderbayes._extras import extra
from leaderbayes._files.csv import restore
from leaderbayes._files.read import MAX_MB, check_size, read_file, unzip
from leaderbayes._scores.formats import refuse_format
from leaderbayes._scores.spelling import clean
from leaderbayes._scores.written import whole_as_written

Source = str | Path | pd.DataFrame | Mapping[str, Any]
FRAME = "the DataFrame"  # what messages call a source that is no file
MISSING = {"", "na", "nan", "n/a", "null", "none", "?", "-"}  # cells, in lower case
# Of answers to items, right and wrong, in lower case.
ANSWERS = {
    **dict.fromkeys("true correct right yes pass passed resolved solved".split(), "1"),
    **dict.fromkeys("false incorrect wrong no fail failed unresolved unsolved".split(), "0"),
}

EXACT = 2**53  # whole numbers above this are not told apart as floats
# Before pandas 3 numbers are rounded, but for this option, of which pandas 3 warns.
_TO_THE_LAST_DIGIT: dict[str, Any] = (
    {"float_precision": "round_trip"} if int(pd.__version__.split(".")[0]) < 3 else {}
)
_LONGEST = 1000  # characters of a path that a message repeats
# What follows a mean: 85.1 ± 0.4, 85.1 +- 0.4, $85.1 \pm 0.4$, 85.1 (0.4), 85.1 [84.7, 85.5].
_ERROR = re.compile(r"±|\+/?-|\$?\\pm|(?<=[\d.%\s])[(\[][±\d.,;:%\s–-]+[)\]]$")
_SPLIT = re.compile(r"(split\d+)_test_(.+)")


class Table(NamedTuple):
    """A table and how its messages name it and its rows."""

    where: str
    frame: pd.DataFrame  # index: number of the row, from 0
    row: Callable[[int], str]
    metric: str = ""  # what all scores are of, where no column says so
    # Cells of a column as the file has them, where the frame has their numbers.
    written: Callable[[str], pd.Series] | None = None

    def cells(self, label: str) -> pd.Series:
        """Give the cells of a column, of a file's as they are written there."""
        if self.written is None or not _is_float(self.frame[label]):
            return self.frame[label]
        return self.written(label).loc[self.frame.index]

    def refuse(self, problem: str, row: Any = None) -> NoReturn:
        """Raise a ScoresError that names the source and, if given, the row."""
        place = "" if row is None else f"{self.row(int(row))}: "
        raise ScoresError(f"{self.where}: {place}{problem}")


def read_table(
    source: Source, metric: str | None, max_mb: float = MAX_MB, *, decimals: bool = False
) -> tuple[Table, bool]:
    """Read a table, and say whether it is of ``cv_results_`` (then long, with known names).

    Parameters
    ----------
    source : path, DataFrame or mapping
        As for `leaderbayes.read_scores`.
    metric : str, optional
        Of ``cv_results_``.
    max_mb : float
        The most that a file may hold, unpacked, in megabytes.
    decimals : bool
        As of `from_content`.
    """
    if isinstance(source, Mapping):
        return _from_cv_results(source, "cv_results_", metric), True
    if isinstance(source, pd.DataFrame):
        table = from_frame(source, FRAME)
    elif isinstance(source, str | os.PathLike):
        path = Path(source)
        where, content = read_content(path, max_mb)
        table = from_content(content, where, path.suffix, max_mb, decimals=decimals)
    else:
        raise ScoresError(
            f"Scores cannot be read from a {type(source).__name__}: give a path, a DataFrame, or "
            "scikit-learn's cv_results_."
        )
    return unsearched(table, metric)


def unsearched(table: Table, metric: str | None) -> tuple[Table, bool]:
    """Give a table as it is, or the splits of ``cv_results_`` that it holds, as `read_table`."""
    if "params" in table.frame and any(_SPLIT.fullmatch(str(c)) for c in table.frame):
        results = dict(table.frame.items()) | {"params": table.cells("params")}
        return _from_cv_results(results, table.where, metric), True
    return table, False


def shown(name: object) -> str:
    """Quote a name for a message, cut where it is long."""
    return repr(text_of(name)[:60])


def text_of(value: object) -> str:
    """Write any object as text; a number too long to print as its type."""
    try:
        return str(value)
    except ValueError:
        return type(value).__name__


def bare_number(cell: str) -> str:
    """Strip a cell of a percent sign, or of an error or interval after it, as `_ERROR` has it."""
    mean, *error = _ERROR.split(cell.strip(), maxsplit=1)
    if error and "." not in cell and cell.strip().endswith((")", "]")):
        mean = cell  # 2019 (1) is a name
    return mean.strip(" $" if error else None).removesuffix("%").strip()


def is_unicode(name: str) -> bool:
    """Whether a text can be written: it has no half of a character."""
    return not re.search("[\ud800-\udfff]", name)


def listed(names: Iterable[object]) -> str:
    """Quote names for a message, a dozen at most."""
    quoted = [shown(n) for n in names]
    return ", ".join(quoted[:12]) + (f" and {len(quoted) - 12} more" if len(quoted) > 12 else "")


def counted(number: float, what: str) -> str:
    """Count things in words: 1 player, 2 players."""
    return f"{number:.0f} {what}{'' if number == 1 else 's'}"


def suggest(name: object, known: Iterable[object]) -> str:
    """End a message on an unknown name: the nearest of the known names, and all of them."""
    texts = [text_of(n) for n in known]
    near = get_close_matches(text_of(name)[:60], texts, n=1, cutoff=0.5)
    if len(texts) == 1:
        return f"there is only {shown(texts[0])}."
    return (f"did you mean {shown(near[0])}? There" if near else "there") + f" are {listed(texts)}."


def read_bytes(path: Path, max_mb: float) -> tuple[str, bytes]:
    """Give a file's name for messages, and its content, of at most so many megabytes."""
    if max_mb != np.inf:
        positive("max_mb", max_mb)
    where = str(path)
    if not is_unicode(where) or len(where) > _LONGEST:
        where = shown(where)
    return where, read_file(path, where, max_mb)


def read_content(path: Path, max_mb: float) -> tuple[str, bytes]:
    """Give a file's name for messages, and its content, unpacked; an empty one is an error."""
    where, content = read_bytes(path, max_mb)
    if not content:
        raise ScoresError(f"{where}: the file is empty.")
    if path.suffix.lower() == ".gz" or content.startswith(b"\x1f\x8b"):
        content = unzip(content, where, max_mb)
    return where, content


def from_content(
    content: bytes,
    where: str,
    suffix: str,
    max_mb: float,
    *,
    delimiter: str = ",",
    decimals: bool = False,
) -> Table:
    """Read a file's content as Parquet, if it or the suffix says so, or as text with delimiters.

    With ``decimals`` columns of nothing but numbers may be read as such, at once.
    """
    try:
        if suffix.lower() in (".parquet", ".pq") or content.startswith(b"PAR1"):
            return from_frame(_read_parquet(content, where, max_mb), where)
        refuse_format(content, where)
        return _read_csv(content, where, delimiter, decimals=decimals)
    except MemoryError as problem:
        raise ScoresError(
            f"{where}: the table does not fit into memory; give a part of it."
        ) from problem


def from_frame(frame: pd.DataFrame, where: str) -> Table:
    """Take a pandas table; an index that holds names becomes columns."""
    columns, metric = _column_names(frame.columns, where)
    frame = frame.set_axis(pd.Index(columns, dtype=object), axis=1)
    index = frame.index
    if any(n is not None for n in index.names) or not pd.api.types.is_numeric_dtype(index.dtype):
        names = [
            f"index {k}" if n is None else text_of(n) for k, n in enumerate(index.names, start=1)
        ]
        _header([*names, *frame.columns], where)
        bare = index.set_names([None] * index.nlevels)  # any object may be a level's name
        levels = pd.DataFrame(
            {name: _own(bare.get_level_values(k)) for k, name in enumerate(names)}
        )
        frame = pd.concat([levels, frame.reset_index(drop=True)], axis=1)
    frame.columns = _header(list(frame.columns), where)
    return Table(where, frame.reset_index(drop=True), lambda k: f"row {k} (from 0)", metric)


def _column_names(columns: pd.Index, where: str) -> tuple[list[str], str]:
    """Give names of columns as text; and the metric of all, where pivot_table adds it to each."""
    names = [
        [text_of(part) for part in c] if isinstance(c, tuple) else [text_of(c)]
        for c in columns.to_flat_index()
    ]
    metric = ""
    unnamed = [k for k, name in enumerate(columns.names) if name is None]
    if 0 < len(unnamed) < columns.nlevels:
        # Columns of an index, after reset_index, are named by one level only.
        metrics = {"/".join(name[k] for k in unnamed) for name in names if all(name)}
        if len(metrics) > 1:
            raise ScoresError(
                f"{where}: the columns hold several scores ({listed(sorted(metrics))}); give the "
                "table of one (values=... of pivot_table)."
            )
        metric = next(iter(metrics), "")
        names = [
            [part for k, part in enumerate(name) if not (all(name) and k in unnamed)]
            for name in names
        ]
    return ["/".join(filter(None, name)) for name in names], metric


def _own(level: pd.Index) -> pd.Series:
    """Make a column of an index, of the same dtype."""
    return pd.Series(level.array, dtype=level.dtype)


def _read_parquet(content: bytes, where: str, max_mb: float) -> pd.DataFrame:
    with extra("parquet", f"{where}: a Parquet file"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(content))
        held = file.metadata
        groups = [held.row_group(k).total_byte_size for k in range(held.num_row_groups)]
        # Cells that repeat are packed to next to nothing, and 8 bytes each in memory.
        check_size(max(sum(groups), 8 * held.num_rows * held.num_columns), where, max_mb)
        table = file.read()
        _header(table.column_names, where)
        # Without this, text that is not UTF-8 comes to light much later.
        table.validate(full=True)
        # Else whole numbers with a missing one become floats, and large ones others.
        frame: pd.DataFrame = table.to_pandas(integer_object_nulls=True)
    except ScoresError:
        raise
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as problem:
        raise ScoresError(f"{where}: not a readable Parquet file ({problem}).") from problem
    return frame


def decode(content: bytes, where: str) -> str:
    """Decode a text in UTF-8; an error names the line that is not."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise ScoresError(
            f"{where}: line {line} is not UTF-8 (byte {content[problem.start]:#04x}); save "
            "the whole file in one encoding, UTF-8."
        ) from problem


def _read_csv(content: bytes, where: str, delimiter: str, *, decimals: bool) -> Table:
    """Read all cells as text: a player called 01 or NA keeps its name.

    With ``decimals`` columns of numbers are numbers: whole ones where each is written as Python
    writes it, and decimal ones; of these a name is read again (`Table.cells`).
    """
    if not content.isascii():
        decode(content, where)
    if b"\0" in content:
        line = content.count(b"\n", 0, content.index(b"\0")) + 1
        raise ScoresError(f"{where}: line {line} holds a NUL byte; this is no CSV of text.")
    try:
        # Of bytes, of which no copy is made, as of the text there would be.
        lines = io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline="")
        header = next(csv.reader(lines, delimiter=delimiter), [])
    except csv.Error as problem:
        raise ScoresError(f"{where}: the header cannot be read ({problem}).") from problem
    _check_header(header, where)
    columns = _header([restore(name) for name in header], where)
    cells = partial(_cells, content, delimiter, len(header))
    uneven = partial(_uneven, content, len(header), where, delimiter)
    try:
        frame = _with_numbers(content, delimiter, cells) if decimals else cells(str)
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError) as problem:
        raise ScoresError(uneven() or f"{where}: {problem}") from problem
    frame.columns = columns
    # pandas fills a row that is too short with empty cells.
    short = frame.iloc[:, -1] == ""
    if short.any():
        blank = (frame == "").all(axis=1)
        if (short & ~blank).any() and (where_short := uneven()):
            raise ScoresError(where_short)
        frame = frame[~blank]
    if b"'" in content:
        for name in columns:
            if frame[name].dtype.kind not in "if" and frame[name].str.startswith("'").any():
                frame[name] = frame[name].map(restore)

    def written(label: str) -> pd.Series:
        return cells(str, usecols=[columns.get_loc(label)]).iloc[:, 0]

    return Table(where, frame, lambda k: f"line {_line(content, k, delimiter)}", written=written)


def _is_float(column: pd.Series) -> bool:
    return pd.api.types.is_float_dtype(column.dtype)


def _cells(
    content: bytes, delimiter: str, columns: int, kind: type[str] | None, **options: Any
) -> pd.DataFrame:
    """Read a CSV's cells as text; or, where no kind is given, as what pandas takes them for."""
    with warnings.catch_warnings():
        # A row longer than the header is only warned of otherwise, and cut.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        frame: pd.DataFrame = pd.read_csv(
            io.BytesIO(content.removeprefix(b"\xef\xbb\xbf")),
            sep=delimiter,
            header=0,
            names=range(columns),
            dtype=kind,
            na_filter=False,
            index_col=False,
            skip_blank_lines=False,
            **_TO_THE_LAST_DIGIT,
            **options,
        )
    return frame


def _with_numbers(
    content: bytes, delimiter: str, cells: Callable[..., pd.DataFrame]
) -> pd.DataFrame:
    """Read a CSV's cells as pandas guesses; as text those of which something is lost by that."""
    with warnings.catch_warnings():
        # It guesses in pieces: a column may be text in one, and something else in another.
        warnings.simplefilter("ignore", pd.errors.DtypeWarning)
        frame = cells(None)
    kept = whole_as_written(content, delimiter, frame)
    for k, kind in enumerate(frame.dtypes):
        if kind.kind == "f":
            values = frame[k].to_numpy()
            # As text large whole numbers are told apart.
            safe = -EXACT < values.min() and values.max() < EXACT
        else:
            of_pandas_2 = kind.kind == "O" and infer_dtype(frame[k], skipna=False) == "string"
            safe = isinstance(kind, pd.StringDtype) or of_pandas_2
        if safe:
            kept.add(k)
    lost = [k for k in range(frame.shape[1]) if k not in kept]
    if len(lost) == frame.shape[1]:
        return cells(str)
    if lost:
        frame[lost] = cells(str, usecols=lost)
    return frame


def _check_header(header: list[str], where: str) -> None:
    if not any(name.strip() for name in header):
        raise ScoresError(f"{where}: the first line is empty; it must name the columns.")
    joined = "".join(header)
    for mark, name in {";": "semicolons", "\t": "tabs", "|": "bars"}.items():
        if joined.count(mark) >= len(header):
            raise ScoresError(
                f"{where}: the delimiter is wrong: columns seem to be separated by {name}; use "
                "commas."
            )
    if len(header) == 1:
        raise ScoresError(
            f"{where}: there is only one column, {shown(header[0])}; columns are separated by "
            "commas."
        )
    numbers = [cell for cell in header if is_number(cell)]
    if is_number(header[0]) or any("." in cell for cell in numbers):
        raise ScoresError(
            f"{where}: the first line holds the number {shown(numbers[0])}; it must name the "
            "columns."
        )


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _header(names: list[str], where: str) -> pd.Index:
    """Strip column names of the blanks around them; each stands once."""
    for name in names:
        if not is_unicode(name):
            raise ScoresError(f"{where}: a column is called {shown(name)}, which is not text.")
    columns = pd.Index([clean(name) for name in names])
    if columns.has_duplicates:
        again = shown(columns[columns.duplicated()][0])
        raise ScoresError(f"{where}: two columns are called {again}; rename one.")
    return columns


def _records(content: bytes, delimiter: str) -> Iterable[tuple[int, list[str]]]:
    """Give the line at which each record of a CSV begins, and its cells; the header is first."""
    lines = io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline="\n")
    reader = csv.reader(lines, delimiter=delimiter)
    begin = 1
    try:
        for cells in reader:
            yield begin, cells
            begin = reader.line_num + 1
    except csv.Error:
        return


def _line(content: bytes, row: int, delimiter: str) -> int:
    """Find the line of a row, which quoted line ends may have moved."""
    records = enumerate(_records(content, delimiter), -1)
    return next((line for k, (line, _) in records if k == row), row + 2)


def _uneven(content: bytes, columns: int, where: str, delimiter: str) -> str:
    """Say which line has more or fewer cells than the header; nothing where none has."""
    for line, cells in _records(content, delimiter):
        if cells and len(cells) != columns:
            hint = " (a decimal comma? use a point)" if len(cells) > columns else ""
            return (
                f"{where}: line {line}: {len(cells)} cells do not fit the header of "
                f"{columns} columns{hint}."
            )
    return ""


def as_column(values: Any) -> pd.Series:
    """Make a column of a sequence, whatever its values are.

    Raises
    ------
    TypeError, ValueError
        If it is no sequence, or has more dimensions.
    """
    if isinstance(values, np.ndarray | pd.Series):
        column = pd.Series(values).reset_index(drop=True)
        # Categories of several columns cannot always be joined.
        return column.astype(object) if isinstance(column.dtype, pd.CategoricalDtype) else column
    return pd.Series(list(values), dtype=object)


def _from_cv_results(results: Mapping[Any, Any], where: str, metric: str | None) -> Table:
    """Make a long table of a search's splits; a player is a setting of the parameters."""
    splits = [(key, *found.groups()) for key in results if (found := _SPLIT.fullmatch(str(key)))]
    metrics = list(dict.fromkeys(of for _, _, of in splits))
    if not metrics or "params" not in results:
        raise ScoresError(f"{where}: no 'params' and 'splitN_test_...' in the dictionary.")
    if metric is None and len(metrics) > 1:
        raise ScoresError(
            f"{where}: there are several metrics ({', '.join(metrics)}); name one with score=."
        )
    metric = metrics[0] if metric is None else metric
    if metric not in metrics:
        raise ScoresError(f"{where}: no metric {shown(metric)}; {suggest(metric, metrics)}")
    try:
        names = [
            ", ".join(f"{text_of(k)}={text_of(v)}" for k, v in setting.items()) or "default"
            # A CSV has the settings as text.
            if isinstance(setting, Mapping)
            else text_of(setting)
            for setting in results["params"]
        ]
        players = pd.Series(names, dtype=object)
        blocks = [
            pd.DataFrame({"player": players, "split": split, "score": as_column(results[key])})
            for key, split, of in splits
            if of == metric
        ]
    except (TypeError, ValueError, KeyError) as problem:
        raise ScoresError(f"{where}: not the results of a search ({problem}).") from problem
    frame = pd.concat(blocks, ignore_index=True)
    return Table(where, frame, lambda k: f"row {k} (from 0)", metric)
