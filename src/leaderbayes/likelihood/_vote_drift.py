"""Whether strengths move over the time of votes, and how to say so."""

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from leaderbayes._numerics.drift import drift
from leaderbayes._numerics.votes import Moments
from leaderbayes._scores.tables import shown
from leaderbayes._types import Floats, Longs

if TYPE_CHECKING:
    import xarray as xr

    from leaderbayes.likelihood._votes import Weighed

_RARE = 0.01  # p-value below which it is pointed out
_LEAST = 0.1  # of the votes that the smaller part must have
_MOST = 200_000  # rows that are looked at; of more, evenly as many
_PLAYERS = 2_000  # at most: with more, matrices of both parts' strengths would need gigabytes


def said_of_drift(weighed: "Weighed", moments: Moments | None = None) -> str | None:
    """Say so where strengths before and after the middle of the time differ by more than chance."""
    kept, votes, at = weighed.kept, weighed.votes, weighed.at
    if "time" not in kept.coords or votes.players > _PLAYERS:
        return None
    rows = np.arange(0, len(votes.n), -(-len(votes.n) // _MOST))
    order, known = _numbers(kept["time"].isel(vote=rows))
    rows, order = rows[known], order[known]
    if not len(rows):
        return None
    middle = np.median(order)
    # Dates may be many votes': those of the middle go where parts are less unequal.
    later = min((order > middle, order >= middle), key=lambda part: abs(part.mean() - 0.5))
    if not _LEAST <= later.mean() <= 1.0 - _LEAST:
        return None
    if moments is None:
        p = expit(at.epp[votes.first] - at.epp[votes.second] + votes.effect @ at.beta)
        moments = Moments(p, p * (1.0 - p))
    taken = votes._replace(
        **{name: getattr(votes, name)[rows] for name in votes._fields if name != "players"}
    )
    clusters: list[Longs] = [each[rows] for each in weighed.clusters.values()]
    here = Moments(moments.mean[rows], moments.variance[rows])
    found = drift(taken, here, later, tuple(clusters), weighed.together)
    if found is None or not found.p_value < _RARE:
        return None
    far = np.nan_to_num(np.abs(found.moved) / np.maximum(found.error, 1e-12))
    most = int(np.argmax(far))
    when = kept["time"].to_numpy()[rows[later]].min()
    since = np.datetime_as_string(when, "m") if isinstance(when, np.datetime64) else f"{when:.10g}"
    name = kept["player"].to_numpy()[most]
    return (
        f"strengths move over time: votes before {since} and from then on differ by more than "
        f"chance (p = {found.p_value:.1g}), most of {shown(name)}, whose log-odds went "
        f"{'up' if found.moved[most] > 0.0 else 'down'} by {abs(found.moved[most]):.2f}. Strengths "
        "are averages over this time, and intervals are about these: fit the later votes by "
        "themselves, or tell versions of a player apart by name."
    )


def _numbers(time: "xr.DataArray") -> tuple[Floats, np.ndarray]:
    """Give times as numbers, and which of them are known."""
    values = time.to_numpy()
    if np.issubdtype(values.dtype, np.datetime64):
        return values.astype("datetime64[us]").astype(np.int64).astype(float), ~np.isnat(values)
    return values.astype(float), np.isfinite(values.astype(float))
