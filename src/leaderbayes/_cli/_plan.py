"""The command plan: how many more rounds would decide, or how many a study needs."""

import json
from typing import TYPE_CHECKING, Any

import click

from leaderbayes._cli._options import columns, command, fitting, option, target
from leaderbayes._cli._print import finish, number, print_table, records, short
from leaderbayes._cli._read import fit, read
from leaderbayes._cli._values import counts, typed

if TYPE_CHECKING:
    import xarray as xr

_OVER = ("rounds", "votes")
_DESIGN = ("difference", "sd", "correlation", "accuracy", "discordance")  # without a file
_BOTH = ("rounds", "test_fraction", "prob", "target", "seed")


@command(
    "plan scores.csv --pair svm forest --seed 1, or plan --players 6 --difference 0.02 --sd 0.03"
)
@click.argument("file", type=click.Path(), required=False)
@columns
@option("pair", "Two players to separate.  [default: leader, all others]", nargs=2, metavar="A B")
@option("rounds", "Numbers of further rounds; without FILE, of all.  [default: 1/4 to 4 times as "
        "many]", counts, metavar="N,N,...")  # fmt: skip
@option("votes", "Numbers of further votes.", counts, metavar="N,N,...")
@target
@option("width", "Target width of the interval of the difference.", float)
@option("more_runs", "Numbers of further runs of the same rounds.", counts, metavar="N,N,...")
@option("players", "Player to run again (repeatable); without FILE, their number.  [default: the "
        "pair, or players tied for top]", multiple=True, metavar="PLAYER")  # fmt: skip
@option("difference", "True difference between the leader and all others.", float)
@option("sd", "Standard deviation of a player's scores between rounds.", float)
@option("correlation", "Correlation of the scores of two players in a round.", float)
@option("accuracy", "Share of right answers, for right-or-wrong items.", float)
@option("discordance", "Share of items that only one of two players gets right.", float)
@fitting
def plan(**given: Any) -> None:
    """Estimate how many more rounds or votes separate players.

    Without FILE: how many rounds, or items, a study needs, and how small a difference it finds.
    """
    import leaderbayes as lb

    alone = given["file"] is None
    if alien := typed(set(given) - {*_DESIGN, *_BOTH, "players", "as_json"} if alone else _DESIGN):
        flag = "--" + min(alien).rstrip("_").replace("_", "-")
        which = "with FILE" if alone else f"without FILE, which is {given['file']} here"
        raise lb.LeaderbayesError(f"{flag} is for a plan {which}.")
    if alone:
        return _design(given)
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


def _design(given: dict[str, Any]) -> None:
    """Print how large a study has to be."""
    import leaderbayes as lb

    asked = {n: given[n] for n in (*_DESIGN, *_BOTH) if given[n] is not None}
    players: Any = (
        given["players"][0] if len(given["players"]) == 1 else ", ".join(given["players"])
    )
    found = lb.design(int(players) if players.isdecimal() else players, **asked)
    made = {**found.attrs, "ways": _records(found.drop_dims("rounds")),
            "rows": _records(found.drop_vars("rounds_needed", errors="ignore"))}  # fmt: skip
    finish(given["as_json"], made, _print_design, made, converged=True)


def _print_design(made: dict[str, Any]) -> None:
    rows = [
        (row["question"], str(row["rounds"]), f"{row['smallest_difference'] or float('nan'):.3g}",
         *([f"{row['p_correct']:.2f}"] if "p_correct" in row else []))
        for row in made["rows"]
    ]  # fmt: skip
    head = ("question", f"{made['unit']}s", "smallest difference", "P(correct)")[: len(rows[0])]
    print_table(dict.fromkeys(head, 0), rows, left=("question",))
    click.echo(made["message"])


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
