"""TabArena: results of methods on splits of data sets."""

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
from leaderbayes._scores.tables import shown, suggest

_ERROR = "metric_error"


def from_tabarena(
    source: Frame,
    *,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    max_mb: float,
) -> xr.DataArray:
    """Read a row for each method, data set and fold; imputed results are missing."""
    table = read_frame(source, max_mb, ["dataset", "fold", _ERROR], "results of TabArena")
    columns = table.frame.columns
    player = "framework" if "framework" in columns and "method" not in columns else "method"
    require(table, [player], "results of TabArena")
    if metric is not None and metric not in columns:
        table.refuse(f"no metric {shown(metric)}; {suggest(str(metric), columns)}")
    score, better = metric or _ERROR, False
    if score != _ERROR:
        better = direction(table, score, higher_is_better)
    elif higher_is_better not in (None, False):
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
