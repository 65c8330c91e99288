r"""What each round adds to a Bradley-Terry or Davidson log-likelihood.

For a round k the log-likelihood of all its matches is

.. math:: \ell_k(b, \nu) = \sum_i points_{ki} b_i + \nu\, tied_k
          - \sum_{t: round_t = k} sign_t L_{set_t}(b, \nu)

where L_s is the log normaliser of a set of pairs,

.. math:: L_s = \sum_{i<j} w_{ij} \log(e^{b_i} + e^{b_j} + e^{\nu + (b_i + b_j)/2}),
          \quad w_{ij} = (left_i right_j + left_j right_i) / 2.

Bradley-Terry is :math:`\nu = -\infty`. A complete board has one set for all its rounds, so an
evaluation costs one pass over the pairs, however many rounds there are.

Strengths are one row for all rounds, (1, player), or a row for each round, (round, player), where
rounds belong to several tournaments; members of a set are positions in the flattened strengths.
"""

from typing import NamedTuple

import numba
import numpy as np

from leaderbayes._types import Floats, Ints, Longs

# Without NaN and infinity flags: those must come through.
_FAST = {"reassoc", "contract", "arcp", "nsz"}
_ROWS = 8  # rows whose terms are multiplied before one logarithm is taken
_DRAWS = 256  # whose normalisers of all sets are held together


class RoundStatistics(NamedTuple):
    """Sufficient statistics of a board, round by round; sets of players in CSR form."""

    points: Floats  # (round, player)
    tied: Floats  # (round,)
    round: Longs  # (term,)
    set: Longs  # (term,)
    sign: Floats  # (term,)
    start: Longs  # (set + 1,)
    member: Longs  # (start[-1],)
    left: Floats  # (start[-1],)
    right: Floats  # (start[-1],)


def round_statistics(
    place: Ints, *, within_round: bool, ties: str, tournament: Longs | None = None
) -> RoundStatistics:
    """Reduce places (round, player) to what the likelihood needs.

    Parameters
    ----------
    place : (round, player)
        1 is best, 0 absent; pooled over the board where ``within_round`` is False.
    within_round : bool
        Matches within rounds, or of every score with every other player's score. Across
        rounds half of a match belongs to each of its two rounds.
    ties : {"half", "drop"}
        A tie is half a win for both, or no match. Dropping needs ``within_round``.
    tournament : (round,), optional
        Number of each round's tournament: strengths are then a row for each round, alike within a
        tournament. Needs ``within_round``.
    """
    r, m = place.shape
    present = place > 0
    kinds = present if tournament is None else np.column_stack([tournament, present])
    if (kinds == kinds[0]).all():  # as on most boards, and at once
        first, kind = np.zeros(1, np.int64), np.zeros(r, np.int64)
    else:
        _, first, kind = np.unique(kinds, axis=0, return_index=True, return_inverse=True)
    patterns = present[first]
    rounds, which, sign = np.arange(r), kind.reshape(-1), np.ones(r)
    # The row of strengths that a round reads.
    row = np.zeros(r, np.int64) if tournament is None else np.arange(r)
    sets = [m * row[k] + np.flatnonzero(p) for k, p in zip(first, patterns, strict=True)]
    if within_round:
        best, worst = _ranks_within(place)
        average = (best + worst) / 2.0
        size = present.sum(axis=1, keepdims=True)
        tied = np.where(present, worst - best, 0).sum(axis=1) / 2.0
        points = np.where(present, size - (average if ties == "half" else worst), 0.0)
        weights = [np.ones(len(s)) for s in sets]
        right = weights
        if ties == "drop":
            tied_rounds, groups = _tie_groups(place)
            which = np.append(which, len(sets) + np.arange(len(groups)))
            rounds = np.append(rounds, tied_rounds)
            sign = np.append(sign, -np.ones(len(groups)))
            sets += [m * row[k] + g for k, g in zip(tied_rounds, groups, strict=True)]
            weights = right = [np.ones(len(s)) for s in sets]
    else:
        points, tied = _across_points(place)
        # A round's players meet all scores, those of players absent from the round too.
        weights = [p.astype(float) for p in patterns]
        sets = [np.arange(m)] * len(patterns)
        right = [present.sum(axis=0).astype(float)] * len(patterns)
    return RoundStatistics(
        points=points,
        tied=tied,
        round=rounds.astype(np.int64),
        set=which.astype(np.int64),
        sign=sign,
        start=np.cumsum([0, *map(len, sets)]),
        member=np.concatenate(sets),
        left=np.concatenate(weights),
        right=np.concatenate(right),
    )


