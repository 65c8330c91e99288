"""Which columns of a table hold players, rounds, scores and tournaments: named, or recognised."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from leaderbayes._cells import as_names, as_numbers
from leaderbayes._names import (
    DATA,
    PLAYER,
    ROUND,
    SCORE,
    is_data,
    is_index,
    is_numbered,
    is_numbered_round,
    is_round,
    is_score,
    is_summary,
    plain,
)
from leaderbayes._tables import MISSING, Table, bare_number, listed, shown, suggest, text_of

Roles = dict[str, str | None]  # columns by role, as the user gives them
Long = tuple[pd.DataFrame, dict[str, str]]  # names and numbers, and what was taken for each role
_NAME_THEM = "round=..., tournament=...; --round, --tournament"


def to_long(table: Table, given: Roles) -> Long:
    """Long table of names and numbers, of a table of any shape, and the columns of the roles."""
    _check_given(table, given)
    if table.frame.empty:
        table.refuse("the table has a header and no row of scores.")
    taken = [name for name in given.values() if name is not None]
    player = given["player"] or recognise(table, PLAYER, taken)
    score = given["score"] or (_score(table, player, given) if player is not None else None)
    round, tournament = given["round"], given["tournament"]
    if player is not None and score is not None:
        made = _long(table, player, round, score, tournament)
    elif player is not None and not given["player"] and round is None and tournament is None:
        made = _row_a_player(table, player)
    elif given["player"] or given["score"]:
        role, known = ("score", "player") if player else ("player", "score")
        table.refuse(
            f"the {known} column is given, but no column is known for the {role}; name it "
            f"too. The columns are {listed(table.frame.columns)}."
        )
    else:
        made = _wide(table, round, tournament)
    for role in ("round", "tournament"):
        if role in made[0]:
            _check_summary(table, made[0][role], role)
    return made


def _check_given(table: Table, given: Roles) -> None:
    """Columns that the user named exist, one for each role."""
    taken: dict[str, str] = {}
    for role, name in given.items():
        if name is None:
            continue
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
    names: str,
    taken: Iterable[str | None],
    match: Callable[[str, str], bool] = lambda column, name: plain(column) == name,
) -> str | None:
    """First column that goes by one of these names and is not taken."""
    free = [c for c in table.frame.columns if c not in set(taken)]
    for name in names.split():
        found = [c for c in free if match(c, name)]
        if name in found:
            return name
        if len(found) > 1:
            table.refuse(f"columns {listed(found)} both look like the {name}; name one, or rename.")
        if found:
            return found[0]
    return None


def _score(table: Table, player: str, given: Roles) -> str | None:
    """Column of the scores of a long table; None where nothing makes it a long one."""
    exact = recognise(table, "score", given.values())
    fold = given["round"] or recognise(table, ROUND, [player, given["tournament"]], is_round)
    data = given["tournament"] or recognise(table, DATA, [player, fold])
    if exact is not None:
        return exact
    if fold is None and data is None:
        return recognise(table, SCORE, [player])
    rest = [c for c in table.frame.columns if c not in (player, fold, data)]
    metrics = [c for c in rest if is_score(c)]
    rest = [c for c in rest if not (is_round(c) or is_data(c) or is_index(c))]
    found = metrics or rest
    if len(found) != 1:
        table.refuse(
            f"which column is the score? Name one (score=..., --score NAME): {listed(found)}."
            if found
            else "no column is left for the score."
        )
    return str(found[0])


def _fold(table: Table, taken: Iterable[str | None]) -> tuple[str | None, pd.Series | None]:
    """Name and values of the round; repeat and fold together are one."""
    taken = list(taken)
    fold = recognise(table, ROUND, taken, is_round)
    if fold is None:
        return None, None
    repeat = recognise(table, "repeat repetition", [*taken, fold], is_round)
    values = as_names(table, fold)
    if repeat is not None and (is_round(fold, "fold") or is_round(fold, "split")):
        return f"{repeat}.{fold}", as_names(table, repeat) + "." + values
    return fold, values


def _long(table: Table, player: str, round: str | None, score: str, tournament: str | None) -> Long:
    taken = [player, score, tournament]
    fold, rounds = _fold(table, taken) if round is None else (round, as_names(table, round))
    data = tournament or recognise(table, DATA, [*taken, fold])
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
    roles = {} if data is None else {"tournament": data}
    return long, roles | {"player": player, "round": fold, "score": score}


def _row_a_player(table: Table, player: str) -> Long:
    """Wide table with a row for each player and a column for each round."""
    names = as_names(table, player)
    _check_summary(table, names, "player")
    rounds = [str(c) for c in table.frame.columns if c != player]
    rounds = _without_row_numbers(table.frame, rounds)
    _check_columns(table, rounds, "round")
    blocks = [
        pd.DataFrame({"player": names, "round": c, "score": as_numbers(table, c)}) for c in rounds
    ]
    return pd.concat(blocks), {"player": player, "round": "column", "score": "cell"}


def _wide(table: Table, round: str | None, tournament: str | None) -> Long:
    """Wide table with a column for each player."""
    frame = table.frame
    fold, rounds = _fold(table, [tournament]) if round is None else (round, as_names(table, round))
    data = tournament or recognise(table, DATA, [fold])
    label = _label(frame) if fold is None and data is None else None
    roles = {fold, data, label, *(fold.split(".") if fold else [])}
    players = [str(c) for c in frame.columns if c not in roles]
    if roles != {None}:
        players = _without_row_numbers(frame, players)
    if fold is None and data is not None:
        indices = [c for c in players if is_index(c)]
        if len(indices) == 1:
            fold, rounds = indices[0], as_names(table, indices[0])
            players.remove(fold)
    _check_columns(table, players, "player")
    _check_upright(table, players, label, named=fold is not None)
    data = label if label is not None else data
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
    named = {} if tournaments is None else {"tournament": data or ""}
    return pd.concat(blocks), named | {"player": "column", "round": rows, "score": "cell"}


def _label(frame: pd.DataFrame) -> str | None:
    """Column that names the rows, though none goes by a round's or tournament's name."""
    first = str(frame.columns[0])
    if is_index(first) or _is_text(frame[first]):
        return first
    indices = [str(c) for c in frame.columns if is_index(str(c))]
    return indices[0] if len(indices) == 1 else None


def _is_text(column: pd.Series) -> bool:
    """Whether most of a column is text."""
    text = [text_of(cell).strip() for cell in column.dropna()]
    bare = [bare_number(cell) for cell in text if cell.lower() not in MISSING]
    numbers = pd.to_numeric(pd.Series(bare, dtype=object), errors="coerce").notna()
    return len(bare) > 0 and float(numbers.mean()) <= 0.5


def _without_row_numbers(frame: pd.DataFrame, names: list[str]) -> list[str]:
    """Columns without the index that a table was saved with; the rows have better names."""
    return [name for name in names if not (is_index(name) and _counts(frame[name]))]


def _counts(column: pd.Series) -> bool:
    """Whether a column counts its rows from 0 or 1 on, perhaps anew for each data set."""
    if len(column) < 3 or text_of(column.iloc[0]).strip() not in ("0", "1", "0.0", "1.0"):
        return False
    text = pd.Series([text_of(cell) for cell in column], dtype=object)
    values = pd.to_numeric(text, errors="coerce").to_numpy(float)
    if not np.isfinite(values).all() or values.max() < values[0] + 2:
        return False
    steps = np.diff(values)
    return bool(((steps == 1) | (values[1:] == values[0])).all())


# -- refusals --------------------------------------------------------------------------------------


def _check_columns(table: Table, names: Sequence[str], role: str) -> None:
    """Columns of a wide table may be players (or rounds) by their names and what they hold."""
    if not names:
        table.refuse(f"no column is left for the {role}s.")
    for name in names:
        if not name:
            table.refuse(f"a column of scores has no name; name its {role}.")
        if is_index(name) or is_round(name) or is_data(name):
            table.refuse(
                f"column {shown(name)} looks like a round or a tournament, and holds no {role}'s "
                f"scores; say which columns are ({_NAME_THEM}), or leave it out."
            )
        if is_summary(name):
            table.refuse(
                f"column {shown(name)} looks like a summary of the others, not like a {role}; "
                f"leave it out, or rename it if a {role} is called so."
            )
        if role == "player" and plain(name) in SCORE.split():
            table.refuse(
                f"column {shown(name)} looks like the score of a long table, not like a player; "
                "name the players' column too (player=..., --player), or rename it if a player "
                "is called so."
            )
    counting = [name for name in names if _counts(table.frame[name])]
    if counting and len(counting) < len(names):
        table.refuse(
            f"column {shown(counting[0])} counts the rows (0, 1, 2, ...), as a round does and a "
            f"{role}'s scores do not; say which columns are what ({_NAME_THEM}), leave it out, "
            "or give a long table."
        )


def _check_upright(table: Table, players: list[str], label: str | None, *, named: bool) -> None:
    """Columns of a wide table are players, and not rounds."""
    nameless = label is not None and _is_text(table.frame[label])
    numbers = nameless and all(map(is_numbered, players))
    if numbers or (not named and all(map(is_numbered_round, players))):
        table.refuse(
            f"players are called {listed(players)}: is the table transposed? If its rows are "
            "players, call their column 'player' (the index of a DataFrame: "
            "rename_axis('player')); if they are rounds, call it 'round'."
        )


def _check_summary(table: Table, names: pd.Series, role: str) -> None:
    """No row sums up the others."""
    summary = next((name for name in names.unique() if is_summary(name)), None)
    if summary is not None:
        row = names.index[int(np.argmax((names == summary).to_numpy()))]
        table.refuse(
            f"the {role} {shown(summary)} looks like a summary of the others; leave it out, or "
            f"rename it if a {role} is called so.",
            row,
        )
