"""A folder of pages: an index, a page a board, and what each says as JSON beside it."""

import json
import os
import re
import unicodedata
from collections.abc import Mapping
from importlib.metadata import metadata
from pathlib import Path
from typing import Any, Literal

import numpy as np
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._answers.compare import p_better
from leaderbayes._answers.groups import groups, tied_for_top
from leaderbayes._answers.leaderboard import leaderboard
from leaderbayes._arguments import share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.printed import probability
from leaderbayes._files.write import check_folder, write_files
from leaderbayes._fits.posterior import Posterior
from leaderbayes.report._audit import audited
from leaderbayes.report._html import is_study, page_of, read_template, template
from leaderbayes.report._verdicts import verdict

FORMAT = 1  # of the JSON
_MOST = 100  # players whose pairs are listed, best first


def site(
    fits: Mapping[str, xr.DataTree],
    folder: str | os.PathLike[str],
    *,
    title: str = "Leaderboards",
    prob: float = 0.95,
    top: int | None = None,
    anchor: str | None = None,
    scale: Literal["elo"] | None = None,
    anchor_at: float | None = None,
    audits: Mapping[str, xr.DataTree] | None = None,
) -> Path:
    """Write a static site: an index of boards, a page of each, and its numbers as JSON.

    Links are stable: the board "My Board" is ``my-board.html`` and ``my-board.json`` in every
    version of the site. Pages of boards that are no longer given remain, but not in the index.

    Parameters
    ----------
    fits : mapping of str to DataTree
        Posteriors of players or studies, by the names of their boards.
    folder : path
        Folder of the site; made if missing. Files of the same names are replaced, all or none.
    title : str
        Title of the index.
    prob, top, anchor, scale, anchor_at
        As for `leaderbayes.report.html`.
    audits : mapping of str to DataTree, optional
        What `leaderbayes.audit` returned of some of them, by the same names.

    Returns
    -------
    Path
        ``folder / "index.html"``. Each board's JSON has ``format``, ``name``, ``prob``, ``boards``
        (one, or one a tournament) and ``audit``. Each of ``boards`` has ``name``, ``model``,
        ``seed``, ``converged``, ``warnings``, ``p_check``, ``leaderboard`` (rows),
        ``tied_for_top``, ``groups`` and ``told_apart`` (distinguishable pairs, the better player
        first, of the best 100).

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), seed=1)
    >>> index = lb.report.site({"Iris": dt}, "site")
    >>> sorted(path.name for path in index.parent.iterdir())
    ['index.html', 'index.json', 'iris.html', 'iris.json']
    """
    to = _arguments.path("folder", folder)
    given: Any = fits
    asked: dict[str, xr.DataTree] = dict(audits or {})
    # A DataTree is a mapping too, of its groups.
    if not isinstance(given, Mapping) or isinstance(given, xr.DataTree) or not given:
        raise LeaderbayesError("Pass fits by the names of their boards, such as {'iris': dt}.")
    if alien := [name for name in asked if name not in fits]:
        raise LeaderbayesError(f"audits: there is no posterior named {alien[0]!r}.")
    prob, top = share("prob", prob), None if top is None else whole("top", top, at_least=2)
    links = _links(list(fits))
    check_folder(to)
    texts: dict[Path, str] = {}
    records = {}
    anchored = {"anchor": anchor, "scale": scale, "anchor_at": anchor_at}
    for name, fit in fits.items():
        link, record = links[name], _record(name, fit, prob, anchored)
        if name in asked:
            record["audit"] = {
                key: {"found": each.found, "applies": each.applies, "message": each.said}
                for key, each in audited(fit, asked[name]).items()
            }
        texts[to / f"{link}.html"] = page_of(
            fit, sota=None, audit=asked.get(name), title=name, prob=prob, top=top, anchored=anchored
        )
        texts[to / f"{link}.json"] = _json(record)
        records[link] = record
    rows, about = [_row(record, link) for link, record in records.items()], metadata("leaderbayes")
    texts[to / "index.html"] = template("site.html.j2").render(
        title=title,
        rows=rows,
        percent=f"{100.0 * prob:g}\N{NO-BREAK SPACE}%",
        style=read_template("page.css"),
        about={name.lower(): about[name] for name in ("Name", "Version")},
    )
    listed = [
        {"name": row["name"], "page": f"{row['link']}.html", "json": f"{row['link']}.json",
         "verdict": row["kind"]}
        for row in rows
    ]  # fmt: skip
    texts[to / "index.json"] = _json({"format": FORMAT, "title": title, "boards": listed})
    write_files(texts)
    return to / "index.html"


