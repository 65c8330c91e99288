"""Teams that share a score, to the last digit, more often than chance has it: copies of one."""

import warnings
from typing import Literal

import numpy as np
from scipy.stats import binom, nbinom

from leaderbayes._errors import HintWarning
from leaderbayes._scores.tables import counted
from leaderbayes._types import Bools, Floats, Longs
from leaderbayes.sota._printed import digits_of

Clones = Literal["all", "one"]

_NEIGHBOURS = 5  # other scores on either side, from which the number of ties by chance is taken
_DIFFERENT = 5  # scores, of fewer neighbours say nothing
_BESIDE = 0.05  # share of teams near a perfect score that do not have it, without which it leaked
_GUESSED = 3.0  # standard errors above chance, within which a score is guessed
_RARE = 1e-4  # expected number of scores with so many ties by chance


def copies(scores: Floats, n: int | None) -> tuple[Floats, Longs, Floats]:
    """Return scores that more teams share than chance has, how many do, and how many would.

    By chance a score is one of the steps of 1 / n, or of the printed digits, between its neighbours
    among the other scores, and gets as many teams as these do, a step. Of few different scores, and
    where a score's own luck spans a few steps only, it is one that no team hits more often than one
    whose theta it is.
    """
    values, counts = np.unique(scores, return_counts=True)
    step = max(10.0 ** -digits_of(scores), 1.0 / n if n else 0.0)
    if len(values) < _DIFFERENT:
        hit = _most_often(values, n, step)
        tail = binom.sf(counts - 2, len(scores) - 1, hit) * len(scores) / len(values)
        return _rare(values, counts, tail, 1.0 + (len(scores) - 1) * hit)
    together = max(step * n, 1.0) if n else 1.0  # counts that are printed alike, on average
    uneven = np.ceil(together) / together
    where, total = np.arange(len(values)), np.concatenate([[0], np.cumsum(counts)])
    tail, expected = np.zeros(len(values)), np.zeros(len(values))
    for reach in (1, _NEIGHBOURS):  # next to it, where scores crowd; and farther, where few are
        first, last = np.maximum(where - reach, 0), np.minimum(where + reach, len(values) - 1)
        steps = np.maximum((values[last] - values[first]) / step, 1.0) / uneven
        others = (total[last + 1] - total[first] - counts).astype(float)
        # Poisson, with a rate that so many others in so many steps show.
        tail = np.maximum(tail, nbinom.sf(counts - 1, others, steps / (steps + 1.0)))
        expected = np.maximum(expected, others / steps)
    if n is not None:
        near, hit = _crowd(values, counts, n, step)
        tail = np.maximum(tail, np.where(near > 0, binom.sf(counts - 1, near, hit), 0.0))
        expected = np.maximum(expected, near * hit)
    return _rare(values, counts, tail, expected)


def _rare(
    values: Floats, counts: Longs, tail: Floats, expected: Floats
) -> tuple[Floats, Longs, Floats]:
    odd = (counts > 1) & (tail * len(values) < _RARE)
    return values[odd], counts[odd], expected[odd]


def _crowd(values: Floats, counts: Longs, n: int, step: float) -> tuple[Longs, Floats]:
    """Count teams that may have a score's theta, and bound how often these hit it (value,).

    No teams where luck spans many steps; nor of perfect scores that are alone, as leaks are.
    """
    sd = np.sqrt(values * (1.0 - values) / n)
    reach = 3.0 * np.maximum(sd, 1.0 / n) + step
    total = np.concatenate([[0], np.cumsum(counts)])
    first, last = (np.searchsorted(values, values + k * reach) for k in (-1.0, 1.0))
    near = total[last] - total[first]
    alone = ((values == 0.0) | (values == 1.0)) & (near - counts < _BESIDE * near)
    near = np.where((sd < _NEIGHBOURS * step) & ~alone, near, 0)
    return near, _most_often(values, n, step)


def _most_often(values: Floats, n: int | None, step: float) -> Floats:
    """Bound the probability of each share (value,), as it is printed, whatever theta is."""
    if n is None:
        return np.ones(len(values))
    right = np.clip(np.round(values * n), 0, n)
    return np.minimum(binom.pmf(right, n, right / n) * max(round(step * n), 1), 1.0)


def without_copies(scores: Floats, n: int | None, chance: float, clones: Clones) -> Bools:
    """Return which teams remain (team,), and warn where teams seem to be copies of one.

    Who guesses is like all others who do, and no copy of them. scores: more is better.
    """
    stay, able = np.ones(len(scores), bool), np.ones(len(scores), bool)
    if n is not None:
        able = scores > chance + _GUESSED * np.sqrt(chance * (1.0 - chance) / n)
    values, counts, expected = copies(scores[able], n)
    if not len(values):
        return stay
    kept = np.maximum(np.round(expected), 1.0).astype(int)
    if clones == "one":
        for value, count in zip(values, kept, strict=True):
            stay[np.flatnonzero(able & (scores == value))[count:]] = False
    more, most = int((counts - kept).sum()), int(counts.argmax())
    done = (
        f"{more} of them are excluded."
        if clones == "one"
        else "clones='one' (--clones one) keeps as many as chance would have, one at least."
    )
    warnings.warn(
        f"LB031 {counted(float(len(values)), 'score')} {'is' if len(values) == 1 else 'are'} "
        f"shared, to the last digit, by more teams than chance has, {more} more in all: "
        f"{values[most]:.10g} by {counts[most]}, where {max(expected[most], 1.0):.0f} would; "
        f"copies of one submission, most likely, with one luck. {done}",
        HintWarning,
        stacklevel=3,
    )
    return stay
