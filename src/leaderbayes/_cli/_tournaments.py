"""The command tournaments: fit each of many, compare them, place them beside each other."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaderbayes._cli._options import command, fitting, option, reading, together, writing
from leaderbayes._cli._output import check_out, codes, write_out
from leaderbayes._cli._print import finish, print_table, records, short
from leaderbayes._cli._read import fit_arguments, read

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

_LEADS = ("tournament", "size", "leader", "P(best)", "tied")


@command("tournaments scores.csv --store study --seed 1 --out results")
@reading
@option("store", "Folder for the posteriors (Zarr); continues a stopped study.",
        click.Path(path_type=Path), required=True, metavar="FOLDER")  # fmt: skip
@option("workers", "Number of processes.  [default: as many as CPUs]", click.IntRange(1))
@together(fitting, writing)
def tournaments(store: Path, workers: int | None, **given: Any) -> None:
    """Fit each data set of a table separately and compare."""
    import leaderbayes as lb
    from leaderbayes._numerics.workers import available

    check_out(given)
    data = read(given)
    if not (names := data.given.tournaments()):
        raise lb.LeaderbayesError(
            f"{given['file']}: only one tournament; name the column with --tournament, or use "
            "leaderbayes rank."
        )
    study = lb.study.fit(
        data.given.values, store=store, workers=workers or min(available(), len(names)),
        progressbar=sys.stderr.isatty(), **fit_arguments(data, given),
    )  # fmt: skip
    compared, over_all, placed = _compare(study, given["prob"])
    failed = json.loads(study.attrs["failed"])
    converged = bool(compared["converged"].all())
    result = {
        "model": study.attrs["model"],
        "seed": study.attrs["seed"],
        "tournaments": records(compared),
        "players": _players(over_all),
        "embedding": None if placed is None else {
            str(row["tournament"].item()): row.to_numpy().tolist() for row in placed["score"]
        },
        "failed": failed,
        "why_nuts": json.loads(study.attrs["why_nuts"]),
        "diagnostics": {"converged": converged},
        "warnings": data.warnings + json.loads(compared.attrs["warnings"]),
        "read": data.what,
    }  # fmt: skip
    _write(given | {"store": store}, result, compared, over_all, placed)
    finish(given["as_json"], result, _print, result, converged=converged, failed=failed)


def _compare(
    study: "xr.DataTree", prob: float
) -> "tuple[pd.DataFrame, xr.Dataset, xr.Dataset | None]":
    """Compare leaderboards, average over them, and embed; mean scores are ranked."""
    import leaderbayes as lb

    compared = lb.study.compare(study, prob=prob)
    if "lead" in compared:
        return compared, lb.study.average(study, of="rank", prob=prob), None
    average = lb.study.average(study, prob=prob)
    odd = lb.study.unusual(study, prob=prob) if len(compared) > 1 else None
    for name in ("agreement", "p_reversed"):
        compared[name] = float("nan") if odd is None else odd[name].to_numpy()
    placed = None
    if min(len(compared), average.sizes["player"]) > 2:
        try:
            placed = lb.study.embedding(study, prob=prob)
        except lb.LeaderbayesError as problem:
            # The fits and all else are there.
            click.echo(f"Warning: no embedding. {problem}", err=True)
    return compared, average, placed


def _players(over_all: "xr.Dataset") -> list[dict[str, Any]]:
    """List players over all tournaments, best first."""
    by_rank = "average_rank" in over_all
    found, name = ("average_rank",) * 2 if by_rank else ("overall", "p_average")
    names = {f"{found}{end}": f"{name}{end}" for end in ("", "_lower", "_upper")}
    table = over_all[list(names)].to_dataframe().rename(columns=names).reset_index()
    return records(table.sort_values(name, ascending=by_rank, kind="stable"))


def _write(
    given: Mapping[str, Any], result: Mapping[str, Any], compared: "pd.DataFrame",
    over_all: "xr.Dataset", placed: "xr.Dataset | None",
) -> None:  # fmt: skip
    """Write tables and figures."""
    cells = "mean" if "mean" in over_all else "rank"
    own = [
        codes([t for t in result["warnings"] if not _of_another(t, str(name))])
        for name in compared["tournament"]
    ]
    tables: dict[str, Any] = {"compare": compared.assign(warnings=own), "average": over_all[cells]}
    figures: dict[str, Any] = {"leaderboard": over_all, "average": over_all}
    if placed is not None:
        tables["embedding"] = placed["score"]
        figures["embedding"] = placed
    converged = result["diagnostics"]["converged"]
    write_out(given, result, converged=converged, tables=tables, figures=figures)


def _of_another(warning: str, name: str) -> bool:
    """Whether a warning is about another tournament; those of reading are about all."""
    of_one = warning.startswith(("tournament '", 'tournament "'))
    return of_one and not warning.startswith(f"tournament {name!r}: ")


def _print(result: Mapping[str, Any]) -> None:
    """Print a row per tournament, and who is best across them."""
    rows = result["tournaments"]
    if "lead" in rows[0]:
        _print_leads(rows)
        best = [f"{short(p['player'])} {p['average_rank']:.1f}" for p in result["players"][:10]]
        click.echo(f"Average rank over all tournaments: {', '.join(best)}.")
    else:
        _print_fits(rows)
        best = [f"{short(p['player'])} {p['p_average']:.2f}" for p in result["players"][:10]]
        click.echo(f"Beats the average player most often: {', '.join(best)}.")
        reverse = [short(row["tournament"]) for row in rows if (row["p_reversed"] or 0.0) >= 0.95]
        if reverse:
            click.echo(f"Probably in reverse of the usual order: {', '.join(reverse)}.")
    for name, why in result["why_nuts"].items():
        click.echo(f"{short(name)} was sampled by NUTS: {why}.")
    if bad := [short(row["tournament"]) for row in rows if not row["converged"]]:
        click.echo(f"Not converged: {', '.join(bad)}.")


def _print_leads(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print by how much leaders lead, each in its tournament's unit."""
    from leaderbayes._numerics.intervals import decimals

    shown = []
    for row in rows:
        digits = decimals([row["lead_upper"] - row["lead_lower"]])
        lead, low, high = (f"{row[f'lead{end}']:z.{digits}f}" for end in ("", "_lower", "_upper"))
        shown.append((*_leads(row), lead, f"{low} to {high}", short(row["second"], 24)))
    columns = (*_LEADS, "lead", "interval", "second")
    print_table(dict.fromkeys(columns, 4), shown, left=("tournament", "leader", "second"))


def _print_fits(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print how well models fit, who leads, and who is odd."""
    shown = []
    for row in rows:
        odd = f"{short(row['odd_player'], 24)} ({_rounded(row['odd_z'], 1)})"
        numbers = _rounded(row["p_check"]), _rounded(row["agreement"])
        shown.append((*_leads(row), *numbers, odd if row["odd_player"] else ""))
    columns = (*_LEADS, "p(check)", "agrees", "odd player")
    print_table(dict.fromkeys(columns, 4), shown, left=("tournament", "leader", "odd player"))
    click.echo(
        "tied: indistinguishable from the leader, including it. agrees: rank correlation with "
        "the mean of the others. odd player: strength that differs most from elsewhere, in "
        "standard deviations."
    )


def _leads(row: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the cells of `_LEADS`."""
    size = f"{row['players']} x {row['rounds' if 'rounds' in row else 'votes']}"
    names = short(row["tournament"], 24), size, short(row["leader"], 24)
    return *names, _rounded(row["p_best"]), str(row["tied_for_top"])


def _rounded(value: float | None, digits: int = 2) -> str:
    return "" if value is None else f"{value:.{digits}f}"
