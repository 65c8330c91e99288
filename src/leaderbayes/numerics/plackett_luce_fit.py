"""Plackett-Luce and Davidson-Luce by maximum likelihood: Newton on exact gradients."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components
from scipy.special import comb, expit

from leaderbayes._errors import NotConvergedError
from leaderbayes.numerics.newton import Linear, maximise
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


class RankingFit(NamedTuple):
    """Maximum of the likelihood of rankings in x = (b, log delta of each size from 2 up)."""

    x: Floats  # (parameter,); b sums to zero
    information: Floats  # (parameter, parameter)
    scores: Floats  # (round, parameter): gradient of each round's log-likelihood
    loglik: float
    sizes: Longs  # (size,): of sets of tied players, 1 first
    choices: int  # places given


def fit_rankings(
    place: Ints, *, pseudo_rounds: float = 0.0, linear: Linear | None = None
) -> RankingFit:
    """Maximise the likelihood of places (round, player).

    Parameters
    ----------
    place : (round, player)
        1 is best, tied players share one, 0 is absent.
    pseudo_rounds, linear
        As for `bradley_terry.newton`.

    Raises
    ------
    NotConvergedError
        If tie parameters have no finite estimate, or Newton's method does not converge.
    """
    rounds, m = place.shape
    sizes, data = tie_sizes(place), rankings(place)
    _require_ties(data, sizes)
    every = np.ones(rounds)

    def log_delta(x: Floats) -> Floats:
        return np.append(0.0, x[m:])

    def value(x: Floats) -> float:
        return float(log_likelihood(x[None, :m], log_delta(x), sizes, *data).sum())

    def gradient(x: Floats, weight: Floats) -> Floats:
        epp, tie = log_likelihood_pullback(x[None, :m], log_delta(x), sizes, *data, weight)
        return np.append(epp[0], tie[1:])

    def parts(x: Floats) -> tuple[float, Floats, Floats]:
        steps = _STEP * np.eye(len(x))
        curve = [gradient(x - h, every) - gradient(x + h, every) for h in steps]
        information = np.array(curve) / (2.0 * _STEP)
        information = (information + information.T) / 2.0
        height, slope = value(x), gradient(x, every)
        if pseudo_rounds > 0.0:
            epp, q = x[:m], expit(x[:m])
            height -= pseudo_rounds * float((np.logaddexp(0.0, epp) - 0.5 * epp).sum())
            slope[:m] += pseudo_rounds * (0.5 - q)
            information[np.diag_indices(m)] += pseudo_rounds * q * (1.0 - q)
        return height, slope, information

    # Each size about as often as it is seen: at 0 the largest sets would crowd out the others.
    ties, choices = sizes[1:], int((data.block > 0).sum())
    seen = np.bincount(data.block)[ties] / choices
    start = np.append(np.zeros(m), np.log(seen * m / comb(m, ties)))
    x, information = maximise(parts, start, m, linear=linear, tolerance=1e-8)
    scores = np.array([gradient(x, one) for one in np.eye(rounds)])
    return RankingFit(x, information, scores, value(x), sizes, choices)


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
