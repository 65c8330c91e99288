"""Draws of all players in all tournaments of a study, side by side."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import expit

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import Posterior
from leaderbayes._scores.matches import components
from leaderbayes._types import AnyFloats, Bools
from leaderbayes.study._low_rank import complete
from leaderbayes.study._tournaments import Study

# Enough for intervals of correlations and components, and few enough for thousands of players.
_MOST_DRAWS = 200
# With more, so many quantiles of all strengths stand for them.
_MOST_OPPONENTS = 100


def strengths_of(study: Study) -> xr.Dataset:
    """Collect posterior means and thinned draws of every tournament's players.

    Returns
    -------
    Dataset
        ``epp`` (tournament, player) and ``draw`` (sample, tournament, player), log-odds
        of beating the tournament's average player, NaN for an absent player; ``level``
        (tournament), what to add to compare tournaments with different players. attrs:
        ``converged``, ``warnings`` (JSON).
    """
    fits = study.fits
    players, used = all_players(fits.values()), min(_MOST_DRAWS, fewest_draws(fits.values()))
    mean = np.full((len(fits), len(players)), np.nan)
    draw = np.full((used, len(fits), len(players)), np.nan, dtype=np.float32)
    for t, fit in enumerate(fits.values()):
        at = players.get_indexer(fit.players)
        mean[t, at] = fit.draws.mean(axis=0)
        draw[:, t, at] = evenly(fit.draws, used)
    cells = ("tournament", "player")
    return xr.Dataset(
        {
            "epp": (cells, mean),
            "draw": (("sample", *cells), draw),
            "level": ("tournament", np.nanmean(complete(mean, 0) - mean, axis=1)),
        },
        coords={"tournament": list(fits), "player": players.to_numpy()},
        attrs=study.trust,
    )


def with_winning(strengths: xr.Dataset, study: Study) -> xr.Dataset:
    """Add strengths on the scale of probabilities, on which nobody lies far beyond the others.

    Returns
    -------
    Dataset
        With ``p_win`` (tournament, player), of beating another player of the tournament who is
        drawn at random, and its ``p_win_draw`` (sample, tournament, player); ``p_win_level``
        (tournament); ``on_prior`` (tournament, player), see `on_prior`.
    """
    draw = np.full_like(strengths["draw"].to_numpy(), np.nan)
    rests = np.zeros(draw.shape[1:], dtype=bool)
    for t, fit in enumerate(study.fits.values()):
        at = strengths.get_index("player").get_indexer(fit.players)
        own = strengths["draw"].to_numpy()[:, t, at]
        draw[:, t, at], rests[t, at] = winning(own, own), on_prior(fit)
    mean, cells = draw.mean(axis=0, dtype=float), ("tournament", "player")
    return strengths.assign(
        p_win=(cells, mean),
        p_win_draw=(("sample", *cells), draw),
        p_win_level=("tournament", np.nanmean(complete(mean, 0) - mean, axis=1)),
        on_prior=(cells, rests),
    )


def winning(players: AnyFloats, everybody: AnyFloats) -> AnyFloats:
    """Probability that players (sample, k) of all (sample, m) beat another, drawn at random."""
    m = everybody.shape[1]
    if m > _MOST_OPPONENTS:
        middle = (np.arange(_MOST_OPPONENTS) + 0.5) / _MOST_OPPONENTS
        everybody = np.quantile(everybody, middle, axis=1).T.astype(players.dtype)
    share = expit(players[:, :, None] - everybody[:, None]).mean(axis=-1)
    # Less the player itself, who is half of a win.
    return np.asarray((m * share - 0.5) / (m - 1))


def on_prior(fit: Posterior) -> Bools:
    """Whose strength (player,) rests on the prior: who never won, or never lost, against most."""
    try:
        group = components(fit.matches()).to_numpy()
    except LeaderbayesError:  # draws alone, without what was observed
        return np.zeros(len(fit.players), dtype=bool)
    size = np.bincount(group)
    return np.asarray((group != size.argmax()) | (size.max() == 1))


def all_players(fits: Iterable[Posterior]) -> pd.Index:
    """List the players of all fits, each once, in the order in which they come."""
    names = np.concatenate([fit.players.to_numpy() for fit in fits])
    players: pd.Index = pd.Index(pd.unique(names))
    return players


def fewest_draws(fits: Iterable[Posterior]) -> int:
    """Count the draws that every fit has."""
    return min(len(one.draws) for one in fits)


def evenly(draws: AnyFloats, used: int) -> AnyFloats:
    """Take ``used`` of the draws (sample, ...), evenly spread."""
    picked = np.linspace(0, len(draws) - 1, used).astype(int)
    return np.asarray(draws[picked])


def check_several(strengths: xr.Dataset) -> None:
    """Raise unless there are at least two tournaments."""
    if strengths.sizes["tournament"] < 2:
        (name,) = strengths["tournament"].to_numpy()
        raise LeaderbayesError(
            f"The study has one tournament ({str(name)!r}), so there is nothing to compare."
        )


def standard_ranks(values: AnyFloats) -> AnyFloats:
    """Rank along the last axis, centred, of length 1: products of these are Spearman's."""
    m = values.shape[-1]
    ranks = values.argsort(axis=-1).argsort(axis=-1).astype(np.float32)
    return np.asarray((ranks - (m - 1) / 2.0) / np.sqrt(m * (m**2 - 1) / 12.0, dtype=np.float32))
