"""The command report: a page to hand on, or text for a paper."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaderbayes._cli._console import finish, print_doubt
from leaderbayes._cli._options import as_json, prob, typed
from leaderbayes._files.write import check_file, write_files

if TYPE_CHECKING:
    import xarray as xr

PAGE, LATEX, TEXT = (".html", ".htm"), ".tex", ".txt"
PAGE_ONLY = ("sota", "title", "top")
_EXPECTED = (
    "give the posterior.nc of leaderbayes rank --out (or its folder), a file of "
    "leaderbayes.write_fit, or the store of leaderbayes tournaments."
)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True,
              help="The report. Its suffix says what it is: .html (or .htm) a page, .tex LaTeX, "
              "with its references in .bib beside it, .txt text.")  # fmt: skip
@click.option("--sota", type=click.Path(path_type=Path), metavar="FILE",
              help="Posterior of sota.posterior, for a section on how good the best is. Of a page.",
              )  # fmt: skip
@click.option("--title", help="Of a page.")
@click.option("--top", type=click.IntRange(2), default=100, show_default=True,
              help="Players of each leaderboard in charts and comparisons, best first. Of a page.",
              )  # fmt: skip
@prob
@as_json
def report(file: Path, out: Path, sota: Path | None, as_json: bool, **options: Any) -> None:
    """Report a posterior, as a page (HTML), in LaTeX or as text.

    FILE is a netCDF file, the folder of leaderbayes rank --out, or, for a page, a study (the store
    of leaderbayes tournaments).
    """
    import leaderbayes as lb

    check_file(out, *PAGE, LATEX, TEXT)
    page = out.suffix.lower() in PAGE
    if not page and (alien := typed(PAGE_ONLY)):
        raise lb.LeaderbayesError(
            f"--{alien[0]} is of a page, and not of {out}: give --out page.html."
        )
    fits = [_open(path) for path in (file, sota) if path is not None]
    if not page and "posterior" not in fits[0].children:
        raise lb.LeaderbayesError(
            f"{file}: LaTeX and text are of one fit, and this is a study of many; give --out "
            "page.html."
        )
    if page:
        best = fits[1] if sota is not None else None
        lb.report.html(fits[0], out, sota=best, **options)
        said = f"{out.stat().st_size / 1e6:.1f} MB, one file that needs no network."
    elif out.suffix.lower() == LATEX:
        lb.report.latex(fits[0], out, prob=options["prob"])
        said = f"LaTeX for \\input; its references are in {out.with_suffix('.bib').name}."
    else:
        write_files({out: lb.report.text(fits[0], prob=options["prob"])})
        said = "methods, results, table and references."
    converged = all(fit.attrs["converged"] for tree in fits for fit in _members(tree))
    result = {"out": str(out), "bytes": out.stat().st_size, "converged": converged}
    finish(as_json, result, _print_report, f"{out}: {said}", converged, converged=converged)


def _print_report(said: str, converged: bool) -> None:
    click.echo(said)
    if not converged:
        print_doubt()


def _open(path: Path) -> "xr.DataTree":
    """Read a fit, or open a study.

    Raises
    ------
    LeaderbayesError
        If there is neither.
    """
    import leaderbayes as lb

    if not path.exists():
        raise lb.LeaderbayesError(f"{path}: no such file; {_EXPECTED}")
    if not path.is_dir() or (path / "posterior.nc").exists():
        return lb.read_fit(path)
    if not (path / "zarr.json").exists():
        raise lb.LeaderbayesError(
            f"{path}: this folder has no posterior.nc, and is no study; {_EXPECTED}"
        )
    return lb.study.open(path)


def _members(tree: "xr.DataTree") -> "list[xr.DataTree]":
    """List the fits of a study, or the one fit."""
    return [tree] if "posterior" in tree.children else list(tree.children.values())
