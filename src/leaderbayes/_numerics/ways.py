"""Ways on which estimates of several tournaments, and means of them, are independent."""

from typing import NamedTuple

import numpy as np

from leaderbayes._types import Floats


class Ways(NamedTuple):
    """Independent ways (way,) on which something is unsure."""

    vector: Floats  # (what is unsure, way): orthonormal
    middle: Floats  # (way,): the estimate
    error: Floats  # (way,): its variance


class Means(NamedTuple):
    """Players' means over tournaments, as estimates of each say."""

    ways: Ways  # of the estimates' errors alone, beside the spread between tournaments
    times: Floats  # (way,): how many tournaments tell it
    mean: Floats  # (player,)
    spread2: float  # variance between tournaments


ERRORS = (1e-6, 1e6)  # least and largest variance of an estimate
_SPREADS = (1e-4, 25.0)  # of the variance between tournaments


def sum_to_zero(size: int) -> Floats:
    """Give orthonormal columns (size, size - 1) that sum to zero."""
    q: Floats = np.linalg.qr(np.column_stack([np.ones(size), np.eye(size)[:, 1:]]))[0]
    return q[:, 1:]


def ways_of_one(information: Floats) -> tuple[Floats, Floats]:
    """Find the ways (player, way) of one tournament's estimate, and its errors (way,) on them.

    Parameters
    ----------
    information : (player, player)
        Of strengths whose level is not known.
    """
    basis = sum_to_zero(len(information))
    sure, way = np.linalg.eigh(basis.T @ information @ basis)
    return basis @ way, np.clip(1.0 / np.maximum(sure, 1.0 / ERRORS[1]), *ERRORS)


def estimated_means(
    values: Floats, error: Floats, of_player: Floats, spread2: float
) -> tuple[Floats, Floats]:
    """Estimate means (player,) of values (way,), and give their information (player, player).

    Parameters
    ----------
    values : (way,) or (way, several)
        Of all tournaments.
    error : (way,)
        Its variance.
    of_player : (way, player)
        What a way is of the means.
    spread2 : float
        Variance between tournaments, on each way.
    """
    known = of_player.T / (spread2 + error)
    information = known @ of_player
    return np.linalg.lstsq(information, known @ values, rcond=1e-10)[0], information


def ways_of_means(middle: Floats, error: Floats, of_player: Floats) -> Means:
    """Find means and the variance between tournaments by estimates of each, as `estimated_means`.

    The variance is Paule and Mandel's.
    """
    from scipy.optimize import brentq  # which takes long to import

    m = int(of_player.shape[1])

    def beyond(spread2: float) -> float:
        """How much more estimates vary than errors and tau^2 say (Paule and Mandel's)."""
        away = middle - of_player @ estimated_means(middle, error, of_player, spread2)[0]
        return float((away**2 / (spread2 + error)).sum()) - (len(away) - (m - 1))

    low, high = _SPREADS
    spread2 = low if beyond(low) <= 0.0 else high
    if beyond(low) > 0.0 > beyond(high):
        spread2 = float(brentq(beyond, low, high, xtol=1e-3))
    mean, information = estimated_means(middle, error, of_player, spread2)
    way = sum_to_zero(m)
    way = way @ np.linalg.eigh(way.T @ information @ way)[1]
    times = np.maximum(((of_player @ way) ** 2).sum(axis=0), 1e-3)
    sure = np.maximum(((information @ way) * way).sum(axis=0), 1.0 / ERRORS[1])
    own = Ways(way, way.T @ mean, np.clip(times / sure - spread2, *ERRORS))
    return Means(own, times, mean, spread2)
