"""Influence of single parts of the data on the lead."""

from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.parts import Parts, lead_of, leader_of, parts_of, units_of
from leaderbayes._arguments import number, one_of
from leaderbayes._fits.posterior import Posterior
from leaderbayes._scores.tables import counted
from leaderbayes._types import Floats, Longs

By = Literal["vote", "judge", "prompt", "round", "cluster", "tournament"]
_RIVALS = 10  # nearest to the leader, for whom parts are removed
_ALONE, _PAIRS = 10, 6  # parts that are tried alone, and by twos
_LIKELY = 1.0 / 3.0  # of the lead, that such parts hold to first order
_TRIES = 30  # parts that are put back one by one


def influence(
    dt: xr.DataTree, *, by: By | None = None, max_share: float | None = None
) -> pd.DataFrame:
    """Return the fewest rounds, votes or judges whose removal changes the leader.

    Parts that favour the leader over a rival are ranked by influence functions and removed, largest
    first, until the rival leads in a new estimate of the rest; unnecessary removals are put back.
    The change of the leader is verified. That no smaller set exists is only verified for single
    parts and pairs. A lead that depends on few votes is not an error; `compare` reports whether it
    is more than chance.

    Parameters
    ----------
    dt : DataTree
        Posterior of players, from `fit` or ``pm.sample``.
    by : {"vote", "judge", "prompt", "round", "cluster", "tournament"}, optional
        What is removed; by default votes, rounds, or of several tournaments these.
    max_share : float, optional
        Largest share of all votes, matches or scores that may be removed; by default 0.1 by votes,
        else 0.5.

    Returns
    -------
    DataFrame
        A row for each that is removed, largest first; none if nothing was found: its name (a vote's
        position among those of the posterior), ``share`` of the data, and ``shift``, what it holds
        the leader above the rival by, to first order, in log-odds or the metric's unit. attrs:
        ``by``, ``found`` (0 or 1), ``leader``, ``rival`` (who leads then, or came nearest),
        ``lead_before``, ``lead_after``, ``removed`` (number), ``share``, ``max_share``,
        ``message``, ``converged``, ``warnings``.

    Raises
    ------
    LeaderbayesError
        If the data have no such parts, or an argument has no meaning.

    Notes
    -----
    Strengths of matches and votes are Bradley-Terry's, with a penalty as strong as the prior; order
    and covariates of votes are held at their posterior means. To look at a removal by another
    model, fit without it.

    References
    ----------
    Broderick, Giordano, Meager (2020), An automatic finite-sample robustness metric: when can
    dropping a little data make a big difference? arXiv:2011.14999.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), seed=1)
    >>> few = lb.influence(dt)
    >>> few.attrs["leader"], few.attrs["rival"], len(few)
    ('svm C=1', 'logistic C=1', 3)
    """
    post = Posterior(dt)
    by = units_of(post)[-1] if by is None else by  # type: ignore[assignment]
    one_of("by", by, "vote", "judge", "prompt", "round", "cluster", "tournament")
    if max_share is not None:
        number("max_share", max_share, above=0.0, below=1.0)
    parts = parts_of(post, str(by))
    max_share = parts.most if max_share is None else max_share
    return table_of(post, parts, fewest(parts, int(post.order[0]), max_share), max_share)


class Removal(NamedTuple):
    """A set of removed parts, and its effect."""

    removed: Longs  # parts; none if nothing was found
    shift: Floats  # (part,): what each holds the leader above the rival by
    leader: int
    rival: int
    before: float  # the leader's lead over the rival
    after: float


