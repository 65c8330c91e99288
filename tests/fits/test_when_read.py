"""Arrays whose numbers are made when they are read: what xarray asks for, and what is made."""

import copy
import pickle
from functools import partial

import numpy as np
import pytest
import xarray as xr

from leaderbayes._fits.when_read import when_read

CHAINS, DRAWS, ROUNDS, PLAYERS = 3, 10, 4, 5
WHOLE = np.arange(CHAINS * DRAWS * ROUNDS * PLAYERS).reshape(CHAINS, DRAWS, ROUNDS, PLAYERS)
DIMS = ("chain", "draw", "round", "player")
made = []


def make(values, which):
    """Give draws of an array (chain, draw, ...), and remember which."""
    assert (np.diff(which) > 0).all()
    made.append(which.tolist())
    return values.reshape(CHAINS * DRAWS, *values.shape[2:])[which]


@pytest.fixture
def lazy():
    made.clear()
    coords = {dim: np.arange(size) for dim, size in zip(DIMS, WHOLE.shape, strict=True)}
    return xr.DataArray(
        xr.Variable(DIMS, when_read(partial(make, WHOLE), WHOLE.shape, int)), coords
    )


@pytest.mark.parametrize(
    "key",
    [
        np.s_[0], np.s_[1:3, ::-1], np.s_[:, 7:1:-2, 1], np.s_[-1, -1, -1, -1], np.s_[2:2],
        np.s_[[0, 2, 1], [5, 5, 2]], np.s_[:, [1, 0], [3, 1, 1]], np.s_[..., 1:],
        np.s_[:, 5::40], np.s_[1, [4, 4]], np.s_[[0, 0, 1, 2]], np.s_[[0, 0, 2]],
        np.s_[::-1, 3, ::-1, [0, -1]], np.s_[..., 2, :],
    ],
)  # fmt: skip
def test_any_part_of_the_numbers(lazy, key):
    known = xr.DataArray(WHOLE, lazy.coords, DIMS)
    xr.testing.assert_identical(lazy[key], known[key])


@pytest.mark.parametrize("dims", [("draw", "chain", "player", "round"), DIMS[::-1], DIMS])
def test_points_and_other_orders(lazy, dims):
    known = xr.DataArray(WHOLE, lazy.coords, DIMS)
    xr.testing.assert_identical(lazy.transpose(*dims), known.transpose(*dims))
    sample = {
        "chain": xr.DataArray([2, 0, 2], dims="sample"),
        "draw": xr.DataArray([1, 7, 1], dims="sample"),
    }
    xr.testing.assert_identical(lazy.isel(sample), known.isel(sample))
    backwards = known["player"][::-1]
    picked, wanted = (each.isel(sample).sel(player=backwards) for each in (lazy, known))
    xr.testing.assert_identical(picked, wanted)
    stacked, wanted = (each.stack(sample=("chain", "draw")) for each in (lazy, known))
    xr.testing.assert_identical(stacked, wanted)


def test_no_other_draws_are_made(lazy):
    assert "..." not in lazy.dims
    repr(lazy), lazy._repr_html_(), lazy.sizes, lazy.dtype, lazy.nbytes
    assert not made
    lazy[1, [7, 2]].load()
    assert made == [[12, 17]]
    lazy.isel(chain=xr.DataArray([2, 0], dims="k"), draw=xr.DataArray([9, 0], dims="k")).load()
    assert made[1:] == [[0, 29]]


def test_the_whole_is_made_once(lazy):
    lazy.load()
    lazy.load()
    assert np.array_equal(lazy[1], WHOLE[1])
    assert made == [list(range(CHAINS * DRAWS))]


def test_what_was_made_of_a_copy_is_not_made_again(lazy):
    """Of a tree every answer takes a copy of its own."""
    copies = [lazy.copy(deep=False), lazy.transpose(*DIMS), lazy.to_dataset(name="a")["a"]]
    for each in copies:
        assert np.array_equal(each, WHOLE)
    assert np.shares_memory(copies[0].to_numpy(), copies[1].to_numpy())
    assert np.array_equal(lazy[2, 3:5, :, [1, 0]], WHOLE[2, 3:5][..., [1, 0]])
    sample = {dim: xr.DataArray([0, 2], dims="k") for dim in ("chain", "draw")}
    assert np.array_equal(lazy.isel(sample), WHOLE[[0, 2], [0, 2]])
    assert len(made) == 1


def test_it_can_be_pickled_copied_and_written(lazy, tmp_path):
    tree = xr.DataTree.from_dict({"posterior": lazy.to_dataset(name="place")})
    assert np.array_equal(pickle.loads(pickle.dumps(tree))["posterior"]["place"], WHOLE)
    assert np.array_equal(copy.deepcopy(tree)["posterior"]["place"], WHOLE)
    tree.to_netcdf(tmp_path / "tree.nc")
    assert np.array_equal(xr.load_datatree(tmp_path / "tree.nc")["posterior"]["place"], WHOLE)


def test_what_is_written_into_it_stays(lazy):
    lazy.load()
    lazy[0, 0] = -1
    assert (lazy[0, 0] == -1).all()
    assert WHOLE[0, 0, 0, 0] == 0
