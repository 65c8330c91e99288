"""Read a table of scores, long or wide, and refuse what cannot be compared."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import ScoresError
from leaderbayes._tables import (
    Source,
    Table,
    is_unicode,
    listed,
    read_table,
    shown,
    suggest,
    text_of,
)

# Names that a column goes by, most telling first.
_PLAYER = (
    "player model algorithm classifier regressor estimator method learner framework team system"
)
_FOLD = "round fold split repeat resample iteration iter seed run"
_DATA = "tournament dataset data_set task problem benchmark db did"
_SCORE = (
    "score test_score accuracy acc auc roc_auc balanced_accuracy f1 rmse mae loss error value "
    "result"
)
_MISSING = {"", "na", "nan", "n/a", "null", "none", "?", "-"}
_MAX_CELLS = 200_000_000
_EXACT = 2**53  # whole numbers above this are not told apart as floats


def read_scores(
    source: Source,
    *,
    player: str | None = None,
    round: str | None = None,
    score: str | None = None,
    tournament: str | None = None,
    higher_is_better: bool = True,
    scheme: str | None = None,
) -> xr.DataArray:
    """Read scores of players in rounds.

    A long table has a row for each score, with columns for player, round and score, and perhaps
    tournament. A wide table has a row for each round and a column for each player; where a name
    in its first column repeats, that name is a tournament (a data set) and its rows are the
    rounds (the folds). A wide table whose first column is recognised as the players has a row for
    each player and a column for each round. Columns are recognised by their usual names where
    they are not given; blanks around names do not count.

    Parameters
    ----------
    source : path, DataFrame or dict
        CSV (UTF-8, commas; also ``.gz``) or Parquet file, a pandas table (an index that holds
        names counts as columns), or scikit-learn's ``cv_results_`` (every ``splitN_test_*``; a
        player is a setting).
    player, round, score, tournament : str, optional
        Names of columns. For ``cv_results_`` ``score`` names the metric.
    higher_is_better : bool
        Whether the higher of two scores wins.
    scheme : str, optional
        What plays which role in the Unified Benchmark Ontology, such as "Model/CV"; the columns'
        names by default.

    Returns
    -------
    DataArray (player, round) or (tournament, player, round)
        Scores in the table's unit, NaN where missing; names are strings in order of appearance.
        attrs: ``higher_is_better`` (0 or 1), ``scheme``, ``source``.

    Raises
    ------
    ScoresError
        If the table cannot be read: names the file, and the row, player or column.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> import pandas as pd
    >>> table = pd.DataFrame({"fold": [1, 2, 3], "tree": [0.8, 0.7, 0.7], "svm": [0.9, 0.8, 0.6]})
    >>> scores = lb.read_scores(table)
    >>> scores.dims, scores["player"].values.tolist()
    (('player', 'round'), ['tree', 'svm'])
    >>> path = lb.datasets.example_path("classifiers")
    >>> dict(lb.read_scores(path).sizes)
    {'tournament': 5, 'player': 15, 'round': 25}
    """
    table, searched = read_table(source, score)
    if searched:
        player, round, score = "player", "round", "score"
    asked = {"player": player, "round": round, "score": score, "tournament": tournament}
    _check_asked(table, asked)
    frame = table.frame
    if frame.empty:
        table.refuse("the table has a header and no row of scores.")
    given = [name for name in asked.values() if name is not None]
    player = player or recognise(table, _PLAYER, given)
    score = score or recognise(table, _SCORE, given)
    if player is not None and score is None:
        score = _only_number(table, player, round, tournament)
    if player is not None and score is not None:
        long, names = _long(table, player, round, score, tournament)
    elif player is not None and not asked["player"] and round is None and tournament is None:
        long, names = _row_a_player(table, player)
    elif asked["player"] or asked["score"]:
        role, known = ("score", "player") if player else ("player", "score")
        table.refuse(
            f"the {known} column is given, but no column is known for the {role}; name it "
            f"too. The columns are {listed(frame.columns)}."
        )
    else:
        long, names = _wide(table, round, tournament)
    return to_scores(table, long, higher_is_better=higher_is_better, scheme=scheme or names)


# -- columns ---------------------------------------------------------------------------------------


def _check_asked(table: Table, asked: dict[str, str | None]) -> None:
    """Columns that the user named exist, one for each role."""
    taken: dict[str, str] = {}
    for role, name in asked.items():
        if name is None:
            continue
        if name not in table.frame.columns:
            table.refuse(
                f"no column {shown(name)} for the {role}; {suggest(str(name), table.frame.columns)}"
            )
        if name in taken:
            table.refuse(f"column {shown(name)} is given as {taken[name]} and as {role}.")
        taken[name] = role


def _plain(name: str) -> str:
    return name.strip().lower().replace(" ", "_").replace("-", "_")


def recognise(table: Table, names: str, taken: Iterable[str | None]) -> str | None:
    """First column that goes by one of these names and is not taken."""
    free = [c for c in table.frame.columns if c not in set(taken)]
    for name in names.split():
        found = [c for c in free if _plain(c) == name]
        if name in found:
            return name
        if len(found) > 1:
            table.refuse(f"columns {listed(found)} both look like the {name}; name one, or rename.")
        if found:
            return found[0]
    return None


def _only_number(
    table: Table, player: str, round: str | None, tournament: str | None
) -> str | None:
    """Score of a long table under a name of its own: the one column that no role claims."""
    fold = round or recognise(table, _FOLD, [player, tournament])
    data = tournament or recognise(table, _DATA, [player, fold])
    if fold is None and data is None:
        return None
    rest = [c for c in table.frame.columns if c not in (player, fold, data)]
    rest = [c for c in rest if _plain(c) not in (_FOLD + " " + _DATA).split()]
    if len(rest) != 1:
        table.refuse(f"which column is the score? Name one (score=..., --score): {listed(rest)}.")
    return str(rest[0])


def _fold(table: Table, taken: Iterable[str | None]) -> tuple[str | None, pd.Series | None]:
    """Name and values of the round; repeat and fold together are one."""
    taken = list(taken)
    fold = recognise(table, _FOLD, taken)
    if fold is None:
        return None, None
    repeat = recognise(table, "repeat repetition", [*taken, fold])
    values = as_names(table, fold)
    if repeat is not None and _plain(fold) in ("fold", "split"):
        return f"{repeat}.{fold}", as_names(table, repeat) + "." + values
    return fold, values


def _long(
    table: Table, player: str, round: str | None, score: str, tournament: str | None
) -> tuple[pd.DataFrame, str]:
    taken = [player, score, tournament]
    fold, rounds = _fold(table, taken) if round is None else (round, as_names(table, round))
    data = tournament or recognise(table, _DATA, [*taken, fold])
    if fold is None and data is not None and data != tournament:
        # Models by tasks: the data sets are the rounds.
        fold, rounds, data = data, as_names(table, data), None
    if fold is None:
        table.refuse(
            "no column is known for the round; name it (round=..., --round). The columns "
            f"are {listed(table.frame.columns)}."
        )
    long = pd.DataFrame(
        {"player": as_names(table, player), "round": rounds, "score": as_numbers(table, score)}
    )
    if data is not None:
        long.insert(0, "tournament", as_names(table, data))
    return long, "/".join([*([data] if data else []), player, fold])


def _row_a_player(table: Table, player: str) -> tuple[pd.DataFrame, str]:
    """Wide table with a row for each player and a column for each round."""
    names = as_names(table, player)
    if "" in table.frame.columns:
        table.refuse("a column of scores has no name; name its round.")
    blocks = [
        pd.DataFrame({"player": names, "round": c, "score": as_numbers(table, c)})
        for c in table.frame.columns
        if c != player
    ]
    return pd.concat(blocks), f"{player}/column"


def _wide(table: Table, round: str | None, tournament: str | None) -> tuple[pd.DataFrame, str]:
    frame = table.frame
    fold, rounds = _fold(table, [tournament]) if round is None else (round, as_names(table, round))
    data = tournament or recognise(table, _DATA, [fold])
    first = str(frame.columns[0])
    if fold is None and data is None and _is_label(frame[first], first):
        data = first
    roles = {fold, data, *(fold or "").split(".")}
    players = [str(c) for c in frame.columns if c not in roles]
    for name in players:
        if not name:
            table.refuse("a column of scores has no name; name its player.")
        if _plain(name) in (_FOLD + " " + _DATA).split():
            table.refuse(
                f"column {shown(name)} looks like a round or a tournament, not like a player; say "
                "which columns are (round=..., tournament=...), or drop it."
            )
    if not players:
        table.refuse("no column is left for the players.")
    tournaments = None if data is None else as_names(table, data)
    if rounds is None and tournaments is not None:
        # A name that repeats is a data set, and its rows are folds; else each row is a round.
        repeats = tournaments.groupby(tournaments).cumcount().astype(str)
        split = bool(tournaments.duplicated().any())
        rounds, tournaments = (repeats, tournaments) if split else (tournaments, None)
    elif rounds is None:
        rounds = pd.Series([str(i) for i in range(len(frame))], index=frame.index)
    blocks = []
    for name in players:
        block = pd.DataFrame({"player": name, "round": rounds, "score": as_numbers(table, name)})
        if tournaments is not None:
            block.insert(0, "tournament", tournaments)
        blocks.append(block)
    rows = fold or ("row" if tournaments is not None or data is None else data)
    return pd.concat(blocks), "/".join(
        [*([data or ""] if tournaments is not None else []), "column", rows]
    )


def _is_label(column: pd.Series, name: str) -> bool:
    """Whether a first column names its rows: most of it is text, or nothing names the column."""
    if not name or name.startswith("Unnamed: "):
        return True
    text = pd.Series([text_of(cell).strip() for cell in column.dropna()], dtype=object)
    text = text[[cell.lower() not in _MISSING for cell in text]]
    numbers = pd.to_numeric(text, errors="coerce").notna()
    return len(text) > 0 and float(numbers.mean()) <= 0.5


# -- cells -----------------------------------------------------------------------------------------


def as_names(table: Table, label: str, *, missing: str | None = None) -> pd.Series:
    """Names as text without the blanks around them; a missing one is an error, or this text."""
    column = table.frame[label]
    try:
        values, names = pd.factorize(column)
    except TypeError:  # a list, or another container
        values, names = pd.factorize(column.map(type))
    text = np.array([text_of(n).strip() for n in names] + [""], dtype=object)
    for k, name in enumerate(text[:-1]):
        if isinstance(names[k], bytes | type) or not is_unicode(name):
            row = int(np.argmax(values == k))
            held = shown(column.iloc[row])
            table.refuse(
                f"column {shown(label)} holds {held}, which is not text.", column.index[row]
            )
    result = pd.Series(text[values], index=column.index, dtype=object)
    empty = (result == "").to_numpy()
    if empty.any() and missing is None:
        table.refuse(
            f"column {shown(label)} is empty; every row needs a name there.",
            column.index[int(np.argmax(empty))],
        )
    return result.mask(empty, missing) if missing else result


def as_numbers(table: Table, label: str) -> pd.Series:
    """Scores as floats; missing ones are NaN; text, dates and infinity are errors."""
    column = table.frame[label]
    kind = column.dtype.kind if isinstance(column.dtype, np.dtype) else "O"
    if kind in "iu" and len(column) and max(abs(int(column.min())), int(column.max())) > _EXACT:
        table.refuse(f"column {shown(label)} holds whole numbers above 2**53; scale them down.")
    if kind in "iufb":
        numbers = column.astype(float)
    else:
        cells = column
        if not isinstance(column.dtype, pd.StringDtype):
            cells = pd.Series(
                [
                    None if missing else _cell(value)
                    for value, missing in zip(column, column.isna(), strict=True)
                ],
                index=column.index,
                dtype=object,
            )
        numbers = pd.to_numeric(cells, errors="coerce").astype(float)
        unread = numbers.isna() & cells.notna()
        if unread.any():
            text = cells[unread]
            wrong = text[[cell.strip().lower() not in _MISSING for cell in text]]
            if len(wrong):
                hint = " (a decimal comma? use a point)" if "," in wrong.iloc[0] else ""
                table.refuse(
                    f"column {shown(label)} holds {shown(wrong.iloc[0])}, which is not a "
                    f"number{hint}; leave a missing score empty.",
                    wrong.index[0],
                )
    infinite = np.isinf(numbers.to_numpy())
    if infinite.any():
        table.refuse(
            f"column {shown(label)} is infinite; leave a missing score empty.",
            numbers.index[int(np.argmax(infinite))],
        )
    return numbers


def _cell(value: Any) -> str:
    """Text of an object's cell; True and False are 1 and 0, dates stay what they are."""
    return str(int(value)) if isinstance(value, bool | np.bool_) else text_of(value)


