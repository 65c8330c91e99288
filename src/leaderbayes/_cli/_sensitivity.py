"""The command sensitivity: what moves with what one may choose."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaderbayes._cli._console import collecting, finish, print_doubt, records
from leaderbayes._cli._options import (
    WEIGHT,
    as_json,
    figures,
    names_of,
    prob,
    reading,
    seed,
    weight,
)
from leaderbayes._cli._output import check_out, draw, say_older, write_run, write_table
from leaderbayes._cli._votes import are_votes, read_board_of, voting, what_votes_were_read
from leaderbayes._files.write import writing

if TYPE_CHECKING:
    import xarray as xr

_OF_FITS = ("leader", "converged", "p_check")
_CHOICES = ("model", "ties", "weight", "cluster", "prior", "without")


@click.command()
@reading
@click.option("--model", multiple=True, help="Once for each, the base first: bradley_terry, "
              "mean_score, davidson, plackett_luce.  [default: the first two; of votes "
              "bradley_terry, davidson]")  # fmt: skip
@click.option("--ties", type=click.Choice(["half", "drop"]), multiple=True,
              help="Once for each.  [default: both]")  # fmt: skip
@click.option("--weight", type=weight, metavar=WEIGHT, multiple=True,
              help="Of scores, once for each.  [default: composite, 1]")  # fmt: skip
@click.option("--prior", type=float, metavar="FACTOR", multiple=True, help="On the prior's scale, "
              "once for each.  [default: 1, 0.5, 2]")  # fmt: skip
@click.option("--rounds/--no-rounds", default=True, show_default=True,
              help="Leave out each round, of votes each judge.")  # fmt: skip
@click.option("--test-fraction", type=float, metavar="SHARE",
              help="Rounds are of a repeated cross-validation that tests on this share of the "
              "data.")  # fmt: skip
@click.option("--top", type=click.IntRange(1), help="Size of the set of best players.  "
              "[default: 5]")  # fmt: skip
@voting
@seed
@prob
@as_json
@click.option("--out", type=click.Path(path_type=Path), help="Write tables and figures here.")
@figures
def sensitivity(out: Path | None, **options: Any) -> None:
    """Fit a table in every way, and say what of the answer moves."""
    import leaderbayes as lb
    from leaderbayes._scores.read import what_was_read

    if out is not None:
        check_out(out, options)
    scores, said = read_board_of({**options, "ties": "half", "model": "bradley_terry"})
    of_votes = are_votes(scores)
    if not of_votes and "tournament" in scores.dims:
        raise lb.ScoresError(
            f"{options['file']}: several tournaments; pick one with --only: {names_of(scores)}"
        )
    asked = {
        name + "s": options[name] for name in ("model", "weight", "prior") if options[name]
    } | {name: options[name] for name in ("rounds", "test_fraction", "top", "seed", "prob")}
    if options["ties"]:
        asked["ties"] = options["ties"]
    if of_votes:
        # Against votes as if each were of another judge.
        asked |= {
            "clusters": tuple(dict.fromkeys([options["cluster"] or "auto", "none"])),
            "order_effect": options["order_effect"],
            "covariates": list(options["covariate"]) or None,
        }
    with collecting() as more:
        moved = lb.sensitivity(scores, **asked)
    fits = moved[[*_CHOICES, *_OF_FITS]].to_dataframe().reset_index()
    by_choice = moved[["fits", "other_leader", "other_top", "pairs_moved", "pairs_reversed"]]
    result = {
        **{name: moved.attrs[name] for name in ("base", "leader", "prob", "top", "seed")},
        "message": moved.attrs["message"],
        "moved": records(by_choice.to_dataframe().reset_index()),
        "fits": records(fits),
        "converged": bool(moved.attrs["converged"]),
        "warnings": list(dict.fromkeys(said + more)),
        "read": what_votes_were_read(scores) if of_votes else what_was_read(scores),
    }
    if out is not None:
        _write(out, moved, result, options)
    converged = bool(moved["converged"].to_numpy()[0])
    finish(options["as_json"], result, _print, result, converged, converged=converged)


def _print(result: dict[str, Any], converged: bool) -> None:
    """Print the sentence, and a row a choice."""
    click.echo(result["message"])
    click.echo()
    click.echo(f"{'choice':<12}{'fits':>6}{'leader':>8}{'top':>6}{'pairs':>7}{'reversed':>10}")
    for row in result["moved"]:
        if row["fits"]:
            click.echo(
                f"{row['what'].replace('_', ' '):<12}{row['fits']:>6}{row['other_leader']:>8}"
                f"{row['other_top']:>6}{row['pairs_moved']:>7}{row['pairs_reversed']:>10}"
            )
    if not converged:
        print_doubt()


def _write(out: Path, moved: "xr.Dataset", result: dict[str, Any], options: dict[str, Any]) -> None:
    """Write what moves, the fits with their ranks, and figures."""
    import pandas as pd

    trusted = {"converged": result["converged"], "warnings": result["warnings"]}
    rank = moved["rank"].transpose("fit", "player")
    with writing(out) as part:
        write_table(part / "moved.csv", pd.DataFrame(result["moved"]), trusted)
        write_table(part / "fits.csv", pd.DataFrame(result["fits"]), trusted)
        write_table(part / "ranks.csv", rank.drop_vars([n for n in _CHOICES]), trusted)
        draw(part, {"sensitivity": moved}, options["figures"])
        write_run(part, options, result)
        say_older(out, part)
