"""Decimals that a number's interval leaves."""

import pandas as pd
import pytest

from leaderbayes._numerics.intervals import decimals, decimals_of, decimals_of_best, two_digits


@pytest.mark.parametrize(
    ("widths", "expected"),
    [
        ([0.13], 2), ([0.098], 3), ([1.4], 1), ([25.0], 0), ([4000.0], 0), ([0.5, 0.013], 3),
        ([0.0, 0.4], 2), ([], 2), ([0.0], 2), ([1e-30], 10),
    ],
)  # fmt: skip
def test_two_digits_of_the_narrowest(widths, expected):
    assert decimals(widths) == expected


@pytest.mark.parametrize(("end", "expected"), [(-0.0016, 3), (0.0016, 2), (-1e-5, 4), (-0.02, 2)])
def test_signs_of_differences_show(end, expected):
    table = pd.DataFrame({"difference_lower": [0.0, -0.5], "difference_upper": [0.0, end]})
    assert decimals_of(table, "difference") == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.00552, "0.0055"), (0.03, "0.03"), (1.0, "1"), (1234.5, "1200"), (-0.0834, "-0.083"),
        (4e-7, "0.0000004"), (0.0, "0"), (100.0, "100"),
    ],
)  # fmt: skip
def test_two_digits_without_an_exponent(value, expected):
    assert two_digits(value) == expected


@pytest.mark.parametrize(
    ("ends", "expected"),
    [((0.88, 0.91), 4), ((-0.00311, -0.00307), 6), ((3e-6, 4e-6), 7), ((2e6, 3e6), 4),
     ((0.5, 0.5), 4), ((float("nan"), 1.0), 4), ((0.0, float("inf")), 4)],
)  # fmt: skip
def test_the_best_has_as_many_as_its_interval_needs(ends, expected):
    assert decimals_of_best(*ends) == expected