# -- array -----------------------------------------------------------------------------------------


def to_scores(
    table: Table, long: pd.DataFrame, *, higher_is_better: bool, scheme: str
) -> xr.DataArray:
    """Pivot a long table of names and numbers, as every reader does in the end.

    Parameters
    ----------
    table : Table
        Where the scores are from, for messages.
    long : DataFrame
        Columns player, round, score and perhaps tournament (`as_names`, `as_numbers`), with the
        index of the table's rows.
    higher_is_better : bool
        Whether the higher of two scores wins.
    scheme : str
        What plays which role.

    Returns
    -------
    DataArray (player, round) or (tournament, player, round)
        As `read_scores` returns it: names in order of appearance, missing cells NaN.

    Raises
    ------
    ScoresError
        If a cell has two scores, there is one player, or no score.
    """
    if not isinstance(higher_is_better, bool | np.bool_ | int) or higher_is_better not in (0, 1):
        raise ScoresError(f"higher_is_better={higher_is_better!r}: give True or False.")
    dims = [d for d in ("tournament", "player", "round") if d in long]
    coded = {dim: pd.factorize(long[dim]) for dim in dims}
    shape = tuple(len(names) for _, names in coded.values())
    if np.prod(shape, dtype=float) > _MAX_CELLS:
        sizes = ", ".join(f"{n} {d}s" for d, n in zip(dims, shape, strict=True))
        table.refuse(f"{sizes} make a table that is nearly empty; are these the right columns?")
    cell = np.ravel_multi_index([codes for codes, _ in coded.values()], shape)
    repeated = pd.Series(cell).duplicated().to_numpy()
    if repeated.any():
        again = long.iloc[int(np.argmax(repeated))]
        names = ", ".join(f"{d} {shown(again[d])}" for d in dims)
        table.refuse(
            f"a second score for {names}; keep one score for each player and round, or name the "
            "tournament's column.",
            again.name,
        )
    if shape[dims.index("player")] < 2:
        table.refuse(f"the only player is {shown(coded['player'][1][0])}; a comparison needs two.")
    values = np.full(np.prod(shape, dtype=int), np.nan)
    values[cell] = long["score"].to_numpy()
    if np.isnan(values).all():
        table.refuse("every score is missing.")
    coords = {dim: np.asarray(names, dtype=object) for dim, (_, names) in coded.items()}
    return xr.DataArray(
        values.reshape(shape),
        dims=dims,
        coords=coords,
        name="score",
        attrs={
            "higher_is_better": int(higher_is_better),
            "scheme": scheme,
            "source": table.where,
        },
    )
