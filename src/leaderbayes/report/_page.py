"""What the page shows of leaderboards: every number is a public function's."""

from collections.abc import Mapping
from functools import singledispatch
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.compare import differences, p_better
from leaderbayes._answers.groups import groups_of, tied_of
from leaderbayes._answers.leaderboard import Shown, is_reference, shown_as, table_of
from leaderbayes._answers.ranks import ranks_of
from leaderbayes._answers.record import known_record
from leaderbayes._answers.votes import effects
from leaderbayes._answers.win_probability import wins_of
from leaderbayes._files.printed import probability
from leaderbayes._fits.posterior import Posterior, Strengths
from leaderbayes._numerics.intervals import decimals, ends
from leaderbayes._types import Floats
from leaderbayes.plots._canvas import distinct
from leaderbayes.plots._groups import Bar, bars_of, lanes_of
from leaderbayes.report._columns import Column, columns_of, digits_of, span
from leaderbayes.report._facts import quantity_of
from leaderbayes.report._style import interval, number
from leaderbayes.report._verdicts import data, goodness, settings, verdict_of

SCALE = 10_000  # probabilities travel to the page as whole numbers of this
_LONGEST = 28  # characters of a name beside a heat map
_DIGIT = 0.048  # of an axis, the width of a digit below it
# Bars of groups, beside each other: how many at most, and pixels from bar to bar.
_MOST_BARS, _APART = 16, 7


