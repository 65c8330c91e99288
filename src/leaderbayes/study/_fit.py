"""Fit many tournaments, each by itself, on any executor, into one store."""

import json
import os
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import contextmanager
from hashlib import sha256
from inspect import signature
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes import _arguments, _errors
from leaderbayes._errors import LeaderbayesError, LeaderbayesWarning
from leaderbayes._extras import extra
from leaderbayes._files.progress import progress
from leaderbayes._files.write import check_folder
from leaderbayes._fits.kinds import OF_SEVERAL
from leaderbayes._inference.fit import fit as fit_board
from leaderbayes._inference.fit import written
from leaderbayes._inference.made_again import left_out
from leaderbayes._numerics.workers import available
from leaderbayes._scores.matches import valid_scores
from leaderbayes._scores.vote_matches import is_votes
from leaderbayes.study import _store
from leaderbayes.study._zarr import Files

_AHEAD = 2  # boards in flight for each worker: enough to keep it busy, few enough for memory
_ONE_AT_A_TIME = Lock()  # in each process
_SHARED = ("within_round", "ties", "tune", "target_accept", "chains")  # whatever the model
_CATEGORIES = {
    "LB001": _errors.ConvergenceWarning,
    "LB010": _errors.DisconnectedWarning,
    "LB011": _errors.WeightWarning,
    "LB016": _errors.MisfitWarning,
    **dict.fromkeys(
        (
            *("LB012", "LB017", "LB018", "LB019", "LB025", "LB026", "LB027", "LB028"),
            *("LB044", "LB045", "LB049", "LB053"),
        ),
        _errors.HintWarning,
    ),
}


def fit(
    scores: xr.DataArray | xr.Dataset,
    model: str = "bradley_terry",
    *,
    store: str | os.PathLike[str],
    executor: Any = None,
    sampler: str = "auto",
    draws: int | None = None,
    replicates: int = 200,
    seed: int | None = None,
    progressbar: bool = True,
    **options: Any,
) -> xr.DataTree:
    """Fit each tournament by itself, and keep the posteriors in one store.

    A tournament is written when it is done. Called again with the same arguments, after it was
    stopped in any way, it fits those that are missing, with the numbers that they would have had;
    tournaments may be added to the scores.

    Parameters
    ----------
    scores : DataArray (tournament, player, round)
        From `read_scores`. Players and rounds may differ between tournaments. Or votes, a Dataset
        (vote) of `read_votes` with the coordinate ``tournament`` (vote,), such as a language.
    model : str
        As for `leaderbayes.fit`, but for "tournaments" and "score_tournaments", which take all of
        them in one posterior. Of "mean_score" each tournament is in a unit of its own: what is
        compared are ranks (`average_rank`), and what needs strengths in log-odds refuses.
    store : path
        Folder of the study, a Zarr store; it is made, or continued. One call at a time writes to
        it; a second one is refused.
    executor : concurrent.futures.Executor, "dask" or dask.distributed.Client, optional
        Where boards are fitted: in this process one after another by default, or in the
        processes of any executor. "dask" is the current client, or else a local cluster (install
        ``leaderbayes[distributed]``). Only this process writes, so that workers need no disk.
    sampler : str
        As for `leaderbayes.fit`; "laplace" takes milliseconds a tournament.
    draws : int, optional
        Draws kept per chain: 1000, of "laplace", which are independent, 250.
    replicates : int
        As for `leaderbayes.fit`, so that a study keeps to a reasonable size; what `check` looks at.
    seed : int, optional
        Same seed, versions and machine: same numbers, on any executor. None draws one; of a study
        that is continued it is the study's.
    progressbar : bool
        Show how many tournaments are done.
    **options
        As for `leaderbayes.fit`: ``tune``, ``chains``, ``ties``, ``weight``, ``likelihood`` and so
        on.

    Returns
    -------
    DataTree
        A child a tournament, in the order of the scores, named as it is (characters that a file
        name cannot have are written as in a URL). Each is what `leaderbayes.fit` returns, with
        the attribute ``tournament``; everything that takes a fit takes it. attrs: ``model``,
        ``arguments``, ``seed``; ``tournaments`` (JSON list) and ``failed`` (JSON, messages of
        those that could not be fitted in the last call). Values are read from the store when
        they are used. Of Bradley-Terry, unless a sampler of PyMC drew it, the store has no
        ``posterior_predictive`` and no ``log_likelihood``: they are made again, the same, when
        they are read.

    Raises
    ------
    LeaderbayesError
        If an argument is out of range; if the store is none, is damaged, is being written by
        another process, or has been made with other scores or arguments; if it cannot be written;
        if all tournaments fail, or a worker has died.

    Warns
    -----
    LeaderbayesWarning
        Once for each code, hints too, with the tournaments that it is said of; and LB030 for those
        that could not be fitted.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers").sel(tournament=["iris", "wine"])
    >>> study = lb.study.fit(
    ...     scores, store="study", sampler="laplace", seed=1, progressbar=False
    ... )
    >>> list(study.children)
    ['iris', 'wine']
    >>> lb.tied_for_top(study["iris"])[:2]
    ['logistic C=100', 'svm C=1']
    """
    if is_votes(scores) and "tournament" not in scores.coords:
        raise LeaderbayesError(
            "These votes are of one tournament: name the column that tells them apart when they "
            "are read, read_votes(..., tournament='language'), or take leaderbayes.fit."
        )
    several = is_votes(scores) or "tournament" in getattr(scores, "dims", ())
    if model in OF_SEVERAL or not several:
        raise LeaderbayesError(
            "leaderbayes.study.fit fits each of several tournaments by itself; for one board, or "
            "for model='tournaments' or 'score_tournaments', use leaderbayes.fit."
        )
    boards = _votes(scores) if is_votes(scores) else _boards(valid_scores(scores))
    if draws is None:
        draws = 250 if sampler == "laplace" else 1000
    if seed is not None:
        seed = _arguments.seed(seed)
    arguments = {
        "sampler": sampler,
        "draws": _arguments.whole("draws", draws),
        "replicates": _arguments.whole("replicates", replicates),
        **{name: signature(fit_board).parameters[name].default for name in _SHARED},
        **options,
    }
    path = _arguments.path("store", store)
    # What is no study is left as it is.
    if _store.root_attrs(path) is None:
        check_folder(path)
    failed = {}
    with (
        _store.writing_study(path) as writer,
        _workers(executor) as workers,
        progress(progressbar, "Tournaments") as advance,
    ):
        attrs = _attrs(path, model, arguments, seed, list(boards))
        pending = {n: board for n, board in boards.items() if not _is_done(path, n, board)}
        writer.root(attrs)
        advance(len(boards) - len(pending), len(boards))
        for name, result in _results(workers, pending, model, int(attrs["seed"]), arguments):
            if isinstance(result, str):
                failed[name] = result
            else:
                writer.tournament(name, result)
            advance(1, len(boards))
        writer.root(attrs | {"failed": json.dumps(failed)})
    study = _store.open(path)
    _warn(study, failed)
    if not study.children:
        raise LeaderbayesError(f"No tournament could be fitted: {next(iter(failed.values()))}")
    return study


