"""Rows that hold two players in one cell, or several votes, to a vote a row."""

import ast
from typing import Any

import numpy as np
import pandas as pd

from leaderbayes._scores.tables import text_of
from leaderbayes._scores.vote_forms import (
    OUTCOME,
    has_players,
    key,
    numbers_of_wins,
    scores_of_both,
)

# Columns that may hold a list of two: of names, or of objects with a name.
_LISTS = {"models": "model", "players": "player", "systems": "system", "teams": "team",
          "summaries": "policy"}  # fmt: skip
_NAMES = ("policy", "model", "system", "player", "team", "name")
_UNNAMED = "baseline (not named)"
_TIES = "ties tie draws draw tied drawn nties ndraws".split()
_TOTALS = "n total totals count counts games ngames votes nvotes battles nbattles".split()
_LOGGED = {"leftvote": "left", "rightvote": "right", "tievote": "tie", "bothbadvote": "both bad"}


def flattened(frame: pd.DataFrame, *, tallies: bool = True) -> pd.DataFrame:
    """Give the two players of a vote a column each, where one holds a list of both.

    - ``models`` (or players, systems, teams) with two names, as arenas' logs have it, whose
      ``type`` of an event is leftvote, rightvote, tievote or bothbad_vote. Other events of a log
      are no votes and are left out.
    - ``summaries`` (or models, ...) with two objects, each with its ``policy`` (or model, ...).
      Then a ``choice`` of 0 or 1 is the place in the list; ``info`` with an ``id`` is what was
      judged.

    And votes of one row a row each:

    - ``g1_winner`` and ``g2_winner``, as MT-bench's judgements of pairs have it: ``model_1`` is
      shown first in the one game, and ``model_2`` in the other. A ``judge`` of a model and a prompt
      is both.
    - ``games``, as Arena-Hard's judgements of a ``model`` have it: a list of two objects with a
      ``score`` such as A>>B, of which the first shows the ``baseline`` as A, and the second the
      model. A baseline that is not named is called so. A game without a score is an error of the
      judge and has no result.
    - ``wins_a``, ``wins_b`` and perhaps ``ties``: how many votes say what; where ``tallies`` is
      true. Beside scores of both these may be wins before the match: only where a number of votes
      is their sum they are taken apart.

    Everything else is handed back as it is.
    """
    if not frame.columns.is_unique or frame.empty:
        return frame
    by_key = {key(name): name for name in frame.columns}
    if {"model1", "model2", "g1winner"} <= set(by_key):
        return _games(frame, by_key)
    if {"model", "games"} <= set(by_key) and not has_players(frame):
        return _against_baseline(frame, by_key)
    if has_players(frame):
        return _tallies(frame, by_key) if tallies else frame
    found = [(name, _LISTS[key(name)]) for name in frame.columns if key(name) in _LISTS]
    if len(found) != 1:
        return frame
    column, noun = found[0]
    if "type" in by_key and "winner" not in by_key:
        kinds = frame[by_key["type"]].map(lambda cell: _LOGGED.get(key(cell)))
        if kinds.notna().any():
            frame = frame[kinds.notna()].assign(winner=kinds.dropna())
    pairs = [_pair(_of_text(cell)) for cell in frame[column]]
    if any(pair is None for pair in pairs):
        return frame
    objects = all(isinstance(it, dict) for pair in pairs if pair for it in pair)
    if objects:
        held = named_in([it for pair in pairs for it in pair])
        if held is None:
            return frame
        noun = held
        pairs = [(one[noun], other[noun]) for one, other in pairs]
    elif not all(isinstance(it, str) for pair in pairs for it in pair):
        return frame
    frame = frame.drop(columns=column)
    for k in (0, 1):
        frame[f"{noun}_{k + 1}"] = [pair[k] for pair in pairs]
    choice = by_key.get("choice")
    if objects and choice is not None and "winner" not in by_key:
        if frame[choice].map(_is_place).all():
            frame = frame.assign(winner=frame[choice].map({0: "first", 1: "second"}))
            frame = frame.drop(columns=choice)
    if objects and "info" in by_key and not {"prompt", "promptid", "questionid"} & set(by_key):
        of = [cell.get("id") if isinstance(cell, dict) else None for cell in frame[by_key["info"]]]
        if all(isinstance(it, str) for it in of):
            frame = frame.assign(prompt_id=pd.Series(of, frame.index))
    return frame


