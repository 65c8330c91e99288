"""Estimates of the votes of a fit by its own model, of all of them or of some."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.draws import draws_of
from leaderbayes._answers.penalty import spread_of
from leaderbayes._inference.kept_votes import kept_rows
from leaderbayes._numerics.votes import EFFECT_SCALE, TIE_SCALE, Estimate, Votes, maximum
from leaderbayes._types import Floats, Longs


class Parted(NamedTuple):
    """Votes of a fit, each a part of something, and how strengths are estimated from them."""

    votes: Votes  # weighted; those of a part that differ in outcomes only are one row
    size: Floats  # (row,): how many votes a row stands for
    unit: Longs  # (row,): which part
    part: Longs  # (vote,) of the fit: which part
    penalty: float  # pseudo-rounds
    tie_scale: float | None  # of Davidson's nu

    def estimate(self, votes: Votes) -> Estimate:
        """Estimate strengths from these or some of the votes."""
        return maximum(
            votes, self.penalty, tie=self.tie_scale is not None, effect_scale=EFFECT_SCALE,
            tie_scale=self.tie_scale or np.inf,
        )  # fmt: skip


def parted(dt: xr.DataTree, part: Longs | None = None) -> Parted:
    """Part the votes of a fit by ``part`` (vote,), to be estimated as they were fitted.

    None: votes that are alike, outcome and all, are a part.
    """
    votes = kept_rows(dt).votes
    weight = dt["constant_data"].dataset["weight"].to_numpy()
    same: dict[str, Any] = {"first": votes.first, "second": votes.second}
    same |= {str(k): column for k, column in enumerate(votes.effect.T)}
    if part is None:
        alike = same | {"won": votes.won, "n": votes.n, "weight": weight}
        groups = pd.DataFrame(alike).groupby(list(alike), sort=False)
        part = np.asarray(groups.ngroup(), dtype=np.int64)
    same["part"] = part
    sums = {name: weight * getattr(votes, name) for name in ("won", "n", "tied")}
    table = pd.DataFrame(same | sums | {"size": votes.n})
    rows = table.groupby(list(same), as_index=False, sort=False).sum()
    effect = rows[[str(k) for k in range(votes.effect.shape[1])]].to_numpy(dtype=float)
    first, second = (rows[side].to_numpy(dtype=np.int32) for side in ("first", "second"))
    won, n, tied = (rows[name].to_numpy(dtype=float) for name in ("won", "n", "tied"))
    return Parted(
        Votes(votes.players, first, second, won, n, tied, effect),
        rows["size"].to_numpy(dtype=float), rows["part"].to_numpy(), part,
        4.0 / spread_of(draws_of(dt)[0]), TIE_SCALE if "tie" in dt["posterior"] else None,
    )  # fmt: skip
