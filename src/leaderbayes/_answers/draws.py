"""Draws of the strengths."""

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._fits.posterior import board_fitted, drawn, fitted, is_mean_score
from leaderbayes._fits.unchanged import once
from leaderbayes._types import Floats, Longs


def draws_of(dt: xr.DataTree) -> tuple[Floats, pd.Index]:
    """Read the posterior draws of epp, (sample, player), and the players.

    Raises
    ------
    LeaderbayesError
        If it is no fit, or a draw is no finite number.
    """
    fitted(dt)
    epp = drawn(dt, "epp").transpose("chain", "draw", "player")
    players = pd.Index(epp["player"].to_numpy(), name="player")
    return epp.to_numpy().reshape(-1, len(players)), players


def standing_of(dt: xr.DataTree) -> tuple[Floats, pd.Index]:
    """Read draws (sample, player) that players are ranked by, higher is better, and the players.

    Strengths, or mean scores, of which lower ones may be better: then less these.

    Raises
    ------
    LeaderbayesError
        If it is no fit, or a draw is no finite number.
    """
    if not is_mean_score(dt):
        return draws_of(dt)
    score, players = scores_of(dt)
    return sign_of(dt) * score, players


def standing_once(dt: xr.DataTree) -> tuple[Floats, pd.Index]:
    """Read as `standing_of`, within `unchanged` once a fit: nobody may write into the draws."""
    return once(dt, ("standing",), lambda: standing_of(dt))


def scores_of(dt: xr.DataTree) -> tuple[Floats, pd.Index]:
    """Read the draws of the mean scores (sample, player), in the metric's unit, and the players."""
    board_fitted(dt)
    score = drawn(dt, "score").transpose("chain", "draw", "player")
    players = pd.Index(score["player"].to_numpy(), name="player")
    return score.to_numpy().reshape(-1, len(players)), players


def sign_of(dt: xr.DataTree) -> float:
    """Give 1 where higher scores are better, and -1 where lower ones are."""
    board_fitted(dt, "constant_data")
    return 1.0 if dt["constant_data"].dataset["scores"].attrs.get("higher_is_better", 1) else -1.0


def spread_of(dt: xr.DataTree) -> Floats | None:
    """Read the draws (sample,) of the spread between tournaments, if the model has one."""
    if "epp_spread" not in dt["posterior"]:
        return None
    return drawn(dt, "epp_spread").to_numpy().reshape(-1)


def by_mean(epp: Floats) -> Longs:
    """Order the players of draws (sample, player): positions, highest posterior mean first."""
    return np.argsort(-epp.mean(axis=0), kind="stable")


def seed_of(dt: xr.DataTree) -> int:
    """Read the seed that the fit records: what repeats with the fit is drawn by it."""
    fitted(dt, attrs=("seed",))
    return int(dt.attrs["seed"])
