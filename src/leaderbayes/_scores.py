"""Read a table of scores, long or wide, and refuse what cannot be compared."""

import csv
import gzip
import io
import re
import warnings
import zlib
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import ScoresError

Source = str | Path | pd.DataFrame | Mapping[str, Any]

# Names that a column goes by, most telling first.
_PLAYER = (
    "player model algorithm classifier regressor estimator method learner framework team system"
)
_FOLD = "round fold split repeat resample iteration iter seed run"
_DATA = "tournament dataset data_set task problem benchmark db"
_SCORE = (
    "score test_score accuracy acc auc roc_auc balanced_accuracy f1 rmse mae loss error value "
    "result"
)
_MISSING = {"", "na", "nan", "n/a", "null", "none", "?", "-"}
_MAX_CELLS = 200_000_000
_SPLIT = re.compile(r"split\d+_test_(.+)")


def read_scores(
    source: Source,
    *,
    player: str | None = None,
    round: str | None = None,
    score: str | None = None,
    tournament: str | None = None,
    higher_is_better: bool = True,
    scheme: str | None = None,
) -> xr.DataArray:
    """Read scores of players in rounds.

    A long table has a row for each score, with columns for player, round and score, and perhaps
    tournament. A wide table has a row for each round and a column for each player; where a name
    in its first column repeats, that name is a tournament (a data set) and its rows are the
    rounds (the folds). Columns are recognised by their usual names where they are not given.

    Parameters
    ----------
    source : path, DataFrame or dict
        CSV (UTF-8, commas; also ``.gz``) or Parquet file, a pandas table, or scikit-learn's
        ``cv_results_`` (every ``splitN_test_*``; a player is a setting).
    player, round, score, tournament : str, optional
        Names of columns. For ``cv_results_`` ``score`` names the metric.
    higher_is_better : bool
        Whether the higher of two scores wins.
    scheme : str, optional
        What plays which role in the Unified Benchmark Ontology, such as "Model/CV"; the columns'
        names by default.

    Returns
    -------
    DataArray (player, round) or (tournament, player, round)
        Scores in the table's unit, NaN where missing; names are strings in order of appearance.
        attrs: ``higher_is_better`` (0 or 1), ``scheme``, ``source``.

    Raises
    ------
    ScoresError
        If the table cannot be read: names the file, and the row, player or column.
    """
    where, table = _read_table(source)
    if isinstance(source, Mapping) and not isinstance(source, pd.DataFrame):
        table = _from_cv_results(source, metric=score)
        player, round, score = "player", "round", "score"
    asked = {"player": player, "round": round, "score": score, "tournament": tournament}
    for role, name in asked.items():
        if name is not None and name not in table.columns:
            raise ScoresError(
                f"{where}: no column {name!r} for the {role}; {_suggest(name, table.columns)}"
            )
    if table.empty:
        raise ScoresError(f"{where}: the table has a header and no row of scores.")
    player = player or _recognise(table, _PLAYER, asked.values())
    score = score or _recognise(table, _SCORE, asked.values())
    if player is not None and score is not None:
        long, names = _long(table, where, player, round, score, tournament)
    elif asked["player"] or asked["score"]:
        role, given = ("score", "player") if player else ("player", "score")
        raise ScoresError(
            f"{where}: the {given} column is given, but no column is known for the {role}; name it "
            f"too. The columns are {_listed(table.columns)}."
        )
    else:
        long, names = _wide(table, where, round, tournament)
    array = _to_array(long, where)
    array.attrs = {
        "higher_is_better": int(higher_is_better),
        "scheme": scheme or names,
        "source": where,
    }
    return array


# -- sources ---------------------------------------------------------------------------------------


def _read_table(source: Source) -> tuple[str, pd.DataFrame]:
    """Name of the source for messages, and its table (empty for a mapping)."""
    if isinstance(source, pd.DataFrame):
        table = source.set_axis([str(c) for c in source.columns], axis=1)
        _refuse_repeated(list(table.columns), "the DataFrame")
        return "the DataFrame", table.reset_index(drop=True)
    if isinstance(source, Mapping):
        return "cv_results_", pd.DataFrame()
    path = Path(source)
    where = str(path)
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as problem:
        raise ScoresError(f"{where}: cannot be read ({problem}).") from problem
    if not content:
        raise ScoresError(f"{where}: the file is empty.")
    if path.suffix.lower() in (".parquet", ".pq"):
        return where, _read_parquet(content, where)
    if path.suffix.lower() == ".gz":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as problem:
            raise ScoresError(f"{where}: not a whole gzip file ({problem}).") from problem
    return where, _read_csv(content, where)


def _read_parquet(content: bytes, where: str) -> pd.DataFrame:
    import pyarrow as pa

    try:
        table = pd.read_parquet(io.BytesIO(content)).reset_index()
    except (pa.ArrowException, OSError, ValueError, KeyError, TypeError) as problem:
        raise ScoresError(f"{where}: not a readable Parquet file ({problem}).") from problem
    table = table.drop(columns=[c for c in ("index",) if c in table])
    return table.set_axis([str(c) for c in table.columns], axis=1)