def _ranks_within(place: Ints) -> tuple[Longs, Longs]:
    """Rank within rounds, equals at the best and at the worst of theirs (round, player)."""
    r, steps = len(place), int(place.max(initial=0)) + 1
    cell = place + steps * np.arange(r)[:, None]
    size = np.bincount(cell.ravel(), minlength=r * steps)
    size[::steps] = 0  # the absent
    worst = size.reshape(r, steps).cumsum(axis=1).ravel()
    return (worst - size + 1)[cell], worst[cell]


def _tie_groups(place: Ints) -> tuple[Longs, list[Longs]]:
    """Round and members of every group of two or more players that share a place."""
    rounds, groups = [], []
    for k, row in enumerate(place):
        shared, counts = np.unique(row[row > 0], return_counts=True)
        for p in shared[counts > 1]:
            rounds.append(k)
            groups.append(np.flatnonzero(row == p))
    return np.array(rounds, dtype=np.int64), groups


def _across_points(place: Ints) -> tuple[Floats, Floats]:
    """Points and ties where all scores meet; half of each match goes to either round."""
    present = place > 0
    points, tied = np.zeros(place.shape), np.zeros(len(place))
    for i, here in enumerate(present.T):
        own = np.sort(place[here, i])
        better = np.searchsorted(own, place, side="left")
        equal = np.searchsorted(own, place, side="right") - better
        # A player does not meet itself in another round.
        met = present.copy()
        met[:, i] = False
        # Of its scores against each score of the others.
        won = np.where(met, better + equal / 2.0, 0.0)
        points[:, i] += won.sum(axis=1)
        points += np.where(met, own.size - won, 0.0)
        tied += np.where(met, equal, 0).sum(axis=1)
    # Every match is counted from the round of either score, and so is every tie.
    return points / 2.0, tied / 2.0


@numba.njit(cache=True, fastmath=_FAST, error_model="numpy")
def _uniform_value(half: Floats, kappa: float) -> float:
    """Sum of log(u_i^2 + u_j^2 + kappa u_i u_j) over pairs; half = log u, at most 0."""
    m = half.size
    u = np.exp(half)
    # Products of _ROWS terms must not underflow; far-apart players take a log each.
    rows = _ROWS if np.min(half) > -40.0 else 1
    product = np.empty(m)
    total = 0.0
    for first in range(0, m, rows):
        last = min(first + rows, m)
        product[first:] = 1.0
        for i in range(first, last):
            ui = u[i]
            if kappa == 0.0:
                for j in range(i + 1, m):
                    product[j] *= ui * ui + u[j] * u[j]
            else:
                for j in range(i + 1, m):
                    product[j] *= ui * ui + u[j] * u[j] + kappa * ui * u[j]
        for j in range(first, m):
            total += np.log(product[j])
    return total


@numba.njit(cache=True, fastmath=_FAST, error_model="numpy")
def _uniform_gradient(half: Floats, kappa: float, slope: Floats) -> float:
    """Write d/db of `_uniform_value` to slope; return its derivative in nu."""
    m = half.size
    u = np.exp(half)
    slope[:] = 0.0
    tie = 0.0
    for i in range(m):
        ui = u[i]
        a = ui * ui
        mine = 0.0
        if kappa == 0.0:
            for j in range(i + 1, m):
                win = a / (a + u[j] * u[j])
                mine += win
                slope[j] += 1.0 - win
        else:
            for j in range(i + 1, m):
                t = kappa * ui * u[j]
                d = 1.0 / (a + u[j] * u[j] + t)
                win = (a + 0.5 * t) * d
                mine += win
                slope[j] += 1.0 - win
                tie += t * d
        slope[i] += mine
    return tie


@numba.njit(cache=True, error_model="numpy")
def _is_uniform(half: Floats, left: Floats, right: Floats) -> bool:
    """Whether all pairs weigh the same, and no strength underflows beside the best's."""
    return bool(np.all(left == left[0]) and np.all(right == right[0]) and np.min(half) > -150.0)


