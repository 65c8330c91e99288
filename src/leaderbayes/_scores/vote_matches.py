"""Votes to matches: who beat whom, and which votes go together."""

from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._arguments import are_names, is_flag, is_hashable, wrong
from leaderbayes._errors import LeaderbayesError, ScoresError
from leaderbayes._scores.tables import listed, shown
from leaderbayes._types import Floats, Longs

CLUSTERINGS = ("judge", "prompt")


def is_votes(given: object) -> TypeGuard[xr.Dataset]:
    """Whether these are votes, as `read_votes` returns them."""
    return isinstance(given, xr.Dataset) and {"first", "second", "outcome"} <= set(given.data_vars)


def valid_votes(votes: xr.Dataset, ties: str) -> xr.Dataset:
    """Return the votes that count, and their players: not for neither, nor ties to be dropped."""
    if ties not in ("half", "drop"):
        raise LeaderbayesError(f"ties={ties!r} is not for votes; choose 'half' or 'drop'.")
    for name in ("first", "second", "outcome"):
        if votes[name].dims != ("vote",):
            raise ScoresError(f"Votes have {name} (vote,), not {votes[name].dims}: see read_votes.")
    if "player" not in votes.indexes or "tournament" in votes.dims:
        raise ScoresError("Votes name their players in the coordinate player: see read_votes.")
    first, second, outcome = (votes[name].to_numpy() for name in ("first", "second", "outcome"))
    players = votes["player"].to_numpy()
    inside = (first >= 0) & (second >= 0) & (first < len(players)) & (second < len(players))
    weight = weights_of(votes)
    for fault, what in (
        (~inside, "has a player that the coordinate player lacks"),
        (first == second, "has a player against itself"),
        ((outcome < 0.0) | (outcome > 1.0), "has an outcome beyond 0, 1"),
        (~(np.isfinite(weight) & (weight > 0.0)), "has a weight that is not a number above 0"),
    ):
        if fault.any():
            raise ScoresError(f"Vote {int(np.argmax(fault))} {what}; exclude such votes.")
    tied = (outcome > 0.0) & (outcome < 1.0)
    kept = votes.isel(vote=~np.isnan(outcome) & ~(tied & (ties == "drop")))
    if not kept.sizes["vote"] and tied.any():
        raise ScoresError("Every vote is a tie, and ties are excluded: use ties='half'.")
    kept = of_players(kept)
    if kept.sizes["player"] < 2:
        raise ScoresError("A comparison needs votes on at least two players.")
    return kept


def of_players(votes: xr.Dataset) -> xr.Dataset:
    """Return votes without the players that none of them is on."""
    seen, code = np.unique([votes["first"], votes["second"]], return_inverse=True)
    first, second = (("vote", at.astype(np.int32)) for at in code)
    return votes.isel(player=seen).assign(first=first, second=second)


def require_whole_weights(votes: xr.Dataset) -> None:
    """Raise unless weights are numbers of votes: how wide intervals are goes by them."""
    weight = weights_of(votes)
    part = weight != np.rint(weight)
    if part.any():
        raise ScoresError(
            f"The weight of vote {int(np.argmax(part))} is {weight[np.argmax(part)]:.6g}, but it "
            "must be a whole number of votes. Drop weights for importance or age."
        )


def counted_votes(votes: xr.Dataset, ties: str) -> xr.Dataset:
    """Count votes as `matches` does scores; those for neither are ``both_bad``."""
    kept = valid_votes(votes, ties)
    m = kept.sizes["player"]
    pair = kept["first"].to_numpy().astype(np.int64) * m + kept["second"].to_numpy()
    outcome, weight = kept["outcome"].to_numpy(), weights_of(kept)
    won, lost, tied = (
        np.bincount(pair, weight * each, m * m).reshape(m, m)
        for each in (outcome, 1.0 - outcome, (outcome > 0.0) & (outcome < 1.0))
    )
    wins = won + lost.T
    tables = {"wins": wins, "n": wins + wins.T, "tied": tied + tied.T}
    names = kept["player"].to_numpy()
    if (nobody := both_bad(votes, names)) is not None:
        tables["both_bad"] = nobody
    return xr.Dataset(
        {name: (("player", "opponent"), table) for name, table in tables.items()},
        coords={"player": names, "opponent": names},
        attrs={"within_round": 1, "ties": ties},
    )


