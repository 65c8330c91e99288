"""Files of a tree are those that Zarr writes, and are read as by Zarr, whichever came first."""

import json
import shutil
import warnings

import numpy as np
import pytest
import xarray as xr
from zarr.codecs import Crc32cCodec, ZstdCodec
from zarr.errors import ZarrUserWarning
from zarr.storage import MemoryStore

from leaderbayes.study import _zarr
from leaderbayes.study._zarr import open_like, remember, zarr_files

MANY = [f"p{i}" for i in range(90)]  # whose draws are in several chunks, the last ones not full


def made(seed, names, rng=None, **more):
    """All kinds of values that fits have; what is all fill value, and chunks that are not full."""
    rng = rng or np.random.default_rng(seed)
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
    codecs = {"compressors": (ZstdCodec(level=-1), Crc32cCodec())}
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
        made(1, MANY),
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


def test_groups_that_are_left_out(monkeypatch):
    """By Zarr, and here from the second tree on."""
    monkeypatch.setattr(_zarr, "_layouts", {})
    for seed in (1, 2):
        tree = made(seed, ["a", "b"])
        name = next(iter(tree.children))
        files = zarr_files(tree, without=[name], consolidated=True)
        wanted = by_zarr(tree.drop_nodes(name), True)
        for each in (files, wanted):
            each["zarr.json"] = json.loads(each["zarr.json"])["consolidated_metadata"]
        assert files == wanted


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


def like(seed, **more):
    """Other numbers of the same shape, with the same names and metadata."""
    return made(1, MANY, rng=np.random.default_rng(seed), **more)


def stored(folder, tree):
    """Files of a tree, in a folder, and their root."""
    files = zarr_files(tree, consolidated=True)
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder, files, json.loads(files["zarr.json"])


def remembered(folder, tree):
    """Open a tree by Zarr, as the first of its shape."""
    place, files, root = stored(folder, tree)
    return remember(xr.open_groups(place, engine="zarr", consolidated=True), files, root)


def test_numbers_are_read_as_zarr_reads_them(tmp_path):
    note = ("player", [f"of {name}" for name in MANY])
    first = remembered(tmp_path / "first", like(1, note=note))
    second = like(2, note=note)
    place, files, root = stored(tmp_path / "second", second)
    groups = open_like(place, files, root, [first])
    shutil.rmtree(tmp_path / "first")
    by_zarr = xr.open_groups(place, engine="zarr", consolidated=True)
    assert list(groups) == list(by_zarr)
    for path, inside in groups.items():
        if path != "/":  # whose attributes are the study's
            assert inside.identical(by_zarr[path])
        assert set(inside.xindexes) == set(by_zarr[path].xindexes)
        for name, values in inside.variables.items():
            assert values.dtype == by_zarr[path].variables[name].dtype
    assert groups["/posterior"]["epp"].identical(second["posterior"]["epp"])


@pytest.mark.parametrize(
    "key",
    [
        np.s_[0], np.s_[1:3, ::-1], np.s_[:, 300:100:-7, 1], np.s_[-1, -1, -1], np.s_[2:2],
        np.s_[[0, 3, 1], [5, 400, 2]], np.s_[:, [1, 0]], np.s_[..., 1:], np.s_[:, 5::401],
    ],
)  # fmt: skip
def test_a_part_of_the_numbers(tmp_path, key):
    first = remembered(tmp_path / "first", like(1))
    whole = like(2)["posterior"]["epp"]
    place, files, root = stored(tmp_path / "second", like(2))
    part = open_like(place, files, root, [first])["/posterior"]["epp"][key]
    np.testing.assert_array_equal(part, whole[key])


def test_chunks_that_are_not_asked_for_are_not_read(tmp_path):
    first = remembered(tmp_path / "first", like(1))
    place, files, root = stored(tmp_path / "second", like(2))
    epp = open_like(place, files, root, [first])["/posterior"]["epp"]
    chunks = [name for name in files if name.startswith("posterior/epp/c/")]
    assert len(chunks) > 2
    for name in chunks:
        if not name.startswith("posterior/epp/c/0/0/"):
            (place / name).unlink()
    np.testing.assert_array_equal(epp[0, :3], like(2)["posterior"]["epp"][0, :3])
    # A chunk that was there is not taken for one that is all fill value.
    with pytest.raises(FileNotFoundError):
        epp.load()


def test_a_chunk_has_a_checksum(tmp_path):
    first = remembered(tmp_path / "first", like(1))
    place, files, root = stored(tmp_path / "second", like(2))
    damaged = bytearray(files["posterior/epp/c/0/0/0"])
    damaged[20] ^= 1
    (place / "posterior/epp/c/0/0/0").write_bytes(damaged)
    with pytest.raises(RuntimeError, match="checksum"):
        open_like(place, files, root, [first])["/posterior"]["epp"].load()


@pytest.mark.parametrize(
    "other",
    [
        made(1, [f"q{i}" for i in range(90)]),  # other names
        like(1, more=((), 1.0)),  # other metadata
        like(1).isel(draw=slice(4)),  # another shape
    ],
)
def test_what_is_stored_otherwise_is_left_to_zarr(tmp_path, other):
    first = remembered(tmp_path / "first", like(1))
    assert open_like(*stored(tmp_path / "second", other), [first]) is None


def test_numbers_that_xarray_decodes_are_left_to_zarr(tmp_path):
    first, second = like(1), like(2)
    for tree in (first, second):
        tree["posterior"]["epp"].attrs["scale_factor"] = 0.5
    known = remembered(tmp_path / "first", first)
    assert "posterior/epp" not in known.numbers
    assert "posterior/none" in known.numbers
    assert open_like(*stored(tmp_path / "second", second), [known]) is None
