# ruff: noqa: E501
"""Changes of sources that know their structure: bytes, CSV, JSON, archives, objects, frames."""

import copy
import csv
import gzip
import io
import json
import random
import zipfile
from datetime import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

CELLS = [
    "", "0", "1", "-1", "0.5", "1e308", "1e400", "nan", "NA", "inf", "None", "True", "?", "-", " ",
    "1,5", "1;5", "a", "x", "é", "東京", "\u200b", "\ufeff", "0x10", "1_000", "2024-02-29", "=1+1",
    "[1,2]", "{}", "9007199254740993", "9" * 400, "x" * 5000, "\r", "\n", "\t", '"', "'", "[" * 500,
    "player", "round", "score", "fold", "task", "mean", "avg rank", "rmse", "log_loss", "p_value",
    "90%", "1,000", "0\u00a05", "０.５", "\u22120.5", "SVM", "svm ", "\u202ea", "model_a", "tie",
]  # fmt: skip
BYTES = [c.encode() for c in CELLS] + [
    b"\0", b"\xff", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\r\n", b",,,,", b'""', b";", b"{",
]  # fmt: skip
OBJECTS: list[Any] = [
    None, np.nan, pd.NA, pd.NaT, np.inf, True, 0, -1, 2**53 + 1, 10**400, 0.5, 1e308, 1 + 2j, "", "a",
    "high", "\ud800", "a\0b", b"bytes", [], [1.0, 2.0], [[1]], (), {}, {"a": 1}, {1}, object(),
    datetime(2024, 2, 29), np.datetime64("2024"), Decimal("NaN"), np.float32(1.5), np.array([1.0]),
    np.array([[1.0]]), np.ma.masked, type, Ellipsis, pd.Interval(0, 1), pd.Period("2024"), "x" * 5000,
]  # fmt: skip
JSON: list[Any] = [
    None, True, 0, -1, 0.5, 1e308, "", "a", "N/A", "0.5", "\ud800", [], {}, [1], {"a": 1}, {"": {}},
    10**30, float("inf"), float("nan"), "x" * 5000,
]  # fmt: skip


def mutate(source: Any, rng: random.Random) -> Any:
    """Change a source some times: bytes with a file's name, or an object."""
    times = rng.choice((0, 1, 1, 1, 2, 3, 6))
    if isinstance(source, tuple) and source and isinstance(source[0], bytes):
        content, name = source
        for _ in range(times):
            of = {".json": in_json, ".eval": in_archive, ".csv": in_csv, ".tsv": in_csv}
            change = of.get(name[name.rfind(".") :], in_bytes) if rng.random() < 0.6 else in_bytes
            content = change(content, rng)
        return (gzip.compress(content, 1, mtime=0) if rng.random() < 0.03 else content), name
    for _ in range(times):
        if not isinstance(source, pd.DataFrame):
            source = in_object(source, rng, OBJECTS)
            continue
        try:
            source = in_frame(source, rng)
        except Exception:
            continue  # pandas refuses the change itself
    return source


def in_bytes(content: bytes, rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    i, k = rng.randrange(len(content) + 1), rng.randrange(len(lines))
    j = min(len(content), i + rng.choice((1, 1, 8, 64)))
    text = content.decode("utf-8", "replace")
    return rng.choice((
        lambda: content[:i] + bytes([rng.randrange(256)]) + content[i + 1 :],
        lambda: content[:i] + content[j:],
        lambda: content[:i] + rng.choice(BYTES) + content[i:],
        lambda: content[:i] + content[i:j] * rng.choice((2, 50)) + content[j:],
        lambda: content[:i],
        lambda: b"\n".join([*lines[:k], *lines[k + 1 :]]),
        lambda: b"\n".join(rng.sample(lines, len(lines))),
        lambda: b"".join(line + rng.choice((b"\n", b"\r\n", b"\r")) for line in lines),
        lambda: text.encode(rng.choice(("utf-16", "latin-1", "cp037")), "replace"),
        lambda: rng.choice((b"", b"\n", rng.randbytes(rng.randrange(80)), rng.choice(BYTES))),
        lambda: content.replace(rng.choice((b",", b"\n", b'"', b".", b"0")), rng.choice(BYTES)),
    ))()  # fmt: skip


def in_csv(content: bytes, rng: random.Random) -> bytes:
    try:
        rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig", "replace"))))
    except csv.Error:
        return in_bytes(content, rng)
    rows = [row for row in rows if row] or [[""]]
    a, column = rng.randrange(len(rows)), rng.randrange(len(rows[0]))
    kind, cell = rng.randrange(7), rng.choice(CELLS)
    if kind <= 1:
        rows[a][rng.randrange(len(rows[a]))] = cell
    elif kind == 2:
        rows = [row[:column] + row[column + 1 :] or [""] for row in rows]
    elif kind == 3:
        rows = [[*row, *row[column : column + 1]] for row in rows]
    elif kind == 4:
        rows.append(list(rows[a]))
    elif kind == 5:
        rows = [rows[0], *([*r[:column], cell, *r[column + 1 :]] for r in rows[1:])]
    else:
        rows = rng.sample(rows, len(rows))
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8", "replace")


def in_json(content: bytes, rng: random.Random) -> bytes:
    try:
        made = json.loads(content)
    except (ValueError, RecursionError):
        return in_bytes(content, rng)
    if rng.random() < 0.05:
        return b"[" * 100_000 + content
    return json.dumps(in_object(made, rng, JSON)).encode()


def in_archive(content: bytes, rng: random.Random) -> bytes:
    """Change the JSON of one file in an archive, if it is still one."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = {name: archive.read(name) for name in archive.namelist()}
        name = rng.choice(list(members))
    except Exception:
        return in_bytes(content, rng)
    members[name] = in_json(members[name], rng)
    if rng.random() < 0.1:
        del members[name]
    made = io.BytesIO()
    with zipfile.ZipFile(
        made, "w", rng.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA))
    ) as archive:
        for name, of in members.items():
            archive.writestr(zipfile.ZipInfo(name), of)
    return made.getvalue()


def in_object(source: Any, rng: random.Random, odd: list[Any]) -> Any:
    """Change one place of nested lists and dictionaries, or of a series."""
    if isinstance(source, pd.Series):
        values = [rng.choice(odd) if rng.random() < 0.3 else v for v in source]
        index = [rng.choice(odd) if rng.random() < 0.2 else v for v in source.index]
        return pd.Series(values, index=pd.Index(index, dtype=object), dtype=object)
    if not isinstance(source, dict | list) or not source or rng.random() < 0.03:
        return rng.choice(odd)
    source = copy.copy(source)
    key = rng.choice(list(source) if isinstance(source, dict) else range(len(source)))
    kind = rng.randrange(8)
    if kind == 0:
        del source[key]
    elif kind == 1 and isinstance(source, dict):
        source[rng.choice(["1", "", "a,b", "results", "score"])] = source.pop(key)
    elif kind == 1:
        source.append(source[key])
    elif kind == 2:
        source[key] = rng.choice(odd)
    else:
        source[key] = in_object(source[key], rng, odd)
    return source


def in_frame(source: pd.DataFrame, rng: random.Random) -> pd.DataFrame:
    frame = source.copy()
    rows, columns = frame.shape
    if not rows or not columns:
        return frame
    column, kind, odd = rng.randrange(columns), rng.randrange(9), rng.choice(OBJECTS)
    cells = list(frame.iloc[:, column])
    if kind <= 1:
        for _ in range(rng.choice((1, rows))):
            cells[rng.randrange(rows)] = rng.choice(OBJECTS)
        return replaced(frame, column, cells)
    if kind == 2:
        return replaced(frame, column, [odd] * rows)
    if kind == 3:
        names = list(frame.columns)
        names[column] = rng.choice([odd if odd.__hash__ else "", *frame.columns])
        frame.columns = pd.Index(names, dtype=object)
        return frame
    if kind == 4:
        return frame.drop(columns=frame.columns[column])
    if kind == 5:
        return frame.iloc[[rng.randrange(rows) for _ in range(rng.randrange(rows + 1))]]
    if kind == 6:
        return frame.set_index(list(frame.columns[: rng.choice((1, 2))]))
    if kind == 7:
        frame.index = pd.Index([rng.choice(OBJECTS) for _ in range(rows)], dtype=object)
        return frame
    kinds = ("category", "string", "float32", "Int64", "bool", "complex128", "double[pyarrow]")
    cast = frame.iloc[:, column].astype(rng.choice(kinds))
    return pd.concat([frame.iloc[:, :column], cast, frame.iloc[:, column + 1 :]], axis=1)


def replaced(frame: pd.DataFrame, column: int, cells: list[Any]) -> pd.DataFrame:
    values = np.empty(len(cells), dtype=object)
    for k, cell in enumerate(cells):
        values[k] = cell
    new = pd.Series(values, index=frame.index, name=frame.columns[column], dtype=object)
    return pd.concat([frame.iloc[:, :column], new, frame.iloc[:, column + 1 :]], axis=1)
