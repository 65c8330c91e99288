"""One page that has it all and needs nothing else: no server, no network."""

import base64
import os
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import metadata
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

import jinja2
import numpy as np
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._answers.check import check
from leaderbayes._answers.leaderboard import shown_as, table_of
from leaderbayes._arguments import share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.printed import probability
from leaderbayes._files.write import check_file, write_files
from leaderbayes._fits.posterior import Posterior, Teams
from leaderbayes._numerics.intervals import decimals_of_best
from leaderbayes.plots._colors import SHARES, WINS, ink
from leaderbayes.report._audit import section
from leaderbayes.report._card import card_of
from leaderbayes.report._facts import numbers
from leaderbayes.report._page import SCALE, boards, rows_of
from leaderbayes.report._references import as_bibtex
from leaderbayes.report._style import interval, number
from leaderbayes.report._verdicts import settings, verdict_of

_PACKED = (".gz", ".bz2", ".xz", ".zip", ".zst")
_TOP, _PAIRS = 100, 5_000  # players of a board, and pairs of all boards, unasked
_STEP = 5  # of its colours the page has every fifth
_PALETTES = {"win": WINS, "rank": SHARES}


def html(
    dt: xr.DataTree,
    path: str | os.PathLike[str],
    *,
    sota: xr.DataTree | None = None,
    audit: xr.DataTree | None = None,
    title: str | None = None,
    prob: float = 0.95,
    top: int | None = None,
    anchor: str | None = None,
    scale: Literal["elo"] | None = None,
    anchor_at: float | None = None,
) -> Path:
    """Write an HTML page with all results of a posterior.

    The page is one file and loads nothing: a leaderboard to sort and filter, any two players
    compared in words, win probabilities, ranks, goodness of fit, diagnostics, the model's card,
    data and settings, and how to cite.

    Parameters
    ----------
    dt : DataTree
        Posterior of any model, or a study; of several tournaments the page switches between them.
    path : path
        File of the page, ``.html`` or ``.htm``; one that is there is replaced, in whole.
    sota : DataTree, optional
        From `leaderbayes.sota.posterior`: adds a section on how good the best really is.
    audit : DataTree, optional
        What `leaderbayes.audit` returned of this posterior, for a section of its own.
    title : str, optional
        Title of the page; by default the name of the one tournament or of the scores' file.
    prob : float
        Probability of the intervals, and from which two players are distinguishable.
    top : int, optional
        Players of each leaderboard in heat maps and comparisons, best first; by default 100, and
        fewer of a study of many boards. The table has all.
    anchor, scale, anchor_at
        As for `leaderbayes.leaderboard`.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), seed=1)
    >>> lb.report.html(dt, "page.html", title="Iris").name
    'page.html'
    """
    to = _arguments.path("path", path)
    check_file(to, ".html", ".htm")
    anchored = {"anchor": anchor, "scale": scale, "anchor_at": anchor_at}
    page = page_of(dt, sota=sota, audit=audit, title=title, prob=prob, top=top, anchored=anchored)
    write_files({to: page})
    return to


def page_of(
    dt: xr.DataTree, *, sota: xr.DataTree | None, audit: xr.DataTree | None, title: str | None,
    prob: float, top: int | None, anchored: Mapping[str, Any],
) -> str:  # fmt: skip
    """Return the text of the page, as `html` writes it."""
    prob = share("prob", prob)
    boards_in_it = len(dt.children) if is_study(dt) else 1
    shown = int(np.clip(np.sqrt(2.0 * _PAIRS / boards_in_it), 8, _TOP))
    top = shown if top is None else whole("top", top, at_least=2)
    asked = None if audit is None else section(dt, audit)
    described, beside = list[dict[str, Any]](), list[dict[str, Any]]()
    if is_study(dt) or not isinstance(Posterior(dt), Teams):
        described, beside = boards(dt, prob, top, anchored)
    elif sota is not None:
        raise LeaderbayesError("dt is a posterior of the best already: omit sota.")
    else:
        sota = dt
    of_best = None if sota is None else best(sota, prob, top, anchored if sota is dt else {})
    every = described if of_best is None else [*described, of_best]
    about = metadata("leaderbayes")
    style, script = (read_template(f"page.{kind}") for kind in ("css", "js"))
    numbers = {
        "scale": SCALE,
        "palettes": {name: palette[::_STEP] for name, palette in _PALETTES.items()},
        "white": {name: _white_from(palette) for name, palette in _PALETTES.items()},
        "boards": [board.pop("numbers") for board in described],
    }
    return template("page.html.j2").render(
        title=title or _title(described),
        percent=f"{100.0 * prob:g}\N{NO-BREAK SPACE}%",
        inner=f"{50.0 * prob:g}\N{NO-BREAK SPACE}%",
        boards=described,
        overview=beside,
        failed=[board["name"] for board in described if board["verdict"]["kind"] == "bad"],
        audit=asked,
        sota=of_best,
        cards=[
            card_of(*each) for each in {board["model"]: board["title"] for board in every}.items()
        ],
        style=style,
        script=script,
        # Only the script with this digest runs, whatever else gets into the page.
        digest=f"'sha256-{base64.b64encode(sha256(script.encode()).digest()).decode()}'",
        scales={name: ", ".join(palette[::15]) for name, palette in _PALETTES.items()},
        numbers=numbers,
        about={name.lower(): about[name] for name in ("Name", "Version")},
        own_entry=as_bibtex(["leaderbayes"], about["Version"]).strip(),
    )


