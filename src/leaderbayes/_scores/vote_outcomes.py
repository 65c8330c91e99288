"""Who won each vote, by words, scores, ranks or marks; what may be read in two ways is refused."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

import numpy as np
import pandas as pd

from leaderbayes._errors import ScoresError
from leaderbayes._scores.cells import as_names, as_numbers
from leaderbayes._scores.tables import MISSING, Table, counted, is_number, listed, shown
from leaderbayes._scores.vote_forms import (
    NOUNS,
    OUTCOME,
    SIDES,
    Form,
    has_players,
    key,
    recognise_form,
)
from leaderbayes._types import Bools, Floats, Longs

FIRST, TIE, SECOND, BOTH_BAD, OPEN = 1.0, 0.5, 0.0, -1.0, -2.0  # OPEN: no result
_MEANS = {
    FIRST: "the first won", SECOND: "the second won", TIE: "tie", BOTH_BAD: "both bad",
    OPEN: "no result",
}  # fmt: skip
_KNOWN = (
    "model_a, model_b, tie, tie (bothbad), left, right, A>B, 1-0, win, draw, loss, or the name "
    "of either player"
)
_WRITE = (
    "Write model_a, model_b and tie (DataFrame.map), or name the column of the outcome "
    "(outcome=...)."
)
_CALLED_1 = (("1", "2"), ("one", "two"))  # where 2 is the second, and 0 none of both
_OF_POINTS = set("result outcome score points".split())  # columns of what the first one got
_BY_NAME = "as the name of a player"
_BEFORE = [*NOUNS, *"winner winnermodel response answer output option choice side".split()]
# How clearly somebody won does not count.
_MUCH = "much|far|significantly|clearly|strongly|slightly|somewhat|marginally|abit|alittle"
_AFTER = re.compile(rf"(?<=.)(is)?({_MUCH})?(better|preferred)$|(?<=.)(wins|won|win)$")
_SIGN = re.compile(
    r"(a|b|1|2|modela|modelb|left|right)([<>]+|[=~≈]+)(a|b|1|2|modela|modelb|left|right)"
)
_SIDE = {"modela": "a", "modelb": "b", "left": "a", "right": "b", "1": "a", "2": "b"}
_PLACES = {
    **dict.fromkeys("first left one home white win wins won winner leftvote".split(), FIRST),
    **dict.fromkeys(
        "second right two away visitor black loss lose loses lost rightvote".split(), SECOND
    ),
    **{f"{noun}{a}": FIRST for noun in _BEFORE for a in ("a", "1", "left", "first")},
    **{f"{noun}{b}": SECOND for noun in _BEFORE for b in ("b", "2", "right", "second")},
    "1-0": FIRST, "0-1": SECOND, "1:0": FIRST, "0:1": SECOND,
}  # fmt: skip
_NOBODY = {
    **dict.fromkeys(
        "tie tied ties draw drawn drew equal equally same even nopreference bothgood tiebothgood "
        "botharegood tieinconsistent tievote thesame aboutthesame aboutequal equallygood "
        "nodifference both bothcorrect nowinner neitherbetter neitherisbetter neitherpreferred "
        "neitherwins 1/2-1/2 1/2:1/2 0.5-0.5 1/2".split(),
        TIE,
    ),
    **dict.fromkeys(
        "bothbad tiebothbad bothbadtie botharebad bothbadvote bothwrong bothincorrect bothfail "
        "bothpoor equallybad bothequallybad neither neithergood neitherisgood noneofthem".split(),
        BOTH_BAD,
    ),
    "error": OPEN, "*": OPEN,
}  # fmt: skip
_WORDS = _PLACES | _NOBODY
# Letters mean what the others in the column make of them.
_LETTERS = {
    "a": {"a": FIRST, "b": SECOND, "c": TIE, "t": TIE},
    "home": {"h": FIRST, "a": SECOND, "v": SECOND, "d": TIE},
    "white": {"w": FIRST, "b": SECOND, "d": TIE, "w+": FIRST, "b+": SECOND},
    "left": {"l": FIRST, "r": SECOND, "t": TIE},
    "win": {"w": FIRST, "l": SECOND, "d": TIE, "t": TIE},
    "1X2": {"1": FIRST, "x": TIE, "2": SECOND},
    "yes": {"true": FIRST, "false": SECOND},
}


class Outcomes(NamedTuple):
    """What was made of the outcomes, and how to say it."""

    values: Floats  # (row,): FIRST, TIE, SECOND, BOTH_BAD or OPEN
    said: str


class _Words(NamedTuple):
    """The column of outcomes: its distinct cells, as they stand and as they are looked up."""

    table: Table
    form: Form
    first: Longs  # (row,) places in players
    second: Longs
    players: list[str]
    codes: Longs  # (row,) places in the next two
    texts: list[str]
    words: list[str]

    def refuse(self, rows: Bools, problem: str) -> NoReturn:
        """Refuse the outcome of the first of these rows."""
        row = int(np.argmax(rows))
        text = shown(self.texts[self.codes[row]])
        index = self.table.frame.index[row]
        self.table.refuse(f"column {shown(self.form.outcome[0])} holds {text}, {problem}", index)


def read_outcomes(
    table: Table, form: Form, first: Longs, second: Longs, players: list[str]
) -> Outcomes:
    """Read who won, of rows whose players are ``first`` and ``second``, places in ``players``."""
    if form.kind == "words":
        return _by_words(table, form, first, second, players)
    if form.kind == "won":
        return _by_columns(table, form)
    if form.kind == "marks":
        return _by_marks(table, form.outcome)
    one, other = (complete_numbers(table, column) for column in form.outcome)
    if form.kind == "losses":
        one, other = other, one
    values = np.where(one > other, FIRST, np.where(one < other, SECOND, TIE))
    wins = "smaller" if form.kind == "losses" else "larger"
    return Outcomes(values, f"{' and '.join(form.outcome)} (the {wins} wins)")


def is_votes(table: Table) -> bool:
    """Whether a table's columns are those of votes, and the players' columns hold names."""
    if not table.frame.columns.is_unique or table.frame.empty or not has_players(table.frame):
        return False
    try:
        form = recognise_form(table)
        names = [as_names(table, column) for column in (form.first, form.second)]
    except ScoresError:
        return False
    # Else they are scores of players that are called model_1 and model_2.
    ids = key(form.first).endswith("id")
    return ids or not any(is_number(name) for column in names for name in column.unique())


def word_of(text: str) -> str:
    """Write an outcome as it is looked up: of words the letters only, of signs no blanks."""
    bare = unicodedata.normalize("NFC", text).replace("½", "1/2").lower()
    bare = re.sub(r"[−–—]", "-", "".join(bare.split()))
    bare = bare.removeprefix("[[").removesuffix("]]")
    bare = re.sub(r"[≻>]", ">", re.sub(r"[≺<]", "<", bare))
    if is_number(bare) and len(bare) < 20:
        return f"{float(bare) + 0.0:g}"
    if bare in _WORDS or _SIGN.fullmatch(bare):
        return bare
    if re.fullmatch(r"[wb]\+(r|resign|t|time|f|forfeit|\d+(\.\d+)?)?", bare):  # of Go
        return bare[:2]
    word = re.sub(r"[\W_]+", "", bare)
    return word if word in _WORDS else _AFTER.sub("", word)


def _value_of(word: str, known: Mapping[str, float]) -> float:
    """Return what a word means; NaN if it is not known."""
    if word in known or word in _WORDS:
        return known.get(word, _WORDS.get(word, np.nan))
    sign = _SIGN.fullmatch(word)
    if sign is None:
        return np.nan
    one, mark, other = (_SIDE.get(part, part) for part in sign.groups())
    if one == other or len(set(mark)) > 1:
        return np.nan
    return TIE if mark[0] in "=~≈" else FIRST if (mark[0] == ">") == (one == "a") else SECOND


def _numbers(form: Form, used: set[str]) -> Mapping[str, float]:
    """Return what numbers stand for, where that is clear."""
    numbers, column = {word for word in used if is_number(word)}, key(form.outcome[0])
    of_first = column in _OF_POINTS
    if numbers <= {"1", "1.5", "2"}:
        return {"1": FIRST, "1.5": TIE, "2": SECOND}
    if _is_soft(form, numbers):
        return {word: (FIRST, TIE, SECOND)[round(2.0 * float(word)) - 2] for word in numbers}
    if numbers <= {"0", "0.5", "1"} and "1" in numbers and of_first:
        return {"0": SECOND, "0.5": TIE, "1": FIRST}
    if numbers <= {"-1", "0", "1"} and "-1" in numbers and (of_first or column == "label"):
        return {"-1": SECOND, "0": TIE, "1": FIRST}
    if numbers <= {"0", "1", "2"} and "2" in numbers and form.sides in _CALLED_1 and not of_first:
        return {"0": TIE, "1": FIRST, "2": SECOND}
    return {}


def _is_soft(form: Form, numbers: set[str]) -> bool:
    """Whether these are preferences of AlpacaEval, from 1, the first, to 2, the second."""
    between = all(1.0 <= float(word) <= 2.0 for word in numbers)
    return key(form.outcome[0]) == "preference" and form.sides in _CALLED_1 and between


def _vocabularies(form: Form, used: set[str]) -> list[Mapping[str, float]]:
    """List what letters and numbers may stand for, in a column of this name."""
    sides = set(form.sides or ())
    home = "home" in sides or key(form.outcome[0]) == "ftr"
    fits = {"home": home, "a": not home, "white": sides == {"white", "black"}}
    return [*(v for k, v in _LETTERS.items() if fits.get(k, True)), _numbers(form, used)]


def _readings(words: _Words) -> dict[str, Floats]:
    """Return each way to read every word of a column, and the outcomes (row,) by it."""
    own, found = sorted({*words.words}), dict[str, Floats]()
    for known in _vocabularies(words.form, {*own}):
        means = np.array([_value_of(word, known) for word in words.words])
        if not np.isnan(means).any():
            how = ", ".join(f"{word} for {_MEANS[known[word]]}" for word in own if word in known)
            found[f"with {how}" if how else "by words"] = means[words.codes]
    named = pd.Index(words.players).get_indexer(pd.Index(words.texts))
    nobody = np.array([_NOBODY.get(word, np.nan) for word in words.words])
    # A player may be called tie.
    ties_first = np.where(np.isnan(nobody), named, -1)
    for how, who_is in {_BY_NAME: named, f"{_BY_NAME} or as a tie": ties_first}.items():
        who = who_is[words.codes]
        values = np.where(who == words.second, SECOND, np.nan)
        values = np.where(who == words.first, FIRST, values)
        values = np.where(who < 0, nobody[words.codes], values)
        if (named >= 0).any() and not np.isnan(values).any():
            found[how] = values
    return found


def _by_words(
    table: Table, form: Form, first: Longs, second: Longs, players: list[str]
) -> Outcomes:
    column = form.outcome[0]
    codes, texts = pd.factorize(as_names(table, column, missing=""))
    missing = np.array([text.lower() in MISSING for text in texts])[codes]
    if missing.any():
        _missing(table, column, missing)
    looked_up = [word_of(text) for text in texts]
    words = _Words(table, form, first, second, players, codes, list(texts), looked_up)
    readings = _readings(words)
    if not readings:
        _refuse_unknown(words)
    (how, values), *others = readings.items()
    for _, other in others:
        if (different := values != other).any():
            ways = f"beside {listed(words.texts)}: it may be read {', or '.join(readings)}. "
            words.refuse(different, ways + _WRITE)
    if how.startswith(_BY_NAME):
        return Outcomes(values, f"{column} (the winner's name)")
    if _is_soft(form, numbers := {word for word in looked_up if is_number(word)}) and numbers:
        said = "from 1 (the first) to 2, rounded to half-wins; for their mean use mean_score"
        return Outcomes(values, f"{column} ({said})")
    won = np.isin(values, (FIRST, SECOND))
    if form.turned and won.any():
        pair = form.first, form.second
        one, other_one = pair if form.sides in SIDES else pair[::-1]
        words.refuse(
            won,
            f"but the columns of the players are in another order: name them, first={one!r}, "
            f"second={other_one!r} (--first {one} --second {other_one}), or write the winner's "
            "name.",
        )
    rows = np.unique(codes, return_index=True)[1]
    means = [f"{texts[k][:30]}: {_MEANS[values[row]]}" for k, row in enumerate(rows[:8])]
    return Outcomes(values, f"{column} ({'; '.join(means)})")


def _refuse_unknown(words: _Words) -> NoReturn:
    """Report which outcomes are not known, and how often each is there."""
    known = _vocabularies(words.form, {*words.words})
    named = pd.Index(words.players).get_indexer(pd.Index(words.texts))
    who = named[words.codes]
    neither = (who >= 0) & (words.first != who) & (words.second != who)
    if neither.any():
        row = int(np.argmax(neither))
        one, other = (shown(words.players[of[row]]) for of in (words.first, words.second))
        words.refuse(neither, f"but the players are {one} and {other}.")
    strange = np.array([all(np.isnan(_value_of(w, of)) for of in known) for w in words.words])
    counts = np.where(strange & (named < 0), np.bincount(words.codes), 0)
    worst = [k for k in np.argsort(-counts, kind="stable")[:6] if counts[k]]
    votes = [f"{shown(words.texts[k])} ({counted(counts[k], 'vote')})" for k in worst]
    what = f"unknown as an outcome: {', '.join(votes)}"
    if any(is_number(words.words[k]) for k in worst):
        what += "; numbers may be places, points, or a scale"
    what = what if worst else "and words that mean no one thing together"
    rows = words.codes == (worst or [0])[0]
    words.refuse(rows, f"{what}; known are {_KNOWN}. {_WRITE}")


def _by_marks(table: Table, columns: Sequence[str]) -> Outcomes:
    """Read columns of which one is 1: the first won, the second, neither, both are bad."""
    marks = np.column_stack([complete_numbers(table, c, words=True) for c in columns])
    wrong = ~np.isin(marks, (0.0, 1.0)).all(axis=1) | (marks.sum(axis=1) != 1.0)
    if wrong.any():
        row = table.frame.index[int(np.argmax(wrong))]
        table.refuse(f"one of the columns {listed(columns)} must be 1, and the others 0.", row)
    meanings = np.array([FIRST, SECOND, TIE, BOTH_BAD])
    return Outcomes(meanings[marks.argmax(axis=1)], ", ".join(columns))


def _by_columns(table: Table, form: Form) -> Outcomes:
    """Read votes whose columns name the winner and the loser."""
    values = np.full(len(table.frame), FIRST)
    if form.outcome:
        tie = complete_numbers(table, form.outcome[0], words=True)
        if (wrong := ~np.isin(tie, (0.0, 1.0))).any():
            table.refuse(
                f"column {shown(form.outcome[0])} must be 1 if neither won, and otherwise 0.",
                table.frame.index[int(np.argmax(wrong))],
            )
        values[tie == 1.0] = TIE
        return Outcomes(values, f"the first won, or tie where {form.outcome[0]} is 1")
    for column in table.frame.columns:
        # Else a draw, which somebody must be called the winner of, would be won.
        if key(column) in OUTCOME and column != form.first:
            cells = as_names(table, column, missing="")
            tied = cells.map(lambda text: word_of(text) in _NOBODY)
            if tied.any():
                table.refuse(
                    f"column {shown(column)} holds {shown(cells[tied].iloc[0])}, but "
                    f"{shown(form.first)} names who won; mark ties in a column called tie.",
                    cells[tied].index[0],
                )
    return Outcomes(values, "the first won")


def complete_numbers(table: Table, column: str, *, words: bool = False) -> Floats:
    """Read numbers (row,) of which none is missing."""
    remedy = "write a number, or remove the row"
    values = as_numbers(table, column, words=words, remedy=remedy).to_numpy()
    if np.isnan(values).any():
        _missing(table, column, np.isnan(values))
    return values


def _missing(table: Table, column: str, rows: Bools) -> NoReturn:
    table.refuse(
        f"column {shown(column)} is empty, in {counted(rows.sum(), 'row')} of {len(table.frame)}; "
        "fill it (write tie for a tie), or remove rows that are not votes.",
        table.frame.index[int(np.argmax(rows))],
    )
