"""What the matches of a board show, and whoever reads its leaderboard should know."""

import math
import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from leaderbayes._errors import HintWarning
from leaderbayes._fits.kinds import OF_SCORES
from leaderbayes._scores import names
from leaderbayes._scores.metrics import words
from leaderbayes._scores.tables import listed
from leaderbayes._scores.where_missing import lacking

# Warnings point to the first line outside of it.
_PACKAGE = str(Path(__file__).parents[1])
MANY_TIES = 0.1
_FEWEST = 20  # items, or clusters
_MOST_NAMED = 3  # players who lack hard rounds
_CELLS_EACH = 8  # for each item: more keys than that are sorted, not counted
# More folds of one cross-validation are rare: they are those of several, in one row.
_MOST_FOLDS = 20
_FOLD = frozenset(
    "fold folds kfold split splits cv resample resamples resampling bootstrap bootstraps".split()
)
_RESAMPLED = ("resampl", "train", "holdout", "bootstrap", "subsampling")  # splits at random
_BESIDE = "rep reps repeats repeated r f of train test score holdout subsampling"
_WORD = "|".join(sorted({*names.ROUND.split(), *_BESIDE.split(), *_FOLD}, key=len, reverse=True))
# A fold's name: one number, or those of repeat and fold, and words of rounds. No year is one. (No
# word is made of others, or a name would be tried in too many ways.)
_NAME = re.compile(rf"(?:(?:{_WORD}|[\W_])*(?<!\d)\d{{1,3}}){{1,2}}(?!\d)(?:{_WORD}|[\W_])*")
_NUMBER = re.compile(r"([^\W\d_]*)[\W_]*(\d+)")
_OF_TIES = {
    "half": "each counts as half a win for both",
    "floor": "each counts as half a win for both, and sums are rounded down",
    "drop": "they are left out",
    "loss": "each counts as the loss of who is listed first",
}

_NO_SIZES = (
    "LB025 every score is one of two values, right or wrong perhaps, and mean scores are fitted as "
    "if they were normal: with few items, or few wrong ones, intervals are too narrow. Take "
    "likelihood='dirichlet', and no test_fraction."
)
_NORMAL_ONLY = (
    "LB025 every score is one of two values, right or wrong perhaps, and mean scores are fitted as "
    "if they were normal: with few items, or few wrong ones, intervals are too narrow. Make rounds "
    "of the means of some items each, or take model='mean_score' of one tournament."
)
_RIGHT_OR_WRONG = (
    "LB026 scores are answers, right or wrong (or look like it): {share:.0f} % of the matches "
    "are tied and do not say who is better, and no match says by how much. Take "
    "model='mean_score' (--model mean_score): how much better, of each pair by the rounds in which "
    "they differ."
)
_CLUSTERS = (
    "LB027 rounds have clusters (the coordinate 'cluster'), and this model takes every round for "
    "itself: where rounds of a cluster go together, intervals are too narrow. Take "
    "model='mean_score', whose unit are the clusters, or make rounds of their means."
)
_FEW_ITEMS = (
    "LB028 {count} only: how often intervals hold was measured from 50 items on, and so few say "
    "little of how items differ. Have more items, or say so."
)
_LACKING = (
    "LB053 not missing at random: {who}. What is missing is filled in as if {moves}, {but}, so "
    "that its score and all differences to it may be off. Give the scores that are known (a "
    "time-out or a refusal is a wrong answer, say), or take the rounds that all have, "
    "scores.dropna('round')."
)
_AS_ITEMS = ("an item moved all players alike", "which shares of right answers do not")
_AS_ROUNDS = (
    "a round moved all players alike", "and its lead over the others goes with their scores"
)  # fmt: skip


class Folds(NamedTuple):
    """What the names of folds tell of them."""

    k: int | None  # folds of one cross-validation; None where nobody can tell
    sure: bool  # whether repeats are named too: else a number may count the folds of several


def hint(
    matches: xr.Dataset, model: str, arguments: Mapping[str, Any], scores: xr.DataArray
) -> None:
    """Warn of `hints`, and of what scores are.

    LB025, or LB026 in place of LB018, if they have two values; LB027, if rounds have clusters;
    LB028, if items are few; LB053, if mean scores are missing where rounds are hard.

    Parameters
    ----------
    arguments : mapping
        Of the fit: ``test_fraction``, and of mean scores their options.
    """
    texts = hints(matches, model, arguments["test_fraction"], column=column_of(scores))
    if "cluster" in scores.coords:  # What is numbered are items of clusters.
        texts = [text for text in texts if not text.startswith("LB017")]
    if are_answers(scores) and len(matches["round"]) > 1:
        if model == "score_tournaments":
            texts.append(_NORMAL_ONLY)
        elif model != "mean_score":
            texts = [text for text in texts if not text.startswith("LB018")]
            texts.append(_RIGHT_OR_WRONG.format(share=100.0 * tied_share(matches)))
        elif arguments["likelihood"] == "normal" and is_right_or_wrong(scores):
            texts.append(_NO_SIZES)
    if model == "mean_score":
        texts += _of_the_missing(scores, arguments["likelihood"] == "dirichlet")
    if model == "mean_score" and arguments["likelihood"] == "dirichlet":
        texts += _of_few_items(scores) if arguments["statistic"] == "mean" else []
    if model not in OF_SCORES and "cluster" in scores.coords:
        texts.append(_CLUSTERS)
    for text in texts:
        warnings.warn(text, HintWarning, skip_file_prefixes=(_PACKAGE,))


