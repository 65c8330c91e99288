"""Names as they are kept, and names that only look the same."""

import re
import unicodedata
from collections.abc import Iterable

# Soft hyphen, zero-width space, word joiner, byte order mark.
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
# Some letters and emoji need these within a name.
_JOINERS = dict.fromkeys(map(ord, "\u200c\u200d\u200e\u200f"))
_WHOLE = re.compile(r"^(-?\d+)\.0+$")
_BLANK = re.compile(r"[^\S\t\n\r\v\f]")  # non-breaking, thin, ideographic and other spaces


def clean(name: str) -> str:
    """Bring a name to Unicode's normal form C, with plain spaces, and none around it or unseen."""
    if name.isascii():
        return name.strip()
    return _BLANK.sub(" ", unicodedata.normalize("NFC", name).translate(_UNSEEN)).strip()


def alike(names: Iterable[str]) -> list[tuple[str, ...]]:
    """Group names that differ only in case, width, blanks, or as 1 and 1.0 do."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(_key(name), []).append(name)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def _key(name: str) -> str:
    if not name.isascii():
        name = unicodedata.normalize("NFKC", name).translate(_JOINERS)
    key = "".join(name.split()).casefold()
    return _WHOLE.sub(r"\1", key) if ".0" in key else key
