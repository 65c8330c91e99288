"""The command report: a page to hand on, text for a paper, or a site of many boards."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaderbayes._cli._options import as_json, command, option, prob, scaling
from leaderbayes._cli._print import finish
from leaderbayes._cli._values import anchored, typed

if TYPE_CHECKING:
    import xarray as xr

_PAGE, _SUFFIXES = (".html", ".htm"), (".html", ".htm", ".tex", ".txt")
_PAGE_ONLY = ("sota", "title", "top")
_EXPECTED = (
    "use the folder (or posterior.nc) of leaderbayes rank or sota --out, a file of "
    "leaderbayes.write_fit, or the store of leaderbayes tournaments."
)
_PATH = click.Path(path_type=Path)


@command("report results --out page.html")
@click.argument("file", type=_PATH)
@option("out", "File to write: .html, .tex (with a .bib file) or .txt.", _PATH, metavar="PAGE")
@option("sota", "Result of leaderbayes sota --out to add to the page.", _PATH,
        metavar="FILE")  # fmt: skip
@option("audit", "Add an audit.", bool)
@option("site", "Folder for a site with a page per result in FILE (instead of --out).", _PATH,
        metavar="DIR")  # fmt: skip
@option("title", "Title of the page or site.")
@option("top", "Number of players in charts and comparisons.  [default: 100, fewer of many boards]",
        click.IntRange(2))  # fmt: skip
@prob
@scaling
@as_json
def report(file: Path, as_json: bool, **given: Any) -> None:
    """Write a report as an HTML page, LaTeX or text.

    FILE is the folder of leaderbayes rank, sota or tournaments; for --site a folder of these.
    """
    import leaderbayes as lb

    if (given["out"] is None) == (given["site"] is None):
        raise lb.LeaderbayesError("Use one of --out page.html, .tex or .txt, and --site DIR.")
    make = _one if given["site"] is None else _site
    result, text = make(file, given)
    finish(as_json, result, click.echo, text, converged=result["converged"])


def _one(file: Path, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Make a page, LaTeX or text of one posterior."""
    import leaderbayes as lb
    from leaderbayes._files.write import check_file, write_files

    out, prob, scaled = given["out"], given["prob"], anchored(given)
    check_file(out, *_SUFFIXES)
    page = out.suffix.lower() in _PAGE
    if not page and (alien := typed(_PAGE_ONLY)):
        raise lb.LeaderbayesError(f"--{alien[0]} is for a page, not {out}: use --out page.html.")
    dt = _open(file)
    best = None if given["sota"] is None else _open(given["sota"])
    if best is not None and "theta" not in _posterior(best):
        raise lb.LeaderbayesError(
            f"{given['sota']}: not a posterior of the best of a board; use a result of "
            "leaderbayes sota --out."
        )
    if "posterior" not in dt.children and (not page or given["audit"]):
        raise lb.LeaderbayesError(
            f"{file}: a study of many fits only has a page without --audit; use --out page.html."
        )
    asked = lb.audit(dt, prob=prob) if given["audit"] else None
    if page:
        shown = {"title": given["title"], "top": given["top"]}
        lb.report.html(dt, out, sota=best, audit=asked, prob=prob, **shown, **scaled)
        text = "one file that needs no network."
    elif out.suffix.lower() == ".tex":
        lb.report.latex(dt, out, prob=prob, audit=asked, **scaled)
        text = f"LaTeX for \\input; its references are in {out.with_suffix('.bib').name}."
    else:
        write_files({out: lb.report.text(dt, prob=prob, audit=asked, **scaled)})
        text = "methods, results, table and references."
    converged = _converged([dt] if best is None else [dt, best])
    result = {"out": str(out), "bytes": out.stat().st_size, "converged": converged}
    return result, f"{out}: {text}"


def _posterior(dt: "xr.DataTree") -> Any:
    return dt["posterior"].dataset if "posterior" in dt.children else {}


def _site(folder: Path, given: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Make a site of all posteriors and studies in a folder, in the order of their names."""
    import leaderbayes as lb

    site, prob = given["site"], given["prob"]
    if given["sota"] is not None:
        raise lb.LeaderbayesError("--sota is for a page: use --out page.html.")
    if not folder.is_dir():
        raise lb.LeaderbayesError(f"{folder}: no such folder; --site takes a folder of posteriors.")
    paths = sorted(path for path in folder.iterdir() if _is_one(path))
    fits = {path.stem if path.is_file() else path.name: _open(path) for path in paths}
    if not fits:
        raise lb.LeaderbayesError(f"{folder}: no posterior; {_EXPECTED}")
    single = {name: fit for name, fit in fits.items() if "posterior" in fit.children}
    audits = {k: lb.audit(fit, prob=prob) for k, fit in single.items() if given["audit"]}
    shown = {name: given[name] for name in ("title", "top") if given[name] is not None}
    shown |= {"prob": prob, **anchored(given)}
    index = lb.report.site(fits, site, audits=audits, **shown)
    result = {"site": str(site), "boards": list(fits), "converged": _converged(fits.values())}
    return result, f"{index}: {len(fits)} board{'s' if len(fits) > 1 else ''}, with JSON beside."


def _is_one(path: Path) -> bool:
    """Whether this is a netCDF file, a folder that holds a posterior, or a study."""
    if path.is_file():
        return path.suffix == ".nc"
    return any((path / name).exists() for name in ("posterior.nc", "zarr.json"))


def _open(path: Path) -> "xr.DataTree":
    """Read a fit, or open a study."""
    import leaderbayes as lb

    if not path.exists():
        raise lb.LeaderbayesError(f"{path}: no such file; {_EXPECTED}")
    if not path.is_dir() or (path / "posterior.nc").exists():
        return lb.read_fit(path)
    if not (path / "zarr.json").exists():
        raise lb.LeaderbayesError(
            f"{path}: this folder has no posterior.nc and is not a study; {_EXPECTED}"
        )
    return lb.study.open(path)


def _converged(trees: Any) -> bool:
    """Whether all fits converged, those of studies too."""
    return all(
        fit.attrs.get("converged", 1)
        for tree in trees
        for fit in ([tree] if "posterior" in tree.children else tree.children.values())
    )
