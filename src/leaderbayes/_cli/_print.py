"""What commands share: tables and sentences for people; warnings on standard error."""

import json
import os
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import click

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

NOT_CONVERGED = 1  # exit status


def number(value: float) -> float | None:
    """Return a float for JSON, which has no NaN."""
    return float(value) if float("-inf") < value < float("inf") else None


def records(table: "pd.DataFrame") -> list[dict[str, Any]]:
    """Return rows for JSON, which has no NaN."""
    return [
        {str(k): number(v) if isinstance(v, float) else v for k, v in row.items()}
        for row in table.to_dict("records")
    ]


def diagnostics(dt: "xr.DataTree | xr.Dataset") -> dict[str, Any]:
    """Return how far a posterior, or an estimate, can be trusted; ready for JSON."""
    attrs = dt.attrs
    numbers = ("max_rhat", "min_ess", "p_check", "deviance_ratio", "misfit")
    return {
        **{name: number(attrs[name]) if name in attrs else None for name in numbers},
        "divergences": attrs.get("divergences"),
        "converged": bool(attrs.get("converged", 1)),
        "sampler": attrs.get("sampler"),
        "why_nuts": attrs.get("why_nuts"),
    }


def warned(dt: Any, *more: Sequence[str]) -> list[str]:
    """Return the texts of all warnings, each once."""
    texts = [text for each in more for text in each]
    return list(dict.fromkeys(texts + json.loads(dt.attrs.get("warnings", "[]"))))


def finish(
    as_json: bool, result: dict[str, Any], show: Callable[..., None], *shown: Any, converged: bool,
    failed: object = False,
) -> None:  # fmt: skip
    """Print a result, as JSON or by ``show``; exit with 1 if it did not converge, 2 if failed."""
    if as_json:
        # Numbers read from a file are NumPy's.
        click.echo(
            json.dumps(result, ensure_ascii=False, allow_nan=False, default=lambda v: v.item())
        )
    else:
        show(*shown)
        if not converged:
            click.secho("Not converged: do not report these numbers.", fg="red", bold=True)
    if failed:
        sys.exit(2)
    if not converged:
        sys.exit(NOT_CONVERGED)


def print_leaderboard(table: "pd.DataFrame", title: str) -> None:
    """Print a leaderbayes.leaderboard of players."""
    from leaderbayes._answers.beside import column_beside
    from leaderbayes._answers.leaderboard import is_reference
    from leaderbayes._numerics.intervals import decimals, decimals_of

    name = next(column for column in ("elo", "epp", "score") if column in table)
    known = table[f"{name}_upper"] - table[f"{name}_lower"]
    digits = {"elo": 0, "epp": 2}.get(name, max(2, decimals(known.dropna())))
    columns: dict[str, list[str]] = {
        "rank": [str(rank) for rank in table["rank"]],
        "player": [short(str(player)) for player in table["player"]],
        name: [f"{value:.{digits}f}" for value in table[name]],
        "interval": _intervals(table, name, digits),
    }
    if "observed" in table:
        columns["observed"] = [f"{value:.{digits}f}" for value in table["observed"]]
    if "difference" in table:
        finer = max(digits, decimals_of(table, "difference"))
        behind = [f"{value:.{finer}f}" for value in table["difference"]]
        both = {"behind": behind, "its interval": _intervals(table, "difference", finer)}
        own = is_reference(table)
        columns |= {
            name: ["" if it else cell for cell, it in zip(cells, own, strict=True)]
            for name, cells in both.items()
        }
    if "votes" in table:
        columns["votes"] = [f"{count:g}" for count in table["votes"]]
    if (beside := column_beside(table)) is not None:
        column, places = beside
        columns["won" if column == "win_rate" else column] = [
            f"{value:.{places}f}" for value in table[column]
        ]
    if table["p_best"].notna().all():
        columns["P(best)"] = [f"{p:.2f}" for p in table["p_best"]]
        ends = zip(table["rank_lower"], table["rank_upper"], strict=True)
        columns["ranks"] = [f"{low} to {high}" for low, high in ends]
    rows = list(zip(*columns.values(), strict=True))
    widths = dict.fromkeys(columns, 0) | {"player": 8}
    print_table(widths, rows, left=("player",), wrapped=("player",), title=title)
    if "scale" in table.attrs:
        column = "behind" if "difference" in table else name
        click.echo(f"{column.capitalize()}: {table.attrs['scale']}.")
    if "disagreement" in table.attrs:
        click.echo(table.attrs["disagreement"])


