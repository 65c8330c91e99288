r"""Plackett-Luce by maximum likelihood: Newton's method.

The log-likelihood is concave, a mean over the orders of tied players, and so is its information
:math:`I`: that of untied orders, :math:`\mathrm{diag}(p) - p p'` summed over all stages, p the law
of the next player.

The maximum exists, and is one, where the win graph is strongly connected, a tie counting for both.
Every order's log-likelihood is concave and at most 0, so that along a direction d the mean of them
stays above some bound just if each does: if d never rises down that order's places. Tied players
come in an order and its reverse, so that d is the same for them. Hence d_i >= d_j wherever i beat
or tied with j, and along a cycle of such players d is constant. Where no player outside a set S
ever beat or tied with one in S, the likelihood grows for ever, or stays if they never met, as S is
raised.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.linalg import LinearOperator
from scipy.special import expit

from leaderbayes._errors import NotConvergedError
from leaderbayes._numerics.newton import UNBOUNDED, Linear, maximise
from leaderbayes._numerics.rankings import (
    information,
    log_likelihood,
    rankings,
    slopes,
    times_information,
)
from leaderbayes._types import Floats, Ints

LARGEST_MATRIX = 5000  # players whose information is held as a matrix: six of them of 200 MB
_FEW = 200  # players of whom a matrix costs less than products with it
_FARTHEST = 600.0  # log-odds, beyond which e^b is nothing


class RankingFit(NamedTuple):
    """Maximum of the likelihood of rankings."""

    epp: Floats  # (player,), sum to zero
    information: Any  # (player, player): an array, or a LinearOperator
    scores: Floats  # (round, player): gradient of each round's log-likelihood
    loglik: float


def fit_rankings(
    place: Ints, *, pseudo_rounds: float = 0.0, linear: Linear | None = None, matrix: bool = True
) -> RankingFit:
    """Maximise the likelihood of places (round, player), of which 1 is best and 0 absent.

    Newton's steps of many players are found by conjugate gradients, from products with the
    information; the ``matrix``, if it is wanted, is made once, of at most `LARGEST_MATRIX` players.
    Options are those of `bradley_terry.newton`. Raises NotConvergedError if Newton's method does
    not converge, or strengths are too far apart for numbers.
    """
    m = place.shape[1]
    by_products = m > LARGEST_MATRIX or (m > _FEW and linear is None)
    data = rankings(place)

    def pulled(x: Floats) -> Floats:
        return np.asarray(pseudo_rounds * expit(x) * expit(-x))

    def whole(x: Floats) -> Floats:
        return information(x, data) + np.diag(pulled(x))

    def parts(x: Floats) -> tuple[float, Floats, Any]:
        if np.ptp(x) > _FARTHEST:
            raise NotConvergedError(UNBOUNDED)
        values, gradients = log_likelihood(x[None], data, gradient=True)
        height, slope = float(values[0]), gradients[0]
        if pseudo_rounds > 0.0:
            height -= pseudo_rounds * float((np.logaddexp(0.0, x) - 0.5 * x).sum())
            slope += pseudo_rounds * (0.5 - expit(x))
        if by_products:
            curve = pulled(x)

            def product(v: Floats) -> Floats:
                return times_information(v.ravel(), x, data) + curve * v.ravel()

            return height, slope, LinearOperator((m, m), product, dtype=np.float64)
        return height, slope, whole(x)

    x, found = maximise(parts, np.zeros(m), m, linear=linear)
    if by_products and matrix and m <= LARGEST_MATRIX:
        found = whole(x)
    loglik = float(log_likelihood(x[None], data, gradient=False)[0][0])
    return RankingFit(x, found, slopes(x, data), loglik)
