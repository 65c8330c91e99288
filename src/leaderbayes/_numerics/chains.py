r"""How well chains agree: rank-normalised split R-hat, effective sample sizes of bulk and tails.

What `arviz_stats.rhat` and `arviz_stats.ess` ("bulk" and "tail") compute, for all quantities from
one sort each (by digits, which takes a quarter of the time that comparing does): values' ranks are
those of both R-hat and the bulk's size, distances from the median are two runs of the sorted values
to be merged, and quantiles stand among them. Autocovariances are summed lag by lag as far as
Geyer's sequence asks for them, and by Fourier transforms where that is far.

References
----------
Vehtari, Gelman, Simpson, Carpenter, Bürkner (2021), Rank-normalization, folding, and localization:
an improved R-hat for assessing convergence of MCMC, Bayesian Analysis 16, doi:10.1214/20-BA1221.
Geyer (1992), Practical Markov chain Monte Carlo, Statistical Science 7, doi:10.1214/ss/1177011137.
"""

from functools import lru_cache
from typing import NamedTuple

import numba
import numpy as np
from scipy.special import ndtri

from leaderbayes._types import AnyInts, Floats, Ints

_LAGS, _AT_A_TIME = 64, 8  # beyond which a Fourier transform is faster
_DIGITS, _MOVES = 2048, 16  # of sorting: for each of two, and how many steps for each value
_CONSTANT = 1e-15  # range of values that are all the same
# Those of the rows are means, and means of products, whose order of summing does not matter.
_FAST = {"reassoc", "contract"}


class Agreement(NamedTuple):
    """Of each quantity (quantity,); NaN where there are too few draws, or not all are finite."""

    rhat: Floats
    bulk: Floats  # effective sample sizes
    tail: Floats


def agreement(values: Floats, tail: float) -> Agreement:
    """Diagnose chains.

    Parameters
    ----------
    values : (quantity, chain, draw)
    tail : float
        Quantile, and 1 less it, whose effective sample sizes are the tails'. R-hat of one chain is
        NaN.
    """
    quantities, chains, draws = values.shape
    found = np.full((3, quantities), np.nan)
    half = draws // 2
    if half < 2:
        return Agreement(*found)
    known = np.isfinite(values).all(axis=(1, 2))
    # Halves of chains, and of draws one by one, as for R-hat: the middle of an odd number is none.
    series = np.empty((4, 2 * chains, half))
    normal, place = _normal(2 * chains * half), _places(chains, draws)
    # Symmetric to the last bit: which draws are below a quantile depends on it.
    at = tuple(sorted((tail, 1.0 - tail)))
    for k in np.flatnonzero(known):
        own = np.ascontiguousarray(values[k], float)
        _write_series(own, ordered(own.ravel()), place, normal, at, series)
        if chains > 1:
            found[0, k] = max(_rhat(series[0]), _rhat(series[1]))
        found[1, k] = _size(series[0])
        found[2, k] = min(_size(series[2]), _size(series[3]))
    return Agreement(*found)


@lru_cache(maxsize=8)
def _normal(size: int) -> Floats:
    """Give normal scores (2 x size - 1,) of mean ranks 1, 1.5, ..., size."""
    rank = 1.0 + np.arange(2 * size - 1) / 2.0
    return np.asarray(ndtri((rank - 0.375) / (size + 0.25)))


@lru_cache(maxsize=8)
def _places(chains: int, draws: int) -> Ints:
    """Say where draws (chain x draw,) stand in series of halves of chains; -1 is nowhere."""
    half = draws // 2
    place = np.full((chains, draws), -1, np.int32)
    place[:, :half] = np.arange(chains * half).reshape(chains, half)
    place[:, draws - half :] = np.arange(chains * half, 2 * chains * half).reshape(chains, half)
    return place.ravel()


def ordered(values: Floats) -> AnyInts:
    """Give the indices (value,) that sort finite values."""
    found: AnyInts = _by_digits(values)
    return found if found.size else np.argsort(values)


