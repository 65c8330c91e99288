"""Who won each vote: words, signs and numbers of an outcome, and never one that may be two."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import NamedTuple, NoReturn

import numpy as np
import pandas as pd

from leaderbayes._errors import ScoresError
from leaderbayes._scores.cells import as_names, as_numbers
from leaderbayes._scores.tables import MISSING, Table, counted, is_number, listed, shown, text_of
from leaderbayes._scores.vote_forms import (
    NOUNS,
    OUTCOME,
    WON,
    Form,
    has_players,
    key,
    recognise_form,
)
from leaderbayes._types import Floats, Longs

FIRST, TIE, SECOND, BOTH_BAD, OPEN = 1.0, 0.5, 0.0, -1.0, -2.0  # OPEN: no result
_MOST_WORDS = 100_000  # more are no words of an outcome
_KNOWN = (
    "model_a, model_b, tie, tie (bothbad), left, right, A>B, 1-0, 0-1, 1/2-1/2, win, loss, draw, "
    "or the name of one of the two players"
)
# Of how few words each stands for a side beside others: "Model A wins", "answer 1".
_BEFORE = [*NOUNS, *"winner winnermodel response answer output option choice side".split()]
_MUCH = "much|far|significantly|clearly|strongly|slightly|somewhat|marginally|abit|alittle"
_AFTER = re.compile(rf"(?<=.)(is)?({_MUCH})?(better|preferred)$|(?<=.)(wins|won|win)$")
_SIGN = re.compile(
    r"(a|b|1|2|modela|modelb|left|right)([<>]+|[=~≈]+)(a|b|1|2|modela|modelb|left|right)"
)
_NAMED = {"modela": "a", "modelb": "b", "left": "a", "right": "b", "1": "a", "2": "b"}
_WORDS = {
    **dict.fromkeys("first left one home white win wins won winner leftvote".split(), FIRST),
    **dict.fromkeys("second right two away black loss lose loses lost rightvote".split(), SECOND),
    **{f"{noun}{a}": FIRST for noun in _BEFORE for a in ("a", "1", "left", "first")},
    **{f"{noun}{b}": SECOND for noun in _BEFORE for b in ("b", "2", "right", "second")},
    **dict.fromkeys(
        "tie tied ties draw drawn drew equal equally same even tossup nopreference bothgood "
        "tiebothgood bothequal tievote thesame aboutthesame equallygood nodifference".split(),
        TIE,
    ),
    "error": OPEN,
    **dict.fromkeys("bothbad tiebothbad bothbadtie botharebad bothbadvote".split(), BOTH_BAD),
}
_SIGNS = {
    "1-0": FIRST, "0-1": SECOND, "1:0": FIRST, "0:1": SECOND, "1/2-1/2": TIE, "1/2:1/2": TIE,
    "0.5-0.5": TIE, "1/2": TIE, "*": OPEN,
}  # fmt: skip
# Letters and numbers mean what the others in the column make of them.
_LETTERS = {
    "a": {"a": FIRST, "b": SECOND, "c": TIE, "t": TIE},
    "home": {"h": FIRST, "a": SECOND, "d": TIE},
    "white": {"w": FIRST, "b": SECOND, "d": TIE},
    "left": {"l": FIRST, "r": SECOND, "t": TIE},
    "win": {"w": FIRST, "l": SECOND, "d": TIE, "t": TIE},
    "1X2": {"1": FIRST, "x": TIE, "2": SECOND},
}
_POINTS = {"1": FIRST, "0.5": TIE, "0": SECOND, "true": FIRST, "false": SECOND}
_OF_NUMBERS = {
    "signs": {"1": FIRST, "0": TIE, "-1": SECOND},
    "places": {"1": FIRST, "1.5": TIE, "2": SECOND},
    "0 is a tie": {"0": TIE, "1": FIRST, "2": SECOND},
    "from 0": {"0": FIRST, "1": SECOND, "2": TIE},
}
_OF_POINTS = set("result outcome score points".split())


class Outcomes(NamedTuple):
    """What was made of the outcomes, and how to say it."""

    values: Floats  # (row,): FIRST, TIE, SECOND, BOTH_BAD or OPEN
    said: str


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
        if numbered:
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


def word_of(text: str) -> str:
    """Write an outcome as it is looked up: of words the letters only, of signs no blanks."""
    bare = unicodedata.normalize("NFC", text).replace("½", "1/2").lower()
    bare = re.sub(r"[−–—]", "-", "".join(bare.split()))
    bare = bare.removeprefix("[[").removesuffix("]]")
    bare = re.sub(r"[≻>]", ">", re.sub(r"[≺<]", "<", bare))
    if is_number(bare) and len(bare) < 20:
        return f"{float(bare) + 0.0:g}"
    if bare in _SIGNS or _SIGN.fullmatch(bare):
        return bare
    word = re.sub(r"[\W_]+", "", bare)
    return word if word in _WORDS else _AFTER.sub("", word)


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
    for other, different in others:
        apart = np.flatnonzero(values != different)
        if len(apart):
            row = int(apart[0])
            held = words.texts[words.codes[row]]
            table.refuse(
                f"column {shown(words.column)} holds {shown(held)}, of {listed(_used(words))}: it "
                f"may be read {how}, or {other}. Write model_a, model_b and tie instead (of a "
                "DataFrame: table[column].map({...: 'model_a', ...: 'model_b', ...: 'tie'})).",
                table.frame.index[row],
            )
    meanings = [(words.texts[k], values[int(np.argmax(words.codes == k))]) for k in words.used[:8]]
    if how == _BY_NAME:
        said = f"{words.column} (the winner's name)"
    else:
        said = f"{words.column} ({'; '.join(f'{t[:30]}: {_MEANS[v]}' for t, v in meanings)})"
    if any(_how_clearly(words.texts[k], words.words[k]) for k in words.used):
        said += ", how clearly does not count"
    return Outcomes(values, said)


def _how_clearly(text: str, word: str) -> bool:
    """Whether an outcome says by how much, which is passed over."""
    bare = re.sub(r"[\W_]+", "", text.lower())
    return bool(re.search(r"[<>]{2}", word) or re.search(rf"({_MUCH})(better|preferred)$", bare))


_BY_NAME = "as the name of a player"
_MEANS = {
    FIRST: "the first won", SECOND: "the second won", TIE: "tie", BOTH_BAD: "both bad",
    OPEN: "no result",
}  # fmt: skip


def _readings(
    words: _Words, form: Form, first: Longs, second: Longs, players: list[str]
) -> dict[str, Floats]:
    """Give each way to read every word of a column, and the outcomes (row,) by it."""
    if not words.used or len(words.used) > _MOST_WORDS:
        return {}
    there = words.codes >= 0
    found: dict[str, Floats] = {}
    for how, known in _vocabularies(words, form).items():
        means = np.array([_value(word, known) for word in words.words], dtype=float)
        if not np.isnan(means[words.used]).any():
            found[how] = np.where(there, means[words.codes], np.nan)
    place = {name: k for k, name in enumerate(players)}
    named = np.array([place.get(text, -1) for text in words.texts], dtype=np.int64)
    if (named >= 0).any():
        means = np.array([_value(word, {}) for word in words.words], dtype=float)
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


def _vocabularies(words: _Words, form: Form) -> dict[str, Mapping[str, float]]:
    """List what letters and numbers may stand for, in a column of this name."""
    used = {words.words[k] for k in words.used}
    numbers: dict[str, Mapping[str, float]] = {"points": _POINTS, **_OF_NUMBERS}
    if key(words.column) in _OF_POINTS or "0" not in used:
        del numbers["0 is a tie"], numbers["from 0"]
    if key(words.column) in _OF_POINTS and {"0", "1"} <= used and "-1" not in used:
        numbers = {"points": _POINTS}
    return _said([*_letters(form), *numbers.values()])


def _said(vocabularies: Iterable[Mapping[str, float]]) -> dict[str, Mapping[str, float]]:
    return {
        "with " + ", ".join(f"{word} for {_MEANS[value]}" for word, value in known.items()): known
        for known in vocabularies
    }


def _letters(form: Form) -> list[Mapping[str, float]]:
    home = form.sides == ("home", "away") or key(form.outcome[0]) == "ftr"
    names = {"home": home, "a": not home, "white": form.sides == ("white", "black")}
    return [of for name, of in _LETTERS.items() if names.get(name, True)]


def _value(word: str, known: Mapping[str, float]) -> float | None:
    """Give what a word means; None if it is none."""
    if word in known:
        return known[word]
    if word in _WORDS or word in _SIGNS:
        return _WORDS.get(word, _SIGNS.get(word))
    sign = _SIGN.fullmatch(word)
    if sign is None:
        return None
    one, mark, other = (_NAMED.get(part, part) for part in sign.groups())
    if one == other or len(set(mark)) > 1:
        return None
    return TIE if mark[0] in "=~≈" else FIRST if (mark[0] == ">") == (one == "a") else SECOND


def _used(words: _Words) -> list[str]:
    return [words.texts[k] for k in words.used]


def _refuse_unknown(
    table: Table, words: _Words, form: Form, first: Longs, second: Longs, players: list[str]
) -> NoReturn:
    """Say which outcomes are not known, and how often each is there."""
    vocabularies = _vocabularies(words, form).values()
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
        elif all(_value(words.words[k], known) is None for known in vocabularies):
            unknown.append(k)
    if not unknown:
        table.refuse(
            f"column {shown(words.column)} holds {listed(_used(words))}, which mean no one thing "
            f"together; known are {_KNOWN}."
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
    unknown.sort(key=lambda k: -counts[k])
    said = ", ".join(f"{shown(words.texts[k])} ({counted(counts[k], 'vote')})" for k in unknown[:6])
    more = f" and {len(unknown) - 6} more" if len(unknown) > 6 else ""
    row = int(np.argmax(words.codes == unknown[0]))
    table.refuse(
        f"column {shown(words.column)} holds {said}{more}, which is not known as an outcome; known "
        f"are {_KNOWN}. Write one of these, or name the column of the outcome (outcome=...).",
        table.frame.index[row],
    )


# -- numbers ---------------------------------------------------------------------------------------


def _by_scores(table: Table, columns: tuple[str, ...]) -> Outcomes:
    one, other = (complete_numbers(table, column) for column in columns)
    values = np.where(one > other, FIRST, np.where(one < other, SECOND, TIE))
    return Outcomes(values, f"{columns[0]} and {columns[1]} (the larger wins)")


def _by_ranks(table: Table, columns: tuple[str, ...]) -> Outcomes:
    one, other = (complete_numbers(table, column) for column in columns)
    wrong = np.flatnonzero((one < 1.0) | (other < 1.0))
    if len(wrong):
        table.refuse(
            f"columns {listed(columns)} are ranks, of which 1 is best, and one is below; leave out "
            "rows in which a player has no rank.",
            table.frame.index[int(wrong[0])],
        )
    values = np.where(one < other, FIRST, np.where(one > other, SECOND, TIE))
    return Outcomes(values, f"{columns[0]} and {columns[1]} (the smaller wins)")


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
            words = [_value(word_of(_text(it)), {}) for it in distinct[:_MOST_WORDS]]
            tied = [k for k, value in enumerate(words) if value in (TIE, BOTH_BAD, OPEN)]
            if tied:
                row = int(np.argmax(codes == tied[0]))
                table.refuse(
                    f"column {shown(column)} holds {shown(_text(distinct[tied[0]]))}, but "
                    f"{shown(form.first)} names who won; mark ties in a column called tie.",
                    table.frame.index[row],
                )
    return Outcomes(values, "the first won")


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
