"""What the matches and scores of a board show, and its readers should know."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import pearsonr

from leaderbayes._errors import LeaderbayesError, warn
from leaderbayes._numerics.pairs import Separation, separation
from leaderbayes._numerics.two_way import effects
from leaderbayes._scores import names
from leaderbayes._scores.metrics import words
from leaderbayes._scores.tables import listed
from leaderbayes._types import Floats

_MANY_TIES = 0.1
_FEWEST_ITEMS = 20  # items, or clusters
_FEWEST_WRONG = 4  # answers of the rarer kind, of the middle player
_NAMED = 30  # characters
_MOST_FOLDS = 20  # of one cross-validation; more are those of several, in one row
_FOLD = frozenset(
    "fold folds kfold split splits cv resample resamples resampling bootstrap bootstraps".split()
)
_RESAMPLED = ("resampl", "train", "holdout", "bootstrap", "subsampling")  # splits at random
_BESIDE = "rep reps repeats repeated r f of train test score holdout subsampling"
_WORDS = {*names.ROUND.split(), *_BESIDE.split(), *_FOLD}
_OF_TIES = {
    "half": "each counts as half a win for both",
    "floor": "each counts as half a win for both, and sums are rounded down",
    "drop": "they are excluded",
    "loss": "each counts as a loss for the first-listed player",
}
_RIGHT_OR_WRONG = (
    "LB018 Scores are right or wrong, so strengths do not show shares of right answers. Fit "
    "model='mean_score' (--model mean_score)."
)
_AS_IF_NORMAL = (
    "LB018 Scores are right or wrong, but fitted as normal: intervals may be too narrow. Omit "
    "likelihood='normal', or use means of several items as rounds."
)
_CLUSTERS = (
    "LB027 Rounds come in clusters, which this model ignores: intervals are too narrow. Fit "
    "model='mean_score' (--model mean_score)."
)
_FEW_ITEMS = "LB028 Only {count:.0f} {what}: intervals may be too narrow. Add {what}{more}."
_FEW_WRONG = (
    "LB028 Half of the players have at most {count:.0f} {kind} answers: intervals may be too "
    "narrow. Add items, or use {other} ones."
)
_APART = (
    "Scores are not missing at random: rounds that weaker players lack separate players {how} than "
    "others, so strengths are extrapolated to all rounds."
)
_UNEQUAL = (
    "Weaker and stronger players lack different rounds, so strengths are extrapolated to all "
    "rounds."
)
_FEWEST_ROUNDS, _RARELY, _SELDOM = 6, 0.005, 0.05
MOST_COMPARED = 300  # players, of whom every pair is looked at in every round
_LACKING = (
    "LB053 Answers are not missing at random, which biases means: {who}. Fill them in (score a "
    "time-out as wrong), or fit scores.dropna('round')."
)


class Folds(NamedTuple):
    """What the names of folds show."""

    k: int | None  # folds of one cross-validation; None if unknown
    sure: bool  # whether repeats are named too: else a number may count the folds of several


def hint(
    scores: xr.DataArray, matches: xr.Dataset | None = None, *, test_fraction: float | None = None,
    models_ties: bool = False, likelihood: str | None = None,
) -> None:  # fmt: skip
    """Warn of `hints`, and of what the scores are; refuse ``test_fraction`` of tasks."""
    scheme = scores.attrs.get("scheme", "Model/CV")
    if test_fraction is not None and scheme != "Model/CV":
        raise LeaderbayesError(
            f"test_fraction is for folds, and the scheme of these scores is {scheme!r}: omit it, "
            "or read them with scheme='Model/CV' (--scheme Model/CV)."
        )
    given, column = scores if matches is None else matches, column_of(scores)
    texts = hints(given, test_fraction=test_fraction, models_ties=models_ties, column=column)
    clustered, several = "cluster" in scores.coords, scores.sizes["round"] > 1
    if clustered or "stratum" in scores.coords:  # items of clusters are numbered
        texts = [text for text in texts if not text.startswith("LB017")]
    if matches is not None:
        if are_answers(scores) and several:
            texts = [text for text in texts if not text.startswith("LB018")]
            texts.append(_RIGHT_OR_WRONG)
        texts += [_CLUSTERS] if clustered else []
        if not models_ties and "tournament" not in matches.dims:
            found = separation_of(matches)
            if found is not None and found.p_value < _RARELY:
                texts += [f"LB053 {text} Run the missing ones." for text in apart(found)]
    elif likelihood == "dirichlet":
        texts += [*_of_the_missing(scores), *_of_few_items(scores), *_of_few_wrong(scores)]
    elif likelihood == "normal" and is_right_or_wrong(scores) and several:
        texts.append(_AS_IF_NORMAL)
    for text in texts:
        warn(text)


def hints(
    given: xr.Dataset | xr.DataArray, *, test_fraction: float | None = None,
    models_ties: bool = False, posterior: bool = True, column: str = "",
) -> list[str]:  # fmt: skip
    """Return what a leaderboard of these matches, or scores, does not show by itself.

    LB017, if rounds look like folds and there is no ``test_fraction`` (an option of posteriors);
    LB018, if many matches are tied and the model has no parameter for that; LB011, if there is one
    round. ``column`` is that of `column_of`.
    """
    rounds = [str(name) for name in given["round"].to_numpy()]
    folds, scheme = look_like_folds(rounds, column), given.attrs.get("scheme")
    if scheme is not None:
        folds = (folds or Folds(None, sure=False)) if scheme == "Model/CV" else None
    several = "tournament" in given.dims
    texts = []
    if folds is not None and test_fraction is None:
        texts.append(_of_folds(rounds, folds, posterior=posterior))
    share = tied_share(given) if isinstance(given, xr.Dataset) and not models_ties else 0.0
    if share >= _MANY_TIES:
        ties = str(given.attrs["ties"])
        fit = "study.fit" if several else "fit"
        texts.append(
            f"LB018 {100.0 * share:.0f} % of the matches are tied, and {_OF_TIES[ties]}. "
            f"leaderbayes.{fit}(..., model='davidson') (--model davidson) has a parameter for ties."
        )
    if len(rounds) == 1:
        remedy = (
            "Make the tournaments rounds: "
            "leaderbayes.fit(scores.isel(round=0, drop=True).rename(tournament='round'))."
            if several
            else "Add rounds (folds, seeds, test sets), or see leaderbayes.sota.posterior."
        )
        texts.append(f"LB011 One score per player: intervals rest on the prior. {remedy}")
    return texts


def _of_folds(rounds: Sequence[str], folds: Folds, *, posterior: bool) -> str:
    some = listed(rounds[:3]) + (", ..." if len(rounds) > 3 else "")
    option, meaning = "test_fraction", "the share of rows that each round tests on"
    if folds.k is not None:
        sure = "for" if folds.sure else "if one cross-validation has"
        option, meaning = f"{option}={1.0 / folds.k:.3g}", f"{sure} {folds.k} folds"
    typed = "--" + option.replace("_", "-").replace("=", " ")
    use = "Give" if posterior else "Use leaderbayes.fit with"
    return (
        f"LB017 Rounds look like folds of one data set ({some}): intervals are too narrow for new "
        f"data. {use} {option} ({typed}), {meaning}."
    )


def _of_few_items(scores: xr.DataArray) -> list[str]:
    """Warn of few items, or of few clusters, as if these were of equal size."""
    by = "cluster" if "cluster" in scores.coords else "round"
    _, sizes = np.unique(scores[by].to_numpy().astype(str), return_counts=True)
    count = float(sizes.sum()) ** 2 / float((sizes.astype(float) ** 2).sum())
    what, more = "items", ""
    if by == "cluster":
        what, more = "clusters", ", or use cluster='same' for results about these"
    few = _FEW_ITEMS.format(count=count, what=what, more=more)
    return [] if count >= _FEWEST_ITEMS else [few]


def _of_few_wrong(scores: xr.DataArray) -> list[str]:
    """Warn where nearly all answers are right, or wrong."""
    if not is_right_or_wrong(scores):
        return []
    y = scores.transpose("player", "round").to_numpy()
    low, high = (float(np.median((y == end).sum(axis=1))) for end in (np.nanmin(y), np.nanmax(y)))
    count = min(low, high)
    if count >= _FEWEST_WRONG:
        return []
    wrong = (count == low) == bool(scores.attrs.get("higher_is_better", 1))
    kind, other = ("wrong", "harder") if wrong else ("right", "easier")
    return [_FEW_WRONG.format(count=count, kind=kind, other=other)]


def _of_the_missing(scores: xr.DataArray) -> list[str]:
    """Name whose answers are missing where items are hard, or easy."""
    found = lacking(scores)
    more = f" ({len(found) - 1} more do so)" if len(found) > 1 else ""
    return [_LACKING.format(who=f"{found[0]}{more}")] if found else []


def separation_of(matches: xr.Dataset) -> Separation | None:
    """Compare rounds by who plays in them; None if no score is missing, or too few or too many."""
    place = matches["place"].transpose("round", "player").to_numpy()
    alone = not matches.attrs["within_round"] or place.shape[1] > MOST_COMPARED
    if alone or len(place) < _FEWEST_ROUNDS or (place > 0).all():
        return None
    return separation(place, matches["wins"].to_numpy(), matches["n"].to_numpy())


def apart(found: Separation | None) -> list[str]:
    """Report that rounds which weaker players lack separate players more, less, or perhaps so."""
    if found is None or min(found.p_value, found.p_missing) >= _SELDOM:
        return []
    how = "more" if found.slope > 0.0 else "less"
    return [_APART.format(how=how) if found.p_value < _SELDOM else _UNEQUAL]


def are_answers(scores: xr.DataArray) -> bool:
    """Whether scores are right or wrong, means of such runs, or look so: 0.6 and 0.8 do not."""
    if scores.attrs.get("answers", 0):
        return True
    y = scores.to_numpy()
    return is_right_or_wrong(scores) and not (np.nanmin(y) > 0.0 and np.nanmax(y) < 1.0)


def is_right_or_wrong(scores: xr.DataArray) -> bool:
    """Whether every score is one of two values."""
    y = scores.to_numpy()
    low, high = np.nanmin(y), np.nanmax(y)
    return bool(low < high and ((y == low) | (y == high) | np.isnan(y)).all())


def column_of(scores: xr.DataArray) -> str:
    """Find what the column of rounds was called in the table that was read; "" if unknown."""
    found = re.search(r"(?:^|, )round=(.*?)(?:, score=|$)", str(scores.attrs.get("columns", "")))
    return found[1] if found else ""


def look_like_folds(rounds: Sequence[str], column: str = "") -> Folds | None:
    """Return what the names of folds show; None where rounds do not look like folds.

    They do where every name has one or two numbers, no word that is not a round's, and the column
    of rounds or every name a word of `_FOLD`; or where names are pairs of numbers, the same run of
    folds in each of several repeats ("2.5"), and no column says that they are something else.
    """
    said = _FOLD & set(words(column))
    parts = [re.findall(r"\d+|[^\W\d_]+", name.lower()) for name in rounds]
    numbers = [[part for part in of if part.isdecimal()] for of in parts]
    if len(rounds) < 2 or any(
        not 1 <= len(own) <= 2 or max(map(len, own)) > 3 or not {*of} - {*own} <= _WORDS
        for of, own in zip(parts, numbers, strict=True)
    ):  # no year is a fold
        return None
    pairs = [_repeat_and_fold(of, own) for of, own in zip(parts, numbers, strict=True)]
    folds_of: dict[int | None, list[int]] = {}
    for repeat, fold in sorted(pairs, key=lambda pair: (pair[0] or 0, pair[1])):
        folds_of.setdefault(repeat, []).append(fold)
    first, *others = folds_of.values()
    run = first == list(range(first[0], first[0] + len(first))) and first[0] in (0, 1)
    grid = bool(others) and len(first) > 1 and run and all(own == first for own in others)
    named = all(_FOLD & {*of} for of in parts)
    open_column = column in ("", "column", "row") or names.is_round(column)
    if not (said or named or (grid and open_column)):
        return None
    if None not in folds_of:
        every = {fold for _, fold in pairs}
        return Folds(len(every) if len(every) > 1 else None, sure=True)
    resampled = any(word.startswith(_RESAMPLED) for word in {*said, *words(rounds[0])})
    known = run and len(first) == len(rounds) <= _MOST_FOLDS and not resampled
    return Folds(len(rounds) if known else None, sure=False)


def _repeat_and_fold(parts: list[str], numbers: list[str]) -> tuple[int | None, int]:
    """Read 2, 3 of "2.3", fold, 3 and fold, 03, rep, 2: (2, 3), (None, 3) and (2, 3)."""
    if len(numbers) < 2:
        return None, int(numbers[0])
    first, second = map(int, numbers)
    end = parts.index(numbers[0])
    fold_first = _FOLD & {*parts[:end]} and not _FOLD & {*parts[end:]}
    return (second, first) if fold_first else (first, second)


def tied_share(matches: xr.Dataset) -> float:
    """Return the share of matches that are tied, whatever the rule for ties; 0 if there is none."""
    place = matches.variables["place"].transpose(..., "round", "player").to_numpy()
    if matches.attrs["within_round"]:
        row, _ = np.nonzero(rows := place.reshape(-1, place.shape[-1]))
        rank = rows[rows > 0]
        return _pairs(row, rank) / max(_pairs(row), 1)
    board = place.reshape(-1, *place.shape[-2:])
    t, k, i = np.nonzero(board)
    rank = board[t, k, i]
    # A player does not meet itself, of another round.
    return (_pairs(t, rank) - _pairs(t, i, rank)) / max(_pairs(t) - _pairs(t, i), 1)


def _pairs(*keys: np.ndarray) -> int:
    """Count the pairs of items, (item,), that have the same keys."""
    shape = [int(key.max(initial=0)) + 1 for key in keys]
    _, sizes = np.unique(np.ravel_multi_index(keys, shape), return_counts=True)
    return int((sizes * (sizes - 1) // 2).sum())


_FEWEST = 10  # rounds, or clusters
_RARE = 0.001  # share of boards with scores missing at random of which any player is named
_ROUNDING = 1e-9  # of the largest score


def lacking(scores: xr.DataArray) -> list[str]:
    """Find players of (player, round) whose missing scores are not those of any rounds.

    The level of a round is the mean of the others' scores, each less that player's mean. Were
    scores missing at random, it would be uncorrelated with a player's being there, over rounds or
    over the means of their clusters.
    """
    y = scores.transpose("player", "round").to_numpy().astype(float)
    there = np.isfinite(y)
    if there.all() or len(y) < 2:
        return []
    unit = pd.factorize(scores["cluster"].to_numpy())[0] if "cluster" in scores.coords else None
    largest = float(np.nanmax(np.abs(y))) or 1.0
    y = y / largest
    rows, columns = effects(y)
    player = rows + columns.mean()  # as if it had played all rounds
    left = np.where(there, y - player[:, None], 0.0)
    others = there.sum(axis=0) - there
    of_others = (left.sum(axis=0) - left) / others.clip(min=1)
    found = []
    for i, name in enumerate(scores["player"].to_numpy()):
        seen = others[i] > 0
        here, level = there[i, seen], of_others[i, seen]
        of = None if unit is None else unit[seen]
        if _chance(here.astype(float), level, of) > _RARE / len(y):
            continue
        mean = np.delete(player, i).mean()
        missing, has = (largest * float(mean + level[at].mean()) for at in (~here, here))
        found.append(
            f"{str(name)[:_NAMED]!r} lacks {100.0 * (~here).mean():.0f} % of the items, on which "
            f"others average {missing:.2g} instead of {has:.2g}"
        )
    return found


def _chance(first: Floats, second: Floats, unit: np.ndarray | None) -> float:
    """Return the p-value of a correlation over rounds, or their clusters; 1 if there are few."""
    if unit is not None:
        _, unit, size = np.unique(unit, return_inverse=True, return_counts=True)
        first, second = (np.bincount(unit, each) / size for each in (first, second))
    n = len(first)
    if n < _FEWEST or min(np.ptp(first), np.ptp(second)) < _ROUNDING:
        return 1.0
    return float(pearsonr(first, second).pvalue)
