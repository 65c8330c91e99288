"""The command report: a page to hand on."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from leaderbayes.cli._console import NOT_CONVERGED
from leaderbayes.cli._options import as_json, prob

if TYPE_CHECKING:
    import xarray as xr


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The page (HTML).")
@click.option("--sota", type=click.Path(path_type=Path), metavar="FILE",
              help="Posterior of sota.posterior, for a section on how good the best is.",
              )  # fmt: skip
@click.option("--title", help="Of the page.")
@click.option("--top", type=click.IntRange(2), default=100, show_default=True,
              help="Players of each leaderboard in charts and comparisons, best first.",
              )  # fmt: skip
@prob
@as_json
def report(
    file: Path,
    out: Path,
    sota: Path | None,
    title: str | None,
    top: int,
    prob: float,
    as_json: bool,
) -> None:
    """Write a page of a posterior (netCDF) or of a study (the store of tournaments)."""
    import leaderbayes as lb

    fits = [_open(path) for path in (file, sota) if path is not None]
    best = fits[1] if sota is not None else None
    lb.report.html(fits[0], out, sota=best, title=title, prob=prob, top=top)
    converged = all(fit.attrs["converged"] for tree in fits for fit in _members(tree))
    size = out.stat().st_size
    if as_json:
        result = {"out": str(out), "bytes": size, "converged": converged}
        click.echo(json.dumps(result, ensure_ascii=False))
    else:
        click.echo(f"{out}: {size / 1e6:.1f} MB, one file that needs no network.")
        if not converged:
            click.echo("NOT CONVERGED: do not report these numbers.")
    if not converged:
        sys.exit(NOT_CONVERGED)


def _open(path: Path) -> "xr.DataTree":
    """Read a fit, or open a study.

    Raises
    ------
    LeaderbayesError
        If there is neither.
    """
    import xarray as xr

    import leaderbayes as lb

    if path.is_dir():
        return lb.open_tournaments(path)
    try:
        return xr.load_datatree(path, engine="h5netcdf")
    except (OSError, ValueError) as problem:
        raise lb.LeaderbayesError(
            f"{path}: cannot be read ({problem}); give the posterior.nc of leaderbayes rank --out, "
            "a fit written by to_netcdf, or the store of leaderbayes tournaments."
        ) from problem


def _members(tree: "xr.DataTree") -> "list[xr.DataTree]":
    """Fits of a study, or the one fit."""
    return [tree] if "posterior" in tree.children else list(tree.children.values())
