"""What words, signs, letters and numbers say of who won a vote, by the column that they are of."""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from leaderbayes._scores.tables import is_number
from leaderbayes._scores.vote_forms import NOUNS, SIDES, Form, key

FIRST, TIE, SECOND, BOTH_BAD, OPEN = 1.0, 0.5, 0.0, -1.0, -2.0  # OPEN: no result
MEANS = {
    FIRST: "the first won", SECOND: "the second won", TIE: "tie", BOTH_BAD: "both bad",
    OPEN: "no result",
}  # fmt: skip
KNOWN = (
    "model_a, model_b, tie, tie (bothbad), neither, left, right, A>B, 1-0, 0-1, 1/2-1/2, win, "
    "loss, draw, or the name of one of the two players"
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
    **dict.fromkeys(
        "second right two away visitor black loss lose loses lost rightvote".split(), SECOND
    ),
    **{f"{noun}{a}": FIRST for noun in _BEFORE for a in ("a", "1", "left", "first")},
    **{f"{noun}{b}": SECOND for noun in _BEFORE for b in ("b", "2", "right", "second")},
    **dict.fromkeys(
        "tie tied ties draw drawn drew equal equally same even tossup nopreference bothgood "
        "tiebothgood botharegood tieinconsistent bothequal tievote thesame "
        "aboutthesame aboutequal equallygood samequality nodifference both bothcorrect nowinner "
        # Of these "neither" is left, once how much better is taken away, which says another thing.
        "neitherbetter neitherisbetter neitherpreferred neitherispreferred neitherwins "
        "neitherwon".split(),
        TIE,
    ),
    "error": OPEN,
    **dict.fromkeys(
        "bothbad tiebothbad bothbadtie botharebad bothbadvote bothwrong bothincorrect bothfail "
        "bothfailed bothpoor equallybad bothequallybad bothareequallybad neither neithergood "
        "neitherisgood neitheranswer neithermodel neitherresponse noneofthem".split(),
        BOTH_BAD,
    ),
}
_SIGNS = {
    "1-0": FIRST, "0-1": SECOND, "1:0": FIRST, "0:1": SECOND, "1/2-1/2": TIE, "1/2:1/2": TIE,
    "0.5-0.5": TIE, "1/2": TIE, "*": OPEN,
}  # fmt: skip
# Letters and numbers mean what the others in the column make of them.
_LETTERS = {
    "a": {"a": FIRST, "b": SECOND, "c": TIE, "t": TIE},
    "home": {"h": FIRST, "a": SECOND, "v": SECOND, "d": TIE},
    "white": {"w": FIRST, "b": SECOND, "d": TIE, "w+": FIRST, "b+": SECOND},
    "left": {"l": FIRST, "r": SECOND, "t": TIE},
    "win": {"w": FIRST, "l": SECOND, "d": TIE, "t": TIE},
    "1X2": {"1": FIRST, "x": TIE, "2": SECOND},
}
_POINTS = {"1": FIRST, "0.5": TIE, "0": SECOND, "true": FIRST, "false": SECOND}
_TWO_POINTS = {"0": SECOND, "1": TIE, "2": FIRST}
_BY_SIGN = {"-1": SECOND, "0": TIE, "1": FIRST}
_PLACES = {"1": FIRST, "1.5": TIE, "2": SECOND}
_NOBODY_IS_0 = {"0": TIE, "1": FIRST, "2": SECOND}
_FROM_0 = {"0": FIRST, "1": SECOND, "2": TIE}
_TO_3 = (
    {"1": FIRST, "2": SECOND, "3": TIE},
    {"1": FIRST, "2": TIE, "3": SECOND},
    {"1": SECOND, "2": TIE, "3": FIRST},
)
# Columns of what the first one got, and not of which of the two it was.
_OF_POINTS = set("result outcome score points".split())


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
    if re.fullmatch(r"[wb]\+(r|resign|t|time|f|forfeit|\d+(\.\d+)?)?", bare):  # of Go
        return bare[:2]
    word = re.sub(r"[\W_]+", "", bare)
    return word if word in _WORDS else _AFTER.sub("", word)


def says_how_clearly(text: str, word: str) -> bool:
    """Whether an outcome says by how much, which is passed over."""
    bare = re.sub(r"[\W_]+", "", text.lower())
    return bool(re.search(r"[<>]{2}", word) or re.search(rf"({_MUCH})(better|preferred)$", bare))


def vocabularies(form: Form, used: Iterable[str]) -> dict[str, Mapping[str, float]]:
    """List what letters and numbers may stand for, in a column of this name.

    Parameters
    ----------
    form : Form
        Whose outcome is one column.
    used : iterable of str
        The words in it, as of `word_of`.

    Returns
    -------
    dict
        What each word means, by how to say so.
    """
    there = sorted(set(used))
    found: dict[str, Mapping[str, float]] = {}
    for known in [*_letters(form), *_numbers(form, set(there))]:
        said = ", ".join(f"{word} for {MEANS[known[word]]}" for word in there if word in known)
        found.setdefault(f"with {said}" if said else "by its words", known)
    return found


def _letters(form: Form) -> list[Mapping[str, float]]:
    sides = set(form.sides or ())
    home = "home" in sides or key(form.outcome[0]) == "ftr"
    names = {"home": home, "a": not home, "white": sides == {"white", "black"}}
    return [of for name, of in _LETTERS.items() if names.get(name, True)]


def _numbers(form: Form, used: set[str]) -> list[Mapping[str, float]]:
    of_first = key(form.outcome[0]) in _OF_POINTS
    if of_first and {"0", "1"} <= used and not used & {"-1", "2"}:
        return [_POINTS]
    known: list[Mapping[str, float]] = [_POINTS, _BY_SIGN, _PLACES]
    if "3" in used:
        known += _TO_3
    if "0" not in used or (of_first and "2" not in used):
        return known
    # Where players are called by 1 and 2, 2 is the second, and 0 none of both.
    by_number = form.sides in (("1", "2"), ("one", "two")) and "2" in used and not of_first
    known += [_NOBODY_IS_0, *([] if by_number else [_FROM_0])]
    return [_TWO_POINTS, *known] if of_first else known


def doubtful_signs(form: Form, used: Iterable[str]) -> bool:
    """Whether 1 and -1, taken for the first and the second, may mean something else.

    -1 is what the second one won where the column is of the first one's result. One that says who
    was liked may run from the first to the second, or count players from 0, with -1 for nobody.
    """
    return "-1" in used and key(form.outcome[0]) not in {*_OF_POINTS, "label"}


def of_place(form: Form, used: Iterable[str]) -> list[str]:
    """List words that say by its place (1, win, first) who won, and not by its column's side.

    Parameters
    ----------
    form : Form
        Whose outcome is one column.
    used : iterable of str
        The words that say who won, as of `word_of`.
    """
    there = set(used)
    if form.sides is None:
        return []
    a, b = form.sides if form.sides in SIDES else form.sides[::-1]
    names = {a, b}
    if a in ("1", "one"):
        names = {"1", "2", "one", "two"}
    if b[0] in there:  # W is a win, beside L
        names |= {a[0], b[0]}
    if a == "white":
        names |= {"w+", "b+", "1-0", "0-1"}

    def names_a_side(word: str) -> bool:
        sign = _SIGN.fullmatch(word)
        if sign is not None:
            return {part.removeprefix("model") for part in (sign[1], sign[3])} <= names
        return word in names or any(word == f"{noun}{name}" for noun in _BEFORE for name in names)

    return sorted(word for word in there if not names_a_side(word))


def value_of(word: str, known: Mapping[str, float]) -> float | None:
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
