"""The command sensitivity: what moves with what one may choose."""

from typing import Any

import click

from leaderbayes._cli._options import (
    as_json,
    command,
    option,
    prob,
    reading,
    seed,
    together,
    writing,
)
from leaderbayes._cli._output import check_out, write_out
from leaderbayes._cli._print import collecting, finish, print_table, records
from leaderbayes._cli._read import read
from leaderbayes._cli._values import names, weight

_ARGUMENTS = ("models", "ties", "weights", "clusters", "priors", "rounds", "test_fraction", "top",
              "seed", "prob", "order_effect", "covariates")  # fmt: skip
_OF_FITS = ("leader", "converged", "p_check")
_MOVED = ("fits", "other_leader", "other_top", "pairs_moved", "pairs_reversed")


def _weights(text: str) -> list[float | str]:
    return [weight(each) for each in names(text)]


def _numbers(text: str) -> list[float]:
    return [float(each) for each in names(text)]


@command("sensitivity scores.csv --seed 1 --out results")
@reading
@option("models", "Models, separated by commas, the base first.", names)
@option("ties", "Rules for ties.  [default: half,drop]", names)
@option("weights", "Weights of a match.  [default: composite,1]", _weights, metavar="X,...")
@option("clusters", "Clusters of votes.  [default: auto,none]", names)
@option(
    "priors", "Factors of the scale of the prior.  [default: 1,0.5,2]", _numbers, metavar="X,..."
)
@click.option("--rounds/--no-rounds", default=True, show_default=True,
              help="Also leave out each round, or each judge.")  # fmt: skip
@option("test_fraction", "Share of rows that each round tests on, if rounds are splits of one data "
        "set.", float)  # fmt: skip
@option("top", "Size of the set of best players.  [default: 5]", click.IntRange(1))
@option("order_effect", "Estimate the advantage of being shown first.", bool)
@option("covariates", "Covariates of votes, separated by commas.", names)
@together(seed, prob, as_json, writing)
def sensitivity(**given: Any) -> None:
    """Report how other choices would change the answer."""
    import leaderbayes as lb

    check_out(given)
    data = read(given, several=False)
    asked = {name: given[name] for name in _ARGUMENTS if given[name] is not None}
    with collecting() as texts:
        moved = lb.sensitivity(data.given.values, **asked)
    fits = moved[[name for name in moved.coords if moved[name].dims == ("fit",)] + [*_OF_FITS]]
    result = {
        **{name: moved.attrs[name] for name in ("base", "leader", "prob", "top", "seed")},
        "message": moved.attrs["message"],
        "moved": records(moved[list(_MOVED)].to_dataframe().reset_index()),
        "fits": records(fits.to_dataframe().reset_index()),
        "converged": bool(moved.attrs["converged"]),
        "warnings": list(dict.fromkeys(data.warnings + texts)),
        "read": data.what,
    }
    _write(given, moved, result)
    finish(given["as_json"], result, _print, result, converged=result["converged"])


def _print(result: dict[str, Any]) -> None:
    """Print the sentence, and a row per choice."""
    click.echo(result["message"])
    columns = ("choice", "fits", "leader", "top", "pairs", "reversed")
    rows = [
        [row["what"].replace("_", " "), *(str(row[name]) for name in _MOVED)]
        for row in result["moved"]
        if row["fits"]
    ]
    print_table(dict.fromkeys(columns, 0), rows, left=("choice",))


def _write(given: dict[str, Any], moved: Any, result: dict[str, Any]) -> None:
    """Write what moves, the fits with their ranks, and a figure."""
    import pandas as pd

    rank = moved["rank"].transpose("fit", "player").reset_coords(drop=True)
    tables = {
        "moved": pd.DataFrame(result["moved"]),
        "fits": pd.DataFrame(result["fits"]),
        "ranks": rank,
    }
    write_out(
        given, result, converged=result["converged"], tables=tables, figures={"sensitivity": moved}
    )
