"""Mean and quantiles of every pair's win probability, over all draws of the strengths."""

import numba
import numpy as np
from scipy.special import expit, ndtri

from leaderbayes._types import Floats

_MORE = 1.3  # times as many draws as a tail has are looked at, in a law that is nearly normal,
_SURE = 4.0  # and so many standard deviations of their number
_FAR = 350.0  # log-odds from the mean, beyond which odds overflow


def pair_summary(by_player: Floats, prob: float) -> tuple[Floats, Floats, Floats]:
    """Give mean, lower and upper end of P(row beats column).

    Parameters
    ----------
    by_player : (player, draw)
        Strengths.
    prob : float
        Of the equal-tailed intervals, whose ends are interpolated as by ``np.quantile``.

    Returns
    -------
    mean, lower, upper : (player, player)
    """
    m, tail = len(by_player), 0.5 * (1.0 - prob)
    looked_at = _MORE * tail + _SURE * np.sqrt(tail / by_player.shape[1])
    # Of a normal law; as far out as that there are draws enough, or else all are looked at.
    far = -float(ndtri(min(looked_at, 0.49)))
    shifted = np.ascontiguousarray(by_player - by_player.mean(axis=0))
    # None, where some are too far: then each pair has its own.
    odds = np.exp(shifted) if abs(shifted).max() < _FAR else np.empty((m, 0))
    mean, low, high = _upper(shifted, odds, tail, far)
    low, high = np.asarray(expit(low)), np.asarray(expit(high))
    upper = np.triu_indices(m, 1)
    for one, other in ((mean, mean), (low, high), (high, low)):
        one.T[upper] = 1.0 - other[upper]
    return mean, low, high


@numba.njit(cache=True, error_model="numpy", fastmath={"reassoc", "contract", "arcp"})
def _moments(x: Floats, y: Floats, odds: Floats, other: Floats, gap: Floats) -> tuple[float, ...]:
    """Fill in the gaps (draw,); sum them, their squares, and the probabilities."""
    total, square, won = 0.0, 0.0, 0.0
    for d in range(gap.size):
        gap[d] = x[d] - y[d]
        total += gap[d]
        square += gap[d] * gap[d]
        if odds.size:
            won += odds[d] / (odds[d] + other[d])
        else:
            won += 1.0 / (1.0 + np.exp(-min(max(gap[d], -700.0), 700.0)))
    return total, square, won


@numba.njit(cache=True, error_model="numpy")
def _tails(gap: Floats, lower: float, upper: float, low: Floats, high: Floats) -> tuple[int, int]:
    """Copy the gaps below a limit, and less those above another; count both."""
    fewer, more = 0, 0
    for value in gap:
        # Written always, counted only beyond: no branch that is taken at random.
        low[fewer], high[more] = value, -value
        fewer += value < lower
        more += value > upper
    return fewer, more


@numba.njit(cache=True, error_model="numpy")
def _end(near: Floats, size: int, tail: float) -> float:
    """Interpolate the lower quantile of so many, of which those nearby are enough."""
    at = tail * (size - 1)
    k = int(at)
    ordered = np.partition(near, k)
    above = ordered[k]
    if k + 1 < ordered.size:
        above = np.min(ordered[k + 1 :])
    return float(ordered[k] + (at - k) * (above - ordered[k]))


@numba.njit(cache=True, error_model="numpy", nogil=True)
def _upper(
    by_player: Floats, odds: Floats, tail: float, far: float
) -> tuple[Floats, Floats, Floats]:
    """Fill in the means, and the ends of log-odds, above the diagonals."""
    m, draws = by_player.shape
    mean, low, high = np.full((m, m), 0.5), np.zeros((m, m)), np.zeros((m, m))
    gap, below, above = np.empty(draws), np.empty(draws + 1), np.empty(draws + 1)
    enough = int(tail * (draws - 1)) + 1
    for i in range(m):
        for j in range(i + 1, m):
            total, square, won = _moments(by_player[i], by_player[j], odds[i], odds[j], gap)
            mean[i, j] = won / draws
            middle = total / draws
            reach = far * np.sqrt(max(square / draws - middle * middle, 0.0))
            fewer, more = _tails(gap, middle - reach, middle + reach, below, above)
            low[i, j] = _end(below[:fewer] if fewer > enough else gap, draws, tail)
            high[i, j] = -_end(above[:more] if more > enough else -gap, draws, tail)
    return mean, low, high
