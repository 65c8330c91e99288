"""Read a table of scores, long or wide, and refuse what cannot be compared."""

import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesWarning, ScoresError
from leaderbayes._files.read import MAX_MB
from leaderbayes._scores.cells import as_names, distinct
from leaderbayes._scores.metrics import is_metric, more_is_better
from leaderbayes._scores.not_a_board import refuse_what_is_neither
from leaderbayes._scores.roles import recognise, to_long
from leaderbayes._scores.spelling import alike
from leaderbayes._scores.suspects import METRIC, several_kinds, shares_among_percentages
from leaderbayes._scores.tables import Source, Table, counted, listed, read_table, shown
from leaderbayes._scores.vote_outcomes import is_votes
from leaderbayes._types import Bools, Floats, Longs

_MAX_CELLS = 200_000_000
# Warnings point to the first line outside of it.
_PACKAGE = str(Path(__file__).parents[1])


def read_scores(
    source: Source,
    *,
    player: str | None = None,
    round: str | None = None,
    score: str | None = None,
    tournament: str | None = None,
    cluster: str | None = None,
    repeat: str | None = None,
    higher_is_better: bool | None = None,
    scheme: str | None = None,
    max_mb: float = MAX_MB,
) -> xr.DataArray:
    """Read scores of players in rounds.

    A long table has a row for each score, with columns for player, round and score, and perhaps
    tournament. A wide table has a row for each round and a column for each player; where a name
    in its first column repeats, that name is a tournament (a data set) and its rows are the
    rounds (the folds). A wide table whose first column is recognised as the players has a row for
    each player and a column for each round. Columns are recognised by their usual names where
    they are not given. The attribute ``columns`` says what was taken for what. A column or row of a
    wide table that looks, by its name or its numbers, like a round, a summary (mean, rank) or
    something known of the rows (n_samples, year) is no player and is refused; in a long table a
    player may have any name.

    Rounds may be items, answered right or wrong (true and false, correct and incorrect, ... are 1
    and 0), in a column called item, question_id, doc_id and the like, or problem_id and task_id of
    answers. Then a column called cluster, passage, subject, repository and the like groups them,
    and one called epoch, seed, run and the like numbers repeated answers, which are averaged. So it
    is of rounds that you name (``round``), whatever they are called but folds, where each of them
    is in one of several clusters, or a player has several rows in a round.

    Names are in Unicode's normal form C; blanks around them, and what is not seen, do not count.
    A name that leaderbayes wrote with an apostrophe in front, so that no spreadsheet runs it, is
    the name again. Numbers are 64-bit floats: those of single precision are read by their own
    digits (0.1 is 0.1), and whole numbers above 2**53, which floats do not tell apart, are refused.

    Parameters
    ----------
    source : path, DataFrame or dict
        CSV (UTF-8, commas; also ``.gz``) or Parquet file, a pandas table (an index that holds
        names counts as columns), or scikit-learn's ``cv_results_`` (every ``splitN_test_*``; a
        player is a setting).
    player, round, score, tournament : str, optional
        Names of columns. For ``cv_results_`` ``score`` names the metric.
    cluster : str, optional
        Column of what rounds share, such as the passage that questions are about. Where clusters
        have rounds of the same names, these become "cluster.round".
    repeat : str, optional
        Column that numbers repeated runs of a player in a round, of which the mean is the score.
    higher_is_better : bool, optional
        Whether the higher of two scores wins. By default it does, and it is an error if the score
        has the name of a loss (``rmse``, ``log_loss``), or a round, a tournament, the columns or
        the file. Of ``cv_results_`` the higher wins, as scikit-learn's scorers have it, unless a
        loss has scores above 0.
    scheme : str, optional
        What plays which role in the Unified Benchmark Ontology, such as "Model/CV"; the columns'
        names by default.
    max_mb : float
        The most that a file may hold, unpacked, in megabytes: a small one may unpack to more than
        there is memory.

    Returns
    -------
    DataArray (player, round) or (tournament, player, round)
        Scores in the table's unit, NaN where missing; names are strings in order of appearance.
        A table that names its tournaments has the dimension tournament though there be only one,
        and ``scores.isel(tournament=0, drop=True)`` is without.
        attrs: ``higher_is_better`` (0 or 1), ``scheme``, ``columns``, ``source``; ``unused``, the
        other columns of a long table, where there are any; with repeats ``runs``, the mean number
        of runs of a player in a round, and ``answers``, 1 if all runs are 0 or 1. Coordinates,
        where there are such columns: ``cluster`` (round,); ``run_variance`` (player,), the variance
        between runs of the same player in the same round, NaN where none has two. The example
        boards, and the command line of one tournament, add its name, ``tournament``: reports
        print it.

    Raises
    ------
    ScoresError
        If the table cannot be read: names the file, and the row, player or column.

    Warns
    -----
    LeaderbayesWarning
        LB040, if a player has no score at all: no comparison has it; LB041, if names differ only
        in case, width or blanks; LB042, if of some metrics more is better and of others less;
        LB046, if a column says that scores are of several metrics or kinds of tasks, and nobody
        says which are better; LB051, if scores of a round look like shares of 1 among percentages.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> import pandas as pd
    >>> table = pd.DataFrame({"fold": [1, 2, 3], "tree": [0.8, 0.7, 0.7], "svm": [0.9, 0.8, 0.6]})
    >>> scores = lb.read_scores(table)
    >>> scores.dims, scores["player"].values.tolist()
    (('player', 'round'), ['tree', 'svm'])
    >>> path = lb.datasets.path("classifiers")
    >>> dict(lb.read_scores(path).sizes)
    {'tournament': 5, 'player': 15, 'round': 25}
    """
    table, searched = read_table(source, score, max_mb, decimals=True)
    roles = {
        "player": player, "round": round, "score": score, "tournament": tournament,
        "cluster": cluster, "repeat": repeat,
    }  # fmt: skip
    if not any(roles.values()):
        if is_votes(table.frame):
            table.refuse(
                "this is a table of votes, who beat whom, and not of scores: "
                "leaderbayes.read_votes reads it; if it does hold scores, name their columns "
                "(player=..., score=...)."
            )
        refuse_what_is_neither(table)
    return scores_of(table, roles, higher_is_better, scheme, searched=searched)


