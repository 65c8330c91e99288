"""Command line: parses, and calls the public functions of the same names."""

import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from warnings import catch_warnings, simplefilter

import click
from click.core import ParameterSource

from leaderbayes._console import (
    print_comparison,
    print_leaderboard,
    print_plan,
    print_sota,
    short,
    warnings_on_stderr,
)

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

NOT_CONVERGED = 1
# Options of sota that belong to one kind of its methods.
ESTIMATE_ONLY = ("criterion", "dependence", "chance")
POSTERIOR_ONLY = ("law", "components", "floor", "draws", "chains", "epsilon", "seed")
RELIABILITY = ("pareto_k", "ess", "max_rhat")
FIGURES = ("leaderboard", "win_probability", "rank_distribution", "win_rate", "deviance")


class Weight(click.ParamType):  # type: ignore[type-arg]
    """The word composite, or a number."""

    name = "composite|number"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float | str:
        """Give "composite" as it is, and anything else as a float."""
        if value == "composite":
            return "composite"
        try:
            return float(str(value))
        except ValueError:
            self.fail(f"{value!r} is neither 'composite' nor a number.", param, ctx)


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


def _probability(ctx: click.Context, param: click.Parameter, value: float) -> float:
    """Refuse what is not between 0 and 1; nan passes click's range."""
    if not 0.0 < value < 1.0:
        raise click.BadParameter(f"{value} is not between 0 and 1.")
    return value


def _options(*options: Callable[..., Any]) -> Callable[..., Any]:
    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


reading = _options(
    click.argument("file", type=click.Path()),
    click.option("--player", metavar="COLUMN", help="Column of the players' names."),
    click.option(
        "--round", "round_", metavar="COLUMN", help="Column of the rounds (folds, tasks)."
    ),
    click.option("--score", metavar="COLUMN", help="Column of the scores."),
    click.option("--tournament", metavar="COLUMN", help="Column of the tournaments (data sets)."),
    click.option("--only", metavar="NAME", help="Rank this tournament of a table with several."),
    click.option("--lower-is-better", is_flag=True, help="The lower of two scores wins."),
)
fitting = _options(
    click.option("--model", default="bradley_terry", show_default=True,
                 help="Or davidson, plackett_luce, round_intercept; or tournaments, for all "
                 "tournaments of a table together."),
    click.option("--weight", type=Weight(),
                 help="Power of the likelihood; 1 is as published.  [default: the model's]"),
    click.option("--test-fraction", type=float, metavar="SHARE",
                 help="Rounds are of a repeated cross-validation that tests on this share of the "
                 "data: widens intervals."),
    click.option("--ties", type=click.Choice(["half", "drop", "loss"]), default="half",
                 show_default=True,
                 help="Half a win for both, no match, or (round_intercept, as published) the "
                 "first-listed player's loss."),
    click.option("--across-rounds", is_flag=True, help="Compare scores of different rounds too."),
    click.option("--draws", type=click.IntRange(1), default=1000, show_default=True),
    click.option("--chains", type=click.IntRange(1), default=4, show_default=True),
    click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="Same seed, same numbers."),
    click.option("--prob", type=float, callback=_probability, default=0.95, show_default=True,
                 help="Probability of the intervals."),
    click.option("--json", "as_json", is_flag=True, help="Print one JSON object and nothing else."),
)  # fmt: skip


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="leaderbayes")
def cli() -> None:
    """Posterior leaderboards from benchmark scores."""


@cli.command()
@reading
@click.option("--method", type=click.Choice(["nuts", "ml"]), default="nuts", show_default=True,
              help="Posterior, or maximum likelihood without sampling.")  # fmt: skip
@click.option("--eliminate", type=click.Choice(["rigorous", "accelerated", "heuristic"]),
              help="Of round_intercept by maximum likelihood: drop effects that do not differ "
              "from the weakest player's.")  # fmt: skip