def fewest(parts: Parts, wanted: int, most: float) -> Removal:
    """Remove few parts, up to a share ``most`` of the data, so that another player leads."""
    now = parts.everything()
    leader = leader_of(now, wanted)
    near = np.argsort(-np.nan_to_num(now, nan=-np.inf), kind="stable")
    near = near[near != leader][:_RIVALS]
    holds = {int(rival): parts.adds(_contrast(len(now), leader, int(rival))) for rival in near}
    best: Longs | None = None
    for hold in holds.values():
        found = _until_another_leads(parts, hold, leader, most, best)
        best = found if found is not None else best
    if best is not None:
        lead = {rival: float(now[leader] - now[rival]) for rival in holds}
        best = _smaller(parts, holds, lead, leader, most, best)
    removed = np.empty(0, dtype=np.int64) if best is None else best
    then = parts.without(removed)
    rival = lead_of(then, leader)[1]
    shift = holds.get(rival)
    if shift is None:
        shift = parts.adds(_contrast(len(now), leader, rival))
    order = removed[np.argsort(-shift[removed], kind="stable")]
    before, after = (float(each[leader] - each[rival]) for each in (now, then))
    return Removal(order, shift, leader, rival, before, after)


def _contrast(players: int, leader: int, rival: int) -> Floats:
    contrast = np.zeros(players)
    contrast[[leader, rival]] = 1.0, -1.0
    return contrast


def _until_another_leads(
    parts: Parts, hold: Floats, leader: int, most: float, best: Longs | None
) -> Longs | None:
    """Remove the most influential parts; None if that takes too many."""
    order = np.argsort(-hold, kind="stable")
    order = order[hold[order] > 0.0]
    # Where one is too large for what is left, those after it may not be.
    kept, spent = [], 0.0
    for part in order.tolist():
        if spent + parts.share[part] <= most * (1.0 + 1e-12):
            kept.append(part)
            spent += parts.share[part]
    order = np.array(kept[: len(kept) if best is None else len(best) - 1], dtype=np.int64)
    if not len(order) or not _turned(parts, order, leader):
        return None
    low, high = 0, len(order)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _turned(parts, order[:middle], leader) else (middle, high)
    return order[:high]


def _smaller(
    parts: Parts, holds: dict[int, Floats], lead: dict[int, float], leader: int, most: float,
    best: Longs,
) -> Longs:  # fmt: skip
    """Look for a smaller set: single parts, pairs, and all but one of those removed."""
    for size, number_of in ((1, _ALONE), (2, _PAIRS)):
        for rival, hold in holds.items():
            top = np.argsort(-hold, kind="stable")[:number_of]
            for few in map(np.array, combinations(top.tolist(), size)):
                likely = hold[few].sum() >= _LIKELY * lead[rival] and parts.share[few].sum() <= most
                if len(best) > size and likely and _turned(parts, few, leader):
                    best = few
    for part in best[::-1][:_TRIES]:
        rest = best[best != part]
        if len(rest) and _turned(parts, rest, leader):
            best = rest
    return best


def _turned(parts: Parts, removed: Longs, leader: int) -> bool:
    """Check whether another player leads without some parts."""
    then = parts.without(removed)
    return bool(np.isfinite(then[leader])) and lead_of(then, leader)[0] < 0.0


def table_of(post: Posterior, parts: Parts, found: Removal, max_share: float) -> pd.DataFrame:
    """Tabulate what is removed, and the effect."""
    rows, by = found.removed, parts.unit
    columns = {by: parts.names[rows], "share": parts.share[rows], "shift": found.shift[rows]}
    table = pd.DataFrame(columns)
    share = float(table["share"].sum())
    leader, rival = (str(post.players[i]) for i in (found.leader, found.rival))
    what = post.kind.counted
    said = (
        f"Without {len(table)} of {counted(len(parts.names), by)} ({share:.0%} of all {what}) "
        f"{rival} would lead."
        if len(table)
        else f"No {by}s with at most {max_share:.0%} of all {what} were found that change this."
    )
    table.attrs.update(
        by=by, found=int(len(table) > 0), leader=leader, rival=rival, lead_before=found.before,
        lead_after=found.after, removed=len(table), share=share, max_share=max_share,
        message=f"{leader} leads. {said}", **post.trust,
    )  # fmt: skip
    return table
