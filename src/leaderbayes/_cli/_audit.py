"""The command audit: which part of a leaderboard is real."""

import textwrap
from typing import TYPE_CHECKING, Any

import click

from leaderbayes._cli._options import command, fitting, option, reading, together, writing
from leaderbayes._cli._output import check_out, write_out
from leaderbayes._cli._print import (
    collecting,
    diagnostics,
    finish,
    number,
    print_table,
    records,
    short,
    warned,
)
from leaderbayes._cli._read import fitted

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

_OF_PAIRS = ("player", "opponent")


@command("audit results")
@reading
@option("control", "Apply --prob to all claims jointly (joint) or to each (pair).", str, "joint")
@together(fitting, writing)
def audit(**given: Any) -> None:
    """Report which differences in a table are real.

    FILE is a table, or the folder of leaderbayes rank --out.
    """
    import leaderbayes as lb

    check_out(given)
    with collecting() as texts:
        dt, data = fitted(given)
        asked = lb.audit(dt, prob=given["prob"])
        table = lb.leaderboard(dt, prob=given["prob"], columns="publish", control=given["control"])
    result = {
        **{name: asked.attrs[name] for name in ("model", "leader", "prob", "seed", "unit")},
        "found": [name for name, part in asked.children.items() if part.attrs["found"]],
        "questions": {name: _plain(part.to_dataset()) for name, part in asked.children.items()},
        "table": {"rows": records(table), "note": table.attrs["note"]},
        "diagnostics": diagnostics(dt),
        "warnings": warned(dt, data.warnings, texts),
        "read": data.what,
    }
    converged = result["diagnostics"]["converged"]
    _write(given, asked, table, result)
    finish(given["as_json"], result, _print, table, result, converged=converged)


def _plain(part: "xr.Dataset") -> dict[str, Any]:
    """Return a question for JSON: its attrs, and the rows of what has one dimension."""
    attrs = {
        str(name): value.item() if hasattr(value, "item") else value
        for name, value in part.attrs.items()
        if name not in ("converged", "warnings")
    }
    attrs = {k: number(v) if isinstance(v, float) else v for k, v in attrs.items()}
    rows = {
        str(dim): records(part[names].to_dataframe().reset_index())
        for dim in part.dims
        if (names := [name for name in part.data_vars if part[name].dims == (dim,)])
    }
    if "triple" in part:
        circles = zip(part["triple"].to_numpy(), part["triple_probability"].to_numpy(), strict=True)
        rows["triple"] = [
            {"a": str(three[0]), "b": str(three[1]), "c": str(three[2]), "probability": float(p)}
            for three, p in circles
        ]
    return attrs | ({"rows": rows} if rows else {})


def _print(table: "pd.DataFrame", result: dict[str, Any]) -> None:
    """Print the published columns, and a paragraph per question."""
    rows = [
        [short(str(value)) if name == "player" else str(value) for name, value in row.items()]
        for row in table.to_dict("records")
    ]
    print_table(
        {str(name): 6 for name in table}, rows, left=("player", "group"),
        wrapped=("player", "group"), title=f"{result['model']}, {result['prob']:.0%} intervals",
    )  # fmt: skip
    click.echo(table.attrs["note"])
    click.echo(_words(result))


def _words(result: dict[str, Any]) -> str:
    """Write a paragraph per question; those that found something are marked."""
    from leaderbayes._answers.audit import heading

    parts = []
    for name, question in result["questions"].items():
        mark = "!" if question["found"] else " "
        text = f"{mark} {heading(name)}. {short(question['message'], longest=4000)}"
        parts.append(
            textwrap.fill(
                text, 100, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
            )
        )
    return "\n".join(parts)


def _write(
    given: dict[str, Any], asked: "xr.DataTree", table: "pd.DataFrame", result: dict[str, Any]
) -> None:
    """Write the words, each question's tables, and the columns to publish."""
    import pandas as pd

    tables: dict[str, Any] = {"publish": table}
    for name, question in asked.children.items():
        for dim, rows in result["questions"][name].get("rows", {}).items():
            if rows and name != "plan":
                tables["circles" if dim == "triple" else name] = pd.DataFrame(rows)
        for value, values in question.to_dataset().data_vars.items():
            if values.dims == _OF_PAIRS:
                tables[f"{name}_{value}"] = values
    write_out(
        given, {k: v for k, v in result.items() if k != "table"}, tables=tables,
        files={"audit.txt": _words(result) + "\n"}, converged=result["diagnostics"]["converged"],
    )  # fmt: skip
