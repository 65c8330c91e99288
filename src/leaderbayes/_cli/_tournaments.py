"""The command tournaments: fit each of many, compare them, place them beside each other."""

import json
import signal
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaderbayes._cli._console import finish, print_table, records, short
from leaderbayes._cli._options import (
    WEIGHT,
    as_json,
    figures,
    of_mean_scores,
    prob,
    reading,
    sampler,
    seed,
    ties,
    weight,
)
from leaderbayes._cli._output import check_out, codes, draw, say_older, write_run, write_table
from leaderbayes._cli._votes import (
    are_votes,
    how_votes_count,
    read_board_of,
    tournaments_of,
    voting,
    what_votes_were_read,
)
from leaderbayes._files.write import writing
from leaderbayes._fits.kinds import OF_SCORES
from leaderbayes._numerics.decimals import decimals

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd
    import xarray as xr
    from rich.console import Console

MODELS = ("bradley_terry", "davidson", "plackett_luce", "round_intercept", "mean_score")


@click.command()
@reading
@voting
@click.option("--store", type=click.Path(path_type=Path), required=True,
              help="Folder of the posteriors (Zarr). A study that was stopped is continued.",
              )  # fmt: skip
@sampler
@click.option("--model", type=click.Choice(MODELS), default="bradley_terry", show_default=True,
              help="mean_score says by how much, in each tournament's own unit.")  # fmt: skip
@of_mean_scores
@click.option("--weight", type=weight, metavar=WEIGHT, help="As for rank.")
@click.option("--test-fraction", type=float, metavar="SHARE", help="As for rank.")
@ties
@click.option("--draws", type=click.IntRange(1), help="Per chain.  [default: 1000, laplace 250]")
@click.option("--chains", type=click.IntRange(1), default=4, show_default=True)
@seed
@click.option("--workers", type=click.IntRange(1), help="Processes on this machine.  [default: as "
              "many as CPUs, one a tournament at most]")  # fmt: skip
@click.option("--dask", metavar="ADDRESS", help="Scheduler of a Dask cluster, instead.")
@prob
@click.option("--out", type=click.Path(path_type=Path), help="Write tables and figures here.")
@figures
@as_json
def tournaments(store: Path, out: Path | None, as_json: bool, **options: Any) -> None:
    """Fit each tournament of a table of scores, or of votes, by itself, and compare them."""
    import leaderbayes as lb
    from leaderbayes._numerics.workers import available
    from leaderbayes._scores.read import what_was_read

    if out is not None:
        check_out(out, options)
    scores, said = read_board_of(options | {"as_json": as_json})
    of_votes = are_votes(scores)
    if "tournament" not in (scores.coords if of_votes else scores.dims):
        column = "; of votes name its column by --tournament" if of_votes else ""
        raise lb.ScoresError(
            f"{options['file']}: there is one tournament; rank it with leaderbayes rank{column}."
        )
    count = len(tournaments_of(scores)) if of_votes else scores.sizes["tournament"]
    asked = {k: options[k] for k in ("sampler", "draws", "chains", "ties", "seed")}
    own = ("weight", "test_fraction", "likelihood", "of", "statistic")
    asked |= {k: options[k] for k in own if options[k] is not None}
    asked |= how_votes_count(options) if of_votes else {}
    workers = options["workers"] or min(available(), count)
    with _executor(workers, options["dask"]) as executor:
        study = lb.study.fit(
            scores, options["model"], store=store, executor=executor,
            progressbar=sys.stderr.isatty(), **asked,
        )  # fmt: skip
    compared, over_all, placed = _compare(study, options["prob"])
    converged = bool(compared["converged"].all())
    failed = json.loads(study.attrs["failed"])
    result = {
        "model": options["model"],
        "seed": study.attrs["seed"],
        "tournaments": records(compared),
        "players": _players(over_all),
        "embedding": None if placed is None else {
            str(row["tournament"].item()): row.to_numpy().tolist() for row in placed["score"]
        },
        "failed": failed,
        "diagnostics": {"converged": converged},
        "warnings": said + json.loads(compared.attrs["warnings"]),
        "read": what_votes_were_read(scores) if of_votes else what_was_read(scores),
    }  # fmt: skip
    if out is not None:
        _write(out, options | {"store": store}, result, compared, over_all, placed)
    finish(as_json, result, _print, result, converged=converged, failed=failed)


@contextmanager
def _executor(workers: int, address: str | None) -> "Iterator[Any]":
    """Give an executor of processes here, of a cluster, or none."""
    from leaderbayes._errors import LeaderbayesError
    from leaderbayes._extras import extra

    if address is not None:
        with extra("distributed", "--dask"):
            from distributed import Client
        try:
            # A client that does not start would otherwise stay Dask's default in this process.
            client = Client(address, timeout="10s", set_as_default=False)
        except (OSError, ValueError) as problem:
            raise LeaderbayesError(f"--dask {address}: no scheduler answers there.") from problem
        with client:
            yield client
    elif workers > 1:
        from concurrent.futures import ProcessPoolExecutor

        # A terminal's Ctrl-C is for all: workers that live on it fit what waits for them first.
        at_once = (signal.SIGINT, signal.SIG_DFL)
        with ProcessPoolExecutor(workers, initializer=signal.signal, initargs=at_once) as executor:
            yield executor
    else:
        yield None


