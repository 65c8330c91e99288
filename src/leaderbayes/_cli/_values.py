"""Values of options: how they are read, and which were given."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import click
from click.core import ParameterSource


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
        raise click.BadParameter(f"{text!r}: use whole numbers, such as 5,10,20.") from None


def setting(text: str) -> tuple[str, Any]:
    """Read NAME=VALUE, whose value is JSON or else text."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise click.BadParameter(f"{text!r}: use NAME=VALUE, such as prior_df=4.")
    as_in_python = {"True": "true", "False": "false", "None": "null"}
    try:
        return name, json.loads(as_in_python.get(value, value))
    except ValueError:
        return name, value


def probability(ctx: click.Context, param: click.Parameter, value: float) -> float:
    """Refuse what is not between 0 and 1; nan passes click's range."""
    if not 0.0 < value < 1.0:
        raise click.BadParameter(f"{value} is not between 0 and 1.")
    return value


def anchored(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `leaderbayes.leaderboard` that `scaling` asks for."""
    return {name: given[name] for name in ("anchor", "scale", "anchor_at")}


def typed(given: Iterable[str]) -> list[str]:
    """Return those of the names whose options were given on the command line."""
    ctx = click.get_current_context()
    return [n for n in given if ctx.get_parameter_source(n) is ParameterSource.COMMANDLINE]