@fitting
@click.option(
    "--out", type=click.Path(path_type=Path), help="Write tables, posterior and figures here."
)
@click.option("--each", is_flag=True, help="Rank each tournament of the table by itself.")
def rank(method: str, out: Path | None, each: bool, **options: Any) -> None:
    """Rank the players of a table of scores."""
    import leaderbayes as lb

    estimate = _maximum_likelihood if method == "ml" else _posterior
    if options["eliminate"] and (method != "ml" or options["model"] != "round_intercept"):
        raise lb.LeaderbayesError("--eliminate is for --method ml --model round_intercept.")
    scores = _read(options)
    several = "tournament" in scores.dims
    if each and (not several or options["model"] == "tournaments"):
        raise lb.LeaderbayesError("--each is for a table of several tournaments, each by itself.")
    if several and not each and options["model"] != "tournaments":
        raise lb.ScoresError(
            f"{options['file']}: several tournaments; pick one with --only, rank each with --each, "
            f"or all together with --model tournaments: {_names(scores)}"
        )
    if not each:
        _rank_one(scores, out, estimate, options | {"method": method})
        return
    results, failed = [], False
    for number, name in enumerate(scores["tournament"].to_numpy(), 1):
        place = None if out is None else out / f"{number:03d}_{_file_name(str(name))}"
        one = scores.sel(tournament=name, drop=True)
        try:
            result = _estimate_one(one, place, estimate, options | {"method": method})
        except lb.LeaderbayesError as problem:
            failed = True
            click.echo(f"Error: tournament {str(name)[:60]!r}: {problem}", err=True)
            continue
        results.append({"tournament": str(name), **result[1]})
        if not options["as_json"]:
            click.echo(f"Tournament {short(str(name))}")
            print_leaderboard(*result, options["prob"])
    if options["as_json"]:
        click.echo(json.dumps({"tournaments": results}, ensure_ascii=False, allow_nan=False))
    if failed:
        sys.exit(2)
    if not all(result["diagnostics"]["converged"] for result in results):
        sys.exit(NOT_CONVERGED)


def _rank_one(
    scores: "xr.DataArray", out: Path | None, estimate: Callable[..., Any], options: dict[str, Any]
) -> None:
    table, result = _estimate_one(scores, out, estimate, options)
    if options["as_json"]:
        click.echo(json.dumps(result, ensure_ascii=False, allow_nan=False))
    else:
        print_leaderboard(table, result, options["prob"])
    if not result["diagnostics"]["converged"]:
        sys.exit(NOT_CONVERGED)


def _estimate_one(
    scores: "xr.DataArray", out: Path | None, estimate: Callable[..., Any], options: dict[str, Any]
) -> tuple["pd.DataFrame", dict[str, Any]]:
    """Estimate, and write the results where they are asked for."""
    fit, table, result = estimate(scores, options)
    if out is not None:
        _write(out, fit, table, result, options)
    return table, result


@cli.command()
@reading
@click.argument("a")
@click.argument("b")
@click.option("--rope", type=float, help="Win probabilities this near to 1/2 are equivalent.")
@fitting
def compare(a: str, b: str, rope: float | None, **options: Any) -> None:
    """Say how probably player A is better than player B."""
    import leaderbayes as lb
    from leaderbayes._compare import check_comparison

    check_comparison(a, b, rope)
    scores = _read(options)
    if "tournament" in scores.dims and options["model"] != "tournaments":
        raise lb.ScoresError(
            f"{options['file']}: several tournaments; pick one with --only, or take all together "
            f"with --model tournaments: {_names(scores)}"
        )
    for name in (a, b):
        if name not in scores["player"]:
            raise lb.ScoresError(
                f"{options['file']}: there is no player {name!r}; the first are "
                + ", ".join(repr(str(p)[:60]) for p in scores["player"].to_numpy()[:8])
            )
    fit = _fit(scores, options)
    result = lb.compare(fit, a, b, rope=rope, prob=options["prob"])
    if options["as_json"]:
        row = {k: v if isinstance(v, str) else float(v) for k, v in result.items()}
        click.echo(json.dumps(row | result.attrs, ensure_ascii=False))
    else:
        print_comparison(result, options["prob"])
    if not fit.attrs["converged"]:
        sys.exit(NOT_CONVERGED)


@cli.command()
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
@click.option("--score", metavar="COLUMN", help="Column of the scores, of which more is better.")
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
    "--seed", type=click.IntRange(0, 2**32 - 1), help="Of a posterior: same seed, same numbers."
)
@click.option(
    "--prob",
    type=float,
    callback=_probability,
    default=0.95,
    show_default=True,
    help="Probability of the intervals.",
)
@click.option("--json", "as_json", is_flag=True,
              help="Print one JSON object and nothing else.")  # fmt: skip
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


class Counts(click.ParamType):  # type: ignore[type-arg]
    """Whole numbers with commas between them."""

    name = "n,n,..."

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> list[int]:
        """Give a list."""
        try:
            return [int(number) for number in str(value).split(",")]
        except ValueError:
            self.fail(f"{value!r}: give whole numbers, such as 5,10,20.", param, ctx)