def _boards(scores: xr.DataArray) -> dict[str, xr.DataArray]:
    """Give each tournament's scores, with the players and rounds that it has."""
    boards = {}
    for t, name in enumerate(scores["tournament"].to_numpy()):
        board = scores.isel(tournament=t, drop=True)
        boards[str(name)] = board.dropna("player", how="all").dropna("round", how="all")
    return boards


def _votes(votes: xr.Dataset) -> dict[str, xr.Dataset]:
    """Give each tournament's votes, with the players that it has, in order of appearance."""
    names = votes["tournament"].to_numpy()
    boards = {}
    for name in pd.unique(names):
        own = votes.isel(vote=np.flatnonzero(names == name)).drop_vars("tournament")
        seen, code = np.unique([own["first"], own["second"]], return_inverse=True)
        boards[str(name)] = own.isel(player=seen).assign(
            first=("vote", code[0].astype(np.int32)), second=("vote", code[1].astype(np.int32))
        )
    return boards


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
    # Where all have failed, it was the arguments perhaps, and others may be tried.
    if known and done:
        for name, value in asked.items():
            if known[name] != value:
                raise LeaderbayesError(
                    f"{path}: this study was made with {name} {known[name]}, not {value}; give "
                    "the same, or another store."
                )
    # Those that are no longer asked for stay.
    listed = names + [name for name in done if name not in names]
    return asked | {"tournaments": json.dumps(listed), "failed": "{}"}


def _is_done(path: Path, name: str, board: xr.DataArray | xr.Dataset) -> bool:
    """Say whether the store has this tournament; it must have been fitted to these scores."""
    group = path / _store.key_of(name)
    if not group.exists():
        return False
    if _store.attrs_of(group)["scores"] != _store.fingerprint(board):
        raise LeaderbayesError(
            f"{path}: tournament {name[:60]!r} was fitted to other scores; give another store, or "
            f"delete {group} to have it fitted again."
        )
    return True


