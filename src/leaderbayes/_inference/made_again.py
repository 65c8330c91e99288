"""Groups of a fit that its others tell: left out of a store of many, and made when they are read.

These are ``posterior_predictive`` and ``log_likelihood`` of Bradley-Terry, unless a sampler of PyMC
drew it: boards that its seed draws for its strengths, and what its places and weights say at them.
They would take as much room again as all else.
"""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._fits.kinds import WITHOUT_PYMC
from leaderbayes._fits.when_read import when_read
from leaderbayes._inference.laplace import boards_of_draws, rounds_of_draws
from leaderbayes._inference.log_likelihood import by_round
from leaderbayes._inference.replicates import picked_boards, step_of
from leaderbayes._types import Floats, Ints, Longs

GROUPS = ("posterior_predictive", "log_likelihood")


def left_out(dt: xr.DataTree) -> tuple[str, ...]:
    """Name the groups of a fit that `made_again` makes again."""
    return GROUPS if _tells(dt.attrs, dt.children) else ()


def made_again(attrs: Mapping[str, Any], groups: Mapping[str, xr.Dataset]) -> dict[str, xr.Dataset]:
    """Give the groups that were left out of a fit with these attributes and groups, if any were.

    They are made when they are read, as the others are.
    """
    if not _tells(attrs, groups) or any(group in groups for group in GROUPS):
        return {}
    arguments = json.loads(attrs["arguments"])
    within, ties = bool(arguments["within_round"]), str(arguments["ties"])
    epp = groups["posterior"].variables["epp"]
    place = groups["observed_data"].variables["place"]
    weight = groups["constant_data"].variables["weight"]
    chains, draws, _ = epp.shape
    step = step_of((chains, draws), place.size, arguments["replicates"])
    # The second stream of `draw_exactly`.
    stream = np.random.SeedSequence(int(attrs["seed"])).spawn(2)[1]
    boards = when_read(
        partial(_boards, epp, place, within, step, stream),
        (chains, -(-draws // step), *place.shape), np.int32,
    )  # fmt: skip
    rounds = when_read(
        partial(_by_round, epp, place, weight, within, ties), (chains, draws, len(weight))
    )
    return {
        "posterior_predictive": boards_of_draws(groups["observed_data"], boards, step),
        "log_likelihood": rounds_of_draws(groups["observed_data"], rounds),
    }


def _tells(attrs: Mapping[Any, Any], groups: Mapping[str, Any]) -> bool:
    """Say whether a fit is of Bradley-Terry to scores, drawn without PyMC."""
    return (
        attrs.get("model") == "bradley_terry"
        and "place" in groups["observed_data"]
        and json.loads(attrs["arguments"])["sampler"] in WITHOUT_PYMC
    )


def _boards(
    epp: xr.Variable,
    place: xr.Variable,
    within: bool,
    step: int,
    stream: np.random.SeedSequence,
    which: Longs,
) -> Ints:
    """Draw boards, of some of every ``step``-th draw of strengths (chain, draw, player)."""
    own = epp.to_numpy()[:, ::step]
    every = own.reshape(-1, own.shape[2])
    return picked_boards(every, place.to_numpy() > 0, within, stream, which)


def _by_round(
    epp: xr.Variable, place: xr.Variable, weight: xr.Variable, within: bool, ties: str, which: Longs
) -> Floats:
    """Compute the log-likelihood (draw, round) of some draws of strengths."""
    every = epp.to_numpy().reshape(-1, epp.shape[2])
    return by_round(every, weight.to_numpy(), place.to_numpy(), within, ties, which)
