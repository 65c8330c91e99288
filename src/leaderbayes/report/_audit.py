"""What a report shows of an audit: a heading, a sentence and a table a question."""

from typing import Any, NamedTuple

import xarray as xr

from leaderbayes._answers.audit import heading
from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.printed import clean
from leaderbayes._fits.posterior import Posterior
from leaderbayes.report._style import count, rough

_MOST = 20  # rows of a table
# What is shown of a question, by its name.
_SHOWN = {
    "players": ("letters", "rank_lower", "rank_upper", "p_best"),
    "removal": ("share", "shift"),
    "aggregators": ("leader", "top_differs"),
    "left_out": ("leader", "lead"),
}


class Question(NamedTuple):
    """What was asked, and answered."""

    heading: str
    said: str  # in one line, without control characters
    found: bool  # what a reader has to know
    applies: bool


def audited(dt: xr.DataTree | xr.Dataset, audit: Any) -> dict[str, Question]:
    """Return the questions of an audit by their names; or raise if it is of another posterior."""
    if not isinstance(audit, xr.DataTree) or "pairs" not in audit.children:
        raise LeaderbayesError("audit= takes the result of leaderbayes.audit.")
    post = Posterior(dt)
    same = set(map(str, post.players)) == set(map(str, audit["pairs"]["player"].to_numpy()))
    if not same or audit.attrs["model"] != post.model.name:
        raise LeaderbayesError(
            "This audit belongs to another posterior: use leaderbayes.audit on this one."
        )
    return {
        name: Question(
            heading(name), clean(str(part.attrs["message"])),
            bool(part.attrs["found"]), bool(part.attrs["applies"]),
        )
        for name, part in audit.children.items()
    }  # fmt: skip


def section(dt: xr.DataTree, audit: Any) -> dict[str, Any]:
    """Describe an audit for the page: what was found, and the numbers behind it."""
    questions = audited(dt, audit)
    asked = [question for question in questions.values() if question.applies]
    found = sum(question.found for question in asked)
    return {
        "said": f"{found or 'None'} of {count(len(asked), 'check')} found something to note.",
        "questions": [
            {**question._asdict(), "table": _table(name, audit[name].to_dataset())}
            for name, question in questions.items()
        ],
    }


def _table(name: str, part: xr.Dataset) -> dict[str, Any] | None:
    """Return headings and rows of a question; None of one that has none."""
    asked = "removal" if name.startswith("removal_") else name
    shown = [key for key in _SHOWN.get(asked, ()) if key in part]
    if not shown:
        return None
    table = part[shown].to_dataframe()
    rows = [[str(index), *map(_written, row)] for index, *row in table.itertuples(name=None)]
    heads = [str(part[shown[0]].dims[0]), *shown]
    return {
        "heads": [head.replace("_", " ").capitalize() for head in heads],
        "rows": rows[:_MOST],
        "more": f"and {len(rows) - _MOST} more" if len(rows) > _MOST else "",
    }


def _written(value: Any) -> str:
    return rough(value) if isinstance(value, float) else str(value)