@numba.njit(cache=True, error_model="numpy")
def log_normalisers(
    epp: Floats,
    nu: Floats,
    start: Longs,
    member: Longs,
    left: Floats,
    right: Floats,
) -> Floats:
    """L_s of every set, (set,); ``nu`` is (1,)."""
    kappa = np.exp(nu[0])
    out = np.zeros(start.size - 1)
    for s in range(out.size):
        a, z = start[s], start[s + 1]
        if z - a < 2:
            continue
        b = epp[member[a:z]]
        top = np.max(b)
        half = 0.5 * (b - top)
        x, y = left[a:z], right[a:z]
        if _is_uniform(half, x, y):
            pairs = 0.5 * (z - a) * (z - a - 1)
            out[s] = x[0] * y[0] * (_uniform_value(half, kappa) + top * pairs)
        else:
            for i in range(z - a):
                for j in range(i + 1, z - a):
                    w = 0.5 * (x[i] * y[j] + x[j] * y[i])
                    mean = half[i] + half[j]
                    gap = np.abs(half[i] - half[j])
                    # log(e^g + e^-g + kappa) + mean, stable for any gap g
                    out[s] += w * (
                        mean + top + gap + np.log(1.0 + np.exp(-2.0 * gap) + kappa * np.exp(-gap))
                    )
    return out


@numba.njit(cache=True, error_model="numpy")
def many_log_normalisers(
    epp: Floats, nu: Floats, start: Longs, member: Longs, left: Floats, right: Floats
) -> Floats:
    """`log_normalisers` at strengths (draw, player) and nu (draw,), (draw, set)."""
    out = np.empty((len(epp), start.size - 1))
    for k in range(len(epp)):
        out[k] = log_normalisers(epp[k], nu[k : k + 1], start, member, left, right)
    return out


@numba.njit(cache=True, error_model="numpy")
def log_normalisers_pullback(
    epp: Floats,
    nu: Floats,
    start: Longs,
    member: Longs,
    left: Floats,
    right: Floats,
    cotangent: Floats,
) -> tuple[Floats, Floats]:
    """Sum over sets of cotangent_s dL_s/db, (player,), and of cotangent_s dL_s/dnu, (1,)."""
    kappa = np.exp(nu[0])
    slope = np.zeros(epp.size)
    tie = 0.0
    for s in range(start.size - 1):
        a, z = start[s], start[s + 1]
        if z - a < 2 or cotangent[s] == 0.0:
            continue
        who = member[a:z]
        b = epp[who]
        half = 0.5 * (b - np.max(b))
        x, y = left[a:z], right[a:z]
        if _is_uniform(half, x, y):
            g = cotangent[s] * x[0] * y[0]
            part = np.empty(z - a)
            tie += g * _uniform_gradient(half, kappa, part)
            for i in range(z - a):
                slope[who[i]] += g * part[i]
        else:
            for i in range(z - a):
                for j in range(i + 1, z - a):
                    w = 0.5 * (x[i] * y[j] + x[j] * y[i]) * cotangent[s]
                    best, other = (i, j) if half[i] >= half[j] else (j, i)
                    ratio = np.exp(half[other] - half[best])
                    d = 1.0 / (1.0 + ratio * ratio + kappa * ratio)
                    slope[who[best]] += w * (1.0 + 0.5 * kappa * ratio) * d
                    slope[who[other]] += w * (ratio + 0.5 * kappa) * ratio * d
                    tie += w * kappa * ratio * d
    return slope, np.array([tie])


def round_scores(epp: Floats, nu: float, statistics: RoundStatistics) -> tuple[Floats, Floats]:
    """Differentiate each round's log-likelihood: in epp (round, player) and in nu (round,).

    ``epp`` is (player,): the scores are those of one tournament.
    """
    slopes, ties = -statistics.points, -statistics.tied
    for s in range(statistics.start.size - 1):
        one = np.zeros(statistics.start.size - 1)
        one[s] = 1.0
        slope, tie = log_normalisers_pullback(epp, np.array([nu]), *statistics[5:], one)
        of = statistics.set == s
        np.add.at(slopes, statistics.round[of], statistics.sign[of, None] * slope)
        np.add.at(ties, statistics.round[of], statistics.sign[of] * tie)
    return -slopes, -ties


