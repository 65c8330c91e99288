"""A report in plain text."""

import textwrap
from typing import Any, NamedTuple

import xarray as xr

from leaderbayes.report._audit import audited
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
) -> str:
    """Report a leaderboard in plain text: what was done, what came out, table and references.

    A fit that did not converge says so in its first sentence, and has neither results nor a
    table.

    Parameters
    ----------
    dt : DataTree or Dataset
        From `leaderbayes.fit` or `leaderbayes.sota.posterior`; or an estimate from
        `leaderbayes.likelihood`.
    prob : float
        Posterior probability of the (equal-tailed) intervals, and at which two players are told
        apart; of an estimate, coverage of the normal intervals.
    rope : float, optional
        Region of practical equivalence on the win probability, or of mean scores on their
        difference, as for `leaderbayes.compare`: the leader and the runner-up are compared with it
        too. Of a fit from `leaderbayes.fit` only.
    audit : DataTree, optional
        What `leaderbayes.audit` returned of this fit, for a section on what of the table is real.

    Returns
    -------
    str
        Paragraphs of methods and results, of the audit where there is one, a table of all players,
        and the references that the paragraphs cite. Names of players stand in one line, cut after
        60 characters (in the audit whole). Notebooks show it as it reads.

    Raises
    ------
    LeaderbayesError
        If it is no fit of a leaderboard, an option is out of range, or the audit is none, or of
        another fit.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), sampler="laplace", seed=1)
    >>> text = lb.report.text(dt)
    >>> [line for line in text.splitlines() if line in ("Methods", "Results", "References")]
    ['Methods', 'Results', 'References']
    """
    facts = facts_of(dt, prob, rope)
    asked = {} if audit is None else audited(dt, audit)
    style = text_style(draws_of(facts))
    prose = prose_of(style, facts)
    parts = [_wrapped(prose.caution)] if prose.caution else []
    parts.append(_section("Methods", _wrapped(prose.methods)))
    parts.append(_section("Results", _wrapped(prose.results)))
    if facts["converged"]:
        if asked:
            parts.append(
                _section(
                    "Audit",
                    "\n".join(
                        _wrapped(f"{each.heading}. {each.said}", hanging=True)
                        for each in asked.values()
                    ),
                )
            )
        parts.append(_table(style, facts))
    references = listed(style.cited, facts["versions"]["leaderbayes"])
    parts.append(_section("References", "\n".join(_wrapped(r, hanging=True) for r in references)))
    return Text("\n\n".join(parts) + "\n")


def draws_of(facts: Facts) -> int | None:
    """Count posterior draws; None of an estimate."""
    return None if facts["kind"] == "estimate" else facts["chains"] * facts["draws"]


def prose_of(style: Style, facts: Facts) -> Prose:
    """Write the paragraphs."""
    methods = style.paragraph(f"{facts['prefix']}methods.jinja", facts)
    if not facts["converged"]:
        caution = style.paragraph("caution.jinja", facts)
        return Prose(caution, methods, "No results are given, because the fit did not converge.")
    return Prose("", methods, style.paragraph(f"{facts['prefix']}results.jinja", facts))


def _table(style: Style, facts: Facts) -> str:
    """Write a table of all players, with aligned columns and a line that explains them."""
    from rich.cells import cell_len

    caption = _wrapped(f"Table 1. {style.paragraph('caption.jinja', facts)}")
    head, *rows = (
        [cell.strip("\n") for cell in line.split("\t")]
        for line in style.render(f"{facts['layout']}.txt.jinja", facts).splitlines()
    )
    # Columns of a terminal, of which some letters take two, and accents none.
    widths = [max(map(cell_len, column)) for column in zip(head, *rows, strict=True)]

    def aligned(k: int, cell: str) -> str:
        room = " " * (widths[k] - cell_len(cell))
        return cell + room if k == 1 else room + cell

    lines = [
        "  ".join(aligned(k, cell) for k, cell in enumerate(row)).rstrip()
        for row in (head, ["-" * width for width in widths], *rows)
    ]
    return f"{caption}\n\n" + "\n".join(lines)


def _section(title: str, body: str) -> str:
    return f"{title}\n{'-' * len(title)}\n{body}"


def _wrapped(paragraph: str, *, hanging: bool = False) -> str:
    indent = "    " if hanging else ""
    return textwrap.fill(
        paragraph, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