def _read_csv(content: bytes, where: str) -> pd.DataFrame:
    """All cells as text: a player called 01 or NA keeps its name."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        raise ScoresError(
            f"{where}: line {line} is not UTF-8 (byte {content[problem.start]:#04x}); save "
            "the whole file in one encoding, UTF-8."
        ) from problem
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise ScoresError(f"{where}: line {line} holds a NUL byte; this is no CSV of text.")
    try:
        header = next(csv.reader(io.StringIO(text)), [])
    except csv.Error as problem:
        raise ScoresError(f"{where}: the header cannot be read ({problem}).") from problem
    if not any(name.strip() for name in header):
        raise ScoresError(f"{where}: the first line is empty; it must name the columns.")
    if len(header) == 1:
        raise ScoresError(f"{where}: {_wrong_delimiter(header[0])}")
    _refuse_repeated(header, where)
    try:
        with warnings.catch_warnings():
            # A row longer than the header is only warned of otherwise, and cut.
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = pd.read_csv(
                io.StringIO(text),
                dtype=str,
                keep_default_na=False,
                index_col=False,
                skip_blank_lines=False,
            )
    except (pd.errors.ParserError, pd.errors.ParserWarning, ValueError) as problem:
        reason = str(problem).strip().removeprefix("Error tokenizing data. C error: ")
        raise ScoresError(
            f"{where}: rows do not fit the header of {len(header)} columns ({reason})."
        ) from problem
    table.columns = pd.Index(header)
    blank = (table.isna() | (table == "")).all(axis=1)
    return table[~blank]


def _wrong_delimiter(header: str) -> str:
    for mark, name in {";": "semicolons", "\t": "tabs", "|": "bars"}.items():
        if mark in header:
            return f"the delimiter is wrong: columns seem to be separated by {name}; use commas."
    return f"there is only one column, {header[:60]!r}; columns are separated by commas."


def _refuse_repeated(columns: list[str], where: str) -> None:
    seen: set[str] = set()
    for name in columns:
        if name in seen:
            raise ScoresError(f"{where}: two columns are called {name[:60]!r}; rename one.")
        seen.add(name)


def _from_cv_results(results: Mapping[str, Any], metric: str | None) -> pd.DataFrame:
    """Long table of a search's splits; a player is a setting of the parameters."""
    metrics = {found[1]: None for key in results if (found := _SPLIT.fullmatch(str(key)))}
    if not metrics or "params" not in results:
        raise ScoresError("cv_results_: no 'params' and 'splitN_test_...' in the dictionary.")
    if metric is None and len(metrics) > 1:
        raise ScoresError(
            f"cv_results_: there are several metrics ({', '.join(metrics)}); name one with score=."
        )
    metric = metric or next(iter(metrics))
    if metric not in metrics:
        raise ScoresError(f"cv_results_: no metric {metric!r}; {_suggest(metric, metrics)}")
    names = [
        ", ".join(f"{key}={value}" for key, value in setting.items()) or "default"
        for setting in results["params"]
    ]
    splits = [key for key in results if str(key).endswith(f"_test_{metric}")]
    splits = [key for key in splits if _SPLIT.fullmatch(key)]
    columns = [
        pd.DataFrame({"player": names, "round": key.split("_")[0], "score": results[key]})
        for key in splits
    ]
    return pd.concat(columns, ignore_index=True)


# -- columns ---------------------------------------------------------------------------------------


def _recognise(table: pd.DataFrame, names: str, taken: Iterable[str | None]) -> str | None:
    """First column that goes by one of these names and is not taken."""
    free = {
        c.strip().lower().replace(" ", "_").replace("-", "_"): c
        for c in table.columns
        if c not in set(taken)
    }
    return next((free[name] for name in names.split() if name in free), None)


def _long(
    table: pd.DataFrame,
    where: str,
    player: str,
    round: str | None,
    score: str,
    tournament: str | None,
) -> tuple[pd.DataFrame, str]:
    taken = [player, score, round, tournament]
    fold = round or _recognise(table, _FOLD, taken)
    taken.append(fold)
    data = tournament or _recognise(table, _DATA, taken)
    if fold is None:
        # Models by tasks: the data sets are the rounds.
        fold, data = data, tournament
    if fold is None or fold == data:
        raise ScoresError(
            f"{where}: no column is known for the round; name it (round=..., --round). The columns "
            f"are {_listed(table.columns)}."
        )
    long = pd.DataFrame(
        {
            "player": _names(table[player], player, where),
            "round": _names(table[fold], fold, where),
            "score": _numbers(table[score], score, where),
        }
    )
    if data is not None:
        long.insert(0, "tournament", _names(table[data], data, where))
    return long, "/".join([*([data] if data else []), player, fold])


