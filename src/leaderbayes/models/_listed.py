"""Boards whose players are listed in an order, as PMRA has them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from leaderbayes._numerics.round_intercept import LOSS, TIE, outcomes
from leaderbayes._scores.matches import listed_positions, require_matches
from leaderbayes._types import Bytes, Floats, Longs
from leaderbayes.models._weight import Weight, check_board, resolve_weight


class ListedBoard(NamedTuple):
    """What PMRA's model and its draws both begin with."""

    eta: Floats  # (round,): power of the likelihood
    listed: Longs  # (player,): positions of players in the order in which they are listed
    outcome: Bytes  # (round, pair): of the first-listed player, as in `round_intercept`
    pairs: list[str]  # (pair,): names

    @property
    def order(self) -> Longs:
        """Each player's position in the list (player,)."""
        return np.argsort(self.listed)


def listed_board(
    matches: xr.Dataset,
    order: Sequence[str] | None,
    weight: Weight,
    test_fraction: float | None,
) -> ListedBoard:
    """List a board's matches, as `models.round_intercept` documents, and raise or warn as it."""
    require_matches(
        matches, "models.round_intercept", ties=("half", "loss"), across=False, pairs=True
    )
    check_board(matches)
    eta = resolve_weight(matches, weight, test_fraction, with_ties=False)
    listed = listed_positions(matches, order)
    outcome = outcomes(matches["place"].to_numpy(), listed)
    if matches.attrs["ties"] == "loss":
        outcome[outcome == TIE] = LOSS
    names = matches["player"].to_numpy()[listed]
    first, second = np.triu_indices(len(names), 1)
    pairs = [f"{a} - {b}" for a, b in zip(names[first], names[second], strict=True)]
    return ListedBoard(eta, listed, outcome, pairs)
