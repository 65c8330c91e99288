"""Facts of a board, from its attrs."""

import pytest
import xarray as xr

import leaderbayes as lb


@pytest.mark.parametrize(
    ("attrs", "message"),
    [
        ({"n": 0}, "n=0"),
        ({"classes": 1}, "classes=1"),
        ({"chance": 2.0}, "chance=2.0"),
        ({"positive_rate": 0.1}, "is for boards of AUC"),
        ({"metric": "auc"}, "these need it"),
        ({"metric": "estimate"}, "of estimates a coordinate se"),
    ],
)
def test_attrs_by_hand_are_checked_where_they_are_read(attrs, message):
    board = lb.sota.read_board([0.9, 0.8], n=100).assign_attrs(attrs)
    for function in (lb.sota.shrink, lb.sota.posterior):
        with pytest.raises(lb.LeaderbayesError, match=message):
            function(board)


def test_a_board_by_hand():
    scores = xr.DataArray([0.9, 0.8, 0.2], {"team": list("abc")}, attrs={"metric": "accuracy"})
    board = scores.assign_attrs(n=100, classes=7)
    assert int(lb.sota.shrink(board)["m"]) == 3
    assert int(lb.sota.shrink(board.assign_attrs(classes=2))["m"]) == 2
