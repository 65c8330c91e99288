"""Posterior of players' ranks."""

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.draws import standing_once
from leaderbayes._arguments import whole
from leaderbayes._fits.trust import trust
from leaderbayes._fits.unchanged import once
from leaderbayes._types import Floats, Ints


def rank_probability(dt: xr.DataTree) -> xr.DataArray:
    """Give the posterior distribution of each player's rank.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.

    Returns
    -------
    DataArray (player, rank)
        Probability; rows and columns sum to 1. attrs: ``converged`` (0 or 1), ``warnings``
        (JSON list).

    Raises
    ------
    LeaderbayesError
        If there is no posterior.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), sampler="laplace", seed=1)
    >>> ranks = lb.rank_probability(dt)
    >>> ranks.dims
    ('player', 'rank')
    >>> bool(ranks.sel(player="svm C=1", rank=1) > 0.6)
    True
    """
    epp, players = standing_once(dt)
    m = len(players)
    cell = ranks_once(dt) - 1 + m * np.arange(m, dtype=np.int64)
    counts = np.bincount(cell.reshape(-1), minlength=m * m).reshape(m, m)
    return xr.DataArray(
        counts / len(epp),
        dims=("player", "rank"),
        coords={"player": players.to_numpy(), "rank": np.arange(1, m + 1)},
        name="rank_probability",
        attrs=trust(dt),
    )


def p_top(dt: xr.DataTree, k: int) -> pd.Series:
    """Give each player's probability of being among the k best.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    k : int
        From 1 to the number of players.

    Returns
    -------
    Series
        By player, most probable first; sums to k. attrs: ``converged`` (0 or 1), ``warnings`` (JSON
        list).

    Raises
    ------
    LeaderbayesError
        If ``k`` is out of range.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), sampler="laplace", seed=1)
    >>> top = lb.p_top(dt, 3)
    >>> top.head(3).index.tolist()
    ['svm C=1', 'logistic C=1', 'svm C=10']
    >>> round(float(top["svm C=1"]), 2), round(float(top.sum()), 2)
    (1.0, 3.0)
    """
    _, players = standing_once(dt)
    k = whole("k", k, at_most=len(players))
    share = pd.Series((ranks_once(dt) <= k).mean(axis=0), index=players, name=f"p_top_{k}")
    share = share.sort_values(ascending=False, kind="stable")
    share.attrs.update(trust(dt))
    return share


def ranks_once(dt: xr.DataTree) -> Ints:
    """Rank a fit's players as `ranks_of`, within `unchanged` once: nobody may write into it."""
    return once(dt, ("ranks",), lambda: ranks_of(standing_once(dt)[0]))


def ranks_of(epp: Floats) -> Ints:
    """Rank the players in each draw (sample, player), 1 is best."""
    order = np.argsort(-epp, axis=1)
    ranks = np.empty(order.shape, dtype=np.int32)
    np.put_along_axis(ranks, order, np.arange(1, epp.shape[1] + 1, dtype=np.int32)[None], axis=1)
    return ranks
