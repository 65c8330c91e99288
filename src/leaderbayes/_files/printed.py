"""Names as they are printed, whatever they hold: in one line, and in LaTeX."""

import re
import unicodedata

_UNBROKEN = 20  # characters of a word after which LaTeX may break it
_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\symbol{34}",
    "…": r"\ldots{}", "−": r"\textminus{}",
    **{c: rf"\{c}" for c in "&%$#_{}"},
}  # fmt: skip
_LIGATURES = re.compile(r"([-`',])(?=\1)|([?!])(?=`)")


def clean(text: str) -> str:
    """Write a text in one line, without characters that control, format or are none."""
    folded = " ".join(text.split())
    return "".join(c for c in folded if unicodedata.category(c)[0] != "C")


def escaped(text: str) -> str:
    """Write LaTeX that prints any text."""
    return " ".join(_breakable(word) for word in clean(text).split())


def _breakable(word: str) -> str:
    """Escape a word; one that would not fit a line may be broken."""
    pieces = [word]
    if len(word) > _UNBROKEN:
        pieces = re.findall(rf"[^\W_]{{1,{_UNBROKEN}}}\W*_*|\W+_*|_+", word)
    return r"\allowbreak{}".join(_escape(piece) for piece in pieces)


def _escape(piece: str) -> str:
    kept = _LIGATURES.sub(lambda match: match.group() + "\0", piece)
    # A kern, because LuaTeX sees through an empty group.
    return "".join(r"{\kern0pt}" if c == "\0" else _SPECIAL.get(c, c) for c in kept)