def _wide(
    table: pd.DataFrame, where: str, round: str | None, tournament: str | None
) -> tuple[pd.DataFrame, str]:
    fold = round or _recognise(table, _FOLD, [tournament])
    data = tournament or _recognise(table, _DATA, [fold])
    if fold is None and data is None:
        text = [c for c in table.columns if not _is_numeric(table[c])]
        data = text[0] if text else None
    players = [c for c in table.columns if c not in (fold, data)]
    if not players:
        raise ScoresError(f"{where}: no column is left for the players.")
    if data is not None and fold is None:
        # A name that repeats is a data set, and its rows are folds; else each row is a round.
        names = _names(table[data], data, where)
        repeats = names.groupby(names).cumcount().astype(str)
        rounds, tournaments = (repeats, names) if names.duplicated().any() else (names, None)
    else:
        default = pd.Series([str(i) for i in range(len(table))], index=table.index)
        rounds = default if fold is None else _names(table[fold], fold, where)
        tournaments = None if data is None else _names(table[data], data, where)
    blocks = []
    for name in players:
        if not name.strip():
            raise ScoresError(f"{where}: a column of scores has no name; name its player.")
        block = pd.DataFrame({"player": name, "round": rounds})
        block["score"] = _numbers(table[name], name, where)
        if tournaments is not None:
            block.insert(0, "tournament", tournaments)
        blocks.append(block)
    rows = fold or ("row" if tournaments is not None or data is None else data)
    return pd.concat(blocks), "/".join(
        [*([data or ""] if tournaments is not None else []), "column", rows]
    )


def _is_numeric(column: pd.Series) -> bool:
    return bool(pd.to_numeric(column, errors="coerce").notna().any())


def _names(column: pd.Series, label: str, where: str) -> pd.Series:
    """Names as text; a missing one is an error."""
    text = column.astype(object).where(column.notna(), "").astype(str)
    missing = text.str.strip() == ""
    if missing.any():
        row = _row(column.index[missing.to_numpy()][0], where)
        raise ScoresError(
            f"{where}: {row}: column {label!r} is empty; every row needs a name there."
        )
    return text


def _numbers(column: pd.Series, label: str, where: str) -> pd.Series:
    """Scores as floats; missing ones are NaN, text and infinity errors."""
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iufb":
        numbers = column.astype(float)
    else:
        numbers = pd.to_numeric(column, errors="coerce").astype(float)
        unread = numbers.isna() & column.notna()
        if unread.any():
            text = column[unread].astype(str)
            wrong = text[~text.str.strip().str.lower().isin(_MISSING)]
            if len(wrong):
                hint = " (a decimal comma? use a point)" if "," in wrong.iloc[0] else ""
                raise ScoresError(
                    f"{where}: {_row(wrong.index[0], where)}: column {label[:60]!r} holds "
                    f"{wrong.iloc[0][:60]!r}, which is not a number{hint}; leave a "
                    "missing score empty."
                )
    infinite = np.isinf(numbers)
    if infinite.any():
        raise ScoresError(
            f"{where}: {_row(numbers.index[infinite][0], where)}: column {label[:60]!r} is "
            "infinite; leave a missing score empty."
        )
    return numbers


def _row(index: Any, where: str) -> str:
    """Line of a file (its header is line 1), or row of a table counted from 0."""
    return f"row {index}" if where in ("the DataFrame", "cv_results_") else f"line {index + 2}"


# -- array -----------------------------------------------------------------------------------------


def _to_array(long: pd.DataFrame, where: str) -> xr.DataArray:
    """Pivot a long table; names in order of appearance, missing cells NaN."""
    dims = [d for d in ("tournament", "player", "round") if d in long]
    coded = {dim: pd.factorize(long[dim]) for dim in dims}
    shape = tuple(len(names) for _, names in coded.values())
    if np.prod(shape, dtype=float) > _MAX_CELLS:
        sizes = ", ".join(f"{n} {d}s" for d, n in zip(dims, shape, strict=True))
        raise ScoresError(
            f"{where}: {sizes} make a table that is nearly empty; are these the right columns?"
        )
    cell = np.ravel_multi_index([codes for codes, _ in coded.values()], shape)
    repeated = pd.Series(cell).duplicated().to_numpy()
    if repeated.any():
        again = long.iloc[int(np.argmax(repeated))]
        names = ", ".join(f"{d} {again[d][:60]!r}" for d in dims)
        raise ScoresError(
            f"{where}: {_row(again.name, where)}: a second score for {names}; keep one score for "
            "each player and round, or name the tournament's column."
        )
    if shape[dims.index("player")] < 2:
        raise ScoresError(
            f"{where}: the only player is {coded['player'][1][0][:60]!r}; a comparison needs two."
        )
    values = np.full(np.prod(shape, dtype=int), np.nan)
    values[cell] = long["score"].to_numpy()
    if np.isnan(values).all():
        raise ScoresError(f"{where}: every score is missing.")
    coords = {dim: np.asarray(names, dtype=object) for dim, (_, names) in coded.items()}
    return xr.DataArray(values.reshape(shape), dims=dims, coords=coords, name="score")


def _suggest(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name, list(known), n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}? " if near else ""
    return f"{hint}There are {_listed(known)}."


def _listed(names: Iterable[str]) -> str:
    shown = [repr(n[:60]) for n in names]
    return ", ".join(shown[:12]) + (f" and {len(shown) - 12} more" if len(shown) > 12 else "")
