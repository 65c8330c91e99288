"""How many decimals of a number are known, or shown."""

from collections.abc import Iterable
from decimal import Decimal
from math import floor, isfinite, log10

_MOST = 10
_OF_BOARDS = 4


def decimals(widths: Iterable[float]) -> int:
    """Count the decimals that show two digits of the narrowest of these intervals' widths.

    An interval that is a point beside the widest says nothing.
    """
    every = [float(width) for width in widths]
    least = 1e-6 * max(every, default=0.0)
    narrow = min((width for width in every if width > least), default=0.1)
    return min(max(1 - floor(log10(narrow)), 0), _MOST)


def decimals_of_best(lower: float, upper: float) -> int:
    """Count the decimals of how good the best is: four, as boards are printed; more if need be."""
    width = upper - lower
    return max(_OF_BOARDS, decimals([width]) if isfinite(width) else 0)


def two_digits(value: float) -> str:
    """Write a number with two significant digits, without an exponent."""
    return f"{Decimal(f'{value:.2g}'):f}"
