"""What commands share: tables and sentences for people; warnings on standard error."""

import json
import os
import sys
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import click

from leaderbayes._fits.kinds import OF_SCORES, OF_SEVERAL
from leaderbayes._numerics.decimals import decimals

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from rich.console import Console

NOT_CONVERGED = 1  # exit status


def probability(ctx: click.Context, param: click.Parameter, value: float) -> float:
    """Refuse what is not between 0 and 1; nan passes click's range."""
    if not 0.0 < value < 1.0:
        raise click.BadParameter(f"{value} is not between 0 and 1.")
    return value


def number(value: float) -> float | None:
    """Give a float to JSON, which has no NaN."""
    return float(value) if float("-inf") < value < float("inf") else None


def records(table: "pd.DataFrame") -> list[dict[str, Any]]:
    """Give rows to JSON, which has no NaN."""
    return [
        {str(k): number(v) if isinstance(v, float) else v for k, v in row.items()}
        for row in table.to_dict("records")
    ]


def finish(
    as_json: bool,
    result: dict[str, Any],
    show: Callable[..., None],
    *shown: Any,
    converged: bool,
    failed: object = False,
) -> None:
    """Print a result, as JSON or by ``show``; exit with status 1 if it did not converge.

    With status 2, if something ``failed``.
    """
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False, allow_nan=False))
    else:
        show(*shown)
    if failed:
        sys.exit(2)
    if not converged:
        sys.exit(NOT_CONVERGED)


def print_doubt() -> None:
    """Say that numbers must not be trusted."""
    click.secho("NOT CONVERGED: do not report these numbers.", fg="red", bold=True)


def print_leaderboard(table: "pd.DataFrame", result: dict[str, Any], prob: float) -> None:
    from leaderbayes._answers.votes import said_of_worth

    if result["model"] in OF_SCORES:
        _print_scores(table, result, prob)
        return
    diagnostics, deviance = result["diagnostics"], result["deviance"]
    sampled = diagnostics["min_ess"] is not None
    heading, scores = _beside(table, "score")
    # Only the players' names give way on a narrow terminal.
    console = print_table(
        {
            "rank": 4, "player": 8, "epp": 6, "interval": 14, **dict.fromkeys(heading, 6),
            "P(>avg)": 7, "P(best)": 7, "ranks": 8,
        },
        [
            (
                str(row.rank),
                short(str(row.player)),
                f"{row.epp:.2f}",
                # Of an estimate whose rounds do not vary there is none (LB015).
                "undefined" if unknown else f"{row.epp_lower:.2f} to {row.epp_upper:.2f}",
                *score,
                f"{row.p_average:.2f}",
                f"{row.p_best:.2f}" if sampled else "",
                f"{row.rank_lower} to {row.rank_upper}" if sampled else "",
            )
            for row, unknown, score in zip(
                table.itertuples(index=False), table["epp_lower"].isna(), scores, strict=True
            )
        ],
        left=("player",),
        wrapped=("player",),
        title=_title(result, prob),
    )  # fmt: skip
    _print_disagreement(console, table)
    votes = result["read"].get("kind") == "votes"
    if result.get("effects"):
        console = _print_effects(result["effects"], prob)
    if votes and sampled:
        worth = said_of_worth(result["weight"])
        console.print(
            f"Votes go together by: {result['cluster']}. {worth[0].upper()}{worth[1:]}.",
            soft_wrap=True,
        )
    if deviance is not None:
        what = "votes" if votes else "matches"
        console.print(
            f"Deviance {max(deviance['value'], 0.0):.1f}, of independent {what} {deviance['df']} "
            "on average."
        )
    p_check = diagnostics["p_check"]
    if p_check is not None:
        misfit = any(text.startswith("LB016") for text in result["warnings"])
        verdict = (
            "the model does NOT describe this board (LB016)" if misfit else "no sign of misfit"
        )
        console.print(f"Check of fit: p = {p_check:.2f}, {verdict}.")
    if "sd_round" in result:
        console.print(
            f"Intercept {result['intercept']:.3f}, between rounds sd {result['sd_round']:.3f}."
        )
    if "eliminated" in result:
        names = ", ".join(short(name) for name in result["eliminated"]) or "nobody"
        console.print(f"Eliminated, not different from the weakest: {names}.")
    if not diagnostics["converged"]:
        print_doubt()
    elif sampled:
        _print_converged(console, diagnostics, f"Weight {result['weight']:.3f}", result["seed"])