def is_study(dt: Any) -> bool:
    """Whether this may be a study, a posterior for each tournament."""
    return isinstance(dt, xr.DataTree) and "posterior" not in dt.children and bool(dt.children)


def _white_from(palette: tuple[str, ...]) -> float:
    """Return the least probability whose cell takes white letters, of every fifth colour."""
    last = len(palette) - 1
    dark = next(k for k in range(0, last + 1, _STEP) if ink(k / last, palette) == "white")
    return (dark - 0.5 * _STEP) / last


def _title(described: list[dict[str, Any]]) -> str:
    """Name the page after the one tournament, or the scores' file, where there is one."""
    if not described:
        return "How good is the best?"
    if len(described) == 1 and "Tournament" in dict(described[0]["data"]):
        return f"Leaderboard: {dict(described[0]['data'])['Tournament']}"
    sources = {dict(board["data"]).get("Source", "") for board in described}
    one = Path(sources.pop()) if len(sources) == 1 else Path()
    one = one.with_suffix("") if one.suffix in _PACKED else one
    return f"Leaderboard: {one.stem}" if one.suffix else "Leaderboard"


@cache
def template(name: str) -> jinja2.Template:
    """Load a template of a page, in which whatever is printed is escaped."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("leaderbayes.report", "templates/page"),
        # Names in the data are whatever somebody typed.
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # The filter tojson escapes <, >, & and ', and all that is not ASCII.
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "allow_nan": False}
    return environment.get_template(name)


def read_template(name: str) -> str:
    """Read a file that is put into pages as it is."""
    return (files("leaderbayes.report") / "templates" / "page" / name).read_text("utf-8")


_SCALARS = ("theta_sota", "expected_max", "observed_max")


def best(dt: xr.DataTree, prob: float, top: int, anchored: Mapping[str, Any]) -> dict[str, Any]:
    """Describe the posterior of the best theta and of the ``top`` best teams; or raise."""
    from leaderbayes.sota import summary

    post = Teams.of(dt, "sota= takes the result of leaderbayes.sota.posterior.")
    found, view = summary(dt, prob=prob), shown_as(post, **anchored)
    table = table_of(post, prob, view)
    known = numbers(found)
    digits = decimals_of_best(known["theta_sota_lower"], known["theta_sota_upper"])
    wide = ("theta_sota", "max", "law_free")
    ends = {name: interval(known[f"{name}_lower"], known[f"{name}_upper"], digits) for name in wide}
    shown = table.iloc[:top]
    return {
        "size": len(table),
        "higher": post.higher_is_better,
        "model": post.model.name,
        "title": post.model.label,
        "known": known,
        "written": {k: number(known[k], digits) for k in _SCALARS},
        "ends": ends,
        "notes": [found.attrs["law_free"]] if found.attrs["law_free"] else [],
        "check": [
            [
                str(row["statistic"]), number(row["observed"], digits),
                interval(row["lower"], row["upper"], digits), probability(row["p_value"]),
            ]
            for row in check(dt).to_dataframe().reset_index().to_dict("records")
        ],
        "verdict": verdict_of(post),
        "settings": settings(post),
        **rows_of(post, shown, prob, set(), view),
    }  # fmt: skip
