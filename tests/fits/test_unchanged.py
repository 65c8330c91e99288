"""What is asked of a fit again is found once, where fits do not change."""

import xarray as xr

from leaderbayes._fits.unchanged import once, unchanged


def test_only_where_nothing_changes():
    one, other, asked = xr.DataTree(), xr.DataTree(), []

    def find():
        asked.append(1)
        return len(asked)

    assert [once(one, ("a",), find) for _ in range(2)] == [1, 2]
    with unchanged():
        assert [once(one, ("a",), find) for _ in range(2)] == [3, 3]
        assert once(other, ("a",), find) == 4
        assert once(one, ("b",), find) == 5
    with unchanged():
        assert once(one, ("a",), find) == 6
    assert once(one, ("a",), find) == 7
