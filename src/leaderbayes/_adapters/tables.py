"""Tables whose columns play known roles, and checks that readers of results share."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._arguments import are_names
from leaderbayes._errors import ScoresError
from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.cells import as_names, as_numbers
from leaderbayes._scores.metrics import more_is_better
from leaderbayes._scores.read import to_scores
from leaderbayes._scores.sources import read_table
from leaderbayes._scores.tables import Table, listed, shown, suggest

Frame = str | Path | pd.DataFrame


class Asked(NamedTuple):
    """Options of `read_results`."""

    metric: Any = None  # a name; for lm-eval also several
    tasks: Sequence[str] | None = None
    clusters: bool | None = None
    splits: Sequence[str] | None = None
    instances: Sequence[str] | None = None
    higher_is_better: bool | None = None
    max_mb: float = MAX_MB


def read_frame(source: Frame, max_mb: float, columns: Sequence[str], kind: str) -> Table:
    """Read the table of a file or a DataFrame, which has these columns, as results of a kind do."""
    if not isinstance(source, str | Path | pd.DataFrame):
        raise ScoresError(f"Pass a path or a DataFrame, not a {type(source).__name__}.")
    table = read_table(source, None, max_mb)
    require(table, columns, kind)
    return table


def require(table: Table, columns: Sequence[str], kind: str) -> None:
    """Raise unless the table has these columns, as results of a kind do."""
    for name in columns:
        if name not in table.frame.columns:
            known = suggest(name, table.frame.columns)
            table.refuse(f"no column {shown(name)}, which {kind} have; {known}")
    if table.frame.empty:
        table.refuse("the table has a header but no scores.")


def collect(files: Sequence[str], records: Sequence[dict[str, Any]]) -> Table:
    """Make a table of scores that are in several files, or in none, and say ``where``."""
    where = f"{files[0]} and {len(files) - 1} more" if len(files) > 1 else "".join(files)
    frame = pd.DataFrame(records, dtype=object)
    table = Table(where, frame, lambda k: str(records[k]["where"]))
    if not records:
        table.refuse("there are no scores.")
    return table


def choose(table: Table, metric: str | None, metrics: Sequence[str]) -> str:
    """Take the metric that is named, or the only one."""
    if not metrics:
        table.refuse("there is no metric.")
    if metric is None and len(metrics) == 1:
        return metrics[0]
    if metric is None:
        table.refuse(f"which metric is the score? Name one (metric=, --score): {listed(metrics)}.")
    if metric not in metrics:
        table.refuse(f"no metric {shown(metric)}; {suggest(str(metric), metrics)}")
    return metric


def direction(table: Table, metric: str, higher_is_better: bool | None) -> bool:
    """Return whether more of a metric is better: as the user says, or as its name does."""
    better = more_is_better(metric) if higher_is_better is None else higher_is_better
    if better is None:
        table.refuse(f"direction of {shown(metric)} unknown; set higher_is_better=.")
    return better


def one_metric(table: Table, task: str, remedy: str) -> pd.Series:
    """Return the column ``metric``, "" where empty; refuse two metrics of one task."""
    tasks, metrics = as_names(table, task), as_names(table, "metric", missing="")
    of_task = metrics.where(metrics != "").groupby(tasks).transform("first")
    other = (metrics != "") & (metrics != of_task)
    if other.any():
        row = int(np.argmax(other.to_numpy()))
        table.refuse(
            f"{task} {shown(tasks.iloc[row])} has results by {shown(metrics.iloc[row])} and by "
            f"{shown(of_task.iloc[row])}; {remedy}, or keep the rows of one.",
            table.frame.index[row],
        )
    return metrics


def arrange(
    table: Table, columns: Mapping[str, str], score: str, *, better: bool, metric: str = ""
) -> xr.DataArray:
    """Read the scores of a table whose columns, by role, and column of scores are known."""
    long = pd.DataFrame({role: as_names(table, name) for role, name in columns.items()})
    long["score"] = as_numbers(table, score)
    taken = {**columns, "score": metric or score}
    return to_scores(table, long, higher_is_better=better, columns=taken)


def check_names(option: str, given: Any) -> list[str] | None:
    """Return names that an option lists, or None for all."""
    if given is not None and (not are_names(given) or not len(given)):
        raise ScoresError(f"{option}={given!r:.60} must be a list of names; omit it for all.")
    return None if given is None else list(given)


def check_metric(metric: Any) -> None:
    """Raise unless a metric is a name, or is not given."""
    if metric is not None and not isinstance(metric, str):
        raise ScoresError(f"metric={metric!r:.60} must be a name.")
