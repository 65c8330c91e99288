"""Strengths of all players in all tournaments of a study, side by side."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.draws import draws_of
from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.low_rank import complete
from leaderbayes._types import AnyFloats, Floats
from leaderbayes.study._tournaments import fits_of, trust_of

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
    players = _as_they_come(one.players.to_numpy() for one in each.values())
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
        ``epp``, ``epp_sd`` (tournament, player) and ``draw`` (sample, tournament, player, at most
        200, single precision), log-odds of beating the tournament's average player, NaN for an
        absent player; ``level`` (tournament), what to add to compare tournaments with different
        players: strengths fitted by a player's mean and a tournament's level. attrs:
        ``converged``, ``warnings`` (JSON).
    """
    fits = dict(fits_of(study))
    players = players_of(fits)
    used = min(_MOST_DRAWS, fewest_draws(fits))
    each: dict[str, Strengths] = {}
    draw = np.full((used, len(fits), len(players)), np.nan, dtype=np.float32)
    for t, (name, fit) in enumerate(fits.items()):
        epp, present = draws_of(fit)
        each[name] = summary_of(epp, present)
        draw[:, t, players.get_indexer(present)] = evenly(epp, used)
    made = side_by_side(each).assign_attrs(trust_of(study))
    return made.assign(draw=(("sample", *made["epp"].dims), draw))


def players_of(fits: Mapping[str, xr.DataTree]) -> pd.Index:
    """List all players of all fits, as they come."""
    return _as_they_come(fit["posterior"]["player"].to_numpy() for fit in fits.values())


def _as_they_come(names: Iterable[np.ndarray]) -> pd.Index:
    """List names that stand in any of these once."""
    players: pd.Index = pd.Index(pd.unique(np.concatenate(list(names))))
    return players


def fewest_draws(fits: Mapping[str, xr.DataTree]) -> int:
    """Count the posterior draws that every fit has."""
    sizes = [fit["posterior"].sizes for fit in fits.values()]
    return min(size["chain"] * size["draw"] for size in sizes)


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
