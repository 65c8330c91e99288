"""Which columns of a table hold players, rounds, scores and tournaments: named, or recognised."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

import pandas as pd

from leaderbayes._scores import names
from leaderbayes._scores.belongs import counts, refuse_names, refuse_rows
from leaderbayes._scores.cells import as_names, as_numbers
from leaderbayes._scores.metrics import plain, words
from leaderbayes._scores.tables import (
    ANSWERS,
    MISSING,
    Table,
    bare_number,
    listed,
    shown,
    suggest,
    text_of,
)

KAGGLE = ("teamid", "teamname", "score")  # columns of its leaderboards, in lower case
Roles = dict[str, str | None]  # columns by role, as the user gives them
Long = tuple[pd.DataFrame, dict[str, str]]  # names and numbers, and what was taken for each role
_ONE_SCORE = (
    " With one score a player nothing says who beats whom: give the scores of several rounds, or "
    "ask how good the best is (sota.read_board(table, n=...), leaderbayes sota FILE --n NUMBER)."
)


def to_long(table: Table, given: Roles) -> Long:
    """Turn a table of any shape into a long one of names and numbers; name the columns taken."""
    _check_given(table, given)
    if table.frame.empty:
        table.refuse("the table has a header and no row of scores.")
    if is_kaggle(table) and not any(given.values()):
        table.refuse("this is a leaderboard of Kaggle (TeamId, TeamName, Score)." + _ONE_SCORE)
    taken = [name for name in given.values() if name is not None]
    player = given["player"] or recognise(table, names.PLAYER, taken, otherwise=True)
    score = given["score"] or (_score(table, player, given) if player is not None else None)
    if player is not None and score is not None:
        return _long(table, player, score, given)
    others = any(given[role] for role in ("round", "tournament", "cluster", "repeat"))
    if player is not None and not others and (not given["player"] or _is_wide(table, player)):
        return _row_a_player(table, player)
    if given["player"] or given["score"]:
        table.refuse(
            f"no column is known for the {'score' if player else 'player'}; name it too. The "
            f"columns are {listed(table.frame.columns)}."
        )
    return _wide(table, given)


def is_kaggle(table: Table) -> bool:
    """Whether it has the columns TeamId, TeamName and Score, in any case."""
    return set(KAGGLE) <= {column.lower() for column in table.frame.columns}


def recognise(
    table: Table,
    known: str,
    taken: Iterable[str | None],
    match: Callable[[str, str], bool] = lambda column, name: plain(column) == name,
    *,
    otherwise: bool = False,
) -> str | None:
    """Find the first free column that goes by one of these names, if need be otherwise written."""
    free = [c for c in table.frame.columns if c not in set(taken)]
    for name in known.split():
        found = [c for c in free if match(c, name)]
        if name in found:
            return name
        if len(found) > 1:
            table.refuse(f"columns {listed(found)} both look like the {name}; name one, or rename.")
        if found:
            return found[0]
    return recognise(table, known, taken, names.goes_by) if otherwise else None


def _check_given(table: Table, given: Roles) -> None:
    """Refuse columns that the user named and that do not exist, or that are given two roles."""
    taken: dict[str, str] = {}
    for role, name in given.items():
        if name is not None and not isinstance(name, Hashable):
            table.refuse(f"{role}={shown(name)}: give the name of a column.")
        if name is not None and name not in table.frame.columns:
            wide = " A wide table, with a column for each player, needs no player's column."
            known = suggest(str(name), table.frame.columns)
            table.refuse(
                f"no column {shown(name)} for the {role}; {known}{wide if role == 'player' else ''}"
            )
        if name in taken:
            table.refuse(f"column {shown(name)} is given as {taken[name]} and as {role}.")
        taken |= {name: role} if name is not None else {}


def _score(table: Table, player: str, given: Roles) -> str | None:
    """Find the scores of a long table; None where nothing makes it a long one."""
    exact = recognise(table, "score", given.values())
    items = _items(table, given, [player, given["tournament"]])
    fold = items["round"] or recognise(
        table, names.ROUND, [player, given["tournament"]], names.is_round
    )
    taken = [player, fold, items["cluster"], items["repeat"]]
    data = given["tournament"] or recognise(table, names.DATA, taken, otherwise=True)
    if exact is not None:
        return exact
    answer = items["round"] and recognise(table, names.ANSWER, [*taken, data])
    if answer:
        return answer
    if fold is None and data is None:
        return recognise(table, names.SCORE, [player])
    rest = [c for c in table.frame.columns if c not in (*taken, data)]
    metrics = [c for c in rest if names.is_score(c)]
    rest = [c for c in rest if not (names.is_round(c) or names.is_data(c) or names.is_index(c))]
    found = metrics or rest
    if len(found) != 1:
        table.refuse(
            f"which column is the score? Name one (score=..., --score NAME): {listed(found)}."
        )
    return str(found[0])


def _items(table: Table, given: Roles, taken: Sequence[str | None]) -> Roles:
    """Find the columns of items, of their clusters, and of repeated runs; None of what is absent.

    Beside rounds that are not called as items are, only those that the user names.
    """
    found: Roles = {role: given[role] for role in ("round", "cluster", "repeat")}
    answers = [c for c in table.frame.columns if plain(c) in names.ANSWER.split()]
    answered = any(_are_answers(table.frame[c], bare=True) for c in answers)
    known = f"{names.ITEM} {names.ANSWERED}" if answered else names.ITEM
    if any(names.is_round(c, "fold") for c in table.frame.columns):  # a fold is no item
        return found
    for role, words_of in (("round", known), ("cluster", names.CLUSTER), ("repeat", names.REPEAT)):
        if found["round"] is not None and plain(found["round"]) not in known.split():
            break
        if found[role] is None and (role == "round" or found["round"] is not None):
            column = recognise(table, words_of, [*taken, *found.values()])
            found[role] = column if column is not None and _names_things(table, column) else None
    return found


def _names_things(table: Table, column: str) -> bool:
    """Whether a column holds text or whole numbers, and so may be names."""
    cells = table.frame[column]
    if not all(isinstance(cell, Hashable) for cell in cells):
        return False
    numbers = pd.to_numeric(cells.astype(str), errors="coerce").dropna()
    return bool((numbers == numbers.round()).all())


def _are_answers(column: pd.Series, *, bare: bool = False) -> bool:
    """Whether a column holds right and wrong answers alone: in words, some perhaps as 1 and 0."""
    try:
        distinct = column.dropna().unique()
    except TypeError:  # lists, or other containers
        return False
    cells = {text_of(cell).strip().lower() for cell in distinct}
    numbers = {"0", "1", "0.0", "1.0"}
    words_of = {*ANSWERS, *numbers} if bare else {*ANSWERS}
    return not (cells - {*ANSWERS, *MISSING, *numbers}) and bool(cells & words_of)


def _is_text(column: pd.Series) -> bool:
    """Whether most of a column is text."""
    if pd.api.types.is_numeric_dtype(column) and not pd.api.types.is_bool_dtype(column):
        return False
    text = [text_of(cell).strip() for cell in column.dropna()]
    bare = [bare_number(cell) for cell in text if cell.lower() not in MISSING]
    numbers = pd.to_numeric(pd.Series(bare, dtype=object), errors="coerce").notna()
    return len(bare) > 0 and float(numbers.mean()) <= 0.5


def _is_wide(table: Table, player: str) -> bool:
    """Whether there are several columns beside the players', and all may be scores."""
    rest = [c for c in table.frame.columns if c != player]
    return len(rest) > 1 and not any(
        names.is_round(c) or names.is_data(c) or _is_text(table.frame[c]) for c in rest
    )