def _compare(
    study: "xr.DataTree", prob: float
) -> "tuple[pd.DataFrame, xr.Dataset, xr.Dataset | None]":
    """Compare leaderboards, find who beats the average player, and embed; or of sizes rank."""
    import leaderbayes as lb

    compared = lb.study.compare(study, prob=prob)
    if study.attrs["model"] in OF_SCORES:
        return compared, lb.study.average_rank(study, prob=prob), None
    average = lb.study.average_player(study, prob=prob)
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
    """List players over all tournaments, the best first, by what there is of them."""
    ends = ("", "_lower", "_upper")
    by_rank = "average_rank" in over_all
    found, name = ("average_rank",) * 2 if by_rank else ("overall", "p_average")
    names = {f"{found}{end}": f"{name}{end}" for end in ends}
    table = over_all[list(names)].to_dataframe().rename(columns=names).reset_index()
    return records(table.sort_values(name, ascending=by_rank, kind="stable"))


def _of_another(warning: str, name: str) -> bool:
    """Say whether a warning is of another tournament; those of reading are of all."""
    of_one = warning.startswith(("tournament '", 'tournament "'))
    return of_one and not warning.startswith(f"tournament {name!r}: ")


def _write(
    out: Path,
    options: dict[str, Any],
    result: dict[str, Any],
    compared: "pd.DataFrame",
    over_all: "xr.Dataset",
    placed: "xr.Dataset | None",
) -> None:
    """Write tables and figures."""
    by_rank = "average_rank" in over_all
    what, cells = ("average_rank", "rank") if by_rank else ("average_player", "mean")
    drawn: dict[str, Any] = {"leaderboard": compared, what: over_all}
    trusted = {"converged": result["diagnostics"]["converged"], "warnings": result["warnings"]}
    own = [
        codes([t for t in result["warnings"] if not _of_another(t, str(name))])
        for name in compared["tournament"]
    ]
    with writing(out) as part:
        write_table(part / "leaderboards.csv", compared.assign(warnings=own), trusted)
        write_table(part / f"{what}.csv", over_all[cells], trusted)
        if placed is not None:
            write_table(part / "embedding.csv", placed["score"], trusted)
            drawn["embedding"] = placed
        draw(part, drawn, options["figures"])
        write_run(part, options, result)
        say_older(out, part)


def _print(result: dict[str, Any]) -> None:
    """Tabulate tournaments, and say who is best across them."""
    rows = result["tournaments"]
    console = (_print_leads if result["model"] in OF_SCORES else _print_fits)(result)
    if not result["diagnostics"]["converged"]:
        bad = ", ".join(short(row["tournament"]) for row in rows if not row["converged"])
        console.print(f"NOT CONVERGED, do not report: {bad}.", style="bold red")


def _print_leads(result: dict[str, Any]) -> "Console":
    """Tabulate by how much leaders lead, and say who ranks highest on average."""
    rows = []
    for row in result["tournaments"]:
        ends = [row[f"lead{end}"] for end in ("", "_lower", "_upper")]
        digits = decimals([ends[2] - ends[1]])
        lead, low, high = (f"{end:z.{digits}f}" for end in ends)
        rows.append(
            (short(row["tournament"], 24), f"{row['players']} x {row['rounds']}",
             short(row["leader"], 24), lead, f"{low} to {high}", short(row["second"], 24),
             _rounded(row["p_best"]), str(row["tied_for_top"]))
        )  # fmt: skip
    console = print_table(
        {"tournament": 10, "size": 7, "leader": 10, "lead": 6, "interval": 12, "second": 10,
         "best": 4, "tied": 4},
        rows,
        left=("tournament", "leader", "second"),
    )  # fmt: skip
    console.print(
        "lead: by how much the leader is better than the second, in the tournament's own unit. "
        "best: probability of the leader. tied: not told apart from it."
    )
    best = ", ".join(
        f"{short(p['player'])} {p['average_rank']:.1f}" for p in result["players"][:10]
    )
    console.print(f"Rank on average, over all tournaments: {best}.")
    return console


def _print_fits(result: dict[str, Any]) -> "Console":
    """Tabulate how boards fit, and say who beats the average player most often."""
    from leaderbayes.report._facts import PROBABLY

    rows = result["tournaments"]
    # Names give way on a narrow terminal, numbers do not.
    console = print_table(
        {"tournament": 10, "size": 7, "fit": 3, "leader": 10, "best": 4, "tied": 4, "agrees": 6,
         "odd player": 14},
        [
            (short(row["tournament"], 24),
             f"{row['players']} x {row['rounds' if 'rounds' in row else 'votes']}",
             _rounded(row["p_check"]), short(row["leader"], 24), _rounded(row["p_best"]),
             str(row["tied_for_top"]), _rounded(row["agreement"]),
             f"{short(row['odd_player'], 24)} ({_rounded(row['odd_z'], 1)})"
             if row["odd_player"] else "")
            for row in rows
        ],
        left=("tournament", "leader", "odd player"),
    )  # fmt: skip
    console.print(
        "fit: share of replicated boards that fit worse. best: probability of the leader. tied: "
        "not told apart from it. agrees: rank correlation with the mean of the others. "
        "Odd: whose strength is least like elsewhere, in standard deviations."
    )
    best = ", ".join(f"{short(p['player'])} {p['p_average']:.2f}" for p in result["players"][:10])
    console.print(f"Beat the average player most often, over all tournaments: {best}.")
    # Where nothing is told apart the order is reversed with a probability of a half.
    reverse = [
        f"{short(row['tournament'])} {row['p_reversed']:.2f}"
        for row in rows
        if (row["p_reversed"] or 0.0) >= PROBABLY
    ]
    if reverse:
        console.print(f"In reverse of the usual order, probably: {', '.join(reverse)}.")
    return console


def _rounded(value: float | None, digits: int = 2) -> str:
    return "" if value is None else f"{value:.{digits}f}"
