r"""A distribution of thetas learnt from a board: a Dirichlet process on a fine grid.

.. math:: P = \sum_k w_k \delta_k, \quad w \sim \mathrm{Dirichlet}(\alpha b), \quad
          \alpha \in \{0.02, 1, 1.5, 2, 3, 4\}

on cells of a scale on which scores err alike, with a base b that is uniform over the scale. Nothing
is assumed of its shape: a few values that many share, hard edges, several groups, and failures far
below, which are only one value more; with the smallest alpha all have one value. Drawn by Gibbs'
blocked sampler, told the likelihood of each different score in cells near it, whatever its law.

References
----------
Ishwaran, James (2001), Gibbs sampling methods for stick-breaking priors, JASA 96.
"""

import math

import numpy as np

from leaderbayes._numerics.kernels import njit
from leaderbayes._numerics.theta_cells import Cells
from leaderbayes._types import Floats, Longs

# Concentrations that the Dirichlet process may have. Of 1 to 4, equally likely: with 1 alone the
# best of hundreds that all differ were too low, with more alone the edges that many share too high.
# The first says that all teams are equal, which the others all but exclude of many. Were it more
# probable, teams that differ by less than their scores' errors would be equal, too.
ALPHAS = np.array([0.02, 1.0, 1.5, 2.0, 3.0, 4.0])
ALPHAS_PRIOR = np.array([0.04, 0.192, 0.192, 0.192, 0.192, 0.192])
_APART = 6  # cells of a pair between which weight is moved, at most
_STEPS, _FAR = 16, 12.0  # of the log-odds of their shares
_LIGHT = 1e-3  # weight of a pair that is left alone
_NOTHING = 45.0  # less in log-probability than another cell: never drawn


def start(given: Cells, rng: np.random.Generator) -> Floats:
    """Begin a chain with P(theta), (cell,), drawn from a few values more than the prior has."""
    weight = rng.standard_gamma(10.0 * given.share) + 1e-6 * given.share
    return np.asarray(weight / weight.sum())


@njit(nogil=True)
def sweep(
    given: Cells, value: Floats, log: Floats, times: Longs, weight: Floats, alpha: float,
    count: int, rng: np.random.Generator,
) -> float:  # fmt: skip
    """Update P(theta), ``weight`` (cell,), in place several times; return alpha.

    value: likelihood of each score in its cells, in the order of ``given.row``, each score's up to
    a factor, and its logarithm; times (score,): how many have it.
    """
    size, m = weight.size, times.sum()
    base, ahead, atoms = alpha * given.share, np.empty(size), np.empty(size)
    at, of = np.empty(m, np.int64), np.empty(m, np.int64)
    for _ in range(count):
        atoms[:] = 0.0
        j = 0
        for u in range(times.size):
            first, near = given.first[u], given.row[u + 1] - given.row[u]
            mine, share_of = value[given.row[u] : given.row[u + 1]], weight[first : first + near]
            total = 0.0
            for k in range(near):
                total += share_of[k] * mine[k]
                ahead[k] = total
            for _ in range(times[u]):
                level, below = rng.random() * total, 0
                for k in range(near):  # no branches, that no processor could foresee
                    below += ahead[k] <= level
                at[j], of[j] = first + min(below, near - 1), u
                atoms[at[j]] += 1.0
                j += 1
        _relocate(given, log, base, at, of, atoms, rng)
        alpha = _concentrate(given.share, atoms, m, rng)
        base = alpha * given.share
        total = 0.0
        for k in range(size):
            weight[k] = rng.standard_gamma(base[k] + atoms[k])
            total += weight[k]
        weight /= total
    return alpha


@njit(nogil=True)
def _concentrate(share: Floats, atoms: Floats, m: int, rng: np.random.Generator) -> float:
    """Draw alpha given the counts of cells, with weights integrated out."""
    log = np.empty(ALPHAS.size)
    for a in range(ALPHAS.size):
        alpha = ALPHAS[a]
        log[a] = math.log(ALPHAS_PRIOR[a]) + math.lgamma(alpha) - math.lgamma(alpha + m)
        for k in range(share.size):
            if atoms[k] > 0.0:
                base = alpha * share[k]
                log[a] += math.lgamma(base + atoms[k]) - math.lgamma(base)
    chance = np.cumsum(np.exp(log - log.max()))
    at = np.searchsorted(chance, rng.random() * chance[-1], side="right")
    return float(ALPHAS[min(at, ALPHAS.size - 1)])


