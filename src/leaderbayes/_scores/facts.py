"""Facts of a competition's board: given when it is read, kept in its attrs, checked where used."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from leaderbayes._arguments import number, share, whole
from leaderbayes._errors import LeaderbayesError

MOST = 10**9  # instances of a test set


class Facts(NamedTuple):
    """What is known of a board beside its scores."""

    metric: str  # "accuracy", "auc" or "estimate"
    chance: float  # score of a random classifier, on the board's scale; -inf where unknown
    n: int | None = None  # instances of the test set; None of estimates
    sizes: tuple[int, int] | None = None  # positives and negatives, of AUCs
    rho: float = 0.0  # dependence, where answers show it


def facts(board: Any) -> Facts:
    """Read a board's attrs, such as ``metric``, ``n``, ``chance`` and ``rho``; or raise."""
    attrs = board.attrs if isinstance(board, xr.DataArray) else {}
    metric = attrs.get("metric")
    known = "se" in board.coords if metric == "estimate" else "n" in attrs
    if metric not in ("accuracy", "auc", "estimate") or board.dims != ("team",) or not known:
        raise LeaderbayesError(
            "This is not a board: pass a result of sota.read_board, with the dimension team, the "
            "attribute metric, and n or a coordinate se."
        )
    if (metric == "auc") != ("positive_rate" in attrs):
        raise LeaderbayesError(
            "positive_rate is for boards of AUC, which need it: sota.read_board(metric='auc', "
            "positive_rate=...)."
        )
    rho = number("rho", attrs.get("rho", 0.0), at_least=0.0, at_most=1.0)
    if metric == "estimate":
        chance = number("chance", attrs["chance"]) if "chance" in attrs else -np.inf
        return Facts("estimate", chance, rho=rho)
    n = whole("n", attrs["n"], at_most=MOST)
    if "chance" in attrs:
        chance = number("chance", attrs["chance"], at_least=0.0, at_most=1.0)
    else:
        chance = 1.0 / whole("classes", attrs.get("classes", 2), at_least=2)
    sizes = class_sizes(n, attrs["positive_rate"]) if metric == "auc" else None
    return Facts(metric, chance, n, sizes, rho)


_NO_LEVELS = {"weight", "m", "tied", "teams_above", "excluded", "below_chance"}


def in_own_unit(found: Mapping[str, Any], board: xr.DataArray) -> dict[str, Any]:
    """Return levels of a board of losses as losses, its ends exchanged; others as they are."""
    if board.attrs.get("higher_is_better", 1):
        return dict(found)
    whole = 0.0 if board.attrs["metric"] == "estimate" else 1.0
    turned: dict[str, Any] = {}
    for name, value in found.items():
        stem, _, end = name.rpartition("_")
        other = {"lower": "upper", "upper": "lower"}.get(end)
        level = value if name in _NO_LEVELS else -value if name == "bias" else whole - value
        turned[f"{stem}_{other}" if other else name] = level
    return turned


def own_rho(board: Any) -> float | tuple[float, float]:
    """Return the dependence in a board's attrs: 0, a number, or of answers a mean and its sd."""
    rho = facts(board).rho
    limits = [board.attrs.get(name) for name in ("rho_lower", "rho_upper")]
    if None in limits:
        return rho
    # With the spread of its 95 % interval.
    return min(max(rho, 0.01), 0.99), max((limits[1] - limits[0]) / 3.92, 1e-3)


def class_sizes(n: int, positive_rate: float) -> tuple[int, int]:
    """Positives and negatives among n instances."""
    share("positive_rate", positive_rate)
    positives = round(n * positive_rate)
    if not 0 < positives < n:
        raise LeaderbayesError(
            f"positive_rate={positive_rate} leaves one class of {n} instances empty."
        )
    return positives, n - positives
