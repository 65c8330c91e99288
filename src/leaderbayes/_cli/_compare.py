"""The command compare: two players."""

from typing import TYPE_CHECKING, Any

import click

from leaderbayes._cli._options import fitting, option, reading
from leaderbayes._cli._print import finish, short, warned
from leaderbayes._cli._read import fitted

if TYPE_CHECKING:
    import xarray as xr


@click.command()
@reading
@click.argument("a")
@click.argument("b")
@option("rope", "Win probabilities this near to 1/2 are equivalent; of mean scores, differences up "
        "to this.", float)  # fmt: skip
@fitting
def compare(a: str, b: str, rope: float | None, **given: Any) -> None:
    """Compute how probably player A is better than player B."""
    import leaderbayes as lb

    dt, data = fitted(given, (a, b))
    found = lb.compare(dt, a, b, rope=rope, prob=given["prob"])
    converged = bool(found.attrs["converged"])
    result = {
        "player": a,
        "opponent": b,
        **{str(name): float(value) for name, value in found.data_vars.items()},
        "seed": dt.attrs["seed"],
        "converged": converged,
        "warnings": warned(found, data.warnings),
        "read": data.what,
    }
    finish(given["as_json"], result, _print, found, given["prob"], converged=converged)


def _print(found: "xr.Dataset", prob: float) -> None:
    """Print the comparison in sentences."""
    from leaderbayes._numerics.intervals import decimals, nearest

    a, b = (short(found[name].item()) for name in ("player", "opponent"))
    if "difference" in found:
        gap, low, high = (float(found[f"difference{end}"]) for end in ("", "_lower", "_upper"))
        shown = f"+.{decimals([high - low, *nearest(low, high)])}f"
        click.echo(
            f"{a} less {b}: {gap:{shown}} ({prob:.0%} interval {low:{shown}} to {high:{shown}})."
        )
    else:
        low, high = float(found["win_lower"]), float(found["win_upper"])
        click.echo(
            f"{a} beats {b} next time with probability {float(found['win_probability']):.3f} "
            f"({prob:.0%} interval {low:.3f} to {high:.3f})."
        )
    if "new_lower" in found:
        low, high = float(found["new_lower"]), float(found["new_upper"])
        shown, p = f"+.{decimals([high - low, *nearest(low, high)])}f", float(found["mean_better"])
        click.echo(
            f"That is about means over data sets; {a} is better there with probability {p:.3f}. "
            f"On a new data set: {low:{shown}} to {high:{shown}}."
        )
    better, same, worse = (float(found[f"p_{k}"]) for k in ("better", "equivalent", "worse"))
    if "rope" in found.attrs:
        click.echo(f"Better {better:.3f}, equivalent {same:.3f}, worse {worse:.3f}.")
    else:
        of = "By strength against all: b" if "epp_difference" in found else "B"
        click.echo(f"{of}etter {better:.3f}, worse {worse:.3f}.")
    if "note" in found.attrs:
        click.echo(found.attrs["note"])
    if "record" in found:
        won, tied, n = (float(found[f"record_{k}"]) for k in ("won", "tied", "played"))
        alone, low, high = (float(found[f"record{end}"]) for end in ("", "_lower", "_upper"))
        halves = f" and tied {tied:g}" if tied else ""
        click.echo(
            f"Head to head {a} won {won - tied / 2:g}{halves} of {n:g}: by these alone {alone:.3f} "
            f"({low:.3f} to {high:.3f})."
        )
