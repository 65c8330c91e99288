"""What models of scores ask of a board, and its units."""

from typing import Literal, get_args

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._arguments import one_of, positive, share
from leaderbayes._errors import LeaderbayesError, ScoresError
from leaderbayes._numerics.items import Items
from leaderbayes._numerics.mean_score import Board
from leaderbayes._numerics.missing_items import gaps_of, separate
from leaderbayes._numerics.rounds import STATISTICS
from leaderbayes._numerics.two_way import effects
from leaderbayes._types import Bools, Floats

Likelihood = Literal["auto", "normal", "dirichlet"]
LIKELIHOODS: tuple[Likelihood, ...] = get_args(Likelihood)
Of = Literal["raw", "standardised", "distance", "share"]
OFS: tuple[Of, ...] = get_args(Of)

PRIOR_SCALE = 1.0  # of the players' scale, in standard deviations of scores within rounds
PRIOR_DF = 4.0  # of the players' law
# Of what players and rounds do not explain, in units: less, and NUTS finds no way in noise near 0.
_NOISELESS = 1e-6
_LARGEST = 1e60  # scores: their squares, and squares of these, are numbers


def board_of(
    scores: xr.DataArray, test_fraction: float | None, prior_scale: float, prior_df: float
) -> Board:
    """Give a tournament's scores (player, round) with its units and options.

    Raises
    ------
    LeaderbayesError
        If there is one round only, nothing differs within rounds, or an option has no meaning.
    """
    df = positive("prior_df", prior_df)
    scale = positive("prior_scale", prior_scale)
    f = 0.0 if test_fraction is None else share("test_fraction", test_fraction)
    y = scores.transpose("round", "player").to_numpy().astype(float)
    present = np.isfinite(y)
    rounds = len(y)
    if rounds < 2 or present.sum(axis=0).max() < 2:
        raise LeaderbayesError(
            "One score a player: how much scores vary between rounds cannot be told. Give more "
            "rounds (folds, seeds, tasks), or take a model of matches."
        )
    check_size(y[present])
    level = np.nanmean(np.where(present, y, np.nan), axis=1)
    within = np.where(present, y - level[:, None], 0.0)
    unit = unit_of(y[present], within, present.sum() - rounds)
    spread = float(y[present].std())
    return Board(
        scores=np.where(present, y, 0.0),
        present=present,
        luck=f / (1.0 - f),
        prior_scale=scale * unit,
        df=df,
        unit=unit,
        centre=float(y[present].mean()),
        spread=max(spread, unit),
    )


def check_size(y: Floats) -> None:
    """Raise unless scores are of a size that can be computed with.

    Raises
    ------
    LeaderbayesError
        Saying what to do.
    """
    largest = float(abs(y).max())
    if largest > _LARGEST or 0.0 < largest < 1.0 / _LARGEST:
        raise LeaderbayesError(
            f"Scores of {largest:.3g} are too {'large' if largest > 1.0 else 'small'} to compute "
            "with. Give them in another unit: multiply all by the same number."
        )


def unit_of(y: Floats, within: Floats, free: int) -> float:
    """Give the standard deviation of scores within rounds, of so many degrees of freedom.

    Raises
    ------
    LeaderbayesError
        If nothing differs within rounds.
    """
    unit = float(np.sqrt((within**2).sum() / max(free, 1)))
    if not unit > 1e-12 * max(float(abs(y).max()), 1e-300):
        raise LeaderbayesError("All players have the same scores: there is nothing to compare.")
    return unit


def is_noiseless(y: Floats, unit: float) -> bool:
    """Say whether players differ by the same in every round, so that nothing tells their noise.

    Parameters
    ----------
    y : (player, round)
        NaN where there is no score.
    unit : float
        Standard deviation of scores within rounds.
    """
    present = np.isfinite(y)
    if present.sum() < sum(y.shape):
        return False  # effects may explain any scores: that they do says nothing
    players, rounds = effects(y)
    return float(abs(y - players[:, None] - rounds)[present].max()) < _NOISELESS * unit


def taken_of(scores: xr.DataArray, of: str) -> xr.DataArray:
    """Give each score (player, round) beside its round's others, for rounds of unequal scale.

    "standardised": less the round's mean, in standard deviations of the round's scores;
    "distance": from the round's best, over that of its worst, so that less is better; "share": over
    the round's best score, or where less is better that over it, so that more is better. A round
    whose scores are all the same says 0, 0 and 1.

    Raises
    ------
    LeaderbayesError
        If a score is missing, or has no share.
    """
    one_of("of", of, *OFS)
    if of == "raw":
        return scores
    y = scores.transpose("player", "round")
    if not np.isfinite(y).all():
        i, k = np.argwhere(~np.isfinite(y.to_numpy()))[0]
        raise LeaderbayesError(
            f"of={of!r} puts each score beside all others of its round, and player "
            f"{name_at(scores, 'player', i)} has none in round {name_at(scores, 'round', k)}. "
            "Leave such rounds or players out, or take of='raw'."
        )
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
                f"{float(y[i, k]):.4g} in round {name_at(scores, 'round', k)}: take of='distance'."
            )
        new, more = (y / best if more else best / y), True
    # What is known of runs is in the scores' own unit.
    known = {name: value for name, value in scores.attrs.items() if name != "answers"}
    taken = new.transpose(*scores.dims).drop_vars("run_variance", errors="ignore")
    return taken.assign_attrs(known | {"higher_is_better": int(more), "of": of})


