"""How many draws get a replicated board."""

import warnings

from leaderbayes._errors import PredictiveWarning

# Replicated places above this many would take more than 400 MB: then draws are thinned.
MAX_REPLICATED = 50_000_000


def replicated(shape: tuple[int, int], size: int, asked: int | None) -> int:
    """Count the draws that get a board of so many places."""
    total = shape[0] * shape[1]
    if asked is not None:
        return min(asked, total)
    step = -(-total * size // MAX_REPLICATED)
    if step > 1:
        warnings.warn(
            f"LB012 replicates are kept for every {step}th draw, to bound their memory.",
            PredictiveWarning,
            stacklevel=4,
        )
    return -(-total // step)
