"""Intervals of draws, and numbers of decimals to show."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from math import floor, isfinite, log10
from typing import Any, Literal

import numpy as np
import pandas as pd

from leaderbayes._types import Floats

# Of quantiles: between draws, or one of them where they are whole numbers or infinite.
Method = Literal["linear", "inverted_cdf"]
_MOST = 10
_OF_BOARDS = 4


def decimals(widths: Iterable[float]) -> int:
    """Count the decimals that show two digits of the narrowest of these intervals' widths."""
    every = [float(width) for width in widths]
    least = 1e-6 * max(every, default=0.0)
    narrow = min((width for width in every if width > least), default=0.1)
    return min(max(1 - floor(log10(narrow)), 0), _MOST)


def decimals_of_difference(lower: float, upper: float, zero: float = 0.0) -> int:
    """Count the decimals of an interval that show its width, and on which side of zero it is."""
    low, high = lower - zero, upper - zero
    side = [10.0 * min(abs(low), abs(high))] if low * high > 0.0 else []
    return decimals([high - low, *side])


def decimals_of_best(lower: float, upper: float) -> int:
    """Count the decimals of the best: four, as on most boards, or more if necessary."""
    width = upper - lower
    return max(_OF_BOARDS, decimals([width]) if isfinite(width) else 0)


def two_digits(value: float) -> str:
    """Format a number with two significant digits, without an exponent."""
    return f"{Decimal(f'{value:.2g}'):f}"


def ends(
    draws: np.ndarray, prob: float, axis: int = 0, method: Method = "linear"
) -> tuple[Floats, Floats]:
    """Return lower and upper end of equal-tailed intervals along an axis of draws."""
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    low, high = np.quantile(draws, tails, axis=axis, method=method)
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
    if column != "difference":
        return decimals(table[f"{column}_upper"] - table[f"{column}_lower"])
    ends_of = table[["difference_lower", "difference_upper"]].dropna().to_numpy().tolist()
    widths = decimals(high - low for low, high in ends_of)
    signs = max((decimals_of_difference(low, high) for low, high in ends_of), default=0)
    return min(max(widths, signs), widths + 2)
