"""Who won each vote, of columns of words, scores, ranks or marks; never one that may be two."""

import re
from typing import NamedTuple, NoReturn

import numpy as np
import pandas as pd

from leaderbayes._errors import ScoresError
from leaderbayes._scores.cells import as_names, as_numbers
from leaderbayes._scores.tables import (
    FRAME,
    MISSING,
    Table,
    counted,
    is_number,
    listed,
    shown,
    text_of,
)
from leaderbayes._scores.vote_forms import (
    NOUNS,
    OUTCOME,
    SCORE,
    SIDES,
    WON,
    Form,
    has_players,
    key,
    recognise_form,
)
from leaderbayes._scores.vote_words import (
    BOTH_BAD,
    FIRST,
    KNOWN,
    MEANS,
    OPEN,
    SECOND,
    TIE,
    doubtful_signs,
    of_place,
    says_how_clearly,
    value_of,
    vocabularies,
    word_of,
)
from leaderbayes._types import Floats, Longs

_MOST_WORDS = 100_000  # more are no words of an outcome
_BY_NAME = "as the name of a player"
_MAPPED = 6  # words of which a message writes a mapping


class Outcomes(NamedTuple):
    """What was made of the outcomes, and how to say it."""

    values: Floats  # (row,): FIRST, TIE, SECOND, BOTH_BAD or OPEN
    said: str
    doubt: str | None = None  # what else they may mean, where that is not said by anything


def read_outcomes(
    table: Table, form: Form, first: Longs, second: Longs, players: list[str]
) -> Outcomes:
    """Read who won.

    Parameters
    ----------
    table : Table
        Of votes.
    form : Form
        Its columns.
    first, second : array (row,) of int
        Who played, as places in ``players``.
    players : list of str
        Their names.

    Raises
    ------
    ScoresError
        If an outcome is missing or unknown, or means one thing or another: names the row, the
        words, and what to write.
    """
    if form.kind == "scores":
        return _by_scores(table, form.outcome)
    if form.kind == "losses":
        return _by_losses(table, form.outcome)
    if form.kind == "ranks":
        return _by_ranks(table, form.outcome)
    if form.kind == "marks":
        return _by_marks(table, form.outcome)
    if form.kind == "won":
        return _by_columns(table, form)
    return _by_words(table, form, first, second, players)


def is_votes(frame: pd.DataFrame) -> bool:
    """Whether a table is clearly one of votes: its columns are, and so is every outcome there.

    Parameters
    ----------
    frame : DataFrame
        Any table.
    """
    if not frame.columns.is_unique or frame.empty or not has_players(frame):
        return False
    table = Table("", frame.set_axis([text_of(c) for c in frame.columns], axis=1), str)
    try:
        form = recognise_form(table)
        names = [as_names(table, c, missing="?") for c in (form.first, form.second)]
        places, players = pd.factorize(np.column_stack(names).ravel())
        numbered = all(is_number(name) for name in players)
        if form.kind == "words":
            words = _Words(table, form)
            if numbered and not _called_by_number(form, list(players), words):
                return False
            readings = _readings(words, form, places[::2], places[1::2], list(players))
            return bool(readings) and bool((words.codes >= 0).any())
        ids = all(key(c).endswith("id") for c in (form.first, form.second))
        if numbered and not (ids and all(name.isdecimal() for name in players)):
            return False
        if form.kind != "won":
            for column in form.outcome:
                as_numbers(table, column)
    except (ScoresError, TypeError, ValueError):
        return False
    return True


def _called_by_number(form: Form, players: list[str], words: "_Words") -> bool:
    """Whether numbers are players' names: of columns called so, with an outcome beside.

    Else they are scores of players that are called model_1 and model_2.
    """
    if any(not is_number(words.texts[k]) for k in words.used):
        return True
    whole = all(re.fullmatch(r"\d+", name) for name in players)
    named = any(
        key(form.first).startswith(noun) or key(form.first).endswith(noun) for noun in NOUNS
    )
    winners = {words.texts[k] for k in words.used}
    return whole and named and (len(winners) <= 3 or winners <= {*players, "0"})


