"""What models of several tournaments' matches ask of the boards, and how much these count."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._errors import LeaderbayesError
from leaderbayes._scores.matches import require_matches
from leaderbayes._types import Bools, Floats, Ints, Longs
from leaderbayes.models._weight import Weight, resolve_weight

SPREAD_SCALE = 2.0  # of the prior on the spread between tournaments, log-odds


class MatchBoards(NamedTuple):
    """Matches of several tournaments, and what is chosen by them."""

    alone: list[xr.Dataset]  # of each tournament, without players and rounds that it does not have
    weight: list[Floats]  # (round,), of each tournament
    ties: str
    rows: Ints  # (tournament_round, player): places
    tournament: Longs  # (tournament_round,): number of each one's tournament
    present: Bools  # (tournament, player)
    group: Longs | None  # (player,): number of each one's group
    coords: dict[str, Any]  # names of tournaments, players, rounds, and groups where there are


def boards_of_matches(
    matches: xr.Dataset,
    groups: Mapping[str, str] | None,
    weight: Weight,
    test_fraction: float | None,
) -> MatchBoards:
    """Give several tournaments' matches with their weights and names.

    Raises
    ------
    LeaderbayesError
        If there is one tournament, one has one player, an option has no meaning, or a player has no
        group.
    """
    require_matches(matches, "models.tournaments", ties=("half", "drop"), across=False, pairs=True)
    if "tournament" not in matches["place"].dims:
        raise LeaderbayesError("models.tournaments needs matches of several tournaments.")
    place = matches["place"].to_numpy()
    played = (place > 0).any(axis=2)
    tournament, round_ = np.nonzero(played)
    alone = [_alone(matches, t) for t in range(len(place))]
    for name, board in zip(matches["tournament"].to_numpy(), alone, strict=True):
        if board.sizes["player"] < 2:
            raise LeaderbayesError(
                f"Tournament {str(name)[:60]!r} has scores of one player only; leave it out."
            )
    eta = [resolve_weight(board, weight, test_fraction, with_ties=False) for board in alone]
    coords = _coords(matches, tournament, round_)
    group = None
    if groups is not None:
        group, coords["group"] = _numbered(groups, coords["player"])
    return MatchBoards(
        alone=alone,
        weight=eta,
        ties=str(matches.attrs["ties"]),
        rows=place[played],
        tournament=tournament,
        present=(place > 0).any(axis=1),
        group=group,
        coords=coords,
    )


def _alone(matches: xr.Dataset, t: int) -> xr.Dataset:
    """Take one tournament's matches, without the players and rounds that it does not have."""
    board = matches.isel(tournament=t, drop=True)
    seen = board["place"] > 0
    who = np.flatnonzero(seen.any("round"))
    return board.isel(player=who, opponent=who, round=np.flatnonzero(seen.any("player")))


def _coords(matches: xr.Dataset, tournament: np.ndarray, round_: np.ndarray) -> dict[str, Any]:
    """Tournaments, players, and each tournament's rounds."""
    names = {dim: matches[dim].to_numpy() for dim in ("tournament", "player", "round")}
    rounds = [
        f"{names['tournament'][t]}: {names['round'][k]}"
        for t, k in zip(tournament, round_, strict=True)
    ]
    return {
        "tournament": names["tournament"],
        "player": names["player"],
        "tournament_round": rounds,
    }


def _numbered(groups: Mapping[str, str], players: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Give the number of each player's group, and the groups' names."""
    absent = [str(p) for p in players if p not in groups]
    if absent:
        raise LeaderbayesError(f"groups: player {absent[0]!r} has none; give each player one.")
    number, names = pd.factorize(np.array([str(groups[p]) for p in players], dtype=object))
    if len(names) < 2:
        raise LeaderbayesError(f"groups: all players are in {names[0]!r}; name two groups or none.")
    return number, list(names)
