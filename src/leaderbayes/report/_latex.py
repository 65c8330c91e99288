"""A report in LaTeX, and its references in BibTeX."""

import os
import re
from collections.abc import Sequence
from typing import Literal

import xarray as xr

from leaderbayes import _arguments
from leaderbayes._files.write import check_file, write_files
from leaderbayes.report._audit import Question, audited
from leaderbayes.report._facts import Facts, facts_of
from leaderbayes.report._references import as_bibtex
from leaderbayes.report._style import Style, latex_style
from leaderbayes.report._text import cells_of, prose_of

_LONG, _WIDE = 40, 30  # rows of a longtable, letters of names that are broken


def latex(
    dt: xr.DataTree | xr.Dataset,
    path: str | os.PathLike[str] | None = None,
    *,
    prob: float = 0.95,
    rope: float | None = None,
    audit: xr.DataTree | None = None,
    anchor: str | None = None,
    scale: Literal["elo"] | None = None,
    anchor_at: float | None = None,
) -> str:
    r"""Report a leaderboard in LaTeX: a fragment for ``\input``, and its references.

    The content is that of `text`. It needs the package booktabs (and longtable, above 40 players),
    and cites with ``\citep``; its table is ``tab:leaderboard``.

    Parameters
    ----------
    dt : DataTree or Dataset
        Posterior of any model; or an estimate from `leaderbayes.likelihood`.
    path : path, optional
        File to write it to, ``.tex``; references are written beside it, with the suffix ``.bib``.
    prob, rope, audit, anchor, scale, anchor_at
        As for `text`.

    Returns
    -------
    str
        Paragraphs and a table. Names of players are escaped, and cut after 60 characters.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> from pathlib import Path
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), seed=1)
    >>> text = lb.report.latex(dt, "leaderboard.tex")
    >>> sorted(path.name for path in Path().glob("leaderboard.*"))
    ['leaderboard.bib', 'leaderboard.tex']
    """
    asked = [] if audit is None else list(audited(dt, audit).values())
    anchored = {"anchor": anchor, "scale": scale, "anchor_at": anchor_at}
    if path is None:
        return _fragment(facts_of(dt, prob, rope, anchored), "", asked)[0]
    to = _arguments.path("path", path)
    check_file(to, ".tex")
    facts = facts_of(dt, prob, rope, anchored)
    text, style = _fragment(facts, to.stem, asked)
    references = as_bibtex(style.cited, facts["versions"]["leaderbayes"])
    write_files({to: text, to.with_suffix(".bib"): references})
    return text


def _fragment(facts: Facts, bibliography: str, asked: Sequence[Question] = ()) -> tuple[str, Style]:
    """Write the fragment, and return the style that has noted its citations."""
    style = latex_style()
    shown = {"prose": prose_of(style, facts), "bibliography": bibliography, "asked": asked}
    long, table = False, {}
    if facts["converged"]:
        head, *body = cells_of(facts)
        names = [row[1] for row in body]
        long, wide = len(body) > _LONG, max(map(len, names)) > _WIDE
        align = "r" + (r"p{0.25\linewidth}" if wide else "l") + "r" * (len(head) - 2)
        caption = style.paragraph("caption.jinja", facts)
        table = {"head": head, "body": body, "align": align, "wide": wide, "caption": caption}
    text = style.render("report.tex.jinja", facts | shown | table | {"long": long})
    # A line does not begin with a citation.
    return re.sub(r" (?=\\citep)", "~", text), style