def has_columns_of_votes(table: Table) -> bool:
    """Whether columns are those of votes, one of them of an outcome in words, whatever it holds."""
    if not table.frame.columns.is_unique or not has_players(table.frame):
        return False
    try:
        return recognise_form(table).kind == "words"
    except ScoresError:
        return False


# -- words -----------------------------------------------------------------------------------------


class _Words:
    """Distinct cells of the column of outcomes, as they stand and as they are compared."""

    def __init__(self, table: Table, form: Form) -> None:
        self.column = form.outcome[0]
        cells = table.frame[self.column]
        codes, distinct = _factorized(cells)
        texts = [_text(it) for it in distinct]
        missing = np.array([text.lower() in MISSING for text in texts] + [True])
        self.codes = np.where(missing[codes], -1, codes)
        self.texts = texts
        self.words = [word_of(text) for text in texts]
        self.used = [k for k in range(len(texts)) if not missing[k]]
        self.used_words = [self.words[k] for k in self.used]
        # As pandas reads a file: numbers, if there is nothing else.
        file = table.where != FRAME and all(is_number(texts[k]) for k in self.used)
        self._quoted = [isinstance(it, str) and not file for it in distinct]

    def mapping(self, values: dict[int, float]) -> str:
        """Write in Python what outcomes are called that the used cells have, by their places."""
        called = {FIRST: "model_a", SECOND: "model_b", TIE: "tie", BOTH_BAD: "both bad"}
        if len(values) > _MAPPED or not set(values.values()) <= set(called):
            return f"table[{self.column!r}].map({{...: 'model_a', ...: 'model_b', ...: 'tie'}})"
        of = []
        for k, value in values.items():
            text = repr(self.texts[k]) if self._quoted[k] else self.texts[k]
            of.append(f"{text}: {called[value]!r}")
        return f"table[{self.column!r}].map({{{', '.join(of)}}})"


def _by_words(
    table: Table, form: Form, first: Longs, second: Longs, players: list[str]
) -> Outcomes:
    words = _Words(table, form)
    if (words.codes < 0).any():
        rows = np.flatnonzero(words.codes < 0)
        _missing(table, words.column, rows)
    readings = _readings(words, form, first, second, players)
    if not readings:
        _refuse_unknown(table, words, form, first, second, players)
    (how, values), *others = readings.items()
    if any((values != different).any() for _, different in others):
        _refuse_several(table, words, readings)
    if how != _BY_NAME:
        _check_places(table, form, words, values)
    meanings = [(words.texts[k], values[int(np.argmax(words.codes == k))]) for k in words.used[:8]]
    if how == _BY_NAME:
        said = f"{words.column} (the winner's name)"
    else:
        said = f"{words.column} ({'; '.join(f'{t[:30]}: {MEANS[v]}' for t, v in meanings)})"
    if any(says_how_clearly(words.texts[k], words.words[k]) for k in words.used):
        said += ", how clearly does not count"
    doubt = None
    if how != _BY_NAME and doubtful_signs(form, words.used_words):
        turned = {k: 1.0 - value for k, value in _means(words, values).items()}
        nobody = " or for nobody (0 and 1 being the two players)," if "0" in words.words else ""
        doubt = (
            f"column {shown(words.column)} holds numbers of which 1 was taken for the first won, "
            "and -1 for the second. If -1 is for the first (as on a scale from the first to the "
            f"second),{nobody} write model_a, model_b and tie instead, such as, of a DataFrame, "
            f"{words.mapping(turned)}."
        )
    return Outcomes(values, said, doubt)


