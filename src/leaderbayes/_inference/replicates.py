"""How many draws get a replicated board."""

# Replicated places, unless more are asked for: 40 MB.
MAX_REPLICATED = 10_000_000


def replicated(shape: tuple[int, int], size: int, asked: int | None) -> int:
    """Count the draws that get a board of so many places: some at least, spread evenly."""
    total = shape[0] * shape[1]
    if asked is not None:
        return min(asked, total)
    return -(-total // -(-total * size // MAX_REPLICATED))
