"""A posterior on disk: a netCDF file that ends with its digest, which is checked on reading."""

import os
import sys
from contextlib import nullcontext
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.write import check_file, write_files

# HDF5 does not look at what follows its last byte, so that any program reads the file.
_MARK = b"\nleaderbayes sha256 "
_MANY = 1000  # labels, such as prompts of votes, from which on they are compressed
_LONGEST = 200  # letters of such a label: all take the room of the longest, before that
_EXPECTED = "use a file of leaderbayes.write_fit, or the posterior.nc of leaderbayes rank --out."
_TAIL = len(_MARK) + sha256().digest_size * 2


def write_fit(dt: xr.DataTree, path: str | os.PathLike[str]) -> Path:
    """Write a posterior to a netCDF file whose integrity can be checked.

    It is what ``dt.to_netcdf(path)`` writes, with the checksums that every HDF5 program checks, and
    with a digest (SHA-256) behind its end, which `read_fit` checks. ``xarray.open_datatree`` reads
    it too. Statistics of a sampler that are lists, as ``pm.sample_smc`` has, are not written.

    Parameters
    ----------
    dt : DataTree
        Posterior from `fit`, `sota.posterior` or ``pm.sample``.
    path : path
        File to write, ``.nc``; an existing one is replaced.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    LeaderbayesError
        If it is no DataTree, or the file cannot be written.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), seed=1)
    >>> lb.write_fit(dt, "posterior.nc").name
    'posterior.nc'
    >>> lb.read_fit("posterior.nc").attrs["seed"]
    np.int64(1)
    """
    to = _arguments.path("path", path)
    if not isinstance(dt, xr.DataTree):
        raise LeaderbayesError(f"write_fit takes a posterior, a DataTree, not {type(dt).__name__}.")
    check_file(to, ".nc")
    write_files({to: encoded(dt)})
    return to


def encoded(dt: xr.DataTree) -> bytes:
    """Return the bytes of a posterior's file, in memory: on a full disk HDF5 crashes."""
    dt = dt.copy()  # one of a study would be written where it is, and not at the root
    if "sample_stats" in dt.children:
        own = dt["sample_stats"].dataset
        objects = {k: v.to_numpy().ravel() for k, v in own.items() if v.dtype == object}
        lists = [k for k, v in objects.items() if not all(isinstance(each, str) for each in v)]
        dt["sample_stats"].dataset = own.drop_vars(lists)
    # Places take a fifth of their bytes so; random numbers do not get smaller.
    small = {"zlib": True, "complevel": 1, "shuffle": True}
    checksums: dict[str, dict[str, dict[str, Any]]] = {
        node.path: {
            str(name): {"fletcher32": True} | (small if values.dtype.kind in "iu" else {})
            for name, values in node.dataset.variables.items()
            if values.ndim and values.size and values.dtype.kind in "biuf"
        }
        for node in dt.subtree
    }
    for node in dt.subtree:
        labels = {
            str(name): {"dtype": "S1"} | small
            for name, values in node.dataset.variables.items()
            if values.ndim == 1 and values.size >= _MANY and _is_plain_text(values.to_numpy())
        }
        checksums[node.path] |= labels
    dask = sys.modules.get("dask")  # whose lock, a cluster's, may be gone; memory is ours
    try:
        with nullcontext() if dask is None else dask.config.set(scheduler="threads"):
            content = bytes(dt.to_netcdf(engine="h5netcdf", encoding=checksums))
    except (NotImplementedError, TypeError, ValueError) as problem:  # no array of numbers or texts
        raise LeaderbayesError(
            f"A variable does not fit into netCDF: {problem!s:.200}. Remove or convert it."
        ) from problem
    return content + _MARK + sha256(content).hexdigest().encode()


def _is_plain_text(values: np.ndarray) -> bool:
    """Whether these are texts that letters in a table give back: no NUL, and none very long."""
    if values.dtype.kind not in "OUT":
        return False
    every = values.tolist()
    return all(isinstance(it, str) and len(it) <= _LONGEST and "\0" not in it for it in every)


def read_fit(path: str | os.PathLike[str]) -> xr.DataTree:
    """Read a posterior from a file into memory, and check that no byte has changed.

    Parameters
    ----------
    path : path
        From `write_fit`, or the ``posterior.nc`` of ``leaderbayes rank --out`` or its folder. Any
        other netCDF file, such as ``dt.to_netcdf`` writes, is read unchecked.

    Returns
    -------
    DataTree
        What was written.

    Raises
    ------
    LeaderbayesError
        If there is no such file, or it is damaged or no netCDF file.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), seed=1)
    >>> path = lb.write_fit(dt, "posterior.nc")
    >>> lb.leaderboard(lb.read_fit(path)).equals(lb.leaderboard(dt))
    True
    """
    source = _arguments.path("path", path)
    if source.is_dir():
        source = source / "posterior.nc"
    try:
        content = source.read_bytes()
    except OSError as problem:
        raise LeaderbayesError(
            f"{source}: cannot be read ({problem.strerror or problem}); {_EXPECTED}"
        ) from problem
    content, tail = content[:-_TAIL], content[-_TAIL:]
    checked = tail.startswith(_MARK)
    if not checked:
        content += tail
    elif tail[len(_MARK) :] != sha256(content).hexdigest().encode():
        raise LeaderbayesError(
            f"{source}: this file is damaged (its bytes have changed); use a copy, or fit again."
        )
    try:
        tree = xr.load_datatree(BytesIO(content), engine="h5netcdf")
    except Exception as problem:  # HDF5 and what reads it have errors of many kinds
        raise LeaderbayesError(f"{source}: not a netCDF file, or damaged; {_EXPECTED}") from problem
    tree.encoding = {"source": str(source)}
    return tree
