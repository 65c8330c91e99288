"""AutoML Benchmark: results.csv."""

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._adapters.tables import (
    Frame,
    arrange,
    direction,
    one_metric,
    read_frame,
    require,
)
from leaderbayes._scores.cells import as_names, as_numbers
from leaderbayes._scores.metrics import more_is_better
from leaderbayes._scores.tables import Table, listed, shown, suggest


def from_amlb(
    source: Frame,
    *,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    max_mb: float,
) -> xr.DataArray:
    """Read ``results.csv`` of one constraint; a failed run gives way to one that did not fail."""
    table = read_frame(source, max_mb, ["framework", "task", "fold"], "results of AMLB")
    frame = table.frame
    better = True
    if metric is not None:
        if metric not in frame.columns:
            table.refuse(f"no metric {shown(metric)}; {suggest(str(metric), frame.columns)}")
        score, better = metric, direction(table, metric, higher_is_better)
    elif higher_is_better is not None:
        table.refuse("higher_is_better= needs metric=: for AMLB's result higher is always better.")
    elif "metric" in frame.columns:
        require(table, ["result"], "results of AMLB")
        score = "result"
    elif "score" in frame.columns:
        score = "score"
    else:
        table.refuse(
            "no column 'metric', as before 2020, when log losses kept their sign: name a metric "
            "(metric=, --score), such as acc, auc or logloss."
        )
    if "constraint" in frame.columns:
        under = as_names(table, "constraint").unique()
        if len(under) > 1:
            table.refuse(f"runs have several constraints: {listed(under)}; keep one of them.")
    table = _without_repeats(table, score)
    if metric is None and score == "result":
        _check_metrics(table)
    columns = {"tournament": "task", "player": "framework", "round": "fold"}
    return arrange(table, columns, score, better=better)


def _without_repeats(table: Table, score: str) -> Table:
    """Leave out failed runs that were repeated; of several failures keep one."""
    cells = [as_names(table, role) for role in ("task", "framework", "fold")]
    played = as_numbers(table, score).notna()
    first = ~pd.concat(cells, axis=1).duplicated()
    keep = played | (first & ~played.groupby(cells).transform("any"))
    return table._replace(frame=table.frame[keep])


def _check_metrics(table: Table) -> None:
    """Refuse results of one task by several metrics, and losses whose sign was not turned."""
    metrics = one_metric(table, "task", "name one metric (metric=, --score)")
    lost = metrics.map({name: more_is_better(name) is False for name in metrics.unique()})
    wrong = lost.astype(bool) & (as_numbers(table, "result") > 0.0)
    if wrong.any():
        row = int(np.argmax(wrong.to_numpy()))
        table.refuse(
            f"a result by {shown(metrics.iloc[row])} is above 0, although AMLB negates losses "
            "(neg_logloss); name the column of the metric (metric=, --score).",
            table.frame.index[row],
        )
