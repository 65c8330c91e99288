"""Options that commands share, and reading what they name."""

from collections.abc import Callable, Iterable
from functools import reduce
from inspect import signature
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from leaderbayes._cli._console import probability, short
from leaderbayes._files.read import MAX_MB

if TYPE_CHECKING:
    import xarray as xr


# Formats that are no table, and the function of leaderbayes.adapters that reads each.
FORMATS = {
    name: f"from_{name.replace('-', '_')}"
    for name in (
        "amlb", "helm", "inspect-ai", "lighteval", "lm-eval", "lm-eval-samples", "mlr3", "mteb",
        "openml", "swe-bench", "tabarena",
    )
}  # fmt: skip
# Formats of items, and what may be their clusters.
CLUSTERED = {
    "helm": "task", "inspect-ai": "task", "lighteval": "task", "lm-eval-samples": "task",
    "swe-bench": "repository",
}  # fmt: skip
WEIGHT = "COMPOSITE|NUMBER"
# As `leaderbayes.fit` has them; asking it would import NumPy before --help.
LIKELIHOODS = ("auto", "normal", "dirichlet")
OFS = ("raw", "standardised", "distance", "share")
STATISTICS = ("mean", "median", "iqm")
SAMPLERS = ("auto", "laplace", "nutpie", "pymc", "numpyro", "blackjax")


