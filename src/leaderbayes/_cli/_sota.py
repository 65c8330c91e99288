"""The command sota: how good the best of a competition's board is."""

import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stdout, suppress
from inspect import signature
from typing import TYPE_CHECKING, Any

import click

from leaderbayes._cli._options import (
    as_json,
    better,
    command,
    max_mb,
    option,
    prob,
    seed,
    together,
    writing,
)
from leaderbayes._cli._output import check_out, write_out
from leaderbayes._cli._print import collecting, finish, number, short, warned
from leaderbayes._cli._values import typed

if TYPE_CHECKING:
    import xarray as xr

# Options of the command itself; all others are arguments of the functions that it calls.
_OWN = ("file", "answers", "public", "public_n", "sampler", "ours", "variants",
        "as_json", "out", "figures", "prob", "rho", "seed")  # fmt: skip
_LAW_FREE = ("theta_sota_lower", "theta_sota_upper", "theta_winner", "theta_winner_lower",
             "theta_winner_upper")  # fmt: skip
_ESTIMATED = ("observed_max", "theta_sota", "theta_sota_lower", "theta_sota_upper",
              "expected_max", "max_lower", "max_upper")  # fmt: skip


def _column_or_number(text: str) -> float | str:
    """Read a number, where it is one, or a column's name."""
    for kind in (int, float):
        with suppress(ValueError):
            return kind(text)
    return text


@command("sota board.csv --n 1000 --seed 1 --out results")
@click.argument("file", type=click.Path())
@option("answers", "FILE has the answers of each team, from which n and rho are estimated.", bool)
@option("n", "Number of test instances.", click.IntRange(1))
@option("se", "Standard error of the scores (instead of --n), or its column.", _column_or_number,
        metavar="X|COLUMN")  # fmt: skip
@option("metric", "Metric: accuracy or auc (not with --se).")
@option("classes", "Number of classes.  [default: 2]", click.IntRange(2))
@option("chance", "Score of a random classifier.  [default: 1 / classes]", float)
@option("positive_rate", "Share of the positive class (for auc).", float, metavar="SHARE")
@option("team", "Column of teams.", metavar="COLUMN")
@option("score", "Column of scores.", metavar="COLUMN")
@option("round", "Column of items (with --answers).", metavar="COLUMN")
@option("cluster", "Column of clusters of items (with --answers).", metavar="COLUMN")
@better
@max_mb
@option("public", "Public board of the same teams to compare with FILE.", click.Path(),
        metavar="FILE2")  # fmt: skip
@option("public_n", "Number of test instances of --public.", click.IntRange(1))
@option("rho", "Correlation of each team's answers with a reference.  [default: estimated with "
        "--answers, else 0]", float)  # fmt: skip
@option("sampler", "Sampler of the posterior: exact or abc-smc.  [default: no posterior]",
        click.Choice(["exact", "abc-smc"]), metavar="TEXT")  # fmt: skip
@option("ours", "Posterior: your team, to test whether it beats all others (repeatable).",
        multiple=True, metavar="TEAM")  # fmt: skip
@option("variants", "Number of tries of which --ours is the best.  [default: 1]", click.IntRange(1))
@option(
    "rule",
    "Estimate: rule, shrink scores towards chance or crop the best teams.  [default: "
    "shrink, or crop where chance is unknown]",
)
@option("criterion", "Estimate: statistic of the maximum, mean or upper.")
@option("convention", "Estimate: convention, correct or published.")
@option("dependence", "Estimate: dependence, boland or copula.")
@option("law", "Posterior: distribution of true performance, flexible or beta.")
@option("epsilon", "abc-smc: tolerance of simulated boards, in standard deviations.", float)
@option("draws", "Draws per chain.  [default: 250]", click.IntRange(1))
@option("chains", "Number of chains.  [default: 4]", click.IntRange(1))
@together(seed, prob, as_json, writing)
def sota(**given: Any) -> None:
    """Estimate how good the best team of a board really is."""
    import leaderbayes as lb

    of_board: Callable[..., Any] = lb.sota.read_answers if given["answers"] else lb.sota.read_board
    of_best: Callable[..., Any] = lb.sota.posterior if given["sampler"] else lb.sota.shrink
    _refuse(given, of_board, of_best)
    check_out(given)
    with collecting() as texts:
        board = of_board(given["file"], **_asked(of_board, given))
        looks = _two_looks(board, given)
    dt, best = _best(board, of_best, given)
    free = lb.sota.winner(board, rho=given["rho"], prob=given["prob"])
    result = {
        "how": given["sampler"] or best.attrs["rule"],
        "n": board.attrs.get("n"),
        "rho": board.attrs.get("rho", 0.0) if given["rho"] is None else given["rho"],
        "m": int(best["m"]),
        **{name: float(best[name]) for name in _ESTIMATED},
        "left_out": best.attrs.get("left_out") or None,
        "teams_above": int(best["teams_above"]),
        "law_free": {name: number(float(free[name])) for name in _LAW_FREE}
        | {name: free.attrs[name] for name in ("winner", "message")},
        "message": best.attrs.get("message"),
        "converged": dt is None or bool(dt.attrs["converged"]),
        "seed": None if dt is None else dt.attrs["seed"],
        **({} if looks is None else {"two_looks": looks}),
        **({} if dt is None or not given["ours"] else {"certify": _certified(dt, given)}),
        "warnings": texts if dt is None else warned(dt, texts),
    }
    _write(given, board, dt, best, result)
    converged, more = result["converged"], board.attrs.get("higher_is_better", 1)
    finish(given["as_json"], result, _print, result, best, given["prob"], more, converged=converged)


