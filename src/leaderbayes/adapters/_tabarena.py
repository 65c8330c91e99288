"""TabArena: results of methods on splits of data sets."""

import xarray as xr

from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.cells import as_names, as_numbers
from leaderbayes._scores.tables import shown, suggest
from leaderbayes.adapters._tables import (
    Frame,
    arrange,
    direction,
    one_metric,
    read_frame,
    require,
    with_options,
)

_ERROR = "metric_error"


@with_options
def from_tabarena(
    source: Frame,
    *,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    max_mb: float = MAX_MB,
) -> xr.DataArray:
    """Read results of TabArena: data sets are tournaments, splits rounds.

    Parameters
    ----------
    source : path or DataFrame
        A row a (method, dataset, fold), as TabArena, TabRepo and AutoGluon's benchmark give them:
        columns ``dataset``, ``fold``, ``metric_error``, and ``method`` (or ``framework``).
    metric : str, optional
        Another column of scores, such as "time_infer_s". The default is ``metric_error``, of which
        less is better whatever the metric ("roc_auc" is 1 less the area there).
    {options}

    Returns
    -------
    DataArray (tournament, player, round)
        Errors of methods; an ``imputed`` row, another method's result for one that failed, is
        missing. Rounds are folds, or "repeat.fold" with a column ``repeat``: give
        ``test_fraction`` to `leaderbayes.fit`.

    References
    ----------
    Erickson et al. (2025), TabArena, NeurIPS; https://github.com/autogluon/tabarena

    Examples
    --------
    >>> import leaderbayes as lb
    >>> import pandas as pd
    >>> table = pd.DataFrame({"dataset": "wine", "method": ["RF", "RF", "GBM", "GBM"]})
    >>> table = table.assign(fold=[0, 1, 0, 1], metric="roc_auc", metric_error=[0.1, 0.2, 0.0, 0.1])
    >>> scores = lb.adapters.from_tabarena(table)
    >>> dict(scores.sizes), scores.attrs["higher_is_better"]
    ({'tournament': 1, 'player': 2, 'round': 2}, 0)
    """
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
