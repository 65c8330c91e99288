r"""Plackett-Luce and Davidson-Luce by maximum likelihood: Newton on exact gradients.

At every stage, the players A still to be placed, the next place is a draw from an exponential
family, so that information is a sum of covariances and its derivative one of third cumulants.
Without ties, p the law of the next player, they are :math:`\mathrm{diag}(p) - p p'` and, in
Firth's penalty,

.. math:: \frac{\partial}{\partial b_k} \tfrac12 \log\det I
          = \tfrac12 \mathrm{tr}\Big(C \frac{\partial I}{\partial b_k}\Big)
          = \tfrac12 \sum_A \mathrm{Cov}_p(q_i, 1_{i = k}),
          \quad q_i = (e_i - p)' C (e_i - p), \quad C = I^{-1}.

Where players tie, both are differences of the gradient.
"""

from collections.abc import Callable
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.special import comb, expit

from leaderbayes._errors import NotConvergedError
from leaderbayes.numerics.newton import Linear, jeffreys, maximise
from leaderbayes.numerics.plackett_luce import (
    Ints,
    Rankings,
    log_likelihood,
    log_likelihood_pullback,
    rankings,
    tie_sizes,
)

Floats = NDArray[np.float64]
Longs = NDArray[np.int64]

_STEP = 1e-5  # of central differences of the gradient, log-odds: an error of some 1e-10
_ALONG = 3e-3  # of its second differences, in standard errors: an error of some 1e-7
_DEEPEST = 300.0  # log-odds below the best of a round


class RankingFit(NamedTuple):
    """Maximum of the likelihood of rankings in x = (b, log delta of each size from 2 up)."""

    x: Floats  # (parameter,); b sums to zero
    information: Floats  # (parameter, parameter)
    scores: Floats  # (round, parameter): gradient of each round's log-likelihood
    loglik: float
    sizes: Longs  # (size,): of sets of tied players, 1 first
    choices: int  # places given


def fit_rankings(
    place: Ints,
    *,
    pseudo_rounds: float = 0.0,
    firth: bool = False,
    linear: Linear | None = None,
) -> RankingFit:
    """Maximise the likelihood of places (round, player).

    Parameters
    ----------
    place : (round, player)
        1 is best, tied players share one, 0 is absent.
    pseudo_rounds, linear
        As for `bradley_terry.newton`.
    firth : bool
        Add Jeffreys' penalty, half the log determinant of the information, tie parameters
        included. Makes the estimate exist on any connected board, with less bias. Not with
        pseudo-rounds.

    Raises
    ------
    NotConvergedError
        If tie parameters have no finite estimate, or Newton's method does not converge.
    """
    rounds, m = place.shape
    sizes, data = tie_sizes(place), rankings(place)
    if not firth:
        _require_ties(data, sizes)
    every, plain = np.ones(rounds), len(sizes) == 1

    def log_delta(x: Floats) -> Floats:
        return np.append(0.0, x[m:])

    def value(x: Floats) -> float:
        return float(log_likelihood(x[None, :m], log_delta(x), sizes, *data).sum())

    def gradient(x: Floats, weight: Floats) -> Floats:
        epp, tie = log_likelihood_pullback(x[None, :m], log_delta(x), sizes, *data, weight)
        return np.append(epp[0], tie[1:])

    def slope_of(x: Floats) -> Floats:
        return gradient(x, every)

    def parts(x: Floats) -> tuple[float, Floats, Floats]:
        height, slope = value(x), slope_of(x)
        if plain:
            information = plain_information(x, data.start, data.player)
        else:
            information = _information(slope_of, x)
        if pseudo_rounds > 0.0:
            epp, q = x[:m], expit(x[:m])
            height -= pseudo_rounds * float((np.logaddexp(0.0, epp) - 0.5 * epp).sum())
            slope[:m] += pseudo_rounds * (0.5 - q)
            information[np.diag_indices(m)] += pseudo_rounds * q * (1.0 - q)
        if firth:
            penalty, inverse = jeffreys(information, m)
            height += penalty
            if plain:
                slope += plain_pull(x, data.start, data.player, inverse)
            else:
                slope += _pull(slope_of, x, inverse)
        return height, slope, information

    # Each size about as often as it is seen: at 0 the largest sets would crowd out the others.
    ties, choices = sizes[1:], int((data.block > 0).sum())
    seen = np.bincount(data.block)[ties] / choices
    start = np.append(np.zeros(m), np.log(seen * m / comb(m, ties)))
    x, information = maximise(parts, start, m, linear=linear)
    scores = np.array([gradient(x, one) for one in np.eye(rounds)])
    return RankingFit(x, information, scores, value(x), sizes, choices)