def scores_of(
    table: Table,
    roles: Mapping[str, str | None],
    higher_is_better: bool | None = None,
    scheme: str | None = None,
    *,
    searched: bool = False,
) -> xr.DataArray:
    """Make scores of a table that was read; arguments and result as of `read_scores`.

    Parameters
    ----------
    table : Table
        Of scores.
    roles : mapping
        Columns that the user names, by role; None of others.
    higher_is_better, scheme
        As of `read_scores`.
    searched : bool
        Whether it is of ``cv_results_``.
    """
    if searched:
        roles = {**roles, "player": "player", "round": "split", "score": "score"}
    long, columns = to_long(table, dict(roles))
    if searched:
        better = check_sign(table, table.metric, long["score"], higher_is_better)
    else:
        better = _check_names(table, long, columns, higher_is_better)
    scores = to_scores(table, long, higher_is_better=better, columns=columns)
    taken = set(columns.values())
    unused = [name for name in table.frame.columns if name not in taken]
    # Of a wide table all are taken.
    if unused and {columns["player"], columns["score"]} <= set(table.frame.columns):
        scores.attrs["unused"] = listed(unused)
    return scores if scheme is None else scores.assign_attrs(scheme=scheme)


def _check_names(
    table: Table, long: pd.DataFrame, columns: Mapping[str, str], higher_is_better: bool | None
) -> bool:
    """Tell whether more is better; refuse to guess so where a name in play may be a loss's."""
    score = table.metric or columns["score"]
    names = {score: more_is_better(score)}
    if names[score] is None:
        tidy = recognise(table, METRIC, columns.values())
        metrics = [] if tidy is None else list(as_names(table, tidy, missing="").unique())
        names |= {name: more_is_better(name) for name in metrics}
        labels = [Path(table.where).name, *_labels(long, columns)]
        names |= {name: more_is_better(name, score=False) for name in labels}
    losses = [name for name, better in names.items() if better is False]
    gains = [name for name, better in names.items() if better]
    kind = "is the name of a loss" if len(losses) == 1 else "are the names of losses"
    less = f"{listed(losses)} {kind}, of which less is better"
    if losses and higher_is_better is None:
        mixed = f" (but more of {listed(gains)}: turn the sign of these, or leave them out)"
        table.refuse(
            f"{less}{mixed if gains else ''}; say so (higher_is_better=False, --lower-is-better), "
            "or that more of it is (higher_is_better=True, --higher-is-better)."
        )
    if losses and gains:
        warn(
            f"LB042 {table.where}: {less}, but more of {listed(gains)}; one direction is wrong for "
            "some of these: take those of one, or turn the sign."
        )
    elif higher_is_better is None and (kinds := several_kinds(table, long, columns)):
        column, values = kinds
        warn(
            f"LB046 {table.where}: the column {shown(column)} has {len(values)} values "
            f"({listed(values)}), and higher scores are taken for better of all. Turn the sign of "
            "those of which less is better, take one kind, or say that it is so "
            "(higher_is_better=True, --higher-is-better)."
        )
    return True if higher_is_better is None else higher_is_better


