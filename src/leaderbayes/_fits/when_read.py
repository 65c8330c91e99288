"""Arrays of a fit whose numbers are made when they are read, as xarray has those of files."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from xarray.backends import BackendArray
from xarray.core import indexing

from leaderbayes._types import Longs

_untyped: Any = indexing


def read_once(array: BackendArray) -> Any:
    """Give an array that xarray reads when it is used, and keeps once it is read as a whole."""
    return _untyped.MemoryCachedArray(_untyped.CopyOnWriteArray(_untyped.LazilyIndexedArray(array)))


def when_read(
    make: Callable[[Longs], Any], shape: tuple[int, ...], dtype: npt.DTypeLike = float
) -> Any:
    """Give an array (chain, draw, ...) whose draws are made when they are used.

    Parameters
    ----------
    make : callable
        Gives the draws of some numbers, which count through all chains, each once and in order.
        Whoever pickles the array pickles this.
    shape : tuple of int
    dtype : dtype
    """
    return read_once(_WhenRead(make, shape, dtype))


class _WhenRead(BackendArray):
    """Draws that are made when they are asked for, and no others."""

    def __init__(
        self, make: Callable[[Longs], Any], shape: tuple[int, ...], dtype: npt.DTypeLike
    ) -> None:
        self.make, self.shape, self.dtype = make, shape, np.dtype(dtype)
        self.whole: Any = None  # once it is made: copies of an array do not share what xarray keeps

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        """Make what an indexer asks for."""
        if self.whole is not None:
            return _untyped.apply_indexer(_untyped.NumpyIndexingAdapter(self.whole), key)
        if isinstance(key, indexing.VectorizedIndexer):
            # With arrays for slices.
            return self._points(_untyped.LazilyVectorizedIndexedArray(self, key).key.tuple)
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.OUTER, self._product
        )

    def _points(self, key: tuple[Any, ...]) -> Any:
        """Make what arrays ask for, one for each dimension, point by point."""
        values, at = self._draws(self._numbers()[key[:2]])
        return values[(at, *key[2:])]

    def _product(self, key: tuple[Any, ...]) -> Any:
        """Make what arrays, positive slices and numbers ask for, each of its dimension."""
        asked = self._numbers()[key[0]][..., key[1]]
        values, at = self._draws(asked)
        # All of them, as they are, without a copy.
        values = self.whole if np.array_equal(asked, self._numbers()) else values[at]
        behind: tuple[slice, ...] = ()
        for part in reversed(key[2:]):
            values = values[(..., part, *behind)]
            behind += () if isinstance(part, int | np.integer) else (slice(None),)
        return values

    def _numbers(self) -> Longs:
        return np.arange(self.shape[0] * self.shape[1]).reshape(self.shape[:2])

    def _draws(self, asked: Longs) -> tuple[Any, Longs]:
        """Make draws of some numbers, each once, and say where among them each stands."""
        which, at = np.unique(asked, return_inverse=True)
        made = self.make(which)
        if len(which) == self.shape[0] * self.shape[1]:
            self.whole = made.reshape(self.shape)
        return made, at.reshape(np.shape(asked))
