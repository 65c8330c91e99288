"""What parts of a board say: who leads without one, and whether one half agrees with the other."""

from typing import Any

import numpy as np
import xarray as xr
from scipy.stats import kendalltau

from leaderbayes._answers.aggregators import TOP
from leaderbayes._answers.standing import LEVEL, Standing, leader_of, leaders_of
from leaderbayes._numerics.decimals import two_digits
from leaderbayes._scores.tables import counted
from leaderbayes._types import Bools

_STABLE = 0.95  # of the splits whose halves have one leader


def answered(
    message: str, found: bool, data: xr.Dataset | None = None, **attrs: Any
) -> xr.Dataset:  # fmt: skip
    """Make a child."""
    table = xr.Dataset() if data is None else data
    return table.assign_attrs(message=message, found=int(found), applies=1, **attrs)


def not_asked(why: object) -> xr.Dataset:
    return xr.Dataset(attrs={"message": f"Not asked: {why}", "found": 0, "applies": 0})


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def left_out(standing: Standing, wanted: int, most: int) -> xr.Dataset:
    """Leave out each unit by itself."""
    count = len(standing.names)
    if count < 3:
        return not_asked(f"there {_are(count)} {counted(count, standing.unit)}.")
    every = np.ones(count, dtype=bool)
    leader = leader_of(standing.strengths(every), wanted)
    which = np.arange(count)
    if count > most:
        which = np.sort(np.argsort(-standing.share, kind="stable")[:most])
    leads, leaders = np.empty(len(which)), []
    for k, unit in enumerate(which):
        every[unit] = False
        then = standing.strengths(every)
        every[unit] = True
        first = leader_of(then, leader)
        others = np.where(np.arange(len(then)) == leader, -np.inf, np.nan_to_num(then, nan=-np.inf))
        leads[k] = then[leader] - others.max()
        # Level but for rounding errors.
        if abs(leads[k]) <= LEVEL * float(np.nanmax(then) - np.nanmin(then)):
            leads[k] = 0.0
        leaders.append(str(standing.players[first]))
    changed = [k for k, name in enumerate(leaders) if name != standing.players[leader]]
    what = standing.unit
    of = f"any one of {counted(count, what)}"
    if len(which) < count:
        of = f"any one of the {len(which)} largest of {counted(count, what)}"
    name = str(standing.players[leader])
    if not changed:
        least = float(leads.min())
        lead = f"its lead is smallest, {two_digits(least)}," if least > 0.0 else "another is level"
        said = (
            f"{name} leads without {of}; {lead} without {what} "
            f"{standing.names[which[int(leads.argmin())]]}."
        )
    else:
        listed = ", ".join(f"{standing.names[which[k]]} ({leaders[k]})" for k in changed[:5])
        more = f" and {len(changed) - 5} more" if len(changed) > 5 else ""
        said = f"Another than {name} leads without one {what}: {listed}{more}."
    data = xr.Dataset(
        {"leader": ("unit", leaders), "lead": ("unit", leads)},
        {"unit": np.asarray([str(each) for each in standing.names[which]])},
    )
    return answered(said, bool(changed), data, changed=len(changed), units=count)


def halves(standing: Standing, rng: np.random.Generator, splits: int = 100) -> xr.Dataset:
    """Part the units at random in two, again and again."""
    count, m = len(standing.names), len(standing.players)
    if count < 4:
        return not_asked(
            f"there {_are(count)} {counted(count, standing.unit)}, too few to be halved."
        )
    size = min(TOP, m - 1)
    same, shared, correlation = (np.full(splits, np.nan) for _ in range(3))
    for k in range(splits):
        half: Bools = np.zeros(count, dtype=bool)
        half[rng.permutation(count)[: count // 2]] = True
        one, other = standing.strengths(half), standing.strengths(~half)
        both = np.isfinite(one) & np.isfinite(other)
        if both.sum() < 2:
            continue
        one, other = one[both], other[both]
        same[k] = bool((leaders_of(one) & leaders_of(other)).any())
        tops = (set(np.argsort(-each, kind="stable")[:size].tolist()) for each in (one, other))
        shared[k] = len(set.intersection(*tops)) / size
        correlation[k] = kendalltau(one, other).statistic
    agree, top, tau = (
        float(np.nanmean(each)) if np.isfinite(each).any() else np.nan
        for each in (same, shared, correlation)
    )
    if np.isnan(agree):
        return not_asked("halves have too few players in common.")
    compared, alike = np.isfinite(same).sum(), int(np.nansum(same))
    said = (
        f"Random halves of the {standing.unit}s have the same leader in {alike} of "
        f"{compared} splits, share {top:.2f} of the top {size} on average, and "
    )
    said += (
        "give no order of players to compare."
        if np.isnan(tau)
        else f"rank players alike with a correlation (Kendall's) of {tau:.2f}."
    )
    data = xr.Dataset(
        {
            name: ("split", values)
            for name, values in (
                ("same_leader", same), ("shared_top", shared), ("correlation", correlation)
            )
        }
    )  # fmt: skip
    attrs = {"p_same_leader": agree, "mean_shared_top": top, "mean_correlation": tau, "top": size}
    return answered(said, agree < _STABLE, data, **attrs)