def _without_row_numbers(frame: pd.DataFrame, columns: list[str]) -> list[str]:
    """Leave out the index that a table was saved with; the rows have better names."""
    return [c for c in columns if not (names.is_index(c) and counts(frame[c]))]


def _rounds(
    table: Table, given: Roles, taken: Sequence[str | None]
) -> tuple[str | None, dict[str, pd.Series], Roles]:
    """Find rounds: what they are called, their names beside those of clusters and runs, columns."""
    columns = _items(table, given, taken)
    if columns["round"] is None:
        columns["round"], columns["repeat of a fold"] = _fold(table, [*taken, *columns.values()])
    read = {role: as_names(table, name) for role, name in columns.items() if name is not None}
    label = columns["round"]
    if (repeat := read.pop("repeat of a fold", None)) is not None:
        label = f"{columns['repeat of a fold']}.{label}"
        read["round"] = repeat + "." + read["round"]
    if label is not None and "cluster" in read:
        # Each may have its question 1: then the cluster's name makes them different.
        if (read["cluster"].groupby(read["round"]).nunique() > 1).any():
            label = f"{columns['cluster']}.{label}"
            read["round"] = read["cluster"] + "." + read["round"]
    return label, read, columns


def _fold(table: Table, taken: Sequence[str | None]) -> tuple[str | None, str | None]:
    """Find the column of the rounds, and that of repeats which make one with it."""
    fold = recognise(table, names.ROUND, taken, names.is_round)
    if fold is None or not (names.is_round(fold, "fold") or names.is_round(fold, "split")):
        return fold, None
    return fold, recognise(table, "repeat repetition", [*taken, fold], names.is_round)


def _beside(columns: Roles) -> dict[str, str]:
    """Name what was taken for clusters of items and for repeated runs."""
    return {role: name for role in ("cluster", "repeat") if (name := columns[role]) is not None}


