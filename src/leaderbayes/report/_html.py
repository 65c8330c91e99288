"""One page that has it all and needs nothing else: no server, no network."""

import base64
import os
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import metadata
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._answers.best import is_best
from leaderbayes._arguments import share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.write import check_file, write_files
from leaderbayes._fits.require import require_tree
from leaderbayes.report._audit import section
from leaderbayes.report._best import best
from leaderbayes.report._boards import SCALE, boards
from leaderbayes.report._card import card_of
from leaderbayes.report._charts import bokeh_script, charts, scales, white_from
from leaderbayes.report._references import as_bibtex

_PACKED = (".gz", ".bz2", ".xz", ".zip", ".zst")


def html(
    dt: xr.DataTree,
    path: str | os.PathLike[str],
    *,
    sota: xr.DataTree | None = None,
    audit: xr.DataTree | None = None,
    title: str | None = None,
    prob: float = 0.95,
    top: int = 100,
) -> Path:
    """Write a page with everything that a fit says, to be opened, sent or printed.

    The page is one file and loads nothing: a leaderboard to sort and filter, any two players
    compared in words, win probabilities, ranks, goodness of fit, diagnostics, the model's card,
    data and settings, and how to cite. Of mean scores it is in the metric's unit, with who is
    better in place of win probabilities, and without goodness of fit. Its numbers are those
    of the functions of the same names.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`; of many tournaments, from
        ``leaderbayes.fit(scores, "tournaments")``, `leaderbayes.study.fit` or
        `leaderbayes.study.open`: the page switches between them. Or from
        `leaderbayes.sota.posterior`.
    path : path
        File of the page, ``.html`` or ``.htm``; one that is there is replaced, in whole.
    sota : DataTree, optional
        From `leaderbayes.sota.posterior`: adds a section on how good the best really is.
    audit : DataTree, optional
        What `leaderbayes.audit` returned of this fit: adds a section on which part of the table is
        real, with a sentence and the numbers behind it a question.
    title : str, optional
        Of the page; the name of the one tournament or of the scores' file by default.
    prob : float
        Posterior probability of the (equal-tailed) intervals, and at which two players are told
        apart.
    top : int
        Players of each leaderboard in charts and comparisons (and teams of ``sota``), best first:
        their size grows with its square. The table has all players.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    LeaderbayesError
        If ``dt`` or ``sota`` is something else, the audit is none, or of another fit, an option
        is out of range, or the file cannot be written.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), sampler="laplace", seed=1)
    >>> lb.report.html(dt, "page.html", title="Iris").name
    'page.html'
    """
    to = _arguments.path("path", path)
    check_file(to, ".html", ".htm")
    write_files({to: page_of(dt, sota=sota, audit=audit, title=title, prob=prob, top=top)})
    return to


def page_of(
    dt: xr.DataTree,
    *,
    sota: xr.DataTree | None,
    audit: xr.DataTree | None,
    title: str | None,
    prob: float,
    top: int,
) -> str:
    """Give the text of the page, as `html` writes it."""
    prob = share("prob", prob)
    top = whole("top", top, at_least=2)
    require_tree(dt)
    asked = None if audit is None else section(dt, audit)
    if is_best(dt):
        if sota is not None:
            raise LeaderbayesError("dt is a posterior of the best already: leave sota out.")
        described, across, sota = list[dict[str, Any]](), None, dt
    else:
        described, across = boards(dt, prob, top)
    models = [board["model"] for board in described] + ["sota"] * (sota is not None)
    return _render(
        {
            "title": title or _title(described),
            "prob": prob,
            "percent": f"{100.0 * prob:g}\N{NO-BREAK SPACE}%",
            "inner": f"{50.0 * prob:g}\N{NO-BREAK SPACE}%",
            "boards": described,
            "overview": across,
            # A single fit says it by itself.
            "failed": []
            if "posterior" in dt.children
            else [board["name"] for board in described if board["verdict"]["kind"] == "bad"],
            "audit": asked,
            "sota": None if sota is None else best(sota, prob, top),
            "cards": [card_of(model) for model in dict.fromkeys(models)],
        }
    )


def _title(described: list[dict[str, Any]]) -> str:
    """Name the page after the one tournament, or the scores' file, where there is one."""
    if not described:
        return "How good is the best?"
    if len(described) == 1 and "Tournament" in dict(described[0]["data"]):
        return f"Leaderboard: {dict(described[0]['data'])['Tournament']}"
    sources = [dict(board["data"]).get("Source", "") for board in described]
    one = Path(sources[0]) if len(set(sources)) == 1 else Path()
    if one.suffix in _PACKED:
        one = one.with_suffix("")
    # A table without a file has no suffix.
    return f"Leaderboard: {one.stem}" if one.suffix else "Leaderboard"


@cache
def template(name: str) -> jinja2.Template:
    """Load a template of a page, in which whatever is printed is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("leaderbayes.report"),
        # Names in the data are whatever somebody typed.
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # The filter tojson escapes <, >, & and ', and all that is not ASCII.
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    return environment.get_template(name)


def _render(context: Mapping[str, Any]) -> str:
    """Fill the template; only scripts with these digests run, whatever else gets into the page."""
    style, script = (read_template(f"page.{kind}") for kind in ("css", "js"))
    # Without a leaderboard there are no charts, and no library for them.
    first = context["boards"][0] if context["boards"] else None
    scripts = [script] if first is None else [script, bokeh_script()]
    about = metadata("leaderbayes")
    return template("page.html.j2").render(
        **context,
        style=style,
        scripts=scripts,
        digests=[_digest(text) for text in scripts],
        charts=[] if first is None else charts(first["words"], _has_chart_of_fit(first)),
        scales=scales(),
        words=None if first is None else first["words"],
        numbers={
            "scale": SCALE,
            "white": white_from(),
            "boards": [board["numbers"] for board in context["boards"]],
        },
        about={name.lower(): about[name] for name in ("Name", "Version")},
        own_entry=as_bibtex(["leaderbayes"], about["Version"]).strip(),
    )


def read_template(name: str) -> str:
    """Read a file that is put into pages as it is."""
    return (files("leaderbayes.report") / "templates" / name).read_text("utf-8")


def _has_chart_of_fit(board: Mapping[str, Any]) -> bool:
    """Say whether there is a check of fit whose draws differ."""
    return board["fit"] is not None and bool(board["fit"]["drawn"])


def _digest(script: str) -> str:
    return f"'sha256-{base64.b64encode(sha256(script.encode()).digest()).decode()}'"
