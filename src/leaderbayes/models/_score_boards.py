"""What models of several tournaments' scores ask of the boards, and their units."""

from typing import NamedTuple

import numpy as np
import xarray as xr

from leaderbayes._arguments import positive, share
from leaderbayes._errors import LeaderbayesError
from leaderbayes._types import Floats
from leaderbayes.models._scores import check_size, name_at, unit_of

SPREAD_SCALE = 1.0  # of the spread between tournaments, in standard deviations within rounds


class ScoreBoards(NamedTuple):
    """Scores of several tournaments, their units, and the prior."""

    scores: Floats  # (tournament, player, round), NaN where there is none
    luck: float  # of the shared luck's variance over that of a round's
    prior_scale: float  # of the players' scale, in units
    df: float  # degrees of freedom of the players' law
    spread_scale: float  # of the spread between tournaments, in units
    unit: float  # standard deviation of scores within rounds
    centre: float  # mean of all scores
    spread: float  # standard deviation of all scores


def boards_of_scores(
    scores: xr.DataArray,
    test_fraction: float | None,
    prior_scale: float,
    prior_df: float,
    spread_scale: float,
) -> ScoreBoards:
    """Give several tournaments' scores with their units and options.

    Raises
    ------
    LeaderbayesError
        If there is one tournament, one has one round or one player, nothing differs within rounds,
        or an option has no meaning.
    """
    df = positive("prior_df", prior_df)
    scale = positive("prior_scale", prior_scale)
    spread_scale = positive("spread_scale", spread_scale)
    f = 0.0 if test_fraction is None else share("test_fraction", test_fraction)
    if "tournament" not in scores.dims or scores.sizes["tournament"] < 2:
        raise LeaderbayesError(
            "score_tournaments needs scores of several tournaments (tournament, player, round): "
            "take model='mean_score' of one."
        )
    y = scores.transpose("tournament", "player", "round").to_numpy().astype(float)
    present = np.isfinite(y)
    for t, here in enumerate(present):
        few = None
        if here.any(axis=1).sum() < 2:
            few = "has scores of one player only; leave it out"
        elif here.sum(axis=1).max() < 2:
            few = (
                "has one score a player: how much scores vary between rounds cannot be told. Leave "
                "it out; or, of one score a player in each, take tournaments for the rounds of "
                "model='mean_score'"
            )
        if few:
            raise LeaderbayesError(f"Tournament {name_at(scores, 'tournament', t)} {few}.")
    size = present.sum(axis=1)
    check_size(y[present])
    level = np.where(present, y, 0.0).sum(axis=1) / np.maximum(size, 1)
    within = np.where(present, y - level[:, None], 0.0)
    unit = unit_of(y[present], within, int(size.sum() - (size > 0).sum()))
    return ScoreBoards(
        scores=y,
        luck=f / (1.0 - f),
        prior_scale=scale,
        df=df,
        spread_scale=spread_scale,
        unit=unit,
        centre=float(y[present].mean()),
        spread=max(float(y[present].std()), unit),
    )
