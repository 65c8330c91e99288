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
    "give the posterior.nc of leaderbayes rank or sota --out (or its folder), a file of "
    "leaderbayes.write_fit, or the store of leaderbayes tournaments."
)


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path),
              help="The report. Its suffix says what it is: .html (or .htm) a page, .tex LaTeX, "
              "with its references in .bib beside it, .txt text.")  # fmt: skip
@click.option("--sota", type=click.Path(path_type=Path), metavar="FILE",
              help="Posterior of leaderbayes sota --out, for a section on how good the best is. "
              "Of a page.")  # fmt: skip
@click.option("--audit", is_flag=True, help="Add what leaderbayes audit asks of a fit: which part "
              "of the table is real.")  # fmt: skip
@click.option("--site", type=click.Path(path_type=Path), metavar="DIR",
              help="In place of --out: a page of each posterior and study that the folder FILE "
              "has, an index, and JSON beside them.")  # fmt: skip
@click.option(
    "--since",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Of a site: an earlier one, against which changes.md says what has changed.",
)
@click.option("--title", help="Of a page, or of a site.")
@click.option("--top", type=click.IntRange(2), default=100, show_default=True,
              help="Players of each leaderboard in charts and comparisons, best first. Of a page.",
              )  # fmt: skip
@prob
@as_json
def report(
    file: Path,
    out: Path | None,
    sota: Path | None,
    audit: bool,
    site: Path | None,
    since: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Report a posterior, as a page (HTML), in LaTeX or as text.

    FILE is a netCDF file, the folder of leaderbayes rank or sota --out, or, for a page, a study
    (the store of leaderbayes tournaments); for --site a folder of these, whose names are those of
    the boards.
    """
    import leaderbayes as lb

    if (out is None) == (site is None):
        raise lb.LeaderbayesError("Give --out page.html, .tex or .txt, or --site DIR: one of them.")
    if site is not None:
        if sota is not None:
            raise lb.LeaderbayesError("--sota is of a page: give --out page.html.")
        _site(file, site, since, audit, as_json, options)
        return
    if since is not None:
        raise lb.LeaderbayesError("--since is of a site: give --site DIR.")
    assert out is not None
    check_file(out, *PAGE, LATEX, TEXT)
    page = out.suffix.lower() in PAGE
    if not page and (alien := typed(PAGE_ONLY)):
        raise lb.LeaderbayesError(
            f"--{alien[0]} is of a page, and not of {out}: give --out page.html."
        )
    fits = [_open(path) for path in (file, sota) if path is not None]
    if sota is not None and fits[1].attrs.get("model") != "sota":
        raise lb.LeaderbayesError(
            f"{sota}: this is no posterior of how good the best is; give that of leaderbayes sota "
            "--out."
        )
    if not page and "posterior" not in fits[0].children:
        raise lb.LeaderbayesError(
            f"{file}: LaTeX and text are of one fit, and this is a study of many; give --out "
            "page.html."
        )
    if audit and "posterior" not in fits[0].children:
        raise lb.LeaderbayesError(
            f"{file}: an audit is of one fit, and this is a study of many: leave out --audit."
        )
    asked = lb.audit(fits[0], prob=options["prob"]) if audit else None
    if page:
        best = fits[1] if sota is not None else None
        lb.report.html(fits[0], out, sota=best, audit=asked, **options)
        said = f"{out.stat().st_size / 1e6:.1f} MB, one file that needs no network."
    elif out.suffix.lower() == LATEX:
        lb.report.latex(fits[0], out, prob=options["prob"], audit=asked)
        said = f"LaTeX for \\input; its references are in {out.with_suffix('.bib').name}."
    else:
        write_files({out: lb.report.text(fits[0], prob=options["prob"], audit=asked)})
        said = "methods, results, table and references."
    converged = all(fit.attrs["converged"] for tree in fits for fit in _members(tree))
    result = {"out": str(out), "bytes": out.stat().st_size, "converged": converged}
    finish(as_json, result, _print_report, f"{out}: {said}", converged, converged=converged)


def _print_report(said: str, converged: bool) -> None:
    click.echo(said)
    if not converged:
        print_doubt()


def _site(
    folder: Path,
    site: Path,
    since: Path | None,
    audit: bool,
    as_json: bool,
    options: dict[str, Any],
) -> None:
    """Make a site of all fits and studies in a folder, in the order of their names."""
    import leaderbayes as lb

    if not folder.is_dir():
        raise lb.LeaderbayesError(f"{folder}: no such folder; --site takes a folder of posteriors.")
    fits = {path.stem if path.is_file() else path.name: _open(path) for path in _boards(folder)}
    if not fits:
        raise lb.LeaderbayesError(
            f"{folder}: it has no posterior: neither .nc files, nor folders of leaderbayes rank "
            "--out, nor stores of leaderbayes tournaments."
        )
    given = {name: value for name, value in options.items() if value is not None}
    # Of studies there is no audit, and of the rest of the folder there is.
    single = {name: fit for name, fit in fits.items() if audit and "posterior" in fit.children}
    asked = {name: lb.audit(fit, prob=options["prob"]) for name, fit in single.items()}
    index = lb.report.site(fits, site, since=since, audits=asked, **given)
    converged = all(fit.attrs["converged"] for tree in fits.values() for fit in _members(tree))
    result = {"site": str(site), "boards": list(fits), "converged": converged}
    said = f"{index}: {len(fits)} board{'s' if len(fits) > 1 else ''}, with JSON beside."
    finish(as_json, result, _print_report, said, converged, converged=converged)


def _boards(folder: Path) -> list[Path]:
    """List what may be read in a folder: netCDF files, and folders that hold one or are studies."""
    return sorted(
        path
        for path in folder.iterdir()
        if (path.is_file() and path.suffix == ".nc")
        or (path / "posterior.nc").exists()
        or (path / "zarr.json").exists()
    )


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
