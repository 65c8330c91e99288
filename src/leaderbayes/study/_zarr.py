"""A tree as the files of a Zarr store, and back.

Zarr takes longer for a fit's metadata than the fit took, to write and to open them. So it does both
for the first tree of a shape; from the second on the chunks alone are made, as its codecs make
them, or decoded, and all else is what it was. Where its metadata name codecs that are not known
here Zarr writes and opens every tree.
"""

import itertools
import json
import warnings
from collections.abc import Hashable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from xarray.backends import BackendArray
from xarray.core import indexing

from leaderbayes._fits.when_read import read_once

Files = dict[str, bytes]

_NUMBERS = "biuf"  # kinds of arrays whose values are in chunks alone
_CODECS = ["bytes", "zstd", "crc32c"]  # of chunks, in their order
_LITTLE = {"endian": "little"}
_NAMES = {"name": "default", "configuration": {"separator": "/"}}  # of chunks: c/0/1
_NAN = "AAAAAAAA+H8="  # as a float's fill value
_MOST = 16  # shapes of trees that are remembered, each of some 50 kB
_layouts: dict[tuple[Any, ...], Files] = {}


def zarr_files(tree: xr.DataTree, *, without: Sequence[str] = (), consolidated: bool) -> Files:
    """Give the files of a Zarr store, by their paths, but for some groups.

    Every chunk has a checksum (CRC32C), which any program checks that reads it.
    """
    nodes = {
        path: node.to_dataset(inherit=False)
        for node in tree.subtree
        if (path := node.path.strip("/")) not in without
    }
    numbers = {
        f"{path}/{name}".removeprefix("/"): variable
        for path, inside in nodes.items()
        for name, variable in inside.variables.items()
        if variable.dtype.kind in _NUMBERS
    }
    of = (consolidated, *(_shape(path, inside) for path, inside in nodes.items()))
    layout = _layouts.get(of)
    if layout is None:
        files = _by_zarr(tree.drop_nodes(without), consolidated=consolidated)
        about = [json.loads(files[f"{place}/zarr.json"]) for place in numbers]
        if not all(map(_is_known, about)):
            return files
        if len(_layouts) == _MOST:
            _layouts.clear()
        layout = _layouts[of] = _without_chunks(files, numbers)
    files = dict(layout)
    root = json.loads(files["zarr.json"])
    root["attributes"] = {name: _plain(value) for name, value in tree.attrs.items()}
    files["zarr.json"] = json.dumps(root).encode()
    for place, variable in numbers.items():
        files |= _chunks(place, variable.to_numpy(), json.loads(files[f"{place}/zarr.json"]))
    return files


def _shape(path: str, inside: xr.Dataset) -> tuple[Any, ...]:
    """Give all of a group that is written elsewhere than in chunks of numbers."""
    return (
        path,
        json.dumps(inside.attrs, default=_plain) if path else "",
        *(
            (name, each.dims, each.shape, each.dtype.str, name in inside.coords)
            + (json.dumps(each.attrs, default=_plain),)
            + (() if each.dtype.kind in _NUMBERS else (repr(each.to_numpy().tolist()),))
            for name, each in inside.variables.items()
        ),
    )


def _by_zarr(tree: xr.DataTree, *, consolidated: bool) -> Files:
    """Have a tree written by Zarr."""
    from zarr.codecs import Crc32cCodec, ZstdCodec
    from zarr.errors import ZarrUserWarning
    from zarr.storage import MemoryStore

    store: dict[str, Any] = {}
    # Random numbers get smaller by a quarter at once, and by little more in six times as long.
    codecs = {"compressors": (ZstdCodec(level=-1), Crc32cCodec())}
    checksums = {node.path: {str(v): codecs for v in node.variables} for node in tree.subtree}
    with warnings.catch_warnings():
        # Metadata of all groups in one file, which opens in half the time, are xarray's default.
        warnings.simplefilter("ignore", ZarrUserWarning)
        tree.to_zarr(
            MemoryStore(store), mode="w", zarr_format=3, consolidated=consolidated,
            encoding=checksums,
        )  # fmt: skip
    return {name: value.to_bytes() for name, value in store.items()}


def _is_known(about: dict[str, Any]) -> bool:
    """Say whether the chunks of an array can be made and decoded here, by its metadata."""
    return (
        [codec["name"] for codec in about["codecs"]] == _CODECS
        # That of single bytes has no order of them.
        and about["codecs"][0].get("configuration", _LITTLE) == _LITTLE
        and about["chunk_grid"]["name"] == "regular"
        and about["chunk_key_encoding"] == _NAMES
    )


def _without_chunks(files: Files, places: Iterable[str]) -> Files:
    """Leave out the chunks of some arrays."""
    chunks = tuple(f"{place}/c/" for place in places)
    # That of a single number is called c.
    return {name: it for name, it in files.items() if not f"{name}/".startswith(chunks)}


