"""Replicated boards: which draws get one, and those of Bradley-Terry's model."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._fits.when_read import when_read
from leaderbayes._numerics.places import gumbel, ranked
from leaderbayes._types import Bools, Floats, Ints, Longs

# Boards (chain, draw, round, player) of strengths (chain, draw, player).
Replicate = Callable[[Floats, np.random.Generator], Ints]

# Replicated places, unless more are asked for: 40 MB.
MAX_REPLICATED = 10_000_000
_AT_A_TIME = 100_000  # scores that are drawn, which processors keep at hand


def step_of(shape: tuple[int, int], size: int, asked: int | None) -> int:
    """Say of every how many-th draw (chain, draw) there is a board of so many places."""
    total = shape[0] * shape[1]
    boards = -(-total // -(-total * size // MAX_REPLICATED)) if asked is None else min(asked, total)
    return -(-total // boards)


def replicates(matches: xr.Dataset) -> Replicate:
    """Give a function that draws Bradley-Terry's boards of these players and rounds."""
    present, within = _rounds(matches)

    def draw(epp: Floats, rng: np.random.Generator) -> Ints:
        every = epp.reshape(-1, epp.shape[2])
        places = _boards(every, present, within, rng, np.arange(len(every)))
        return places.reshape(*epp.shape[:2], *present.shape)

    return draw


def boards_when_read(matches: xr.Dataset, epp: Floats, stream: np.random.SeedSequence) -> Any:
    """Give Bradley-Terry's boards (chain, draw, round, player), each drawn when it is read.

    They are what `replicates` draws of the same strengths (chain, draw, player) with the stream's
    default generator, whichever of them are read.
    """
    present, within = _rounds(matches)
    # A copy, of which nothing changes before it is read.
    every = epp.copy().reshape(-1, epp.shape[2])
    make = partial(picked_boards, every, present, within, stream)
    return when_read(make, (*epp.shape[:2], *present.shape), np.int32)


def _rounds(matches: xr.Dataset) -> tuple[Bools, bool]:
    """Read who was present (round, player), and whether only scores of a round are compared."""
    return (matches["place"] > 0).to_numpy(), bool(matches.attrs["within_round"])


def picked_boards(
    epp: Floats, present: Bools, within: bool, stream: np.random.SeedSequence, which: Longs
) -> Ints:
    """Draw as `_boards`, from the beginning of a stream."""
    return _boards(epp, present, within, np.random.default_rng(stream), which)


def _boards(
    epp: Floats, present: Bools, within: bool, rng: np.random.Generator, which: Longs
) -> Ints:
    """Draw some of the boards of strengths (board, player), in order.

    A board takes as many of the generator's numbers as it has places: those of boards between are
    passed over, so that each board is the same whichever are drawn.
    """
    block = max(_AT_A_TIME // present.size, 1)
    places = np.empty((len(which), *present.shape), np.int32)
    uniform = np.empty((block, *present.shape))
    bits: Any = rng.bit_generator
    at = 0
    for k in range(0, len(which), block):
        some = which[k : k + block]
        for board, numbers in zip(some.tolist(), uniform, strict=False):
            if board > at:
                bits.advance((board - at) * present.size)
            rng.random(out=numbers)
            at = board + 1
        scores = gumbel(uniform[: len(some)])
        scores += epp[some, None]
        places[k : k + block] = ranked(scores, present, within_round=within)
    return places
