"""scikit-learn: searches, and cross-validations of several estimators."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import xarray as xr

from leaderbayes._errors import ScoresError
from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.cells import as_numbers
from leaderbayes._scores.read import check_sign, read_scores
from leaderbayes._scores.tables import as_column, shown, text_of
from leaderbayes.adapters._tables import arrange, choose, collect, with_options

_PREFIX = "test_"


@with_options
def from_sklearn(
    results: Mapping[str, Any] | pd.DataFrame | str | Path | object,
    *,
    metric: str | None = None,
    higher_is_better: bool | None = None,
    max_mb: float = MAX_MB,
) -> xr.DataArray:
    """Read scikit-learn's test scores: splits are rounds.

    Parameters
    ----------
    results : search, dict, DataFrame or path
        A fitted ``GridSearchCV`` or another search, its ``cv_results_`` (also as a DataFrame or
        a CSV of it), whose players are the settings; or a dictionary from each estimator's name
        to what ``cross_validate`` or ``cross_val_score`` returned, on the same splits.
    higher_is_better : bool, optional
        Whether more of the metric is better. By default it is, as scikit-learn's scorers have it,
        unless the metric has a loss's name and scores above 0.
    {options}

    Returns
    -------
    DataArray (player, round)
        Scores. A fit that failed is missing.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": [1, 5, 25]}, cv=10)
    >>> scores = lb.adapters.from_sklearn(search.fit(*load_wine(return_X_y=True)))
    >>> scores["player"].values.tolist(), dict(scores.sizes)
    (['n_neighbors=1', 'n_neighbors=5', 'n_neighbors=25'], {'player': 3, 'round': 10})
    """
    found: Any = getattr(results, "cv_results_", results)
    if not isinstance(found, Mapping | pd.DataFrame | str | Path):
        raise ScoresError(
            f"Results cannot be read from a {type(results).__name__}: pass a fitted search, its "
            "cv_results_, or a dictionary of cross-validations."
        )
    if not isinstance(found, Mapping) or "params" in found or not found:
        return read_scores(found, score=metric, higher_is_better=higher_is_better, max_mb=max_mb)
    records = []
    for name, result in found.items():
        for key, values in _scores_of(text_of(name), result).items():
            records += [
                {"estimator": text_of(name), "split": f"split{k}", "metric": key, "score": value,
                 "where": f"{shown(name)}, split{k}"}
                for k, value in enumerate(values)
            ]  # fmt: skip
    table = collect(["cross-validations"], records)
    chosen = choose(table, metric, list(dict.fromkeys(r["metric"] for r in records)))
    table = table._replace(frame=table.frame[table.frame["metric"] == chosen])
    better = check_sign(table, chosen, as_numbers(table, "score"), higher_is_better)
    return arrange(table, {"player": "estimator", "round": "split"}, "score", better=better)


def _scores_of(name: str, result: object) -> dict[str, pd.Series]:
    """Read the test scores of an estimator by metric, each (split,)."""
    if not isinstance(result, Mapping):
        result = {"test_score": result}
    scores = {
        key.removeprefix(_PREFIX): values
        for key, values in result.items()
        if isinstance(key, str) and key.startswith(_PREFIX)
    }
    if not scores:
        raise ScoresError(
            f"cross-validations: {shown(name)} has no test_score or test_<metric>; pass a result "
            "of cross_validate or cross_val_score."
        )
    try:
        return {key: as_column(values) for key, values in scores.items()}
    except (TypeError, ValueError) as problem:
        raise ScoresError(
            f"cross-validations: {shown(name)} has no score for each split ({problem})."
        ) from problem
