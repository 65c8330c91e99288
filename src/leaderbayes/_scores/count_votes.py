"""Count votes of Parquet files that need not fit into memory."""

import os
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import xarray as xr

from leaderbayes._arguments import positive
from leaderbayes._errors import LeaderbayesError, ScoresError
from leaderbayes._extras import extra
from leaderbayes._scores.tables import Table, counted, listed, shown
from leaderbayes._scores.vote_forms import OUTCOME, WON, Form, key, recognise_form
from leaderbayes._scores.vote_matches import CLUSTERINGS, names_of_clusterings
from leaderbayes._scores.votes import Options, roles_of, votes_of

_ENDINGS = (".parquet", ".pq")
_CELL = 250  # bytes of memory that a row of the result takes, once it is a Dataset
_FILE = 2**40  # more rows than a file has


def count_votes(
    source: str | os.PathLike[str],
    *,
    first: str | None = None,
    second: str | None = None,
    outcome: str | Sequence[str] | None = None,
    prompt: str | None = None,
    judge: str | None = None,
    weight: str | None = None,
    tournament: str | None = None,
    both_bad: str = "tie",
    cluster: str | Sequence[str] = "auto",
    memory_mb: float = 2000.0,
    progressbar: bool = True,
) -> xr.Dataset:
    """Count the votes of Parquet files, which need not fit into memory.

    Votes that agree in players, outcome, judge and prompt become one row, whose weight is how many
    there are. That is all that estimates and posteriors without covariates ask of votes, so what
    takes votes takes these, and says the same. DuckDB counts, and goes to disk where memory ends:
    ``pip install "leaderbayes[votes]"``.

    Parameters
    ----------
    source : path
        A Parquet file, or a folder of such files, and of folders of them, with the same columns.
    first, second, outcome, prompt, judge, weight, tournament, both_bad
        As for `read_votes`.
    cluster : "auto", "none", "judge", "prompt" or a list of the two
        What votes are told apart by beside players and outcome, and can be clustered by. "auto" is
        judges and prompts, where there are such columns. Where nearly every vote has a prompt of
        its own, votes counted by prompt are as many as they were: take "judge".
    memory_mb : float
        Megabytes that DuckDB may take, and about what the result may.
    progressbar : bool
        Show progress on standard error.

    Returns
    -------
    Dataset (vote)
        As `read_votes` returns it, a row for votes that are alike, in order of first appearance:
        ``weight`` (vote,) is how many there are, or the sum of their weights. There are no
        covariates and no times, and rows are in no order of votes: `elo` and `influence` of single
        votes refuse. attrs: as there, and ``counted`` (1); ``read_as`` says by what was counted.

    Raises
    ------
    ScoresError
        If a file cannot be read, or is no table of votes, as of `read_votes`; if so many votes
        differ that the counts would take more memory than they may.
    LeaderbayesError
        If ``cluster`` asks for what the files do not have.
    MissingExtraError
        Without DuckDB.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> import pandas as pd
    >>> table = pd.DataFrame({
    ...     "model_a": ["fox", "fox", "owl"],
    ...     "model_b": ["owl", "owl", "elk"],
    ...     "winner": ["model_a", "model_a", "tie"],
    ... })
    >>> table.to_parquet("part-1.parquet")
    >>> table.to_parquet("part-2.parquet")
    >>> votes = lb.count_votes(".", progressbar=False)
    >>> votes.sizes["vote"], votes["weight"].values.tolist()
    (2, [4.0, 2.0])
    """
    positive("memory_mb", memory_mb)
    where, files = _files(source)
    with extra("votes", f"{where}: counting votes out of core"):
        import duckdb

    with tempfile.TemporaryDirectory(prefix="leaderbayes-") as spill, _connection() as connection:
        try:
            connection.execute(f"SET memory_limit = '{memory_mb:.0f}MB'")
            connection.execute("SET temp_directory = $at", {"at": spill})
            connection.execute("SET preserve_insertion_order = false")
            held = connection.sql(
                "SELECT * FROM read_parquet($files) LIMIT 0", params={"files": files}
            )
            head = Table(where, pd.DataFrame(columns=list(held.columns)), str)
            form = recognise_form(head, first, second, outcome)
            roles = roles_of(
                head,
                form,
                Options(first, second, outcome, prompt, judge, None, weight, None, tournament),
            )
            roles.pop("time", None)
            told = _told_by(where, roles, cluster)
            columns = _columns(head, form, roles, told)
            _count(connection, files, columns, progressbar=progressbar)
            cells = int(connection.execute("SELECT count(*) FROM cells").fetchall()[0][0])
            _require_room(where, cells, memory_mb, told)
            frame = (
                connection.sql("SELECT * FROM cells ORDER BY leaderbayes_at")
                .to_arrow_table()
                .to_pandas(integer_object_nulls=True)
            )
        except duckdb.OutOfMemoryException as problem:
            raise ScoresError(
                f"{where}: memory_mb={memory_mb:g} is too little for DuckDB to count these files; "
                "allow for more."
            ) from problem
        except duckdb.Error as problem:
            said = str(problem).partition("\n")[0]
            raise ScoresError(f"{where}: DuckDB cannot count these files ({said}).") from problem
    at = frame.pop("leaderbayes_at").to_numpy()
    times = frame.pop("leaderbayes_n").to_numpy().astype(float)

    def row(k: int) -> str:
        file, number = divmod(int(at[k]), _FILE)
        return f"{files[file]}: row {number} (from 0)"

    given = {name: roles.get(name) for name in ("prompt", "judge", "weight", "tournament")}
    for name in CLUSTERINGS:
        given[name] = roles[name] if name in told else None
    votes = votes_of(
        Table(where, frame, row),
        Options(form.first, form.second, outcome, **given, both_bad=both_bad),
        times,
    )
    by = ", ".join(["players", "outcome", *told])
    said = f"{counted(times.sum(), 'vote')} of {counted(len(files), 'file')} counted by {by}"
    return votes.assign_attrs(read_as=f"{votes.attrs['read_as']}; {said}", counted=1)


