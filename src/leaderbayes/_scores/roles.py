"""Which columns of a table hold players, rounds, scores and tournaments: named, or recognised."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from leaderbayes._errors import ScoresError
from leaderbayes._scores import names
from leaderbayes._scores.belongs import counts, is_summary
from leaderbayes._scores.cells import as_names, as_numbers, has_answers, is_text
from leaderbayes._scores.metrics import more_is_better, plain
from leaderbayes._scores.tables import (
    ANSWERS,
    BY_ROUND,
    Asked,
    Roles,
    Table,
    listed,
    shown,
    suggest,
    text_of,
)

KAGGLE = ("teamid", "teamname", "score")  # columns of its leaderboards, in lower case
Long = tuple[pd.DataFrame, dict[str, str]]  # names and numbers, and the column of each role
_ONE_SCORE = (
    " One score per player shows no order by round: add rounds, or estimate how good the best is "
    "(sota.read_board(table, n=...), leaderbayes sota FILE --n NUMBER)."
)


class Wide(NamedTuple):
    """A wide table: columns of scores, each a player or a round, and what the rows are."""

    table: Table
    columns: list[str]
    role: str  # of a column
    labels: dict[str, pd.Series]  # of the rows, by role
    found: dict[str, str]
    question: str = ""  # what may name players or rounds


def to_long(table: Table, asked: Asked) -> Long | Wide:
    """Find names and numbers in a table of any shape, and name the columns taken."""
    if is_kaggle(table) and not any(asked.roles.values()):
        table.refuse("this is a Kaggle leaderboard (TeamId, TeamName, Score)." + _ONE_SCORE)
    given, columns = asked.roles, list(table.frame.columns)
    asked = asked._replace(rows=tuple(name for name in asked.drop if name not in columns))
    out = [name for name in columns if name in asked.drop]
    table = table._replace(frame=table.frame.drop(columns=out))
    _check_given(table, given)
    if table.frame.empty:
        table.refuse("the table has a header but no scores.")
    table, asked = _without_parts(table, asked)
    if not any(given.values()):
        asked = asked._replace(roles=(given := given | _of_three(table)))
    player = given["player"]
    if player is None:
        taken = [name for name in given.values() if name is not None]
        player = recognise(table, names.PLAYER, taken, otherwise=True)
    score = given["score"] or (_score(table, player, given) if player is not None else None)
    if player is not None and score is not None:
        return _long(table, player, score, asked)
    others = any(given.get(r) for r in ("round", "tournament", "repeat", *BY_ROUND))
    if player is not None and not others and (given["player"] is None or len(columns) > 2):
        return _row_a_player(table, player, asked)
    if given["player"] is not None or given["score"]:
        table.refuse(
            f"no column was found for the {'score' if player else 'player'}; name it too. The "
            f"columns are {listed(table.frame.columns)}."
        )
    return _wide(table, asked)


def _of_three(table: Table) -> Roles:
    """Find the roles of a long table of three columns, if one is known for players or rounds."""
    columns = _without_row_numbers(table.frame, list(table.frame.columns))
    known = [c for c in columns if names.goes_by(c, names.PLAYER)]
    rounds = [c for c in columns if names.is_round(c) or names.is_data(c)]
    if len(columns) != 3 or len(known) + len(rounds) != 1:
        return {}
    texts = [c for c in columns if is_text(table.frame[c])]
    labels = [*texts, *rounds] if rounds and rounds[0] not in texts else texts
    if known and len(labels) == 1:  # trials 1, 2, 3
        labels = texts + [c for c in columns if c not in texts and _names_things(table, c)]
    if len(labels) != 2 or any(names.goes_by(c, names.METRIC) or names.is_score(c) for c in labels):
        return {}
    frame = pd.DataFrame({c: as_names(table, c, missing="") for c in labels})
    if frame.duplicated().any() or not all(frame[c].duplicated().any() for c in labels):
        return {}
    (score,), (other,) = {*columns} - {*labels}, {*labels} - {*known, *rounds}
    if is_summary(score, columns) or not names.may_be_score(score):
        return {}
    player, fold = (known[0], other) if known else (other, rounds[0])
    return {"player": player, "round": fold, "score": score}


def _without_parts(table: Table, asked: Asked) -> tuple[Table, Asked]:
    """Refuse scores of training and validation beside those of the test data."""
    for name in table.frame.columns:
        if plain(name) not in names.PARTS_CALLED or name in asked.roles.values():
            continue
        parts = as_names(table, name, missing="")
        if not all(part.lower() in names.PARTS for part in parts.unique()):
            continue
        table = table._replace(frame=table.frame[~parts.isin(asked.rows)])
        asked = asked._replace(rows=tuple(one for one in asked.rows if one not in set(parts)))
        left = sorted(set(parts) - set(asked.drop), key=lambda part: part.lower() in names.TESTED)
        if len(left) > 1:
            table.refuse(
                f"column {shown(name)} holds {listed(left)}, which are parts of the data, not "
                f"rounds. Choose one: {asked.call(drop=(*asked.drop, *left[:-1]))}."
            )
        table = table._replace(frame=table.frame.drop(columns=name))
    return table, asked


def _without_rows(
    table: Table, labels: dict[str, pd.Series], asked: Asked
) -> tuple[Table, dict[str, pd.Series]]:
    """Leave out rows whose player, round or tournament is to be dropped."""
    if not asked.rows:
        return table, labels
    hit = pd.DataFrame({role: names_of.isin(asked.rows) for role, names_of in labels.items()})
    known = {name for names_of in labels.values() for name in names_of.unique()}
    for name in asked.rows:
        if name not in known:
            table.refuse(
                f"drop={shown(name)}: no such column or row; "
                f"{suggest(name, [*table.frame.columns, *known])}"
            )
    keep = ~hit.any(axis=1)
    if not keep.any():
        table.refuse("no rows are left.")
    return table._replace(frame=table.frame[keep]), {k: of[keep] for k, of in labels.items()}


def is_kaggle(table: Table) -> bool:
    """Whether it has the columns TeamId, TeamName and Score, in any case."""
    return set(KAGGLE) <= {column.lower() for column in table.frame.columns}


def recognise(
    table: Table, known: str, taken: Iterable[str | None],
    match: Callable[[str, str], bool] = lambda column, name: plain(column) == name, *,
    otherwise: bool = False,
) -> str | None:  # fmt: skip
    """Find the first free column that goes by one of these names, if need be otherwise written."""
    free = [c for c in table.frame.columns if c not in set(taken)]
    for name in known.split():
        found = [c for c in free if match(c, name)]
        if name in found:
            return name
        if len(found) > 1:
            table.refuse(f"columns {listed(found)} both look like the {name}; name one of them.")
        if found:
            return found[0]
    return recognise(table, known, taken, names.goes_by) if otherwise else None


def _check_given(table: Table, given: Roles) -> None:
    """Refuse columns that the user named and that do not exist, or that are given two roles."""
    taken: dict[str, str] = {}
    for role, name in given.items():
        if name is not None and not isinstance(name, Hashable):
            table.refuse(f"{role}={shown(name)} must be the name of a column.")
        if name is not None and name not in table.frame.columns:
            wide = " A wide table, with a column per player, needs no column of players."
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
    taken = [player, fold, *(name for role, name in items.items() if role != "round")]
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
    rest = [c for c in rest if not is_text(table.frame[c]) or has_answers(table.frame[c])]
    found = metrics or rest
    if len(found) > 1 and not metrics and as_names(table, player, missing="").is_unique:
        return None  # a row for each player, and rounds beside
    if len(found) != 1 or not (names.may_be_score(found[0]) or more_is_better(found[0]) is False):
        named = listed(found or table.frame.columns)
        table.refuse(f"which column is the score? Name one (score=..., --score NAME): {named}.")
    return str(found[0])


def _items(table: Table, given: Roles, taken: Sequence[str | None]) -> Roles:
    """Find the columns of items, their clusters and repeated runs; None if absent."""
    found: Roles = {role: given.get(role) for role in ("round", "repeat", *BY_ROUND)}
    answers = [c for c in table.frame.columns if plain(c) in names.ANSWER.split()]
    answered = any(has_answers(table.frame[c], bare=True) for c in answers)
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
        if (read["cluster"].groupby(read["round"]).nunique() > 1).any():  # each has a question 1
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
    """Name what was taken for clusters and weights of rounds and for repeated runs."""
    return {r: name for r in (*BY_ROUND, "repeat") if (name := columns[r]) is not None}


def _long(table: Table, player: str, score: str, asked: Asked) -> Long:
    given = asked.roles
    taken = [player, score, given["tournament"]]
    fold, read, columns = _rounds(table, given, taken)
    data = given["tournament"]
    data = data or recognise(table, names.DATA, [*taken, *columns.values()], otherwise=True)
    if fold is None and data is not None and data != given["tournament"]:
        # Models by tasks: the data sets are the rounds.
        fold, read["round"], data = data, as_names(table, data), None
    labels = {"player": as_names(table, player), **read}
    if fold is None:
        as_numbers(table, score)
        one = "" if labels["player"].duplicated().any() else _ONE_SCORE
        table.refuse(
            "no column was found for the round; name it (round=..., --round). The columns are "
            f"{listed(table.frame.columns)}.{one}"
        )
    roles = {}
    if data is not None:
        labels = {"tournament": as_names(table, data), **labels}
        roles["tournament"] = data
    table, labels = _without_rows(table, labels, asked)
    long = pd.DataFrame({**labels, "score": as_numbers(table, score)}, copy=False)
    return long, roles | {"player": player, "round": fold, "score": score} | _beside(columns)


def _row_a_player(table: Table, player: str, asked: Asked) -> Wide:
    """Read a wide table with a row for each player and a column for each round."""
    table, players = _without_rows(table, {"player": as_names(table, player)}, asked)
    rounds = _without_row_numbers(table.frame, [c for c in table.frame.columns if c != player])
    found = {"player": player, "round": "column", "score": "cell"}
    return Wide(table, rounds, "round", players, found)


def _wide(table: Table, asked: Asked) -> Wide:
    """Read a wide table with a column for each player."""
    given = asked.roles
    fold, read, columns = _rounds(table, given, [given["tournament"]])
    taken = list(filter(None, columns.values()))
    data = given["tournament"] or recognise(table, names.DATA, taken, otherwise=True)
    label = _label(table.frame) if fold is None and data is None else None
    roles = {data, label, *taken}
    players = [str(c) for c in table.frame.columns if c not in roles]
    if roles != {None}:
        players = _without_row_numbers(table.frame, players)
    if fold is None and data is not None:
        indices = [c for c in players if names.is_index(c)]
        if len(indices) == 1:
            fold, read["round"] = indices[0], as_names(table, indices[0])
            players.remove(fold)
    rows = "round" if label is None else _rows_are(table, label, players)
    if label is not None and rows == "player":
        return _row_a_player(table, label, asked)
    question = label if label is not None and not rows else ""
    if label is None and fold is None and all(map(names.is_numbered_round, players)):
        question = data or table.refuse(f"columns {listed(players)} are rounds; name player=.")
    data = label if label is not None else data
    if data is not None:
        read = {"tournament" if fold else "round": as_names(table, data), **read}
    table, read = _without_rows(table, read, asked)
    if fold is None and data is not None and read["round"].duplicated().any():
        if len(table.frame[[data, *players]].map(str).drop_duplicates()) == read["round"].nunique():
            table.refuse(f"rows of each {data!r} are copies: drop all but one, or name folds.")
        # A name that repeats is a data set, and its rows are folds; else each row is a round.
        of = read.pop("round")
        read |= {"tournament": of, "round": of.groupby(of).cumcount().astype(str)}
    elif fold is None and data is None:
        index = table.frame.index
        read["round"] = pd.Series([str(k) for k in range(len(index))], index=index)
    row = fold or ("row" if data is None or "tournament" in read else data)
    found = {"player": "column", "round": row, "score": "cell"} | _beside(columns)
    found = {"tournament": data or "", **found} if "tournament" in read else found
    return Wide(table, players, "player", read, found, question)


def stacked(wide: Wide) -> Long:
    """Stack the columns of a wide table beside the rows' labels."""
    table, columns = wide.table, wide.columns
    words = are_answered(table, columns)
    scores = [as_numbers(table, c, words=words).to_numpy() for c in columns]
    m, rows = len(columns), len(table.frame)
    long = {role: np.tile(of.to_numpy(), m) for role, of in wide.labels.items()}
    long[wide.role] = np.repeat(np.array(columns, dtype=object), rows)
    long["score"] = np.concatenate(scores) if scores else np.array([])
    return pd.DataFrame(long, index=np.tile(table.frame.index, m)), wide.found


