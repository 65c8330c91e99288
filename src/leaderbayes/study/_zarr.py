"""A tree as the files of a Zarr store.

Zarr takes longer for a fit's metadata than the fit took. So it writes the first tree of a shape;
from the second on the chunks alone are made, as its codecs make them, and all else is what it
wrote. Where its metadata name codecs that are not known here it writes every tree.
"""

import json
import warnings
from typing import Any

import numpy as np
import xarray as xr

Files = dict[str, bytes]

_NUMBERS = "biuf"  # kinds of arrays whose values are in chunks alone
_CODECS = ["bytes", "zstd", "crc32c"]  # of chunks, in their order
_MOST = 16  # shapes of trees that are remembered, each of some 50 kB
_layouts: dict[tuple[Any, ...], Files] = {}


def zarr_files(tree: xr.DataTree, *, consolidated: bool) -> Files:
    """Give the files of a Zarr store, by their paths.

    Every chunk has a checksum (CRC32C), which any program checks that reads it.
    """
    nodes = {node.path.strip("/"): node.to_dataset(inherit=False) for node in tree.subtree}
    numbers = {
        f"{path}/{name}".removeprefix("/"): variable
        for path, inside in nodes.items()
        for name, variable in inside.variables.items()
        if variable.dtype.kind in _NUMBERS
    }
    of = (consolidated, *(_shape(path, inside) for path, inside in nodes.items()))
    layout = _layouts.get(of)
    if layout is None:
        files = _by_zarr(tree, consolidated=consolidated)
        about = [json.loads(files[f"{place}/zarr.json"]) for place in numbers]
        if any([codec["name"] for codec in each["codecs"]] != _CODECS for each in about):
            return files
        if len(_layouts) == _MOST:
            _layouts.clear()
        chunks = tuple(f"{place}/c/" for place in numbers)
        # That of a single number is called c.
        layout = {k: it for k, it in files.items() if not f"{k}/".startswith(chunks)}
        _layouts[of] = layout
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
    codecs = {"compressors": (ZstdCodec(), Crc32cCodec())}
    checksums = {node.path: {str(v): codecs for v in node.variables} for node in tree.subtree}
    with warnings.catch_warnings():
        # Metadata of all groups in one file, which opens in half the time, are xarray's default.
        warnings.simplefilter("ignore", ZarrUserWarning)
        tree.to_zarr(
            MemoryStore(store), mode="w", zarr_format=3, consolidated=consolidated,
            encoding=checksums,
        )  # fmt: skip
    return {name: value.to_bytes() for name, value in store.items()}


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


def _plain(value: Any) -> Any:
    """Make NumPy's numbers and arrays plain, as in JSON."""
    return value.tolist() if hasattr(value, "tolist") else value
