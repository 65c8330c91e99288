"""A study on disk: a Zarr store written by xarray, with a group per tournament."""

import json
import os
import shutil
import warnings
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._errors import LeaderbayesError
from leaderbayes._extras import extra

_LONGEST = 120  # characters of a key, of the 255 bytes that file systems allow
_PART = ".part-"  # begins the name of a group while it is written


def open(store: str | os.PathLike[str]) -> xr.DataTree:
    """Open a study that `study.fit` has written, finished or not.

    Parameters
    ----------
    store : path
        Folder of the study, a Zarr store.

    Returns
    -------
    DataTree
        As from `study.fit`: values are read when they are used.

    Raises
    ------
    LeaderbayesError
        If there is no study, or it cannot be read.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(scores, store="study", seed=1, progressbar=False)
    >>> list(lb.study.open("study").children)
    ['iris', 'wine']
    """
    path = _arguments.path("store", store)
    attrs = root_attrs(path)
    if attrs is None:
        raise LeaderbayesError(f"{path}: no study; leaderbayes.study.fit makes one.")
    # In the order of the scores, not of the file system.
    keys = [key_of(name) for name in json.loads(attrs["tournaments"])]
    study = xr.DataTree()
    study.children = {key: _open(path / key) for key in keys if (path / key).exists()}
    why = {
        str(fit.attrs["tournament"]): fit.attrs["why_nuts"]
        for fit in study.children.values()
        if fit.attrs.get("why_nuts")
    }
    study.attrs = attrs | {"why_nuts": json.dumps(why)}
    return study


def _open(group: Path) -> xr.DataTree:
    """Open the fit of a tournament."""
    import zarr

    try:
        with zarr.config.set({"array.read_missing_chunks": False}):
            tree = xr.open_datatree(group, engine="zarr", consolidated=True)
    except Exception as problem:  # Zarr's and xarray's errors are of many kinds
        raise LeaderbayesError(
            f"{group}: this part of the study cannot be read ({problem!s:.200}); delete it to fit "
            "it again."
        ) from problem
    tree.encoding = {"source": str(group)}
    return tree


def root_attrs(path: Path) -> dict[str, Any] | None:
    """Read the attributes of a study; None where there is nothing, an error where else is."""
    with extra("study", "A study, which is a Zarr store,"):
        import zarr
    if not path.exists():
        return None
    try:
        attrs = dict(zarr.open_group(path, mode="r").attrs)
    except Exception as problem:  # Zarr's errors are of many kinds
        raise LeaderbayesError(f"{path}: not a study; choose another path.") from problem
    if "tournaments" not in attrs:
        raise LeaderbayesError(f"{path}: not a study; choose another path.")
    return attrs


def group_attrs(group: Path) -> dict[str, Any] | None:
    """Read the attributes of a tournament's fit; None where there is none that is whole."""
    return {str(k): v for k, v in _open(group).attrs.items()} if group.exists() else None


def write_root(path: Path, attrs: dict[str, Any]) -> None:
    """Write the attributes of a study, which is made if there is none."""
    import zarr

    zarr.open_group(path, mode="a", zarr_format=3).attrs.update(attrs)


def write(tree: xr.DataTree, path: Path, tournament: str) -> None:
    """Write the fit of a tournament beside the others, and give it its name when it is whole."""
    import zarr
    from zarr.codecs import ZstdCodec
    from zarr.errors import ZarrUserWarning

    key = key_of(tournament)
    part = path / f"{_PART}{key}"
    # A chunk that is damaged or lost is an error on reading, and not other numbers.
    checked = {"compressors": [ZstdCodec(checksum=True)], "write_empty_chunks": True}
    encoding = {
        node.path: dict.fromkeys(map(str, node.dataset.variables), checked) for node in tree.subtree
    }
    with warnings.catch_warnings():
        # Zarr's specification has no texts yet, and no metadata of all groups in one file.
        warnings.simplefilter("ignore", ZarrUserWarning)
        # Consolidated once: xarray does it for each group.
        tree.to_zarr(part, mode="w", zarr_format=3, consolidated=False, encoding=encoding)
        zarr.consolidate_metadata(part)
    os.replace(part, path / key)


def clear(path: Path) -> None:
    """Remove what a run that was killed has left unfinished."""
    for part in path.glob(f"{_PART}*"):
        shutil.rmtree(part)


def key_of(tournament: str) -> str:
    """Name a tournament's group: by its own name where a file may be called so."""
    key = quote(tournament, safe=" ()+,=@")
    if len(key) > _LONGEST:
        key = f"{key[:_LONGEST]}-{sha256(tournament.encode()).hexdigest()[:16]}"
    # Hidden files, names that Zarr keeps for itself, and no name at all.
    return f"%{key}" if key[:1] in ("", ".", "_") or key == "zarr.json" else key


def fingerprint(board: xr.DataArray | xr.Dataset) -> str:
    """Digest scores or votes: values, names and direction, and not where they come from."""
    inside = board.to_dataset(name="scores") if isinstance(board, xr.DataArray) else board
    inside = inside.transpose(*sorted(map(str, inside.dims)))
    kept = {"higher_is_better": 1, "ordered": None, "both_bad": None}
    # Files give NumPy's numbers, of which text is the same.
    digest = sha256(json.dumps([str(board.attrs.get(k, v)) for k, v in kept.items()]).encode())
    for name in sorted(map(str, inside.variables)):
        values = inside[name].to_numpy()
        if values.dtype.kind not in "bifuM":
            values = values.astype(str)
        digest.update(f"{name} {values.shape} {values.dtype}".encode())
        digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()