def likelihood_of(
    scores: xr.DataArray, asked: str, test_fraction: float | None, statistic: str = "mean"
) -> str:
    """Choose what rounds are taken for, where nobody says: "dirichlet" of items, or "normal".

    Items are rounds whose scores are right or wrong: half of them or more are at an end of the
    scale, or they are means of runs that were; they have no test fraction. Rounds of unknown law
    are also those whose median or interquartile mean is asked for.
    """
    one_of("likelihood", asked, *LIKELIHOODS)
    one_of("statistic", statistic, *STATISTICS)
    if statistic != "mean" and asked == "normal":
        raise LeaderbayesError(
            f"statistic={statistic!r} is of rounds of unknown law, likelihood='dirichlet': of a "
            "normal law it is the mean."
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
    """Give the ends of the scale: 0 and 1, 0 and 100, or the only two scores; else twice NaN.

    Scores up to 100 need not be percent, but where one is 100.
    """
    y = scores.to_numpy()
    low, high = float(np.nanmin(y)), float(np.nanmax(y))
    if low >= 0.0 and (high <= 1.0 or high == 100.0):
        return 0.0, 1.0 if high <= 1.0 else 100.0
    two = bool(((y == low) | (y == high) | np.isnan(y)).all()) and 0.0 < high - low < np.inf
    return (low, high) if two else (np.nan, np.nan)


def items_of(scores: xr.DataArray) -> tuple[Items, tuple[float, float]]:
    """Give scores (player, round) as items, in clusters where rounds have these; and their ends.

    Raises
    ------
    LeaderbayesError
        If scores have no ends, all are the same, or groups of players answered no item in common.
    """
    y = scores.transpose("round", "player").to_numpy().astype(float)
    there = np.isfinite(y)
    low, high = ends_of(scores)
    if np.isnan(low):
        raise LeaderbayesError(
            "likelihood='dirichlet' is for scores from 0 to 1, or scores of two values; these "
            f"go from {np.nanmin(y):.4g} to {np.nanmax(y):.4g}. Divide them by the highest that is "
            "possible, or take likelihood='normal'."
        )
    if bool((y[there] == y[there][0]).all()):
        raise LeaderbayesError("All players have the same scores: there is nothing to compare.")
    if not there.all():
        _check_connected(scores, there)
    y = (y - low) / (high - low)
    if "cluster" not in scores.coords:
        gaps = None if there.all() else gaps_of(y, np.arange(len(y)))
        return Items(y, np.ones(len(y)), gaps), (low, high)
    cluster = scores["cluster"]
    if cluster.dims != ("round",) or pd.isna(cluster.to_numpy()).any():
        raise LeaderbayesError("The coordinate 'cluster' names each round's cluster, (round,).")
    codes, names = pd.factorize(cluster.to_numpy())
    if len(names) < 2:
        raise LeaderbayesError(
            f"All rounds are of one cluster, {str(names[0])[:60]!r}: how much clusters differ "
            "cannot be told. Leave the coordinate 'cluster' out if items vary by themselves."
        )
    sums, sizes = np.zeros((len(names), y.shape[1])), np.bincount(codes).astype(float)
    np.add.at(sums, codes, np.where(there, y, 0.0))
    if there.all():
        return Items(sums, sizes), (low, high)
    answered = np.zeros_like(sums)
    np.add.at(answered, codes, there)
    share = sums / np.where(answered > 0.0, answered, np.nan)
    return Items(sizes[:, None] * share, sizes, gaps_of(y, codes)), (low, high)


def _check_connected(scores: xr.DataArray, there: Bools) -> None:
    """Raise where players answered no item in common, nor with others who did.

    Parameters
    ----------
    there : (round, player)
        Whether there is an answer.
    """
    group = separate(there)
    if group.max() > 0:
        one, other = (name_at(scores, "player", int((group == g).argmax())) for g in (0, 1))
        raise ScoresError(
            f"Players {one} and {other} are in groups that answered no item in common "
            f"({int(group.max()) + 1} groups): nothing tells whose items were easier. Fit the "
            "groups apart, or score what was not answered as wrong."
        )


def name_at(scores: xr.DataArray, dim: str, at: int) -> str:
    """Quote the name at a position."""
    return repr(str(scores[dim].to_numpy()[at])[:60])
