r"""Composite weight: the power that gives a pairwise likelihood the right width.

All pairs of a round are one ranking, not m (m - 1) / 2 independent matches. The likelihood of
round k is raised to the power

.. math:: \eta_k = c\, e_k, \quad e_k = \frac{3}{m_k + 1}, \quad
          \frac{1}{c} = \frac{(r - 1) \mathrm{tr}(H^+ J) / d + 5 v}{r - 1 + 5}, \quad
          J = \frac{r}{r - 1} \sum_k s_k s_k',

where e_k is the weight of equal players that never tie, m_k of whom play in round k (magnitude
adjustment of the likelihood with these weights: d free parameters, H its Hessian and s_k round k's
score vector at its estimate). 1 / c is v for equal players, and is drawn to v by as much as 5
rounds: a few rounds say little of it, and say it too well. v is 1 without ties, see
`inverse_of_equal_players`. Where rounds count by weights of their own (`rounds.Weighing`), these
multiply e_k and s_k, and J is within strata.

References
----------
Kruskal and Wallis (1952), Use of ranks in one-criterion variance analysis, Journal of the American
Statistical Association 47 (the variance of ranks with ties).
Pauli, Racugno and Ventura (2011), Bayesian composite marginal likelihoods, Statistica Sinica 21.
Ribatet, Cooley and Davison (2012), Bayesian inference from composite likelihoods, with an
application to spatial extremes, Statistica Sinica 22.
"""

import numpy as np
from scipy.sparse.csgraph import connected_components

from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics.bradley_terry import newton
from leaderbayes._numerics.newton import solve
from leaderbayes._numerics.pairs_by_round import RoundStatistics, round_scores, round_statistics
from leaderbayes._numerics.places import count
from leaderbayes._numerics.rounds import Weighing, equal
from leaderbayes._types import Floats, Ints

FEWEST = 3  # rounds that say how rounds differ
_EXCHANGEABLE = 5.0  # rounds that the weights of equal players are worth


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
    """J = r / (r - 1) sum_k (s_k - mean) (s_k - mean)'; the mean is 0 at the maximum."""
    r = len(scores)
    apart = scores - scores.mean(axis=0)
    return np.asarray(r / (r - 1.0) * apart.T @ apart)


def exchangeable_weight(place: Ints, *, within_round: bool) -> Floats:
    """Weights (round,) for equal players that never tie: 3 / (scores that are ranked + 1)."""
    present = place > 0
    if within_round:
        return np.asarray(np.minimum(1.0, 3.0 / (present.sum(axis=1) + 1.0)))
    # A player's wins are a Mann-Whitney count of its a scores against the other n - a: variance
    # a (n - a) (n + 1) / 12, where independent matches would have a (n - a) / 4.
    return np.full(len(place), min(1.0, 3.0 / (present.sum() + 1.0)))


def variance_of_midranks(place: Ints, weight: Floats, *, within_round: bool) -> float:
    """Return the variance of wins of equal players relative to that without ties.

    1 - sum(t^3 - t) / (m^3 - m) where t share a place: a mean over rounds, by their matches times
    their weight (round,). By ties of its own a round would count the more the less it says.
    """
    # Across rounds all scores are one ranking.
    rankings = place if within_round else place.reshape(1, -1)
    present = rankings > 0
    cell = rankings + (rankings.max() + 1) * np.arange(len(rankings))[:, None]
    shared = np.where(present, np.bincount(cell.ravel())[cell], 1)
    players = present.sum(axis=1)
    matches = players * (players - 1.0)
    # sum(t^3 - t) over groups is the sum of t^2 - 1 over players.
    without = matches - (shared**2 - 1.0).sum(axis=1) / (players + 1.0)
    return float((weight * without).sum() / (weight * matches).sum())


def inverse_of_equal_players(variance: float, share: float, rounds: int, *, half: bool) -> float:
    """Return tr(H^+ J) / d for equal players that tie.

    For wins with ``variance`` (`variance_of_midranks`); the likelihood expects as many matches as
    were played where ties are halves, and where they are dropped or have a parameter of their own
    the share that is decided. A round without ties is added to those played, as for
    `largest_weight`.
    """
    return (rounds * variance + 1.0) / (rounds * (1.0 if half else 1.0 - share) + 1.0)