def _check_places(table: Table, form: Form, words: "_Words", values: Floats) -> None:
    """Refuse words of a place (1, win, first) where columns stand in the other order.

    Where the user has the sides the other way round, words of a side (model_a, white) are refused.
    """
    won = {words.words[k] for k, it in _means(words, values).items() if it in (FIRST, SECOND)}
    placed = of_place(form, won)
    against = form.sides is not None and form.sides[::-1] in SIDES
    if against and (sided := won - set(placed)):
        at = next(k for k in words.used if words.words[k] in sided)
        table.refuse(
            f"column {shown(words.column)} holds {shown(words.texts[at])}, which is a side, and "
            f"{shown(form.first)} is given as first: give first={form.second!r}, "
            f"second={form.first!r} (--first {form.second} --second {form.first}).",
            table.frame.index[int(np.argmax(words.codes == at))],
        )
    if not form.turned or not placed:
        return
    at = next(k for k in words.used if words.words[k] in placed)
    one, other = form.first, form.second
    table.refuse(
        f"column {shown(words.column)} holds {shown(words.texts[at])}, and {shown(other)} stands "
        f"before {shown(one)}: is it of {shown(other)}, who stands first, or of {shown(one)}? Name "
        f"the columns: first={other!r}, second={one!r} (--first {other} --second {one}), or "
        f"first={one!r}, second={other!r} (--first {one} --second {other}).",
        table.frame.index[int(np.argmax(words.codes == at))],
    )


def _means(words: "_Words", values: Floats) -> dict[int, float]:
    """Give what the used words mean where each first stands, by their places."""
    return {k: float(values[int(np.argmax(words.codes == k))]) for k in words.used}


def _readings(
    words: _Words, form: Form, first: Longs, second: Longs, players: list[str]
) -> dict[str, Floats]:
    """Give each way to read every word of a column, and the outcomes (row,) by it."""
    if not words.used or len(words.used) > _MOST_WORDS:
        return {}
    there = words.codes >= 0
    found: dict[str, Floats] = {}
    for how, known in vocabularies(form, words.used_words).items():
        means = np.array([value_of(word, known) for word in words.words], dtype=float)
        if not np.isnan(means[words.used]).any():
            found[how] = np.where(there, means[words.codes], np.nan)
    place = {name: k for k, name in enumerate(players)}
    named = np.array([place.get(text, -1) for text in words.texts], dtype=np.int64)
    if (named >= 0).any():
        means = np.array([value_of(word, {}) for word in words.words], dtype=float)
        means[np.isin(means, (FIRST, SECOND))] = np.nan
        # A player may be called tie.
        for how, who_is in {
            _BY_NAME: named,
            f"{_BY_NAME} or as a tie": np.where(np.isnan(means), named, -1),
        }.items():
            who = who_is[words.codes]
            values = np.where(who == first, FIRST, np.where(who == second, SECOND, np.nan))
            values = np.where(who < 0, means[words.codes], values)
            if not np.isnan(values[there]).any():
                found[how] = np.where(there, values, np.nan)
    return found


def _refuse_several(table: Table, words: _Words, readings: dict[str, Floats]) -> NoReturn:
    """Name every way to read a column that says something else, and how to write each."""
    different: dict[bytes, tuple[str, Floats]] = {}
    for how, values in readings.items():
        different.setdefault(values.tobytes(), (how, values))
    hows, outcomes = zip(*different.values(), strict=True)
    row = int(np.argmax(np.any([each != outcomes[0] for each in outcomes[1:]], axis=0)))
    ways = [_means(words, values) for values in outcomes]
    if any(how.startswith(_BY_NAME) for how in hows):  # one thing in this row, another in that
        ways = [dict.fromkeys(words.used, OPEN)]
    table.refuse(
        f"column {shown(words.column)} holds {shown(words.texts[words.codes[row]])}, of "
        f"{listed(_used(words))}: it may be read {', or '.join(hows)}. Write model_a, model_b and "
        f"tie instead: of a DataFrame, {', or '.join(words.mapping(way) for way in ways)}.",
        table.frame.index[row],
    )


def _used(words: _Words) -> list[str]:
    return [words.texts[k] for k in words.used]


