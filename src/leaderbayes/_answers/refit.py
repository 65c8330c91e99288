"""Fit again without some of the data, as it was fitted."""

import json
import warnings
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from leaderbayes._answers.draws import by_mean, standing_of
from leaderbayes._errors import LeaderbayesError, LeaderbayesWarning
from leaderbayes._fits.posterior import is_mean_score, is_of_votes, refuse
from leaderbayes._inference.kept_votes import kept_votes


def without(dt: xr.DataTree, by: str, removed: list[Any]) -> xr.DataTree:
    """Fit without some rounds, clusters, tournaments, votes, judges or prompts.

    By the same arguments and seed.

    Raises
    ------
    LeaderbayesError
        If what is left cannot be fitted.
    """
    # By its public name, which is looked up when it is called: some models of it import PyMC.
    import leaderbayes as lb

    arguments: dict[str, Any] = json.loads(dt.attrs["arguments"])
    if not isinstance(arguments.get("cluster", "auto"), str | list):
        raise refuse(dt, f"has the argument cluster={arguments['cluster']!r:.60}")
    # What of a round's scores was taken is in the scores that are kept.
    of = {"of": "raw"} if is_mean_score(dt) else {}
    arguments |= {"replicates": 1, "seed": int(dt.attrs["seed"]), "progressbar": False, **of}
    if is_of_votes(dt):
        kept = kept_votes(dt)[0]
        gone = np.arange(kept.sizes["vote"]) if by == "vote" else kept[by].to_numpy()
        data: Any = kept.isel(vote=~np.isin(gone, removed))
    elif by == "tournament":
        scores = dt["constant_data"].to_dataset()["scores"]
        names = scores["tournament"].to_numpy()
        data = scores.isel(tournament=~np.isin(names, removed))
    else:
        scores = dt["constant_data"].to_dataset()["scores"]
        own = scores["round"] if by == "round" else scores[by]
        data = scores.isel(round=~np.isin(own.to_numpy(), removed))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LeaderbayesWarning)
        # ArviZ's, of the few replicates that are asked for.
        warnings.filterwarnings("ignore", "Found chain dimension", UserWarning)
        return lb.fit(data, dt.attrs["model"], **arguments)


class Leader(NamedTuple):
    """Who leads in a fit, and how surely."""

    first: str
    other: str  # who led before; the second, where that is the first
    p: float  # that the first is better


def leader_without(dt: xr.DataTree, by: str, removed: list[Any]) -> Leader | None:
    """Say who has the highest posterior mean without some of the data.

    None where that cannot be fitted, or does not converge.
    """
    draws, players = standing_of(dt)
    leader = players[by_mean(draws)[0]]
    try:
        again = without(dt, by, removed)
    except LeaderbayesError:
        return None
    draws, players = standing_of(again)
    if not again.attrs["converged"] or leader not in players:
        return None
    order = by_mean(draws)
    first, old = int(order[0]), players.tolist().index(leader)
    other = int(order[1]) if old == first else old
    p = float((draws[:, first] > draws[:, other]).mean())
    return Leader(str(players[first]), str(players[other]), p)