def print_published(table: "pd.DataFrame", prob: float, model: str) -> None:
    """Tabulate the columns that are published, with the sentence below them."""
    rows = [
        [short(str(value)) if name == "player" else str(value) for name, value in row.items()]
        for row in table.to_dict("records")
    ]
    console = print_table(
        {str(name): 6 for name in table}, rows, left=("player", "group"),
        wrapped=("player", "group"), title=f"{model}, {prob:.0%} intervals",
    )  # fmt: skip
    console.print(table.attrs["note"], soft_wrap=True)


def _print_effects(effects: list[dict[str, Any]], prob: float) -> "Console":
    """Tabulate what sways votes beside players."""
    rows = [
        (
            "shown first" if row["effect"] == "order" else short(row["effect"]),
            "" if row["per"] is None else f"{row['per']:.3g}",
            *(
                text
                for name in ("coefficient", "odds_ratio")
                for text in (
                    f"{row[name]:.2f}",
                    f"{row[f'{name}_lower']:.2f} to {row[f'{name}_upper']:.2f}",
                )
            ),
        )
        for row in effects
    ]
    return print_table(
        {
            "effect": 8,
            "per sd": 6,
            "log-odds": 8,
            "interval": 14,
            "odds ratio": 10,
            "interval ": 12,
        },
        rows,
        left=("effect",),
        wrapped=("effect",),
        title=f"What else sways votes, {prob:.0%} intervals",
    )


def _print_scores(table: "pd.DataFrame", result: dict[str, Any], prob: float) -> None:
    """Tabulate mean scores, and how far they are behind the first."""
    from leaderbayes._answers.mean_score import decimals_of

    shown, apart = (f".{digits}f" for digits in decimals_of(table))
    heading, rates = _beside(table, "won")
    rows = []
    for row, rate in zip(table.to_dict("records"), rates, strict=True):
        of_first = [f"{row[f'difference{end}']:{apart}}" for end in ("", "_lower", "_upper")]
        behind, low, high = of_first if row["rank"] > 1 else ("", "", "")
        rows.append(
            (
                str(row["rank"]),
                short(str(row["player"])),
                f"{row['score']:{shown}}",
                f"{row['score_lower']:{shown}} to {row['score_upper']:{shown}}",
                behind,
                f"{low} to {high}" if low else "",
                *rate,
                f"{row['p_best']:.2f}",
                f"{row['rank_lower']} to {row['rank_upper']}",
            )
        )
    columns = (
        "#", "player", "score", "interval", "behind", "its interval", *heading, "P(best)", "ranks"
    )  # fmt: skip
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    console = print_table(
        # Only the players' names give way on a narrow terminal.
        dict(zip(columns, widths, strict=True)) | {"player": 6},
        rows,
        left=("player",),
        wrapped=("player",),
        title=_title(result, prob),
    )
    _print_disagreement(console, table)
    if not result["diagnostics"]["converged"]:
        print_doubt()
    else:
        what = f"Scores {_UNITS[result.get('of', 'raw')]}"
        _print_converged(console, result["diagnostics"], what, result["seed"])


def _beside(table: "pd.DataFrame", heading: str) -> tuple[list[str], list[list[str]]]:
    """Give the heading and the cells of what stands beside, none or one of a row."""
    from leaderbayes._answers.beside import column_beside

    if (beside := column_beside(table)) is None:
        return [], [[] for _ in range(len(table))]
    column, digits = beside
    return [heading], [[f"{value:.{digits}f}"] for value in table[column]]


def _print_disagreement(console: "Console", table: "pd.DataFrame") -> None:
    """Say who leads by what stands beside, if it is another."""
    if "disagreement" in table.attrs:
        console.print(table.attrs["disagreement"], soft_wrap=True)


# What scores are in, by what they were taken of.
_UNITS = {
    "raw": "in the metric's unit",
    "standardised": "in standard deviations of a round's scores",
    "distance": "in ranges of a round's scores (0 is its best, 1 its worst)",
    "share": "in shares of a round's best",
}


def _title(result: dict[str, Any], prob: float) -> str:
    """Say which model it is, and what its intervals are about where rounds share training data."""
    of_one = result.get("test_fraction") and result["model"] not in OF_SEVERAL
    fresh = ", about fresh data sets of this size" if of_one else ""
    return f"{result['model']}{_in_brackets(result)}, {prob:.0%} intervals{fresh}"


