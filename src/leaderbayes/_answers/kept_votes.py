"""The votes that a fit keeps."""

import json
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import fitted, is_of_votes
from leaderbayes._scores.vote_matches import CLUSTERINGS, valid_votes
from leaderbayes._types import Longs


def kept_votes(dt: xr.DataTree) -> tuple[xr.Dataset, dict[str, Any]]:
    """Read the votes of a fit, as `likelihood._votes.weigh` takes them, and its arguments.

    Raises
    ------
    LeaderbayesError
        If it is no fit of votes, or these are not what they were.
    """
    fitted(dt, "constant_data")
    if not is_of_votes(dt):
        raise LeaderbayesError("This fit has no votes: give one of leaderbayes.read_votes.")
    arguments: dict[str, Any] = json.loads(dt.attrs["arguments"])
    kept = dt["constant_data"].to_dataset().drop_dims(["opponent", "clustering"])
    if "vote_tournament" in kept:
        kept = kept.drop_vars("tournament").rename(vote_tournament="tournament")
        kept = kept.set_coords("tournament")
    kept = kept.set_coords([name for name in CLUSTERINGS if name in kept])
    return valid_votes(kept, arguments["ties"]), arguments


def labels_of(kept: xr.Dataset, name: str) -> tuple[Longs, Any]:
    """Give the numbers of the judges or prompts of votes (vote,), and their names.

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
    code, names = pd.factorize(kept[name].to_numpy())
    return np.asarray(code, dtype=np.int64), np.asarray(names)
