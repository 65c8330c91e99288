"""What a report says of an audit: a heading, a sentence and a table a question."""

from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from leaderbayes._answers.audit import heading
from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.printed import clean
from leaderbayes._scores.tables import counted
from leaderbayes.report._style import rough
from leaderbayes.report._verdicts import probability, span

_MOST = 20  # rows of a table, those that say most


class Question(NamedTuple):
    """What was asked, and answered."""

    heading: str
    said: str  # in one line, without control characters
    found: bool  # what a reader has to know
    applies: bool


def audited(dt: xr.DataTree | xr.Dataset, audit: Any) -> dict[str, Question]:
    """Give the questions of an audit by their names.

    Raises
    ------
    LeaderbayesError
        If it is no audit, or one of another fit.
    """
    if not isinstance(audit, xr.DataTree) or "pairs" not in audit.children:
        raise LeaderbayesError("audit= takes what leaderbayes.audit returns.")
    of_fit = isinstance(dt, xr.DataTree) and "posterior" in dt.children
    players = dt["posterior"]["player"].to_numpy() if of_fit and "player" in dt["posterior"] else []
    same = set(map(str, players)) == set(map(str, audit["players"]["player"].to_numpy()))
    if not same or audit.attrs["model"] != dt.attrs["model"]:
        raise LeaderbayesError("This audit is of another fit: give leaderbayes.audit of this one.")
    return {
        name: Question(
            heading(name), clean(str(part.attrs["message"])),
            bool(part.attrs["found"]), bool(part.attrs["applies"]),
        )
        for name, part in audit.children.items()
    }  # fmt: skip


def section(dt: xr.DataTree, audit: Any) -> dict[str, Any]:
    """Describe an audit for the page: what was found, and of each question the table behind it."""
    questions = audited(dt, audit)
    asked = [question for question in questions.values() if question.applies]
    found = sum(question.found for question in asked)
    return {
        "said": f"{found or 'None'} of {counted(len(asked), 'question')} found what a reader has "
        "to know.",
        "questions": [
            {**question._asdict(), "table": _table(name, audit[name].to_dataset())}
            for name, question in questions.items()
        ],
    }


def _table(name: str, part: xr.Dataset) -> dict[str, Any] | None:
    """Give columns ("n" of numbers) and rows of a question; None of one that has none."""
    if not part.attrs["applies"] or (name not in _TABLES and not name.startswith("removal_")):
        return None
    columns, rows = _TABLES.get(name, _removed)(part)
    if not rows:
        return None
    more = len(rows) - _MOST if name != "players" else 0
    return {
        "columns": columns,
        "rows": rows if more <= 0 else rows[:_MOST],
        "more": f"and {more} more" if more > 0 else "",
    }


_Table = tuple[list[tuple[str, str]], list[list[str]]]


def _players(part: xr.Dataset) -> _Table:
    rows = [
        [str(row["player"]), str(row["letters"]), span(row["rank_lower"], row["rank_upper"]),
         probability(row["p_best"])]
        for row in _rows(part, "player")
    ]  # fmt: skip
    return [("Player", ""), ("Tied by letter", ""), ("Ranks", "n"), ("P(best)", "n")], rows


def _pairs(part: xr.Dataset) -> _Table:
    rows = [
        [what, *(str(part.attrs[f"{key}{end}"]) for end in ("", "_singly", "_jointly"))]
        for what, key in (("Neighbours", "neighbours"), ("All pairs", "pairs"))
    ]
    heads = [("", ""), ("Pairs", "n"), ("Apart, each", "n"), ("Apart, all together", "n")]
    return heads, rows


def _removed(part: xr.Dataset) -> _Table:
    by = str(part.attrs["by"])
    rows = [
        [str(row[by]), rough(row["share"]), rough(row["shift"])] for row in _rows(part, "removed")
    ]
    heads = [(by.capitalize(), ""), ("Share of the data", "n"), ("Holds the leader above by", "n")]
    return heads, rows


def _aggregators(part: xr.Dataset) -> _Table:
    rows = [
        [str(row["aggregator"]), str(row["leader"]), str(row["top_differs"])]
        for row in _rows(part, "aggregator")
    ]
    top = int(part.attrs["top"])
    return [("By", ""), ("Leader", ""), (f"Others in the top {top}", "n")], rows


def _left_out(part: xr.Dataset) -> _Table:
    ordered = part.isel(unit=np.argsort(part["lead"].to_numpy(), kind="stable"))
    rows = [
        [str(row["unit"]), str(row["leader"]), rough(row["lead"])] for row in _rows(ordered, "unit")
    ]
    return [("Without", ""), ("Leader", ""), ("Lead of the first", "n")], rows


def _circles(part: xr.Dataset) -> _Table:
    if "triple" not in part:
        return [], []
    values = zip(part["triple"].to_numpy(), part["triple_probability"].to_numpy(), strict=True)
    rows = [[f"{a} over {b} over {c}", probability(float(p))] for (a, b, c), p in values]
    return [("In a circle", ""), ("Probability", "n")], rows


_TABLES = {
    "players": _players, "pairs": _pairs, "aggregators": _aggregators, "left_out": _left_out,
    "check": _circles,
}  # fmt: skip


def _rows(part: xr.Dataset, dim: str) -> list[dict[Any, Any]]:
    """Give the rows of what has this dimension alone."""
    own = [name for name in part.data_vars if part[name].dims == (dim,)]
    rows: list[dict[Any, Any]] = part[own].to_dataframe().reset_index().to_dict("records")
    return rows
