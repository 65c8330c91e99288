r"""Few votes whose removal takes the lead away.

Without the votes v the difference of two players changes, to first order, by

.. math:: \Delta (b_{lead} - b_{rival}) = -\sum_v (e_{lead} - e_{rival})' H^{-1} s_v

with s_v a vote's score vector and H the information, both with the penalty's. Those that shift most
leave first; after each batch the estimate is made anew, and the rest is weighed by that one.

References
----------
Broderick, Giordano and Meager (2020), An automatic finite-sample robustness metric: when can
dropping a little data make a big difference? arXiv:2011.14999.
Huang et al. (2025), Dropping just a handful of preferences can change top large language model
rankings, arXiv:2508.11847.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from leaderbayes._numerics.newton import inverse
from leaderbayes._numerics.votes import EFFECT_SCALE, Estimate, Votes, law_at, maximum
from leaderbayes._types import Floats, Longs

_RIVALS = 20  # nearest to the leader, by standard errors
_PATHS = 3  # of them that votes are removed for
_ALONE, _PAIRS = 10, 6  # units that are tried alone, and by twos
_LIKELY = 1.0 / 3.0  # of the lead, that such units shift to first order
_MARGIN = 1e-9  # beyond which one leads
_TRIES = 30  # units that are put back one by one


class Units(NamedTuple):
    """Votes, and what is removed of them at once: a judge's, or those that are alike one by one."""

    votes: Votes
    unit: Longs  # (vote,)
    copies: Longs  # (unit,): how many there are, alike
    penalty: float  # pseudo-rounds of the estimate
    size: Floats  # (vote,): how much of the votes it is
    tie_scale: float | None = None  # of Davidson's nu, whose model it is


class Removal(NamedTuple):
    """What was removed, and what came of it."""

    removed: Longs  # (unit,): copies
    shift: Floats  # (unit,): of the lead over the rival, to first order, by one copy's removal
    leader: int
    rival: int
    before: float  # the leader's lead over the rival, log-odds
    after: float
    found: bool  # the rival leads without what was removed


def fewest(units: Units, most: float) -> Removal:
    """Remove few units, so that another player leads.

    No smaller set was found; whether there is one, only every set could tell.

    Parameters
    ----------
    units : Units
    most : float
        Share of the votes that may be removed.

    Returns
    -------
    Removal
        Where nothing was found, ``after`` is the smallest lead that was, and nothing is removed.
    """
    at = _estimate(units, np.zeros(len(units.copies), dtype=np.int64))
    leader = int(np.argmax(at.epp))
    bread = _bread(units, at)
    own = np.diag(bread)[: units.votes.players]
    spread = np.sqrt(np.maximum(own[leader] + own - 2.0 * bread[leader, : len(own)], 1e-300))
    near = np.argsort((at.epp[leader] - at.epp) / spread, kind="stable")
    near = near[near != leader][:_RIVALS]
    shifts = {int(r): _shifts(units, at, bread, leader, int(r)) for r in near}
    budget = most * float(units.size.sum())
    left = np.asarray(units.copies)
    needed = []
    for r, shift in shifts.items():
        taken, enough = _taken(shift, left, _weights(units), budget, at.epp[leader] - at.epp[r])
        needed.append(float(len(taken)) if enough else np.inf)
    tried = [int(near[k]) for k in np.argsort(needed, kind="stable")[:_PATHS]]
    best, count, closest = np.zeros_like(units.copies), np.inf, np.inf
    for rival in tried:
        removed, lead = _path(units, at, leader, rival, budget, count)
        closest = min(closest, lead)
        if lead < -_MARGIN and removed.sum() < count:
            best, count = removed, float(removed.sum())
    for size, number in ((1, _ALONE), (2, _PAIRS)):
        for rival in tried:
            if count > size:
                few = _few(units, at, leader, rival, shifts[rival], size, number, budget)
                if few is not None:
                    best, count = few, float(size)
    if not np.isfinite(count):
        rival = tried[0]
        before = float(at.epp[leader] - at.epp[rival])
        return Removal(best, shifts[rival], leader, rival, before, closest, False)
    best = _without_the_idle(units, best, leader, at)
    after = _estimate(units, best)
    rival = int(np.argmax(after.epp))
    return Removal(
        best, _shifts(units, at, bread, leader, rival), leader, rival,
        float(at.epp[leader] - at.epp[rival]), float(after.epp[leader] - after.epp[rival]), True,
    )  # fmt: skip


def _estimate(units: Units, removed: Longs) -> Estimate:
    """Estimate strengths without some units."""
    tie = units.tie_scale is not None
    return maximum(
        _left(units, removed), units.penalty, tie=tie, effect_scale=EFFECT_SCALE,
        tie_scale=units.tie_scale or np.inf,
    )  # fmt: skip


def _left(units: Units, removed: Longs) -> Votes:
    """Take the votes that are left (all rows, some of them of no votes)."""
    votes = units.votes
    kept = (1.0 - removed / units.copies)[units.unit]
    return votes._replace(won=votes.won * kept, n=votes.n * kept, tied=votes.tied * kept)


def _lead(at: Estimate, leader: int) -> float:
    """Give the leader's lead over the best of the others."""
    return float(at.epp[leader] - np.delete(at.epp, leader).max())


def _weights(units: Units) -> Floats:
    """Count the votes of one copy of each unit."""
    return np.asarray(np.bincount(units.unit, units.size, len(units.copies)) / units.copies)


