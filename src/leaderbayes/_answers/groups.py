"""Groups of players that cannot be told apart."""

from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.draws import by_mean, standing_once
from leaderbayes._arguments import one_of, share
from leaderbayes._fits.trust import trust
from leaderbayes._numerics.pair_counts import count_better
from leaderbayes._types import Bools, Floats

Control = Literal["pair", "joint"]


def groups(dt: xr.DataTree, *, prob: float = 0.95, control: Control = "pair") -> pd.DataFrame:
    """Find the sets of players that cannot be told apart.

    Players stand in the order of their posterior means; a group is a longest run in which no pair
    is told apart. Groups overlap, as the letters of a compact letter display do.

    Parameters
    ----------
    dt : DataTree
        From `leaderbayes.fit`.
    prob : float
        Posterior probability at which two players are told apart.
    control : {"pair", "joint"}
        What has the probability ``prob``. By "pair" each claim that a player is better than another
        has it, taken by itself, and nothing controls all of them together: of 400 simulated boards
        of 20 players and 20 rounds 48 % had a wrong one. By "joint" all claims together have it (4
        % of these boards were wrong), so that fewer are made and groups are larger.

        The claims of "joint" are those with a certainty above a cut: the certainty of a claim is
        the posterior mean of the two players' difference over its standard deviation, and the cut
        is the least at which all claims above it hold in a share ``prob`` of the draws or more.
        (Claims picked by how few draws contradict them would fit the draws at hand: of 500 players
        and 4000 draws such a set came out at 0.95 and held in 0.48 of further draws, this in 0.95.)

    Returns
    -------
    DataFrame
        ``group`` (1 is best) and ``player``, a row for each membership. attrs: ``converged``
        (0 or 1), ``warnings`` (JSON list).

    Raises
    ------
    LeaderbayesError
        If ``prob`` is not between 0 and 1, or ``control`` is neither of the two.

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
    >>> bool(lb.groups(dt, control="joint")["group"].max() <= lb.groups(dt)["group"].max())
    True
    """
    prob = share("prob", prob)
    one_of("control", control, "pair", "joint")
    epp, players = standing_once(dt)
    order = by_mean(epp)
    m = len(order)
    claimed = claims(epp[:, order], prob, control)
    reach = np.where(claimed.any(axis=1), claimed.argmax(axis=1), m)
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


def claims(epp: Floats, prob: float, control: Control) -> Bools:
    """Find which of the players of draws (sample, player), best first, are told apart.

    True (player, player) where the row, which is above the column, is better; as `groups` has it.
    """
    return _each(epp, prob) if control == "pair" else _together(np.ascontiguousarray(epp), prob)


def _each(epp: Floats, prob: float) -> Bools:
    """Find which of the players of draws (sample, player), best first, are better than which.

    Each claim (player, player) has at least this probability by itself.
    """
    return np.triu(count_better(epp.T) / len(epp) >= prob, k=1)


def _together(epp: Floats, prob: float) -> Bools:
    """Find claims (player, player) as `_each` does, that all hold with this probability."""
    deviation = epp - epp.mean(axis=0)
    covariance = deviation.T @ deviation / len(epp)
    own = np.diag(covariance)
    variance = own[:, None] + own - 2.0 * covariance
    # Of a difference that does not vary: it is there, or it is not.
    sd = np.sqrt(np.maximum(variance, np.finfo(float).tiny))
    certainty = (epp.mean(axis=0)[:, None] - epp.mean(axis=0)) / sd
    # The most certain claim that each draw contradicts.
    contradicted = np.full(len(epp), -np.inf)
    for i in range(len(certainty) - 1):
        against = np.where(epp[:, i : i + 1] > epp[:, i + 1 :], -np.inf, certainty[i, i + 1 :])
        contradicted = np.maximum(contradicted, against.max(axis=1))
    cut = np.quantile(contradicted, prob, method="inverted_cdf")
    return np.triu(certainty > cut, k=1)


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
    epp, players = standing_once(dt)
    order = by_mean(epp)
    better = (epp[:, order[:1]] > epp[:, order]).mean(axis=0)
    return [str(players[i]) for i, p in zip(order, better, strict=True) if p < prob]