def _names(function: Callable[..., Any]) -> dict[str, str]:
    """Return the arguments of a function by the names of their options."""
    return {"team" if n == "player" else n: n for n in signature(function).parameters}


def _asked(function: Callable[..., Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a function that were given."""
    named = _names(function).items()
    return {name: given[own] for own, name in named if given.get(own) is not None}


def _refuse(given: Mapping[str, Any], *functions: Callable[..., Any]) -> None:
    """Raise where an option was given that has no meaning for what is asked."""
    import leaderbayes as lb

    known = {own for function in functions for own in _names(function)}
    for name in typed(given):
        if name not in known and name not in _OWN:
            kinds = " and ".join(f"leaderbayes.sota.{each.__name__}" for each in functions)
            raise lb.LeaderbayesError(
                f"--{name.replace('_', '-')} does not apply to {kinds}: omit it, or see --answers "
                "and --sampler."
            )
    if (given["ours"] and not given["sampler"]) or (given["variants"] and not given["ours"]):
        raise lb.LeaderbayesError("--variants needs --ours, and --ours needs --sampler exact.")
    if (given["public"] is None) != (given["public_n"] is None):
        raise lb.LeaderbayesError("--public and --public-n belong together: use both or neither.")


def _certified(dt: "xr.DataTree", given: Mapping[str, Any]) -> dict[str, Any]:
    """Compute how probably a team of ours beats all others."""
    import leaderbayes as lb

    asked = {"variants": given["variants"] or 1, "prob": given["prob"]}
    found = lb.sota.certify(dt, list(given["ours"]), **asked)
    return {str(name): value.item() for name, value in found.items()} | found.attrs


def _two_looks(private: "xr.DataArray", given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Compute what the public board promised."""
    import leaderbayes as lb

    if given["public"] is None:
        return None
    facts = _asked(lb.sota.read_board, given) | {"n": given["public_n"]}
    public = lb.sota.read_board(given["public"], **facts)
    asked = {name: given[name] for name in ("rho", "seed", "prob")}
    found = lb.sota.two_looks(public, private, **asked)
    return {str(name): number(float(value)) for name, value in found.items()} | found.attrs


def _best(
    board: "xr.DataArray", of_best: Callable[..., Any], given: Mapping[str, Any]
) -> tuple["xr.DataTree | None", "xr.Dataset"]:
    """Estimate, or draw and summarise, with the three likeliest teams."""
    import leaderbayes as lb

    asked = _asked(of_best, given)
    if given["sampler"] is None:
        return None, of_best(board, **asked)
    with redirect_stdout(sys.stderr):
        dt = of_best(board, progressbar=sys.stderr.isatty(), **asked)
    best = lb.sota.summary(dt, prob=given["prob"])
    likely = lb.leaderboard(dt).sort_values("p_sota", ascending=False, kind="stable")[:3]
    best.attrs["likely"] = list(zip(likely["team"].astype(str), likely["p_sota"], strict=True))
    return dt, best


def _write(
    given: Mapping[str, Any], board: "xr.DataArray", dt: "xr.DataTree | None", best: "xr.Dataset",
    result: Mapping[str, Any],
) -> None:  # fmt: skip
    """Write a figure of the board; of a posterior, all its teams and itself."""
    import leaderbayes as lb
    from leaderbayes._fits.file import encoded

    if given["out"] is None:
        return
    tables, files = {}, {}
    if dt is not None:
        tables["leaderboard"] = lb.leaderboard(dt, prob=given["prob"])
        files["posterior.nc"] = encoded(dt)
    write_out(
        given, result, converged=result["converged"], tables=tables, files=files,
        figures={"board": (board, best)},
    )  # fmt: skip


def _print(result: Mapping[str, Any], best: "xr.Dataset", prob: float, more: int) -> None:
    """Print how good the best of a board is, in sentences."""
    from leaderbayes._numerics.intervals import decimals_of_best
    from leaderbayes._scores.tables import counted

    form = f".{decimals_of_best(result['theta_sota_lower'], result['theta_sota_upper'])}f"
    instances = "" if result["n"] is None else f" on {result['n']} instances"
    depend = f", rho {result['rho']:.2f}" if result["rho"] else ""
    alone = ""
    if "naive_lower" in best:
        low, high = float(best["naive_lower"]), float(best["naive_upper"])
        alone = f" ({prob:.0%} interval {low:{form}} to {high:{form}} if it were the only team)"
    click.echo(
        f"{'Highest' if more else 'Lowest'} score of {counted(result['m'], 'team')}"
        f"{instances}{depend}: {result['observed_max']:{form}}{alone}."
    )
    if result["left_out"]:
        click.echo(f"Excluded: {result['left_out']}.")
    click.echo(
        f"Estimated true performance of the best ({result['how']}): {result['theta_sota']:{form}} "
        f"({prob:.0%} interval {result['theta_sota_lower']:{form}} to "
        f"{result['theta_sota_upper']:{form}}); {counted(result['teams_above'], 'team')} scored "
        f"{'above' if more else 'below'} it."
    )
    click.echo(result["law_free"]["message"])
    for doubt in (best.attrs.get("law_free"), result["message"]):
        if doubt:
            click.echo(doubt)
    if "two_looks" in result:
        click.echo(result["two_looks"]["message"])
    if "certify" in result:
        click.echo(result["certify"]["message"])
    if "likely" in best.attrs:
        likely = ", ".join(f"{short(name)} {p:.2f}" for name, p in best.attrs["likely"])
        click.echo(f"Probability of reaching that estimate: {likely}.")
        click.echo(
            "Expected best score of the same teams on another test set: "
            f"{result['expected_max']:{form}} ({result['max_lower']:{form}} to "
            f"{result['max_upper']:{form}}). Seed {result['seed']}."
        )
