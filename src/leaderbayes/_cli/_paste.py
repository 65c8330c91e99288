"""Tables to paste, in Markdown and LaTeX: pandas needs packages for these that the core lacks."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

_TEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "_": r"\_", "%": r"\%", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip
_LEFT = ("player", "group", "ranks")


def markdown(table: "pd.DataFrame", note: str) -> str:
    """Write a table as GitHub's Markdown has them, with a note below it."""
    rules = [":---" if name in _LEFT else "---:" for name in table]
    rows: list[list[str]] = [
        [str(name) for name in table],
        rules,
        *table.astype(str).to_numpy().tolist(),
    ]
    lines = [
        "| " + " | ".join(cell if row is rules else _plain(cell) for cell in row) + " |"
        for row in rows
    ]
    return "\n".join([*lines, "", _plain(note)]) + "\n"


def latex(table: "pd.DataFrame", note: str) -> str:
    """Write a table for LaTeX with booktabs, with a note below it."""
    columns = "".join("l" if name in _LEFT else "r" for name in table)
    rows = [
        " & ".join(_tex(str(cell)) for cell in row) + r" \\"
        for row in [list(table), *table.astype(str).to_numpy().tolist()]
    ]
    lines = [
        rf"\begin{{tabular}}{{{columns}}}", r"\toprule", rows[0], r"\midrule", *rows[1:],
        r"\bottomrule", r"\end{tabular}", "", rf"% {_one_line(note)}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def html(table: "pd.DataFrame", note: str) -> str:
    """Write a table for a page, with a note below it."""
    from html import escape

    shown: str = table.to_html(index=False, border=0)
    return f"{shown}\n<p>{escape(note)}</p>\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _plain(text: str) -> str:
    """Escape what Markdown would take for markup; a name is data."""
    marks = "\\`*_[]<>|~"
    return "".join(f"\\{c}" if c in marks else c for c in _one_line(text))


def _tex(text: str) -> str:
    return "".join(_TEX.get(c, c) for c in _one_line(text))
