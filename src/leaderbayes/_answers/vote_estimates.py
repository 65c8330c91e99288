"""Estimates of the votes of a fit by its own model, of all of them or of some."""

from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from leaderbayes._answers.draws import draws_of
from leaderbayes._answers.kept_votes import kept_votes, labels_of
from leaderbayes._answers.penalty import spread_of, weight_of
from leaderbayes._numerics.influence_models import BRADLEY_TERRY, Model, davidson, intercept
from leaderbayes._numerics.votes import Votes, shared
from leaderbayes._types import Longs
from leaderbayes.likelihood._votes import votes_of


class Parted(NamedTuple):
    """Votes of a fit, each a part of something, and the model that strengths are estimated by."""

    votes: Votes  # those of a part that are the same but for outcomes in one row
    unit: Longs  # (row,): which part
    part: Longs  # (vote,) of the fit: which part
    penalty: float  # pseudo-rounds
    model: Model


def parted(dt: xr.DataTree, part: Longs | None = None) -> Parted:
    """Part the votes of a fit by ``part`` (vote,), to be estimated as they were fitted.

    None: those that are alike, outcome and all, are a part. Of Davidson's model with its prior of
    nu; of PMRA with the fit's posterior mean of how judges differ.
    """
    kept, arguments = kept_votes(dt)
    model = dt.attrs["model"]
    asked = [] if model == "round_intercept" else arguments["covariates"]
    votes, _ = votes_of(kept, bool(arguments["order_effect"]), asked)
    count = len(votes.n)
    same = votes.first.astype(np.int64) * votes.players + votes.second
    alike = not votes.effect.size or bool((votes.effect == 1.0).all())
    # Judges whose favour is their own are no others.
    judge = labels_of(kept, "judge")[0] if model == "round_intercept" else None
    if judge is not None:
        same = shared(same, judge)
    if part is None:
        part = np.arange(count)
        if alike:
            outcome, n = (np.unique(v, return_inverse=True)[1] for v in (votes.won, votes.n))
            part = shared(shared(same, outcome), n)
    at = np.arange(count)
    if alike:
        votes, at = _grouped(votes, shared(part, same))
    penalty = 4.0 / (spread_of(draws_of(dt)[0]) * weight_of(dt))
    fitted_as = _model(dt, arguments, None if judge is None else judge[at])
    return Parted(votes, part[at], part, penalty, fitted_as)


def _model(dt: xr.DataTree, arguments: dict[str, Any], judge: Longs | None) -> Model:
    if judge is not None:
        spread = float(dt["posterior"].dataset["intercept_scale"].mean())
        return intercept(judge, spread, float(arguments["intercept_scale"]))
    if dt.attrs["model"] == "davidson":
        return davidson(float(arguments["tie_scale"]))
    return BRADLEY_TERRY


def _grouped(votes: Votes, row: Longs) -> tuple[Votes, Longs]:
    """Add up votes of the same row (vote,); and say where the first of each is."""
    _, at = np.unique(row, return_index=True)
    won, n, square = (np.bincount(row, each) for each in (votes.won, votes.n, votes.square))
    first, second = votes.first[at], votes.second[at]
    return Votes(votes.players, first, second, won, n, square, votes.effect[at]), at