def _refuse_unknown(
    table: Table, words: _Words, form: Form, first: Longs, second: Longs, players: list[str]
) -> NoReturn:
    """Say which outcomes are not known, and how often each is there."""
    known_words = vocabularies(form, words.used_words).values()
    counts = np.bincount(words.codes, minlength=len(words.texts))
    place = {name: k for k, name in enumerate(players)}
    unknown = []
    for k in words.used:
        who = place.get(words.texts[k])
        if who is not None:
            rows = words.codes == k
            neither = np.flatnonzero(rows & (first != who) & (second != who))
            if len(neither):
                row = int(neither[0])
                table.refuse(
                    f"column {shown(words.column)} names {shown(words.texts[k])}, but the players "
                    f"are {shown(players[first[row]])} and {shown(players[second[row]])}.",
                    table.frame.index[row],
                )
        elif all(value_of(words.words[k], known) is None for known in known_words):
            unknown.append(k)
    if not unknown:
        table.refuse(
            f"column {shown(words.column)} holds {listed(_used(words))}, which mean no one thing "
            f"together; known are {KNOWN}."
        )
    shares = [float(w) for w in (words.words[k] for k in words.used) if is_number(w)]
    if len(shares) == len(words.used) and 1.0 <= min(shares) and max(shares) <= 2.0:
        table.refuse(
            f"column {shown(words.column)} holds numbers between 1 and 2, such as "
            f"{shown(words.texts[unknown[0]])}: how much the second is preferred, and no vote. "
            "Write the nearest of 1, 1.5 and 2 (of a DataFrame: (2 * table[column]).round() / 2).",
            table.frame.index[int(np.argmax(words.codes == unknown[0]))],
        )
    held = [float(words.texts[k]) for k in words.used if is_number(words.texts[k])]
    whole = len(held) == len(words.used) and all(it % 1.0 == 0.0 for it in held)
    if whole and max(held) - min(held) <= 10.0:
        low, high = min(held), max(held)
        middle = 0.0 if low < 0.0 else 0.5 * (low + high)
        table.refuse(
            f"column {shown(words.column)} holds whole numbers from {low:g} to {high:g}: how much "
            "one of the two is preferred, and not which one. Write model_a, tie or model_b: where "
            f"small numbers are for {shown(form.first)}, of a DataFrame, "
            f"numpy.sign(table[column] - {middle:g}).map({{-1: 'model_a', 0: 'tie', 1: "
            "'model_b'}).",
            table.frame.index[int(np.argmax(words.codes == unknown[0]))],
        )
    written = {name.casefold(): name for name in players}
    for k in unknown:
        if (name := written.get(words.texts[k].casefold())) is not None:
            table.refuse(
                f"column {shown(words.column)} names {shown(words.texts[k])}, and the player is "
                f"called {shown(name)}, in other capitals: write one of the two everywhere.",
                table.frame.index[int(np.argmax(words.codes == k))],
            )
    unknown.sort(key=lambda k: -counts[k])
    said = ", ".join(f"{shown(words.texts[k])} ({counted(counts[k], 'vote')})" for k in unknown[:6])
    more = f" and {len(unknown) - 6} more" if len(unknown) > 6 else ""
    row = int(np.argmax(words.codes == unknown[0]))
    table.refuse(
        f"column {shown(words.column)} holds {said}{more}, which is not known as an outcome; known "
        f"are {KNOWN}. Write one of these, or name the column of the outcome (outcome=...).",
        table.frame.index[row],
    )


# -- numbers ---------------------------------------------------------------------------------------


def _by_scores(table: Table, columns: tuple[str, ...]) -> Outcomes:
    one, other = (complete_numbers(table, column) for column in columns)
    values = np.where(one > other, FIRST, np.where(one < other, SECOND, TIE))
    return Outcomes(values, f"{columns[0]} and {columns[1]} (the larger wins)")


def _by_losses(table: Table, columns: tuple[str, ...]) -> Outcomes:
    one, other = (complete_numbers(table, column) for column in columns)
    values = np.where(one < other, FIRST, np.where(one > other, SECOND, TIE))
    return Outcomes(values, f"{columns[0]} and {columns[1]} (the smaller wins)")


def _by_ranks(table: Table, columns: tuple[str, ...]) -> Outcomes:
    one, other = (complete_numbers(table, column) for column in columns)
    wrong = np.flatnonzero((one < 1.0) | (other < 1.0))
    if len(wrong):
        table.refuse(
            f"columns {listed(columns)} are ranks, of which 1 is best, and one is below; leave out "
            "rows in which a player has no rank.",
            table.frame.index[int(wrong[0])],
        )
    return _by_losses(table, columns)


