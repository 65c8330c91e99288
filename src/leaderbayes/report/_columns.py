"""A leaderboard's columns as they are shown: in text, in LaTeX and on the page."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from leaderbayes._answers.beside import column_beside
from leaderbayes._answers.leaderboard import is_reference
from leaderbayes._files.printed import probability
from leaderbayes._numerics.intervals import decimals_of, decimals_of_best
from leaderbayes.report._style import interval, number, percent

# Heading, what it is, and the way that it sorts first.
_COLUMNS = {
    "player": ("Player", "", "asc"),
    "team": ("Team", "", "asc"),
    "epp": ("EPP", "log-odds of beating the average player", "desc"),
    "elo": ("Elo", "", "desc"),
    "score": ("Score", "", "desc"),
    "observed": ("Observed", "mean of the scores themselves", "desc"),
    "theta": ("θ", "true performance", "desc"),
    "difference": ("Difference", "score minus the leader's", "desc"),
    "win_rate": ("Won", "share of its matches won, ties as half", "desc"),
    "p_average": ("P(>avg)", "probability of beating the average player", "desc"),
    "p_best": ("P(best)", "probability of being the best", "desc"),
    "p_sota": ("P(as good)", "probability of reaching the estimate of the best", "desc"),
    "rank": ("Ranks", "credible interval of the rank", "asc"),
    "votes": ("Votes", "votes on the player", "desc"),
    "both_bad": ("Both bad", "share of votes on the player that both are bad", "asc"),
}
_WRITTEN: dict[str, Callable[[float], str]] = {"votes": "{:,.6g}".format, "both_bad": percent}


class Column(NamedTuple):
    """One column, with a text and a value to sort by for each row."""

    name: str  # in the leaderboard
    heading: str
    title: str
    way: str  # "asc" or "desc"
    texts: list[str]
    values: list[Any]
    intervals: list[str] | None = None


def columns_of(table: pd.DataFrame, label: Mapping[str, str]) -> list[Column]:
    """Return what is shown of a leaderboard, names of players as labels; ranks are intervals."""
    digits, made = digits_of(table), []
    # What the anchor and the scale of a leaderboard are about.
    apart = next(name for name in ("elo", "difference", "epp", "player", "team") if name in table)
    for name in _COLUMNS:
        if name not in table or (name in ("p_best", "rank") and table["p_best"].isna().any()):
            continue
        values: list[Any] = table[name].to_list()
        bounded = f"{name}_lower" in table and not table[f"{name}_lower"].isna().any()
        ends = (
            list(zip(table[f"{name}_lower"], table[f"{name}_upper"], strict=True))
            if bounded
            else []
        )
        intervals = None
        if name in ("player", "team"):
            texts = [label[str(value)] for value in values]
        elif name == "rank":
            texts = [span(low, high) for low, high in ends]
            values = [f"{low}.{high:06d}" for low, high in ends]
        elif name.startswith("p_"):
            texts = [probability(value) for value in values]
        elif name in _WRITTEN:
            texts = [_WRITTEN[name](value) for value in values]
        else:
            texts = [number(value, digits.get(name, 2)) for value in values]
            if bounded:
                intervals = [interval(low, high, digits.get(name, 2)) for low, high in ends]
        heading, title, way = _COLUMNS[name]
        if name == apart:
            title = table.attrs.get("scale", title)
        if name == "difference" and intervals is not None:
            for own in np.flatnonzero(is_reference(table)):
                texts[own] = intervals[own] = ""
        made.append(Column(name, heading, title, way, texts, values, intervals))
    return made


def digits_of(table: pd.DataFrame) -> dict[str, int]:
    """Return how many decimals columns are shown with, where it is not two."""
    bounded = (name for name in ("score", "difference") if f"{name}_lower" in table)
    digits = {name: decimals_of(table, name) for name in bounded}
    if "elo" in table:
        digits["elo"] = 0
    if "observed" in table:
        digits["observed"] = digits["score"]
    if "theta" in table:
        low, high = table[["theta_lower", "theta_upper"]].iloc[0]
        digits["theta"] = digits["score"] = decimals_of_best(low, high)
    elif (beside := column_beside(table)) is not None:
        digits[beside[0]] = beside[1]
    return digits


def span(low: int, high: int) -> str:
    """Write a range of whole numbers."""
    return str(low) if low == high else f"{low}–{high}"