def boards(
    dt: xr.DataTree, prob: float, top: int, anchored: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Describe each leaderboard of a posterior, or of a study, and tournaments beside each other.

    For one tournament there is nothing beside. ``anchored`` are arguments of `shown_as`.
    """
    from leaderbayes.study._compare import compared
    from leaderbayes.study._tournaments import read_study

    every = Posterior(dt) if "posterior" in dt.children else None
    if every is not None and not every.tournaments:
        return [_board(str(dt.attrs.get("tournament", "")), every, prob, top, anchored)], []
    study = read_study(dt, load=True)
    whole = [] if every is None else [("All tournaments", every)]
    fits = [*whole, *study.fits.items()]
    described = [_board(name, post, prob, top, anchored) for name, post in fits]
    rows, first = compared(study, prob=prob), len(whole)
    return described, [_beside(row) | {"board": first + k} for k, row in enumerate(rows)]


def _beside(row: dict[Any, Any]) -> dict[str, Any]:
    """Write what a row of tournaments says of the leader, and of the odd player."""
    row = {str(name): value for name, value in row.items()}
    row["best"] = probability(row["p_best"])
    if "lead" in row:
        digits = decimals([row["lead_upper"] - row["lead_lower"]])
        row["by"] = number(row["lead"], digits)
        row["by_interval"] = interval(row["lead_lower"], row["lead_upper"], digits)
    else:
        odd = "" if np.isnan(row["odd_z"]) else f"{row['odd_player']} ({number(row['odd_z'], 1)})"
        row |= {"fit": probability(row["p_check"]), "odd": odd}
    return row


def _board(
    name: str, post: Posterior, prob: float, top: int, anchored: Mapping[str, Any]
) -> dict[str, Any]:
    view = shown_as(post, **anchored)
    table = table_of(post, prob, view)
    shown = [str(player) for player in table[post.who].iloc[:top]]
    leader, *others = tied_of(post, prob)
    fits, found = goodness(post), effects(post.tree, prob)
    return {
        "name": name,
        "model": post.kind.card or post.model.name,
        "title": post.model.label,
        "pairs": post.kind.pairs,
        "caption": _caption(post, view),
        "zero_is": view.anchor or ("the average player" if view.zero is not None else "the leader"),
        "estimand": post.trust.get("estimand"),
        "higher": post.higher_is_better,
        "size": len(table),
        "lead": {"leader": leader, "others": others, "best": probability(table["p_best"].iloc[0])},
        "disagreement": table.attrs.get("disagreement", ""),
        "verdict": verdict_of(post),
        "fit": fits,
        "effects": [] if found is None else [_effect(row) for row in found.to_dict("records")],
        "data": data(post),
        "settings": settings(post),
        "numbers": numbers_of(post, shown, prob),
        **rows_of(post, table, prob, {leader, *others}, view),
    }


@singledispatch
def _caption(post: Posterior, view: Shown) -> str:
    """Describe what is drawn in the rows."""
    quantity, measured = quantity_of(post)
    return f"{quantity.capitalize()}, {measured}"


@_caption.register
def _caption_of_strengths(post: Strengths, view: Shown) -> str:
    name = "Elo" if view.name == "elo" else "EPP"
    return f"Strength ({name}): {view.said or 'log-odds of beating the average player'}"


def _effect(row: dict[Any, Any]) -> list[str]:
    """Write a row of the table of effects."""
    return [
        "being shown first" if row["effect"] == "order" else str(row["effect"]),
        "" if pd.isna(row["per"]) else f"{row['per']:.3g}",
        number(row["coefficient"]),
        interval(row["coefficient_lower"], row["coefficient_upper"]),
        number(row["odds_ratio"]),
        interval(row["odds_ratio_lower"], row["odds_ratio_upper"]),
    ]


# The table


def rows_of(
    post: Posterior, table: pd.DataFrame, prob: float, tied: set[str], view: Shown
) -> dict[str, Any]:
    """Return columns and rows of the table, and the axis on which intervals are drawn (percent)."""
    name, names = view.name, [str(player) for player in table[post.who]]
    columns = columns_of(table, dict(zip(names, names, strict=True)))
    drawn = next(column for column in columns if column.name == name)
    others = [column for column in columns if column.name not in (name, post.who)]
    empty = [""] * len(names)
    bars, lanes = empty, 0
    if "rank" in table:
        members = groups_of(post, prob)
        others.insert(0, _groups(members, names))
        bars, lanes = paths(bars_of(members, table, len(names)), len(names))
    outer = [table[f"{name}{end}"].to_numpy() for end in ("_lower", "_upper")]
    at = post.players.get_indexer(pd.Index(table[post.who]))
    inner = ends(view.draws[:, at], prob / 2.0)
    marked = post.kind.ticks in table
    scores = table[post.kind.ticks].to_numpy() if marked else outer[0]
    axis = Axis(float(min(outer[0].min(), scores.min())), float(max(outer[1].max(), scores.max())))
    zero = float(table.loc[is_reference(table), name].iloc[0]) if view.zero is None else view.zero
    rows = [
        {
            "player": names[k],
            "tied": names[k] in tied,
            "text": drawn.texts[k],
            "interval": (drawn.intervals or empty)[k],
            "value": _short(drawn.values[k]),
            "at": axis(drawn.values[k]),
            "outer": (axis(outer[0][k]), axis(outer[1][k])),
            "inner": (axis(inner[0][k]), axis(inner[1][k])),
            "score_at": axis(scores[k]) if marked else None,
            "bars": bars[k],
            "cells": [(c.texts[k], (c.intervals or empty)[k], _short(c.values[k])) for c in others],
        }
        for k in range(len(names))
    ]
    return {
        "columns": others, "drawn": drawn, "rows": rows, "lanes": lanes, "zero": axis(zero),
        "ticks": axis.ticks(5),
        "widest": max(1.1 * _width(row["text"]) + 0.9 * _width(row["interval"]) for row in rows),
    }  # fmt: skip


def _groups(members: pd.DataFrame, names: list[str]) -> Column:
    """Return the column of groups: their numbers follow each other, as groups are runs."""
    each = members.groupby("player")["group"]
    first, last = each.min()[names].to_list(), each.max()[names].to_list()
    title = "indistinguishable players, for each pair separately"
    values = [f"{a}.{b:06d}" for a, b in zip(first, last, strict=True)]
    texts = [span(a, b) for a, b in zip(first, last, strict=True)]
    return Column("group", "Groups", title, "asc", texts, values)


def paths(bars: list[Bar], rows: int) -> tuple[list[str], int]:
    """Return the path of each row's bars, in pixels across and percent down, and their width."""
    lanes, found = lanes_of(bars), [""] * rows
    if lanes > _MOST_BARS:
        return found, 0
    for lane, first, last in bars:
        for row in range(first, last + 1):
            top, end = 15 if row == first else 0, 85 if row == last else 100
            found[row] += f"M{_APART * lane + _APART // 2} {top}V{end}"
    return found, _APART * lanes


class Axis:
    """Places, in percent, of values between two ends with some room beside them."""

    def __init__(self, low: float, high: float) -> None:
        room = 0.04 * (high - low) or 0.5
        self.low, self.high = low - room, high + room

    def __call__(self, value: float) -> float:
        """Place a value."""
        return round(100.0 * (float(value) - self.low) / (self.high - self.low), 2)

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Return a few round values and their places: the fewer, the wider they are written."""
        width = (self.high - self.low) / most
        unit = 10.0 ** np.floor(np.log10(width))
        step = next(unit * k for k in (1.0, 2.0, 5.0, 10.0) if unit * k >= width)
        digits = max(0, -int(np.floor(np.log10(step))))
        values = step * np.arange(np.ceil(self.low / step), np.floor(self.high / step) + 1)
        shown = [number(value, digits) for value in values]
        # With a digit's room beside each.
        if most > 2 and step < _DIGIT * (max(map(_width, shown)) + 1.0) * (self.high - self.low):
            return self.ticks(most - 1)
        return [(self(value), label) for value, label in zip(values, shown, strict=True)]


def _short(value: Any) -> Any:
    """Cut the digits of a number that rows are sorted by."""
    return f"{value:.7g}" if isinstance(value, float) else value


def _width(text: str) -> float:
    """Return the width of numbers in digits: points, spaces and the letters of "to" are narrow."""
    return sum(0.5 if letter in ". to" else 1.0 for letter in text)


# What the script reads


def numbers_of(post: Posterior, names: list[str], prob: float) -> dict[str, Any]:
    """Return pairs and ranks of some players; of pairs each once, the higher-placed first."""
    upper = np.triu_indices(len(names), 1)

    def pairs(each: xr.DataArray) -> Floats:
        return np.asarray(each.to_numpy()[upper])

    found: dict[str, Any] = {
        "players": names,
        "labels": labels(names),
        "prob": prob,
        "better": _whole(pairs(p_better(post, names))),
        "rank": _ranks(post, names),
        "record": None,
        "gap": None,
        "win": None,
    }
    found |= _apart(post, names, prob, pairs)
    if (own := known_record(post, prob, names)) is not None:
        # Many pairs have the same results: each is written once, and which one a pair has.
        kept = ("mean", "lower", "upper", "won", "tied", "played")
        each, of = np.unique([pairs(own[k]) for k in kept], axis=1, return_inverse=True)
        found["record"] = {k: _whole(v) for k, v in zip(kept[:3], each[:3], strict=True)}
        found["record"] |= {k: v.round(3).tolist() for k, v in zip(kept[3:], each[3:], strict=True)}
        found["record"]["of"] = of.tolist()
        found["own"] = post.kind.met
    return found


@singledispatch
def _apart(post: Posterior, names: list[str], prob: float, pairs: Any) -> dict[str, Any]:
    """Return differences of scores, or win probabilities, of each pair."""
    digits = digits_of(table_of(post, prob).iloc[: len(names)])["difference"]
    apart = differences(post, names, prob)
    gap = {k: [round(float(v), digits) for v in pairs(apart[k])] for k in apart}
    return {"digits": digits, "gap": gap, "quantity": quantity_of(post)[0]}


@_apart.register
def _wins(post: Strengths, names: list[str], prob: float, pairs: Any) -> dict[str, Any]:
    wins = wins_of(post, prob, players=names)
    scope = f"in a new {post.kind.unit}"
    return {
        "win": {name: _whole(pairs(wins[name])) for name in ("mean", "lower", "upper")},
        "scope": scope + (", if they do not tie," if post.model.tie_parameter else ""),
        "blend": wins.attrs.get("note"),
    }


def labels(names: list[str]) -> list[str]:
    """Shorten names for heat maps, which must differ and hold no control characters."""
    half = _LONGEST // 2 - 1
    texts = ("".join(c if c.isprintable() else "·" for c in name) or "·" for name in names)
    return distinct(t if len(t) <= _LONGEST else f"{t[:half]}…{t[-half:]}" for t in texts)


def _ranks(post: Posterior, names: list[str]) -> list[list[int]]:
    """Return probabilities of ranks, up to the last that one of these players can have."""
    share = ranks_of(post).to_numpy()[post.players.astype(str).get_indexer(pd.Index(names))]
    return _whole(share[:, : int(share.any(axis=0).nonzero()[0].max()) + 1])


def _whole(values: Any) -> list[Any]:
    """Write probabilities as whole numbers."""
    whole: list[Any] = np.round(np.asarray(values) * SCALE).astype(int).tolist()
    return whole