@numba.njit(cache=True, error_model="numpy")
def plain_information(epp: Floats, start: Longs, player: Ints) -> Floats:
    """Sum diag(p) - p p' over all stages, (player, player), where nobody ties."""
    information = np.zeros((epp.size, epp.size))
    for k in range(start.size - 1):
        who = player[start[k] : start[k + 1]]
        w = _weights(epp[who])
        left = np.cumsum(w)
        once, twice = 0.0, 0.0
        # Worst first: a pair is there from the stage of the better one on.
        for a in range(who.size - 1, -1, -1):
            once += 1.0 / left[a]
            twice += 1.0 / left[a] ** 2
            information[who[a], who[a]] += w[a] * once - w[a] ** 2 * twice
            for c in range(a):
                information[who[a], who[c]] -= w[a] * w[c] * twice
                information[who[c], who[a]] -= w[a] * w[c] * twice
    return information


@numba.njit(cache=True, error_model="numpy")
def plain_pull(epp: Floats, start: Longs, player: Ints, inverse: Floats) -> Floats:
    """Differentiate half the information's log determinant, (player,), where nobody ties.

    ``inverse`` is the information's.
    """
    slope = np.zeros(epp.size)
    for k in range(start.size - 1):
        who = player[start[k] : start[k + 1]]
        w = _weights(epp[who])
        left = 0.0
        towards = np.zeros(who.size)  # C p of a stage, times the sum of its weights
        q = np.zeros(who.size)  # but for p'Cp, the same for all
        for a in range(who.size):
            left += w[a]
            mean = 0.0
            for i in range(who.size):
                towards[i] += w[a] * inverse[who[i], who[a]]
            for i in range(a + 1):
                q[i] = inverse[who[i], who[i]] - 2.0 * towards[i] / left
                mean += w[i] / left * q[i]
            for i in range(a + 1):
                slope[who[i]] += 0.5 * w[i] / left * (q[i] - mean)
    return slope


@numba.njit(cache=True, error_model="numpy")
def _weights(b: Floats) -> Floats:
    """e^b of a round; squares of what lies further below the best would underflow."""
    return np.exp(np.maximum(b - np.max(b), -_DEEPEST)) if b.size else b


def _information(gradient: Callable[[Floats], Floats], x: Floats) -> Floats:
    """Information by central differences of the gradient."""
    steps = _STEP * np.eye(len(x))
    curve = np.array([gradient(x - h) - gradient(x + h) for h in steps]) / (2.0 * _STEP)
    return np.asarray((curve + curve.T) / 2.0)


def _pull(gradient: Callable[[Floats], Floats], x: Floats, inverse: Floats) -> Floats:
    """Differentiate half the information's log determinant.

    With C = sum_j v_j v_j', -tr(C dI/dx_k) is the sum of the gradient's second derivatives along
    the v_j.
    """
    values, vectors = np.linalg.eigh(inverse)
    steps = _ALONG * (vectors * np.sqrt(np.maximum(values, 0.0))).T
    here = gradient(x)
    bent = sum(gradient(x + h) - 2.0 * here + gradient(x - h) for h in steps)
    return np.asarray(-0.5 * bent / _ALONG**2)


def _require_ties(data: Rankings, sizes: Longs) -> None:
    """Raise where a tie parameter could grow without bound.

    Sizes of tied sets meet as players do: the chosen one beats all others that were possible.
    """
    stands = data.block > 0
    left = np.concatenate([np.arange(1, n + 1) for n in np.diff(data.start)])[stands]
    chosen = np.searchsorted(sizes, data.block[stands])
    beaten = np.zeros((len(sizes), len(sizes)), dtype=bool)
    for size, most in {(int(c), int(n)) for c, n in zip(chosen, left, strict=True)}:
        beaten[size] |= sizes <= most
    count, _ = connected_components(beaten, directed=True, connection="strong")
    if count > 1:
        raise NotConvergedError(
            "LB002 Davidson-Luce's tie parameters have no finite estimate: some number of players "
            f"(of {', '.join(map(str, sizes))}) ties always, or never, where it could. Use the "
            "posterior (model='plackett_luce'), or likelihood.bradley_terry."
        )
