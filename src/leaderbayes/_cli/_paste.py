"""Tables to paste, in Markdown and LaTeX: pandas needs packages for these that the core lacks."""

from typing import TYPE_CHECKING

from leaderbayes._files.printed import clean, escaped

if TYPE_CHECKING:
    import pandas as pd

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
        " & ".join(escaped(str(cell)) for cell in row) + r" \\"
        for row in [list(table), *table.astype(str).to_numpy().tolist()]
    ]
    lines = [
        rf"\begin{{tabular}}{{{columns}}}", r"\toprule", rows[0], r"\midrule", *rows[1:],
        r"\bottomrule", r"\end{tabular}", "", rf"% {clean(note)}",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def html(table: "pd.DataFrame", note: str) -> str:
    """Write a table for a page, with a note below it."""
    from html import escape

    shown: str = table.astype(str).map(clean).to_html(index=False, border=0)
    return f"{shown}\n<p>{escape(clean(note))}</p>\n"


def _plain(text: str) -> str:
    """Escape what Markdown would take for markup; a name is data."""
    marks = "\\`*_[]<>|~"
    return "".join(f"\\{c}" if c in marks else c for c in clean(text))
