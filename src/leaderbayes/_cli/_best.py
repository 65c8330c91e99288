"""How good the best of a board is, in sentences and tables, and what is written of it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaderbayes._cli._console import print_doubt, short
from leaderbayes._cli._output import draw, say_older, write_run, write_table
from leaderbayes._files.write import writing

if TYPE_CHECKING:
    import xarray as xr


def print_sota(result: dict[str, Any], best: "xr.Dataset", prob: float) -> None:
    """Say how good the best of a board is."""
    from leaderbayes._numerics.decimals import decimals_of_best
    from leaderbayes._scores.tables import counted

    _print_scale(result)
    form = f".{decimals_of_best(result['theta_sota_lower'], result['theta_sota_upper'])}f"
    how = result.get("sampler") or result["rule"]
    above = counted(result["teams_above"], "team")
    instances = "" if result["n"] is None else f" on {result['n']} instances"
    alone, depend = "", f", rho {result['rho']:.2f}" if result["rho"] else ""
    if "naive_lower" in best:
        low, high = float(best["naive_lower"]), float(best["naive_upper"])
        alone = f" ({prob:.0%} interval {low:{form}} to {high:{form}}, were it the only team)"
    click.echo(
        f"Best of {counted(result['m'], 'team')}{instances}{depend}: "
        f"{result['observed_max']:{form}}{alone}."
    )
    click.echo(
        f"Estimate of the best classifier ({how}): {result['theta_sota']:{form}} "
        f"({prob:.0%} interval {result['theta_sota_lower']:{form}} to "
        f"{result['theta_sota_upper']:{form}}); {above} scored above it."
    )
    # Of one team it is the middle of what its score leaves possible, on either side of it.
    if result["theta_sota"] >= result["observed_max"] and result["m"] > 1:
        click.echo(
            "That is not below the highest score: many teams are near the top, the test set is "
            "taken for a hard one, or the model does not describe the board."
        )
    free, diagnostics = result["law_free"], result["diagnostics"]
    click.echo(free["message"])
    for doubt in (free["apart"], best.attrs.get("middle")):
        if doubt:
            click.echo(doubt)
    if "two_looks" in result:
        click.echo(result["two_looks"]["message"])
    if "converged" not in diagnostics:
        click.echo(diagnostics["message"])
        return
    likely = ", ".join(f"{short(name)} {p:.2f}" for name, p in best.attrs["likely"])
    click.echo(f"As good as that, most probably: {likely}.")
    click.echo(
        f"The same teams' best on another test set: {diagnostics['expected_max']:{form}} "
        f"({diagnostics['max_lower']:{form}} to {diagnostics['max_upper']:{form}})."
    )
    if not diagnostics["converged"]:
        print_doubt()
        return
    click.echo(f"Converged: R-hat {diagnostics['max_rhat']:.3f}. Seed {diagnostics['seed']}.")


def write_sota(
    out: Path,
    board: "xr.DataArray",
    best: "xr.Dataset",
    dt: "xr.DataTree | None",
    result: dict[str, Any],
    asked: dict[str, Any],
) -> None:
    """Write run.json and a figure of the board; of a posterior, and all its teams, two files."""
    import leaderbayes as lb
    from leaderbayes._fits.file import encoded

    with writing(out) as part:
        if dt is not None:
            trusted = {**result["diagnostics"], "warnings": result["warnings"]}
            table = lb.leaderboard(dt, prob=asked["prob"])
            write_table(part / "leaderboard.csv", table, trusted)
            (part / "posterior.nc").write_bytes(encoded(dt))
        draw(part, {"board": (board, best)}, asked["figures"])
        write_run(part, asked, result)
        say_older(out, part)


def _print_scale(result: dict[str, Any]) -> None:
    """Say what became of scores of which less is better."""
    if "scale" in result:
        click.echo(result["scale"])
