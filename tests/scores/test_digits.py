"""Text becomes the float that Python reads, on every pandas."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderbayes._scores.digits import numbers_of


@pytest.mark.parametrize("kind", ["object", "str"])
@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_to_the_last_digit(values, kind):
    cells = pd.Series([repr(value) for value in values], dtype=kind)
    np.testing.assert_array_equal(numbers_of(cells), values)


def test_leading_zeros_and_what_is_no_number():
    cells = ["0000000000000000001", " 2", "", "no", None, "1_0", "1e\n0", "-.5"]
    series = pd.Series(cells, index=range(3, 11), dtype=object)
    read = numbers_of(series)
    np.testing.assert_array_equal(read, [1, 2, *[np.nan] * 5, -0.5])
    assert list(read.index) == list(series.index)


@pytest.mark.parametrize("kind", ["Int64", "float32", "int64"])
def test_numbers_stay(kind):
    np.testing.assert_array_equal(numbers_of(pd.Series([1, 2], dtype=kind)), [1.0, 2.0])
