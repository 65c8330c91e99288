"""What commands share: tables and sentences for people; warnings on standard error."""

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

NOT_CONVERGED = 1  # exit status


def probability(ctx: click.Context, param: click.Parameter, value: float) -> float:
    """Refuse what is not between 0 and 1; nan passes click's range."""
    if not 0.0 < value < 1.0:
        raise click.BadParameter(f"{value} is not between 0 and 1.")
    return value


def number(value: float) -> float | None:
    """Give a float to JSON, which has no NaN."""
    return float(value) if float("-inf") < value < float("inf") else None


def print_leaderboard(table: "pd.DataFrame", result: dict[str, Any], prob: float) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    diagnostics, deviance = result["diagnostics"], result["deviance"]
    title = f"{result['model']}, {prob:.0%} intervals"
    shown = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name, width in {
        "rank": 4, "player": 8, "epp": 6, "interval": 14, "P(>avg)": 7, "P(best)": 7, "ranks": 8,
    }.items():  # fmt: skip
        # Only the players' names give way on a narrow terminal.
        name_column = name == "player"
        shown.add_column(
            name,
            justify="left" if name_column else "right",
            no_wrap=not name_column,
            min_width=width,
        )
    for row, unknown in zip(table.itertuples(index=False), table["epp_lower"].isna(), strict=True):
        sampled = diagnostics["min_ess"] is not None
        shown.add_row(
            str(row.rank),
            # A name is data, never markup.
            Text(short(str(row.player))),
            f"{row.epp:.2f}",
            # Of an estimate whose rounds do not vary there is none (LB015).
            "undefined" if unknown else f"{row.epp_lower:.2f} to {row.epp_upper:.2f}",
            f"{row.p_average:.2f}",
            f"{row.p_best:.2f}" if sampled else "",
            f"{row.rank_lower} to {row.rank_upper}" if sampled else "",
        )
    console = Console()
    console.print(shown)
    console.print(
        f"Deviance {deviance['value']:.1f}, of independent matches {deviance['df']} on average."
    )
    if "sd_round" in result:
        console.print(
            f"Intercept {result['intercept']:.3f}, between rounds sd {result['sd_round']:.3f}."
        )
    if "eliminated" in result:
        names = ", ".join(short(name) for name in result["eliminated"]) or "nobody"
        console.print(Text(f"Eliminated, not different from the weakest: {names}."))
    if not diagnostics["converged"]:
        console.print("NOT CONVERGED: do not report these numbers.", style="bold red")
    elif diagnostics["max_rhat"] is not None:
        console.print(
            f"Converged: max R-hat {diagnostics['max_rhat']:.3f}, min effective sample size "
            f"{diagnostics['min_ess']:.0f}. Weight {result['weight']:.3f}, seed {result['seed']}.",
            soft_wrap=True,
        )
    elif diagnostics["min_ess"] is not None:
        console.print(
            f"Laplace's approximation, {diagnostics['min_ess']:.0f} independent draws. Weight "
            f"{result['weight']:.3f}, seed {result['seed']}.",
            soft_wrap=True,
        )


