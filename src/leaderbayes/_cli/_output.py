"""What commands write into their folders: tables, figures, and what was asked and came out."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from leaderbayes._cli._values import typed
from leaderbayes._errors import MissingExtraError
from leaderbayes._extras import extra, install
from leaderbayes._files.write import check_folder, writing

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr


def check_out(given: dict[str, Any]) -> None:
    """Raise, before any work, where no file could be written; without Matplotlib drop figures."""
    folder = given["out"]
    if folder is None:
        return
    check_folder(folder)
    try:
        with extra("plots", "--figures"):
            import matplotlib  # noqa: F401
    except MissingExtraError:
        if typed(["figures"]):
            raise
        given["figures"] = ()
        if given.get("ml"):  # estimates have no figures
            return
        click.echo(
            f"{folder}: no figures, because they need matplotlib: {install('plots')}.", err=True
        )


def write_out(
    given: Mapping[str, Any], result: Mapping[str, Any], *, converged: bool,
    tables: Mapping[str, "pd.DataFrame | xr.DataArray"], figures: Mapping[str, Any] | None = None,
    files: Mapping[str, str | bytes] | None = None,
) -> None:  # fmt: skip
    """Write tables (CSV), figures, other files and ``run.json`` into the folder, if there is one.

    Figures are drawn by functions of leaderbayes.plots; a tuple has several arguments.
    """
    if given["out"] is None:
        return
    trusted = {"converged": converged, "warnings": codes(result["warnings"])}
    asked = {k: str(v) if isinstance(v, Path) else v for k, v in given.items()}
    with writing(given["out"]) as part:
        for name, table in tables.items():
            write_table(part / f"{name}.csv", table, trusted)
        for name, content in (files or {}).items():
            text = content.encode("utf-8") if isinstance(content, str) else content
            (part / name).write_bytes(text)
        if figures and given["figures"]:
            _draw(part, figures, given["figures"])
        run = json.dumps({"command": asked, **result}, indent=2)
        (part / "run.json").write_text(run + "\n", encoding="utf-8")


def write_table(
    path: Path, table: "pd.DataFrame | xr.DataArray", trusted: Mapping[str, Any]
) -> None:
    """Write a table, or a matrix with the rows' names first, and mark every row."""
    import pandas as pd

    from leaderbayes._files.write import write_csv

    matrix = not isinstance(table, pd.DataFrame)
    marked = pd.DataFrame(table if isinstance(table, pd.DataFrame) else table.to_pandas())
    marked = marked.copy()
    for name, value in trusted.items():
        # A matrix has columns named as players are, perhaps like these.
        if matrix or name not in marked:
            own = pd.Series(value, marked.index)
            marked.insert(marked.shape[1], name, own, allow_duplicates=True)
    write_csv(marked, path, index=matrix)


def codes(texts: Sequence[str]) -> str:
    """Find the codes in the texts of warnings, each once: "LB001 LB010"."""
    return " ".join(sorted({code for text in texts for code in re.findall(r"\bLB\d{3}\b", text)}))


def _draw(folder: Path, figures: Mapping[str, Any], formats: Sequence[str]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "leaderbayes"  # the same figure, the same file
    from matplotlib import pyplot as plt

    import leaderbayes as lb

    for name, shown in figures.items():
        given = list(shown) if isinstance(shown, tuple) else [shown]
        named = given.pop() if isinstance(given[-1], dict) else {}
        figure = getattr(lb.plots, name)(*given, **named)
        for suffix in formats:
            dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(suffix)
            figure.savefig(folder / f"{name}.{suffix}", bbox_inches="tight", metadata=dated)
        plt.close("all")
