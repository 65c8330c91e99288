"""Fit many tournaments separately, into one store."""

import json
import os
import shutil
import signal
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, as_completed
from contextlib import AbstractContextManager, nullcontext
from hashlib import sha256
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._errors import LeaderbayesError, LeaderbayesWarning, warn
from leaderbayes._files.progress import progress
from leaderbayes._files.write import check_folder, locked
from leaderbayes._inference.fit import fit as fit_board
from leaderbayes._inference.fit import model_for, written
from leaderbayes.models._registry import data_of
from leaderbayes.study import _store

_OWN = ("data", "model", "seed", "progressbar")  # arguments of `leaderbayes.fit` that differ here


def fit(
    data: xr.DataArray | xr.Dataset,
    model: str = "auto",
    *,
    store: str | os.PathLike[str],
    workers: int | Executor = 1,
    seed: int | None = None,
    progressbar: bool = True,
    **arguments: Any,
) -> xr.DataTree:
    """Fit each tournament separately, and keep the posteriors in one store.

    After an interruption, call it again with the same arguments: it fits the missing tournaments,
    with the same numbers as without the interruption. Tournaments may be added.

    Parameters
    ----------
    data : DataArray (tournament, player, round) or Dataset (vote)
        Scores from `read_scores`, or votes from `read_votes` with the coordinate ``tournament``.
        Players and rounds may differ between tournaments.
    model : str
        As for `leaderbayes.fit`, of one tournament; "auto" chooses one for all.
    store : path
        Folder of the study, a Zarr store; it is made, or continued.
    workers : int or concurrent.futures.Executor
        Number of processes; or an executor of processes that share the store's disk, such as
        ``client.get_executor()`` of Dask.
    seed : int, optional
        Same seed, versions and machine: same numbers. None draws one, or continues the study's.
    progressbar : bool
        Show how many tournaments are done.
    **arguments
        As for `leaderbayes.fit`: ``test_fraction``, ``sampler``, ``draws`` and so on.

    Returns
    -------
    DataTree
        A child per tournament, with its name (special characters as in a URL). Every function of a
        posterior accepts it. Values are read when they are used. attrs: ``model``, ``arguments``,
        ``seed``; as JSON ``tournaments``, ``failed`` (messages of tournaments that could not be
        fitted) and ``why_nuts`` (why tournaments needed NUTS).

    Raises
    ------
    LeaderbayesError
        If an argument is unknown or out of range; if the store is none, is being written by
        another process, or was made with other data or arguments; if all tournaments fail.

    Warns
    -----
    LeaderbayesWarning
        Once for each code, with the tournaments; LB030 for those that could not be fitted.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(scores, store="study", seed=1, progressbar=False)
    >>> list(study.children)
    ['iris', 'wine']
    >>> lb.tied_for_top(study["iris"])[:2]
    ['logistic C=100', 'svm C=1']
    """
    boards = _boards(data)
    chosen = model_for(next(iter(boards.values())), model)
    if chosen.several:
        raise LeaderbayesError(
            f"leaderbayes.study.fit fits each tournament separately; model={chosen.name!r} fits "
            "all together: use leaderbayes.fit."
        )
    _check(arguments)
    seed = None if seed is None else _arguments.seed(seed)
    path = _arguments.path("store", store)
    if _store.root_attrs(path) is None:
        check_folder(path)
    place = path.absolute()
    place.parent.mkdir(parents=True, exist_ok=True)
    failed: dict[str, str] = {}
    with locked(place.with_name(f".{place.name}.lock")):
        attrs = _attrs(path, chosen.name, arguments, seed, list(boards))
        _store.clear(path)
        pending = {n: board for n, board in boards.items() if not _is_done(path, n, board)}
        try:
            _store.write_root(path, attrs)
            jobs = _Job(path, chosen.name, int(attrs["seed"]), arguments)
            with _executor(workers) as pool, progress(progressbar, "Tournaments") as advance:
                advance(len(boards) - len(pending), len(boards))
                for name, problem in jobs.run(pending, pool):
                    failed |= {} if problem is None else {name: problem}
                    advance(1, len(boards))
            _store.write_root(path, {"failed": json.dumps(failed)})
        except OSError as problem:
            raise LeaderbayesError(
                f"{path}: cannot be written ({problem.strerror or problem}); make room, or choose "
                "another path, and call again. Finished fits are kept."
            ) from problem
        finally:
            _store.clear(path)
            if path.exists() and not any(each.is_dir() for each in path.iterdir()):
                shutil.rmtree(path)
    if not path.exists():
        raise LeaderbayesError(f"No tournament could be fitted: {next(iter(failed.values()))}")
    study = _store.open(path)
    _warn(study, failed)
    return study


def _boards(data: xr.DataArray | xr.Dataset) -> dict[str, xr.DataArray | xr.Dataset]:
    """Return each tournament's scores or votes, with the players and rounds that it has."""
    given = data_of(data)
    if not given.tournaments():
        raise LeaderbayesError(
            "leaderbayes.study.fit needs several tournaments, but these data have one: name "
            "their column in read_scores(..., tournament='dataset'), or use leaderbayes.fit."
        )
    return given.parted()


