"""Scores to matches: wins and counts of every pair of players, and who can be compared at all."""

from typing import Literal

import numpy as np
import pandas as pd
import xarray as xr
from scipy.sparse.csgraph import connected_components

from leaderbayes._errors import LeaderbayesError, ScoresError
from leaderbayes.numerics.places import count_matches, places

Ties = Literal["half", "drop", "floor"]


def matches(scores: xr.DataArray, *, within_round: bool = True, ties: Ties = "half") -> xr.Dataset:
    """Compare the scores of all pairs of players.

    Parameters
    ----------
    scores : DataArray (player, round)
        One tournament's scores, as `read_scores` returns them; NaN where a player has none.
        Players and rounds without any score are left out.
    within_round : bool
        Compare scores of the same round (the default), or every score of a player with every
        score of its opponent.
    ties : {"half", "drop", "floor"}
        An equal pair of scores is half a win for both; or no match; or half a win for both,
        and then each pair's sum is rounded down (what EloML's glm route does, for
        comparison with published numbers).

    Returns
    -------
    Dataset
        ``wins`` (player, opponent): how often the row beat the column, ties by the rule.
        ``n`` (player, opponent): number of matches. ``tied`` (player, opponent): number of equal
        pairs of scores, whatever the rule. ``place`` (round, player): 1 is best, tied
        players share the lowest, 0 is absent; over all rounds at once where ``within_round`` is
        False. attrs: ``within_round`` (0 or 1), ``ties``.

    Raises
    ------
    ScoresError
        If there are several tournaments, or fewer than two players with a score.
    LeaderbayesError
        If ``ties`` is not one of the three.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, section 3.
    """
    if ties not in ("half", "drop", "floor"):
        raise LeaderbayesError(f"ties={ties!r} is not known; choose 'half', 'drop' or 'floor'.")
    board = one_tournament(scores)
    place = places(
        board.transpose("round", "player").to_numpy(),
        higher_is_better=bool(board.attrs.get("higher_is_better", 1)),
        within_round=within_round,
    )
    strict, n = count_matches(place, within_round=within_round)
    tied = n - strict - strict.T
    if ties == "drop":
        wins, n = strict.astype(float), strict + strict.T
    else:
        wins = strict + tied / 2.0
        if ties == "floor":
            wins = np.floor(wins)
            n = wins + wins.T
    players = board["player"].to_numpy()
    return xr.Dataset(
        {
            "wins": (("player", "opponent"), wins),
            "n": (("player", "opponent"), n.astype(float)),
            "tied": (("player", "opponent"), tied.astype(float)),
            "place": (("round", "player"), place),
        },
        coords={"player": players, "opponent": players, "round": board["round"].to_numpy()},
        attrs={"within_round": int(within_round), "ties": ties},
    )


def one_tournament(scores: xr.DataArray) -> xr.DataArray:
    """Scores (player, round) of one tournament, without empty players and rounds.

    Raises
    ------
    ScoresError
        If several tournaments are given, or fewer than two players have a score.
    """
    if not isinstance(scores, xr.DataArray):
        raise ScoresError(f"Scores are a DataArray (player, round), not {type(scores).__name__}.")
    if "tournament" in scores.dims:
        names = [str(name) for name in scores["tournament"].to_numpy()]
        if len(names) > 1:
            shown = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
            raise ScoresError(
                f"The scores hold {len(names)} tournaments ({shown}); pick one, for example "
                f"scores.sel(tournament={names[0]!r})."
            )
        scores = scores.isel(tournament=0)
    if set(scores.dims) != {"player", "round"}:
        raise ScoresError(
            f"Scores need the dimensions player and round, not {tuple(map(str, scores.dims))}."
        )
    for dim in ("player", "round"):
        names = pd.Index(scores[dim].to_numpy())
        if names.has_duplicates:
            again = str(names[names.duplicated()][0])[:60]
            raise ScoresError(f"Scores have two {dim}s called {again!r}; rename one.")
    if scores.dtype.kind not in "biuf":
        raise ScoresError(f"Scores are numbers, not of dtype {scores.dtype}.")
    # As floats: unsigned numbers cannot be negated.
    board = scores.astype(np.float64)
    if np.isinf(board).any():
        raise ScoresError("A score is infinite; give NaN where a score is missing.")
    board = board.dropna("player", how="all").dropna("round", how="all")
    if board.sizes["player"] < 2:
        raise ScoresError(
            f"{board.sizes['player']} players have a score; a comparison needs at least two."
        )
    return board


def components(matches: xr.Dataset) -> pd.Series:
    """Group players by the strong components of the win graph (an edge where i beat j).

    Within a group everybody has, directly or through others, both won and lost against everybody
    else. The maximum-likelihood estimate exists only if there is one group.

    Parameters
    ----------
    matches : Dataset
        From `matches`.

    Returns
    -------
    Series
        Number of the group by player; group 1 has the most average wins. Its attrs say in
        ``weakly_connected`` whether the board hangs together at all: if not, groups
        never met and no data can compare them.
    """
    won = matches["wins"].to_numpy() > 0
    _, label = connected_components(won, directed=True, connection="strong")
    islands, _ = connected_components(won, directed=True, connection="weak")
    played = matches["n"].sum("opponent").to_numpy()
    rate = matches["wins"].sum("opponent").to_numpy() / np.where(played > 0, played, 1.0)
    best_first = np.argsort(-pd.Series(rate).groupby(label).mean().to_numpy(), kind="stable")
    number = np.empty(len(best_first), dtype=int)
    number[best_first] = np.arange(1, len(best_first) + 1)
    groups = pd.Series(
        number[label], index=pd.Index(matches["player"].to_numpy(), name="player"), name="group"
    )
    groups.attrs["weakly_connected"] = islands == 1
    return groups


def name_groups(groups: pd.Series, *, most: int = 5) -> str:
    """Write groups as a phrase: 'group 1 (3 players: a, b, c), group 2 (...)'."""
    phrases = []
    for number, members in groups.groupby(groups):
        names = [str(name)[:60] for name in members.index[:most]]
        dots = ", ..." if len(members) > most else ""
        phrases.append(f"group {number} ({len(members)} players: {', '.join(names)}{dots})")
    shown = "; ".join(phrases[:most])
    return shown + (f"; and {len(phrases) - most} more groups" if len(phrases) > most else "")