def _chunks(place: str, values: Any, about: dict[str, Any]) -> Files:
    """Encode an array's chunks, by its metadata; those that are all fill value have no file."""
    from numcodecs.checksum32 import CRC32C
    from numcodecs.zstd import Zstd

    _, zstd, _ = about["codecs"]
    compress, check = Zstd(**zstd["configuration"]), CRC32C(location="end")
    shape = about["chunk_grid"]["configuration"]["chunk_shape"]
    empty = np.array(about["fill_value"], about["data_type"]).astype(f"<{values.dtype.str[1:]}")
    files = {}
    for at in np.ndindex(*(-(-n // size) for n, size in zip(values.shape, shape, strict=True))):
        part = values[
            tuple(slice(k * size, (k + 1) * size) for k, size in zip(at, shape, strict=True))
        ]
        chunk = np.full(shape, empty)
        chunk[tuple(slice(n) for n in part.shape)] = part
        if not np.array_equal(
            chunk, np.broadcast_to(empty, shape), equal_nan=chunk.dtype.kind == "f"
        ):
            name = "/".join([place, "c", *map(str, at)])
            files[name] = bytes(check.encode(compress.encode(chunk)))
    return files


class Opened(NamedTuple):
    """A tree that Zarr has opened, for those that are stored alike but for their numbers."""

    groups: dict[str, xr.Dataset]  # by their paths
    numbers: dict[str, dict[str, Any]]  # metadata, by their places
    others: Files  # all that is not numbers, without the root
    about: Any  # of the root: metadata of them all


def remember(groups: dict[str, xr.Dataset], files: Files, root: dict[str, Any]) -> Opened:
    """Remember a tree for `open_like`.

    Numbers are those which are stored as they are: not coordinates, nor what xarray decodes.
    """
    about = root["consolidated_metadata"]["metadata"]
    numbers = {}
    for path, inside in groups.items():
        for name, values in inside.variables.items():
            place = _place(path, name)
            if name in inside.data_vars and _is_plain(values, about[place]):
                numbers[place] = about[place]
            else:
                values.load()
    return Opened(groups, numbers, _others(files, numbers), about)


def open_like(
    folder: Path, files: Files, root: dict[str, Any], known: Iterable[Opened]
) -> dict[str, xr.Dataset] | None:
    """Open a tree that is stored like one of the known, whose numbers are read when they are used.

    None if there is none.
    """
    about = root["consolidated_metadata"]["metadata"]
    for like in known:
        if about == like.about and _others(files, like.numbers) == like.others:
            return {
                path: inside.copy(
                    data={
                        name: _lazily(folder, files, place, like.numbers[place])
                        if (place := _place(path, name)) in like.numbers
                        else inside.variables[name].values
                        for name in inside.data_vars
                    }
                )
                for path, inside in like.groups.items()
            }
    return None


def _others(files: Files, numbers: Iterable[str]) -> Files:
    """Take all but the root and the chunks of numbers."""
    return {k: it for k, it in _without_chunks(files, numbers).items() if k != "zarr.json"}


def _place(path: str, name: Hashable) -> str:
    return f"{path}/{name}".strip("/")


def _is_plain(values: xr.Variable, about: dict[str, Any]) -> bool:
    """Say whether an array's numbers are those of its chunks: xarray decodes nothing in them."""
    used = {name: it for name, it in about["attributes"].items() if name not in values.attrs}
    used.pop("coordinates", None)
    return (
        values.dtype.kind in _NUMBERS
        and values.dtype == about["data_type"]
        and _is_known(about)
        and used in ({}, {"_FillValue": _NAN})
    )


def _lazily(folder: Path, files: Files, place: str, about: dict[str, Any]) -> Any:
    """Give an array that is read when it is used."""
    there = frozenset(file for file in files if f"{file}/".startswith(f"{place}/c/"))
    return read_once(_Stored(folder, place, about, there))


class _Stored(BackendArray):
    """Numbers of an array, decoded from the chunks that have what is asked for."""

    def __init__(
        self, folder: Path, place: str, about: dict[str, Any], there: frozenset[str]
    ) -> None:
        self.folder, self.place, self.about, self.there = folder, place, about, there
        self.shape = tuple(about["shape"])
        self.dtype = np.dtype(about["data_type"])

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        """Read what an indexer asks for."""
        return indexing.explicit_indexing_adapter(
            key, self.shape, indexing.IndexingSupport.BASIC, self._read
        )

    def _read(self, key: tuple[int | slice, ...]) -> Any:
        """Read what integers, and slices with positive steps, ask for."""
        sizes = self.about["chunk_grid"]["configuration"]["chunk_shape"]
        asked = [
            range(n)[at] if isinstance(at, slice) else range(at, at + 1)
            for at, n in zip(key, self.shape, strict=True)
        ]
        chunks = [
            range(each[0] // size, each[-1] // size + 1) if each else range(0)
            for each, size in zip(asked, sizes, strict=True)
        ]
        whole = np.full(
            [len(each) * size for each, size in zip(chunks, sizes, strict=True)],
            np.array(self.about["fill_value"], self.dtype),
        )
        for at in itertools.product(*chunks):
            name = "/".join([self.place, "c", *map(str, at)])
            # A chunk that is all fill value has no file.
            if name in self.there:
                begin = [
                    (k - each.start) * size for k, each, size in zip(at, chunks, sizes, strict=True)
                ]
                whole[tuple(slice(b, b + size) for b, size in zip(begin, sizes, strict=True))] = (
                    _decoded((self.folder / name).read_bytes(), self.dtype).reshape(sizes)
                )
        # Relative to the first chunk.
        return whole[
            tuple(
                slice(each.start - of.start * size, each.stop - of.start * size, each.step)
                if isinstance(k, slice)
                else k - of.start * size
                for k, each, of, size in zip(key, asked, chunks, sizes, strict=True)
            )
        ]


def _decoded(chunk: bytes, dtype: np.dtype[Any]) -> np.ndarray:
    """Decode a chunk, whose checksum has to be right."""
    from numcodecs.checksum32 import CRC32C
    from numcodecs.zstd import Zstd

    content = Zstd().decode(CRC32C(location="end").decode(chunk))
    return np.frombuffer(content, dtype.newbyteorder("<"))


def _plain(value: Any) -> Any:
    """Make NumPy's numbers and arrays plain, as in JSON."""
    return value.tolist() if hasattr(value, "tolist") else value
