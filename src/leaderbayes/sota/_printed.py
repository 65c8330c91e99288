"""Printed scores: whether they are multiples of 1 / n."""

from typing import Any

import numpy as np

from leaderbayes._errors import warn
from leaderbayes._types import Bools, Floats, Longs

_PRINTED = {"truncated": 0.0, "rounded": 0.5}  # where a printed score lies in what it stands for
_CHANCE = 1e-3  # expected number of test sets that fit by chance, up to which one is named


def check_resolution(values: Floats, n: int) -> None:
    """Warn unless scores are multiples of 1 / n, up to rounding."""
    digits = digits_of(values)
    unit = 10.0**-digits
    if unit >= 1.0 / n:
        return  # printed more coarsely than the instances
    different = np.unique(values)
    fits = {how: _fits(different, n, unit, how) for how in _PRINTED}
    how = max(fits, key=lambda how: fits[how].mean())
    if fits[how].all():
        return
    off = int(np.isin(values, different[~fits[how]]).sum())
    found = _smallest(different, 2 * n, unit)
    hint = "Check n, and that scores are accuracies."
    if found is not None:
        hint = (
            f"All are multiples of 1/{found[0]}, {found[1]} to {digits} digits: try n={found[0]}."
        )
    warn(
        f"LB020 {off} of {len(values)} scores are not multiples of 1/{n}, so n seems wrong, and "
        f"so does the estimate. {hint}"
    )


def digits_of(values: Floats) -> int:
    """Return the number of printed decimals; 16 for computed scores."""
    for digits in range(1, 16):
        with np.errstate(over="ignore"):  # of numbers that are no shares
            rounded = np.round(values, digits)
        if np.allclose(values, rounded, rtol=0, atol=1e-15):
            return digits
    return 16


def _smallest(different: Floats, largest: int, unit: float) -> tuple[int, str] | None:
    """Return the smallest n of whose 1 / n scores are multiples, if any; and the decimals."""
    different = different[(different > 0.0) & (different < 1.0)]
    sizes = np.arange(2, largest + 1)
    # Of all scores that could be printed, at least the share n * unit fits: an n that suits the
    # digits leaves none between.
    sizes = sizes[_by_chance(sizes, sizes * unit, len(different)) < _CHANCE]
    possible = np.unique(np.round(np.linspace(0.0, 1.0, 1009) / unit) * unit)
    fitting = []
    for how in _PRINTED:
        left = sizes
        for score in different:
            left = left[_fits(score, left, unit, how)]
        for size in left.tolist():
            share = float(_fits(possible, size, unit, how).mean())
            if _by_chance(size, share, len(different)) < _CHANCE:
                fitting.append((size, how))
                break
    return min(fitting, default=None)


def _fits(score: Floats | float, n: Longs | int, unit: float, how: str) -> Bools:
    """Whether some k / n is printed so, of each score."""
    slack = 1e-12 + 0.01 * unit * (how == "rounded")
    low = score - _PRINTED[how] * unit - slack
    high = low + unit + slack + (slack if how == "rounded" else -slack)
    return np.asarray(np.floor(high * n) >= np.ceil(low * n))


def _by_chance(sizes: Any, share: Any, scores: int) -> Floats:
    """Return the expected number of test sets that fit by chance."""
    return np.asarray(np.exp(np.log(sizes) + scores * np.log(np.clip(share, 1e-9, 1.0))))
