"""A study on disk: a Zarr group a tournament, which is there in whole or not at all."""

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._errors import LeaderbayesError
from leaderbayes._extras import extra
from leaderbayes._files.write import locked
from leaderbayes._inference.made_again import made_again
from leaderbayes.study._zarr import Files, Opened, open_like, remember, zarr_files

# Coordinates by their name and the bytes of their files.
_Known = dict[tuple[Any, ...], xr.Coordinates]

_LONGEST = 120  # characters of a key, of the 255 bytes that file systems allow


def key_of(tournament: str) -> str:
    """Name a tournament's group: by its own name where a file may be called so."""
    key = quote(tournament, safe=" ()+,=@")
    if key.startswith((".", "_")) or key == "zarr.json":
        # Hidden files, and names that Zarr keeps for itself.
        key = f"%{ord(key[0]):02X}{key[1:]}"
    if len(key) > _LONGEST:
        key = f"{key[:_LONGEST]}-{sha256(tournament.encode()).hexdigest()[:16]}"
    # No other name is written like the empty one.
    return key or "%"


def fingerprint(board: xr.DataArray | xr.Dataset) -> str:
    """Digest scores (player, round), with names, clusters and direction; or votes, with all.

    Where votes come from is no part of it.
    """
    if isinstance(board, xr.Dataset):
        return _of_votes(board)
    values = board.transpose("player", "round")
    names = [list(map(str, values[dim].to_numpy())) for dim in values.dims]
    if "cluster" in values.coords:  # which mean scores are of
        names.append(list(map(str, values["cluster"].to_numpy())))
    digest = sha256(json.dumps([names, int(values.attrs.get("higher_is_better", 1))]).encode())
    digest.update(np.ascontiguousarray(values.to_numpy(), dtype=float).tobytes())
    return digest.hexdigest()


def _of_votes(votes: xr.Dataset) -> str:
    digest = sha256(json.dumps([votes.attrs.get(k) for k in ("ordered", "both_bad")]).encode())
    for name in sorted(map(str, votes.variables)):
        values = votes[name].to_numpy()
        plain = values if values.dtype.kind in "bifuM" else None
        digest.update(json.dumps([name, values.shape]).encode())
        digest.update(
            json.dumps([str(each) for each in values.ravel()]).encode()
            if plain is None
            else np.ascontiguousarray(plain).tobytes()
        )
    return digest.hexdigest()


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
        If there is no study, or it is damaged: what is there is not what was written.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(
    ...     scores, store="study", sampler="laplace", seed=1, progressbar=False
    ... )
    >>> list(lb.study.open("study").children)
    ['iris', 'wine']
    """
    path = _arguments.path("store", store)
    attrs = root_attrs(path)
    if attrs is None:
        raise LeaderbayesError(f"{path}: there is no study; leaderbayes.study.fit makes one.")
    # In the order of the scores, not of the file system.
    keys = [key_of(name) for name in json.loads(attrs["tournaments"])]
    known, like = _Known(), list[Opened]()
    study = xr.DataTree()
    study.children = {k: _open(path / k, known, like) for k in keys if (path / k).exists()}
    study.attrs = attrs
    return study


def _open(group: Path, known: _Known, like: list[Opened]) -> xr.DataTree:
    """Open the fit of a tournament; all values but names are read when they are used."""
    files = _files_of(group)
    root = _checked(group, files)
    try:
        groups = open_like(group, files, root, like)
        if groups is None:
            by_zarr = xr.open_groups(
                group, engine="zarr", consolidated=True, create_default_indexes=False
            )
            groups = {
                path: _indexed(each, f"{path[1:]}/", files, known) for path, each in by_zarr.items()
            }
            like.append(remember(groups, files, root))
    except Exception as problem:  # its files are as written: something else is wrong
        raise LeaderbayesError(f"{group}: cannot be opened ({problem}).") from problem
    own = {path[1:]: each for path, each in groups.items() if path != "/"}
    own |= made_again(root["attributes"], own)
    tree = xr.DataTree()
    tree.children = {name: xr.DataTree(own[name]) for name in sorted(own)}
    tree.attrs = root["attributes"]
    tree.encoding = {"source": str(group)}
    return tree


def _indexed(inside: xr.Dataset, place: str, files: Files, known: _Known) -> xr.Dataset:
    """Index what is in a group by its names, as xarray does, which reads them.

    A fit's groups have the same players, rounds and draws, and so may have many fits: those that
    are stored alike are read once.
    """
    own = {file.removeprefix(place): it for file, it in files.items() if file.startswith(place)}
    coords, indexes = {}, {}
    for name, values in inside.coords.items():
        if values.dims == (name,):
            asked = name, *(it for file, it in own.items() if file.startswith(f"{name}/"))
            if asked not in known:
                known[asked] = xr.Coordinates({name: values.variable})
            coords[name] = known[asked].variables[name]
            indexes[name] = known[asked].xindexes[name]
    return inside.assign_coords(xr.Coordinates(coords, indexes))


def root_attrs(path: Path) -> dict[str, Any] | None:
    """Read the attributes of a study; None where there is nothing.

    Raises
    ------
    LeaderbayesError
        If something else is there, or the study is damaged.
    """
    with extra("study", "A study, which is a Zarr store,"):
        import zarr  # noqa: F401
    if not path.exists():
        return None
    # Below it are the tournaments, each with a digest of its own.
    root = path / "zarr.json"
    attrs = _attrs(path, {"zarr.json": _read(root)}) if root.is_file() else {}
    if "tournaments" not in attrs:
        raise LeaderbayesError(f"{path}: this is no study, give another path.")
    return attrs


def attrs_of(group: Path) -> dict[str, Any]:
    """Read the attributes of a tournament's fit, all of whose files are as they were written.

    Raises
    ------
    LeaderbayesError
        If one is not.
    """
    return _attrs(group, _files_of(group))


def _files_of(group: Path) -> Files:
    """Read all files of a group, by their paths within it, sorted."""
    found = {}
    for folder, _, names in os.walk(group):
        within = folder[len(str(group)) + 1 :].replace(os.sep, "/")
        for name in names:
            # What file managers leave in folders is hidden.
            if not name.startswith("."):
                found[f"{within}/{name}" if within else name] = _read(Path(folder, name))
    return dict(sorted(found.items()))


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as problem:
        raise LeaderbayesError(
            f"{file}: cannot be read ({problem.strerror or problem})."
        ) from problem


def _attrs(place: Path, files: Files) -> dict[str, Any]:
    """Read the attributes in a group's files, which have the digest that stands among them."""
    attrs: dict[str, Any] = _checked(place, files)["attributes"]
    return attrs