def _files(source: object) -> tuple[str, list[str]]:
    """Give the name of a source for messages, and its Parquet files, by name.

    Raises
    ------
    ScoresError
        If there are none.
    """
    if not isinstance(source, str | os.PathLike):
        raise ScoresError(
            f"Votes are counted of Parquet files, not of a {type(source).__name__}: give a path, "
            "or take read_votes."
        )
    path = Path(source)
    where = shown(path)[1:-1]
    try:
        files = sorted(it for it in path.rglob("*") if it.suffix.lower() in _ENDINGS)
        files = [it for it in files if it.is_file()] if path.is_dir() else [path]
        there = path.exists()
    except (OSError, ValueError) as problem:
        raise ScoresError(f"{where}: cannot be read ({problem}).") from problem
    if not there:
        raise ScoresError(f"{where}: there is no such file or folder.")
    if not files:
        raise ScoresError(f"{where}: the folder holds no Parquet file (*.parquet, *.pq).")
    if path.is_file():
        with path.open("rb") as file:
            if file.read(4) != b"PAR1":
                raise ScoresError(f"{where}: this is no Parquet file; take read_votes.")
    return where, [str(it) for it in files]


@contextmanager
def _connection() -> Iterator[Any]:
    """Open a database in memory, and close it whatever happens."""
    import duckdb

    with duckdb.connect(":memory:") as connection:
        yield connection


def _told_by(where: str, roles: dict[str, str], cluster: str | Sequence[str]) -> list[str]:
    """Name what votes are counted by beside players and outcome."""
    have = [name for name in CLUSTERINGS if name in roles]
    told = names_of_clusterings(cluster, have)
    for name in told:
        if name not in have:
            raise LeaderbayesError(
                f"cluster={name!r}, and {where} has no column of {name}s that is known: name it, "
                f"{name}=..."
            )
    return told


def _columns(head: Table, form: Form, roles: dict[str, str], told: list[str]) -> list[str]:
    """List the columns that make votes differ."""
    names = [form.first, form.second, *form.outcome]
    if form.sides in WON:  # where ties may stand, which would be won
        names += [str(name) for name in head.frame.columns if key(name) in OUTCOME]
    names += [roles[name] for name in ("weight", "tournament", *told) if name in roles]
    return list(dict.fromkeys(names))


def _count(connection: Any, files: list[str], columns: list[str], *, progressbar: bool) -> None:
    """Make the table ``cells``: a row for votes that are alike, with their number and the first."""
    of = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
    query = (
        f"CREATE TEMP TABLE cells AS SELECT {of}, count(*) AS leaderbayes_n, "
        f"min(file_index::BIGINT * {_FILE} + file_row_number) AS leaderbayes_at "
        f"FROM read_parquet($files, file_row_number = true) GROUP BY {of}"
    )
    failed: list[BaseException] = []

    def work() -> None:
        try:
            connection.execute(query, {"files": files})
        except BaseException as problem:
            failed.append(problem)

    thread = threading.Thread(target=work, daemon=True)
    try:
        with _progress(progressbar) as say:
            thread.start()
            while thread.is_alive():
                thread.join(0.1)
                say(connection.query_progress())
            say(100.0)
    except BaseException:
        connection.interrupt()
        thread.join()
        raise
    if failed:
        raise failed[0]


@contextmanager
def _progress(shown: bool) -> Iterator[Any]:
    """Show a bar on standard error, of what percentage is done."""
    from rich.console import Console
    from rich.progress import Progress, TimeElapsedColumn

    columns = (*Progress.get_default_columns(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not shown) as bar:
        task = bar.add_task("Counting votes", total=100.0)
        yield lambda done: bar.update(task, completed=max(done, 0.0))


def _require_room(where: str, cells: int, memory_mb: float, told: list[str]) -> None:
    """Refuse counts that would take more memory than they may."""
    most = int(memory_mb * 1e6 / _CELL)
    if cells > most:
        less = "; count by fewer (cluster='judge', 'prompt' or 'none')" if told else ""
        raise ScoresError(
            f"{where}: counted by {listed(['players', 'outcome', *told])} there are {cells} "
            f"different votes, and memory_mb={memory_mb:g} is for {most}{less}, or allow for more."
        )
