"""Scores of a board that are not what they look like: percent, leaks, copies."""

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.stats import binom, nbinom

from leaderbayes._arguments import number
from leaderbayes._errors import HintWarning, LeaderbayesError
from leaderbayes._scores.tables import Table, counted, listed, shown, suggest
from leaderbayes._types import Bools, Floats, Longs
from leaderbayes.sota._printed import digits_of

Clones = Literal["all", "one"]

_NEIGHBOURS = 5  # other scores on either side, from which the number of ties by chance is taken
_DIFFERENT = 5  # scores, of fewer neighbours say nothing
_BESIDE = 0.05  # share of teams near a perfect score that do not have it, without which it leaked
_GUESSED = 3.0  # standard errors above chance, within which a score is guessed
_RARE = 1e-4  # expected number of scores with so many ties by chance
_GAP = 5.0  # standard errors between a perfect score and the next, above which it is no luck
_FEWEST = 100  # instances, below which a perfect score is no wonder


def as_shares(table: Table, column: str, values: pd.Series) -> tuple[pd.Series, bool]:
    """Give shares, and whether the scores are percentages; refuse what may be either, or neither.

    Percentages are all from 0 to 100, and none is above 0 and up to 1.
    """
    wrong = values[(values < 0.0) | (values > 1.0)]
    if wrong.empty:
        return values, False
    low, high = values[values <= 1.0], values[values > 1.0]
    if float(values.min()) >= 0.0 and float(values.max()) <= 100.0:
        if not (low > 0.0).any():
            return values / 100.0, True
        table.refuse(
            f"column {shown(column)} holds {high.iloc[0]:g} and {low[low > 0.0].iloc[0]:g}: are "
            "they percentages or shares? Give all as shares, from 0 to 1: divide percentages by "
            "100.",
            wrong.index[0],
        )
    table.refuse(
        f"column {shown(column)} holds {wrong.iloc[0]:g}; shares are from 0 to 1, percentages to "
        "100. Of another metric give standard errors (se=, --se).",
        wrong.index[0],
    )


def chosen(
    table: Table,
    names: np.ndarray,
    scores: Floats,
    exclude: str | Sequence[str],
    ceiling: float | None,
    higher_is_better: bool,
) -> Bools:
    """Say which teams stay (team,): not named, and below the ceiling."""
    stay = np.ones(len(names), dtype=bool)
    named = [exclude] if isinstance(exclude, str) else list(exclude)
    for name in named:
        if str(name) not in set(names):
            table.refuse(f"exclude: no team {shown(name)}; {suggest(str(name), names)}")
    stay &= ~np.isin(names.astype(str), [str(name) for name in named])
    if ceiling is not None:
        ceiling = number("ceiling", ceiling)
        stay &= scores < ceiling if higher_is_better else scores > ceiling
    if not stay.any():
        raise LeaderbayesError(
            "No team is left: all are excluded (exclude=, --exclude), or at the ceiling (ceiling=, "
            "--ceiling)."
        )
    return stay


def copies(scores: Floats, n: int | None) -> tuple[Floats, Longs, Floats]:
    """Give scores that more teams share than chance has, how many do, and how many would.

    By chance a score is one of the steps of 1 / n, or of the printed digits, between its neighbours
    among the other scores, and gets as many teams as these do, a step. Of few different scores
    there are no neighbours: it is one that no team hits more often than one whose theta it is. So
    it is where a score's own luck spans a few steps only, as next to 1, or where digits are few:
    there teams of one theta crowd on one step.
    """
    values, counts = np.unique(scores, return_counts=True)
    step = max(10.0 ** -digits_of(scores), 1.0 / n if n else 0.0)
    if len(values) < _DIFFERENT:
        hit = _most_often(values, n, step)
        tail = len(scores) * binom.sf(counts - 2, len(scores) - 1, hit)
        odd = (counts > 1) & (tail < _RARE)
        return values[odd], counts[odd], 1.0 + (len(scores) - 1) * hit[odd]
    together = max(step * n, 1.0) if n else 1.0  # counts that are printed alike, on average
    uneven = np.ceil(together) / together
    where, total = np.arange(len(values)), np.concatenate([[0], np.cumsum(counts)])
    tail, expected = np.zeros(len(values)), np.zeros(len(values))
    for reach in (1, _NEIGHBOURS):  # next to it, where scores crowd; and farther, where few are
        first, last = np.maximum(where - reach, 0), np.minimum(where + reach, len(values) - 1)
        steps = np.maximum((values[last] - values[first]) / step, 1.0) / uneven
        others = (total[last + 1] - total[first] - counts).astype(float)
        # Poisson, with a rate of which so many others in so many steps tell.
        tail = np.maximum(tail, nbinom.sf(counts - 1, others, steps / (steps + 1.0)))
        expected = np.maximum(expected, others / steps)
    if n is not None:
        near, hit = _crowd(values, counts, n, step)
        tail = np.maximum(tail, np.where(near > 0, binom.sf(counts - 1, near, hit), 0.0))
        expected = np.maximum(expected, near * hit)
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


def beyond_chance(right: Floats, n: int, known: dict[str, Any]) -> Bools:
    """Whose share of right answers guessing does not explain (team,).

    Who guesses is like all others who do, and no copy of them.
    """
    chance = known.get("chance", 1.0 / known.get("classes", 2))
    return np.asarray(right > chance + _GUESSED * np.sqrt(chance * (1.0 - chance) / n))


def without_copies(scores: Floats, n: int | None, clones: Clones) -> Bools:
    """Say which teams stay (team,), and warn where teams seem to be copies of one."""
    stay = np.ones(len(scores), dtype=bool)
    values, counts, expected = copies(scores, n)
    if not len(values):
        return stay
    kept = np.maximum(np.round(expected), 1.0).astype(int)
    more = int((counts - kept).sum())
    if clones == "one":
        for value, count in zip(values, kept, strict=True):
            stay[np.flatnonzero(scores == value)[count:]] = False
    most = int(counts.argmax())
    done = (
        f"{more} of them are left out."
        if clones == "one"
        else "If so, they are one team with one luck: clones='one' (--clones one) keeps as many "
        "as chance would have, one at least."
    )
    warnings.warn(
        f"LB031 {counted(float(len(values)), 'score')} {'is' if len(values) == 1 else 'are'} "
        f"shared, to the last digit, by more teams than chance has, {more} more in all: "
        f"{values[most]:.10g} by {counts[most]}, where {max(expected[most], 1.0):.0f} would; "
        f"copies of one submission, most likely. {done}",
        HintWarning,
        stacklevel=3,
    )
    return stay


def warn_of_leaks(scores: Floats, names: np.ndarray, n: int) -> None:
    """Say that perfect scores far above all others are no skill."""
    perfect, rest = scores == 1.0, scores[scores < 1.0]
    if not perfect.any() or not rest.size or n < _FEWEST:
        return
    best = float(rest.max())
    if 1.0 - best <= _GAP * np.sqrt(max(best * (1.0 - best), 1.0 / n) / n):
        return
    several = int(perfect.sum())
    warnings.warn(
        f"LB032 {counted(float(several), 'team')} ({listed(names[perfect][:3])}"
        f"{' and more' if several > 3 else ''}) {'has' if several == 1 else 'have'} a perfect "
        f"score, and the next is {best:.4g}: answers that leaked, most likely. ceiling=1.0 "
        "(--ceiling 1) leaves them out.",
        HintWarning,
        stacklevel=3,
    )
