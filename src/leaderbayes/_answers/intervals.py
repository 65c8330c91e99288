"""Intervals of draws, and how many decimals of them to show."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from leaderbayes._numerics.decimals import decimals
from leaderbayes._types import Floats


def ends(draws: Floats, prob: float, axis: int = 0) -> tuple[Floats, Floats]:
    """Return lower and upper end of equal-tailed intervals along an axis of draws."""
    low, high = np.quantile(draws, [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0], axis=axis)
    return low, high


def with_ends(draws: Mapping[str, Floats], prob: float) -> dict[str, Any]:
    """Return means over draws (sample, ...) by their names, and the ends of their intervals."""
    found: dict[str, Any] = {}
    for name, values in draws.items():
        low, high = ends(values, prob)
        found |= {name: values.mean(axis=0), f"{name}_lower": low, f"{name}_upper": high}
    return found


def decimals_of(table: pd.DataFrame, column: str) -> int:
    """Count the decimals to show of a leaderboard's column that has intervals."""
    rows = table if column != "difference" else table.iloc[1:]
    return decimals(rows[f"{column}_upper"] - rows[f"{column}_lower"])
