"""Observed places of a board in PyTensor, as pairs or as rankings."""

from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._numerics.pairs_by_round import round_statistics
from leaderbayes._numerics.places import draw_places
from leaderbayes._types import Ints, Longs


def observe_pairs(
    b: Any, weight: Any, matches: xr.Dataset, *, nu: Any = None, dim: str = "round",
    tournament: Longs | None = None,
) -> Any:  # fmt: skip
    """Add ``place`` (round, player) to the pm.Model under construction, by its matches.

    Strengths b are (player,), or (tournament, player) with the number of each round's
    ``tournament`` (round,); ``weight`` (round,) are powers of the likelihood, and ``nu`` is
    Davidson's.
    """
    import pymc as pm
    import pytensor.tensor as pt

    place = matches["place"].to_numpy()
    within, ties = bool(matches.attrs["within_round"]), str(matches.attrs["ties"])
    first, second = np.triu_indices(place.shape[-1], 1)
    # Log of e^b_i + e^b_j + e^(nu + (b_i + b_j) / 2) of each pair, less its middle: exponentials
    # once for all rounds.
    half = 0.5 * abs(b[..., first] - b[..., second])
    total = 1.0 + pt.exp(-2.0 * half) + (0.0 if nu is None else pt.exp(nu - half))
    normaliser = half + pt.log(total)
    # Across rounds the likelihood goes by counts of these places, and takes no others.
    places = pm.Data("places", place, dims=(dim, "player")) if within else pt.constant(place)
    tie = pt.zeros(()) if nu is None else nu
    if tournament is not None:
        b, normaliser = b[tournament], normaliser[tournament]

    def logp(value: Any, b: Any, normaliser: Any, present: Any, weight: Any, tie: Any) -> Any:
        if not within:
            return weight * across(b, normaliser, tie)
        one, other = value[..., first], value[..., second]
        sign = pt.sign(other - one)  # 1 where the first is better
        met = pt.gt(one, 0) & pt.gt(other, 0)
        if ties == "drop":
            met = met & pt.neq(sign, 0)
        # P(first) : P(tie) : P(second) = e^half : e^nu : e^-half, half a win for each in a tie.
        won = 0.5 * sign * (b[..., first] - b[..., second])
        if nu is not None:
            won = won + pt.eq(sign, 0) * tie[..., None]
        return weight * (met * (won - normaliser)).sum(axis=-1)

    def across(b: Any, normaliser: Any, tie: Any) -> Any:
        """Return the log-likelihood by round if all scores of the board meet."""
        points, tied, left, right, _ = round_statistics(place, within_round=False, ties="half")
        met = 0.5 * (left[:, first] * right[:, second] + left[:, second] * right[:, first])
        middle = 0.5 * (b[..., first] + b[..., second])
        own = (points * b).sum(axis=-1) - (met * (middle + normaliser)).sum(axis=-1)
        return own if nu is None else own + tied * tie

    def random(
        b: Any, normaliser: Any, present: Any, weight: Any, tie: Any, *,
        rng: np.random.Generator, size: Any,
    ) -> Ints:  # fmt: skip
        drawn_tie = -np.inf if nu is None else float(np.ravel(tie)[0])
        return draw_places(b, present.astype(bool), rng, within_round=within, tie=drawn_tie)

    return pm.CustomDist(
        "place", b, normaliser, pt.gt(places, 0).astype("int8"), weight, tie,
        logp=logp, random=random, signature="(p),(q),(p),(),()->(p)", dtype="int32",
        observed=places if within else place, dims=(dim, "player"),
    )  # fmt: skip


def observe_rankings(b: Any, weight: Any, matches: xr.Dataset) -> Any:
    """Add ``place`` (round, player) by whole rankings; of tied players the mean over orders."""
    import pymc as pm
    import pytensor.tensor as pt
    from pytensor.raise_op import CheckAndRaise

    from leaderbayes._errors import LeaderbayesError
    from leaderbayes._numerics.rankings import draw_rankings, turns

    place = matches["place"].to_numpy()
    breaks = turns(place)  # (order, round, player): below a half, so that ties alone are broken
    places = pm.Data("places", place, dims=("round", "player"))
    known = CheckAndRaise(
        LeaderbayesError,
        "These places have ties that the model's own did not have: build a new model of them.",
    )

    def logp(value: Any, b: Any, pattern: Any, weight: Any) -> Any:
        there = pt.gt(value, 0)
        # Worst first; the absent come before all and count nothing.
        key = pt.where(there, -value, -np.iinfo(np.int32).max / 2.0) + breaks
        order = pt.argsort(key, axis=-1)
        here = pt.take_along_axis(there + pt.zeros_like(key, dtype="bool"), order, axis=-1)
        level = pt.eq(pt.diff(pt.take_along_axis(key, order, axis=-1), axis=-1), 0)
        order = known(order, pt.invert((level & here[..., 1:]).any()))
        own = pt.take_along_axis(b + pt.zeros_like(key), order, axis=-1)
        top = b.max(axis=-1, keepdims=True)
        total = pt.cumsum(here * pt.exp(own - top), axis=-1)
        each = pt.where(here, own - top - pt.log(pt.where(here, total, 1.0)), 0.0)
        return weight * each.sum(axis=-1).mean(axis=0)

    def random(b: Any, pattern: Any, weight: Any, *, rng: np.random.Generator, size: Any) -> Ints:
        return draw_rankings(b.reshape(-1, b.shape[-1]), pattern, rng)

    return pm.CustomDist(
        "place", b, places, weight,
        logp=logp, random=random, signature="(p),(p),()->(p)", dtype="int32",
        observed=places, dims=("round", "player"),
    )  # fmt: skip
