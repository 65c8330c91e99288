"""A folder of pages: an index, a page a board, and what each says as JSON beside it."""

import json
import os
import re
import unicodedata
from collections.abc import Mapping
from importlib.metadata import metadata
from pathlib import Path
from typing import Any

import xarray as xr

from leaderbayes import _arguments
from leaderbayes._answers.best import is_best
from leaderbayes._answers.compare import p_better
from leaderbayes._answers.groups import groups, tied_for_top
from leaderbayes._answers.leaderboard import leaderboard
from leaderbayes._arguments import share, whole
from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.write import check_folder, write_files
from leaderbayes._fits.posterior import fitted, is_mean_score
from leaderbayes._fits.require import require_tree
from leaderbayes._fits.trust import warnings_of
from leaderbayes.report._audit import audited
from leaderbayes.report._changes import changes, read_boards
from leaderbayes.report._goodness import kind_of
from leaderbayes.report._html import page_of, read_template, template
from leaderbayes.report._verdicts import probability, verdict
from leaderbayes.study._tournaments import fits_of

FORMAT = 1  # of the JSON; a reader refuses another
_MOST = 100  # players whose pairs are listed, best first


def site(
    fits: Mapping[str, xr.DataTree],
    folder: str | os.PathLike[str],
    *,
    since: str | os.PathLike[str] | None = None,
    title: str = "Leaderboards",
    prob: float = 0.95,
    top: int = 100,
    audits: Mapping[str, xr.DataTree] | None = None,
) -> Path:
    """Write a static site: an index of boards, a page of each, and its numbers as JSON.

    Links are stable: the board "My Board" is ``my-board.html`` and ``my-board.json`` in every
    version of the site. Pages of boards that are not given any more stay, and the index leaves
    them out.

    Parameters
    ----------
    fits : mapping of str to DataTree
        Fits of `leaderbayes.fit` or studies, by the names of their boards.
    folder : path
        Of the site; made if it is missing. Files of the same names are replaced, all or none.
    since : path, optional
        Folder of an earlier version of the site: ``changes.md`` then says, in Markdown, what has
        changed since, such as "B is now told apart from A". It may be the same folder.
    title : str
        Of the index.
    prob, top
        As for `leaderbayes.report.html`.
    audits : mapping of str to DataTree, optional
        What `leaderbayes.audit` returned of some of the fits, by the same names, for a section of
        their pages and for ``audit`` in their JSON.

    Returns
    -------
    Path
        ``folder / "index.html"``. Each board's JSON has ``format``, ``name``, ``model``, ``prob``,
        ``converged``, ``warnings``, ``p_check``, ``seed``, and by ``boards``, one of a fit and one
        a tournament of a study: ``name``, ``leaderboard`` (rows of `leaderbayes.leaderboard`),
        ``tied_for_top``, ``groups`` (lists of players) and ``told_apart`` (pairs, the better
        player first, of the best 100); and where there is an audit ``audit``, by question
        ``found``, ``applies`` and ``message``. ``index.json`` lists the boards.

    Raises
    ------
    LeaderbayesError
        If there is no board, one is no fit or study, two have the same link, an audit is of
        another fit or of none, an option is out of range, ``since`` has no such files, or the
        folder cannot be written.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "iris"), sampler="laplace", seed=1)
    >>> index = lb.report.site({"Iris": dt}, "site")
    >>> sorted(path.name for path in index.parent.iterdir())
    ['index.html', 'index.json', 'iris.html', 'iris.json']
    """
    to = _arguments.path("folder", folder)
    given: Any = fits
    asked: dict[str, xr.DataTree] = dict(audits or {})
    # A DataTree is a mapping too, of its groups.
    if not isinstance(given, Mapping) or isinstance(given, xr.DataTree) or not given:
        raise LeaderbayesError("Give fits by the names of their boards, such as {'iris': fit}.")
    if alien := [name for name in asked if name not in fits]:
        raise LeaderbayesError(f"audits: there is no fit of the name {alien[0]!r}.")
    prob, top = share("prob", prob), whole("top", top, at_least=2)
    links = _links(list(fits))
    earlier = None if since is None else read_boards(_arguments.path("since", since), FORMAT)
    check_folder(to)
    texts, rows, records = {}, [], {}
    for name, fit in fits.items():
        require_tree(fit)
        if is_best(fit):
            raise LeaderbayesError(
                f"{name!r} is a posterior of the best, and no leaderboard: "
                "leaderbayes.report.html makes a page of it."
            )
        link = links[name]
        texts[to / f"{link}.html"] = page_of(
            fit, sota=None, audit=asked.get(name), title=name, prob=prob, top=top
        )
        record = _record(name, fit, prob)
        if name in asked:
            record["audit"] = _audited(fit, asked[name])
        texts[to / f"{link}.json"] = _json(record)
        records[link] = record
        rows.append(_row(record, link))
    about = metadata("leaderbayes")
    texts[to / "index.html"] = template("site.html.j2").render(
        title=title,
        rows=rows,
        percent=f"{100.0 * prob:g}\N{NO-BREAK SPACE}%",
        style=read_template("page.css"),
        about={name.lower(): about[name] for name in ("Name", "Version")},
    )
    texts[to / "index.json"] = _json(
        {"format": FORMAT, "title": title, "boards": [_listed(row) for row in rows]}
    )
    if earlier is not None:
        texts[to / "changes.md"] = changes(earlier, records)
    write_files(texts)
    return to / "index.html"


