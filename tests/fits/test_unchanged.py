"""What is asked of a fit again is found once, where fits do not change."""

import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._fits import posterior
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


def test_a_fit_is_checked_once(monkeypatch):
    """For each thing that is asked of it; and one that is none each time."""
    checked = []
    monkeypatch.setattr(posterior, "_check", lambda dt, *asked: checked.append(asked))
    fit = xr.DataTree()
    with unchanged():
        for _ in range(3):
            posterior.fitted(fit)
            posterior.fitted(fit, "constant_data", arguments=("ties",))
    assert len(checked) == 2
    posterior.fitted(fit)
    posterior.fitted(fit)
    assert len(checked) == 4
    monkeypatch.undo()
    with unchanged():
        for _ in range(2):
            with pytest.raises(lb.LeaderbayesError, match="no fit"):
                posterior.fitted(fit)
