"""Files of a tree are those that Zarr writes, whichever tree of its shape came first."""

import warnings

import numpy as np
import pytest
import xarray as xr
from zarr.codecs import Crc32cCodec, ZstdCodec
from zarr.errors import ZarrUserWarning
from zarr.storage import MemoryStore

from leaderbayes.study import _zarr
from leaderbayes.study._zarr import zarr_files


def made(seed, names, **more):
    """All kinds of values that fits have; what is all fill value, and chunks that are not full."""
    rng = np.random.default_rng(seed)
    draws = {"chain": np.arange(5), "draw": 3 * np.arange(401)}
    posterior = xr.Dataset(
        {
            "epp": (("chain", "draw", "player"), rng.normal(size=(5, 401, len(names)))),
            "scale": (("chain", "draw"), rng.random((5, 401)).astype(np.float32), {"unit": seed}),
            "diverging": (("chain", "draw"), rng.random((5, 401)) < 0.5),
            "none": (("chain", "draw"), np.full((5, 401), np.nan)),
            "zero": (("chain", "draw"), np.zeros((5, 401), np.int32)),
            "alone": ((), np.int64(seed)),
            **more,
        },
        draws | {"player": names, "test": ("player", np.arange(len(names)))},
    )
    groups = {"posterior": posterior, "observed_data": posterior[["alone", "zero"]] + 1}
    tree = xr.DataTree.from_dict(groups)
    tree.attrs = {"seed": seed, "rhat": np.float64(1.0), "p": float("nan"), "w": np.arange(2)}
    return tree


def by_zarr(tree, consolidated):
    store = {}
    codecs = {"compressors": (ZstdCodec(), Crc32cCodec())}
    encoding = {node.path: {str(v): codecs for v in node.variables} for node in tree.subtree}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ZarrUserWarning)
        tree.to_zarr(
            MemoryStore(store),
            mode="w",
            zarr_format=3,
            consolidated=consolidated,
            encoding=encoding,
        )
    return {name: value.to_bytes() for name, value in store.items()}


@pytest.mark.parametrize("consolidated", [True, False])
def test_bytes_are_those_of_zarr(monkeypatch, consolidated):
    monkeypatch.setattr(_zarr, "_layouts", {})
    trees = [
        made(1, ["a", "b"]),
        made(2, ["a", "b"]),  # other numbers
        made(2, ["a", "c"]),  # other names
        made(3, ["a", "b", "ccc"], when=((), np.datetime64("2026-11-26", "ns"))),
    ]
    for tree in trees:
        files, wanted = zarr_files(tree, consolidated=consolidated), by_zarr(tree, consolidated)
        assert set(files) == set(wanted)
        for name in set(files) - {"zarr.json"}:
            assert files[name] == wanted[name], name
        opened = xr.open_datatree(
            MemoryStore({k: _zarr_buffer(v) for k, v in files.items()}), engine="zarr",
            consolidated=consolidated,
        )  # fmt: skip
        assert opened.equals(tree)
        assert opened.attrs["seed"] == tree.attrs["seed"]


def test_a_shape_is_written_by_zarr_once(monkeypatch):
    monkeypatch.setattr(_zarr, "_layouts", {})
    called = []
    real = _zarr._by_zarr
    monkeypatch.setattr(_zarr, "_by_zarr", lambda *a, **k: called.append(1) or real(*a, **k))
    for seed in range(1, 4):
        tree = made(1, ["a"])
        tree.attrs["seed"] = seed
        zarr_files(tree, consolidated=True)
    assert len(called) == 1
    zarr_files(made(2, ["a"]), consolidated=True)  # its unit is another
    assert len(called) == 2


def _zarr_buffer(content):
    from zarr.core.buffer.cpu import Buffer

    return Buffer.from_bytes(content)


def test_codecs_that_are_not_known_are_left_to_zarr(monkeypatch):
    monkeypatch.setattr(_zarr, "_layouts", {})
    monkeypatch.setattr(_zarr, "_CODECS", ["bytes", "blosc"])
    tree = made(1, ["a", "b"])
    assert zarr_files(tree, consolidated=True) == by_zarr(tree, True)
    assert not _zarr._layouts
