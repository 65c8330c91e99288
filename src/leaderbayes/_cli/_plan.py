"""The command plan: how many more rounds would decide."""

import json
from typing import TYPE_CHECKING, Any

import click

from leaderbayes._cli._options import command, counts, fitting, option, reading, target
from leaderbayes._cli._print import finish, number, print_table, short
from leaderbayes._cli._read import fit, read

if TYPE_CHECKING:
    import xarray as xr

_OVER = ("rounds", "votes")


@command("plan scores.csv --pair svm forest --seed 1")
@reading
@option("pair", "Two players to separate.  [default: the leader from all]", nargs=2, metavar="A B")
@option("rounds", "Numbers of further rounds.  [default: 1/4 to 4 times as many]", counts,
        metavar="N,N,...")  # fmt: skip
@option("votes", "Numbers of further votes.", counts, metavar="N,N,...")
@target
@option("width", "Wanted width of the interval of the difference.", float)
@option("more_runs", "Numbers of further runs of the same rounds.", counts, metavar="N,N,...")
@option("players", "Player to run again (repeatable).  [default: the pair, or those tied for top]",
        multiple=True, metavar="PLAYER")  # fmt: skip
@fitting
def plan(**given: Any) -> None:
    """Estimate how many more rounds, or votes, would separate players."""
    import leaderbayes as lb

    own = ("pair", "rounds", "votes", "target", "width", "more_runs", "players", "prob")
    asked = {name: given[name] for name in own if given[name] not in (None, ())}
    data = read(given)
    dt = fit(data, given | {"replicates": 1})
    found = lb.plan(dt, seed=dt.attrs["seed"], **asked)
    planned = _planned(found) | {
        "warnings": data.warnings + json.loads(found.attrs["warnings"]),
        "read": data.what,
    }
    converged = bool(found.attrs["converged"])
    finish(given["as_json"], planned, _print, planned, converged=converged)


def _planned(found: "xr.Dataset") -> dict[str, Any]:
    """Return a plan for JSON: scalars, a row per way, and a row per way and number."""
    over = next(name for name in _OVER if name in found.dims)
    rows = found[[name for name in found.data_vars if over in found[name].dims]]
    ways = found[[n for n in found.data_vars if found[n].dims and over not in found[n].dims]]
    ways = ways.drop_dims([dim for dim in ("more_runs",) if dim in ways.dims])
    scalars = {str(n): number(float(v)) for n, v in found.data_vars.items() if not v.dims}
    named = ("question", "message", "unit", "prob", "target", "seed")
    return {
        **{name: found.attrs[name] for name in named},
        "contested": json.loads(found.attrs["contested"]),
        **scalars,
        "ways": _records(ways),
        "over": over,
        "rows": _records(rows),
        **({"runs": _records(found[["width_runs"]])} if "width_runs" in found else {}),
    }


def _records(part: "xr.Dataset") -> list[dict[str, Any]]:
    from leaderbayes._cli._print import records

    return records(part.to_dataframe().reset_index())


def _print(planned: dict[str, Any]) -> None:
    """Print a plan as a table, and what it comes to."""
    from leaderbayes._numerics.intervals import decimals

    over, digits = planned["over"], decimals([planned["width_now"]])
    shown = [name for name in ("who", "clusters") if planned["rows"] and name in planned["rows"][0]]
    columns = (*shown, f"further {planned['unit']}s", "runs", "P(decided)", "P(correct)", "width")
    known = [name for name in ("p_decided", "p_correct") if planned["rows"]]
    rows = [
        (
            *(str(row[name]) for name in shown),
            f"+{row[over]}",
            f"{row['runs']:g}" if "runs" in row else "",
            *(f"{row[name]:.2f}" if name in row else "" for name in known),
            f"{row['width']:.{digits}f}",
        )
        for row in planned["rows"]
    ]
    now = (*("" for _ in shown), "now", "", "", "", f"{planned['width_now']:.{digits}f}")
    again = [
        (*("" for _ in shown), "the same", f"+{row['more_runs']} each", "", "",
         f"{row['width_runs']:.{digits}f}")
        for row in planned.get("runs", ())
    ]  # fmt: skip
    print_table(dict.fromkeys(columns, 0), [now, *rows, *again], left=shown)
    click.echo(f"Contested: {', '.join(short(name) for name in planned['contested'])}.")
    click.echo(short(planned["message"], longest=1000))
