"""Test sets whose size is not known: which it may be, and what the printed scores say of them."""

import warnings
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from leaderbayes._arguments import whole
from leaderbayes._errors import BoardWarning, LeaderbayesError
from leaderbayes._scores.facts import facts, own_n
from leaderbayes._types import Floats, Longs
from leaderbayes.sota._lattice import log_fit

_MOST = 100_000  # sizes that a prior may have
_TAIL = 1e-4  # of a prior, left out at either end
_NODES = 8  # sizes between which a posterior is integrated
_SURE = 0.999  # weight of one size from which n is known


class Sizes(NamedTuple):
    """Sizes that a test set may have, and their weights."""

    n: Longs  # (size,), ascending
    weight: Floats  # (size,), of sum 1

    @property
    def middle(self) -> int:
        """The median."""
        return int(self.n[np.searchsorted(np.cumsum(self.weight), 0.5)])

    @property
    def sure(self) -> int | None:
        """The one size that is all but certain."""
        return int(self.n[self.weight.argmax()]) if self.weight.max() > _SURE else None

    def nodes(self, draws: int) -> list[tuple[int, int]]:
        """Give a few sizes, each with its part of so many draws."""
        level = (np.arange(draws) + 0.5) / draws
        found = self.n[np.searchsorted(np.cumsum(self.weight), level).clip(max=len(self.n) - 1)]
        if len(np.unique(found)) > _NODES:
            parts = np.array_split(found, _NODES)
            found = np.concatenate([np.full(len(part), part[len(part) // 2]) for part in parts])
        return [(int(n), int(many)) for n, many in zip(*np.unique_counts(found), strict=True)]


def sizes_of(scores: Floats, n: Any, metric: str) -> Sizes:
    """Weigh the sizes that n (of `posterior`) names by what scores, as printed, say of them.

    Warns
    -----
    BoardWarning
        LB020, if the scores are shares of none of them, and say nothing.
    """
    size, log_weight = _prior(n)
    if metric == "accuracy" and len(size) > 1:
        fit = log_fit(scores, size)
        if np.isfinite(fit).any():
            log_weight = log_weight + fit
        else:
            warnings.warn(
                f"LB020 the scores are not all multiples of 1/n for any n from {size[0]} to "
                f"{size[-1]}, as shares of right answers are: n may be another number, or the "
                "score another metric.",
                BoardWarning,
                stacklevel=3,
            )
    weight = np.exp(log_weight - log_weight.max())
    kept = weight > 0.0
    return Sizes(size[kept], weight[kept] / weight.sum())


def with_sizes(
    board: xr.DataArray, n: Any, draws: int
) -> tuple[xr.DataArray, list[tuple[int, int]]]:
    """Give the board with the n that is named, in place of its own, and each n's part of the draws.

    None of the latter where n is known, or there is none.
    """
    known = facts(board)
    n = own_n(board) if n is None else n
    if n is None:
        return board, []
    if known.n is None:
        raise LeaderbayesError("n: this board has standard errors, and no n.")
    sizes = sizes_of(board.to_numpy(), n, known.metric)
    nodes = sizes.nodes(draws)
    kept = {k: v for k, v in board.attrs.items() if k not in ("n_lower", "n_upper")}
    if len(nodes) == 1:
        return _with_attrs(board, kept | {"n": nodes[0][0]}), []
    ends = {"n_lower": int(sizes.n[0]), "n_upper": int(sizes.n[-1])}
    return _with_attrs(board, kept | {"n": sizes.middle} | ends), nodes


def _with_attrs(board: xr.DataArray, attrs: dict[Any, Any]) -> xr.DataArray:
    board = board.copy()
    board.attrs = attrs
    return board


def ends_of(n: tuple[Any, ...]) -> tuple[int, int]:
    """Check two sizes between which that of the test set is."""
    if len(n) != 2:
        raise LeaderbayesError(
            f"n: {len(n)} numbers; give one, two between which it is (500, 5000), or of several "
            "that are possible scipy.stats.rv_discrete(values=(sizes, probabilities))."
        )
    low = whole("n", n[0])
    return low, whole("n", n[1], at_least=low)


def _prior(n: Any) -> tuple[Longs, Floats]:
    """Give sizes, and the logarithms of their prior weights."""
    if isinstance(n, tuple):
        low, high = ends_of(n)
        size = _between(low, high)
        return size, -np.log(size)  # n is a scale: as probable from 500 to 1000 as on to 2000
    if not hasattr(n, "ppf"):
        return np.array([whole("n", n)]), np.zeros(1)
    low, high = n.ppf(_TAIL), n.ppf(1.0 - _TAIL)
    if not (np.isfinite([low, high]).all() and high >= 1.0):
        raise LeaderbayesError("n: its prior must lie from 1 up, such as loguniform(500, 5000).")
    size = _between(max(int(np.ceil(low)), 1), int(np.floor(high)))
    log_weight = np.asarray(n.logpmf(size) if hasattr(n, "pmf") else n.logpdf(size), dtype=float)
    if not np.isfinite(log_weight.max(initial=-np.inf)):
        raise LeaderbayesError("n: its prior has no whole number, of instances.")
    return size, log_weight


def _between(low: int, high: int) -> Longs:
    if high - low >= _MOST:
        raise LeaderbayesError(
            f"n: {low} to {high} are more than {_MOST:_} sizes of the test set: say more of it."
        )
    return np.arange(low, high + 1)
