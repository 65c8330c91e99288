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

# Options that belong to one kind of methods.
ESTIMATE_ONLY = ("criterion", "convention", "dependence", "chance")
POSTERIOR_ONLY = ("law", "components", "floor", "draws", "chains", "epsilon", "seed", "workers")
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
@click.option("--classes", type=click.IntRange(2), default=2, show_default=True)
@click.option(
    "--chance",
    type=float,
    help="Score of a random classifier, instead of 1 / classes; needed to shrink with --se.",
)
@click.option("--auc", is_flag=True, help="Scores are AUCs.")
@click.option(
    "--positive-rate", type=float, metavar="SHARE", help="Share of the positive class, for --auc."
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
    help="Correlation of each classifier's answers, with --auc its scores, with --se its estimate, "
    "with a reference; two correlate by its square.",
)
@click.option(
    "--method",
    type=click.Choice(["shrink", "crop", "exact", "abc-smc"]),
    default="shrink",
    show_default=True,
    help="Scores drawn towards chance, or the best left out; or a posterior, by the likelihood or "
    "by simulated boards.",
)
@click.option(
    "--criterion",
    type=click.Choice(["mean", "upper"]),
    default="mean",
    show_default=True,
    help="Of shrink, crop: the observed maximum is the expected one, or the upper limit of its "
    "interval.",
)
@click.option(
    "--convention",
    type=click.Choice(["correct", "published"]),
    default="correct",
    show_default=True,
    help="Of shrink, crop: each team once, or drawn with replacement as in the paper's program.",
)
@click.option(
    "--dependence",
    type=click.Choice(["boland", "copula"]),
    default="boland",
    show_default=True,
    help="Of shrink, crop; a posterior has boland.",
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
def sota(file: str, method: str, auc: bool, as_json: bool, **options: Any) -> None:
    """Estimate how good the best classifier of a competition's board is."""
    import leaderbayes as lb

    alien = _alien(method, options["law"])
    if alien is not None:
        raise lb.LeaderbayesError(alien)
    if auc != (options["positive_rate"] is not None):
        raise lb.LeaderbayesError("--auc and --positive-rate belong together.")
    with catch_warnings(record=True) as caught:
        simplefilter("always")
        board = lb.sota.read_board(
            file,
            n=options.pop("n"),
            se=options.pop("se"),
            metric="auc" if auc else "accuracy",
            team=options.pop("team"),
            score=options.pop("score"),
            higher_is_better=options.pop("higher_is_better"),
            max_mb=options.pop("max_mb"),
        )
    said = [str(w.message) for w in caught if issubclass(w.category, lb.LeaderbayesWarning)]
    for message in said:
        click.echo(f"Warning: {message}", err=True)
    estimate = _best_of if method in ("exact", "abc-smc") else _estimate_of_best
    made, diagnostics, more = estimate(board, method, options)
    result = {
        "method": method,
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


def _alien(method: str, law: str) -> str | None:
    """Name the first option that was given and that the method does not have."""
    ctx = click.get_current_context()
    sampled = method in ("exact", "abc-smc")
    others = ESTIMATE_ONLY if sampled else POSTERIOR_ONLY
    for name, value in ctx.params.items():
        if ctx.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        if name in others and (name, value) != ("dependence", "boland"):
            belongs = "shrink or crop" if sampled else "exact or abc-smc"
            return f"--{name} is for --method {belongs}, not {method}."
        if name == "epsilon" and method == "exact":
            return "--epsilon is for --method abc-smc, not exact."
        if name == "components" and law != "mixture":
            return "--components is for --law mixture."
    return None


def _estimate_of_best(
    board: "xr.DataArray", method: str, options: dict[str, Any]
) -> tuple["xr.Dataset", dict[str, Any], list[str]]:
    """Shrink or crop; with diagnostics, and no warnings."""
    import leaderbayes as lb

    given = {key: value for key, value in options.items() if key not in POSTERIOR_ONLY}
    made = getattr(lb.sota, method)(board, **given)
    diagnostics = {
        "solved": bool(made.attrs["solved"]),
        "message": made.attrs["message"],
        "excluded": int(made["excluded"]),
        **{key: float(made[key]) for key in ("expected_max", "max_lower", "max_upper", "bias")},
    }
    return made, diagnostics, []


def _best_of(
    board: "xr.DataArray", method: Any, options: dict[str, Any]
) -> tuple["xr.Dataset", dict[str, Any], list[str]]:
    """Summarise the posterior, with the three likeliest teams; diagnostics, and warnings."""
    import leaderbayes as lb

    given = {k: v for k, v in options.items() if k not in ESTIMATE_ONLY and k != "prob"}
    with redirect_stdout(sys.stderr):
        dt = lb.sota.posterior(board, method=method, progressbar=sys.stderr.isatty(), **given)
    made = lb.sota.summary(dt, prob=options["prob"])
    likely = lb.sota.teams(dt).sort_values("p_sota", ascending=False, kind="stable")[:3]
    made.attrs["likely"] = list(zip(likely["team"].astype(str), likely["p_sota"], strict=True))
    diagnostics = {
        "converged": bool(dt.attrs["converged"]),
        **{key: number(dt.attrs[key]) for key in RELIABILITY if key in dt.attrs},
        **{key: float(made[key]) for key in ("expected_max", "max_lower", "max_upper")},
        "seed": dt.attrs["seed"],
    }
    return made, diagnostics, json.loads(dt.attrs["warnings"])
