"""Options that a caller gives: one of a few, or a number in range; or an error names the option.

NumPy's scalars are numbers, and whole floats are whole numbers; booleans, strings, None, NaN and
infinity are not. Each function of numbers returns the number as Python's own.
"""

from collections.abc import Sequence
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np

from leaderbayes._errors import LeaderbayesError


def number(
    name: str, value: Any, *, above: float = -np.inf, at_least: float = -np.inf,
    at_most: float = np.inf, below: float = np.inf,
) -> float:  # fmt: skip
    """Check a finite number; or raise, naming the option, what it got, and what it takes."""
    if not (_finite(value) and above < value < below and at_least <= value <= at_most):
        raise _refused(name, value, "number", above, at_least, at_most, below)
    return float(value)


def positive(name: str, value: Any) -> float:
    """Check a number above 0; errors as for `number`."""
    return number(name, value, above=0.0)


def share(name: str, value: Any) -> float:
    """Check a number between 0 and 1, such as a probability; errors as for `number`."""
    return number(name, value, above=0.0, below=1.0)


def whole(name: str, value: Any, *, at_least: float = 1, at_most: float = np.inf) -> int:
    """Check a whole number; errors as for `number`."""
    # Whole numbers may be too large for a float.
    count = int(value) if _finite(value) else None
    if count is None or count != value or not at_least <= count <= at_most:
        raise _refused(name, value, "whole number", -np.inf, at_least, at_most, np.inf)
    return count


def one_of(name: str, value: Any, *choices: Any) -> None:
    """Check that an option is one of these choices; or raise, naming these."""
    if not is_hashable(value):
        raise wrong(name, value, f"one of {', '.join(map(repr, choices))}")
    if value not in choices:
        *most, last = map(repr, choices)
        raise LeaderbayesError(f"{name}={value!r}: choose {', '.join(most)} or {last}.")


def is_hashable(value: Any) -> bool:
    """Whether a value may be looked for among others; arrays and tables may not."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def is_flag(value: Any) -> bool:
    """Whether this is True or False, of Python or NumPy; "yes", 1 and None are not."""
    return isinstance(value, bool | np.bool_)


def is_list(value: Any) -> bool:
    """Whether this is a sequence, or an array or column in a row, and no text."""
    in_a_row = hasattr(value, "tolist") and np.ndim(value) == 1
    return in_a_row or (isinstance(value, Sequence) and not isinstance(value, str))


def are_names(value: Any) -> bool:
    """Whether this is a list of text."""
    return is_list(value) and all(isinstance(name, str) for name in value)


def wrong(name: str, value: Any, takes: str) -> LeaderbayesError:
    """Make the error that names an option, what it got, and what it takes ("a list of names")."""
    return LeaderbayesError(f"{name}={_shown(value)}: give {takes}.")


def path(name: str, value: Any) -> Path:
    """Check the name of a file or folder; or raise, naming the option and what it got."""
    try:
        return Path(value)
    except TypeError:
        kind = type(value).__name__
        raise LeaderbayesError(f"{name}must be the name of a file or folder, not {kind}.") from None


def seed_or_new(value: Any) -> int:
    """Check a seed, or draw one for None; errors as for `number`."""
    return int(np.random.SeedSequence().generate_state(1)[0]) if value is None else seed(value)


def seed(value: Any) -> int:
    """Check a seed of random numbers; errors as for `number`."""
    return whole("seed", value, at_least=0, at_most=2**32 - 1)


def _finite(value: Any) -> bool:
    """Whether a value is a finite number."""
    if isinstance(value, Integral):
        return not isinstance(value, bool)
    return isinstance(value, Real) and bool(np.isfinite(float(value)))


def _refused(
    name: str, value: Any, kind: str, above: float, at_least: float, at_most: float, below: float
) -> LeaderbayesError:
    limits = {"above": above, "from": at_least, "up to": at_most, "below": below}
    said = [f"{word} {limit:.10g}" for word, limit in limits.items() if np.isfinite(limit)]
    if not said:
        kind = f"finite {kind}"
    elif len(said) == 1 and np.isfinite(at_least):
        said = [f"from {at_least:.10g} up"]
    between = " and " if np.isfinite(below) else " "
    within = f" {between.join(said)}" if said else ""
    return wrong(name, value, f"a {kind}{within}")


def _shown(value: Any) -> str:
    """Write a value for a message, in one line and cut where it is long."""
    return " ".join(repr(value.item() if isinstance(value, np.generic) else value).split())[:60]