def _check(arguments: Mapping[str, Any]) -> None:
    """Raise unless these are arguments of `leaderbayes.fit`."""
    known = [name for name in signature(fit_board).parameters if name not in _OWN]
    if unknown := [name for name in arguments if name not in known]:
        raise LeaderbayesError(
            f"leaderbayes.study.fit has no argument {unknown[0]!r}; it also takes "
            f"{', '.join(known)}."
        )


def _attrs(
    path: Path, model: str, arguments: dict[str, Any], seed: int | None, names: list[str]
) -> dict[str, Any]:
    """Make the attributes of the study; those of one that is continued must be the same."""
    known = _store.root_attrs(path)
    if seed is None:
        seed = int(known["seed"]) if known else _arguments.seed_or_new(None)
    asked = {"model": model, "arguments": written(arguments), "seed": seed}
    done = json.loads(known["tournaments"]) if known else []
    done = [name for name in done if (path / _store.key_of(name)).exists()]
    for name, value in asked.items():
        if known and known[name] != value:
            raise LeaderbayesError(
                f"{path}: this study was made with {name} {known[name]}, not {value}; use the "
                "same, or another store."
            )
    # Those that are no longer asked for stay.
    listed = names + [name for name in done if name not in names]
    return asked | {"tournaments": json.dumps(listed), "failed": "{}"}


def _is_done(path: Path, name: str, board: xr.DataArray | xr.Dataset) -> bool:
    """Return whether the store has this tournament; it must have been fitted to these data."""
    group = path / _store.key_of(name)
    known = _store.group_attrs(group)
    if known is not None and known["scores"] != _store.fingerprint(board):
        raise LeaderbayesError(
            f"{path}: tournament {name[:60]!r} was fitted to other scores; use another store, or "
            f"delete {group} to fit it again."
        )
    return known is not None


class _Job:
    """What is the same for all tournaments of a call."""

    def __init__(self, path: Path, model: str, seed: int, arguments: Mapping[str, Any]) -> None:
        self.path, self.model, self.seed, self.arguments = path, model, seed, arguments

    def run(
        self, boards: Mapping[str, xr.DataArray | xr.Dataset], pool: Executor | None
    ) -> Iterator[tuple[str, str | None]]:
        """Fit boards; yield the name of each when it is written, or why it could not be fitted."""
        if pool is None:
            yield from ((name, self(name, board)) for name, board in boards.items())
            return
        jobs: dict[Future[str | None], str] = {}
        try:
            jobs = {pool.submit(self, name, board): name for name, board in boards.items()}
            for done in as_completed(jobs):
                yield jobs[done], done.result()
        except BrokenExecutor as problem:
            raise LeaderbayesError(
                "A worker died, perhaps for lack of memory. Call again with fewer workers; "
                "finished fits are kept."
            ) from problem
        finally:
            for job in jobs:
                job.cancel()

    def __call__(self, name: str, board: xr.DataArray | xr.Dataset) -> str | None:
        """Fit and write one tournament; its numbers depend on its name, not on its place."""
        words = np.frombuffer(sha256(name.encode()).digest(), dtype=np.uint32)
        own = int(np.random.SeedSequence([self.seed, *map(int, words)]).generate_state(1)[0])
        with warnings.catch_warnings():
            # They are in the fit's attributes, and repeated once for all tournaments.
            warnings.simplefilter("ignore", LeaderbayesWarning)
            try:
                tree = fit_board(board, self.model, seed=own, progressbar=False, **self.arguments)
            except Exception as problem:  # whatever it is, the other tournaments are not to blame
                return f"{type(problem).__name__}: {problem}"
        tree.attrs |= {"tournament": name, "scores": _store.fingerprint(board)}
        _store.write(tree, self.path, name)
        return None


def _executor(workers: int | Executor) -> AbstractContextManager[Executor | None]:
    """Return where boards are fitted: None is here."""
    if isinstance(workers, Executor):
        return nullcontext(workers)
    if _arguments.whole("workers", workers) == 1:
        return nullcontext()
    # A terminal's Ctrl-C is for all: workers that live on it fit what waits for them first.
    at_once = (signal.SIGINT, signal.SIG_DFL)
    return ProcessPoolExecutor(workers, initializer=signal.signal, initargs=at_once)


def _warn(study: xr.DataTree, failed: Mapping[str, str]) -> None:
    """Repeat each warning once, with its tournaments."""
    found: dict[str, dict[str, str]] = {}
    for child in study.children.values():
        for text in json.loads(child.attrs["warnings"]):
            found.setdefault(text[:5], {})[str(child.attrs["tournament"])] = text[6:]
    for code, texts in sorted(found.items()):
        some = ", ".join(name[:60] for name in list(texts)[:5])
        alike = set(texts.values())
        what = alike.pop() if len(alike) == 1 else "see the attribute 'warnings' of each."
        warn(
            f"{code} in {len(texts)} of {len(study.children)} tournaments, {some}"
            f"{', ...' if len(texts) > 5 else ''}: {what}",
        )
    for name, problem in failed.items():
        warn(f"LB030 Tournament {name[:60]!r} was not fitted: {problem}")
