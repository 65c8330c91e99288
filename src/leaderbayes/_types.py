"""Arrays by what is in them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

type Floats = NDArray[np.float64]
type Ints = NDArray[np.int32]
type Longs = NDArray[np.int64]
type Bytes = NDArray[np.int8]
type Bools = NDArray[np.bool_]
type AnyInts = NDArray[np.signedinteger[Any]]  # counts, of whatever width
type AnyFloats = NDArray[np.floating[Any]]
