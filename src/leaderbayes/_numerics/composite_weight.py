r"""Composite-likelihood weight: the power that gives a pairwise likelihood its honest width.

All pairs of a round are one ranking, not m (m - 1) / 2 independent matches. The likelihood is
raised to

.. math:: \eta = d \,/\, \mathrm{tr}(H^+ J), \quad
          J = \frac{r}{r - 1} \sum_k s_k s_k',

with d free parameters, H the Hessian and s_k round k's score vector at the estimate
(magnitude adjustment).

References
----------
Pauli, Racugno and Ventura (2011), Bayesian composite marginal likelihoods, Statistica Sinica 21.
Ribatet, Cooley and Davison (2012), Bayesian inference from composite likelihoods, with an
application to spatial extremes, Statistica Sinica 22.
"""

from functools import partial

import numpy as np
from scipy.sparse.csgraph import connected_components

from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics.bradley_terry import newton
from leaderbayes._numerics.newton import solve
from leaderbayes._numerics.pairs_by_round import RoundStatistics, round_scores, round_statistics
from leaderbayes._types import Floats, Ints

FEWEST = 3  # rounds that say how rounds differ


def clustered_scores(
    epp: Floats, nu: float, statistics: RoundStatistics, *, within_round: bool
) -> Floats:
    """Score vectors by round, (round, player) or one column more for nu.

    Across rounds every match belongs half to either of its rounds, and what one round adds to
    the estimate's variance is all of its matches: twice its own share (Hajek projection).
    """
    slopes, ties = round_scores(epp, nu, statistics)
    scores = slopes if np.isneginf(nu) else np.column_stack([slopes, ties])
    return scores if within_round else 2.0 * scores


def meat(scores: Floats) -> Floats:
    """J = r / (r - 1) sum_k (s_k - mean) (s_k - mean)'.

    At the maximum the mean is 0; at a penalised or restricted one it is none of the variation.
    """
    r = len(scores)
    apart = scores - scores.mean(axis=0)
    return np.asarray(r / (r - 1.0) * apart.T @ apart)


def exchangeable_weight(place: Ints, *, within_round: bool) -> float:
    """Weight for equal players: 3 / (m + 1) within rounds, 3 / (m r + 1) across them."""
    present = place > 0
    players = present.sum(axis=1).mean()
    if within_round:
        return float(min(1.0, 3.0 / (players + 1.0)))
    # A player's wins are a Mann-Whitney count of r scores against (m - 1) r others: variance
    # (m - 1) r^2 (m r + 1) / 12, where independent matches would have (m - 1) r^2 / 4.
    rounds = present.sum(axis=0).mean()
    return float(min(1.0, 3.0 / (players * rounds + 1.0)))


def board_weight(
    place: Ints,
    wins: Floats,
    n: Floats,
    tied: Floats | None,
    *,
    within_round: bool,
    ties: str,
) -> float:
    """Estimate the weight of a board (round, player); below 3 rounds, give that of equal players.

    Other arguments as for `composite_weight` and `round_statistics`.
    """
    if len(place) < FEWEST:
        return exchangeable_weight(place, within_round=within_round)
    groups = connected_components(wins > 0, connection="strong", return_labels=False)
    estimate = partial(
        composite_weight,
        wins,
        n,
        tied,
        round_statistics(place, within_round=within_round, ties=ties),
        within_round=within_round,
    )
    if groups == 1:
        try:
            return estimate(pseudo_rounds=0.0)
        except NotConvergedError:
            pass  # Davidson's has none on some connected boards, such as those without an upset.
    # Where no estimate exists, a drawn match against an average player makes one.
    return estimate(pseudo_rounds=1.0)


def composite_weight(
    wins: Floats,
    n: Floats,
    ties: Floats | None,
    statistics: RoundStatistics,
    *,
    within_round: bool,
    pseudo_rounds: float,
) -> float:
    """Estimate eta; never above 1. Needs at least 3 rounds.

    Parameters
    ----------
    wins, n, ties : (player, opponent)
        As for `newton`; ``ties`` for Davidson's model only.
    statistics : RoundStatistics
        Of the same matches.
    pseudo_rounds : float
        0 at the maximum-likelihood estimate; above 0 where that does not exist.
    """
    m = len(wins)
    tied = None if ties is None else float(ties.sum() / 2.0)
    epp, nu, hessian = newton(wins.sum(axis=1), n, tied, pseudo_rounds=pseudo_rounds)
    scores = clustered_scores(epp, nu, statistics, within_round=within_round)
    r = len(scores)
    # At the estimate the scores sum to zero; with pseudo-rounds only nearly so.
    scores = scores - scores.mean(axis=0)
    trace = r / (r - 1.0) * float((scores * solve(hessian, scores.T, m).T).sum())
    free = m - 1 + (ties is not None)
    return float(min(1.0, free / trace)) if trace > 0 else 1.0