def _in_brackets(result: dict[str, Any]) -> str:
    """Name the likelihood where there is a choice, and what is not as usual."""
    usual = {"of": "raw", "statistic": "mean"}
    odd = [result[name] for name, value in usual.items() if result.get(name, value) != value]
    said = [*odd, *([result["likelihood"]] if "likelihood" in result else [])]
    return f" ({', '.join(said)})" if said else ""


def _print_converged(console: "Console", diagnostics: dict[str, Any], what: str, seed: int) -> None:
    """Say that chains agree, and what a reader needs to draw the same again."""
    why = diagnostics["why_nuts"]
    instead = f", in place of Laplace's proposals: {why}" if why else ""
    console.print(
        f"Converged ({diagnostics['sampler']}{instead}): max R-hat {diagnostics['max_rhat']:.3f}, "
        f"min effective sample size {diagnostics['min_ess']:.0f}. {what}, seed {seed}.",
        soft_wrap=True,
    )


def print_table(
    columns: dict[str, int],
    rows: Sequence[Sequence[str]],
    *,
    left: Collection[str],
    wrapped: Collection[str] = (),
    title: str | None = None,
) -> "Console":
    """Print rows below columns of at least these widths; give the console, for sentences."""
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table

    # A console's cells, of which some letters take two.
    widths = {
        name: max(least, *(cell_len(cell) for cell in cells))
        for (name, least), *cells in zip(columns.items(), columns, *rows, strict=True)
    }
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
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
    console.print(table)
    return console


def print_comparison(
    result: "xr.Dataset", prob: float, of_votes: bool = False, several: bool = False
) -> None:
    a, b = (short(result[name].item()) for name in ("player", "opponent"))
    if "difference" in result:
        gap, low, high = (float(result[f"difference{end}"]) for end in ("", "_lower", "_upper"))
        shown = f".{decimals([high - low])}f"
        click.echo(
            f"{a} less {b}: {gap:+{shown}} {_UNITS[result.attrs['of']]} "
            f"({prob:.0%} interval {low:+{shown}} to {high:+{shown}})."
        )
    else:
        event = "gets a new vote over" if of_votes else "beats"
        where = " in a new tournament" if several else "" if of_votes else " in a new round"
        click.echo(
            f"{a} {event} {b}{where} with probability {result['win_probability']:.3f} "
            f"({prob:.0%} interval {result['win_lower']:.3f} to {result['win_upper']:.3f})."
        )
    if "new_lower" in result:
        low, high = float(result["new_lower"]), float(result["new_upper"])
        shown = f".{decimals([high - low])}f"
        click.echo(
            f"That is of the means over data sets, and {a} is better there with probability "
            f"{result['mean_better']:.3f}. On a new data set: {low:+{shown}} to {high:+{shown}}."
        )
    click.echo(
        f"Better {result['p_better']:.3f}, equivalent {result['p_equivalent']:.3f}, "
        f"worse {result['p_worse']:.3f}."
    )
    if "cohen_d" in result:
        sizes = [
            f"{what} {result[name]:+.2f} ({result[f'{name}_lower']:+.2f} to "
            f"{result[f'{name}_upper']:+.2f})"
            for name, what in (("cohen_d", "Cohen's d"), ("cliff_delta", "Cliff's delta"))
        ]
        click.echo(f"{', '.join(sizes)}: of single scores, in rounds that need not be the same.")
    if "record" in result:
        what = "votes" if of_votes else "matches"
        won, tied = result["record_won"], result["record_tied"]
        halves = f" and tied {tied:g}" if tied else ""
        click.echo(
            f"Of their own {result['record_played']:g} {what} {a} won {won - tied / 2:g}{halves}: "
            f"by these alone {result['record']:.3f} ({result['record_lower']:.3f} to "
            f"{result['record_upper']:.3f})."
        )
    if not result.attrs["converged"]:
        print_doubt()


def short(name: str, longest: int = 40) -> str:
    """Shorten a long name, and write out what would steer a terminal."""
    plain = "".join(c if c.isprintable() else repr(c)[1:-1] for c in name)
    return plain if len(plain) <= longest else f"{plain[: longest - 16]} … {plain[-12:]}"


@contextmanager
def warnings_on_stderr() -> Iterator[None]:
    """Print our warnings once each as sentences; leave out what libraries say of themselves."""
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
def collecting(prefix: str = "") -> Iterator[list[str]]:
    """Give the texts of our warnings, for JSON and tables; print them too, after the prefix."""
    said: list[str] = []
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield said
    finally:
        for warning in caught:
            if warning.category.__module__.startswith("leaderbayes"):
                said.append(str(warning.message))
                click.echo(f"Warning: {prefix}{warning.message}", err=True)