def _checked(place: Path, files: Files) -> dict[str, Any]:
    """Read the root of a group's files, if these have the digest that stands in it."""
    root: dict[str, Any] = {}
    try:
        root = json.loads(files["zarr.json"])
        attrs = root["attributes"]
        written = attrs.pop("digest")
    except (KeyError, ValueError, TypeError, AttributeError, RecursionError):
        attrs, written = {}, ""
    if not attrs or written != _digest(root, files):
        raise LeaderbayesError(
            f"{place}: this part of the study is damaged, or is none: its files are not those "
            "that were written. Take a copy of it, or delete it to have it fitted again."
        )
    return root


def _digest(root: Any, files: Files) -> str:
    """Compute the SHA-256 of a group's files by their names, its root without its own digest."""
    whole = files | {"zarr.json": json.dumps(root, sort_keys=True).encode()}
    digest = sha256()
    for name, content in sorted(whole.items()):
        digest.update(json.dumps([name, len(content)]).encode())
        digest.update(content)
    return digest.hexdigest()


def encode(tree: xr.DataTree, *, without: Sequence[str] = (), consolidated: bool = True) -> Files:
    """Give the files of a Zarr store, by their paths, with a digest of them all.

    But for some groups.
    """
    files = zarr_files(tree, without=without, consolidated=consolidated)
    root = json.loads(files["zarr.json"])
    root["attributes"]["digest"] = _digest(root, files)
    return files | {"zarr.json": json.dumps(root).encode()}


@contextmanager
def writing_study(path: Path) -> Iterator["Writer"]:
    """Give what writes to a study, to this process alone.

    Raises
    ------
    LeaderbayesError
        If another one is writing to it.
    """
    place = path.absolute()  # "." has no name
    place.parent.mkdir(parents=True, exist_ok=True)
    writer = Writer(path, place.with_name(f".{place.name}.partial"))
    with locked(place.with_name(f".{place.name}.lock")):
        # What a run that was killed has left.
        writer.clear()
        try:
            yield writer
        finally:
            writer.clear()


class Writer:
    """Write groups under another name beside the store; then each moves in whole."""

    def __init__(self, path: Path, beside: Path) -> None:
        self.path = path
        self.beside = beside
        self.new = not path.exists()

    def clear(self) -> None:
        """Remove what is beside the store."""
        shutil.rmtree(self.beside, ignore_errors=True)

    def root(self, attrs: dict[str, Any]) -> None:
        """Write the attributes of the study."""
        # Consolidated metadata would say that nothing is below.
        files = encode(xr.DataTree(xr.Dataset(attrs=attrs)), consolidated=False)
        with self._written("root", files) as folder:
            if not self.path.exists():
                os.replace(folder, self.path)
            else:
                os.replace(folder / "zarr.json", self.path / "zarr.json")

    def tournament(self, name: str, files: Files) -> None:
        """Write the fit of a tournament."""
        with self._written("tournament", files) as folder:
            os.replace(folder, self.path / key_of(name))

    @contextmanager
    def _written(self, name: str, files: Files) -> Iterator[Path]:
        """Give a folder with files, to be moved.

        Raises
        ------
        LeaderbayesError
            If they cannot be written: of a new study without a tournament nothing is left.
        """
        folder = self.beside / name
        try:
            for inside in {(folder / file).parent for file in files}:
                inside.mkdir(parents=True, exist_ok=True)
            for file, content in files.items():
                (folder / file).write_bytes(content)
            yield folder
        except OSError as problem:
            if self.new and not any(each.is_dir() for each in self.path.glob("*")):
                shutil.rmtree(self.path, ignore_errors=True)
            kept = " What was fitted is kept: call again." if self.path.exists() else ""
            raise LeaderbayesError(
                f"{self.path}: cannot be written ({problem.strerror or problem}); make room, or "
                f"give another path.{kept}"
            ) from problem
