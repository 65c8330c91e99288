"""A leaderboard's columns to paste: rank intervals, letters of who is tied, scores with width."""

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.beside import column_beside
from leaderbayes._answers.draws import standing_of
from leaderbayes._answers.groups import Control, claims
from leaderbayes._answers.mean_score import decimals_of
from leaderbayes._fits.posterior import is_mean_score
from leaderbayes._fits.trust import trust, warnings_of
from leaderbayes._numerics.decimals import decimals
from leaderbayes._numerics.letters import letters


def published(dt: xr.DataTree, table: pd.DataFrame, prob: float, control: Control) -> pd.DataFrame:
    """Turn a leaderboard into the columns that are published; see `leaderboard`."""
    shown = table[["rank"]].assign(
        ranks=_joined(table["rank_lower"], " to ", table["rank_upper"]),
        player=table["player"],
        group=letters_of(dt, table, prob, control),
    )
    if is_mean_score(dt):
        digits, apart = decimals_of(table)
        shown["score"] = _with_interval(table, "score", digits)
        behind = _with_interval(table, "difference", apart)
        shown["difference"] = behind.where(table["rank"] > 1, "")
    else:
        digits = decimals(table["epp_upper"] - table["epp_lower"])
        shown["epp"] = _with_interval(table, "epp", digits)
        if (beside := column_beside(table)) is not None:
            shown["score"] = table[beside[0]].map(f"{{:z.{beside[1]}f}}".format)
        if "votes" in table:
            shown["votes"] = table["votes"]
    shown.attrs.update(note=_note(dt, prob, control), prob=prob, control=control, **trust(dt))
    return shown


def letters_of(dt: xr.DataTree, table: pd.DataFrame, prob: float, control: Control) -> list[str]:
    """Give the letters of the players of a leaderboard, in its order."""
    draws, players = standing_of(dt)
    ordered = draws[:, players.get_indexer(pd.Index(table["player"]))]
    better = claims(ordered, prob, control)
    return letters(np.asarray(better | better.T))


def _with_interval(table: pd.DataFrame, column: str, digits: int) -> pd.Series:
    mean, low, high = (
        table[f"{column}{end}"].map(f"{{:z.{digits}f}}".format) for end in ("", "_lower", "_upper")
    )
    return mean + " [" + low + ", " + high + "]"


def _joined(low: pd.Series, word: str, high: pd.Series) -> pd.Series:
    return low.astype(str) + word + high.astype(str)


def _note(dt: xr.DataTree, prob: float, control: Control) -> str:
    """Say what the columns are, and what speaks against them."""
    holds = "each claim by itself" if control == "pair" else "all claims together"
    said = (
        f"Intervals have posterior probability {prob:g}. Players that share a letter are not told "
        f"apart; of two that share none the one above is better ({holds} with probability "
        f"{prob:g})."
    )
    if not dt.attrs["converged"]:
        return f"NOT CONVERGED: do not publish. {said}"
    if any(text.startswith("LB016") for text in warnings_of(dt.attrs)):
        return f"{said} The model does not describe this board (LB016)."
    return said
