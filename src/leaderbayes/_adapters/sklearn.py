"""scikit-learn: searches, and cross-validations of several estimators."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import xarray as xr

from leaderbayes._adapters.tables import Asked, arrange, choose, collect
from leaderbayes._errors import ScoresError
from leaderbayes._scores.cells import as_numbers
from leaderbayes._scores.read import check_sign, read_scores
from leaderbayes._scores.tables import as_column, shown, text_of

_PREFIX = "test_"


def from_sklearn(results: Any, asked: Asked) -> xr.DataArray:
    """Read a search, its ``cv_results_``, or cross-validations by the estimators' names."""
    found: Any = getattr(results, "cv_results_", results)
    if not isinstance(found, Mapping | pd.DataFrame | str | Path):
        raise ScoresError(
            f"Results cannot be read from a {type(results).__name__}: pass a fitted search, its "
            "cv_results_, or a dictionary of cross-validations."
        )
    if not isinstance(found, Mapping) or "params" in found or not found:
        more = asked.higher_is_better
        return read_scores(found, score=asked.metric, higher_is_better=more, max_mb=asked.max_mb)
    records = []
    for name, result in found.items():
        for key, values in _scores_of(text_of(name), result).items():
            records += [
                {"estimator": text_of(name), "split": f"split{k}", "metric": key, "score": value,
                 "where": f"{shown(name)}, split{k}"}
                for k, value in enumerate(values)
            ]  # fmt: skip
    table = collect(["cross-validations"], records)
    chosen = choose(table, asked.metric, list(dict.fromkeys(r["metric"] for r in records)))
    table = table._replace(frame=table.frame[table.frame["metric"] == chosen])
    better = check_sign(table, chosen, as_numbers(table, "score"), asked.higher_is_better)
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
