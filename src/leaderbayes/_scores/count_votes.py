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
from leaderbayes._files.progress import progress
from leaderbayes._scores.tables import MISSING, Table, counted, listed, shown
from leaderbayes._scores.vote_counts import not_counted
from leaderbayes._scores.vote_forms import (
    OUTCOME,
    WON,
    Form,
    key,
    perhaps_weights,
    recognise_form,
)
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
        As for `read_votes`; of columns that may count votes, ``n_votes``, ``n_games`` and the like
        are taken, and others (``count``, ``weight``) where they are named.
    cluster : "auto", "none", "judge", "prompt" or a list of the two
        What votes are told apart by beside players and outcome, and can be clustered by. "auto" is
        judges and prompts, where there are such columns. Where votes counted so do not fit into
        memory, those whose prompt has no other vote are counted without it: they go together with
        no others by their prompts, so that what is estimated stays what it was. ``alone`` (vote,)
        is 1 in their rows.
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
            apart = roles["prompt"] if "prompt" in told and "weight" not in roles else None
            # Prompts of one vote make no votes alike: where memory ends, they are not told apart.
            many = apart is not None and _at_least(connection, files, apart) > _room(memory_mb)
            _count(connection, files, columns, apart if many else None, progressbar=progressbar)
            cells = _number_of_cells(connection)
            if apart is not None and not many and cells > _room(memory_mb):
                _count(connection, files, columns, apart, progressbar=progressbar)
                cells = _number_of_cells(connection)
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
    alone = None
    if "leaderbayes_alone" in frame:
        alone = frame.pop("leaderbayes_alone").to_numpy().astype(bool)
        prompts = frame[roles["prompt"]]
        # They have none that is written down; which one stands there is of no account.
        any_of = prompts[~alone].iloc[0] if (~alone).any() else "0"
        frame[roles["prompt"]] = prompts.where(~alone, any_of)

    def row(k: int) -> str:
        file, number = divmod(int(at[k]), _FILE)
        return f"{files[file]}: row {number} (from 0)"

    given = {name: roles.get(name) for name in ("prompt", "judge", "weight", "tournament")}
    for name in CLUSTERINGS:
        given[name] = roles[name] if name in told else None
    votes = votes_of(
        Table(where, frame, row),
        Options(first, second, outcome, **given, both_bad=both_bad),
        times,
        alone,
    )
    by = ", ".join(["players", "outcome", *told])
    said = f"{counted(times.sum(), 'vote')} of {counted(len(files), 'file')} counted by {by}"
    if "weight" not in roles and weight is None:
        perhaps = perhaps_weights(head, [form.first, form.second, *form.outcome, *roles.values()])
        said += "".join(f"; {not_counted(name)}" for name in perhaps)
    if alone is not None:
        said += f", {counted(times[alone].sum(), 'prompt')} of one vote each by none of their own"
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
        raise ScoresError(
            f"{where}: the folder holds no Parquet file (*.parquet, *.pq) of votes; results that "
            "another program wrote into a folder are read by leaderbayes.adapters (--format "
            "lm-eval and others)."
        )
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
    # In the table's order, which tells outcomes of a place.
    return [name for name in head.frame.columns if name in set(names)]


def _count(
    connection: Any,
    files: list[str],
    columns: list[str],
    prompt: str | None = None,
    *,
    progressbar: bool,
) -> None:
    """Make the table ``cells``: a row for votes that are alike, with their number and the first.

    With ``prompt``, prompts of one vote are not told apart: ``leaderbayes_alone`` marks their rows.
    """
    of = ", ".join(_quoted(name) for name in columns)
    counted = (
        f"count(*) AS leaderbayes_n, "
        f"min(file_index::BIGINT * {_FILE} + file_row_number) AS leaderbayes_at "
    )
    source = "read_parquet($files, file_row_number = true)"
    query = (
        f"CREATE OR REPLACE TEMP TABLE cells AS SELECT {of}, {counted} FROM {source} GROUP BY ALL"
    )
    before = ""
    if prompt is not None:
        name = _quoted(prompt)
        missing = ", ".join(f"'{word}'" for word in sorted(MISSING))
        before = (
            f"CREATE OR REPLACE TEMP TABLE several AS SELECT {name} AS leaderbayes_prompt "
            f"FROM read_parquet($files) GROUP BY {name} HAVING count(*) > 1 OR {name} IS NULL "
            f"OR lower(trim({name}::VARCHAR)) IN ({missing})"
        )
        own = ", ".join(f"v.{_quoted(it)}" for it in columns if it != prompt)
        query = (
            f"CREATE OR REPLACE TEMP TABLE cells AS SELECT {own}, "
            f"CASE WHEN s.leaderbayes_there THEN v.{name} END AS {name}, "
            f"s.leaderbayes_there IS NULL AS leaderbayes_alone, {counted} FROM {source} v "
            "LEFT JOIN (SELECT *, true AS leaderbayes_there FROM several) s "
            f"ON v.{name} IS NOT DISTINCT FROM s.leaderbayes_prompt GROUP BY ALL"
        )
    failed: list[BaseException] = []

    def work() -> None:
        try:
            if before:
                connection.execute("DROP TABLE IF EXISTS cells")
                connection.execute(before, {"files": files})
            connection.execute(query, {"files": files})
        except BaseException as problem:
            failed.append(problem)

    thread = threading.Thread(target=work, daemon=True)
    try:
        with progress(progressbar, "Counting votes") as advance:
            thread.start()
            done = 0
            while thread.is_alive():
                thread.join(0.1)
                percent = max(int(connection.query_progress()), done)
                advance(percent - done, 100)
                done = percent
            advance(100 - done, 100)
    except BaseException:
        connection.interrupt()
        thread.join()
        raise
    if failed:
        raise failed[0]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _number_of_cells(connection: Any) -> int:
    return int(connection.execute("SELECT count(*) FROM cells").fetchall()[0][0])


def _at_least(connection: Any, files: list[str], column: str) -> float:
    """Give a number of different values that there surely are."""
    query = f"SELECT approx_count_distinct({_quoted(column)}) FROM read_parquet($files)"
    return 0.8 * float(connection.execute(query, {"files": files}).fetchall()[0][0])


def _room(memory_mb: float) -> int:
    """Give how many rows of votes there is room for."""
    return int(memory_mb * 1e6 / _CELL)


def _require_room(where: str, cells: int, memory_mb: float, told: list[str]) -> None:
    """Refuse counts that would take more memory than they may."""
    most = _room(memory_mb)
    if cells > most:
        less = "; count by fewer (cluster='judge', 'prompt' or 'none')" if told else ""
        raise ScoresError(
            f"{where}: counted by {listed(['players', 'outcome', *told])} there are {cells} "
            f"different votes, and memory_mb={memory_mb:g} is for {most}{less}, or allow for more."
        )