def _of_few_items(scores: xr.DataArray) -> list[str]:
    """Say that items are few, or clusters, as if these were of equal size."""
    of = scores["cluster"].to_numpy() if "cluster" in scores.coords else scores["round"].to_numpy()
    _, sizes = np.unique(of.astype(str), return_counts=True)
    count = float(sizes.sum()) ** 2 / float((sizes.astype(float) ** 2).sum())
    if count >= _FEWEST:
        return []
    what = "clusters (as if of equal size)" if "cluster" in scores.coords else "items"
    return [_FEW_ITEMS.format(count=f"{count:.0f} {what}")]


def _of_the_missing(scores: xr.DataArray, items: bool) -> list[str]:
    """Say whose scores are missing where others have other scores than elsewhere.

    Rounds may move all players alike, and then it does no harm; items do not.
    """
    found = [one for one in lacking(scores) if items or one.bends]
    if not found:
        return []
    who = "; ".join(
        f"{one.player!r} lacks {100.0 * one.share:.0f} % of the rounds, in which the others' mean "
        f"is {one.missing:.3g} and not {one.there:.3g}"
        for one in found[:_MOST_NAMED]
    )
    who += f"; and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    moves, but = _AS_ITEMS if items else _AS_ROUNDS
    return [_LACKING.format(who=who, moves=moves, but=but)]


def are_answers(scores: xr.DataArray) -> bool:
    """Tell whether scores are right or wrong, means of runs that were, or look like it.

    Two values between 0 and 1, such as accuracies of 0.6 and 0.8 on a small board, do not.
    """
    if scores.attrs.get("answers", 0):
        return True
    y = scores.to_numpy()
    return is_right_or_wrong(scores) and not (np.nanmin(y) > 0.0 and np.nanmax(y) < 1.0)


def is_right_or_wrong(scores: xr.DataArray) -> bool:
    """Tell whether every score is one of two values."""
    y = scores.to_numpy()
    low, high = np.nanmin(y), np.nanmax(y)
    return bool(low < high and ((y == low) | (y == high) | np.isnan(y)).all())


def hints(
    matches: xr.Dataset,
    model: str,
    test_fraction: float | None = None,
    *,
    column: str = "",
    posterior: bool = True,
) -> list[str]:
    """Say what this board's leaderboard does not tell by itself.

    LB017, if rounds look like folds and there is no ``test_fraction``; LB018, if many matches are
    tied and the model has no parameter for that; LB019, if there is one round.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches`, with or without the tables of pairs.
    model : str
        Name of the model that is fitted.
    test_fraction : float, optional
        As given for that model.
    column : str
        What the column of rounds was called, as for `look_like_folds`.
    posterior : bool
        Whether it is sampled: maximum likelihood has no ``test_fraction``.
    """
    rounds = [str(name) for name in matches["round"].to_numpy()]
    folds = look_like_folds(rounds, column)
    share = tied_share(matches)
    texts = []
    if folds is not None and test_fraction is None:
        texts.append(_of_folds(rounds, folds, posterior=posterior))
    if share >= MANY_TIES and model not in ("davidson", *OF_SCORES):
        texts.append(_of_tied(share, str(matches.attrs["ties"]), model))
    if len(rounds) == 1:
        texts.append(_of_one_round("tournament" in matches["place"].dims))
    return texts


def column_of(scores: xr.DataArray) -> str:
    """Find what the column of rounds was called in the table that was read; "" if none was."""
    found = re.search(r"(?:^|, )round=(.*?)(?:, score=|$)", str(scores.attrs.get("columns", "")))
    return found[1] if found else ""


def look_like_folds(rounds: Sequence[str], column: str = "") -> Folds | None:
    """Tell whether rounds are folds of a cross-validation, or resamples; None where nothing does.

    They are where every name has one or two numbers, no word that is not a round's, and

    - the column of the rounds is called fold, split, cv, resample or bootstrap (and its names may
      be letters, too); or
    - every name has such a word ("fold 3", "Fold03.Rep2"); or
    - names are pairs of numbers, the same run of folds in each of several repeats ("2.5"), and no
      column says that they are something else.

    A number by itself says nothing, nor does "seed 3" or "run 3".

    Parameters
    ----------
    rounds : sequence of str
        Names.
    column : str
        What their column was called; "" where nobody knows.
    """
    said = _FOLD & set(words(column))
    if said and all(re.fullmatch("[A-Za-z]", name) for name in rounds):
        rounds = [str(1 + ord(name.lower()) - ord("a")) for name in rounds]
    if len(rounds) < 2 or not all(_NAME.fullmatch(name.lower()) for name in rounds):
        return None
    pairs = [_repeat_and_fold(name.lower()) for name in rounds]
    folds_of = {
        repeat: sorted(fold for of, fold in pairs if of == repeat)
        for repeat in dict.fromkeys(of for of, _ in pairs)
    }
    first, *others = folds_of.values()
    run = first == list(range(first[0], first[0] + len(first))) and first[0] in (0, 1)
    grid = bool(others) and len(first) > 1 and run and all(own == first for own in others)
    named = all(_FOLD & set(re.findall(r"[^\W\d_]+", name.lower())) for name in rounds)
    open_column = column in ("", "column", "row") or names.is_round(column)
    if not (said or named or (grid and open_column)):
        return None
    if None not in folds_of:
        every = {fold for _, fold in pairs}
        return Folds(len(every) if len(every) > 1 else None, sure=True)
    resampled = any(word.startswith(_RESAMPLED) for word in {*said, *words(rounds[0])})
    known = run and len(first) == len(rounds) <= _MOST_FOLDS and not resampled
    return Folds(len(rounds) if known else None, sure=False)


