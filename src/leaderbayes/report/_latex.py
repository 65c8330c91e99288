"""A report in LaTeX, and its references in BibTeX."""

import os
import re
from collections.abc import Sequence

import xarray as xr

from leaderbayes import _arguments
from leaderbayes._files.write import check_file, write_files
from leaderbayes.report._audit import Question, audited
from leaderbayes.report._facts import Facts, facts_of
from leaderbayes.report._references import as_bibtex
from leaderbayes.report._style import Ready, Style, latex_style
from leaderbayes.report._text import draws_of, prose_of


def latex(
    dt: xr.DataTree | xr.Dataset,
    path: str | os.PathLike[str] | None = None,
    *,
    prob: float = 0.95,
    rope: float | None = None,
    audit: xr.DataTree | None = None,
) -> str:
    r"""Report a leaderboard in LaTeX: a fragment for ``\input``, and its references.

    Says what `text` says. It needs the package booktabs (and longtable, above 40 players). It
    cites with natbib's ``\citep``, which it makes ``\cite`` where there is none; its table is
    ``tab:leaderboard``.

    Parameters
    ----------
    dt : DataTree or Dataset
        From `leaderbayes.fit` or `leaderbayes.sota.posterior`; or an estimate from
        `leaderbayes.likelihood`.
    path : path, optional
        File to write it to, ``.tex``; references are written beside it, with the suffix ``.bib``.
        Both files, or none.
    prob, rope, audit
        As for `text`.

    Returns
    -------
    str
        Paragraphs of methods and results, a list of what the audit found where there is one, and a
        table. Names of players are escaped, and cut after 60 characters (in the audit whole).

    Raises
    ------
    LeaderbayesError
        If it is no fit of a leaderboard, an option is out of range, the audit is none, or of
        another fit, or the files cannot be written.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> from pathlib import Path
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), sampler="laplace", seed=1)
    >>> text = lb.report.latex(dt, "leaderboard.tex")
    >>> sorted(path.name for path in Path().glob("leaderboard.*"))
    ['leaderboard.bib', 'leaderboard.tex']
    """
    if path is None:
        return _fragment(facts_of(dt, prob, rope), "", _asked(dt, audit))[0]
    to = _arguments.path("path", path)
    check_file(to, ".tex")
    facts = facts_of(dt, prob, rope)
    text, style = _fragment(facts, to.stem, _asked(dt, audit))
    write_files({to: text, to.with_suffix(".bib"): _references(style, facts)})
    return text


def bibtex(dt: xr.DataTree | xr.Dataset, *, prob: float = 0.95, rope: float | None = None) -> str:
    """Give the references that `latex` and `text` cite, and no others, in BibTeX.

    Parameters
    ----------
    dt : DataTree or Dataset
        From `leaderbayes.fit` or `leaderbayes.sota.posterior`; or an estimate from
        `leaderbayes.likelihood`.
    prob, rope
        As for `text`.

    Returns
    -------
    str
        A BibTeX file.

    Raises
    ------
    LeaderbayesError
        If it is no fit of a leaderboard, or an option is out of range.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), sampler="laplace", seed=1)
    >>> print(lb.report.bibtex(dt))
    @article{arviz2026,
    ...
    """
    facts = facts_of(dt, prob, rope)
    return _references(_fragment(facts, "")[1], facts)


def _references(style: Style, facts: Facts) -> str:
    return as_bibtex(style.cited, facts["versions"]["leaderbayes"])


def _asked(dt: xr.DataTree | xr.Dataset, audit: xr.DataTree | None) -> list[Question]:
    return [] if audit is None else list(audited(dt, audit).values())


def _fragment(facts: Facts, bibliography: str, asked: Sequence[Question] = ()) -> tuple[str, Style]:
    """Write the fragment, and give the style that has noted its citations."""
    style = latex_style(draws_of(facts))
    prose = prose_of(style, facts)
    caption = Ready(style.paragraph("caption.jinja", facts)) if facts["converged"] else ""
    text = style.render(
        "report.tex.jinja",
        facts | {"prose": prose, "caption": caption, "bibliography": bibliography, "asked": asked},
    )
    # A line does not begin with a citation.
    return re.sub(r" (?=\\citep)", "~", text), style
