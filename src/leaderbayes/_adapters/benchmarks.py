"""Tables of benchmarks: AutoML Benchmark (AMLB), TabArena, OpenML and mlr3."""

import json
import re
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._adapters.tables import (
    Asked,
    Frame,
    arrange,
    choose,
    direction,
    one_metric,
    read_frame,
    require,
)
from leaderbayes._scores.cells import as_names, as_numbers
from leaderbayes._scores.metrics import more_is_better
from leaderbayes._scores.tables import Table, listed, shown


def from_amlb(source: Frame, asked: Asked) -> xr.DataArray:
    """Read ``results.csv`` of one constraint; a failed run gives way to one that did not fail."""
    table = read_frame(source, asked.max_mb, ["framework", "task", "fold"], "results of AMLB")
    frame = table.frame
    better = True
    if asked.metric is not None:
        score = choose(table, asked.metric, list(frame.columns))
        better = direction(table, score, asked.higher_is_better)
    elif asked.higher_is_better is not None:
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
    if asked.metric is None and score == "result":
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


_ERROR = "metric_error"


def from_tabarena(source: Frame, asked: Asked) -> xr.DataArray:
    """Read a row for each method, data set and fold; imputed results are missing."""
    table = read_frame(source, asked.max_mb, ["dataset", "fold", _ERROR], "results of TabArena")
    columns = table.frame.columns
    player = "framework" if "framework" in columns and "method" not in columns else "method"
    require(table, [player], "results of TabArena")
    score = _ERROR if asked.metric is None else choose(table, asked.metric, list(columns))
    better = False
    if score != _ERROR:
        better = direction(table, score, asked.higher_is_better)
    elif asked.higher_is_better not in (None, False):
        table.refuse("higher_is_better= needs metric=: for metric_error lower is always better.")
    elif "metric" in columns:
        one_metric(table, "dataset", "use the table of one metric")
    frame = table.frame
    if "imputed" in columns:
        imputed = as_numbers(table, "imputed") > 0.0
        table = table._replace(frame=frame.assign(**{score: frame[score].where(~imputed)}))
    fold = "fold"
    if "repeat" in columns:
        # Said of what, so that its rounds are known to be folds.
        fold, names = "repeat.fold", as_names(table, "repeat") + "." + as_names(table, "fold")
        table = table._replace(frame=table.frame.assign(**{fold: names}))
    taken = {"tournament": "dataset", "player": player, "round": fold}
    return arrange(table, taken, score, better=better)


def from_openml(source: Frame, asked: Asked) -> xr.DataArray:
    """Read what ``list_evaluations`` returned; a flow of several setups is a player for each."""
    kind = "evaluations of OpenML"
    table = read_frame(source, asked.max_mb, ["task_id", "flow_name", "function"], kind)
    functions = as_names(table, "function")
    chosen = choose(table, asked.metric, list(functions.unique()))
    better = direction(table, chosen, asked.higher_is_better)
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


# Columns of BenchmarkResult$score() and $aggregate() that are no measures.
_OTHERS = """
uhash nr task task_id task_hash learner learner_id learner_hash learner_phash resampling
resampling_id resampling_hash resample_result iteration iters warnings errors params rn
""".split()
_OTHER = re.compile(r"(prediction|index |Unnamed: |V1$|X$|$).*")
_TYPE = re.compile(r"^(classif|regr|surv|dens|clust|sim)\.")


def from_mlr3(source: Frame, asked: Asked) -> xr.DataArray:
    """Read a table of ``bmr$score()`` or ``bmr$aggregate()``."""
    table = read_frame(source, asked.max_mb, ["task_id", "learner_id"], "scores of mlr3")
    frame = table.frame
    measures = [c for c in frame.columns if c not in _OTHERS and not _OTHER.fullmatch(c)]
    score = choose(table, asked.metric, measures)
    better = direction(table, _TYPE.sub("", score), asked.higher_is_better)
    if "iteration" not in frame.columns:
        columns = {"player": "learner_id", "round": "task_id"}
        return arrange(table, columns, score, better=better)
    # The name shows that rounds are resamples.
    fold, names = "resampling.iteration", as_names(table, "iteration")
    if "resampling_id" in frame.columns:
        resamplings = as_names(table, "resampling_id")
        if resamplings.nunique() > 1:
            fold, names = "resampling_id.iteration", resamplings + "." + names
    table = table._replace(frame=frame.assign(**{fold: names}))
    columns = {"tournament": "task_id", "player": "learner_id", "round": fold}
    return arrange(table, columns, score, better=better)
