"""Log-likelihood by round of Bradley-Terry, and what stands beside that of any model."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._fits.when_read import when_read
from leaderbayes._numerics.pairs_by_round import round_log_likelihood, round_statistics
from leaderbayes._types import Floats, Ints, Longs

NOTICE = "use_lb_loo"


def with_notice(log_likelihood: xr.Dataset) -> xr.Dataset:
    """Add ``use_lb_loo`` (chain, draw), zeros, to the group ``log_likelihood``.

    The log-likelihood by round is weighted, and of a whole ranking under one model, of matches
    under another: ``az.loo`` and ``az.compare`` would turn models round. Of two variables they stop
    and name both. ``az.psense`` sums over the group, to which zeros add nothing.
    """
    shape = [log_likelihood.sizes[dim] for dim in ("chain", "draw")]
    return log_likelihood.assign({NOTICE: notice(shape)})


def notice(shape: Sequence[int]) -> tuple[tuple[str, str], Floats]:
    """Give the zeros (chain, draw) of `with_notice`."""
    return ("chain", "draw"), np.zeros(shape)


def by_round_when_read(matches: xr.Dataset, eta: Floats, epp: Floats) -> Any:
    """Give Bradley-Terry's log-likelihood (chain, draw, round), computed when it is read.

    Of rounds with weights ``eta`` (round,), at strengths (chain, draw, player).
    """
    within, ties = bool(matches.attrs["within_round"]), str(matches.attrs["ties"])
    # Copies, of which nothing changes before they are read.
    every, place = epp.copy().reshape(-1, epp.shape[2]), matches["place"].to_numpy().copy()
    make = partial(by_round, every, eta.copy(), place, within, ties)
    return when_read(make, (*epp.shape[:2], len(eta)))


def by_round(
    epp: Floats, eta: Floats, place: Ints, within: bool, ties: str, which: Longs
) -> Floats:
    """Weighted log-likelihood (draw, round) of some strengths (draw, player)."""
    statistics = round_statistics(place, within_round=within, ties=ties)
    return eta * round_log_likelihood(epp[which], statistics)