@numba.njit(cache=True, error_model="numpy")
def _by_digits(values: Floats) -> Ints:
    """Sort by the digits of how far values are above the least; then those that are alike.

    Of no values where too many are alike, or too far from each other.
    """
    size = values.size
    low = high = values[0]
    for k in range(size):
        low, high = min(low, values[k]), max(high, values[k])
    share = (_DIGITS**2 - 1) / (high - low)
    if not (0.0 < share < np.inf):
        return np.empty(0, np.int32)
    key, count = np.empty(size, np.int32), np.zeros((2, _DIGITS), np.int32)
    for k in range(size):
        key[k] = np.int32((values[k] - low) * share)
    for k in range(size):
        count[0, key[k] % _DIGITS] += 1
        count[1, key[k] // _DIGITS] += 1
    for j in range(2):
        below = 0
        for digit in range(_DIGITS):
            count[j, digit], below = below, below + count[j, digit]
    by_last, order = np.empty(size, np.int32), np.empty(size, np.int32)
    for k in range(size):
        digit = key[k] % _DIGITS
        by_last[count[0, digit]] = k
        count[0, digit] += 1
    for item in by_last:
        digit = key[item] // _DIGITS
        order[count[1, digit]] = item
        count[1, digit] += 1
    moves = 0
    for k in range(1, size):
        item, at = order[k], k
        while at > 0 and values[order[at - 1]] > values[item]:
            order[at] = order[at - 1]
            at -= 1
        order[at] = item
        moves += k - at
        if moves > _MOVES * size:
            return np.empty(0, np.int32)
    return order


def _size(series: Floats) -> float:
    """Give the effective sample size of series (chain, draw)."""
    found = _size_by_lags(series)
    if found == -1.0:
        found = _size_of(_covariances(series), _moments(series)[1], *series.shape)
    return float(found)


def _covariances(series: Floats) -> Floats:
    """Autocovariances by lag (draw,), mean of all series."""
    from scipy.fft import irfft, next_fast_len, rfft  # which take long to import

    draws = series.shape[1]
    fast = next_fast_len(2 * draws, real=True)
    wave = rfft(series - series.mean(axis=1, keepdims=True), n=fast, axis=1)
    power = (wave.real**2 + wave.imag**2).mean(axis=0)
    return np.asarray(irfft(power, n=fast)[:draws] / draws)


@numba.njit(cache=True, error_model="numpy")
def _write_series(
    values: Floats,
    order: AnyInts,
    place_of: Ints,
    normal: Floats,
    at: tuple[float, float],
    out: Floats,
) -> None:
    """Write what the diagnostics are of, of halves of chains.

    Parameters
    ----------
    values : (chain, draw)
    order : (chain x draw,)
        That sorts them.
    place_of : (chain x draw,)
        From `_places`.
    normal : (rank,)
        Normal scores of mean ranks.
    at : (2,)
        Probabilities of the quantiles.
    out : (4, 2 x chain, half)
        Normal scores of values, and of distances from the median; whether values are at most the
        quantiles.
    """
    chains, draws = values.shape
    flat, count = values.ravel(), 2 * chains * (draws // 2)
    # Where the halves' values stand in `out`, in their order.
    place, sorted_values = np.empty(count, np.int32), np.empty(count)
    seen = 0
    for item in order:
        if place_of[item] >= 0:
            place[seen], sorted_values[seen] = place_of[item], flat[item]
            seen += 1
    _write_scores(sorted_values, place, normal, out[0].ravel())
    middle = count // 2
    median = (sorted_values[middle - 1] + sorted_values[middle]) / 2.0
    far, near = np.empty(count), np.empty(count, np.int32)
    low, high = middle - 1, middle
    for k in range(count):
        down = median - sorted_values[low] if low >= 0 else np.inf
        up = sorted_values[high] - median if high < count else np.inf
        if high == count or (low >= 0 and down <= up):
            far[k], near[k] = down, place[low]
            low -= 1
        else:
            far[k], near[k] = up, place[high]
            high += 1
    _write_scores(far, near, normal, out[1].ravel())
    for k in range(2):
        quantile = _quantile(flat, order, at[k])
        row = out[2 + k].ravel()
        for j in range(count):
            row[place[j]] = 1.0 if sorted_values[j] <= quantile else 0.0


@numba.njit(cache=True, error_model="numpy")
def _write_scores(sorted_values: Floats, place: Ints, normal: Floats, out: Floats) -> None:
    """Write normal scores of values in their order to places; equals share the mean rank."""
    start = 0
    while start < sorted_values.size:
        stop = start + 1
        while stop < sorted_values.size and sorted_values[stop] == sorted_values[start]:
            stop += 1
        score = normal[start + stop - 1]
        for k in range(start, stop):
            out[place[k]] = score
        start = stop


@numba.njit(cache=True, error_model="numpy")
def _quantile(values: Floats, order: AnyInts, at: float) -> float:
    """Interpolate between sorted values as NumPy does."""
    position = at * (order.size - 1)
    below = int(position)
    share = position - below
    a, b = values[order[below]], values[order[min(below + 1, order.size - 1)]]
    if share >= 0.5:
        return float(b - (b - a) * (1.0 - share))
    return float(a + (b - a) * share)


@numba.njit(cache=True, error_model="numpy")
def _rhat(series: Floats) -> float:
    """Root of the ratio of variance estimates, between series (chain, draw) and within."""
    draws = series.shape[1]
    within, between = _moments(series)
    # Of the whole variance n / (n - 1) as much as of that of the sums of squares.
    within *= draws / (draws - 1.0)
    return float(np.sqrt((draws * between / within + draws - 1.0) / draws))


@numba.njit(cache=True, error_model="numpy", fastmath=_FAST)
def _moments(series: Floats) -> tuple[float, float]:
    """Mean of the series' variances (over n), and variance of their means (over n - 1)."""
    chains, draws = series.shape
    means, within = np.empty(chains), 0.0
    for c in range(chains):
        total, square = 0.0, 0.0
        for d in range(draws):
            total += series[c, d]
        means[c] = total / draws
        for d in range(draws):
            square += (series[c, d] - means[c]) ** 2
        within += square / draws
    centre = means.mean()
    return within / chains, ((means - centre) ** 2).sum() / (chains - 1.0)


@numba.njit(cache=True, error_model="numpy", fastmath=_FAST)
def _covariance(series: Floats, lag: int) -> float:
    """Autocovariance of centred series (chain, draw), their mean."""
    chains, draws = series.shape
    total = 0.0
    for c in range(chains):
        # Of indices that might be negative no two are computed at a time.
        early, late = series[c, : draws - lag], series[c, lag:]
        for d in range(early.size):
            total += early[d] * late[d]
    return float(total / (chains * draws))


@numba.njit(cache=True, error_model="numpy", fastmath=_FAST)
def _centred(series: Floats) -> Floats:
    """Series (chain, draw), each less its mean."""
    chains, draws = series.shape
    out = np.empty(series.shape)
    for c in range(chains):
        total = 0.0
        for d in range(draws):
            total += series[c, d]
        for d in range(draws):
            out[c, d] = series[c, d] - total / draws
    return out


@numba.njit(cache=True, error_model="numpy")
def _size_by_lags(series: Floats) -> float:
    """Give the effective sample size of series (chain, draw); -1 where many lags matter."""
    chains, draws = series.shape
    low = high = series[0, 0]
    for c in range(chains):
        for d in range(draws):
            low, high = min(low, series[c, d]), max(high, series[c, d])
    if high - low < _CONSTANT:
        return float(series.size)
    centred, between = _centred(series), _moments(series)[1]
    covariance = np.empty(min(_LAGS, draws))
    known, found = 0, -1.0
    while known < covariance.size and found == -1.0:
        for _ in range(min(_AT_A_TIME, covariance.size - known)):
            covariance[known] = _covariance(centred, known)
            known += 1
        found = _size_of(covariance[:known], between, chains, draws)
    return found


@numba.njit(cache=True, error_model="numpy")
def _size_of(covariance: Floats, between: float, chains: int, draws: int) -> float:
    """Sum autocorrelations as far as Geyer's sequences go; -1 where those by lag (lag,) do not.

    ``between`` is the variance of the series' means.
    """
    within = covariance[0] * draws / (draws - 1.0)
    whole = covariance[0] + between
    rho = np.zeros(covariance.size)
    even, odd = 1.0, 1.0 - (within - covariance[1]) / whole
    rho[0], rho[1] = even, odd
    # The initial positive sequence of pairs.
    t = 1
    while t < draws - 3 and even + odd > 0.0:
        if t + 2 >= covariance.size:
            return -1.0
        even = 1.0 - (within - covariance[t + 1]) / whole
        odd = 1.0 - (within - covariance[t + 2]) / whole
        if even + odd >= 0.0:
            rho[t + 1], rho[t + 2] = even, odd
        t += 2
    last = t - 2
    if even > 0.0:
        rho[last + 1] = even
    # The initial monotone sequence.
    for k in range(1, last - 1, 2):
        if rho[k + 1] + rho[k + 2] > rho[k - 1] + rho[k]:
            rho[k + 1] = rho[k + 2] = (rho[k - 1] + rho[k]) / 2.0
    size = chains * draws
    longest = -1.0 + 2.0 * rho[: last + 1].sum() + rho[last + 1]
    return float(size / max(longest, 1.0 / np.log10(size)))