def _long(table: Table, player: str, score: str, given: Roles) -> Long:
    taken = [player, score, given["tournament"]]
    fold, read, columns = _rounds(table, given, taken)
    data = given["tournament"]
    data = data or recognise(table, names.DATA, [*taken, *columns.values()], otherwise=True)
    if fold is None and data is not None and data != given["tournament"]:
        # Models by tasks: the data sets are the rounds.
        fold, read["round"], data = data, as_names(table, data), None
    scores = as_numbers(table, score)
    players = as_names(table, player)
    if fold is None:
        table.refuse(
            "no column is known for the round; name it (round=..., --round). The columns are "
            f"{listed(table.frame.columns)}.{'' if players.duplicated().any() else _ONE_SCORE}"
        )
    long = pd.DataFrame({"player": players, **read, "score": scores}, copy=False)
    roles = {}
    if data is not None:
        long.insert(0, "tournament", as_names(table, data))
        roles["tournament"] = data
    refuse_rows(table, {role: long[role] for role in ("tournament", "round") if role in long})
    return long, roles | {"player": player, "round": fold, "score": score} | _beside(columns)


def _row_a_player(table: Table, player: str) -> Long:
    """Read a wide table with a row for each player and a column for each round."""
    players = {"player": as_names(table, player)}
    rounds = _without_row_numbers(table.frame, [c for c in table.frame.columns if c != player])
    refuse_names(table, rounds, "round", players)
    long = _stacked(table, rounds, "round", players)
    return long, {"player": player, "round": "column", "score": "cell"}


def _wide(table: Table, given: Roles) -> Long:
    """Read a wide table with a column for each player."""
    frame, tournament = table.frame, given["tournament"]
    fold, read, columns = _rounds(table, given, [tournament])
    rounds = read.pop("round", None)
    taken = list(filter(None, columns.values()))
    data = tournament or recognise(table, names.DATA, taken, otherwise=True)
    label = _label(frame) if fold is None and data is None else None
    roles = {data, label, *taken}
    players = [str(c) for c in frame.columns if c not in roles]
    if roles != {None}:
        players = _without_row_numbers(frame, players)
    if players and all(_are_answers(frame[c]) for c in players):
        frame = frame.assign(**{c: as_numbers(table, c) for c in players})
        table = table._replace(frame=frame)
    if fold is None and data is not None:
        indices = [c for c in players if names.is_index(c)]
        if len(indices) == 1:
            fold, rounds = indices[0], as_names(table, indices[0])
            players.remove(fold)
    data = label if label is not None else data
    tournaments = None if data is None else as_names(table, data)
    rows = {} if tournaments is None else {"tournament" if fold else "round": tournaments}
    refuse_names(table, players, "player", rows if rounds is None else rows | {"round": rounds})
    _check_orientation(table, players, label, named=fold is not None)
    if rounds is None and tournaments is not None:
        # A name that repeats is a data set, and its rows are folds; else each row is a round.
        repeats = tournaments.groupby(tournaments).cumcount().astype(str)
        split = bool(tournaments.duplicated().any())
        rounds, tournaments = (repeats, tournaments) if split else (tournaments, None)
    elif rounds is None:
        rounds = pd.Series([str(i) for i in range(len(frame))], index=frame.index)
    labels = {} if tournaments is None else {"tournament": tournaments}
    long = _stacked(table, players, "player", labels | {"round": rounds} | read)
    row = fold or ("row" if tournaments is not None or data is None else data)
    found = {"player": "column", "round": row, "score": "cell"} | _beside(columns)
    return long, found if tournaments is None else {"tournament": data or "", **found}


def _stacked(
    table: Table, columns: Sequence[str], role: str, labels: Mapping[str, pd.Series]
) -> pd.DataFrame:
    """Stack the columns of a wide table, each called by this role, beside the rows' labels."""
    # Words are answers where all players' are (`_wide`).
    scores = {c: as_numbers(table, c, words=False) for c in columns}
    return pd.concat([pd.DataFrame({**labels, role: c, "score": scores[c]}) for c in columns])


def _label(frame: pd.DataFrame) -> str | None:
    """Find the column that names the rows where none goes by a round's or tournament's name."""
    first = str(frame.columns[0])
    if names.is_index(first) or _is_text(frame[first]):
        return first
    indices = [str(c) for c in frame.columns if names.is_index(str(c))]
    return indices[0] if len(indices) == 1 else None


def _check_orientation(table: Table, players: list[str], label: str | None, *, named: bool) -> None:
    """Refuse a wide table whose columns, or whose rows, may be rounds or players."""
    nameless = label is not None and _is_text(table.frame[label])
    numbers = nameless and all(map(names.is_numbered, players))
    if numbers or (not named and all(map(names.is_numbered_round, players))):
        table.refuse(
            f"players are called {listed(players)}: is the table transposed? If its rows are "
            "players, call their column 'player' (rename_axis('player')), and else 'round'."
        )
    if label is not None and not names.NEUTRAL.isdisjoint(words(label)):
        which = "player=..., --player; or round=..., --round"
        table.refuse(f"column {shown(label)} may name players or rounds; say which ({which}).")
