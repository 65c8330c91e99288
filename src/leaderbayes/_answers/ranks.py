"""Posterior of ranks, and of changes between periods."""

from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._arguments import share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import Posterior
from leaderbayes._numerics.intervals import with_ends
from leaderbayes._scores.tables import listed
from leaderbayes._types import Floats


def rank_probability(dt: xr.DataTree) -> xr.DataArray:
    """Return the posterior distribution of each player's rank.

    Parameters
    ----------
    dt : DataTree
        Posterior of any model, from `fit` or ``pm.sample``.

    Returns
    -------
    DataArray (player, rank)
        Probabilities; rows and columns sum to 1. attrs: ``converged`` (0 or 1), ``warnings`` (JSON
        list).

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), seed=1)
    >>> ranks = lb.rank_probability(dt)
    >>> bool(ranks.sel(player="svm C=1", rank=1) > 0.6)
    True
    >>> top = ranks.sel(rank=slice(1, 3)).sum("rank")  # probability of being among the best three
    >>> round(float(top.sel(player="svm C=1")), 2)
    1.0
    """
    return ranks_of(Posterior(dt))


def ranks_of(post: Posterior) -> xr.DataArray:
    """Return `rank_probability` of a posterior."""
    m = len(post.players)
    cell = post.ranks - 1 + m * np.arange(m, dtype=np.int64)
    counts = np.bincount(cell.reshape(-1), minlength=m * m).reshape(m, m)
    return xr.DataArray(
        counts / len(post.ranks),
        {post.who: post.players.to_numpy(), "rank": np.arange(1, m + 1)},
        (post.who, "rank"),
        "rank_probability",
        post.trust,
    )


def improved(
    dt: xr.DataTree, *, since: Any = None, until: Any = None, prob: float = 0.95
) -> pd.DataFrame:
    """Return the probability that each player improved between two periods, and by how much.

    Strengths are relative to the average player of their period, so a player that improves less
    falls.

    Parameters
    ----------
    dt : DataTree
        Posterior of strengths by period: ``fit(data, "dynamic", options={"period": ...})``.
    since, until : optional
        Names of two periods; by default the first and the last.
    prob : float
        Probability of the equal-tailed credible intervals.

    Returns
    -------
    DataFrame
        A row per player, most probable first: ``player``, ``change`` in log-odds with
        ``change_lower`` and ``change_upper``, ``p_improved``. attrs: ``since``, ``until``,
        ``prob``, ``converged``, ``warnings``.

    Raises
    ------
    LeaderbayesError
        If strengths are not by period, a period is unknown, or both are the same.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = lb.datasets.load("classifiers", "breast_cancer")
    >>> halves = {name: int(k >= 12) for k, name in enumerate(scores["round"].values)}
    >>> dt = lb.fit(scores, "dynamic", options={"period": halves})  # doctest: +SKIP
    >>> lb.improved(dt, since=0, until=1)  # doctest: +SKIP
    """
    post, prob = Posterior(dt), share("prob", prob)
    names, draws = by_period(post)
    asked = [names[0] if since is None else since, names[-1] if until is None else until]
    known = {str(name): k for k, name in enumerate(names)}
    if absent := [str(name) for name in asked if str(name) not in known]:
        raise LeaderbayesError(f"There is no period {absent[0]!r}: {listed(list(known))}.")
    first, last = (known[str(name)] for name in asked)
    if first == last:
        raise LeaderbayesError(f"since and until are both {asked[0]!r}: name two periods.")
    change = draws[:, last] - draws[:, first]
    table = pd.DataFrame({"player": post.players, **with_ends({"change": change}, prob)})
    table["p_improved"] = (change > 0.0).mean(axis=0)
    order = ["p_improved", "change"]
    table = table.sort_values(order, ascending=False, kind="stable", ignore_index=True)
    table.attrs.update(since=str(asked[0]), until=str(asked[1]), prob=prob, **post.trust)
    return table


def by_period(post: Posterior) -> tuple[list[Any], Floats]:
    """Return names of periods and draws of strengths (sample, period, player); or raise."""
    if not post.has("epp_period"):
        raise LeaderbayesError(
            f"{post.called} has no strengths by period: use fit(data, 'dynamic', "
            f"options={{'period': ...}})."
        )
    draws = post.read("epp_period", "period", "player")
    return post.tree["posterior"]["period"].to_numpy().tolist(), draws
