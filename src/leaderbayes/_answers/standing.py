"""Who stands where by a part of the data: strengths of some rounds, judges or prompts alone."""

import json
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.draws import draws_of, sign_of
from leaderbayes._answers.penalty import spread_of, weight_of
from leaderbayes._answers.vote_estimates import parted
from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import (
    board_fitted,
    drawn,
    is_mean_score,
    is_of_votes,
    one_board,
)
from leaderbayes._fits.unchanged import once
from leaderbayes._inference.boards import boards_of, matches_of
from leaderbayes._inference.kept_votes import kept_votes, labels_of
from leaderbayes._inference.laplace import fitted_arguments
from leaderbayes._numerics.bradley_terry import newton
from leaderbayes._numerics.plackett_luce_fit import fit_rankings
from leaderbayes._numerics.two_way import column_means
from leaderbayes._types import Bools, Floats, Ints, Longs

LEVEL = 1e-9  # of the range of strengths, within which two are level
_MATRIX = 200  # players, up to which Plackett-Luce takes steps by a matrix
_CELLS = 50_000_000  # of wins by round that are kept in memory


class Standing(NamedTuple):
    """Parts of a fit's data, and who stands where by some of them."""

    players: pd.Index
    unit: str  # "round", "tournament", "cluster", "judge", "prompt" or "vote"
    names: np.ndarray  # (unit,)
    share: Floats  # (unit,): of all matches, scores or votes
    # Of kept units (unit,): strengths (player,), higher is better; NaN of who has nothing there.
    strengths: Callable[[Bools], Floats]


def standing_by(dt: xr.DataTree, by: str) -> Standing:
    """Give what strengths come to by parts of the data, estimated anew of each part.

    Strengths are by maximum likelihood with a penalty as strong as the fit's prior is beside its
    matches, or mean scores as the fit takes them. Votes are estimated by the fit's own model; of
    scores Davidson's are Bradley-Terry's, of ties as half wins: he goes by the same points. Of
    several tournaments they are means of the strengths in each.

    Parameters
    ----------
    dt : DataTree
        Of votes; of one tournament's scores, by Bradley-Terry, Davidson or Plackett-Luce within
        rounds or by mean scores; or of several by model "tournaments".
    by : {"round", "cluster", "tournament", "judge", "prompt", "vote"}

    Raises
    ------
    LeaderbayesError
        If it is another fit, or has no such parts.
    """
    return once(dt, ("standing by", by), lambda: _standing_by(dt, by))


def _standing_by(dt: xr.DataTree, by: str) -> Standing:
    if is_several(dt):
        return _of_tournaments(dt)
    if is_of_votes(dt):
        return _of_votes(dt, by)
    if is_mean_score(dt):
        return _of_means(dt, by)
    if dt.attrs.get("model") == "plackett_luce":
        return _of_rankings(dt)
    return _of_matches(dt)


def is_several(dt: xr.DataTree) -> bool:
    """Say whether it is a fit of several tournaments."""
    return "posterior" in dt.children and "epp_tournament" in dt["posterior"]


def unit_of(dt: xr.DataTree) -> str:
    """Name what the matches of a fit of scores are parted by."""
    return "tournament" if is_several(dt) else "round"


def leaders_of(strengths: Floats) -> Bools:
    """Say who leads (player,): several, where the best are level."""
    best, least = float(np.nanmax(strengths)), float(np.nanmin(strengths))
    return np.asarray(np.nan_to_num(strengths, nan=-np.inf) >= best - LEVEL * (best - least))


def leader_of(strengths: Floats, wanted: int) -> int:
    """Give the leader's position: the wanted one, if it is level with the best."""
    return wanted if leaders_of(strengths)[wanted] else int(np.nanargmax(strengths))


def _of_votes(dt: xr.DataTree, by: str) -> Standing:
    kept = kept_votes(dt)[0]
    count = kept.sizes["vote"]
    code, names = (np.arange(count), np.arange(count)) if by == "vote" else labels_of(kept, by)
    own = parted(dt, code)
    votes = own.votes

    def strengths(units: Bools) -> Floats:
        held = units[own.unit]
        some = votes._replace(
            won=votes.won * held, n=votes.n * held, tied=votes.tied * held
        )  # fmt: skip
        epp = own.estimate(some).epp
        seen = np.bincount(some.first, some.n, minlength=len(epp))
        seen += np.bincount(some.second, some.n, minlength=len(epp))
        return np.where(seen > 0.0, epp, np.nan)

    share = np.bincount(own.unit, own.size, len(names)) / own.size.sum()
    return Standing(draws_of(dt)[1], by, np.asarray(names), share, strengths)


def _places(dt: xr.DataTree) -> tuple[Ints, Floats, np.ndarray, bool]:
    """Give places (round, player), weights and names of rounds, and whether ties are dropped."""
    fitted_arguments(dt, ("bradley_terry", "davidson", "plackett_luce"))
    board = matches_of(dt, pairs=False)
    if "tournament" in board.dims or not board.attrs["within_round"]:
        raise LeaderbayesError("Parts are rounds of one tournament, of matches within them.")
    place = board["place"].sel(player=draws_of(dt)[1]).transpose("round", "player").to_numpy()
    weight = drawn(dt, "weight", "constant_data").sel(round=board["round"]).to_numpy()
    return place, weight, board["round"].to_numpy(), board.attrs["ties"] == "drop"


def _share(place: Ints, weight: Floats) -> Floats:
    """Give the share of all matches that each round has."""
    met = (place > 0).sum(axis=1)
    share = weight * met * (met - 1.0)
    return np.asarray(share / share.sum())


