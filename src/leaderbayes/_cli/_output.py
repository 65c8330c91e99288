"""What commands write into their folders: what was asked, and figures."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaderbayes._cli._options import typed
from leaderbayes._errors import MissingExtraError
from leaderbayes._extras import extra, install
from leaderbayes._files.write import check_folder

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


def write_table(path: Path, table: "pd.DataFrame | xr.DataArray", trusted: dict[str, Any]) -> None:
    """Write a table whose rows end with whether the fit converged, and the codes of its warnings.

    Parameters
    ----------
    path : path
        Of the CSV file.
    table : DataFrame or DataArray (row, column)
        Of a matrix the rows' names are the first column.
    trusted : dict
        ``converged`` and ``warnings`` (texts), of all rows where the table does not say it itself.
    """
    import pandas as pd

    from leaderbayes._files.csv import write_csv

    matrix = not isinstance(table, pd.DataFrame)
    marked = table.copy() if isinstance(table, pd.DataFrame) else pd.DataFrame(table.to_pandas())
    marks = {"converged": bool(trusted["converged"]), "warnings": codes(trusted["warnings"])}
    for name, value in marks.items():
        # A matrix has columns named as players are, perhaps like these.
        if matrix or name not in marked:
            own = pd.Series(value, marked.index)
            marked.insert(marked.shape[1], name, own, allow_duplicates=True)
    write_csv(marked, path, index=matrix)


def codes(texts: Sequence[str]) -> str:
    """Find the codes in the texts of warnings, each once: "LB001 LB010"."""
    return " ".join(sorted({code for text in texts for code in re.findall(r"\bLB\d{3}\b", text)}))


def say_older(folder: Path, part: Path) -> None:
    """Say on standard error which files of a folder stay that are not written anew from ``part``.

    Some may be of an earlier run, of other options, and some the user's own.
    """
    if not folder.is_dir():
        return
    kept = {path.name for path in folder.iterdir() if path.is_file() and path.name[0] != "."}
    older = sorted(kept - {path.name for path in part.iterdir()})
    if older:
        more = f" and {len(older) - 5} more" if len(older) > 5 else ""
        click.echo(
            f"{folder}: files that were there stay, and are not of this run: "
            f"{', '.join(older[:5])}{more}",
            err=True,
        )


def write_run(folder: Path, options: dict[str, Any], result: dict[str, Any]) -> None:
    """Write what was asked and what came out, ``run.json``."""
    asked = {k: str(v) if isinstance(v, Path) else v for k, v in options.items()}
    text = json.dumps({"command": asked, **result}, indent=2)
    (folder / "run.json").write_text(text + "\n", encoding="utf-8")


def check_out(folder: Path, options: dict[str, Any]) -> None:
    """Raise, before any work, where no file could be written; say it where figures are left out.

    Without Matplotlib all else is written, and the option ``figures`` becomes empty.

    Raises
    ------
    LeaderbayesError
        Naming the folder.
    MissingExtraError
        If figures were asked for by name, and there is no Matplotlib.
    """
    check_folder(folder)
    try:
        with extra("plots", "--figures"):
            import matplotlib  # noqa: F401
    except MissingExtraError:
        if typed(["figures"]):
            raise
        options["figures"] = ()
        click.echo(
            f"{folder}: there will be no figures, which need matplotlib: {install('plots')}.",
            err=True,
        )


def draw(
    folder: Path, figures: dict[str, Any], formats: Sequence[str], *, seed: int | None = None
) -> None:
    """Draw plots, by their names, of what they take (a tuple: several); at random, by the seed.

    Without formats nothing is drawn, and Matplotlib not needed.
    """
    if not formats:
        return
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    import leaderbayes as lb

    for name, shown in figures.items():
        drawn = {"seed": seed} if name == "deviance" else {}
        taken = shown if isinstance(shown, tuple) else (shown,)
        figure = getattr(lb.plots, name)(*taken, **drawn)
        for suffix in formats:
            figure.savefig(folder / f"{name}.{suffix}", bbox_inches="tight")
        plt.close("all")
