"""A study on disk: a Zarr group a tournament, which is there in whole or not at all."""

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

from leaderbayes._errors import LeaderbayesError
from leaderbayes._extras import extra

Files = dict[str, bytes]

_LONGEST = 120  # characters of a key, of the 255 bytes that file systems allow


def key_of(tournament: str) -> str:
    """Name of a tournament's group: its own where a file may be called so."""
    key = quote(tournament, safe=" ()+,=@")
    if key.startswith((".", "_")) or key == "zarr.json":
        # Hidden files, and names that Zarr keeps for itself.
        key = f"%{ord(key[0]):02X}{key[1:]}"
    if len(key) > _LONGEST:
        key = f"{key[:_LONGEST]}-{sha256(tournament.encode()).hexdigest()[:16]}"
    # No other name is written like the empty one.
    return key or "%"


def fingerprint(board: xr.DataArray) -> str:
    """Digest of scores (player, round), with their names and direction."""
    values = board.transpose("player", "round")
    names = [list(map(str, values[dim].to_numpy())) for dim in values.dims]
    digest = sha256(json.dumps([names, int(values.attrs.get("higher_is_better", 1))]).encode())
    digest.update(np.ascontiguousarray(values.to_numpy(), dtype=float).tobytes())
    return digest.hexdigest()


def open_tournaments(store: str | os.PathLike[str]) -> xr.DataTree:
    """Open a study that `fit_tournaments` has written, finished or not.

    Parameters
    ----------
    store : path
        Folder of the study, a Zarr store.

    Returns
    -------
    DataTree
        As from `fit_tournaments`: values are read when they are used.

    Raises
    ------
    LeaderbayesError
        If there is no study.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load_classifiers().sel(tournament=["iris", "wine"])
    >>> study = lb.fit_tournaments(
    ...     scores, store="study", sampler="laplace", seed=1, progressbar=False
    ... )
    >>> list(lb.open_tournaments("study").children)
    ['iris', 'wine']
    """
    path = Path(store)
    attrs = root_attrs(path)
    if attrs is None:
        raise LeaderbayesError(f"{path}: there is no study; leaderbayes.fit_tournaments makes one.")
    # In the order of the scores, not of the file system.
    keys = [key_of(name) for name in json.loads(attrs["tournaments"])]
    study = xr.DataTree(
        children={
            key: xr.open_datatree(path / key, engine="zarr", consolidated=True)
            for key in keys
            if (path / key).exists()
        }
    )
    study.attrs = attrs
    return study


def root_attrs(path: Path) -> dict[str, Any] | None:
    """Attributes of a study; None where there is nothing.

    Raises
    ------
    LeaderbayesError
        If something else is there.
    """
    with extra("study", "A study, which is a Zarr store,"):
        import zarr

    if not path.exists():
        return None
    try:
        attrs = dict(zarr.open_group(path, mode="r").attrs)
    except (FileNotFoundError, NotADirectoryError, ValueError) as problem:
        raise LeaderbayesError(f"{path}: this is no study, give another path.") from problem
    if "tournaments" not in attrs:
        raise LeaderbayesError(f"{path}: this is no study, give another path.")
    return attrs


def encode(tree: xr.DataTree, *, consolidated: bool = True) -> Files:
    """Give the files of a Zarr store, by their paths."""
    from zarr.errors import ZarrUserWarning
    from zarr.storage import MemoryStore

    made: dict[str, Any] = {}
    with warnings.catch_warnings():
        # Metadata of all groups in one file, which opens in half the time, are xarray's default.
        warnings.simplefilter("ignore", ZarrUserWarning)
        tree.to_zarr(MemoryStore(made), mode="w", consolidated=consolidated, zarr_format=3)
    return {name: value.to_bytes() for name, value in made.items()}


class Writer:
    """Writes groups under another name beside the store; then each moves in whole."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path = path.absolute()  # "." has no name
        self.beside = path.with_name(f".{path.name}.partial")

    def __enter__(self) -> "Writer":
        # What a run that was killed has left.
        shutil.rmtree(self.beside, ignore_errors=True)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.beside, ignore_errors=True)

    def root(self, attrs: dict[str, Any]) -> None:
        """Write the attributes of the study."""
        # Consolidated metadata would say that nothing is below.
        root = encode(xr.DataTree(xr.Dataset(attrs=attrs)), consolidated=False)
        made = self._write("root", root)
        if not self.path.exists():
            os.replace(made, self.path)
        else:
            os.replace(made / "zarr.json", self.path / "zarr.json")

    def tournament(self, name: str, files: Files) -> None:
        """Write the fit of a tournament."""
        os.replace(self._write("tournament", files), self.path / key_of(name))

    def _write(self, name: str, files: Files) -> Path:
        made = self.beside / name
        for file, content in files.items():
            (made / file).parent.mkdir(parents=True, exist_ok=True)
            (made / file).write_bytes(content)
        return made
