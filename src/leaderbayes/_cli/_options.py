"""Options that commands share: those of `leaderbayes.fit`, of the readers, and of the output."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any

import click

from leaderbayes._cli._values import names, probability, setting, weight
from leaderbayes._files.read import MAX_MB

Decorator = Callable[[Any], Any]

# Formats other than a table, which `read_results` reads from files.
FORMATS = (
    "amlb", "helm", "inspect-ai", "lighteval", "livecodebench", "lm-eval", "lm-eval-samples",
    "mlr3", "mteb", "openml", "preflib", "swe-bench", "tabarena", "terminal-bench",
)  # fmt: skip


# What options are about; all others are the command's own, and come first.
_GROUPS = {
    "Data": "format_ player round_ score tournament repeat round_weight period scheme only drop "
    "keep higher_is_better max_mb",
    "Votes": "first second outcome prompt judge count both_bad covariates order_effect",
    "Model": "ml model ties weight test_fraction prior_scale cluster of statistic within_round "
    "options",
    "Without FILE": "difference sd correlation accuracy discordance",
    "Sampling": "sampler draws chains seed prior replicates",
    "Output": "prob anchor scale anchor_at as_json out figures _click_default_help",
}


class Command(click.Command):
    """A command whose help lists its options in groups."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options of each group."""
        group_of = {name: group for group, names in _GROUPS.items() for name in names.split()}
        rows: dict[str, list[tuple[str, str]]] = {group: [] for group in ("Options", *_GROUPS)}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is not None and isinstance(param, click.Option):
                rows[group_of.get(param.name or "", "Options")].append(record)
        for group, records in rows.items():
            if records:
                with formatter.section(group):
                    formatter.write_dl(records)


class _Option(click.Option):
    """An option whose help leaves out the range of a number."""

    def get_help_extra(self, ctx: click.Context) -> Any:
        extra = super().get_help_extra(ctx)
        extra.pop("range", None)
        return extra


def command(example: str) -> Decorator:
    """Make a command, whose help ends in an example."""
    return click.command(cls=Command, epilog=f"Example: leaderbayes {example}")


def option(name: str, help: str, type: Any = str, default: Any = None, **more: Any) -> Decorator:
    """Make an option that is called as the argument in Python."""
    flag = "--" + name.rstrip("_").replace("_", "-")
    if type is bool:
        more.setdefault("is_flag", True)
    else:
        more["type"] = type
    if not more.get("required"):
        more |= {"default": default, "show_default": default is not None and type is not bool}
    if isinstance(type, click.IntRange):
        more.setdefault("metavar", "INTEGER")
    return click.option(flag, name, help=help, cls=_Option, **more)


def together(*options: Decorator) -> Decorator:
    """Decorate a command with options, in this order."""
    return lambda command: reduce(lambda done, option: option(done), reversed(options), command)


# As arguments of `leaderbayes.fit`: name, help, type and default.
_FIT: tuple[tuple[Any, ...], ...] = (
    ("model", "Model (see leaderbayes models); auto: mean_score for right-or-wrong answers, "
     "otherwise bradley_terry.", str, "auto"),
    ("ties", "Rule for ties: half, drop or loss (floor with --ml).", str, "half"),
    ("weight", "Weight of a match: composite, or a number (1: as published).  [default: that "
     "of the model]", weight),
    ("round_weight", "Column of weights of rounds: numbers or equal categories.", str),
    ("test_fraction", "Share of rows that each round tests on, if rounds are splits of one data "
     "set.", float),
    ("prior_scale", "Scale of the prior on strengths.  [default: that of the model]", float),
    ("cluster", "Column of clusters; or none, same or new. For votes judge, prompt or none.", str),
    ("order_effect", "Estimate the advantage of being shown first.", bool),
    ("covariates", "Covariates of votes, separated by commas.", names),
    ("sampler", "Sampler: auto, metropolis (fast), nutpie or pymc (NUTS).", str, "auto"),
    ("draws", "Draws per chain.", click.IntRange(1), 1000),
    ("chains", "Number of chains.", click.IntRange(1), 4),
    ("seed", "Random seed.  [default: a new one, stored with the result]",
     click.IntRange(0, 2**32 - 1)),
    ("prior", "Also sample the prior.", bool, False),
    ("replicates", "Number of replicated data sets.", click.IntRange(0), 400),
)  # fmt: skip
ARGUMENTS = (*(name for name, *_ in _FIT), "within_round", "options")  # of `leaderbayes.fit`

seed = option(*next(each for each in _FIT if each[0] == "seed"))
prob = option("prob", "Probability of the intervals.", float, 0.95, callback=probability)
target = option("target", "Target probability of a decision.", float, 0.8, callback=probability)
scaling = together(
    option("anchor", "Player with which all others are compared.", metavar="PLAYER"),
    option("scale", "Scale of strengths: elo, or log-odds by default.", click.Choice(["elo"]),
           metavar="SCALE"),
    option("anchor_at", "Elo points of the anchor.  [default: 1000]", float),
)  # fmt: skip
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
writing = together(
    option("out", "Folder for tables, the posterior and figures.", click.Path(path_type=Path),
           metavar="FOLDER"),
    option("figures", "Format of figures: png, svg or pdf (repeatable).",
           click.Choice(["png", "svg", "pdf"]), ["png"], multiple=True, metavar="FORMAT"),
)  # fmt: skip
better = click.option(
    "--higher-is-better/--lower-is-better", "higher_is_better", default=None,
    help="Direction of the scores.  [default: higher; required for names of losses]",
)  # fmt: skip
max_mb = option("max_mb", "Largest size of FILE, unpacked, in megabytes.", float, MAX_MB)
columns = together(
    option("format_", f"Format of FILE: table, {', '.join(FORMATS[:-1])} or {FORMATS[-1]}.",
           click.Choice(["table", *FORMATS]), "table", metavar="FORMAT"),
    *(
        option(name, f"Column of {what}.", metavar="COLUMN")
        for name, what in {
            "player": "players",
            "round_": "rounds: folds, tasks, items",
            "score": "scores, or the metric of another format",
            "tournament": "tournaments (data sets)",
            "repeat": "repeated runs, which are averaged",
            "period": "when rounds were: seasons, dates (model dynamic)",
            "first": "the player shown first",
            "second": "the other player",
            "outcome": "the winner, or two columns of scores, X,Y",
            "prompt": "prompts, or none",
            "judge": "judges, or none",
            "count": "numbers of votes per row",
        }.items()
    ),
    option("scheme", "What is compared: Model/CV, Model/Task or Data set/Model.",
           click.Choice(["Model/CV", "Model/Task", "Data set/Model"]), metavar="SCHEME"),
    option("drop", "Column or row to exclude (repeatable).", multiple=True, metavar="NAME"),
    option("keep", "Column or row to include (repeatable).", multiple=True, metavar="NAME"),
    option("both_bad", "Count votes that both are bad as tie, drop or own.", str, "tie"),
    option("only", "Tournament to use.", metavar="NAME"),
    better,
    max_mb,
)  # fmt: skip
reading = together(click.argument("file", type=click.Path()), columns)
fitting = together(
    *(option(*each) for each in _FIT),
    click.option("--within-round/--across-rounds", default=True, show_default=True,
                 help="Compare scores within rounds, or across them."),
    click.option("--option", "options", type=setting, multiple=True, metavar="NAME=VALUE",
                 help="Further option of the model (repeatable)."),
    prob,
    as_json,
)  # fmt: skip
