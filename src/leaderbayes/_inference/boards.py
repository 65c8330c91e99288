"""The boards that a fit was made from, with its strengths."""

import json
from collections.abc import Sequence

import numpy as np
import xarray as xr

from leaderbayes._fits.posterior import board_fitted, drawn, fitted, is_of_votes, refuse
from leaderbayes._fits.unchanged import once
from leaderbayes._inference.kept_votes import matches_of_votes
from leaderbayes._numerics.places import places
from leaderbayes._scores.matches import matches


def matches_of(
    dt: xr.DataTree, players: Sequence[str] | None = None, *, pairs: bool = True
) -> xr.Dataset:
    """Remake the matches (player, opponent) that a fit was made from, of all or of some players.

    Without ``pairs`` its places (round, player) alone.

    Raises
    ------
    LeaderbayesError
        If it is no fit, or its scores are others than those it was made from.
    """
    own = None if players is None else tuple(map(str, players))
    return once(dt, ("matches", own, pairs), lambda: _found(dt, players, pairs)).copy()


def remember_matches(dt: xr.DataTree) -> None:
    """Find the matches of all players, within `unchanged` also for those who ask for places."""
    once(dt, ("matches", None, False), lambda: matches_of(dt))


def _found(dt: xr.DataTree, players: Sequence[str] | None, pairs: bool) -> xr.Dataset:
    """Remake matches, or take those of all players in another order."""
    board_fitted(dt, "constant_data")
    if players is None or is_of_votes(dt):
        return _matches_of(dt, players, pairs)
    every = matches_of(dt, pairs=pairs)
    names = every["player"].to_numpy()
    if "tournament" in every.dims or sorted(map(str, names)) != sorted(map(str, players)):
        return _matches_of(dt, players, pairs)
    sides = [side for side in ("player", "opponent") if side in every.dims]
    return every.sel({side: list(players) for side in sides})


def _matches_of(dt: xr.DataTree, players: Sequence[str] | None, pairs: bool) -> xr.Dataset:
    arguments = json.loads(dt.attrs["arguments"])
    if is_of_votes(dt):
        return _matches_of_votes(dt, players)
    rules = {name: arguments[name] for name in ("within_round", "ties")}
    scores = dt["constant_data"].to_dataset()["scores"]
    asked = scores if players is None else scores.sel(player=list(players))
    board = matches(asked, **rules, pairs=pairs)
    if "observed_data" in dt.children and "tournament" not in board.dims:
        board_fitted(dt, "observed_data")
        _check_places(dt, board)
    return board


def _matches_of_votes(dt: xr.DataTree, players: Sequence[str] | None) -> xr.Dataset:
    """Count the votes of a fit as matches."""
    names = dt["posterior"]["player"].to_numpy() if players is None else list(players)
    board = matches_of_votes(dt).sel(player=names, opponent=names)
    return board.transpose("player", "opponent")


def boards_of(dt: xr.DataTree) -> list[tuple[xr.Dataset, xr.DataArray]]:
    """Give each tournament's matches and strengths (..., player), for the players it has.

    Within `unchanged` they are found once: nobody may write into them.
    """
    return once(dt, ("boards",), lambda: _boards_of(dt))


def _boards_of(dt: xr.DataTree) -> list[tuple[xr.Dataset, xr.DataArray]]:
    fitted(dt, "constant_data")
    board = matches_of(dt)
    if "tournament" not in board.dims:
        return [(board, drawn(dt, "epp").sel(player=board["player"].to_numpy()))]
    epp = drawn(dt, "epp_tournament")
    boards = []
    for t in range(board.sizes["tournament"]):
        one = _present(board.isel(tournament=t, drop=True))
        own = epp.sel(tournament=board["tournament"].to_numpy()[t], drop=True)
        boards.append((one, own.sel(player=one["player"].to_numpy())))
    return boards


def _present(board: xr.Dataset) -> xr.Dataset:
    """Take the players and rounds that one tournament's matches have."""
    if "place" not in board:
        who = np.flatnonzero(board["n"].any("opponent"))
        return board.isel(player=who, opponent=who)
    seen = board["place"] > 0
    who, when = (np.flatnonzero(seen.any(dim)) for dim in ("round", "player"))
    return board.isel(player=who, opponent=who, round=when)


def _check_places(dt: xr.DataTree, board: xr.Dataset) -> None:
    """Raise unless the places of the fit are in the order of its scores, also of some players."""
    if "place" not in dt["observed_data"]:
        return
    observed = dt["observed_data"].dataset["place"].sel(player=board["player"].to_numpy())
    seen = observed.transpose(..., "player").to_numpy()
    # Rounds that none of some players played are not in their matches.
    seen = seen[(seen > 0).any(axis=1)]
    if len(seen) == board.sizes["round"]:
        again = places(
            np.where(seen > 0, seen, np.nan),
            higher_is_better=False,
            within_round=bool(board.attrs["within_round"]),
        )
        if np.array_equal(again, board["place"].to_numpy()):
            return
    raise refuse(dt, "was made from other scores than those in constant_data")
