"""A report in plain text."""

import textwrap
from typing import Any, Literal, NamedTuple

import xarray as xr

from leaderbayes.report._audit import audited
from leaderbayes.report._columns import Column
from leaderbayes.report._facts import Facts, facts_of
from leaderbayes.report._references import listed
from leaderbayes.report._style import Style, text_style

_WIDTH = 88


class Text(str):
    """A string that a notebook shows as it reads, in place of one line of quotes and escapes."""

    __slots__ = ()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))


class Prose(NamedTuple):
    """Paragraphs of a report, in one style; "" where there is none."""

    caution: str
    methods: str
    results: str


def text(
    dt: xr.DataTree | xr.Dataset,
    *,
    prob: float = 0.95,
    rope: float | None = None,
    audit: xr.DataTree | None = None,
    anchor: str | None = None,
    scale: Literal["elo"] | None = None,
    anchor_at: float | None = None,
) -> str:
    """Report a leaderboard in plain text: methods, results, a table and references.

    Without convergence the first sentence says so, and there are neither results nor a table.

    Parameters
    ----------
    dt : DataTree or Dataset
        Posterior of any model; or an estimate from `leaderbayes.likelihood`.
    prob : float
        Probability of the intervals, and from which two players are distinguishable.
    rope : float, optional
        Region of practical equivalence, as for `leaderbayes.compare`, to compare the leader and
        the runner-up with. Not of an estimate.
    audit : DataTree, optional
        What `leaderbayes.audit` returned of this posterior, for a section of its own.
    anchor, scale, anchor_at
        As for `leaderbayes.leaderboard`.

    Returns
    -------
    str
        Names of players stand in one line, cut after 60 characters.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), seed=1)
    >>> text = lb.report.text(dt)
    >>> [line for line in text.splitlines() if line in ("Methods", "Results", "References")]
    ['Methods', 'Results', 'References']
    """
    anchored = {"anchor": anchor, "scale": scale, "anchor_at": anchor_at}
    facts, style = facts_of(dt, prob, rope, anchored), text_style()
    asked = [] if audit is None else list(audited(dt, audit).values())
    prose = prose_of(style, facts)
    parts = [_wrapped(prose.caution)] if prose.caution else []
    parts.append(_section("Methods", _wrapped(prose.methods)))
    parts.append(_section("Results", _wrapped(prose.results)))
    if asked and facts["converged"]:
        said = (_wrapped(f"{each.heading}. {each.said}", hanging=True) for each in asked)
        parts.append(_section("Audit", "\n".join(said)))
    if facts["converged"]:
        caption = style.paragraph("caption.jinja", facts)
        parts += [_wrapped(f"Table 1. {caption}"), _table(cells_of(facts))]
    references = listed(style.cited, facts["versions"]["leaderbayes"])
    parts.append(_section("References", "\n".join(_wrapped(r, hanging=True) for r in references)))
    return Text("\n\n".join(parts) + "\n")


def prose_of(style: Style, facts: Facts) -> Prose:
    """Write the paragraphs."""
    estimate = facts["kind"] == "estimate"
    methods = style.paragraph("estimate_methods.jinja" if estimate else "methods.jinja", facts)
    if not facts["converged"]:
        caution = style.paragraph("caution.jinja", facts)
        return Prose(caution, methods, "There are no results, because the chains did not converge.")
    results = "estimate" if estimate else facts["parameter"]
    return Prose("", methods, style.paragraph(f"results/{results}.jinja", facts))


def cells_of(facts: Facts) -> list[list[str]]:
    """Return the table, row by row and the headings first, with rows numbered."""
    columns: list[Column] = facts["columns"]
    ends = "CI" if facts["kind"] == "estimate" else "CrI"
    made = [["#", *map(str, range(1, len(columns[0].texts) + 1))]]
    for column in columns:
        made.append([column.heading, *column.texts])
        if column.intervals is not None:
            made.append([f"{100.0 * facts['prob']:.6g}% {ends}", *column.intervals])
    return [list(row) for row in zip(*made, strict=True)]


def _table(rows: list[list[str]]) -> str:
    """Align columns; names on the left."""
    from rich.cells import cell_len

    # Columns of a terminal, of which some letters take two, and accents none.
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in (rows[0], ["-" * width for width in widths], *rows[1:]):
        room = [" " * (width - cell_len(cell)) for width, cell in zip(widths, row, strict=True)]
        shown = (c + r if k == 1 else r + c for k, (c, r) in enumerate(zip(row, room, strict=True)))
        lines.append("  ".join(shown).rstrip())
    return "\n".join(lines)


def _section(title: str, body: str) -> str:
    return f"{title}\n{'-' * len(title)}\n{body}"


def _wrapped(paragraph: str, *, hanging: bool = False) -> str:
    indent = "    " if hanging else ""
    return textwrap.fill(
        paragraph, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