def check_sign(table: Table, metric: str, scores: pd.Series, higher_is_better: bool | None) -> bool:
    """Tell whether more is better of scores whose source turns the sign of a loss.

    Parameters
    ----------
    table : Table
        Where the scores are from.
    metric : str
        Name of the metric.
    scores : Series (row,)
        Its scores.
    higher_is_better : bool, optional
        What the user says.

    Raises
    ------
    ScoresError
        If a loss has scores above 0, so that no sign was turned, and nobody says which are better.
    """
    if higher_is_better is not None:
        return higher_is_better
    if more_is_better(metric) is False and bool((scores > 0.0).any()):
        table.refuse(
            f"{shown(metric)} is the name of a loss, of which less is better, and its scores are "
            "above 0, so that nobody has turned their sign; say which are better "
            "(higher_is_better=False, or True; --lower-is-better, --higher-is-better)."
        )
    return True


def _labels(long: pd.DataFrame, columns: Mapping[str, str]) -> list[str]:
    """List rounds, tournaments, and a wide table's columns that are called as metrics."""
    named = [long[dim] for dim in ("tournament", "round") if dim in long]
    labels = [name for column in named for name in distinct(column)]
    if columns["player"] == "column":
        # The columns may be metrics, too; players have words of losses in their names by chance.
        players = distinct(long["player"])
        metrics = [name for name in players if is_metric(name)]
        all_losses = all(more_is_better(name, score=False) is False for name in players)
        labels += players if all_losses else metrics
    return labels