@cli.command()
@reading
@click.option("--a", metavar="PLAYER", help="Tell A apart from B; without both, the leader from "
              "everybody.")  # fmt: skip
@click.option("--b", metavar="PLAYER")
@click.option("--rounds", type=Counts(), default="5,10,20,40,80", show_default=True,
              help="Numbers of further rounds.")  # fmt: skip
@click.option("--target", type=float, callback=_probability, default=0.8, show_default=True,
              help="Wanted probability of a decision.")  # fmt: skip
@click.option("--prob", type=float, callback=_probability, default=0.95, show_default=True,
              help="Posterior probability that decides.")  # fmt: skip
@click.option("--only-players", multiple=True, metavar="PLAYER",
              help="Once for each: run these alone, instead of A and B or those tied for top.",
              )  # fmt: skip
@click.option("--weight", type=Weight(), default="composite", show_default=True,
              help="Power of the likelihood; 1 is as published.")  # fmt: skip
@click.option("--ties", type=click.Choice(["half", "drop"]), default="half", show_default=True,
              help="Half a win for both, or no match.")  # fmt: skip
@click.option("--simulations", type=click.IntRange(1), default=100, show_default=True,
              help="Further runs that are simulated: 1000 fits a dozen seconds.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0, 2**32 - 1), help="Same seed, same numbers.")
@click.option("--json", "as_json", is_flag=True,
              help="Print one JSON object and nothing else.")  # fmt: skip
def plan(a: str | None, b: str | None, as_json: bool, **options: Any) -> None:
    """Say how many more rounds would tell players apart."""
    import leaderbayes as lb

    if (a is None) != (b is None):
        raise lb.LeaderbayesError("--a and --b belong together.")
    scores = _read(options | {"model": "bradley_terry"})
    if "tournament" in scores.dims:
        raise lb.ScoresError(
            f"{options['file']}: several tournaments; pick one with --only: {_names(scores)}"
        )
    fit = lb.fit(
        scores,
        sampler="laplace",
        weight=options["weight"],
        ties=options["ties"],
        seed=options["seed"],
        replicates=1,
    )
    made = lb.plan(
        fit,
        None if a is None or b is None else (a, b),
        rounds=options["rounds"],
        prob=options["prob"],
        target=options["target"],
        players=options["only_players"] or None,
        simulations=options["simulations"],
        seed=fit.attrs["seed"],
    )
    if as_json:
        click.echo(json.dumps(_planned(made, fit.attrs["seed"]), ensure_ascii=False))
    else:
        print_plan(made)


def main() -> None:
    """Run the command line; our errors end with status 2 and no traceback."""
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot show is written with escapes.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with warnings_on_stderr():
            cli(standalone_mode=True)
    except ValueError as problem:
        from leaderbayes._errors import LeaderbayesError

        if not isinstance(problem, LeaderbayesError):
            raise
        click.echo(f"Error: {problem}", err=True)
        sys.exit(2)


# -- steps -----------------------------------------------------------------------------------------


def _read(options: dict[str, Any]) -> "xr.DataArray":
    """Scores, of one tournament where one is picked or there is no other."""
    import leaderbayes as lb

    if options["ties"] == "loss" and options["model"] != "round_intercept":
        raise lb.LeaderbayesError("--ties loss is for --model round_intercept.")
    scores = lb.read_scores(
        options["file"],
        player=options["player"],
        round=options["round_"],
        score=options["score"],
        tournament=options["tournament"],
        higher_is_better=not options["lower_is_better"],
    )
    only = options["only"]
    if "tournament" not in scores.dims:
        if only is not None:
            raise lb.ScoresError(
                f"{options['file']}: --only {only!r}, but there is one tournament."
            )
        return scores
    if only is None:
        return scores.isel(tournament=0, drop=True) if scores.sizes["tournament"] == 1 else scores
    if only not in scores["tournament"]:
        raise lb.ScoresError(
            f"{options['file']}: no tournament {only[:60]!r}; there are {_names(scores)}"
        )
    return scores.sel(tournament=only, drop=True)


def _names(scores: "xr.DataArray") -> str:
    """Tournaments, a dozen at most."""
    names = [str(name)[:60] for name in scores["tournament"].to_numpy()]
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")


def _file_name(name: str) -> str:
    """Turn a name into part of a file's name."""
    return re.sub(r"[^\w.-]+", "_", name)[:60]


def _fit(scores: "xr.DataArray", options: dict[str, Any]) -> "xr.DataTree":
    import leaderbayes as lb

    # PyMC draws its progress bar on standard output, which is for results here.
    given = {k: options[k] for k in ("weight", "test_fraction") if options[k] is not None}
    if options["ties"] == "loss":
        given["tie_as"] = "loss"
    with redirect_stdout(sys.stderr):
        return lb.fit(
            scores,
            options["model"],
            ties="half" if options["ties"] == "loss" else options["ties"],
            within_round=not options["across_rounds"],
            draws=options["draws"],
            chains=options["chains"],
            seed=options["seed"],
            progressbar=sys.stderr.isatty(),
            **given,
        )


def _posterior(
    scores: "xr.DataArray", options: dict[str, Any]
) -> tuple["xr.DataTree", "pd.DataFrame", dict[str, Any]]:
    import leaderbayes as lb

    fit = _fit(scores, options)
    table = lb.leaderboard(fit, prob=options["prob"])
    result = {
        "model": fit.attrs["model"],
        "weight": fit.attrs["weight"],
        "seed": fit.attrs["seed"],
        "players": _records(table),
        "deviance": _deviance(lb.deviance(fit)),
        "diagnostics": {
            "max_rhat": _number(fit.attrs["max_rhat"]),
            "min_ess": _number(fit.attrs["min_ess"]),
            "divergences": fit.attrs["divergences"],
            "converged": bool(fit.attrs["converged"]),
        },
        "warnings": json.loads(fit.attrs["warnings"]),
    }
    return fit, table, result


def _maximum_likelihood(
    scores: "xr.DataArray", options: dict[str, Any]
) -> tuple[None, "pd.DataFrame", dict[str, Any]]:
    import leaderbayes as lb

    fit = _estimate_of(scores, options)
    table = lb.leaderboard(fit, prob=options["prob"])
    result = {
        "model": fit.attrs["model"],
        "weight": 1.0 if fit.attrs["covariance"] == "model" else None,
        "seed": options["seed"],
        "players": _records(table),
        "deviance": _deviance(lb.deviance(fit)),
        "diagnostics": {"max_rhat": None, "min_ess": None, "divergences": None, "converged": True},
        "warnings": [],
    }
    if fit.attrs["model"] == "round_intercept":
        result |= {"intercept": float(fit["intercept"]), "sd_round": float(fit["sd_round"])}
    if "eliminated" in fit:
        steps = fit[[f"step_{name}" for name in ("player", "test", "p_value", "loglik")]]
        result |= {
            "eliminated": [str(p) for p in fit["player"].to_numpy()[fit["eliminated"]]],
            "steps": [
                {str(k).removeprefix("step_"): v for k, v in row.items()}
                for row in steps.to_dataframe().to_dict("records")
            ],
        }
    return None, table, result


def _estimate_of(scores: "xr.DataArray", options: dict[str, Any]) -> "xr.Dataset":
    """Estimate by maximum likelihood."""
    import leaderbayes as lb

    model, ties, within = options["model"], options["ties"], not options["across_rounds"]
    if model not in ("bradley_terry", "plackett_luce", "round_intercept"):
        raise lb.LeaderbayesError(f"--method ml has no model {model!r}; use --method nuts.")
    if options["test_fraction"] is not None:
        raise lb.LeaderbayesError("--method ml has no --test-fraction; use --method nuts.")
    if options["weight"] not in (None, "composite", 1.0):
        raise lb.LeaderbayesError(
            "--method ml knows --weight composite (covariance clustered by round) and --weight 1 "
            "(independent matches, as published)."
        )
    if model == "round_intercept":
        if not within or ties == "drop" or options["weight"] == "composite":
            raise lb.LeaderbayesError(
                "--model round_intercept compares within rounds, with --ties half or loss and "
                "--weight 1."
            )
        if options["eliminate"]:
            return lb.likelihood.eliminate(scores, method=options["eliminate"], ties=ties)
        return lb.likelihood.round_intercept(scores, ties=ties)
    made = lb.matches(scores, within_round=within, ties=ties)
    independent = options["weight"] == 1.0 or (
        model == "plackett_luce" and options["weight"] is None
    )
    covariance: Literal["clustered", "model"] = "model" if independent else "clustered"
    if model == "plackett_luce":
        return lb.likelihood.plackett_luce(made, covariance=covariance)
    return lb.likelihood.bradley_terry(made, covariance=covariance)


def _records(table: "pd.DataFrame") -> list[dict[str, Any]]:
    whole = ("rank", "rank_lower", "rank_upper")
    return [
        {
            str(key): value
            if key == "player"
            else None
            if value != value
            else (int if key in whole else float)(value)
            for key, value in row.items()
        }
        for row in table.to_dict("records")
    ]


def _deviance(series: "pd.Series") -> dict[str, Any]:
    return {
        "value": _number(series["value"]),
        "df": int(series["df"]),
        "p_value": _number(series["p_value"]),
        "standardised": _number(series["standardised"]),
    }


def _number(value: float) -> float | None:
    """Give a float to JSON, which has no NaN."""
    return float(value) if float("-inf") < value < float("inf") else None


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
        **{key: _number(dt.attrs[key]) for key in RELIABILITY if key in dt.attrs},
        **{key: float(made[key]) for key in ("expected_max", "max_lower", "max_upper")},
        "seed": dt.attrs["seed"],
    }
    return made, diagnostics, json.loads(dt.attrs["warnings"])


