"""Posterior of players' ranks."""

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._arguments import whole
from leaderbayes._fits.posterior import Posterior


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

    Raises
    ------
    LeaderbayesError
        If there is no posterior.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), seed=1)
    >>> bool(lb.rank_probability(dt).sel(player="svm C=1", rank=1) > 0.6)
    True
    """
    post = Posterior(dt)
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


def p_top(dt: xr.DataTree, k: int) -> pd.Series:
    """Return each player's probability of being among the k best.

    Parameters
    ----------
    dt : DataTree
        Posterior of any model, from `fit` or ``pm.sample``.
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
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), seed=1)
    >>> top = lb.p_top(dt, 3)
    >>> round(float(top["svm C=1"]), 2), round(float(top.sum()), 2)
    (1.0, 3.0)
    """
    post = Posterior(dt)
    k = whole("k", k, at_most=len(post.players))
    top = pd.Series((post.ranks <= k).mean(axis=0), index=post.players, name=f"p_top_{k}")
    top = top.sort_values(ascending=False, kind="stable")
    top.attrs.update(post.trust)
    return top
