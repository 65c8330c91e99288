"""A leaderboard's columns to paste: rank intervals, letters of who is tied, scores with width."""

import json

import numpy as np
import pandas as pd

from leaderbayes._answers.beside import column_beside
from leaderbayes._answers.groups import Control, claims
from leaderbayes._answers.intervals import decimals_of
from leaderbayes._fits.posterior import Posterior
from leaderbayes._numerics.letters import letters


def published(post: Posterior, table: pd.DataFrame, prob: float, control: Control) -> pd.DataFrame:
    """Turn a leaderboard into the columns that are published; see `leaderboard`."""
    name, digits = post.parameter, decimals_of(table, post.parameter)
    shown = table[["rank"]].assign(
        ranks=table["rank_lower"].astype(str) + " to " + table["rank_upper"].astype(str),
        player=table["player"],
        group=letters_of(post, prob, control),
    )
    shown[name] = _with_interval(table, name, digits)
    if "difference" in table:
        behind = _with_interval(table, "difference", max(digits, decimals_of(table, "difference")))
        shown["difference"] = behind.where(table["rank"] > 1, "")
    elif (beside := column_beside(table)) is not None:
        shown["score"] = table[beside[0]].map(f"{{:z.{beside[1]}f}}".format)
    if "votes" in table:
        shown["votes"] = table["votes"]
    shown.attrs.update(note=_note(post, prob, control), prob=prob, control=control, **post.trust)
    return shown


def letters_of(post: Posterior, prob: float, control: Control) -> list[str]:
    """Return the letters of players, best first: who shares one cannot be distinguished."""
    better = claims(post, prob, control)
    return letters(np.asarray(better | better.T))


def _with_interval(table: pd.DataFrame, column: str, digits: int) -> pd.Series:
    mean, low, high = (
        table[f"{column}{end}"].map(f"{{:z.{digits}f}}".format) for end in ("", "_lower", "_upper")
    )
    return mean + " [" + low + ", " + high + "]"


def _note(post: Posterior, prob: float, control: Control) -> str:
    """Say what the columns are, and what speaks against them."""
    holds = "each claim by itself" if control == "pair" else "all claims together"
    said = (
        f"Intervals have posterior probability {prob:g}. Players that share a letter cannot be "
        f"distinguished; of two that share none the one above is better ({holds} with probability "
        f"{prob:g})."
    )
    trust = post.trust
    if not trust["converged"]:
        return f"NOT CONVERGED: do not publish. {said}"
    if any(text.startswith("LB016") for text in json.loads(trust["warnings"])):
        return f"{said} The model does not describe this board (LB016)."
    return said
