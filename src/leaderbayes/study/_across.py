"""Draws of each tournament's players, and their mean over tournaments."""

from collections.abc import Callable
from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._types import AnyFloats
from leaderbayes.study._strengths import evenly, fewest_draws, players_of
from leaderbayes.study._tournaments import fits_of, trust_of

_Draws = tuple[AnyFloats, pd.Index]  # (sample, player), and the players


def across(
    study: xr.DataTree,
    of: Callable[[xr.DataTree], _Draws],
    prob: float,
    method: Literal["linear", "inverted_cdf"] = "linear",
) -> xr.Dataset:
    """Summarise draws that mean the same in every tournament, by tournament and over all.

    Parameters
    ----------
    study : DataTree
        A fit for each tournament, or a fit of many.
    of : callable
        Gives a fit's draws (sample, player), and the players.
    prob : float
        Posterior probability of the (equal-tailed) intervals.
    method : {"linear", "inverted_cdf"}
        Of quantiles within a tournament.

    Returns
    -------
    Dataset
        ``mean``, ``lower``, ``upper`` (tournament, player), NaN for absent players; ``overall``,
        ``overall_lower``, ``overall_upper`` (player), of the mean over the tournaments that the
        player took part in. attrs: ``prob``, ``converged``, ``warnings`` (JSON).
    """
    fits = dict(fits_of(study))
    players, used = players_of(fits), fewest_draws(fits)
    tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
    mean, low, high = np.full((3, len(fits), len(players)), np.nan)
    total = np.zeros((used, len(players)))
    for t, fit in enumerate(fits.values()):
        draws, present = of(fit)
        at = players.get_indexer(present)
        mean[t, at] = draws.mean(axis=0)
        low[t, at], high[t, at] = np.quantile(draws, tails, axis=0, method=method)
        total[:, at] += evenly(draws, used)
    overall = total / (~np.isnan(mean)).sum(axis=0)
    overall_low, overall_high = np.quantile(overall, tails, axis=0)
    cells = ("tournament", "player")
    return xr.Dataset(
        {
            "mean": (cells, mean),
            "lower": (cells, low),
            "upper": (cells, high),
            "overall": ("player", overall.mean(axis=0)),
            "overall_lower": ("player", overall_low),
            "overall_upper": ("player", overall_high),
        },
        coords={"tournament": list(fits), "player": players.to_numpy()},
        attrs={"prob": prob, **trust_of(study)},
    )
