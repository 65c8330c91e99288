"""Groups of players that cannot be told apart."""

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.draws import by_mean, draws_of
from leaderbayes._arguments import share
from leaderbayes._fits.trust import trust


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
        ``group`` (1 is best) and ``player``, a row for each membership. attrs: ``converged``
        (0 or 1), ``warnings`` (JSON list).

    Raises
    ------
    LeaderbayesError
        If ``prob`` is not between 0 and 1.

    References
    ----------
    Piepho (2004), An algorithm for a letter-based representation of all-pairwise comparisons,
    Journal of Computational and Graphical Statistics 13.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), sampler="laplace", seed=1)
    >>> lb.groups(dt).query("group <= 2")
       group           player
    0      1          svm C=1
    1      1     logistic C=1
    2      1         svm C=10
    3      2  logistic C=0.01
    """
    prob = share("prob", prob)
    epp, players = draws_of(dt)
    order = by_mean(epp)
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


def tied_for_top(dt: xr.DataTree, *, prob: float = 0.95) -> list[str]:
    """List the players that cannot be told apart from the leader.

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

    Examples
    --------
    >>> import leaderbayes as lb
    >>> dt = lb.fit(lb.datasets.load("classifiers", "breast_cancer"), sampler="laplace", seed=1)
    >>> lb.tied_for_top(dt)
    ['svm C=1', 'logistic C=1', 'svm C=10']
    """
    prob = share("prob", prob)
    epp, players = draws_of(dt)
    order = by_mean(epp)
    better = (epp[:, order[:1]] > epp[:, order]).mean(axis=0)
    return [str(players[i]) for i, p in zip(order, better, strict=True) if p < prob]