def to_scores(
    table: Table, long: pd.DataFrame, *, higher_is_better: Any, columns: Mapping[str, str]
) -> xr.DataArray:
    """Pivot a long table of names and numbers; every reader ends with this.

    Parameters
    ----------
    table : Table
        Where the scores are from, for messages.
    long : DataFrame
        Columns player, round, score and perhaps tournament (`as_names`, `as_numbers`), with the
        index of the table's rows.
    higher_is_better : bool
        Whether the higher of two scores wins.
    columns : mapping
        What was taken for the tournament, if there are any, the player, the round and the score.

    Returns
    -------
    DataArray (player, round) or (tournament, player, round)
        As `read_scores` returns it: names in order of appearance, missing cells NaN.

    Raises
    ------
    ScoresError
        If a cell has two scores, there is one player, or no score.

    Warns
    -----
    LeaderbayesWarning
        LB040, if a player has no score; LB041, if names differ only in case, width or blanks;
        LB051, if scores of a round look like shares of 1 among percentages.
    """
    if not isinstance(higher_is_better, bool | np.bool_ | int) or higher_is_better not in (0, 1):
        raise ScoresError(f"higher_is_better={higher_is_better!r}: give True or False.")
    dims = [d for d in ("tournament", "player", "round") if d in long]
    coded = {dim: _coded(long[dim]) for dim in dims}
    shape = tuple(len(names) for _, names in coded.values())
    if np.prod(shape, dtype=float) > _MAX_CELLS:
        sizes = ", ".join(counted(n, d) for d, n in zip(dims, shape, strict=True))
        table.refuse(f"{sizes} make a table that is nearly empty; are these the right columns?")
    cell = np.zeros(len(long), dtype=np.int64)
    for codes, known in coded.values():
        cell *= len(known)
        cell += codes
    repeated = _repeated(cell, shape, long)
    taken = ", ".join(f"{role}={name}" for role, name in columns.items())
    if repeated.any():
        again = long.iloc[int(np.argmax(repeated))]
        names = ", ".join(f"{d} {shown(again[d])}" for d in [*dims, "repeat"] if d in again)
        table.refuse(
            f"a second score for {names}; taken were {taken[:400]}: name other columns (round=..., "
            "tournament=...; --round, --tournament), or keep one score for each player and round.",
            again.name,
        )
    if shape[dims.index("player")] < 2:
        table.refuse(f"the only player is {shown(coded['player'][1][0])}; a comparison needs two.")
    values = np.full(np.prod(shape, dtype=int), np.nan)
    coords: dict[str, Any] = {
        dim: np.asarray(names, dtype=object) for dim, (_, names) in coded.items()
    }
    runs: dict[str, float] = {}
    if "repeat" in long:
        means, of_player, runs = _over_runs(cell, long["score"], coded["player"][0])
        values[means.index] = means.to_numpy()
        coords["run_variance"] = ("player", of_player)
    else:
        values[cell] = long["score"].to_numpy()
    if np.isnan(values).all():
        table.refuse("every score is missing.")
    if "cluster" in long:
        of_round = long.groupby(coded["round"][0])["cluster"]
        several = (of_round.nunique() > 1).to_numpy()
        if several.any():
            of = long.loc[coded["round"][0] == int(np.argmax(several))]
            table.refuse(
                f"round {shown(of['round'].iloc[0])} is of several clusters: "
                f"{listed(of['cluster'].unique())}; give rounds other names, or no cluster."
            )
        coords["cluster"] = ("round", of_round.first().to_numpy())
    scores = xr.DataArray(
        values.reshape(shape),
        dims=dims,
        coords=coords,
        name="score",
        attrs={
            "higher_is_better": int(higher_is_better),
            "scheme": "/".join(columns[dim] for dim in dims),
            "columns": taken,
            "source": table.where,
            **runs,
        },
    )
    _check_players_and_names(table, scores)
    _check_units(table, scores)
    return scores


def _coded(labels: pd.Series) -> tuple[Any, pd.Index]:
    """Code names (row,) in order of appearance, in which those of `as_categories` are already."""
    if len(labels) and isinstance(labels.dtype, pd.CategoricalDtype):
        codes, names = labels.cat.codes.to_numpy(), labels.cat.categories
        seen = codes[: int(np.argmax(codes == len(names) - 1)) + 1]  # until all names have been
        last = np.maximum.accumulate(seen)  # name so far
        one_by_one = last[0] == 0 and np.diff(last).max(initial=0) <= 1
        if one_by_one and last[-1] == len(names) - 1 and codes.min() == 0:
            return codes, names
    return pd.factorize(labels)


def _repeated(cell: Longs, shape: tuple[int, ...], long: pd.DataFrame) -> Bools:
    """Find rows (row,) whose cell, and run, an earlier one has."""
    if "repeat" in long:
        return (
            pd.DataFrame({"cell": cell, "run": long["repeat"].to_numpy()}).duplicated().to_numpy()
        )
    taken = np.zeros(shape, dtype=bool).ravel()
    taken[cell] = True
    if np.count_nonzero(taken) == len(cell):
        return np.zeros(len(cell), dtype=bool)
    return pd.Series(cell).duplicated().to_numpy()


