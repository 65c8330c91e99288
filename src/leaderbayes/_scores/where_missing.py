"""Whether scores are missing just where rounds are hard, or easy."""

from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import stdtr

from leaderbayes._types import Bools, Floats

_FEWEST = 10  # rounds, or clusters
_RARE = 0.001  # share of boards with scores missing at random of which any player is named
_SWEEPS = 30  # of averages by player and by round, in turn
_ROUNDING = 1e-9  # of the largest score


class Lacking(NamedTuple):
    """A player who lacks rounds in which others have other scores than elsewhere."""

    player: str
    share: float  # of the rounds, that are missing
    missing: float  # mean score of the others in the rounds that it lacks
    there: float  # and in those that it has


def lacking(scores: xr.DataArray) -> list[Lacking]:
    """Find players of (player, round) whose missing scores are not those of any rounds.

    The level of a round is the mean of the others' scores, each less that player's mean. Were
    scores missing at random, it would be uncorrelated with a player's being there, over rounds or
    over the means of their clusters.
    """
    y = scores.transpose("player", "round").to_numpy().astype(float)
    there = np.isfinite(y)
    if there.all() or len(y) < 2:
        return []
    unit = pd.factorize(scores["cluster"].to_numpy())[0] if "cluster" in scores.coords else None
    largest = float(np.nanmax(np.abs(y))) or 1.0
    y = y / largest
    player = _means(y, there)
    left = np.where(there, y - player[:, None], 0.0)
    others = there.sum(axis=0) - there
    of_others = (left.sum(axis=0) - left) / others.clip(min=1)
    found = []
    for i, name in enumerate(scores["player"].to_numpy()):
        seen = others[i] > 0
        here, level = there[i, seen], of_others[i, seen]
        of = None if unit is None else unit[seen]
        if _chance(here.astype(float), level, of) > _RARE / len(y):
            continue
        mean = np.delete(player, i).mean()
        missing, has = (largest * float(mean + level[at].mean()) for at in (~here, here))
        found.append(Lacking(str(name), float(1.0 - here.mean()), missing, has))
    return found


def _means(y: Floats, there: Bools) -> Floats:
    """Return each player's mean (player,), as if it had played all rounds."""
    filled = np.where(there, y, 0.0)
    of_player, of_round = there.sum(axis=1).clip(min=1), there.sum(axis=0).clip(min=1)
    player: Floats = filled.sum(axis=1) / of_player
    for _ in range(_SWEEPS):
        level = (filled.sum(axis=0) - player @ there) / of_round
        player = (filled.sum(axis=1) - there @ (level - level.mean())) / of_player
    return player


def _chance(first: Floats, second: Floats, unit: np.ndarray | None) -> float:
    """Return the p-value of a correlation over rounds, or their clusters; 1 if there are few."""
    if unit is not None:
        _, unit, size = np.unique(unit, return_inverse=True, return_counts=True)
        first, second = np.bincount(unit, first) / size, np.bincount(unit, second) / size
    n = len(first)
    if n < _FEWEST or min(np.ptp(first), np.ptp(second)) < _ROUNDING:
        return 1.0
    r = float(np.corrcoef(first, second)[0, 1])
    return float(2.0 * stdtr(n - 2, -abs(r) * np.sqrt((n - 2) / max(1.0 - r * r, 1e-12))))
