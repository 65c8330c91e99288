"""Draws of all players in all tournaments of a study, side by side."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import Posterior
from leaderbayes.study._low_rank import complete
from leaderbayes._types import AnyFloats, Floats
from leaderbayes.study._tournaments import posteriors_of, trust_of

# Enough for intervals of correlations and components, and few enough for thousands of players.
_MOST_DRAWS = 200


class Strengths(NamedTuple):
    """Posterior means and standard deviations (player,) of a tournament's players."""

    players: pd.Index
    mean: Floats
    sd: Floats


def summary_of(epp: Floats, players: pd.Index) -> Strengths:
    """Summarise a fit's draws (sample, player)."""
    return Strengths(players, epp.mean(axis=0), epp.std(axis=0))


def side_by_side(each: Mapping[str, Strengths]) -> xr.Dataset:
    """Set tournaments' strengths side by side, as `strengths_of` without draws."""
    players = all_players(one.players for one in each.values())
    mean, sd = np.full((2, len(each), len(players)), np.nan)
    for t, one in enumerate(each.values()):
        at = players.get_indexer(one.players)
        mean[t, at], sd[t, at] = one.mean, one.sd
    cells = ("tournament", "player")
    return xr.Dataset(
        {
            "epp": (cells, mean),
            "epp_sd": (cells, sd),
            "level": ("tournament", np.nanmean(complete(mean, 0) - mean, axis=1)),
        },
        coords={"tournament": list(each), "player": players.to_numpy()},
    )


def strengths_of(study: xr.DataTree) -> xr.Dataset:
    """Collect posterior means, standard deviations and thinned draws of every tournament's players.

    Returns
    -------
    Dataset
        ``epp``, ``epp_sd`` (tournament, player) and ``draw`` (sample, tournament, player), log-odds
        of beating the tournament's average player, NaN for an absent player; ``level``
        (tournament), what to add to compare tournaments with different players. attrs:
        ``converged``, ``warnings`` (JSON).
    """
    fits = posteriors_of(study, in_log_odds=True)
    made = side_by_side({name: summary_of(one.draws, one.players) for name, one in fits.items()})
    used = min(_MOST_DRAWS, fewest_draws(fits.values()))
    draw = np.full((used, *made["epp"].shape), np.nan, dtype=np.float32)
    players = made["player"].to_index()
    for t, one in enumerate(fits.values()):
        draw[:, t, players.get_indexer(one.players)] = evenly(one.draws, used)
    return made.assign(draw=(("sample", *made["epp"].dims), draw)).assign_attrs(trust_of(study))


def all_players(names: Iterable[pd.Index]) -> pd.Index:
    """List the names that occur, each once, in the order in which they come."""
    players: pd.Index = pd.Index(pd.unique(np.concatenate([each.to_numpy() for each in names])))
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
            f"The study has one tournament ({str(name)!r}): there is none to compare it with."
        )


def standard_ranks(values: AnyFloats) -> AnyFloats:
    """Rank along the last axis, centred, of length 1: products of these are Spearman's."""
    m = values.shape[-1]
    ranks = values.argsort(axis=-1).argsort(axis=-1).astype(np.float32)
    return np.asarray((ranks - (m - 1) / 2.0) / np.sqrt(m * (m**2 - 1) / 12.0, dtype=np.float32))
