"""Arrays by what is in them."""

import numpy as np
from numpy.typing import NDArray

type Floats = NDArray[np.float64]
type Ints = NDArray[np.int32]
type Longs = NDArray[np.int64]
type Bools = NDArray[np.bool_]
