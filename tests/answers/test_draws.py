"""What every table takes of a fit: its draws."""

import numpy as np
import pytest
import xarray as xr

import leaderbayes as lb
from conftest import flat, tree
from leaderbayes._answers.draws import draws_of, spread_of


@pytest.mark.parametrize(
    "dims", [("chain", "draw", "player"), ("player", "chain", "draw"), ("draw", "player", "chain")]
)
def test_one_row_a_draw_and_one_column_a_player(dt, dims):
    turned = dt.copy()
    turned["posterior"] = xr.DataTree(dt["posterior"].to_dataset().transpose(*dims))
    epp, players = draws_of(turned)
    np.testing.assert_array_equal(epp, flat(dt))
    assert list(players) == [f"p{i}" for i in range(5)]


def test_a_draw_that_is_no_number_is_refused(dt):
    epp = dt["posterior"]["epp"].to_numpy().copy()
    epp[0, 7, 2] = np.nan
    with pytest.raises(lb.LeaderbayesError, match="epp"):
        draws_of(tree(epp))


def test_spread_is_of_models_with_several_tournaments(dt):
    assert spread_of(dt) is None
    spread = np.arange(1.0, 801.0).reshape(2, 400)
    several = dt.copy()
    several["posterior"] = xr.DataTree(
        dt["posterior"].to_dataset().assign(epp_spread=(("chain", "draw"), spread))
    )
    np.testing.assert_array_equal(spread_of(several), np.arange(1.0, 801.0))
