"""Facts of a board, from its attrs."""

import pytest
import xarray as xr

import leaderbayes as lb
from leaderbayes._scores.facts import class_sizes, facts, own_rho

BOARD = xr.DataArray([0.9, 0.8], {"team": [*"ab"]}, attrs={"metric": "accuracy", "n": 100})


@pytest.mark.parametrize(
    ("attrs", "message"),
    [({"n": 0}, "n=0"), ({"classes": 1}, "classes=1"), ({"chance": 2.0}, "chance=2.0"),
     ({"positive_rate": 0.1}, "is for boards of AUC"), ({"metric": "auc"}, "which need it"),
     ({"metric": "estimate"}, "coordinate se")],
)  # fmt: skip
def test_attrs_by_hand_are_checked_where_they_are_read(attrs, message):
    with pytest.raises(lb.LeaderbayesError, match=message):
        facts(BOARD.assign_attrs(attrs))


def test_a_board_by_hand():
    assert facts(BOARD.assign_attrs(classes=4)).chance == 0.25
    assert class_sizes(100, 0.3) == (30, 70)
    rho = own_rho(BOARD.assign_attrs(rho=0.5, rho_lower=0.3, rho_upper=0.7))
    assert rho == pytest.approx((0.5, 0.4 / 3.92))
