"""Which columns of a table hold players, rounds, scores and tournaments: named, or recognised."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

import pandas as pd

from leaderbayes._scores import names
from leaderbayes._scores.cells import as_categories, as_names, as_numbers
from leaderbayes._scores.metrics import plain, words
from leaderbayes._scores.suspects import check_names, check_wide, counts
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

# Columns of Kaggle's leaderboards, in lower case.
KAGGLE = ("teamid", "teamname", "score")
Roles = dict[str, str | None]  # columns by role, as the user gives them
# One score a player is no table of scores: what to do.
ONE_SCORE = (
    " With one score a player nothing says who beats whom: ask how good the best is "
    "(leaderbayes.sota.read_board(table, n=...), leaderbayes sota FILE --n NUMBER), or give the "
    "scores of several rounds (folds, seeds, tasks)."
)
Long = tuple[pd.DataFrame, dict[str, str]]  # names and numbers, and what was taken for each role


def to_long(table: Table, given: Roles) -> Long:
    """Turn a table of any shape into a long one of names and numbers; name the columns taken."""
    _check_given(table, given)
    if table.frame.empty:
        table.refuse("the table has a header and no row of scores.")
    if is_kaggle(table) and not any(given.values()):
        table.refuse("this is a leaderboard of Kaggle (TeamId, TeamName, Score)." + ONE_SCORE)
    taken = [name for name in given.values() if name is not None]
    player = given["player"] or recognise(table, names.PLAYER, taken, otherwise=True)
    score = given["score"] or (_score(table, player, given) if player is not None else None)
    round, tournament = given["round"], given["tournament"]
    if player is not None and score is not None:
        return _long(table, player, score, given)
    if player is not None and not any((round, tournament, given["cluster"], given["repeat"])):
        if not given["player"] or _is_wide(table.frame, player):
            return _row_a_player(table, player)
    if given["player"] or given["score"]:
        role, known = ("score", "player") if player else ("player", "score")
        table.refuse(
            f"the {known} column is given, but no column is known for the {role}; name it "
            f"too. The columns are {listed(table.frame.columns)}."
        )
    return _wide(table, given)


def is_kaggle(table: Table) -> bool:
    """Whether it has the columns TeamId, TeamName and Score, in any case."""
    return set(KAGGLE) <= {column.lower() for column in table.frame.columns}


def _is_wide(frame: pd.DataFrame, player: str) -> bool:
    """Whether there are several columns beside the players', and all may be scores."""
    rest = [c for c in frame.columns if c != player]
    return len(rest) > 1 and not any(
        names.is_round(c) or names.is_data(c) or _is_text(frame[c]) for c in rest
    )


def _check_given(table: Table, given: Roles) -> None:
    """Refuse columns that the user named and that do not exist, or that are given two roles."""
    taken: dict[str, str] = {}
    for role, name in given.items():
        if name is None:
            continue
        if not isinstance(name, Hashable):
            table.refuse(f"{role}={shown(name)}: give the name of a column.")
        if name not in table.frame.columns:
            wide = "" if role != "player" else (
                " A wide table, with a column for each player, needs no player's column."
            )  # fmt: skip
            table.refuse(
                f"no column {shown(name)} for the {role}; "
                f"{suggest(str(name), table.frame.columns)}{wide}"
            )
        if name in taken:
            table.refuse(f"column {shown(name)} is given as {taken[name]} and as {role}.")
        taken[name] = role


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
            if found
            else "no column is left for the score."
        )
    return str(found[0])


def _items(table: Table, given: Roles, taken: Sequence[str | None], *, wide: bool = False) -> Roles:
    """Find the columns of items, of their clusters, and of repeated runs; None of what is absent.

    Beside rounds that nobody names, and that no column of items is called, only those that are
    given; beside rounds of unknown name those that fit.
    """
    found: Roles = {role: given[role] for role in ("round", "cluster", "repeat")}
    # A fold is no item, whatever stands beside it.
    folds = [c for c in table.frame.columns if names.is_round(c, "fold")]
    if found["round"] is None and not folds:
        found["round"] = recognise(table, names.ITEM, [*taken, *found.values()])
    if found["round"] is None and not folds and _has_answers(table):
        found["round"] = recognise(table, names.ANSWERED, [*taken, *found.values()])
    if found["round"] is None or names.is_round(found["round"]):
        return found
    known = plain(found["round"]) in f"{names.ITEM} {names.ANSWERED}".split()
    beside = (("cluster", names.CLUSTER, _nest), ("repeat", names.REPEAT, _repeats))
    for role, words_of, fits in beside:
        if found[role] is None:
            column = recognise(table, words_of, [*taken, *found.values()])
            if column is None or not _names_things(table, column):
                continue
            if known or fits(table, found, column, taken):
                found[role] = column
    if given["round"] is None and not _are_items(table, found, taken, wide=wide):
        return {role: given[role] for role in found}
    return found


