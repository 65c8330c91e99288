"""References that reports cite, from ``references.bib``: as BibTeX, and as text."""

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

_ENTRY = re.compile(r"^@(\w+)\{(\w+),\n(.*?)^\}$", flags=re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", flags=re.MULTILINE)


@cache
def entries() -> dict[str, tuple[str, dict[str, str]]]:
    """Read kind and fields of every reference, by its key."""
    source = (files("leaderbayes.report") / "references.bib").read_text(encoding="utf-8")
    return {key: (kind, dict(_FIELD.findall(body))) for kind, key, body in _ENTRY.findall(source)}


def short(key: str) -> str:
    """Cite a reference in text: author and year."""
    _, fields = entries()[key]
    who = [_plain(name.split(", ")[0]) for name in fields["author"].split(" and ")]
    names = f"{who[0]} et al." if len(who) > 2 else " & ".join(who)
    return f"{names}, {fields['year']}"


def listed(keys: Iterable[str], version: str) -> list[str]:
    """Write references out as text, in the order of their authors."""
    return sorted((_long(key, version) for key in dict.fromkeys(keys)), key=str.casefold)


def as_bibtex(keys: Iterable[str], version: str) -> str:
    """Write references as a BibTeX file, in the order of their keys, of this package's version."""
    blocks = []
    for key in sorted(set(keys)):
        kind, fields = entries()[key]
        lines = [f"  {name} = {{{value}}},\n" for name, value in fields.items()]
        blocks.append(f"@{kind}{{{key},\n{''.join(lines)}}}\n".replace("VERSION", version))
    return "\n".join(blocks)


def _long(key: str, version: str) -> str:
    _, fields = entries()[key]
    who = [_name(name) for name in fields["author"].split(" and ")]
    authors = f"{', '.join(who[:-1])}, & {who[-1]}" if len(who) > 1 else who[0]
    text = f"{authors} ({fields['year']}). {fields['title']}."
    if "journal" in fields:
        volume = f", {fields['volume']}" if "volume" in fields else ""
        volume += f"({fields['number']})" if "number" in fields else ""
        pages = f", {fields['pages']}" if "pages" in fields else ""
        text += f" {fields['journal']}{volume}{pages}."
    if "publisher" in fields:
        text += f" {fields['publisher']}."
    if "note" in fields:
        text += f" {fields['note'].replace('VERSION', version)}."
    if "doi" in fields:
        text += f" https://doi.org/{fields['doi']}"
    return _plain(text)


def _name(name: str) -> str:
    """Write an author as "Family, I. J."; one in braces as it is."""
    if ", " not in name:
        return name
    family, given = name.split(", ")
    initials = ["-".join(f"{part[0]}." for part in word.split("-")) for word in given.split()]
    return f"{family}, {' '.join(initials)}"


def _plain(text: str) -> str:
    r"""Write BibTeX's marks as text: braces off, dashes, and the one formula, R-hat."""
    text = text.replace(r"$\widehat{R}$", "R-hat").replace("--", "–")
    return text.replace("{", "").replace("}", "")
