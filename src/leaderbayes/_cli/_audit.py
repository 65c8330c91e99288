"""The command audit: which part of a leaderboard is real."""

import json
import textwrap
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaderbayes._cli._console import (
    collecting,
    finish,
    number,
    print_doubt,
    print_published,
    records,
    short,
)
from leaderbayes._cli._options import fitting, names_of, reading
from leaderbayes._cli._output import say_older, write_run, write_table
from leaderbayes._cli._paste import html, latex, markdown
from leaderbayes._cli._rank import fit_board
from leaderbayes._cli._votes import are_votes, read_board_of, voting, what_votes_were_read
from leaderbayes._files.write import check_folder, writing

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

MODELS = ("bradley_terry", "mean_score", "davidson", "plackett_luce", "tournaments")
_OF_PAIRS = ("player", "opponent")


@click.command()
@reading
@click.option("--means", is_flag=True, help="Of a table of several tournaments: take the mean "
              "score of each as a round.")  # fmt: skip
@fitting
@voting
@click.option("--simulations", type=click.IntRange(1), help="Of the plan.  [default: 50, of many "
              "players 20]")  # fmt: skip
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write words, tables and numbers here."
)
def audit(means: bool, simulations: int | None, out: Path | None, **options: Any) -> None:
    """Say which part of a leaderboard of scores, or of votes, is real."""
    import leaderbayes as lb
    from leaderbayes._scores.read import what_was_read

    if options["across_rounds"]:
        raise lb.LeaderbayesError("An audit is of matches within rounds: no --across-rounds.")
    if out is not None:
        check_folder(out)
    scores, said = read_board_of(options)
    of_votes = are_votes(scores)
    if not of_votes and options["model"] not in MODELS:  # of votes every model is
        raise lb.LeaderbayesError(
            f"There is no audit of scores by --model {options['model']}; take one of "
            f"{', '.join(MODELS)}."
        )
    if means and (of_votes or "tournament" not in scores.dims):
        raise lb.LeaderbayesError("--means is for a table of several tournaments.")
    together = options["model"] == "tournaments"
    if not of_votes and "tournament" in scores.dims and not (together and not means):
        if not means:
            raise lb.ScoresError(
                f"{options['file']}: several tournaments; pick one with --only, or take the mean "
                "score of each as a round with --means, or --model tournaments: "
                f"{names_of(scores)}"
            )
        scores = _means(scores)
    with collecting() as more:
        fit = fit_board(scores, options)
        asked = lb.audit(fit, prob=options["prob"], simulations=simulations)
        table = lb.leaderboard(fit, prob=options["prob"], columns="publish")
    attrs = fit.attrs
    result = {
        **{name: asked.attrs[name] for name in ("model", "leader", "prob", "seed", "unit")},
        "found": [name for name, part in asked.children.items() if part.attrs["found"]],
        "questions": {name: _plain(part.to_dataset()) for name, part in asked.children.items()},
        "table": {"rows": records(table), "note": table.attrs["note"]},
        "diagnostics": {
            "max_rhat": number(attrs.get("max_rhat", nan)),
            "min_ess": number(attrs.get("min_ess", nan)),
            "p_check": number(attrs.get("p_check", nan)),
            "converged": bool(attrs["converged"]),
            "sampler": attrs.get("sampler"),
            "why_nuts": attrs.get("why_nuts"),
        },
        "warnings": list(dict.fromkeys(said + json.loads(attrs["warnings"]) + more)),
        "read": what_votes_were_read(scores) if of_votes else what_was_read(scores),
    }
    if out is not None:
        _write(out, asked, table, result, options | {"means": means, "simulations": simulations})
    converged = bool(attrs["converged"])
    finish(options["as_json"], result, _print, table, result, converged=converged)


def _means(scores: "xr.DataArray") -> "xr.DataArray":
    """Take each tournament's mean score for a round."""
    kept = dict(scores.attrs)
    mean = scores.mean("round").drop_vars(
        [name for name in scores.coords if name not in ("player", "tournament")], errors="ignore"
    )
    mean = mean.rename(tournament="round").transpose("player", "round")
    return mean.dropna("round", how="all").assign_attrs(kept)


def _plain(part: "xr.Dataset") -> dict[str, Any]:
    """Give a question to JSON: its attrs, and the rows of what has one dimension."""
    attrs = {
        str(name): number(value) if isinstance(value, float) else _json(value)
        for name, value in part.attrs.items()
        if name not in ("converged", "warnings")
    }
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


def _json(value: Any) -> Any:
    return value.item() if hasattr(value, "item") else value


def _print(table: "pd.DataFrame", result: dict[str, Any]) -> None:
    """Print the table and a paragraph a question."""
    print_published(table, result["prob"], result["model"])
    click.echo(_words(result))
    if not result["diagnostics"]["converged"]:
        print_doubt()


def _words(result: dict[str, Any], width: int = 100) -> str:
    """Write a paragraph a question, those that found something marked."""
    from leaderbayes._answers.audit import heading

    parts = []
    for name, question in result["questions"].items():
        mark = "!" if question["found"] else " "
        text = short(question["message"], longest=4000)
        parts.append(
            textwrap.fill(
                f"{mark} {heading(name)}. {text}", width, subsequent_indent="  ",
                break_long_words=False, break_on_hyphens=False,
            )
        )  # fmt: skip
    return "\n".join(parts)


def _write(
    out: Path, asked: "xr.DataTree", table: "pd.DataFrame", result: dict[str, Any],
    options: dict[str, Any],
) -> None:  # fmt: skip
    """Write the words, each question's tables, and the columns to paste."""
    import pandas as pd

    trusted = {"converged": result["diagnostics"]["converged"], "warnings": result["warnings"]}
    note = result["table"]["note"]
    with writing(out) as part:
        (part / "audit.txt").write_text(_words(result) + "\n", encoding="utf-8")
        for suffix, written in (("md", markdown), ("tex", latex), ("html", html)):
            (part / f"publish.{suffix}").write_text(written(table, note), encoding="utf-8")
        write_table(part / "publish.csv", table, trusted)
        for name, question in result["questions"].items():
            for dim, rows in question.get("rows", {}).items():
                own = "circles.csv" if dim == "triple" else f"{name}.csv"
                if rows and name != "plan":
                    write_table(part / own, pd.DataFrame(rows), trusted)
        for name, question in asked.children.items():
            both = question.to_dataset()
            for value in both.data_vars:
                if both[value].dims == _OF_PAIRS:
                    write_table(part / f"{name}_{value}.csv", both[value], trusted)
        write_run(part, options, {k: v for k, v in result.items() if k != "table"})
        say_older(out, part)
