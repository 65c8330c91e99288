"""Groups of indistinguishable players."""

from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._arguments import one_of, share
from leaderbayes._fits.posterior import Posterior
from leaderbayes._numerics.shrinkage import of_differences
from leaderbayes._types import Bools, Floats

Control = Literal["pair", "joint"]


def groups(dt: xr.DataTree, *, prob: float = 0.95, control: Control = "pair") -> pd.DataFrame:
    """Return the sets of indistinguishable players.

    Players are ordered by posterior mean, and a group is a longest run without a distinguishable
    pair. Groups may overlap, like the letters of a compact letter display.

    Parameters
    ----------
    dt : DataTree
        Posterior of any model, from `fit` or ``pm.sample``.
    prob : float
        Posterior probability from which two players are distinguishable.
    control : {"pair", "joint"}
        Whether ``prob`` applies to each claim that one player is better than another, or to all
        claims jointly. "joint" makes the claims whose difference, in posterior standard deviations,
        is above the lowest cut at which all of them hold in a share ``prob`` of the draws.

    Returns
    -------
    DataFrame
        ``group`` (1 is best) and ``player``, a row for each membership. attrs: ``converged`` (0 or
        1), ``warnings`` (JSON list).

    References
    ----------
    Piepho (2004), An algorithm for a letter-based representation of all-pairwise comparisons,
    Journal of Computational and Graphical Statistics 13.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), seed=1)
    >>> lb.groups(dt).query("group == 1")["player"].to_list()
    ['svm C=1', 'logistic C=1', 'svm C=10']
    >>> bool(lb.groups(dt, control="joint")["group"].max() <= lb.groups(dt)["group"].max())
    True
    """
    one_of("control", control, "pair", "joint")
    return groups_of(Posterior(dt), share("prob", prob), control)


def groups_of(post: Posterior, prob: float, control: Control = "pair") -> pd.DataFrame:
    """Return `groups` of a posterior."""
    claimed = claims(post, prob, control)
    m = len(claimed)
    reach = np.where(claimed.any(axis=1), claimed.argmax(axis=1), m)
    # A run from i ends where the first of its members is distinguishable from somebody.
    end = np.minimum.accumulate(reach[::-1])[::-1]
    starts = [i for i in range(m) if i == 0 or end[i] > end[i - 1]]
    names = post.players[post.order]
    rows = [
        (number, str(name))
        for number, start in enumerate(starts, 1)
        for name in names[start : end[start]]
    ]
    table = pd.DataFrame(rows, columns=["group", post.who])
    table.attrs.update(post.trust)
    return table


def tied_for_top(dt: xr.DataTree, *, prob: float = 0.95) -> list[str]:
    """Return the players indistinguishable from the leader.

    A player is excluded if the leader, which has the highest posterior mean, is better with
    probability ``prob`` or more.

    Parameters
    ----------
    dt : DataTree
        Posterior of any model, from `fit` or ``pm.sample``.
    prob : float
        Posterior probability from which two players are distinguishable.

    Returns
    -------
    list of str
        Players, best first; the leader is the first.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), seed=1)
    >>> lb.tied_for_top(dt)
    ['svm C=1', 'logistic C=1', 'svm C=10']
    """
    return tied_of(Posterior(dt), share("prob", prob))


def tied_of(post: Posterior, prob: float) -> list[str]:
    """Return `tied_for_top` of a posterior."""
    ordered = post.standing[:, post.order]
    better = (ordered[:, :1] > ordered).mean(axis=0)
    return [str(name) for name in post.players[post.order][better < prob]]


def claims(post: Posterior, prob: float, control: Control) -> Bools:
    """Find which players, best first, are better than others (player, player), as in `groups`."""
    ordered = post.standing[:, post.order]
    return each_claim(ordered, prob) if control == "pair" else joint_claims(ordered, prob)


def shares_better(standing: Floats) -> Floats:
    """Return the share of draws (sample, player) in which the row is above the column."""
    by_player = np.ascontiguousarray(standing.T)  # each player's draws lie side by side
    m, draws = by_player.shape
    share_of = np.zeros((m, m))
    for i in range(m - 1):
        own, others = by_player[i], by_player[i + 1 :]
        share_of[i, i + 1 :] = np.count_nonzero(own > others, axis=1) / draws
        share_of[i + 1 :, i] = np.count_nonzero(own < others, axis=1) / draws
    return share_of


def each_claim(ordered: Floats, prob: float) -> Bools:
    """Find claims, best player first, that each have this probability."""
    return np.triu(shares_better(ordered) >= prob, k=1)


def joint_claims(ordered: Floats, prob: float) -> Bools:
    """Find claims, best player first, that hold jointly with this probability."""
    mean = ordered.mean(axis=0)
    deviation = ordered - mean
    variance = of_differences(deviation.T @ deviation / len(ordered))
    # A difference that does not vary is there, or it is not.
    variance = np.maximum(variance, np.finfo(float).tiny)
    certainty = (mean[:, None] - mean) / np.sqrt(variance)
    # The most certain claim that each draw contradicts.
    contradicted = np.full(len(ordered), -np.inf)
    for i in range(len(certainty) - 1):
        holds = ordered[:, i : i + 1] > ordered[:, i + 1 :]
        against = np.where(holds, -np.inf, certainty[i, i + 1 :])
        contradicted = np.maximum(contradicted, against.max(axis=1))
    cut = np.quantile(contradicted, prob, method="inverted_cdf")
    return np.triu(certainty > cut, k=1)