def _over_runs(
    cell: Longs, score: pd.Series, player: Longs
) -> tuple[pd.Series, Floats, dict[str, float]]:
    """Average the runs of each cell: means by cell, variance between runs by player, runs a cell.

    The variance is of players whose cells have two runs or more, and NaN of others.
    """
    of = pd.Series(score.to_numpy(), index=cell).dropna()
    cells = of.groupby(level=0, sort=True)
    counts, variances = cells.count(), cells.var(ddof=1)
    whose = pd.Series(player, index=cell).groupby(level=0).first().loc[counts.index]
    # Weighted by degrees of freedom.
    free = (counts - 1).groupby(whose.to_numpy()).sum()
    squares = (variances.fillna(0.0) * (counts - 1)).groupby(whose.to_numpy()).sum()
    of_player = (squares / free.where(free > 0)).reindex(range(int(player.max()) + 1))
    answers = int(of.isin((0.0, 1.0)).all())
    runs = {"runs": float(counts.mean()), "answers": answers}
    return cells.mean(), np.asarray(of_player, float), runs


def _check_players_and_names(table: Table, scores: xr.DataArray) -> None:
    """Warn of players without any score, and of names that may be one, written in two ways."""
    played = scores.notnull().any([dim for dim in scores.dims if dim != "player"])
    absent = scores["player"].to_numpy()[~played.to_numpy()]
    if len(absent):
        verbs = ("has", "is") if len(absent) == 1 else ("have", "are")
        warn(
            f"LB040 {table.where}: {listed(absent)} {verbs[0]} no score and {verbs[1]} left out of "
            "every comparison; add the scores, or leave the player out."
        )
    for dim in scores.dims:
        warn_alike(table, str(dim), scores[dim].to_numpy())


def _check_units(table: Table, scores: xr.DataArray) -> None:
    """Warn of scores that are shares of 1 where the same round's others are percentages: LB051."""
    by_round = scores.transpose(..., "player")
    values = by_round.to_numpy().reshape(-1, by_round.sizes["player"])
    found = shares_among_percentages(values).reshape(by_round.shape)
    if not found.any():
        return
    first = by_round[tuple(np.argwhere(found)[0])]
    whose = ", ".join(f"{dim} {shown(first[dim].item())}" for dim in scores.dims)
    many = int(found.sum())
    warn(
        f"LB051 {table.where}: {first.item():.10g} ({whose}) may be a share of 1 where the round's "
        f"other scores are percentages{f', and so {many - 1} more' if many > 1 else ''}: it ranks "
        "far below them. Write all scores of a round in one unit."
    )


def warn_alike(table: Table, dim: str, names: Iterable[str]) -> None:
    """Warn of names that may be one, written in two ways: LB041."""
    groups = alike(names)
    if groups:
        pairs = "; ".join(listed(group) for group in groups[:4])
        warn(
            f"LB041 {table.where}: {dim}s are told apart by case, width or blanks only: "
            f"{pairs}{' and others' if len(groups) > 4 else ''}; if they are one, write them "
            "alike."
        )


def warn(text: str) -> None:
    """Warn whoever called the package."""
    warnings.warn(text, LeaderbayesWarning, skip_file_prefixes=(_PACKAGE,))


def what_was_read(scores: xr.DataArray) -> dict[str, Any]:
    """Count and name what was read: columns, direction, sizes, and missing scores.

    Parameters
    ----------
    scores : DataArray (player, round) or (tournament, player, round)
        As `read_scores` returns it.

    Returns
    -------
    dict
        ``columns``, ``higher_is_better``, ``sizes`` by dim, and ``missing``, scores missing in
        rounds that were played; ``unused``, other columns of a long table, if any; ready for JSON.
    """
    unused = {"unused": scores.attrs["unused"]} if "unused" in scores.attrs else {}
    return {
        "columns": scores.attrs["columns"],
        **unused,
        "higher_is_better": bool(scores.attrs["higher_is_better"]),
        "sizes": {str(dim): int(size) for dim, size in scores.sizes.items()},
        "missing": int((scores.isnull() & scores.notnull().any("player")).sum()),
    }


def describe(scores: xr.DataArray) -> str:
    """Say what was read, as `what_was_read` has it, in a line."""
    read = what_was_read(scores)
    better = "higher" if read["higher_is_better"] else "lower"
    sizes = " x ".join(counted(size, dim) for dim, size in read["sizes"].items())
    unused = f"; not used: {read['unused']}" if "unused" in read else ""
    return f"{read['columns']} ({better} is better), {sizes}, {read['missing']} missing{unused}"