@njit(nogil=True)
def _relocate(
    given: Cells, log: Floats, base: Floats, at: Longs, of: Longs, atoms: Floats,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    """Move values, with all teams that share them, to empty cells; ``atoms`` change in place."""
    occupied = np.flatnonzero(atoms > 0.0)
    slot = np.full(atoms.size, -1)
    slot[occupied] = np.arange(occupied.size)
    # Cells that explain one of a value's players are all that can explain every one of them.
    begin, end = np.zeros(occupied.size, np.int64), np.zeros(occupied.size, np.int64)
    for j in range(at.size):
        mine, first = slot[at[j]], given.first[of[j]]
        last = first + given.row[of[j] + 1] - given.row[of[j]]
        new = end[mine] == 0
        begin[mine] = first if new else max(begin[mine], first)
        end[mine] = last if new else min(end[mine], last)
    here = np.zeros((occupied.size, (end - begin).max()))
    for j in range(at.size):
        mine = slot[at[j]]
        shift = given.row[of[j]] - given.first[of[j]]
        theirs, own = here[mine], log[shift + begin[mine] : shift + end[mine]]
        for k in range(own.size):
            theirs[k] += own[k]
    chance, highest = np.empty(here.shape[1]), base.max()
    for mine in range(occupied.size):
        old, first, size = occupied[mine], begin[mine], end[mine] - begin[mine]
        many = atoms[old]
        stay = here[mine, old - first] + _rising(base[old], many)
        # As much as the prior may give to any cell.
        least, top = stay - _NOTHING - _rising(highest, many), -math.inf
        for k in range(size):
            cell = first + k
            chance[k] = -math.inf
            if cell == old:
                chance[k] = stay
            elif atoms[cell] == 0.0 and here[mine, k] > least:
                chance[k] = here[mine, k] + _rising(base[cell], many)
            top = max(top, chance[k])
        total = 0.0
        for k in range(size):
            if chance[k] > top - _NOTHING:
                total += math.exp(chance[k] - top)
            chance[k] = total
        new_cell = int(np.searchsorted(chance[:size], rng.random() * total, side="right"))
        atoms[old] = 0.0
        atoms[first + min(new_cell, size - 1)] = many


@njit(nogil=True)
def _rising(base: float, many: float) -> float:
    """Logarithm of base (base + 1) ... (base + many - 1)."""
    if many == 1.0:
        return math.log(base)
    return math.lgamma(base + many) - math.lgamma(base)


@njit(nogil=True)
def share_out(
    given: Cells, value: Floats, times: Longs, weight: Floats, alpha: float,
    rng: np.random.Generator,
) -> None:  # fmt: skip
    r"""Move weight between pairs of cells in place, with thetas integrated out.

    Given their sum the share f of one is Beta by itself, in log-odds t all but flat from where it
    is nothing to where it is all. It is proposed as its law is at steps of t, and beyond them as it
    exactly is there, and taken by Metropolis' rule: one value becomes two, or two become one, at
    once, where `sweep` moves players one by one.
    """
    size = weight.size
    base = alpha * given.share
    apart = rng.integers(1, _APART + 1)
    total = np.empty(times.size)
    # Scores that each cell may explain are between these.
    lowest, highest = np.full(size, times.size), np.zeros(size, np.int64)
    for u in range(times.size):
        total[u] = 0.0
        for k in range(given.row[u + 1] - given.row[u]):
            cell = given.first[u] + k
            total[u] += weight[cell] * value[given.row[u] + k]
            lowest[cell], highest[cell] = min(lowest[cell], u), u + 1
    touched, many = np.empty(times.size, np.int64), np.empty(times.size, np.int64)
    # The likelihood of each score with the share f, divided by today's, is rest + slope f.
    rest, slope, change = np.empty(times.size), np.empty(times.size), np.empty(times.size)
    log, span = np.empty(_STEPS + 2), 2.0 * _FAR / _STEPS
    # Ends, steps between them, and now.
    f = np.empty(_STEPS + 3)
    f[0], f[_STEPS + 1] = 0.0, 1.0
    log_f, log_rest = np.empty(_STEPS + 3), np.empty(_STEPS + 3)
    for i in range(_STEPS):
        f[i + 1] = 1.0 / (1.0 + math.exp(_FAR - (i + 0.5) * span))
        log_f[i + 1], log_rest[i + 1] = math.log(f[i + 1]), math.log1p(-f[i + 1])
    for first in range(size - apart):
        second = first + apart
        both = weight[first] + weight[second]
        if both < _LIGHT:  # which the move does not change
            continue
        now = weight[second] / both
        count = 0
        for u in range(min(lowest[first], lowest[second]), max(highest[first], highest[second])):
            begin, end = given.first[u], given.first[u] + given.row[u + 1] - given.row[u]
            if begin <= second and first < end:
                shift = given.row[u] - begin
                one = both * value[shift + first] if first >= begin else 0.0
                two = both * value[shift + second] if second < end else 0.0
                left = max(total[u] - (1.0 - now) * one - now * two, 0.0)
                rest[count], slope[count] = (left + one) / total[u], (two - one) / total[u]
                change[count], touched[count], many[count] = two - one, u, times[u]
                count += 1
        shape = base[second], base[first]
        f[_STEPS + 2] = now
        factors = rest[:count], slope[:count], many[:count]
        gains = _gains(f, *factors)
        for i in range(1, _STEPS + 1):
            prior = shape[0] * log_f[i] + shape[1] * log_rest[i] + math.log(span)
            log[i] = prior + gains[i]
        for i, rate in ((0, shape[0]), (_STEPS + 1, shape[1])):
            log[i] = gains[i] - rate * _FAR - math.log(rate)
        chance = np.cumsum(np.exp(log - log.max()))
        at = int(np.searchsorted(chance, rng.random() * chance[-1], side="right"))
        if at == 0:
            t = -_FAR + math.log(rng.random() + 1e-300) / shape[0]
        elif at == _STEPS + 1:
            t = _FAR - math.log(rng.random() + 1e-300) / shape[1]
        else:
            t = -_FAR + (at - 1 + rng.random()) * span
        then = 1.0 / (1.0 + math.exp(min(-t, 700.0)))
        then = math.exp(max(t, -700.0)) if t < -30.0 else then
        of_then = _gains(np.array([then]), *factors)[0]
        gain = 0.0
        for g, own, sign in ((then, of_then, 1.0), (now, gains[_STEPS + 2], -1.0)):
            odds = math.log(max(g, 1e-300)) - math.log(max(1.0 - g, 1e-300))
            if abs(odds) < _FAR:
                cell = min(int((odds + _FAR) / span), _STEPS - 1)
                prior = shape[0] * math.log(g) + shape[1] * math.log1p(-g) + math.log(span)
                gain += sign * (prior + own - log[cell + 1])
        if not math.log(rng.random() + 1e-300) < gain:
            continue
        for c in range(count):
            total[touched[c]] += (then - now) * change[c]
        weight[second] = both * then
        weight[first] = both * (1.0 - then)


@njit(nogil=True)
def _gains(f: Floats, rest: Floats, slope: Floats, many: Longs) -> Floats:
    """Return the gain in log-likelihood at each share f: the sum of many log(rest + slope f)."""
    terms = np.maximum(rest.reshape(-1, 1) + slope.reshape(-1, 1) * f, 1e-300)
    return np.asarray((np.log(terms) * many.reshape(-1, 1)).sum(axis=0))


@njit(nogil=True)
def log_sums(given: Cells, value: Floats, share: Floats) -> Floats:
    """Logarithm of each score's likelihood under P(theta), but for its factor, (score,)."""
    log = np.empty(given.first.size)
    for u in range(log.size):
        begin, total = given.row[u], 0.0
        for k in range(given.row[u + 1] - begin):
            total += share[given.first[u] + k] * value[begin + k]
        log[u] = math.log(total) if total > 0.0 else -math.inf
    return log


def place(
    given: Cells, value: Floats, share: Floats, of: Longs, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Draw thetas (classifier,) on the scale given P(theta) and scores.

    Who is in one cell has one theta: values are shared, and the best of many in a cell is no
    better than one of them.

    of (classifier,): position of each one's score. Also the logarithm of each score's likelihood,
    (score,), with its factor.
    """
    size = np.diff(given.row)
    cell = np.arange(given.row[-1]) + np.repeat(given.first - given.row[:-1], size)
    chance = share[cell] * value
    total = np.add.reduceat(chance, given.row[:-1])
    inside = _inside(given, rng)
    with np.errstate(divide="ignore", invalid="ignore"):
        ahead, log = np.cumsum(chance / np.repeat(total, size)), np.log(total)
    at = np.searchsorted(ahead, of + rng.random(of.size), side="right")
    return inside[cell[np.clip(at, given.row[of], given.row[of + 1] - 1)]], log


def _inside(given: Cells, rng: np.random.Generator) -> Floats:
    """Draw a value within each cell (cell,)."""
    width = np.diff(given.edge)
    return np.asarray(given.edge[:-1] + rng.random(width.size) * width)


def draw(given: Cells, share: Floats, size: int, rng: np.random.Generator) -> Floats:
    """Draw from P(theta) on the scale (classifier,)."""
    k = np.searchsorted(np.cumsum(share)[:-1], rng.random(size) * share.sum(), side="right")
    return np.asarray(_inside(given, rng)[k])
