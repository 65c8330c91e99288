"""The command sota: how good the best of a competition's board is."""

import json
import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any
from warnings import catch_warnings, simplefilter

import click
from click.core import ParameterSource

from leaderbayes._cli._console import NOT_CONVERGED, number, print_sota
from leaderbayes._cli._options import as_json, better, max_mb, prob, seed

if TYPE_CHECKING:
    import xarray as xr

# Options that belong to the estimate, or to the posterior; the others are of both.
ESTIMATE_ONLY = ("rule", "criterion", "convention", "dependence")
POSTERIOR_ONLY = ("law", "components", "floor", "draws", "chains", "epsilon", "seed", "workers")
# What is known of the board, for `read_board`.
FACTS = (
    "n", "se", "metric", "classes", "chance", "positive_rate", "team", "score", "higher_is_better",
    "max_mb",
)  # fmt: skip
RELIABILITY = ("pareto_k", "ess", "max_rhat")


class ColumnOrNumber(click.ParamType):  # type: ignore[type-arg]
    """A number, or the name of a column."""

    name = "column|number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | str:
        """Give what reads as a number as one, and anything else as it is."""
        try:
            return int(value)
        except ValueError:
            pass
        try:
            return float(value)
        except ValueError:
            return str(value)


@click.command()
@click.argument("file", type=click.Path())
@click.option(
    "--n",
    type=ColumnOrNumber(),
    help="Instances of the test set; or the column with those of each team.",
)
@click.option(
    "--se",
    type=ColumnOrNumber(),
    help="Standard error of the scores, of any metric; or the column with that of each. Not with "
    "--n.",
)
@click.option(
    "--metric",
    type=click.Choice(["accuracy", "auc"]),
    default="accuracy",
    show_default=True,
    help="Whether scores are shares of right answers or AUCs; not with --se.",
)
@click.option("--classes", type=click.IntRange(2), help="Of accuracies.  [default: 2]")
@click.option(
    "--chance",
    type=float,
    help="Score of a random classifier, instead of 1 / classes; needed to shrink with --se.",
)
@click.option(
    "--positive-rate", type=float, metavar="SHARE", help="Share of the positive class, of AUCs."
)
@click.option("--team", metavar="COLUMN", help="Column of the teams' names.")
@click.option("--score", metavar="COLUMN", help="Column of the scores.")
@better
@max_mb
@click.option(
    "--rho",
    type=float,
    default=0.0,
    show_default=True,
    help="Correlation of each classifier's answers, of AUCs its scores, with --se its estimate, "
    "with a reference; two correlate by its square.",
)
@click.option(
    "--rule",
    type=click.Choice(["shrink", "crop"]),
    default="shrink",
    show_default=True,
    help="Of the estimate: scores are drawn towards chance, or the best left out.",
)
@click.option(
    "--sampler",
    type=click.Choice(["exact", "abc-smc"]),
    help="A posterior in place of the estimate, by the likelihood or by simulated boards.",
)
@click.option(
    "--criterion",
    type=click.Choice(["mean", "upper"]),
    default="mean",
    show_default=True,
    help="Of the estimate: the observed maximum is the expected one, or the upper limit of its "
    "interval.",
)
@click.option(
    "--convention",
    type=click.Choice(["correct", "published"]),
    default="correct",
    show_default=True,
    help="Of the estimate: each team once, or drawn with replacement as in the paper's program.",
)
@click.option(
    "--dependence",
    type=click.Choice(["boland", "copula"]),
    default="boland",
    show_default=True,
    help="Of the estimate; a posterior has boland.",
)
@click.option(
    "--law",
    type=click.Choice(["beta", "mixture", "empirical"]),
    default="beta",
    show_default=True,
    help="Of a posterior: the teams' thetas are from a beta law, from several, or are the scores "
    "drawn towards chance.",
)
@click.option(
    "--components",
    type=click.IntRange(2),
    default=2,
    show_default=True,
    help="Laws in --law mixture.",
)
@click.option(
    "--floor",
    type=float,
    metavar="SCORE",
    help="Of a posterior: leave out teams with this score or a lower one.",
)
@click.option(
    "--draws",
    type=click.IntRange(1),
    default=250,
    show_default=True,
    help="Of a posterior, per chain.",
)
@click.option(
    "--chains", type=click.IntRange(1), default=4, show_default=True, help="Of a posterior."
)
@click.option(
    "--epsilon",
    type=float,
    default=0.5,
    show_default=True,
    help="Of abc-smc: how near, in standard deviations, simulated boards must come.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    help="Of a posterior: threads, of abc-smc processes, at a time.  [default: as many CPUs as "
    "there are]",
)
@seed
@prob
@as_json
def sota(file: str, sampler: str | None, as_json: bool, **options: Any) -> None:
    """Estimate how good the best classifier of a competition's board is."""
    import leaderbayes as lb

    alien = _alien(sampler, options["law"])
    if alien is not None:
        raise lb.LeaderbayesError(alien)
    with catch_warnings(record=True) as caught:
        simplefilter("always")
        board = lb.sota.read_board(file, **{name: options.pop(name) for name in FACTS})
    said = [str(w.message) for w in caught if issubclass(w.category, lb.LeaderbayesWarning)]
    for message in said:
        click.echo(f"Warning: {message}", err=True)
    if sampler is None:
        how = {"rule": options["rule"]}
        made, diagnostics, more = _estimate_of_best(board, options)
    else:
        how = {"sampler": sampler}
        made, diagnostics, more = _best_of(board, sampler, options)
    result = {
        **how,
        "n": board.attrs.get("n"),
        "m": int(made["m"]),
        **{
            key: float(made[key])
            for key in ("observed_max", "theta_sota", "theta_sota_lower", "theta_sota_upper")
        },
        "teams_above": int(made["teams_above"]),
        "diagnostics": diagnostics,
        "warnings": said + more,
    }
    if as_json:
        click.echo(json.dumps(result, ensure_ascii=False, allow_nan=False))
    else:
        print_sota(result, made, options["prob"])
    if not diagnostics.get("converged", True):
        sys.exit(NOT_CONVERGED)


def _alien(sampler: str | None, law: str) -> str | None:
    """Name the first option that was given and that the estimate, or the posterior, has not."""
    ctx = click.get_current_context()
    others = POSTERIOR_ONLY if sampler is None else ESTIMATE_ONLY
    for name, value in ctx.params.items():
        if ctx.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        if name in others and (name, value) != ("dependence", "boland"):
            if sampler is None:
                return f"--{name} is of a posterior: give --sampler exact or abc-smc, too."
            return f"--{name} is of the estimate: leave it or --sampler out."
        if name == "epsilon" and sampler == "exact":
            return "--epsilon is for --sampler abc-smc, not exact."
        if name == "components" and law != "mixture":
            return "--components is for --law mixture."
    return None


def _estimate_of_best(
    board: "xr.DataArray", options: dict[str, Any]
) -> tuple["xr.Dataset", dict[str, Any], list[str]]:
    """Shrink or crop; with diagnostics, and no warnings."""
    import leaderbayes as lb

    made = lb.sota.shrink(board, **{k: v for k, v in options.items() if k not in POSTERIOR_ONLY})
    diagnostics = {
        "solved": bool(made.attrs["solved"]),
        "message": made.attrs["message"],
        "excluded": int(made["excluded"]),
        **{key: float(made[key]) for key in ("expected_max", "max_lower", "max_upper", "bias")},
    }
    return made, diagnostics, []


def _best_of(
    board: "xr.DataArray", sampler: Any, options: dict[str, Any]
) -> tuple["xr.Dataset", dict[str, Any], list[str]]:
    """Summarise the posterior, with the three likeliest teams; diagnostics, and warnings."""
    import leaderbayes as lb

    given = {k: v for k, v in options.items() if k not in ESTIMATE_ONLY and k != "prob"}
    with redirect_stdout(sys.stderr):
        dt = lb.sota.posterior(board, sampler=sampler, progressbar=sys.stderr.isatty(), **given)
    made = lb.sota.summary(dt, prob=options["prob"])
    likely = lb.leaderboard(dt).sort_values("p_sota", ascending=False, kind="stable")[:3]
    made.attrs["likely"] = list(zip(likely["team"].astype(str), likely["p_sota"], strict=True))
    diagnostics = {
        "converged": bool(dt.attrs["converged"]),
        **{key: number(dt.attrs[key]) for key in RELIABILITY if key in dt.attrs},
        **{key: float(made[key]) for key in ("expected_max", "max_lower", "max_upper")},
        "seed": dt.attrs["seed"],
    }
    return made, diagnostics, json.loads(dt.attrs["warnings"])