def weight(text: str) -> float | str:
    """Read a weight: the word composite, or a number."""
    if text == "composite":
        return text
    try:
        return float(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is neither 'composite' nor a number.") from None


def typed(names: Iterable[str]) -> list[str]:
    """Take those of the names whose options were given on the command line."""
    ctx = click.get_current_context()
    return [n for n in names if ctx.get_parameter_source(n) is ParameterSource.COMMANDLINE]


def together(*options: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a command with options, in this order."""
    return lambda command: reduce(lambda done, option: option(done), reversed(options), command)


seed = click.option("--seed", type=click.IntRange(0, 2**32 - 1),
                    help="Same seed, same numbers.  [default: a new one, which is recorded]",
                    )  # fmt: skip
sampler = click.option("--sampler", type=click.Choice(SAMPLERS), default="auto",
                       show_default=True, help="laplace is exact and quick, for all models but "
                       "mean scores; four are NUTS; auto takes laplace where it can.",
                       )  # fmt: skip
prob = click.option("--prob", type=float, callback=probability, default=0.95, show_default=True,
                    help="Probability of the intervals, or that decides.")  # fmt: skip
as_json = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object and nothing else."
)
figures = click.option("--figures", type=click.Choice(["png", "svg", "pdf"]), multiple=True,
                       default=["png"], show_default=True, metavar="FORMAT",
                       help="Of the figures with --out: png, svg or pdf; again for several.",
                       )  # fmt: skip
better = click.option("--higher-is-better/--lower-is-better", "higher_is_better", default=None,
                      help="Which of two scores wins.  [default: the higher, where its name is not "
                      "a loss's]")  # fmt: skip
max_mb = click.option("--max-mb", type=float, default=MAX_MB, show_default=True,
                      help="The most that FILE may hold, unpacked, in megabytes.")  # fmt: skip
reading = together(
    click.argument("file", type=click.Path()),
    click.option("--format", "format_", type=click.Choice(["table", *FORMATS]), default="table",
                 show_default=True, help="What FILE is: a table of scores (also scikit-learn's "
                 "cv_results_), or results as these programs write them, of most a folder."),
    click.option("--player", metavar="COLUMN", help="Column of the players' names."),
    click.option("--round", "round_", metavar="COLUMN",
                 help="Column of the rounds (folds, tasks)."),
    click.option("--score", metavar="COLUMN", help="Column of the scores, or metric."),
    click.option("--tournament", metavar="COLUMN", help="Column of the tournaments (data sets)."),
    click.option("--cluster", metavar="COLUMN",
                 help="Column of what rounds share, such as the passage that questions are about; "
                 "of votes what makes them alike: auto (judges and prompts), none, judge, prompt; "
                 "of logs of items task (or repository, of SWE-bench) or none."),
    click.option("--repeat", metavar="COLUMN",
                 help="Column that numbers runs of a player in a round, which are averaged."),
    click.option("--only", metavar="NAME", help="Rank this tournament of a table with several."),
    better,
    max_mb,
)  # fmt: skip
ties = click.option(
    "--ties", type=click.Choice(["half", "drop", "floor", "loss"]), default="half",
    show_default=True, help="Equal scores are half a win for both; or no match; or, in published "
    "numbers, half wins rounded down (EloML), or the first-listed player's loss (PMRA).",
)  # fmt: skip

of_mean_scores = together(
    click.option("--likelihood", type=click.Choice(LIKELIHOODS),
                 help="Of mean_score: dirichlet for items that are right or wrong, or other "
                 "bounded scores; normal for others.  [default: by the scores]"),
    click.option("--of", type=click.Choice(OFS),
                 help="Of mean_score, for rounds of unequal scale: what of each round's scores the "
                 "mean is of; standardised, the distance to the best, or the share of the best's."),
    click.option("--statistic", type=click.Choice(STATISTICS),
                 help="Of mean_score: the mean over rounds, median, or interquartile mean."),
)  # fmt: skip
fitting = together(
    click.option("--model", default="bradley_terry", show_default=True,
                 help="Or mean_score, for how much better; or davidson, plackett_luce, "
                 "round_intercept; or tournaments, for all tournaments of a table together, and "
                 "score_tournaments, for how much better over these."),
    of_mean_scores,
    click.option("--weight", type=weight, metavar=WEIGHT,
                 help="Power of the likelihood; 1 is as published.  [default: the model's]"),
    click.option("--test-fraction", type=float, metavar="SHARE",
                 help="Rounds are of a repeated cross-validation that tests on this share of the "
                 "data: widens intervals."),
    ties,
    click.option("--across-rounds", is_flag=True, help="Compare scores of different rounds too."),
    sampler,
    click.option("--draws", type=click.IntRange(1), default=1000, show_default=True,
                 help="Per chain."),
    click.option("--tune", type=click.IntRange(0), metavar="STEPS",
                 help="Tuning steps per chain.  [default: 1000, then 3000 if need be]"),
    click.option("--target-accept", type=float, metavar="SHARE",
                 help="Of NUTS: nearer to 1 steps are shorter, and diverge less."),
    click.option("--chains", type=click.IntRange(1), default=4, show_default=True),
    seed,
    prob,
    as_json,
)  # fmt: skip


def scores_read(scores: "xr.DataArray", options: dict[str, Any]) -> "xr.DataArray":
    """Say what was read, and take the one tournament that is asked for."""
    from leaderbayes._scores.read import describe

    if not options["as_json"]:
        click.echo(f"read: {short(describe(scores), longest=1000)}", err=True)
    return _picked(scores, options)


def _picked(scores: "xr.DataArray", options: dict[str, Any]) -> "xr.DataArray":
    """Take the one tournament that is asked for."""
    import leaderbayes as lb
    from leaderbayes._scores.tables import shown, suggest

    only = options["only"]
    if "tournament" not in scores.dims:
        if only not in (None, scores.attrs.get("tournament")):
            name = scores.attrs.get("tournament")
            which = "" if name is None else f", {shown(name)}"
            raise lb.ScoresError(
                f"{options['file']}: --only {only!r}, but there is one tournament{which}; leave "
                "it out."
            )
        return scores
    if only is None:
        if scores.sizes["tournament"] > 1:
            return scores
        only = str(scores["tournament"].item())
    if only not in scores["tournament"]:
        raise lb.ScoresError(
            f"{options['file']}: no tournament {only[:60]!r}; "
            f"{suggest(only, scores['tournament'].to_numpy())}"
        )
    return scores.sel(tournament=only, drop=True).assign_attrs(tournament=only)


def read_file(options: dict[str, Any]) -> Any:
    """Read scores of a file in its format, or votes of a table that is clearly one of them."""
    import leaderbayes as lb
    from leaderbayes._scores.board import read_board
    from leaderbayes._scores.votes import Options

    file, score = options["file"], options["score"]
    of_tables = ("player", "tournament", "cluster", "repeat")
    roles = {role: options[role] for role in of_tables} | {"round": options["round_"]}
    better, max_mb = options["higher_is_better"], options["max_mb"]
    if options["format_"] == "table":
        votes = Options(tournament=options["tournament"])
        limits = {"higher_is_better": better, "max_mb": max_mb}
        return read_board(file, votes=votes, score=score, **roles, **limits)
    clusters = _clusters(options["format_"], roles.pop("cluster"))
    if any(roles.values()):
        alien = next(role for role, name in roles.items() if name is not None)
        raise lb.LeaderbayesError(f"--{alien} is for --format table.")
    read = getattr(lb.adapters, FORMATS[options["format_"]])
    given = {"metric": score, "higher_is_better": better}
    given = {name: value for name, value in given.items() if value is not None}
    if alien := given.keys() - signature(read).parameters:
        option = "score" if "metric" in alien else "higher-is-better"
        raise lb.LeaderbayesError(f"--{option} has no meaning for --format {options['format_']}.")
    scores: xr.DataArray = read(file, max_mb=max_mb, **given, **clusters)
    return scores


def _clusters(format_: str, cluster: str | None) -> dict[str, bool]:
    """Say to a reader of items whether their tasks are clusters."""
    import leaderbayes as lb

    if cluster is None:
        return {}
    unit = CLUSTERED.get(format_)
    if unit is None:
        raise lb.LeaderbayesError(
            f"--cluster is for --format table, or of items: {', '.join(CLUSTERED)}."
        )
    if cluster not in (unit, "none"):
        raise lb.LeaderbayesError(
            f"--cluster of --format {format_} is {unit} or none, not {cluster[:60]!r}."
        )
    return {"clusters": cluster == unit}


def names_of(scores: "xr.DataArray") -> str:
    """List tournaments, a dozen at most."""
    names = [str(name)[:60] for name in scores["tournament"].to_numpy()]
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
