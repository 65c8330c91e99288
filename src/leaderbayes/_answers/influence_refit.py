"""The fewest rounds or tournaments without which another leads, each set estimated anew."""

import numpy as np
import xarray as xr

from leaderbayes._answers.draws import by_mean, standing_of
from leaderbayes._answers.influence_means import Taken, of_estimates
from leaderbayes._answers.standing import LEVEL, leader_of, standing_by
from leaderbayes._types import Bools


def fewest_by_refit(dt: xr.DataTree, by: str, most: float) -> Taken:
    """Remove few rounds of a fit of rankings, or few of its tournaments, so that another leads.

    What each holds the leader above a rival by is the jackknife's: the lead less the lead without
    it. Those that hold most are removed one after the other.
    """
    standing = standing_by(dt, by)
    count = len(standing.names)
    every: Bools = np.ones(count, dtype=bool)
    now = standing.strengths(every)
    leader = leader_of(now, int(by_mean(standing_of(dt)[0])[0]))
    ahead = now[leader] - now
    lead = np.zeros((count, len(now)))
    for k in range(count if count > 2 else 0):
        every[k] = False
        then = standing.strengths(every)
        every[k] = True
        lead[k] = np.nan_to_num(ahead - (then[leader] - then))
    margin = LEVEL * max(float(np.nanmax(now) - np.nanmin(now)), 1e-300)
    sets = of_estimates(lead, standing, now, leader, most, margin)
    removed = np.empty(0, dtype=np.int64)
    if sets:
        removed = min(sets.values(), key=lambda rows: (len(rows), -lead[rows].sum()))
    every[removed] = False
    then = standing.strengths(every)
    others = np.where(np.arange(len(then)) == leader, -np.inf, np.nan_to_num(then, nan=-np.inf))
    rival = int(np.argmax(others))
    return Taken(
        standing, removed, lead[:, rival], leader, rival, float(now[leader] - now[rival]),
        float(then[leader] - then[rival]), bool(sets), False,
    )  # fmt: skip