def _links(names: list[str]) -> dict[str, str]:
    """Return each board's link: letters and digits of its name, and hyphens."""
    links: dict[str, str] = {}
    for name in names:
        text = unicodedata.normalize("NFKC", str(name)).lower()
        link = re.sub("-+", "-", "".join(map(_in_link, text))).strip("-")
        if link in ("", "index"):
            raise LeaderbayesError(
                f"{name!r} makes no unique link; use a name with letters or digits, other than "
                "index."
            )
        if link in links.values():
            other = next(one for one, taken in links.items() if taken == link)
            raise LeaderbayesError(f"{other!r} and {name!r} would both be {link}.html; rename one.")
        links[name] = link
    return links


def _in_link(letter: str) -> str:
    """Return a Latin letter without its accent, one of another script as it is; else a hyphen."""
    base = unicodedata.normalize("NFKD", letter)[0]
    if base.isascii():
        return base if base.isalnum() else "-"
    return letter if unicodedata.category(letter)[0] in "LMN" else "-"


def _record(
    name: str, fit: xr.DataTree, prob: float, anchored: Mapping[str, Any]
) -> dict[str, Any]:
    """Return what a board's page says, for programs."""
    each = [("", fit)]
    if is_study(fit):
        from leaderbayes.study._tournaments import fits_of

        each = list(fits_of(fit))
    try:
        boards = [_of_board(own, one, prob, anchored) for own, one in each]
    except LeaderbayesError as problem:
        raise LeaderbayesError(f"Board {name!r}: {problem}") from None
    return {"format": FORMAT, "name": name, "prob": prob, "boards": boards}


def _of_board(
    name: str, fit: xr.DataTree, prob: float, anchored: Mapping[str, Any]
) -> dict[str, Any]:
    post, table = Posterior(fit), leaderboard(fit, prob=prob, **anchored)
    if "rank" not in table:
        raise LeaderbayesError(
            f"{post.called} ranks teams, not players: leaderbayes.report.html makes a page of it."
        )
    players = [str(player) for player in table["player"].iloc[:_MOST]]
    better = p_better(post, players).to_numpy() >= prob
    p_check = float(fit.attrs.get("p_check", np.nan))
    return {
        "name": name,
        "model": post.model.name,
        "seed": fit.attrs.get("seed"),
        "converged": bool(post.diagnostics["converged"]),
        "warnings": json.loads(post.trust["warnings"]),
        "p_check": None if np.isnan(p_check) else p_check,
        "leaderboard": json.loads(table.to_json(orient="records", double_precision=12)),
        "tied_for_top": tied_for_top(fit, prob=prob),
        "groups": groups(fit, prob=prob).groupby("group")["player"].agg(list).to_list(),
        "told_apart": [[players[i], players[j]] for i, j in np.argwhere(better)],
    }


def _row(record: dict[str, Any], link: str) -> dict[str, Any]:
    """Return a row of the index; of a study how many of its boards have what."""
    boards = record["boards"]
    every = [verdict(b["converged"], b["warnings"]) for b in boards]
    kinds = [each["kind"] for each in every]
    worst = next((kind for kind in ("bad", "care") if kind in kinds), "good")
    row = {"name": record["name"], "link": link, "size": len(boards), "kind": worst}
    if len(boards) > 1:
        said = {"bad": "not converged", "care": "with caveats"}
        counts = [f"{kinds.count(kind)} {text}" for kind, text in said.items() if kind in kinds]
        return row | {"study": True, "verdict": ", ".join(counts) or "converged"}
    board = boards[0]
    return row | {
        "study": False,
        "verdict": every[0]["text"],
        "players": len(board["leaderboard"]),
        "leader": board["tied_for_top"][0],
        "best": probability(board["leaderboard"][0]["p_best"]),
        "tied": len(board["tied_for_top"]),
    }


def _json(record: dict[str, Any]) -> str:
    # Numbers read from a file are NumPy's.
    text = json.dumps(
        record, ensure_ascii=False, indent=1, allow_nan=False, default=lambda value: value.item()
    )
    return f"{text}\n"