def _results(
    workers: Executor | None,
    boards: Mapping[str, xr.DataArray | xr.Dataset],
    model: str,
    seed: int,
    arguments: dict[str, Any],
) -> Iterator[tuple[str, Files | str]]:
    """Give fits, or why there is none, as they are done."""
    if workers is None:
        for name, board in boards.items():
            yield name, _fit_one(name, board, model, seed, arguments)
        return
    waiting, running = iter(boards.items()), dict[Future[Any], str]()
    try:
        while True:
            for name, board in waiting:
                job = workers.submit(_fit_one, name, board, model, seed, arguments)
                running[job] = name
                if len(running) >= _AHEAD * _size(workers):
                    break
            if not running:
                return
            for job in wait(running, return_when=FIRST_COMPLETED).done:
                yield running.pop(job), job.result()
    except Exception as problem:
        # Dask has its own errors for workers and schedulers that are gone.
        of_dask = type(problem).__module__.startswith("distributed.")
        if not (isinstance(problem, BrokenExecutor) or of_dask):
            raise
        raise LeaderbayesError(
            "A worker has died, perhaps for want of memory; what was done is in the store. Call "
            "again, with fewer workers."
        ) from problem
    finally:
        for job in running:
            job.cancel()


def _fit_one(
    name: str, board: xr.DataArray | xr.Dataset, model: str, seed: int, arguments: dict[str, Any]
) -> Files | str:
    """Fit one tournament; its numbers depend on its name and not on its place in a queue.

    Encoded where it is fitted: this takes longer than a Laplace approximation.
    """
    words = np.frombuffer(sha256(name.encode()).digest(), dtype=np.uint32)
    own = int(np.random.SeedSequence([seed, *map(int, words)]).generate_state(1)[0])
    # Threads share what warnings are shown, and PyMC is not made for threads.
    with _ONE_AT_A_TIME, warnings.catch_warnings():
        # They are in the fit's attributes; what is said of it all is said once.
        warnings.simplefilter("ignore", LeaderbayesWarning)
        try:
            tree = fit_board(board, model, seed=own, progressbar=False, **arguments)
        except Exception as problem:  # whatever it is, the other tournaments are not to blame
            return f"{type(problem).__name__}: {problem}"
        tree.attrs |= {"tournament": name, "scores": _store.fingerprint(board)}
        return _store.encode(tree, without=left_out(tree))


def _size(workers: Executor) -> int:
    """Count what works at a time."""
    client = getattr(workers, "_client", None)
    if client is not None:
        return sum(client.nthreads().values())
    return int(getattr(workers, "_max_workers", None) or available())


@contextmanager
def _workers(executor: Any) -> Iterator[Executor | None]:
    """Make an executor of whatever stands for one."""
    if isinstance(executor, str) and executor == "dask":
        with extra("distributed", "executor='dask'"):
            from distributed import Client, get_client
        try:
            current = get_client()
        except ValueError:  # there is none
            with Client(dashboard_address=None) as client:
                yield client.get_executor()
        else:
            yield current.get_executor()
    elif hasattr(executor, "get_executor"):
        yield executor.get_executor()
    elif executor is None or hasattr(executor, "submit"):
        yield executor
    else:
        raise LeaderbayesError(
            f"executor={executor!r}: give an executor of concurrent.futures, a Dask client, 'dask' "
            "or None."
        )


def _warn(study: xr.DataTree, failed: dict[str, str]) -> None:
    """Say each warning once, with the tournaments that it is said of."""
    said: dict[str, dict[str, str]] = {}
    for child in study.children.values():
        for text in json.loads(child.attrs["warnings"]):
            said.setdefault(text[:5], {})[str(child.attrs["tournament"])] = text[6:]
    for code, texts in sorted(said.items()):
        some = ", ".join(name[:60] for name in list(texts)[:5]) + (
            ", ..." if len(texts) > 5 else ""
        )
        alike = set(texts.values())
        what = alike.pop() if len(alike) == 1 else "see the attribute 'warnings' of each."
        warnings.warn(
            f"{code} in {len(texts)} of {len(study.children)} tournaments, {some}: {what}",
            _CATEGORIES.get(code, LeaderbayesWarning),
            stacklevel=3,
        )
    for name, problem in failed.items():
        warnings.warn(
            f"LB030 tournament {name[:60]!r} could not be fitted: {problem}",
            LeaderbayesWarning,
            stacklevel=3,
        )
