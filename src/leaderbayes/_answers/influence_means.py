"""The fewest rounds, items or clusters without which another player has the best mean score."""

import json
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.draws import by_mean, standing_of
from leaderbayes._answers.standing import LEVEL, Standing, leader_of, means_of, standing_by
from leaderbayes._types import Floats, Longs

_RIVALS = 10  # nearest to the leader, where each removal is estimated anew


class Taken(NamedTuple):
    """What is removed, and what comes of it."""

    standing: Standing
    removed: Longs  # units; none if nothing was found
    shift: Floats  # (unit,): what each holds the leader above the rival by
    leader: int
    rival: int
    before: float
    after: float
    found: bool
    exact: bool  # no smaller set does it


def fewest_of_means(dt: xr.DataTree, by: str, most: float) -> Taken:
    """Remove few rounds or clusters from a fit of mean scores, so that another leads."""
    standing = standing_by(dt, by)
    now = standing.strengths(np.ones(len(standing.names), dtype=bool))
    draws, _ = standing_of(dt)
    leader = leader_of(now, int(by_mean(draws)[0]))
    y, _, code, _ = means_of(dt, by)
    statistic = json.loads(dt.attrs["arguments"]).get("statistic", "mean")
    exact = statistic == "mean" and bool(np.isfinite(y).all())
    # What rounds hold the leader above each by; nothing, where one of the two has no score.
    ahead = np.nan_to_num(y[:, [leader]] - y)
    lead = np.zeros((len(standing.names), y.shape[1]))
    np.add.at(lead, code, ahead)
    margin = LEVEL * max(float(np.nanmax(now) - np.nanmin(now)), 1e-300)
    if exact:
        sets = _of_sums(lead, standing.share, leader, most, margin * len(y))
    else:
        sets = of_estimates(lead, standing, now, leader, most, margin)
    found = bool(sets)
    if found:
        removed = min(sets.values(), key=lambda rows: (len(rows), -lead[rows].sum()))
    else:
        removed = np.empty(0, dtype=np.int64)
    kept = np.ones(len(standing.names), dtype=bool)
    kept[removed] = False
    then = standing.strengths(kept)
    others = np.where(np.arange(len(then)) == leader, -np.inf, np.nan_to_num(then, nan=-np.inf))
    rival = int(np.argmax(others))
    return Taken(
        standing, removed, lead[:, rival] / len(y), leader, rival,
        float(now[leader] - now[rival]), float(then[leader] - then[rival]), found, exact,
    )  # fmt: skip


def _of_sums(
    lead: Floats, share: Floats, leader: int, most: float, margin: float
) -> dict[int, Longs]:
    """Find the fewest units (of each rival) that hold the leader above it: the largest, summed."""
    sets = {}
    for rival in range(lead.shape[1]):
        if rival == leader:
            continue
        order = np.argsort(-lead[:, rival], kind="stable")
        left = lead[:, rival].sum() - np.cumsum(lead[order, rival])
        below = np.flatnonzero(left < -margin)
        if len(below) and share[order[: below[0] + 1]].sum() <= most * (1.0 + 1e-12):
            sets[rival] = order[: below[0] + 1]
    return sets


def of_estimates(
    lead: Floats, standing: Standing, now: Floats, leader: int, most: float, margin: float
) -> dict[int, Longs]:
    """Remove the units that hold the leader most, one after the other, until another leads."""
    near = np.argsort(-np.nan_to_num(now, nan=-np.inf), kind="stable")
    sets: dict[int, Longs] = {}
    fewest = len(standing.names)
    for rival in near[near != leader][:_RIVALS].tolist():
        kept = np.ones(len(standing.names), dtype=bool)
        taken: list[int] = []
        for unit in np.argsort(-lead[:, rival], kind="stable").tolist():
            over = standing.share[~kept].sum() + standing.share[unit] > most * (1.0 + 1e-12)
            if over or len(taken) + 1 >= fewest:
                break
            kept[unit] = False
            taken.append(unit)
            then = standing.strengths(kept)
            if then[leader] < np.nanmax(then) - margin:
                sets[rival] = np.array(taken)
                fewest = len(taken)
                break
    return sets


def table_of_means(taken: Taken, by: str) -> pd.DataFrame:
    """Name what is removed, largest first."""
    rows = taken.removed[np.argsort(-taken.shift[taken.removed], kind="stable")]
    standing = taken.standing
    return pd.DataFrame(
        {by: standing.names[rows], "share": standing.share[rows], "shift": taken.shift[rows]}
    )