def _games(frame: pd.DataFrame, by_key: dict[str, Any]) -> pd.DataFrame:
    """Take the games of two models apart, of which the second is shown the other way round."""
    one, other = by_key["model1"], by_key["model2"]
    winners = [by_key[name] for name in ("g1winner", "g2winner") if name in by_key]
    judge = by_key.get("judge")
    if judge is not None:
        frame = frame.assign(**{judge: frame[judge].map(_joined)})
    rest = frame.drop(columns=winners)
    games = []
    for column, swapped in zip(winners, (False, True), strict=False):
        # The winner is called by its column, wherever it was shown.
        cells = frame[column].map(_the_other) if swapped else frame[column]
        sides = {one: frame[other], other: frame[one]} if swapped else {}
        games.append(rest.assign(**sides, winner=cells))
    return pd.concat(games).sort_index(kind="stable")


def _the_other(cell: Any) -> Any:
    return {"model1": "model_2", "model2": "model_1"}.get(key(cell), cell)


def _against_baseline(frame: pd.DataFrame, by_key: dict[str, Any]) -> pd.DataFrame:
    """Take the games of a model and a baseline apart; as it was, if they are no two verdicts."""
    games = [listed_in(cell) for cell in frame[by_key["games"]]]
    if not all(each is not None and 1 <= len(each) <= 2 for each in games):
        return frame
    scores = [
        [game.get("score") if isinstance(game, dict) else game for game in each or ()]
        for each in games
    ]
    held = [score for each in scores for score in each if score is not None]
    if not held or not all(isinstance(score, str) for score in held):
        return frame
    model, named = frame[by_key["model"]], by_key.get("baseline")
    baseline = _UNNAMED if named is None else frame[named]
    rest = frame.drop(columns=[by_key["games"], by_key["model"], *([named] if named else [])])
    if "uid" in by_key and not {"prompt", "promptid", "questionid"} & set(by_key):
        rest = rest.rename(columns={by_key["uid"]: "prompt_id"})
    parts = []
    for k, (one, other) in enumerate(((baseline, model), (model, baseline))):
        there = np.array([len(each) > k for each in scores])
        cells = [each[k] or "error" if len(each) > k else "" for each in scores]
        parts.append(rest.assign(model_a=one, model_b=other, winner=cells)[there])
    return pd.concat(parts).sort_index(kind="stable")


def _joined(cell: Any) -> Any:
    """Write a list of names as one."""
    held = listed_in(cell)
    return cell if held is None else ", ".join(text_of(it) for it in held)


def _tallies(frame: pd.DataFrame, by_key: dict[str, Any]) -> pd.DataFrame:
    """Take wins of both, and ties, of a row apart; a number beside them must be their sum."""
    if any(name in by_key for name in OUTCOME):
        return frame
    pairs = numbers_of_wins(frame.columns)
    ties = [by_key[name] for name in _TIES if name in by_key]
    totals = [by_key[name] for name in _TOTALS if name in by_key]
    if len(pairs) != 1 or len(ties) > 1 or len(totals) > 1:
        return frame
    parts = dict(zip((*pairs[0], *ties), ("first", "second", "tie"), strict=False))
    numbers = frame[[*parts, *totals]].apply(pd.to_numeric, errors="coerce")
    if not ((numbers >= 0.0) & (numbers % 1.0 == 0.0)).to_numpy().all():
        return frame
    if totals and (numbers[list(parts)].sum(axis=1) != numbers[totals[0]]).any():
        return frame
    if not totals and scores_of_both(frame.columns):
        return frame
    rest = frame.drop(columns=[*parts, *totals])
    rows = [rest.assign(winner=who, n_votes=numbers[column]) for column, who in parts.items()]
    return pd.concat(rows).sort_index(kind="stable")


def listed_in(cell: Any) -> list[Any] | None:
    """Give what a cell lists, or None where it is no list."""
    if isinstance(cell, np.ndarray):
        cell = cell.tolist()
    return list(cell) if isinstance(cell, list | tuple) else None


def named_in(objects: list[dict[str, Any]]) -> str | None:
    """Find the key under which every object has its player's name."""
    return next((n for n in _NAMES if all(isinstance(it.get(n), str) for it in objects)), None)


def _of_text(cell: Any) -> Any:
    """Read a list that a CSV file holds as text, in JSON or as Python writes it."""
    if not isinstance(cell, str) or not cell.lstrip().startswith("["):
        return cell
    try:
        return ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return cell


def _pair(cell: Any) -> Any:
    """Give a list of two, or None."""
    held = listed_in(cell)
    return tuple(held) if held is not None and len(held) == 2 else None


def _is_place(cell: object) -> bool:
    return isinstance(cell, int | np.integer) and not isinstance(cell, bool) and cell in (0, 1)