def print_plan(made: "xr.Dataset") -> None:
    """Tabulate a plan, and say what it comes to."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in ("who", "rounds", "runs", "P(decided)", "simulated", "P(correct)", "width"):
        shown.add_column(name, justify="left" if name == "who" else "right", no_wrap=True)
    shown.add_row("", "now", "", "", "", "", f"{float(made['width_now']):.2f}")
    columns = made.drop_vars(["rounds_needed", "p_now", "width_now"])
    for row in columns.to_dataframe().reset_index().itertuples():
        shown.add_row(
            str(row.who),
            f"+{row.rounds}",
            str(row.runs),
            f"{row.p_decided:.2f}",
            f"{row.p_decided_lower:.2f} to {row.p_decided_upper:.2f}",
            f"{row.p_correct:.2f}",
            f"{row.width:.2f}",
        )
    console = Console()
    console.print(shown)
    names = [short(name) for name in json.loads(made.attrs["contested"])]
    console.print(Text(f"Contested: {', '.join(names)}."), soft_wrap=True)
    # A name is data, never markup.
    console.print(Text(short(made.attrs["message"], longest=1000)), soft_wrap=True)
    if not made.attrs["converged"]:
        console.print("NOT CONVERGED: do not report these numbers.", style="bold red")


def print_comparison(result: "xr.Dataset", prob: float) -> None:
    a, b = (short(result[name].item()) for name in ("player", "opponent"))
    click.echo(
        f"{a} beats {b} in a new round with probability {result['win_probability']:.3f} "
        f"({prob:.0%} interval {result['win_lower']:.3f} to {result['win_upper']:.3f})."
    )
    click.echo(
        f"Better {result['p_better']:.3f}, equivalent {result['p_equivalent']:.3f}, "
        f"worse {result['p_worse']:.3f}."
    )
    if not result.attrs["converged"]:
        click.echo("NOT CONVERGED: do not report these numbers.")


def short(name: str, longest: int = 40) -> str:
    """Elide a long name, and write out what would steer a terminal."""
    plain = "".join(c if c.isprintable() else repr(c)[1:-1] for c in name)
    return plain if len(plain) <= longest else f"{plain[: longest - 16]} … {plain[-12:]}"


def print_sota(result: dict[str, Any], made: "xr.Dataset", prob: float) -> None:
    """Say how good the best of a board is."""
    how = result.get("sampler") or result["rule"]
    instances = "" if result["n"] is None else f" on {result['n']} instances"
    alone = ""
    if "naive_lower" in made:
        alone = (
            f" ({prob:.0%} interval {float(made['naive_lower']):.4f} to "
            f"{float(made['naive_upper']):.4f}, were it the only team)"
        )
    click.echo(f"Best of {result['m']} teams{instances}: {result['observed_max']:.4f}{alone}.")
    click.echo(
        f"Estimate of the best classifier ({how}): {result['theta_sota']:.4f} "
        f"({prob:.0%} interval {result['theta_sota_lower']:.4f} to "
        f"{result['theta_sota_upper']:.4f}); {result['teams_above']} teams scored above it."
    )
    diagnostics = result["diagnostics"]
    if "converged" not in diagnostics:
        click.echo(diagnostics["message"])
        return
    likely = ", ".join(f"{short(name)} {p:.2f}" for name, p in made.attrs["likely"])
    click.echo(f"As good as that, most probably: {likely}.")
    click.echo(
        f"The same teams' best on another test set: {diagnostics['expected_max']:.4f} "
        f"({diagnostics['max_lower']:.4f} to {diagnostics['max_upper']:.4f})."
    )
    if not diagnostics["converged"]:
        click.echo("NOT CONVERGED: do not report these numbers.")
        return
    if "max_rhat" in diagnostics:
        reliable = f"R-hat {diagnostics['max_rhat']:.3f}"
    else:
        reliable = (
            f"Pareto k {diagnostics['pareto_k']:.2f}, effective sample size "
            f"{diagnostics['ess']:.0f}"
        )
    click.echo(f"Converged: {reliable}. Seed {diagnostics['seed']}.")


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
    """Give the texts of our warnings, for JSON and tables; they are said too, after the prefix."""
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


def print_tournaments(result: dict[str, Any]) -> None:
    """Leaderboards side by side, and who is best across them."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    names = {"tournament": 10, "leader": 10, "odd player": 14}
    for name in ("tournament", "size", "fit", "leader", "best", "tied", "agrees",
                 "odd player"):  # fmt: skip
        width = names.get(name)
        shown.add_column(
            name,
            justify="right" if width is None else "left",
            no_wrap=True,
            # Names give way on a narrow terminal, numbers do not.
            min_width=width or max(len(name), 7 if name == "size" else 0),
        )
    for row in result["tournaments"]:
        odd = Text(short(row["odd_player"], 24))
        shown.add_row(
            Text(short(row["tournament"], 24)), f"{row['players']} x {row['rounds']}",
            _told(row["p_check"]), Text(short(row["leader"], 24)), _told(row["p_best"]),
            str(row["tied_for_top"]), _told(row["agreement"]),
            odd.append(f" ({_told(row['odd_z'], 1)})") if row["odd_player"] else odd,
        )  # fmt: skip
    console = Console()
    console.print(shown)
    console.print(
        "fit: share of replicated boards that fit worse. best: probability of the leader. tied: "
        "not told apart from it. agrees: rank correlation with the mean of the others. "
        "Odd: whose strength is least like elsewhere, in standard deviations."
    )
    best = result["players"][:10]
    told = ", ".join(f"{short(row['player'])} {row['p_average']:.2f}" for row in best)
    console.print(Text(f"Beat the average player most often, over all tournaments: {told}."))
    rows = result["tournaments"]
    reverse = [short(row["tournament"]) for row in rows if (row["p_reversed"] or 0.0) > 0.5]
    if reverse:
        console.print(Text(f"In reverse of the usual order, probably: {', '.join(reverse)}."))
    if not result["diagnostics"]["converged"]:
        bad = ", ".join(short(row["tournament"]) for row in rows if not row["converged"])
        console.print(Text(f"NOT CONVERGED, do not report: {bad}.", style="bold red"))


def _told(value: float | None, digits: int = 2) -> str:
    return "" if value is None else f"{value:.{digits}f}"
