"""Posterior of a leaderboard to tables: ranks, win probabilities, groups. No sampling."""

import json
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import expit

from leaderbayes._errors import LeaderbayesError

Floats = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

# Quantiles of all pairs on every draw would take hours at thousands of players.
_PAIR_VALUES = 2_000_000_000
_BLOCK_VALUES = 20_000_000


def draws_of(dt: xr.DataTree) -> tuple[Floats, pd.Index]:
    """Posterior draws of epp, (sample, player), and the players."""
    epp = dt["posterior"]["epp"].stack(sample=("chain", "draw")).transpose("sample", "player")
    return epp.to_numpy(), pd.Index(epp["player"].to_numpy(), name="player")


def trust(dt: xr.DataTree) -> dict[str, Any]:
    """Whether the posterior converged, and the warnings that go with whatever is made from it."""
    return {
        "converged": bool(dt.attrs["converged"]),
        "warnings": json.loads(dt.attrs["warnings"]),
    }


def check_probability(prob: float) -> None:
    """Raise unless 0 < prob < 1."""
    if not 0.0 < prob < 1.0:
        raise LeaderbayesError(f"prob={prob}: give a probability between 0 and 1, such as 0.95.")


def leaderboard(dt: xr.DataTree, *, prob: float = 0.95) -> pd.DataFrame:
    """Rank the players, with intervals.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    prob : float
        Posterior probability of the (equal-tailed) intervals.

    Returns
    -------
    DataFrame
        A row a player, highest posterior mean first: ``player``; ``epp``, ``epp_lower``,
        ``epp_upper`` (log-odds of beating the average player); ``p_average`` (probability of
        beating the average player); ``p_best`` (of having the highest epp); ``rank`` in this
        table, ``rank_lower``, ``rank_upper`` of the posterior rank. attrs: ``converged``,
        ``warnings``.

    Raises
    ------
    LeaderbayesError
        If ``prob`` is not between 0 and 1.
    """
    check_probability(prob)
    epp, players = draws_of(dt)
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    ranks = _ranks(epp)
    low, high = np.quantile(epp, tails, axis=0)
    rank_low, rank_high = np.quantile(ranks, tails, axis=0, method="inverted_cdf")
    table = pd.DataFrame(
        {
            "player": players,
            "epp": epp.mean(axis=0),
            "epp_lower": low,
            "epp_upper": high,
            "p_average": expit(epp).mean(axis=0),
            "p_best": (ranks == 1).mean(axis=0),
        }
    ).assign(rank_lower=rank_low.astype(int), rank_upper=rank_high.astype(int))
    table = table.sort_values("epp", ascending=False, kind="stable", ignore_index=True)
    table.insert(6, "rank", np.arange(1, len(table) + 1))
    table.attrs.update(trust(dt))
    return table