def both_bad(votes: xr.Dataset, names: Any) -> Floats | None:
    """Count votes for neither of two of these players (player, opponent), if there are any."""
    nobody = votes.isel(vote=np.isnan(votes["outcome"].to_numpy()))
    if not nobody.sizes["vote"]:
        return None
    to = pd.Index(names).get_indexer(nobody["player"].to_numpy())
    one, other = (to[nobody[side].to_numpy()] for side in ("first", "second"))
    inside = (one >= 0) & (other >= 0)
    table = np.zeros((len(names), len(names)))
    np.add.at(table, (one[inside], other[inside]), weights_of(nobody)[inside])
    return np.asarray(table + table.T)


def weights_of(votes: xr.Dataset) -> Floats:
    """Return how many votes each row stands for (vote,)."""
    if "weight" not in votes:
        return np.ones(votes.sizes["vote"])
    return np.asarray(votes["weight"].to_numpy(), dtype=np.float64)


def clusters_of(votes: xr.Dataset, cluster: str | Sequence[str]) -> dict[str, Longs]:
    """Return the numbers of the clusters of votes (vote,), by name; "auto" are all there are."""
    found = {}
    for name in names_of_clusterings(cluster, [n for n in CLUSTERINGS if n in votes.coords]):
        if name not in votes.coords:
            raise LeaderbayesError(
                f"cluster={name!r}, but these votes have no {name}s: read_votes(..., {name}=...)."
            )
        values = votes[name].to_numpy()
        if broken := [it for it in values.tolist() if not is_hashable(it)]:
            raise ScoresError(f"Votes have a {name} {shown(broken[0])}, which is not a name.")
        code = np.asarray(pd.factorize(values)[0], dtype=np.int64)
        if (missing := code < 0).any():
            raise ScoresError(f"Vote {int(np.argmax(missing))} has no {name}; see read_votes.")
        found[name] = code
    return found


def number_of(votes: xr.Dataset, name: str) -> int:
    """Count the judges, prompts or tournaments of votes."""
    return len(pd.unique(votes[name].to_numpy()))


def names_of_clusterings(cluster: str | Sequence[str], there: Sequence[str]) -> list[str]:
    """Name the clusterings that are asked for; "auto" is all that are there."""
    if isinstance(cluster, str):
        names = {"auto": list(there), "none": []}.get(cluster, [cluster])
    else:
        names = list(dict.fromkeys(cluster)) if are_names(cluster) else [""]
    if not {*names} <= {*CLUSTERINGS}:
        raise wrong("cluster", cluster, "'auto', 'none', 'judge', 'prompt', or a list of these two")
    return names


def effects_of(
    votes: xr.Dataset, order_effect: bool, covariates: Sequence[str] | None
) -> dict[str, Floats]:
    """Return what sways votes (vote,) by name: the order, and covariates in standard deviations."""
    if not is_flag(order_effect):
        raise wrong("order_effect", order_effect, "True or False")
    if covariates is not None and not are_names(covariates):
        raise wrong("covariates", covariates, "a list of names")
    effects: dict[str, Floats] = {}
    if order_effect:
        if not votes.attrs.get("ordered", 1):
            raise LeaderbayesError(
                "order_effect=True needs who was shown first, but the winner is listed first."
            )
        effects["order"] = np.ones(votes.sizes["vote"])
    known = [str(name) for name in votes["covariate"].to_numpy()] if "covariates" in votes else []
    for name in known if covariates is None else covariates:
        if name not in known:
            have = listed(known) if known else "none: name them in read_votes(..., covariates=...)"
            raise LeaderbayesError(f"covariate {name!r} is unknown; the votes have {have}.")
        values = votes["covariates"].to_numpy()[:, known.index(name)].astype(np.float64)
        spread = float(np.std(values)) if np.isfinite(values).all() else 0.0
        if not spread > 0.0:
            raise LeaderbayesError(f"covariate {name!r} is the same in all votes, or not finite.")
        effects[name] = values / spread
    return effects