def _planned(made: "xr.Dataset", seed: int) -> dict[str, Any]:
    """Plan as JSON: a row for each way and number of rounds."""
    shared = ("question", "message", "prob", "target", "simulations")
    over_rounds = made.drop_vars(["rounds_needed", "p_now", "width_now"])
    return {
        **{key: made.attrs[key] for key in shared},
        "seed": seed,
        "contested": json.loads(made.attrs["contested"]),
        "p_now": float(made["p_now"]),
        "width_now": float(made["width_now"]),
        "rounds_needed": {
            str(who): _number(float(made["rounds_needed"].sel(who=who)))
            for who in made["who"].to_numpy()
        },
        "rows": over_rounds.to_dataframe().reset_index().to_dict("records"),
        "warnings": json.loads(made.attrs["warnings"]),
    }


# -- output ----------------------------------------------------------------------------------------


def _write(
    out: Path,
    fit: "xr.DataTree | None",
    table: "pd.DataFrame",
    result: dict[str, Any],
    options: dict[str, Any],
) -> None:
    """Write all files to a folder beside it first; then each moves in whole."""
    import leaderbayes as lb

    try:
        if out.exists() and not out.is_dir():
            raise FileExistsError(f"{out} is a file")
        nearest = next(folder for folder in out.absolute().parents if folder.is_dir())
        with tempfile.TemporaryDirectory(dir=nearest, prefix=".leaderbayes-") as folder:
            part = Path(folder) / out.name
            part.mkdir()
            table.to_csv(part / "leaderboard.csv", index=False)
            run = {
                "command": {k: str(v) if isinstance(v, Path) else v for k, v in options.items()},
                **{k: v for k, v in result.items() if k != "players"},
            }
            if fit is not None:
                run["versions"] = json.loads(fit.attrs["versions"])
                mean = lb.win_probability(fit)["mean"]
                mean.to_pandas().to_csv(part / "win_probability.csv")
                fit.to_netcdf(part / "posterior.nc")
                if "epp_tournament" in fit["posterior"]:
                    _by_tournament(fit, options["prob"]).to_csv(
                        part / "tournaments.csv", index=False
                    )
                _draw(part, fit)
            (part / "run.json").write_text(json.dumps(run, indent=2) + "\n", encoding="utf-8")
            names = sorted(path.name for path in part.iterdir())
            for name in names:
                if (out / name).is_dir():
                    raise IsADirectoryError(f"{out / name} is a folder")
            out.mkdir(parents=True, exist_ok=True)
            for name in names:
                os.replace(part / name, out / name)
    except OSError as problem:
        raise lb.LeaderbayesError(f"--out {out}: cannot be written ({problem}).") from problem


def _by_tournament(fit: "xr.DataTree", prob: float) -> "pd.DataFrame":
    """Leaderboards of all tournaments of a fit, one below the other."""
    import pandas as pd

    import leaderbayes as lb

    names = fit["constant_data"]["scores"]["tournament"].to_numpy()
    tables = {
        str(name): lb.leaderboard(lb.select_tournament(fit, name), prob=prob) for name in names
    }
    return pd.concat(tables, names=["tournament"]).reset_index("tournament")


def _draw(folder: Path, fit: "xr.DataTree") -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    import leaderbayes as lb

    for name in FIGURES:
        figure = getattr(lb.plots, name)(fit, backend="matplotlib")
        for suffix in ("png", "svg"):
            figure.savefig(folder / f"{name}.{suffix}", bbox_inches="tight")
        plt.close("all")