def _links(names: list[str]) -> dict[str, str]:
    """Give each board its link: letters and digits of its name, and hyphens."""
    links: dict[str, str] = {}
    for name in names:
        text = unicodedata.normalize("NFKC", str(name)).lower()
        link = re.sub("-+", "-", "".join(map(_in_link, text))).strip("-")
        if not link or link in ("index", "changes"):
            raise LeaderbayesError(
                f"{name!r} gives no link of its own; name the board with letters or digits, and "
                "neither index nor changes."
            )
        if link in links.values():
            other = next(one for one, taken in links.items() if taken == link)
            raise LeaderbayesError(
                f"{other!r} and {name!r} would both be {link}.html; name one otherwise."
            )
        links[name] = link
    return links


def _in_link(letter: str) -> str:
    """Give a Latin letter without its accent, one of another script as it is; else a hyphen."""
    base = unicodedata.normalize("NFKD", letter)[0]
    if base.isascii():
        return base if base.isalnum() else "-"
    return letter if unicodedata.category(letter)[0] in "LMN" else "-"


def _record(name: str, fit: xr.DataTree, prob: float) -> dict[str, Any]:
    """Give what a board's page says, for programs."""
    each = [("", fit)] if "posterior" in fit.children else list(fits_of(fit))
    return {
        "format": FORMAT,
        "name": name,
        "prob": prob,
        "boards": [_of_board(own, one, prob) for own, one in each],
    }


def _audited(fit: xr.DataTree, asked: xr.DataTree) -> dict[str, Any]:
    return {
        name: {"found": each.found, "applies": each.applies, "message": each.said}
        for name, each in audited(fit, asked).items()
    }


def _of_board(name: str, fit: xr.DataTree, prob: float) -> dict[str, Any]:
    fitted(fit, of="score" if is_mean_score(fit) else "player", attrs=("seed",))
    table = leaderboard(fit, prob=prob)
    members = groups(fit, prob=prob).groupby("group")["player"]
    players = [str(player) for player in table["player"].iloc[:_MOST]]
    better = p_better(fit).sel(player=players, opponent=players).to_numpy()
    p_check = float(fit.attrs.get("p_check", "nan"))
    return {
        "name": name,
        "model": str(fit.attrs["model"]),
        "seed": int(fit.attrs["seed"]),
        "converged": bool(fit.attrs["converged"]),
        "warnings": warnings_of(fit.attrs),
        "p_check": None if p_check != p_check else p_check,
        "leaderboard": json.loads(table.to_json(orient="records", double_precision=12)),
        "tied_for_top": tied_for_top(fit, prob=prob),
        "groups": [[str(player) for player in who] for _, who in members],
        "told_apart": [
            [a, b]
            for i, a in enumerate(players)
            for j, b in enumerate(players)
            if better[i, j] >= prob
        ],
    }


def _row(record: dict[str, Any], link: str) -> dict[str, Any]:
    """Give a row of the index; of a study how many of its boards have what."""
    boards = record["boards"]
    row = {"name": record["name"], "link": link, "size": len(boards)}
    every = [_verdict(board) for board in boards]
    if len(boards) > 1:
        kinds = [told["kind"] for told in every]
        said = {"bad": "not converged", "care": "to read with care"}
        counts = [f"{kinds.count(kind)} {text}" for kind, text in said.items() if kind in kinds]
        worst = next((kind for kind in said if kind in kinds), "good")
        text = ", ".join(counts) or "converged"
        return row | {"kind": worst, "verdict": text, "study": True}
    board, told = boards[0], every[0]
    return row | {
        "study": False,
        "kind": told["kind"],
        "verdict": told["text"],
        "players": len(board["leaderboard"]),
        "leader": board["tied_for_top"][0],
        "best": probability(board["leaderboard"][0]["p_best"]),
        "tied": len(board["tied_for_top"]),
    }


def _verdict(board: dict[str, Any]) -> dict[str, Any]:
    """Say of a board what its page does."""
    attrs = {"converged": board["converged"], "warnings": json.dumps(board["warnings"])}
    p = board["p_check"]
    return verdict(attrs, None if p is None else kind_of(p))


def _listed(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "name": row["name"], "page": f"{row['link']}.html", "json": f"{row['link']}.json",
        "verdict": row["kind"],
    }  # fmt: skip


def _json(record: dict[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
