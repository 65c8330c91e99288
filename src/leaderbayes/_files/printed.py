"""Names, numbers and answers as they are printed."""

import re
import unicodedata
from html import escape

import numpy as np
import xarray as xr

_UNBROKEN = 20  # characters of a word after which LaTeX may break it
_SPECIAL = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\symbol{34}",
    "…": r"\ldots{}", "−": r"\textminus{}",
    **{c: rf"\{c}" for c in "&%$#_{}"},
}  # fmt: skip
_LIGATURES = re.compile(r"([-`',])(?=\1)|([?!])(?=`)")


class Answer(xr.Dataset):  # type: ignore[no-untyped-call]
    """Numbers that print as sentences, the attribute ``message``, above a small table."""

    __slots__ = ()

    def __repr__(self) -> str:
        if self.sizes or "message" not in self.attrs:
            return super().__repr__()
        numbers = self.reset_coords(drop=True).to_array(name="").to_series().rename_axis(None)
        return f"{self.attrs['message']}\n\n{numbers.to_string(float_format='{:.4g}'.format)}"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


def probability(p: float) -> str:
    """Write a probability; what rounds to 0 or 1 is neither."""
    if np.isnan(p):
        return "undefined"
    if p < 0.005:
        return "<0.01"
    return ">0.99" if p > 0.995 else f"{p:.2f}"


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