def _intervals(table: "pd.DataFrame", name: str, digits: int) -> list[str]:
    ends = zip(table[f"{name}_lower"], table[f"{name}_upper"], strict=True)
    # An estimate whose rounds do not vary has none (LB015).
    return [
        "undefined" if low != low else f"{low:.{digits}f} to {high:.{digits}f}"
        for low, high in ends
    ]


def print_effects(effects: Sequence[Mapping[str, Any]], prob: float) -> None:
    """Print what sways votes beside players."""
    columns = ("effect", "per sd", "log-odds", "interval", "odds ratio", "its interval")
    rows = []
    for row in effects:
        named = "shown first" if row["effect"] == "order" else short(row["effect"])
        cells = [named, "" if row["per"] is None else f"{row['per']:.3g}"]
        for name in ("coefficient", "odds_ratio"):
            value, low, high = (row[f"{name}{end}"] for end in ("", "_lower", "_upper"))
            cells += [f"{value:.2f}", f"{low:.2f} to {high:.2f}"]
        rows.append(cells)
    title = f"Other effects on votes, {prob:.0%} intervals"
    print_table(dict.fromkeys(columns, 8), rows, left=("effect",), wrapped=("effect",), title=title)


def print_reliability(found: Mapping[str, Any], model: str, seed: int) -> None:
    """Print a misfit that matters, that chains agree, and what draws the same again."""
    from leaderbayes._inference.check_of_fit import matters
    from leaderbayes.models._registry import MODELS

    if found["p_check"] is not None and matters(found["p_check"], found["deviance_ratio"] or 0.0):
        also = "; win probabilities allow for this" if MODELS[model].blends else ""
        click.echo(f"Head-to-head results differ from the model by {found['misfit']:.2f}{also}.")
    if found["converged"] and found["max_rhat"] is not None:
        why = f"; NUTS because of {found['why_nuts']}" if found["why_nuts"] else ""
        click.echo(
            f"Converged ({found['sampler']}{why}): max R-hat {found['max_rhat']:.3f}, min "
            f"effective sample size {found['min_ess']:.0f}. Seed {seed}."
        )


def print_table(
    columns: Mapping[str, int], rows: Sequence[Sequence[str]], *, left: Collection[str],
    wrapped: Collection[str] = (), title: str | None = None,
) -> None:  # fmt: skip
    """Print rows below columns of at least these widths."""
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table

    # A console's cells, of which some letters take two.
    widths = {
        name: max(least, *(cell_len(cell) for cell in cells))
        for (name, least), *cells in zip(columns.items(), columns, *rows, strict=True)
    }
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name, least in columns.items():
        justify: Literal["left", "right"] = "left" if name in left else "right"
        table.add_column(
            name, justify=justify, no_wrap=name not in wrapped,
            min_width=least if name in left else widths[name],
            overflow="fold" if name in wrapped else "ellipsis",
        )  # fmt: skip
    for row in rows:
        table.add_row(*row)
    # A name is data, never markup.
    console = Console(markup=False, emoji=False, highlight=False)
    gaps = len(columns) + 1
    if sum(widths.values()) + len(columns) + gaps > console.width:
        table.padding = 0
    # Names give way; no number is cut and no column left out, on whatever terminal. A file and a
    # pipe have no width unless they are given one, and whole names.
    narrow = console.is_terminal or "COLUMNS" in os.environ
    console.width = max(
        console.width,
        gaps + sum(
            least if name in left and narrow else widths[name] for name, least in columns.items()
        ),
    )  # fmt: skip
    if title is not None:
        click.echo(f"\n{title}")
    with console.capture() as printed:
        console.print(table)
    sys.stdout.write(printed.get())


def short(name: str, longest: int = 40) -> str:
    """Shorten a long name, and write out what would steer a terminal."""
    plain = "".join(c if c.isprintable() else repr(c)[1:-1] for c in name)
    return plain if len(plain) <= longest else f"{plain[: longest - 16]} … {plain[-12:]}"


@contextmanager
def warnings_on_stderr() -> Iterator[None]:
    """Print our warnings once each as sentences; leave out those of libraries about themselves."""
    seen: set[str] = set()

    def show(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
        if category.__module__.startswith("leaderbayes") and str(message) not in seen:
            seen.add(str(message))
            click.echo(f"Warning: {message}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        yield


@contextmanager
def collecting() -> Iterator[list[str]]:
    """Collect the texts of our warnings, for JSON and tables; print them too."""
    texts: list[str] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield texts
    finally:
        for warning in caught:
            if warning.category.__module__.startswith("leaderbayes"):
                texts.append(str(warning.message))
                click.echo(f"Warning: {warning.message}", err=True)
