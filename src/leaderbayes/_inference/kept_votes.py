"""The votes that a posterior was made from."""

import json
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import is_of_votes, refuse
from leaderbayes._fits.require import require_tree
from leaderbayes._numerics.vote_weights import pair_worth
from leaderbayes._scores.vote_matches import ALONE, CLUSTERINGS, counted_votes, valid_votes
from leaderbayes._types import Longs
from leaderbayes.likelihood._vote_rows import VoteRows, vote_rows

_NEEDED = ("first", "second", "count", "weight", "opinion_variance")


def kept_votes(dt: xr.DataTree) -> tuple[xr.Dataset, dict[str, Any]]:
    """Read the votes of a fit, as `read_votes` gives them, and its arguments.

    Raises
    ------
    LeaderbayesError
        If it is no fit of votes, or these are not what they were.
    """
    require_tree(dt)
    if not is_of_votes(dt):
        raise LeaderbayesError("This fit has no votes: give one of leaderbayes.read_votes.")
    known = dt["constant_data"].to_dataset()
    absent = [name for name in _NEEDED if name not in known]
    if absent:
        raise refuse(dt, f"has no constant_data/{absent[0]}")
    names = dt["posterior"]["player"].to_numpy()
    kept = known[["first", "second"]].assign_coords(player=names)
    kept["outcome"] = ("vote", dt["observed_data"]["outcome"].to_numpy())
    kept["weight"] = known["count"]
    for name in (*CLUSTERINGS, "tournament", "time"):
        if name in known and known[name].dims == ("vote",):
            kept = kept.assign_coords({name: known[name]})
    if ALONE in known:
        kept[ALONE] = known[ALONE]
    if "effect_value" in known:
        own = known["effect"].to_numpy() != "order"
        values = (known["effect_value"] * known["effect_unit"]).to_numpy()[:, own]
        if own.any():
            kept["covariates"] = ("vote", "covariate"), values
            kept = kept.assign_coords(covariate=known["effect"].to_numpy()[own])
    arguments: dict[str, Any] = json.loads(dt.attrs.get("arguments", "{}"))
    return valid_votes(kept, arguments.get("ties", "half")), arguments


def kept_rows(dt: xr.DataTree) -> VoteRows:
    """Read the votes of a fit as arrays, with the effects and the clusters that it had."""
    kept, arguments = kept_votes(dt)
    known = dt["constant_data"].dataset
    effects = known["effect"].to_numpy().tolist() if "effect" in known.coords else []
    return vote_rows(
        kept, ties=arguments.get("ties", "half"), cluster=clustered_by(dt),
        order_effect="order" in effects,
        covariates=[name for name in effects if name != "order"],
    )  # fmt: skip


def matches_of_votes(dt: xr.DataTree) -> xr.Dataset:
    """Count the votes of a fit as matches: ``wins``, ``n``, ``tied``, ``worth`` by pair."""
    kept, arguments = kept_votes(dt)
    board = counted_votes(kept, arguments.get("ties", "half"))
    rows = kept_rows(dt)
    mean = dt["posterior"]["epp"].mean(("chain", "draw")).to_numpy()
    tau2 = dt["constant_data"]["opinion_variance"].to_numpy()
    worth = pair_worth(rows.votes, mean, tuple(rows.clusters.values()), tau2)
    board = board.assign(worth=(("player", "opponent"), worth))
    if "both_bad" in dt["constant_data"]:
        board["both_bad"] = dt["constant_data"].dataset["both_bad"]
    return board


def clustered_by(dt: xr.DataTree) -> tuple[str, ...]:
    """Name what makes votes of a fit go together."""
    known = dt["constant_data"].to_dataset()
    if "clustering" not in known.coords:
        raise refuse(dt, "does not say what makes its votes go together")
    names = [str(name) for name in known["clustering"].to_numpy()]
    return tuple(name for name in CLUSTERINGS if name in names)


def labels_of(kept: xr.Dataset, name: str) -> tuple[Longs, Any]:
    """Return the numbers of the judges or prompts of votes (vote,), and their names.

    Raises
    ------
    LeaderbayesError
        If votes have none.
    """
    if name not in kept.coords:
        raise LeaderbayesError(
            f"by={name!r}, and these votes have no {name}s: name their column when they are read, "
            f"read_votes(..., {name}=...)."
        )
    if name == "prompt" and ALONE in kept:
        raise LeaderbayesError(
            "by='prompt': prompts of one vote were counted together, and cannot be told apart; "
            "take by='judge', or leaderbayes.count_votes(..., memory_mb=...) with more."
        )
    code, names = pd.factorize(kept[name].to_numpy())
    return np.asarray(code, dtype=np.int64), np.asarray(names)
