"""The command frontier: cost against quality."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from leaderbayes._cli._options import command, fitting, option, reading, scaling, together, writing
from leaderbayes._cli._output import check_out, write_out
from leaderbayes._cli._print import finish, print_table, records, short, warned
from leaderbayes._cli._read import fitted
from leaderbayes._cli._values import anchored, names

if TYPE_CHECKING:
    import pandas as pd

_NAMES = "player team model system algorithm method classifier name"


@command("frontier scores.csv --cost price.csv --cost-column usd --out frontier")
@reading
@option("cost", "Table of players and costs.", click.Path(),
        required=True, metavar="COSTS")  # fmt: skip
@option("cost_column", "Column of costs, or A,B for repeated measurements.  [default: the only "
        "numeric column]", names,
        metavar="COLUMN,...")  # fmt: skip
@together(scaling, fitting, writing)
def frontier(**given: Any) -> None:
    """Find the Pareto frontier of cost and quality."""
    import leaderbayes as lb
    from leaderbayes._fits.posterior import Posterior

    check_out(given)
    cost = _costs(given)
    dt, data = fitted(given)
    asked = {"prob": given["prob"], **anchored(given)}
    table = lb.frontier(dt, cost, **asked)
    converged = bool(table.attrs["converged"])
    result = {
        "model": Posterior(dt).model.name,
        "seed": int(dt.attrs["seed"]),
        "players": records(table),
        "converged": converged,
        "warnings": warned(table, data.warnings),
        "read": data.what,
    }
    write_out(
        given, result, converged=converged, tables={"frontier": table},
        figures={"frontier": (dt, cost, asked)},
    )  # fmt: skip
    finish(given["as_json"], result, _print, table, given["prob"], converged=converged)


def _costs(given: Mapping[str, Any]) -> "pd.DataFrame | pd.Series":
    """Read costs by player; of one column a Series."""
    from leaderbayes._scores.cells import as_names, as_numbers, numbers_of
    from leaderbayes._scores.roles import recognise
    from leaderbayes._scores.sources import read_table
    from leaderbayes._scores.tables import listed, suggest

    table, asked = read_table(given["cost"], None, given["max_mb"]), given["cost_column"]
    label = recognise(table, _NAMES, asked or ()) or table.frame.columns[0]
    others = [name for name in table.frame.columns if name != label]
    for name in asked or ():
        if name not in others:
            table.refuse(f"no column of costs {name!r}; {suggest(name, others)}")
    found = asked or [name for name in others if numbers_of(table.frame[name]).notna().any()]
    if asked is None and len(found) != 1:
        table.refuse(
            f"which column is the cost? Name it (--cost-column NAME, or A,B of repeated "
            f"measurements): {listed(others)}."
        )
    remedy = "must be a number of at least 0"
    columns = {name: as_numbers(table, name, words=False, remedy=remedy) for name in found}
    costs = table.frame[[label]].assign(**columns).set_index(as_names(table, label))[found]
    return costs[found[0]] if len(found) == 1 else costs


def _print(table: "pd.DataFrame", prob: float) -> None:
    """Print a row a player, cheapest first, and who is dominated."""
    from leaderbayes._numerics.intervals import decimals_of

    who, names = str(table.columns[0]), ("epp", "elo", "score", "theta", "difference")
    name = next(name for name in names if name in table)
    digits = decimals_of(table, name)
    columns = (who, "cost", name, "interval", "P(frontier)", "dominated by", "P(dominated)")
    rows = [
        (
            short(str(row[who])),
            f"{row['cost']:.4g}",
            f"{row[name]:.{digits}f}",
            f"{row[f'{name}_lower']:.{digits}f} to {row[f'{name}_upper']:.{digits}f}",
            f"{row['p_frontier']:.2f}",
            *((short(row["dominated_by"]), f"{row['p_dominated']:.2f}")
              if row["p_dominated"] >= 0.005 else ("", "")),
        )
        for row in table.to_dict("records")
    ]  # fmt: skip
    left = (who, "dominated by")
    title = f"Cost against quality, {prob:.0%} intervals, cheapest first"
    print_table(dict.fromkeys(columns, 0) | {who: 8}, rows, left=left, wrapped=left, title=title)
    for verdict, said in (("frontier", "On the frontier"), ("dominated", "Dominated")):
        those = ", ".join(map(short, table.loc[table["verdict"] == verdict, who]))
        click.echo(f"{said} with probability {prob:g} or more: {those or 'none'}.")