def _ranks(epp: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    """Rank of each player in each draw (sample, player), 1 is best."""
    order = np.argsort(-epp, axis=1)
    ranks = np.empty(order.shape, dtype=np.int32)
    np.put_along_axis(ranks, order, np.arange(1, epp.shape[1] + 1, dtype=np.int32)[None], axis=1)
    return ranks


def win_probability(dt: xr.DataTree, *, prob: float = 0.95) -> xr.Dataset:
    """Probability that the row beats the column in a new round.

    Under Davidson's model: given that the match is not tied.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    prob : float
        Posterior probability of the (equal-tailed) intervals.

    Returns
    -------
    Dataset
        ``mean``, ``lower``, ``upper`` (player, opponent), 1/2 on the diagonal. attrs:
        ``draws_used`` (posterior draws are thinned evenly on boards of many hundred players),
        ``converged``, ``warnings`` (JSON).

    Raises
    ------
    LeaderbayesError
        If ``prob`` is not between 0 and 1.
    """
    check_probability(prob)
    epp, players = draws_of(dt)
    m = len(players)
    used = int(np.clip(_PAIR_VALUES // m**2, min(200, len(epp)), len(epp)))
    epp = epp[np.linspace(0, len(epp) - 1, used).astype(int)]
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    # Player first, so that each pair's draws lie side by side.
    by_player = np.ascontiguousarray(epp.T)
    mean, low, high = np.empty((3, m, m))
    block = max(1, _BLOCK_VALUES // (m * used))
    for first in range(0, m, block):
        rows = slice(first, first + block)
        gap = by_player[rows, None, :] - by_player[None]
        # expit is monotone: quantiles of the difference are those of the probability.
        low[rows], high[rows] = expit(np.quantile(gap, tails, axis=2))
        mean[rows] = expit(gap).mean(axis=2)
    dims = ("player", "opponent")
    return xr.Dataset(
        {"mean": (dims, mean), "lower": (dims, low), "upper": (dims, high)},
        coords={"player": players.to_numpy(), "opponent": players.to_numpy()},
        attrs={"draws_used": used, **{k: dt.attrs[k] for k in ("converged", "warnings")}},
    )


def rank_probability(dt: xr.DataTree) -> xr.DataArray:
    """Posterior distribution of each player's rank.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.

    Returns
    -------
    DataArray (player, rank)
        Probability; rows and columns sum to 1. attrs: ``converged``, ``warnings`` (JSON).
    """
    epp, players = draws_of(dt)
    m = len(players)
    cell = _ranks(epp) - 1 + m * np.arange(m, dtype=np.int64)
    counts = np.bincount(cell.reshape(-1), minlength=m * m).reshape(m, m)
    return xr.DataArray(
        counts / len(epp),
        dims=("player", "rank"),
        coords={"player": players.to_numpy(), "rank": np.arange(1, m + 1)},
        name="rank_probability",
        attrs={k: dt.attrs[k] for k in ("converged", "warnings")},
    )


def p_top(dt: xr.DataTree, k: int) -> pd.Series:
    """Probability of being among the k best.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    k : int
        From 1 to the number of players.

    Returns
    -------
    Series
        By player, most probable first; sums to k. attrs: ``converged``, ``warnings``.

    Raises
    ------
    LeaderbayesError
        If ``k`` is out of range.
    """
    epp, players = draws_of(dt)
    if not 1 <= k <= len(players):
        raise LeaderbayesError(f"k={k}: give a number from 1 to {len(players)}, the players.")
    share = pd.Series((_ranks(epp) <= k).mean(axis=0), index=players, name=f"p_top_{k}")
    share = share.sort_values(ascending=False, kind="stable")
    share.attrs.update(trust(dt))
    return share


def tied_for_top(dt: xr.DataTree, *, prob: float = 0.95) -> list[str]:
    """Players that cannot be told apart from the leader.

    A player is left out where the leader (highest posterior mean) is better with probability
    ``prob`` or more.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    prob : float
        Posterior probability at which two players are told apart.

    Returns
    -------
    list of str
        Players, best first; the leader is the first.

    Raises
    ------
    LeaderbayesError
        If ``prob`` is not between 0 and 1.
    """
    check_probability(prob)
    epp, players = draws_of(dt)
    order = np.argsort(-epp.mean(axis=0), kind="stable")
    better = (epp[:, order[:1]] > epp[:, order]).mean(axis=0)
    return [str(players[i]) for i, p in zip(order, better, strict=True) if p < prob]


def groups(dt: xr.DataTree, *, prob: float = 0.95) -> pd.DataFrame:
    """Find the sets of players that cannot be told apart.

    Players stand in the order of their posterior means; a group is a longest run in which no pair
    is told apart, which is to say the higher is better with probability ``prob`` or more. Groups
    overlap, as the letters of a compact letter display do.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    prob : float
        Posterior probability at which two players are told apart.

    Returns
    -------
    DataFrame
        ``group`` (1 is best) and ``player``, a row for each membership. attrs: ``converged``,
        ``warnings``.

    Raises
    ------
    LeaderbayesError
        If ``prob`` is not between 0 and 1.
    """
    check_probability(prob)
    epp, players = draws_of(dt)
    order = np.argsort(-epp.mean(axis=0), kind="stable")
    ordered = np.ascontiguousarray(epp[:, order])
    m = len(order)
    reach = np.full(m, m)
    for i in range(m - 1):
        told_apart = (ordered[:, i : i + 1] > ordered[:, i + 1 :]).mean(axis=0) >= prob
        if told_apart.any():
            reach[i] = i + 1 + int(np.argmax(told_apart))
    # A run from i ends where the first of its members is told apart from somebody.
    end = np.minimum.accumulate(reach[::-1])[::-1]
    starts = [i for i in range(m) if i == 0 or end[i] > end[i - 1]]
    table = pd.DataFrame(
        [
            (number, str(players[order[i]]))
            for number, start in enumerate(starts, 1)
            for i in range(start, end[start])
        ],
        columns=["group", "player"],
    )
    table.attrs.update(trust(dt))
    return table
