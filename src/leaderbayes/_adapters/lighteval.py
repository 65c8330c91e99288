"""lighteval: what language models scored on each sample (``--save-details``)."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import xarray as xr

from leaderbayes._adapters.items import Answer, Run, Sources, files_of, read_items, text_at
from leaderbayes._adapters.tables import Asked
from leaderbayes._scores.sources import read_table
from leaderbayes._scores.tables import suggest, text_of

# details_TASK_2026-05-01T10-00-00.000000.parquet
_NAME = re.compile(r"details_(?P<task>.+?)(_\d{4}-\d\d-\d\dT[\d.\-]+)?\.parquet")


def from_lighteval(source: Sources, asked: Asked) -> xr.DataArray:
    """Read ``details/MODEL/DATE/details_TASK_DATE.parquet``."""
    hint = "lighteval writes them with --save-details."
    files = files_of(source, ["details_*.parquet"], what="lighteval", hint=hint)
    return read_items(
        [Run(str(p), name or _model(p), _task(p), _answers(p, asked.max_mb)) for name, p in files],
        asked,
        item="sample",
        by="doc.query",
    )


def _task(path: Path) -> str:
    named = _NAME.fullmatch(path.name)
    return named["task"] if named else path.stem


def _model(path: Path) -> str:
    """Name the model by the folders between details/ and that of the date."""
    _, *after = re.split("(?:^|/)details/", path.parent.as_posix())
    return (after[-1].rpartition("/")[0] or after[-1]) if after else path.parent.name or "model"


def _answers(path: Path, max_mb: float) -> Iterator[Answer]:
    table = read_table(path, None, max_mb)
    columns = table.frame.columns
    column = next((name for name in ("metric", "metrics") if name in columns), None)
    if column is None:
        table.refuse(
            f"no column 'metric', which details of lighteval have; {suggest('metric', columns)}"
        )
    docs = table.frame["doc"] if "doc" in columns else [None] * len(table.frame)
    for number, (doc, values) in enumerate(zip(docs, table.frame[column], strict=True)):
        held = values if isinstance(values, Mapping) else {}
        yield Answer(
            f"{table.where}, {table.row(number)}",
            text_at(doc, "id") or str(number),
            {text_of(name): value for name, value in held.items()},
            same=text_at(doc, "query") or None,
        )
