"""OpenML: evaluations of runs."""

import json
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._adapters.tables import (
    Frame,
    arrange,
    choose,
    direction,
    read_frame,
    require,
)
from leaderbayes._scores.cells import as_names
from leaderbayes._scores.tables import Table


def from_openml(
    source: Frame,
    *,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    max_mb: float,
) -> xr.DataArray:
    """Read what ``list_evaluations`` returned; a flow of several setups is a player for each."""
    kind = "evaluations of OpenML"
    table = read_frame(source, max_mb, ["task_id", "flow_name", "function"], kind)
    functions = as_names(table, "function")
    chosen = choose(table, metric, list(functions.unique()))
    better = direction(table, chosen, higher_is_better)
    table = table._replace(frame=table.frame[functions == chosen])
    frame = table.frame.assign(task=_tasks(table), flow=_flows(table))
    table = table._replace(frame=frame)
    if "values" in frame.columns and not all(map(_is_missing, frame["values"])):
        columns = {"tournament": "task", "player": "flow", "round": "fold"}
        return arrange(_by_fold(table), columns, "score", better=better)
    require(table, ["value"], kind)
    return arrange(table, {"player": "flow", "round": "task"}, "value", better=better)


def _tasks(table: Table) -> pd.Series:
    """Name the tasks: data set and number."""
    tasks = as_names(table, "task_id")
    if "data_name" not in table.frame.columns or any(map(_is_missing, table.frame["data_name"])):
        return tasks
    return as_names(table, "data_name") + " (task " + tasks + ")"


def _flows(table: Table) -> pd.Series:
    """Name the flows, with the setup where a flow ran in several."""
    flows = as_names(table, "flow_name")
    if "setup_id" not in table.frame.columns or any(map(_is_missing, table.frame["setup_id"])):
        return flows
    setups = as_names(table, "setup_id")
    several = setups.groupby(flows).transform("nunique") > 1
    return flows.where(~several, flows + " (setup " + setups + ")")


def _is_missing(cell: Any) -> bool:
    """Whether a cell of texts, numbers or lists holds nothing."""
    if isinstance(cell, str):
        return not cell.strip()
    return bool(pd.api.types.is_scalar(cell) and pd.isna(cell))


def _by_fold(table: Table) -> Table:
    """Make a long table with a row for each fold of each run; its index repeats the run's row."""
    scores = [_values(table, cell, row) for row, cell in table.frame["values"].items()]
    long = table.frame.assign(score=pd.Series(scores, index=table.frame.index, dtype=object))
    # A run without values stays, as one that is missing.
    long = long.explode("score")
    return table._replace(frame=long.assign(fold=long.groupby(level=0).cumcount()))


def _values(table: Table, cell: Any, row: Any) -> list[Any]:
    """Read the scores of the folds in a cell of the column ``values``."""
    if _is_missing(cell):
        return []
    try:
        values = json.loads(cell) if isinstance(cell, str) else cell
        if isinstance(values, list | tuple | np.ndarray):
            return list(values)
    except (ValueError, RecursionError, TypeError):
        pass
    table.refuse("column 'values' has no list of numbers such as [0.91, 0.89].", row)