def _bread(units: Units, at: Estimate) -> Floats:
    """Invert the information, with the penalty's."""
    m, p = units.votes.players, expit(at.epp)
    known = [units.penalty * p * (1.0 - p), np.full(len(at.beta), EFFECT_SCALE**-2.0)]
    known += [np.array([units.tie_scale**-2.0])] if units.tie_scale is not None else []
    return inverse(at.information + np.diag(np.concatenate(known)), m)


def _shifts(units: Units, at: Estimate, bread: Floats, leader: int, rival: int) -> Floats:
    """Give how far one copy of each unit (unit,) holds the leader above the rival, by itself."""
    votes, along, law = units.votes, bread[leader] - bread[rival], law_at(units.votes, at)
    effects = along[votes.players : votes.players + len(at.beta)]
    moved = along[votes.first] - along[votes.second] + votes.effect @ effects
    own = (votes.won - votes.n * law.mean) * moved
    if units.tie_scale is not None:
        own += (votes.tied - votes.n * law.tie) * along[-1]
    return np.asarray(np.bincount(units.unit, own, len(units.copies)) / units.copies)


def _taken(
    shift: Floats, left: Longs, weight: Floats, budget: float, lead: float
) -> tuple[Longs, bool]:
    """Take units that shift most, a place in the list for each copy, until the lead is gone.

    Returns them, and whether they suffice; else they are all that shift and the budget pays for.
    """
    afford = budget * (1.0 + 1e-12)
    may = np.flatnonzero((shift > 0.0) & (left > 0) & (weight <= afford))
    order = may[np.argsort(-shift[may], kind="stable")]
    # The rival may be ahead already, by less than the margin.
    needed = np.ceil(max(lead, 0.0) / shift[order]) + 1.0
    copies = np.minimum(left[order], needed).astype(np.int64)
    taken = np.repeat(order, copies)
    spent = np.cumsum(weight[taken])
    number = int(np.searchsorted(np.cumsum(shift[taken]), lead)) + 1
    if number > len(taken) or spent[number - 1] > afford:
        # Where one is too large for what is left, those after it may not be.
        chosen, rest = [], afford
        for unit, own in zip(taken.tolist(), weight[taken].tolist(), strict=True):
            if own <= rest:
                chosen.append(unit)
                rest -= own
        taken = np.asarray(chosen, dtype=np.int64)
        number = int(np.searchsorted(np.cumsum(shift[taken]), lead)) + 1
    return taken[:number], number <= len(taken)


def _path(
    units: Units, at: Estimate, leader: int, rival: int, budget: float, most: float
) -> tuple[Longs, float]:
    """Remove units until another leads, or the budget is spent, or as many as ``most`` are gone.

    Returns copies removed (unit,), and the lead then.
    """
    removed, weight = np.zeros_like(units.copies), _weights(units)
    here, lead = at, _lead(at, leader)
    while lead >= -_MARGIN:
        if removed.sum() >= most - 1.0:
            return removed, lead
        shift = _shifts(units, here, _bread(units, here), leader, rival)
        over = float(here.epp[leader] - here.epp[rival])
        left, spent = units.copies - removed, float(removed @ weight)
        taken, _ = _taken(shift, left, weight, budget - spent, over)
        if not len(taken):
            return removed, lead
        # Half of what it seems to take: the rest is chosen by a better estimate.
        np.add.at(removed, taken[: max(1, len(taken) // 2)], 1)
        here = _estimate(units, removed)
        lead = _lead(here, leader)
    return removed, lead


def _few(
    units: Units, at: Estimate, leader: int, rival: int, shift: Floats, size: int, number: int,
    budget: float,
) -> Longs | None:  # fmt: skip
    """Try the most influential units alone, or by twos."""
    weight = _weights(units)
    may = np.flatnonzero((shift > 0.0) & (weight <= budget))
    top = may[np.argsort(-shift[may], kind="stable")[:number]]
    listed = np.repeat(top, np.minimum(units.copies[top], size))[:number]
    over = float(at.epp[leader] - at.epp[rival])
    for chosen in combinations(listed.tolist(), size):
        one = np.asarray(chosen, dtype=np.int64)
        if shift[one].sum() < _LIKELY * over or weight[one].sum() > budget:
            continue
        removed = np.zeros_like(units.copies)
        np.add.at(removed, one, 1)
        if _lead(_estimate(units, removed), leader) < -_MARGIN:
            return removed
    return None


def _without_the_idle(units: Units, removed: Longs, leader: int, at: Estimate) -> Longs:
    """Put back what need not be removed, those that shift least first."""
    after = _estimate(units, removed)
    shift = _shifts(units, at, _bread(units, at), leader, int(np.argmax(after.epp)))
    gone = np.flatnonzero(removed)
    gone = gone[np.argsort(shift[gone], kind="stable")]
    listed = np.repeat(gone, removed[gone])

    def leads(kept: Longs) -> bool:
        return _lead(_estimate(units, kept), leader) >= -_MARGIN

    def put_back(number: int) -> Longs:
        return removed - np.bincount(listed[:number], minlength=len(removed))

    low, high = 0, len(listed)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if leads(put_back(middle)) else (middle, high)
    kept = put_back(low)
    for unit in gone[kept[gone] > 0][:_TRIES]:
        again = kept.copy()
        again[unit] -= 1
        if kept.sum() > 1 and not leads(again):
            kept = again
    return kept
