"""Options that commands share: those of `leaderbayes.fit`, of the readers, and of the output."""

import json
from collections.abc import Callable, Iterable
from functools import reduce
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from leaderbayes._files.read import MAX_MB

Decorator = Callable[[Any], Any]

# Formats that are no table, which functions of leaderbayes.adapters read.
FORMATS = (
    "amlb", "helm", "inspect-ai", "lighteval", "livecodebench", "lm-eval", "lm-eval-samples",
    "mlr3", "mteb", "openml", "preflib", "swe-bench", "tabarena", "terminal-bench",
)  # fmt: skip


def weight(text: str) -> float | str:
    """Read a weight: the word composite, or a number."""
    if text == "composite":
        return text
    try:
        return float(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is neither 'composite' nor a number.") from None


def names(text: str) -> list[str]:
    """Read names with commas between them."""
    return [name.strip() for name in text.split(",")]


def counts(text: str) -> list[int]:
    """Read whole numbers with commas between them."""
    try:
        return [int(count) for count in text.split(",")]
    except ValueError:
        raise click.BadParameter(f"{text!r}: give whole numbers, such as 5,10,20.") from None


def setting(text: str) -> tuple[str, Any]:
    """Read NAME=VALUE, whose value is JSON or else text."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise click.BadParameter(f"{text!r}: give NAME=VALUE, such as prior_df=4.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def _probability(ctx: click.Context, param: click.Parameter, value: float) -> float:
    """Refuse what is not between 0 and 1; nan passes click's range."""
    if not 0.0 < value < 1.0:
        raise click.BadParameter(f"{value} is not between 0 and 1.")
    return value


def option(name: str, help: str, type: Any = str, default: Any = None, **more: Any) -> Decorator:
    """Make an option that is called as the argument in Python."""
    flag = "--" + name.rstrip("_").replace("_", "-")
    if type is bool:
        more.setdefault("is_flag", True)
    else:
        more["type"] = type
    if not more.get("required"):
        more |= {"default": default, "show_default": default is not None and type is not bool}
    return click.option(flag, name, help=help, **more)


def together(*options: Decorator) -> Decorator:
    """Decorate a command with options, in this order."""
    return lambda command: reduce(lambda done, option: option(done), reversed(options), command)


def typed(given: Iterable[str]) -> list[str]:
    """Return those of the names whose options were given on the command line."""
    ctx = click.get_current_context()
    return [n for n in given if ctx.get_parameter_source(n) is ParameterSource.COMMANDLINE]


# As arguments of `leaderbayes.fit`: name, help, type and default.
_FIT: tuple[tuple[Any, ...], ...] = (
    ("model", "Name of a model, see leaderbayes models. auto: mean_score for right-or-wrong "
     "answers, else bradley_terry.", str, "auto"),
    ("ties", "What a tie counts: half, drop or loss; with --ml also floor.", str, "half"),
    ("weight", "Power of the likelihood of each round: composite, or a number; 1 is as published.  "
     "[default: the model's]", weight),
    ("test_fraction", "Share of the data that each round tests on, for rounds that are splits of "
     "one data set.", float),
    ("prior_scale", "Scale of the prior on how far players are apart.  [default: the model's]",
     float),
    ("cluster", "Column of what rounds share, such as a passage; of votes, what makes them depend "
     "on each other: judge, prompt or none; of logs of items: task or none.", str),
    ("order_effect", "Of votes: let whoever is shown first have an advantage.", bool),
    ("covariates", "Of votes: covariates that count, such as length.", names),
    ("of", "Of mean scores: what is averaged: raw, standardised, distance or share.", str),
    ("statistic", "Of mean scores: mean, median or iqm.", str),
    ("sampler", "auto, metropolis (fast and exact), nutpie or pymc (NUTS).", str, "auto"),
    ("draws", "Draws per chain.", click.IntRange(1), 1000),
    ("chains", "Number of chains.", click.IntRange(1), 4),
    ("seed", "Same seed, same numbers.  [default: a new one, which is recorded]",
     click.IntRange(0, 2**32 - 1)),
    ("prior", "Also draw the prior.", bool, False),
    ("replicates", "Draws that get a replicated data set.", click.IntRange(0), 400),
)  # fmt: skip
ARGUMENTS = (*(name for name, *_ in _FIT), "within_round", "options")  # of `leaderbayes.fit`

seed = option(*next(each for each in _FIT if each[0] == "seed"))
prob = option("prob", "Probability of the intervals, or that decides.", float, 0.95,
              callback=_probability)  # fmt: skip
target = option("target", "Wanted probability of a decision.", float, 0.8, callback=_probability)
as_json = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object and nothing else."
)
writing = together(
    option("out", "Folder for tables, the posterior and figures.", click.Path(path_type=Path)),
    option("figures", "Format of the figures: png, svg or pdf; again for several.",
           click.Choice(["png", "svg", "pdf"]), ["png"], multiple=True, metavar="FORMAT"),
)  # fmt: skip
better = click.option(
    "--higher-is-better/--lower-is-better", "higher_is_better", default=None,
    help="Which of two scores wins.  [default: the higher, unless its name is a loss's]",
)  # fmt: skip
max_mb = option("max_mb", "Maximum size of FILE, unpacked, in megabytes.", float, MAX_MB)
reading = together(
    click.argument("file", type=click.Path()),
    option("format_", "What FILE is: a table, or results as these programs write them, of most a "
           "folder.", click.Choice(["table", *FORMATS]), "table"),
    *(
        option(name, f"Column of {what}.", metavar="COLUMN")
        for name, what in {
            "player": "the players' names",
            "round_": "the rounds (folds, tasks, items)",
            "score": "the scores; of other formats the metric",
            "tournament": "the tournaments (data sets)",
            "repeat": "numbers of runs of a player in a round, which are averaged",
            "first": "the player shown first, of votes",
            "second": "the other player, of votes",
            "outcome": "who won, of votes; or X,Y: two of scores",
            "prompt": "what was judged, of votes, or none",
            "judge": "who judged, of votes, or none",
            "count": "how many votes a row stands for",
        }.items()
    ),
    option("drop", "Column or row that is no score; again for several.", multiple=True,
           metavar="NAME"),
    option("keep", "Column or row that is a score, whatever it looks like; again for several.",
           multiple=True, metavar="NAME"),
    option("both_bad", "Votes that both are bad count as tie, drop or own.", str, "tie"),
    option("only", "Take this tournament of a table with several.", metavar="NAME"),
    better,
    max_mb,
)  # fmt: skip
fitting = together(
    *(option(*each) for each in _FIT),
    click.option("--within-round/--across-rounds", default=True, show_default=True,
                 help="Compare scores of the same round only, or of all rounds."),
    click.option("--option", "options", type=setting, multiple=True, metavar="NAME=VALUE",
                 help="Further argument of the model's function; again for several."),
    prob,
    as_json,
)  # fmt: skip