def _has_answers(table: Table) -> bool:
    """Whether a column is called as answers are, and holds nothing else."""
    called = [c for c in table.frame.columns if plain(c) in names.ANSWER.split()]
    return any(_are_answers(table.frame[c], bare=True) for c in called)


def _nest(table: Table, found: Roles, column: str, taken: Sequence[str | None]) -> bool:
    """Whether each round is of one cluster, and these are fewer."""
    clusters = table.cells(column)
    of_round = clusters.groupby(_rounds_of(table, found, column, taken)).nunique()
    return bool((of_round <= 1).all()) and 1 < clusters.nunique() < len(of_round)


def _repeats(table: Table, found: Roles, column: str, taken: Sequence[str | None]) -> bool:
    """Whether a player has several rows in a round."""
    rows = [_rounds_of(table, found, column, taken)]
    columns = [found["cluster"], taken[0] if len(taken) > 1 else None]
    rows += [as_names(table, c) for c in columns if c is not None]
    return bool(pd.concat(rows, axis=1).duplicated().any())


def _rounds_of(table: Table, found: Roles, column: str, taken: Sequence[str | None]) -> pd.Series:
    """Name each row's round, of each tournament its own; the last that is taken names these."""
    other = [*taken, *found.values(), column]
    data = taken[-1] or recognise(table, names.DATA, other, otherwise=True)
    rounds = as_names(table, str(found["round"]))
    return rounds if data is None else as_names(table, data).str.cat(rounds, sep="\0")


def _are_items(table: Table, found: Roles, taken: Sequence[str | None], *, wide: bool) -> bool:
    """Whether a column called as items are is no score, size or setting of the rows."""
    item = str(found["round"])
    if not _names_things(table, item):
        return False
    items = table.cells(item)
    data = recognise(table, names.DATA, [*taken, *found.values()], otherwise=True)
    if data is not None and not _names_things(table, data):
        return False
    # What is one number of each data set is known of it.
    if data is not None and items.groupby(table.cells(data)).nunique().max() < 2:
        return False
    if data is None and items.nunique() < 2:
        return False
    rows = [c for c in (item, data, found["cluster"], found["repeat"]) if c is not None]
    return not (wide and pd.DataFrame({c: table.cells(c) for c in rows}).duplicated().any())


def _names_things(table: Table, column: str) -> bool:
    """Whether a column holds text or whole numbers, and so may be names."""
    cells = table.frame[column]
    if not (isinstance(cells.dtype, pd.StringDtype) or pd.api.types.is_numeric_dtype(cells)):
        if not all(isinstance(cell, Hashable) for cell in cells):
            return False
        cells = pd.Series([text_of(cell) for cell in cells], dtype=object)
    numbers = pd.to_numeric(cells, errors="coerce").dropna()
    return bool((numbers == numbers.round()).all())


def _rounds(
    table: Table, given: Roles, taken: Sequence[str | None], player: str | None = None
) -> tuple[str | None, dict[str, pd.Series], Roles]:
    """Find rounds: what they are called, their names beside those of clusters and runs, columns."""
    columns = _items(table, given, taken, wide=given["player"] is None and player is None)
    if columns["round"] is None:
        columns["round"], columns["repeat of a fold"] = _fold(table, [*taken, *columns.values()])
    read = {role: as_categories(table, name) for role, name in columns.items() if name is not None}
    label = columns["round"]
    if label is None:
        return None, read, columns
    if (repeat := read.pop("repeat of a fold", None)) is not None:
        label = f"{columns['repeat of a fold']}.{label}"
        read["round"] = _joined(repeat, read["round"])
    if "cluster" in read:
        # Each has its question 1: then they are told apart by the cluster's name.
        several = read["cluster"].groupby(read["round"], observed=True).nunique() > 1
        if several.any() and player is not None:
            _check_shared(table, player, columns, read)
        if several.any():
            label = f"{columns['cluster']}.{label}"
            read["round"] = _joined(read["cluster"], read["round"])
    return label, read, columns


def _joined(first: pd.Series, second: pd.Series) -> pd.Series:
    """Join names by a point."""
    return first.astype(object) + "." + second.astype(object)


def _check_shared(table: Table, player: str, columns: Roles, read: Mapping[str, pd.Series]) -> None:
    """Refuse clusters of the players, in which no two of them meet."""
    whose = table.cells(player).groupby([read["cluster"], read["round"]], observed=True)
    if whose.nunique().max() < 2:
        table.refuse(
            f"column {shown(columns['cluster'])} was taken for clusters of "
            f"{shown(columns['round'])}, and no two players have the same; rename it if it says "
            "something of the players, or leave it out."
        )


def _fold(table: Table, taken: Sequence[str | None]) -> tuple[str | None, str | None]:
    """Find the column of the rounds, and that of repeats which make one with it."""
    fold = recognise(table, names.ROUND, taken, names.is_round)
    if fold is None:
        return None, None
    repeat = recognise(table, "repeat repetition", [*taken, fold], names.is_round)
    beside = names.is_round(fold, "fold") or names.is_round(fold, "split")
    return fold, repeat if beside else None


