"""Options, values and items of boards for models of scores."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._arguments import number, one_of, share, wrong
from leaderbayes._errors import LeaderbayesError, ScoresError
from leaderbayes._numerics.items import Items
from leaderbayes._numerics.missing_items import gaps_of, separate
from leaderbayes._numerics.rounds import STATISTICS
from leaderbayes._numerics.shrinkage import Prior
from leaderbayes._numerics.two_way import effects
from leaderbayes._types import Bools, Floats
from leaderbayes.models._weight import weighing_in

Likelihood = Literal["auto", "normal", "dirichlet"]
LIKELIHOODS: tuple[Likelihood, ...] = get_args(Likelihood)
Of = Literal["raw", "standardised", "distance", "share"]
OFS: tuple[Of, ...] = get_args(Of)

CLUSTERS = ("auto", "same", "new")

PRIOR_SCALE = 1.0
WIDTH = 3.0  # of the players' scale, in standard deviations of a round's noise
FLOOR = 0.1
_MANY = 20  # clusters: fewer are taken as the same again
_FEWEST = 5  # items of a stratum of its own
_LABELLED = 5  # scores of a player by people, beside a judge's
_NOISELESS = 1e-6  # of what players and rounds do not explain, in units of a round's spread
_LARGEST = 1e60  # scores: their squares, and squares of these, are numbers

# Variables by name: dimensions beside chain and draw, and values.
Variables = Mapping[str, tuple[tuple[str, ...], Floats]]


def luck_of(test_fraction: float | None) -> float:
    """Return the variance that folds share, relative to the noise of a round."""
    f = 0.0 if test_fraction is None else share("test_fraction", test_fraction)
    return f / (1.0 - f)


def prior_of(prior_scale: float) -> Prior | None:
    """Return the prior of the scale of players; None for the flat prior."""
    if bool(np.all(prior_scale == np.inf)):
        return None
    return Prior(WIDTH * number("prior_scale", prior_scale, above=0.0, at_most=1e9), FLOOR)


def drawn(
    variables: Variables, coords: Mapping[str, Any], shape: tuple[int, int], step: int = 1
) -> xr.Dataset:
    """Return draws as a group of a fit, of every ``step``-th draw."""
    counted = {"chain": np.arange(shape[0]), "draw": np.arange(0, shape[1], step)}
    return xr.Dataset(
        {
            name: (("chain", "draw", *dims), values.reshape(shape[0], -1, *values.shape[1:]))
            for name, (dims, values) in variables.items()
        },
        counted | dict(coords),
    )


def every(parts: Sequence[Floats], draws: int, step: int) -> list[slice]:
    """Return a mask of every ``step``-th draw of each chain."""
    starts = np.cumsum([0, *(len(part) for part in parts)])[:-1] % draws
    return [slice(-start % step, None, step) for start in starts.tolist()]


def constant(scores: xr.DataArray, model: str) -> xr.Dataset:
    """Return the data that answers need beside draws."""
    better = int(scores.attrs.get("higher_is_better", 1))
    known = {"scores": scores, "higher_is_better": ("model", [better])}
    return xr.Dataset(known, {"model": [model]})


def judged(human: Any, judge: Any) -> xr.DataArray:
    """Return human scores of all rounds that a judge scored, with the coordinate ``judge``."""
    for name, given in {"scores": human, "judge": judge}.items():
        if not isinstance(given, xr.DataArray) or {*given.dims} != {"player", "round"}:
            raise LeaderbayesError(f"judge= needs DataArrays (player, round); {name} is not one.")
    found = []
    for dim in ("player", "round"):
        mine, theirs = set(human[dim].to_numpy()), set(judge[dim].to_numpy())
        found += [
            f"{dim} {name!r} has no judge's score" for name in sorted(map(str, mine - theirs))
        ]
        if dim == "player":
            found += [f"player {name!r} has no scores" for name in sorted(map(str, theirs - mine))]
    if not found:
        few = human.count("round") < _LABELLED
        names = human["player"].to_numpy()[few.to_numpy()]
        found = [f"fewer than {_LABELLED} scores of player {str(name)!r}" for name in names]
        holes = (~np.isfinite(judge)).any("player")
        holes = judge["round"].to_numpy()[holes.to_numpy()]
        found += [f"the judge has no score in round {str(name)!r}" for name in holes]
    if found:
        more = f", and {len(found) - 5} more" if len(found) > 5 else ""
        raise LeaderbayesError(
            f"Human scores do not match the judge's: {'; '.join(found[:5])}{more}. The judge must "
            "score all players and rounds, and people some rounds."
        )
    full: xr.DataArray = human.reindex(round=judge["round"].to_numpy())
    own = judge.sel(player=human["player"].to_numpy()).transpose("player", "round")
    full["judge"] = ("player", "round"), own.to_numpy().astype(float)
    return full


def values_of(scores: xr.DataArray) -> Floats:
    """Return scores (round, player) of one tournament, NaN if missing; or raise."""
    y = scores.transpose("round", "player").to_numpy().astype(float)
    there = np.isfinite(y)
    _check_rounds(there)
    check_values(y)
    check_connected(scores, there)
    if there.sum() < sum(there.shape):
        raise LeaderbayesError(
            "Players and rounds explain these few scores exactly, so it is unknown how much scores "
            "vary. Score more players in the same rounds."
        )
    return y


def _check_rounds(there: Bools) -> None:
    """Raise if no player has two scores (round, player)."""
    if len(there) < 2 or there.sum(axis=0).max() < 2:
        raise LeaderbayesError(
            "One score per player does not show how much rounds vary. Add rounds (folds, seeds, "
            "tasks), or use a model of matches."
        )


def check_values(y: Floats) -> None:
    """Raise if scores (round, player) do not show the noise, or are too large or small."""
    there = np.isfinite(y)
    largest = float(abs(y[there]).max())
    if largest > _LARGEST or 0.0 < largest < 1.0 / _LARGEST:
        raise LeaderbayesError(
            f"Scores of {largest:.3g} are too {'large' if largest > 1.0 else 'small'} to compute "
            "with. Multiply all by the same number."
        )
    players, rounds = effects(y.T)
    within = np.where(there, y - rounds[:, None] - players.mean(), 0.0)
    unit = np.sqrt((within**2).sum() / max(there.sum() - len(y), 1))
    if not unit > 1e-12 * max(largest, 1e-300):
        raise LeaderbayesError("All players have the same scores: there is nothing to compare.")
    left = np.where(there, y - rounds[:, None] - players, 0.0)
    # With few scores effects may explain all of them: that they do says nothing.
    if there.sum() >= sum(y.shape) and float(abs(left).max()) < _NOISELESS * unit:
        raise LeaderbayesError(
            "Players differ by the same amount in every round, so it is unknown how much scores "
            "vary. Add rounds, or use more decimals."
        )


def check_complete(scores: xr.DataArray, what: str) -> None:
    """Raise if a required score is missing."""
    y = scores.transpose("player", "round").to_numpy()
    if not np.isfinite(y).all():
        i, k = np.argwhere(~np.isfinite(y))[0]
        raise LeaderbayesError(
            f"{what} needs every score, and player {name_at(scores, 'player', i)} has none in "
            f"round {name_at(scores, 'round', k)}. Exclude such rounds (scores.dropna('round')) "
            "or players, or use leaderbayes.fit with the mean of raw scores."
        )


def by_levels(scores: xr.DataArray, cluster: str = "auto") -> xr.DataArray:
    """Rename clusters to ``cluster``, of which there are more, or ``stratum``, the same again."""
    one_of("cluster", cluster, *CLUSTERS, "none")
    known = next((name for name in ("cluster", "stratum") if name in scores.coords), None)
    if known is None:
        if cluster in ("same", "new"):
            raise wrong("cluster", cluster, "'none' if scores have no coordinate 'cluster'")
        return scores
    if cluster == "none":
        return scores.drop_vars(known)
    of = scores[known]
    if of.dims != ("round",) or pd.isna(of.to_numpy()).any():
        raise LeaderbayesError("The coordinate 'cluster' must have the dimension round.")
    few = known == "stratum" or len(pd.unique(of.to_numpy())) < _MANY
    name = "cluster" if cluster == "new" or (cluster == "auto" and not few) else "stratum"
    return scores if name == known else scores.rename({known: name})


def check_connected(scores: xr.DataArray, there: Bools) -> None:
    """Raise if groups of players share no rounds, by ``there`` (round, player)."""
    group = np.zeros(1) if there.all() else separate(there)
    if group.max() > 0:
        one, other = (name_at(scores, "player", int((group == g).argmax())) for g in (0, 1))
        raise ScoresError(
            f"Players {one} and {other} are in groups that share no round ({int(group.max()) + 1} "
            "groups), so their rounds cannot be compared. Fit the groups separately, or score "
            "missing answers as wrong."
        )


def taken_of(scores: xr.DataArray, of: str) -> xr.DataArray:
    """Return scores (player, round) relative to their round, for different scales.

    "standardised": less the round's mean, in standard deviations of the round's scores;
    "distance": from the round's best, over that of its worst, so that less is better; "share": over
    the round's best score, or where less is better that over it, so that more is better. A round
    whose scores are all the same has 0, 0 and 1.
    """
    one_of("of", of, *OFS)
    if of in ("raw", scores.attrs.get("of")):
        return scores
    check_complete(scores, f"of={of!r}")
    y = scores.transpose("player", "round")
    more = bool(scores.attrs.get("higher_is_better", 1))
    best, worst = (y.max("player"), y.min("player")) if more else (y.min("player"), y.max("player"))
    differ = best != worst
    if of == "standardised":
        new = (y - y.mean("player")) / y.std("player", ddof=1).where(differ, 1.0)
    elif of == "distance":
        new, more = (y - best) / (worst - best).where(differ, 1.0), False
    else:
        if not bool((y > 0.0).all()):
            i, k = np.argwhere(~(y.to_numpy() > 0.0))[0]
            raise LeaderbayesError(
                f"of='share' needs scores above 0, and player {name_at(scores, 'player', i)} has "
                f"{float(y[i, k]):.4g} in round {name_at(scores, 'round', k)}: use of='distance'."
            )
        new, more = (y / best if more else best / y), True
    # What is known of runs is in the scores' own unit.
    known = {name: value for name, value in scores.attrs.items() if name != "answers"}
    taken = new.transpose(*scores.dims).drop_vars("run_variance", errors="ignore")
    return taken.assign_attrs(known | {"higher_is_better": int(more), "of": of})


def likelihood_of(
    scores: xr.DataArray, asked: str, test_fraction: float | None, statistic: str = "mean"
) -> str:
    """Choose the likelihood of rounds: items or normal.

    Items, "dirichlet", are right or wrong: half of their scores or more are at an end of the
    scale, or they are means of runs that were; they have no test fraction. Medians and
    interquartile means take rounds of unknown distribution, too.
    """
    one_of("likelihood", asked, *LIKELIHOODS)
    one_of("statistic", statistic, *STATISTICS)
    if statistic != "mean" and asked == "normal":
        raise LeaderbayesError(
            f"statistic={statistic!r} needs rounds of unknown distribution: omit the likelihood."
        )
    if asked != "auto":
        return asked
    if statistic != "mean":
        return "dirichlet"
    if test_fraction is not None or "of" in scores.attrs:
        return "normal"
    y = scores.to_numpy()
    y = y[np.isfinite(y)]
    low, high = ends_of(scores)
    at_end = float(np.mean((y == low) | (y == high)))
    answers = bool(scores.attrs.get("answers", 0)) or at_end >= 0.5
    return "dirichlet" if low < high and answers else "normal"


def ends_of(scores: xr.DataArray) -> tuple[float, float]:
    """Return the ends of the scale (0 and 1; 0 and 100, if one is; the only two scores), or NaN."""
    y = scores.to_numpy()
    low, high = float(np.nanmin(y)), float(np.nanmax(y))
    if low >= 0.0 and (high <= 1.0 or high == 100.0):
        return 0.0, 1.0 if high <= 1.0 else 100.0
    two = bool(((y == low) | (y == high) | np.isnan(y)).all()) and 0.0 < high - low < np.inf
    return (low, high) if two else (np.nan, np.nan)


def items_of(scores: xr.DataArray) -> tuple[Items, tuple[float, float]]:
    """Return scores (player, round) as items, with clusters and ends of the scale."""
    y = scores.transpose("round", "player").to_numpy().astype(float)
    there = np.isfinite(y)
    _check_rounds(there)
    low, high = ends_of(scores)
    if np.isnan(low):
        raise LeaderbayesError(
            f"options={{'likelihood': 'dirichlet'}} is for scores from 0 to 1, or two values; "
            f"these go from {np.nanmin(y):.4g} to {np.nanmax(y):.4g}. Divide them by the highest "
            "possible score, or omit the option."
        )
    if bool((y[there] == y[there][0]).all()):
        raise LeaderbayesError("All players have the same scores: there is nothing to compare.")
    check_connected(scores, there)
    y = (y - low) / (high - low)
    codes, strata, weighing = np.arange(len(y)), None, weighing_in(scores)
    if "cluster" in scores.coords:
        codes, names = pd.factorize(scores["cluster"].to_numpy())
        if len(names) < 2:
            raise LeaderbayesError(
                f"All rounds are in one cluster, {str(names[0])[:60]!r}, so it is unknown how much "
                "clusters differ. Use cluster='none' if items are independent."
            )
        strata = np.zeros(len(names), int)
    elif "stratum" in scores.coords or (weighing is not None and weighing.categories):
        of = scores["stratum" if "stratum" in scores.coords else "round_weight"]
        level = pd.factorize(of.to_numpy())[0]
        strata = pd.factorize(np.where(np.bincount(level)[level] < _FEWEST, -1, level))[0]
    weight = None
    if weighing is not None:
        each = pd.Series(weighing.weight).groupby(codes)
        if (uneven := (each.max() > 1.000001 * each.min()).to_numpy()).any():
            raise LeaderbayesError(
                f"round_weight: rounds of cluster {str(names[int(uneven.argmax())])[:60]!r} have "
                "different weights: use one weight per cluster, or cluster='none'."
            )
        first = each.first().to_numpy(float)
        weight = np.asarray(first * first.sum() / (first**2).sum())
    sizes = np.bincount(codes).astype(float)
    sums, answered = np.zeros((2, len(sizes), y.shape[1]))
    np.add.at(sums, codes, np.where(there, y, 0.0))
    if there.all():
        return Items(sums, sizes, None, strata, weight), (low, high)
    np.add.at(answered, codes, there)
    sums = sizes[:, None] * sums / np.where(answered > 0.0, answered, np.nan)
    return Items(sums, sizes, gaps_of(y, codes), strata, weight), (low, high)


def name_at(scores: xr.DataArray, dim: str, at: int) -> str:
    """Quote the name at a position."""
    return repr(str(scores[dim].to_numpy()[at])[:60])