def _of_rankings(dt: xr.DataTree) -> Standing:
    """Of Plackett-Luce: whole rankings."""
    place, weight, names, _ = _places(dt)
    epp, players = draws_of(dt)
    penalty = 4.0 / (spread_of(epp) * float(weight.mean()))

    def strengths(units: Bools) -> Floats:
        some = place[units]
        seen = ((some > 0) & ((some > 0).sum(axis=1, keepdims=True) > 1)).any(axis=0)
        own = fit_rankings(some, pseudo_rounds=penalty, matrix=len(players) <= _MATRIX).epp
        return np.where(seen, own, np.nan)

    return Standing(players, "round", names, _share(place, np.ones(len(place))), strengths)


def _of_tournaments(dt: xr.DataTree) -> Standing:
    """Of several tournaments: the mean of strengths in each, estimated once."""
    players = draws_of(dt)[1]
    boards = boards_of(dt)
    names = dt["constant_data"]["tournament"].to_numpy()
    own = np.full((len(names), len(players)), np.nan)
    met = np.zeros(len(names))
    for t, (board, epp) in enumerate(boards):
        at = players.get_indexer(pd.Index(board["player"].to_numpy()))
        penalty = 4.0 / (spread_of(epp) * weight_of(dt))
        wins, n = board["wins"].to_numpy(), board["n"].to_numpy().astype(float)
        own[t, at] = newton(wins.sum(axis=1), n, pseudo_rounds=penalty)[0]
        met[t] = n.sum()

    def strengths(units: Bools) -> Floats:
        return statistic_of(own[units], "mean")

    return Standing(players, "tournament", np.asarray(names), met / met.sum(), strengths)


def _of_matches(dt: xr.DataTree) -> Standing:
    place, weight, names, drop = _places(dt)
    epp, players = draws_of(dt)
    penalty = 4.0 / spread_of(epp)
    rounds, m = place.shape
    every = (
        np.stack([_points(place[k], weight[k], drop) for k in range(rounds)]).reshape(rounds, -1)
        if rounds * m * m * 2 <= _CELLS
        else None
    )

    def strengths(units: Bools) -> Floats:
        if every is None:
            wins, n = sum(
                (_points(place[k], weight[k], drop) for k in np.flatnonzero(units)),
                start=np.zeros((2, m, m)),
            )
        else:
            wins, n = (units.astype(float) @ every).reshape(2, m, m)
        own = newton(wins.sum(axis=1), n, pseudo_rounds=penalty)[0]
        return np.where(n.any(axis=1), own, np.nan)

    return Standing(players, "round", names, _share(place, weight), strengths)


def _points(place: np.ndarray, weight: float, drop: bool) -> Floats:
    """Give wins, ties half, and matches of a round (2, player, opponent)."""
    there = place > 0
    met = there[:, None] & there
    np.fill_diagonal(met, False)
    tied = place[:, None] == place
    if drop:
        met &= ~tied
    won = np.where(tied, 0.5, place[:, None] < place)
    return weight * np.stack([won * met, met])


def _of_means(dt: xr.DataTree, by: str) -> Standing:
    y, players, code, names = means_of(dt, by)
    statistic = json.loads(dt.attrs["arguments"]).get("statistic", "mean")

    def strengths(units: Bools) -> Floats:
        return statistic_of(y[units[code]], statistic)

    if np.isnan(strengths(np.ones(len(names), dtype=bool))).all():
        raise LeaderbayesError(
            "Players are in groups that share no round: nothing but the prior tells whose rounds "
            "were easier. Fit the groups apart, and ask this of each."
        )
    share = np.bincount(code, np.isfinite(y).sum(axis=1), len(names))
    return Standing(players, by, names, share / share.sum(), strengths)


def means_of(dt: xr.DataTree, by: str) -> tuple[Floats, pd.Index, Longs, np.ndarray]:
    """Read a fit of mean scores: scores (round, player), higher is better, and players.

    And the numbers of the rounds' units (round,), with their names.

    Raises
    ------
    LeaderbayesError
        If it is of several tournaments, or rounds have no clusters.
    """
    board_fitted(dt, "constant_data")
    one_board(dt, "This answer")
    scores = dt["constant_data"].to_dataset()["scores"].transpose("round", "player")
    names = scores["round"].to_numpy()
    code = np.arange(len(names))
    if by == "cluster":
        if "cluster" not in scores.coords:
            raise LeaderbayesError("by='cluster', and these rounds have no clusters.")
        code, found = pd.factorize(scores["cluster"].to_numpy())
        names = np.asarray(found)
    players = pd.Index(scores["player"].to_numpy(), name="player")
    return sign_of(dt) * scores.to_numpy().astype(float), players, code.astype(np.int64), names


def statistic_of(y: Floats, statistic: str) -> Floats:
    """Take the mean, median or interquartile mean of scores (round, player); NaN of no score."""
    out = np.full(y.shape[1], np.nan)
    rows, players = np.isfinite(y).any(axis=1), np.isfinite(y).any(axis=0)
    if not rows.any():
        return out
    some = y[np.ix_(rows, players)]
    if statistic == "median":
        out[players] = np.nanmedian(some, axis=0)
    elif statistic == "iqm":
        upto = np.arange(len(some) + 1) / len(some)
        share = np.clip(np.minimum(upto[1:], 0.75) - np.maximum(upto[:-1], 0.25), 0.0, None)
        out[players] = share @ np.sort(some, axis=0) / 0.5
    else:
        out[players] = column_means(some)
    return out