def are_answered(table: Table, columns: Sequence[str]) -> bool:
    """Whether columns hold right and wrong answers in words, but for a few cells."""
    answers = {*ANSWERS, "0", "1"}
    texts = ([text_of(it).strip().lower() for it in table.frame[c].dropna()] for c in columns)
    mostly = all(2 * sum(it in answers for it in of) > len(of) for of in texts)
    return mostly and any(has_answers(table.frame[name]) for name in columns)


def broken_columns(wide: Wide) -> dict[str, ScoresError]:
    """Find columns with a cell that is no number, and what is wrong with it."""
    found, words = {}, are_answered(wide.table, wide.columns)
    for name in wide.columns:
        try:
            as_numbers(wide.table, name, words=words)
        except ScoresError as problem:
            found[name] = problem
    return found


def _label(frame: pd.DataFrame) -> str | None:
    """Find the column that names the rows where none goes by a round's or tournament's name."""
    first = str(frame.columns[0])
    if names.is_index(first) or is_text(frame[first]):
        return first
    indices = [str(c) for c in frame.columns if names.is_index(str(c))]
    return indices[0] if len(indices) == 1 else None


def _rows_are(table: Table, label: str, columns: Sequence[str]) -> str:
    """Return what the rows of a wide table are by their names and the columns', or ""."""
    if not is_text(table.frame[label]):
        return "round"
    rows = as_names(table, label, missing="").unique()
    first, second = names.numbered(rows), names.numbered(columns)
    if first != second:
        return first or {"player": "round", "round": "player"}[second]
    known = all(map(names.is_numbered, rows)) and not all(map(names.is_numbered, columns))
    return "round" if known else ""