def _by_marks(table: Table, columns: tuple[str, ...]) -> Outcomes:
    marks = np.column_stack([complete_numbers(table, column, words=True) for column in columns])
    wrong = np.flatnonzero(~np.isin(marks, (0.0, 1.0)).all(axis=1) | (marks.sum(axis=1) != 1.0))
    if len(wrong):
        table.refuse(
            f"of the columns {listed(columns)} one must be 1, and the others 0.",
            table.frame.index[int(wrong[0])],
        )
    meanings = np.array([FIRST, SECOND, TIE, BOTH_BAD])
    return Outcomes(meanings[marks.argmax(axis=1)], ", ".join(columns))


def _by_columns(table: Table, form: Form) -> Outcomes:
    values = np.full(len(table.frame), FIRST)
    if form.outcome:
        tie = complete_numbers(table, form.outcome[0], words=True)
        wrong = np.flatnonzero(~np.isin(tie, (0.0, 1.0)))
        if len(wrong):
            table.refuse(
                f"column {shown(form.outcome[0])} must be 1 where nobody won, and else 0.",
                table.frame.index[int(wrong[0])],
            )
        values[tie == 1.0] = TIE
        return Outcomes(values, f"the first won, or tie where {form.outcome[0]} is 1")
    for column in table.frame.columns:
        # Else a draw, which somebody must be called the winner of, would be won.
        if form.sides in WON and key(column) in OUTCOME:
            codes, distinct = _factorized(table.frame[column])
            words = [value_of(word_of(_text(it)), {}) for it in distinct[:_MOST_WORDS]]
            tied = [k for k, value in enumerate(words) if value in (TIE, BOTH_BAD, OPEN)]
            if tied:
                row = int(np.argmax(codes == tied[0]))
                table.refuse(
                    f"column {shown(column)} holds {shown(_text(distinct[tied[0]]))}, but "
                    f"{shown(form.first)} names who won; mark ties in a column called tie.",
                    table.frame.index[row],
                )
    _check_scores_of_won(table, form)
    return Outcomes(values, "the first won")


def _check_scores_of_won(table: Table, form: Form) -> None:
    """Refuse equal scores of a winner and a loser: draws, or won by something else."""
    by_key = {key(name): name for name in table.frame.columns}
    w, lost = form.sides or ("", "")
    for word in SCORE:
        for of in (f"{{}}{word}", f"{word}{{}}"):
            names = [by_key.get(of.format(side)) for side in (w, lost)]
            if None in names or set(names) & {form.first, form.second}:
                continue
            one, other = (pd.to_numeric(table.frame[name], errors="coerce") for name in names)
            equal = np.flatnonzero((one == other).to_numpy())
            if len(equal):
                table.refuse(
                    f"columns {listed(names)} are equal, in {counted(len(equal), 'row')}, and "
                    f"{shown(form.first)} names who won: add a column tie, of 1 where nobody won "
                    "and of 0 where somebody did (on penalties, say). Where equal is a tie, of a "
                    f"DataFrame, table.assign(tie=table[{names[0]!r}] == table[{names[1]!r}]).",
                    table.frame.index[int(equal[0])],
                )


def complete_numbers(table: Table, column: str, *, words: bool = False) -> Floats:
    """Read numbers (row,) of which none is missing."""
    remedy = "write a number, or leave the row out"
    values = as_numbers(table, column, words=words, remedy=remedy).to_numpy()
    if np.isnan(values).any():
        _missing(table, column, np.flatnonzero(np.isnan(values)))
    return values


def _missing(table: Table, column: str, rows: Longs) -> NoReturn:
    table.refuse(
        f"column {shown(column)} is empty, in {counted(len(rows), 'row')} of {len(table.frame)}; "
        "fill it (a tie is called tie), or leave out the rows that are no votes.",
        table.frame.index[int(rows[0])],
    )


def _factorized(cells: pd.Series) -> tuple[Longs, list[object]]:
    """Give each cell's place among the distinct ones; -1 where it is missing."""
    try:
        codes, distinct = pd.factorize(cells)
    except TypeError:  # a list, or another container
        codes, distinct = pd.factorize(cells.map(text_of))
    return np.asarray(codes, np.int64), list(distinct)


def _text(cell: object) -> str:
    return text_of(cell).strip()