def weighted_counts(
    place: Ints, weight: Floats, *, within_round: bool, ties: str
) -> tuple[Floats, Floats, Floats]:
    """Count wins, matches and ties (player, opponent), weighted by round (round,)."""
    wins, n, tied = np.zeros((3, place.shape[1], place.shape[1]))
    for value in np.unique(weight):
        counts = count(place[weight == value], within_round=within_round, ties=ties)
        for total, each in zip((wins, n, tied), counts, strict=True):
            total += value * each
    return wins, n, tied


def largest_weight(share: float, rounds: int) -> float:
    """Return the largest weight of a match if this share of matches ties.

    Such matches vary less than wins and losses do: 1 over the share that is decided. A round
    without ties is added to those played.
    """
    return (rounds + 1.0) / (rounds * (1.0 - share) + 1.0)


def board_weight(
    place: Ints, *, within_round: bool, ties: str, with_ties: bool = False,
    weighing: Weighing | None = None,
) -> Floats:  # fmt: skip
    """Estimate the weights (round,) of a board, from equal players with fewer than 3 rounds.

    Equal players are assumed to tie as often as these do. ``with_ties`` is for Davidson's model,
    which has a parameter for ties: its weights are at most 1. Without ``weighing`` all rounds count
    the same.
    """
    weighing = weighing or equal(len(place))
    own = exchangeable_weight(place, within_round=within_round)
    alike = own * weighing.weight
    wins, n, tied = weighted_counts(place, alike, within_round=within_round, ties=ties)
    r, half = len(place), ties == "half"
    met = n.sum() if half else n.sum() + tied.sum()
    if met == 0.0:  # no match has a weight
        return alike
    share = float(tied.sum() / met)
    inverse = inverse_of_equal_players(
        variance_of_midranks(place, alike, within_round=within_round), share, r,
        half=half and not with_ties,
    )  # fmt: skip
    if r < FEWEST:
        return alike / inverse
    most = largest_weight(share, r) if half and not with_ties else 1.0
    # Without a single tie, or anything else, nu has no estimate and says nothing of players.
    free_ties = tied if with_ties and half and 0.0 < share < 1.0 else None
    statistics = round_statistics(place, within_round=within_round, ties=ties)
    found = _inverse_weight(
        wins, n, free_ties, statistics, own, weighing, within_round=within_round
    )
    df = weighing.df
    factor = (df + _EXCHANGEABLE) / (df * found + _EXCHANGEABLE * inverse)
    return np.asarray(np.minimum(most, factor * own) * weighing.weight)


def _inverse_weight(
    wins: Floats, n: Floats, ties: Floats | None, statistics: RoundStatistics, weight: Floats,
    weighing: Weighing, *, within_round: bool,
) -> float:  # fmt: skip
    """Compute tr(H^+ J) / d at the estimate, or near it if none exists."""
    groups = connected_components(wins > 0, connection="strong", return_labels=False)
    for pseudo_rounds in (0.0, 1.0) if groups == 1 else (1.0,):
        try:
            return inverse_weight(
                wins, n, ties, statistics, weight, weighing,
                within_round=within_round, pseudo_rounds=pseudo_rounds,
            )  # fmt: skip
        except NotConvergedError:
            # Davidson's has no estimate on some connected boards, such as those without an upset:
            # there a drawn match against an average player makes one.
            if pseudo_rounds > 0.0:
                raise
    raise AssertionError("a board has an estimate with pseudo-rounds")  # pragma: no cover


def inverse_weight(
    wins: Floats, n: Floats, ties: Floats | None, statistics: RoundStatistics, weight: Floats,
    weighing: Weighing | None = None, *, within_round: bool, pseudo_rounds: float,
) -> float:  # fmt: skip
    """Compute tr(H^+ J) / d, the factor by which the variance is too small.

    ``wins``, ``n`` and, for Davidson's model, ``ties`` (player, opponent) are counted by weight,
    ``statistics`` are of the same matches, not weighted, and ``weight`` (round,) is without that of
    the weighing. ``pseudo_rounds`` are above 0 where there is no maximum-likelihood estimate.
    """
    m = len(wins)
    tied = None if ties is None else float(ties.sum() / 2.0)
    epp, nu, hessian = newton(wins.sum(axis=1), n, tied, pseudo_rounds=pseudo_rounds)
    scores = weight[:, None] * clustered_scores(epp, nu, statistics, within_round=within_round)
    # At the estimate the scores sum to zero; with pseudo-rounds, or in a stratum, only nearly so.
    scores = (weighing or equal(len(scores))).scatter(scores)
    trace = float((scores * solve(hessian, scores.T, m).T).sum())
    return trace / (m - 1 + (ties is not None))