def _repeat_and_fold(name: str) -> tuple[int | None, int]:
    """Read "2.3", "fold 3" or "fold03.rep2": (2, 3), (None, 3) and (2, 3)."""
    *before, (word, number) = _NUMBER.findall(name)
    if not before:
        return None, int(number)
    ((other, first),) = before
    if other in _FOLD and word not in _FOLD:
        return int(number), int(first)
    return int(first), int(number)


def tied_share(matches: xr.Dataset) -> float:
    """Give the share of matches that are tied, whatever the rule for ties; 0 where there is none.

    Parameters
    ----------
    matches : Dataset
        From `leaderbayes.matches`; its places are enough.
    """
    place = matches.variables["place"].transpose(..., "round", "player").to_numpy()
    if matches.attrs["within_round"]:
        rows = place.reshape(-1, place.shape[-1])  # rounds of all tournaments
        steps = int(rows.max(initial=0)) + 1
        cell = rows + steps * np.arange(len(rows))[:, None]
        size = np.bincount(cell.ravel(), minlength=steps * len(rows)).reshape(-1, steps)[:, 1:]
        played = size.sum(axis=1)
        return float((size * (size - 1)).sum()) / max(int((played * (played - 1)).sum()), 1)
    board = place.reshape(-1, *place.shape[-2:])
    t, k, i = np.nonzero(board)
    rank = board[t, k, i]
    # A player does not meet itself, of another round.
    return (_pairs(t, rank) - _pairs(t, i, rank)) / max(_pairs(t) - _pairs(t, i), 1)


def _pairs(*keys: np.ndarray) -> int:
    """Count the pairs of items, (item,), that have the same keys."""
    shape = [int(key.max(initial=0)) + 1 for key in keys]
    every = np.ravel_multi_index(keys, shape)
    if math.prod(shape) <= _CELLS_EACH * len(every):
        sizes = np.bincount(every)
    else:
        _, sizes = np.unique(every, return_counts=True)
    return int((sizes * (sizes - 1) // 2).sum())


def _of_folds(rounds: Sequence[str], folds: Folds, *, posterior: bool) -> str:
    some = listed(rounds[:3]) + (", ..." if len(rounds) > 3 else "")
    option = "test_fraction"
    if folds.k is not None:
        option += f"={1.0 / folds.k:.3g}"
    every = "the share of the rows that each tests on"
    meaning = (
        every
        if folds.k is None
        else f"for {folds.k} folds"
        if folds.sure
        else f"if they are the {folds.k} folds of one cross-validation, or else {every}"
    )
    typed = "--" + option.replace("_", "-").replace("=", " ")
    give = (
        "and no test_fraction is given: intervals are too narrow for a statement about fresh "
        f"data. Give {option} ({typed})"
        if posterior
        else "for which maximum likelihood has no remedy: intervals are too narrow for a statement "
        f"about fresh data. Take leaderbayes.fit with {option} ({typed}, without --ml)"
    )
    return (
        f"LB017 rounds look like folds of the same data ({some}), which share training rows, "
        f"{give}, {meaning}."
    )


def _of_tied(share: float, ties: str, model: str) -> str:
    fits = "leaderbayes.study.fit(..., model='davidson') fits each tournament with a parameter"
    if model != "tournaments":
        fits = "leaderbayes.fit(..., model='davidson') (--model davidson) has a parameter"
    return (
        f"LB018 {100.0 * share:.0f} % of the matches are tied, and {_OF_TIES[ties]} "
        f"(ties={ties!r}): {fits} for ties; scores with more digits tie less."
    )


def _of_one_round(several: bool) -> str:
    if several:
        return (
            "LB019 one score a player in each tournament: nothing tells a round's luck from how "
            "tournaments differ, but the prior. Take the tournaments as the rounds of one board: "
            "leaderbayes.fit(scores.isel(round=0, drop=True).rename(tournament='round'))."
        )
    return (
        "LB019 one score a player: the board is one ranking, and how sure it is only the prior "
        "says. Report it as a ranking; give more rounds (folds, seeds, other test sets) for "
        "intervals, or ask how good the best is (leaderbayes.sota.posterior)."
    )