def _long(table: Table, player: str, score: str, given: Roles) -> Long:
    tournament = given["tournament"]
    taken = [player, score, tournament]
    fold, read, columns = _rounds(table, given, taken, player)
    data = tournament or recognise(table, names.DATA, [*taken, *columns.values()], otherwise=True)
    if fold is None and data is not None and data != tournament:
        # Models by tasks: the data sets are the rounds.
        fold, read["round"], data = data, as_categories(table, data), None
    scores = as_numbers(table, score)
    if fold is None:
        table.refuse(
            "no column is known for the round; name it (round=..., --round). The columns "
            f"are {listed(table.frame.columns)}." + _one_each(table, player)
        )
    long = pd.DataFrame(
        {"player": as_categories(table, player), **read, "score": scores}, copy=False
    )
    if data is not None:
        long.insert(0, "tournament", as_categories(table, data))
    check_names(table, {role: long[role] for role in ("tournament", "round") if role in long})
    roles = {} if data is None else {"tournament": data}
    return long, roles | {"player": player, "round": fold, "score": score} | _beside(columns)


def _one_each(table: Table, player: str) -> str:
    """End the message on a table without rounds; a board of one score a player is for `sota`."""
    return "" if as_names(table, player).duplicated().any() else ONE_SCORE


def _beside(columns: Roles) -> dict[str, str]:
    """Name what was taken for clusters of items and for repeated runs."""
    return {role: name for role in ("cluster", "repeat") if (name := columns[role]) is not None}


def _row_a_player(table: Table, player: str) -> Long:
    """Read a wide table with a row for each player and a column for each round."""
    players = as_names(table, player)
    rounds = [str(c) for c in table.frame.columns if c != player]
    rounds = _without_row_numbers(table.frame, rounds)
    check_wide(table, rounds, "round", {"player": players})
    long = _stacked(table, rounds, "round", {"player": players})
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
    check_wide(table, players, "player", rows if rounds is None else rows | {"round": rounds})
    _check_upright(table, players, label, named=fold is not None)
    _check_text(table, players, label, data, fold)
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
    return pd.concat(
        [
            # Words are answers where all players' are (`_wide`).
            pd.DataFrame({**labels, role: c, "score": as_numbers(table, c, words=False)})
            for c in columns
        ]
    )


def _check_text(
    table: Table, players: list[str], label: str | None, data: str | None, fold: str | None
) -> None:
    """Refuse a column of names whose role, or whose rows' role, is not said."""
    texts = [name for name in players if _is_text(table.frame[name])] if data is None else []
    words_of = [text_of(cell).strip() for name in texts[:1] for cell in table.frame[name].dropna()]
    if fold is not None and any(cell[:1].isalpha() for cell in words_of[:1]):
        table.refuse(
            f"column {shown(texts[0])} holds text, no player's scores; if it names the data sets, "
            "say so (tournament=..., --tournament), or else leave it out."
        )
    if label is not None and not names.NEUTRAL.isdisjoint(words(label)):
        table.refuse(
            f"column {shown(label)} may name players or rounds; say which (player=..., --player; "
            "or round=..., --round)."
        )


def _label(frame: pd.DataFrame) -> str | None:
    """Find the column that names the rows where none goes by a round's or tournament's name."""
    first = str(frame.columns[0])
    if names.is_index(first) or _is_text(frame[first]):
        return first
    indices = [str(c) for c in frame.columns if names.is_index(str(c))]
    return indices[0] if len(indices) == 1 else None


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
    kind = column.dtype
    if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_bool_dtype(kind):
        return False
    if isinstance(kind, pd.StringDtype) and len(column):
        # Most of a million cells are numbers as they stand.
        if pd.to_numeric(column, errors="coerce").notna().mean() > 0.5:
            return False
    text = [text_of(cell).strip() for cell in column.dropna()]
    bare = [bare_number(cell) for cell in text if cell.lower() not in MISSING]
    numbers = pd.to_numeric(pd.Series(bare, dtype=object), errors="coerce").notna()
    return len(bare) > 0 and float(numbers.mean()) <= 0.5


def _without_row_numbers(frame: pd.DataFrame, columns: list[str]) -> list[str]:
    """Leave out the index that a table was saved with; the rows have better names."""
    return [c for c in columns if not (names.is_index(c) and counts(frame[c]))]


def _check_upright(table: Table, players: list[str], label: str | None, *, named: bool) -> None:
    """Refuse a wide table whose columns are rounds, and not players."""
    nameless = label is not None and _is_text(table.frame[label])
    numbers = nameless and all(map(names.is_numbered, players))
    if numbers or (not named and all(map(names.is_numbered_round, players))):
        table.refuse(
            f"players are called {listed(players)}: is the table transposed? If its rows are "
            "players, call their column 'player' (the index of a DataFrame: "
            "rename_axis('player')); if they are rounds, call it 'round'."
        )