def round_log_likelihood(
    epp: Floats, statistics: RoundStatistics, nu: Floats | None = None
) -> Floats:
    """Log-likelihood of each round at strengths (draw, player), (draw, round): of one tournament.

    Bradley-Terry's, or Davidson's with ``nu`` (draw,).
    """
    out, epp = epp @ statistics.points.T, np.ascontiguousarray(epp)
    if nu is not None:
        out += nu[:, None] * statistics.tied
    # Some draws at a time: of boards with many ties the sets are several times the rounds.
    for begin in range(0, len(epp), _DRAWS):
        some = slice(begin, begin + _DRAWS)
        if nu is None:
            every = _without_ties(epp[some], *statistics[5:])
        else:
            every = many_log_normalisers(epp[some], nu[some], *statistics[5:])
        _take_off(every, statistics.round, statistics.set, statistics.sign, out[some])
    return np.asarray(out)


@numba.njit(cache=True, error_model="numpy")
def _without_ties(epp: Floats, start: Longs, member: Longs, left: Floats, right: Floats) -> Floats:
    """L_s of every set at every draw (draw, set), draws together."""
    out = np.zeros((len(epp), start.size - 1))
    for s in range(start.size - 1):
        a, z = start[s], start[s + 1]
        weight = np.zeros((z - a, z - a))
        for i in range(z - a):
            for j in range(i):
                weight[i, j] = 0.5 * (left[a + i] * right[a + j] + left[a + j] * right[a + i])
        out[:, s] = log_normaliser(epp[:, member[a:z]], weight)
    return out


@numba.njit(cache=True, error_model="numpy")
def _take_off(normaliser: Floats, round: Longs, set: Longs, sign: Floats, out: Floats) -> None:
    """Take normalisers (draw, set) off what points add (draw, round)."""
    for k in range(len(out)):
        for t in range(round.size):
            out[k, round[t]] -= sign[t] * normaliser[k, set[t]]


_TOGETHER = 32  # draws
_SMALL, _TINY = 1e-150, 1e-130  # products whose logarithm is taken, and odds that are nearly none


@numba.njit(cache=True, error_model="numpy")
def log_normaliser(strength: Floats, n: Floats) -> Floats:
    """Sum n log(e^a_i + e^a_j) over unordered pairs, for each of many draws (draw,).

    Parameters
    ----------
    strength : (draw, player)
    n : (player, opponent)
    """
    draws, m = strength.shape
    out = np.empty(draws)
    # Draws together, which processors multiply several at a time.
    u = np.empty((m, _TOGETHER))
    top, total, product = np.empty((3, _TOGETHER))
    for begin in range(0, draws, _TOGETHER):
        size = min(_TOGETHER, draws - begin)
        for k in range(_TOGETHER):
            # Of the last few once more.
            a = strength[begin + min(k, size - 1)]
            top[k], total[k] = np.max(a), 0.0
            for i in range(m):
                u[i, k] = np.exp(max(a[i] - top[k], -700.0))
        matches = 0.0
        for i in range(m):
            product[:] = 1.0
            count, small = 0.0, 0
            for j in range(i):
                met = n[i, j]
                if met == 0.0:
                    continue
                matches += met
                # One logarithm for many opponents that were met as often.
                if met != count or small:
                    for k in range(_TOGETHER):
                        if met != count or product[k] < _SMALL:
                            total[k] += count * np.log(product[k])
                            product[k] = 1.0
                    count = met
                small = 0
                for k in range(_TOGETHER):
                    product[k] *= u[i, k] + u[j, k]
                    small += product[k] < _SMALL
            for k in range(_TOGETHER):
                total[k] += count * np.log(product[k])
        for k in range(size):
            if np.min(u[:, k]) < _TINY:
                out[begin + k] = _far_log_normaliser(strength[begin + k], n)
            else:
                out[begin + k] = total[k] + matches * top[k]
    return out


@numba.njit(cache=True, error_model="numpy")
def _far_log_normaliser(a: Floats, n: Floats) -> float:
    """Give what `log_normaliser` does, of strengths (player,) some of which are very far apart."""
    m, top = a.size, np.max(a)
    u = np.empty(m)
    for i in range(m):
        u[i] = np.exp(max(a[i] - top, -700.0))
    total, matches = 0.0, 0.0
    for i in range(m):
        product, count = 1.0, 0.0
        for j in range(i):
            if n[i, j] == 0.0:
                continue
            matches += n[i, j]
            if u[i] < _TINY and u[j] < _TINY:
                high = max(a[i], a[j])
                total += n[i, j] * (high - top + np.log1p(np.exp(-abs(a[i] - a[j]))))
                continue
            if n[i, j] != count or product < _SMALL:
                total += count * np.log(product)
                product, count = 1.0, n[i, j]
            product *= u[i] + u[j]
        total += count * np.log(product)
    return float(total + matches * top)
