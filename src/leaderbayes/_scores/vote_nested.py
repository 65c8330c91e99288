"""Votes whose two players stand in one cell, as logs and collections of comparisons have them."""

from typing import Any

import numpy as np
import pandas as pd

from leaderbayes._scores.vote_forms import has_players, key

# Columns that may hold a list of two: of names, or of objects with a name.
_LISTS = {"models": "model", "players": "player", "systems": "system", "teams": "team",
          "summaries": "policy"}  # fmt: skip
_NAMES = ("policy", "model", "system", "player", "team", "name")
_LOGGED = {"leftvote": "left", "rightvote": "right", "tievote": "tie", "bothbadvote": "both bad"}


def flattened(frame: pd.DataFrame) -> pd.DataFrame:
    """Give the two players of a vote a column each, where one holds a list of both.

    - ``models`` (or players, systems, teams) with two names, as arenas' logs have it, whose
      ``type`` of an event is leftvote, rightvote, tievote or bothbad_vote. Other events of a log
      are no votes and are left out.
    - ``summaries`` (or models, ...) with two objects, each with its ``policy`` (or model, ...).
      Then a ``choice`` of 0 or 1 is the place in the list; ``info`` with an ``id`` is what was
      judged.

    Everything else is handed back as it is.
    """
    if not frame.columns.is_unique or has_players(frame):
        return frame
    found = [(name, _LISTS[key(name)]) for name in frame.columns if key(name) in _LISTS]
    if len(found) != 1 or frame.empty:
        return frame
    column, noun = found[0]
    by_key = {key(name): name for name in frame.columns}
    if "type" in by_key and "winner" not in by_key:
        kinds = frame[by_key["type"]].map(lambda cell: _LOGGED.get(key(cell)))
        if kinds.notna().any():
            frame = frame[kinds.notna()].assign(winner=kinds.dropna())
    pairs = [_pair(cell) for cell in frame[column]]
    if any(pair is None for pair in pairs):
        return frame
    objects = all(isinstance(it, dict) for pair in pairs if pair for it in pair)
    if objects:
        held = [n for n in _NAMES if all(isinstance(it.get(n), str) for p in pairs for it in p)]
        if not held:
            return frame
        noun = held[0]
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


def _pair(cell: Any) -> Any:
    """Give a list of two, or None."""
    if isinstance(cell, np.ndarray):
        cell = cell.tolist()
    return tuple(cell) if isinstance(cell, list | tuple) and len(cell) == 2 else None


def _is_place(cell: object) -> bool:
    return isinstance(cell, int | np.integer) and not isinstance(cell, bool) and cell in (0, 1)
