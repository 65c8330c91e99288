"""Scores to matches: wins and counts of every pair of players, and who can be compared."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from leaderbayes._arguments import is_flag, is_hashable, wrong
from leaderbayes._errors import LeaderbayesError, ScoresError
from leaderbayes._numerics.places import count, places, win_graph
from leaderbayes._scores.tables import counted, listed
from leaderbayes._scores.vote_matches import counted_votes, is_votes
from leaderbayes._types import Bools, Floats, Ints, Longs

Ties = Literal["half", "drop", "floor", "loss"]
TIES: tuple[Ties, ...] = get_args(Ties)

# Whole numbers up to here are floating-point numbers too.
_EXACT = 2**53
# Places are 32-bit.
_PLACES = 2**31 - 1
_PAIRED = 5000  # players of whom all pairs are counted unasked: 0.6 GB
_FEW_STEPS = 4  # from player to player, before graphs are taken apart


def matches(
    scores: xr.DataArray | xr.Dataset,
    *,
    within_round: bool = True,
    ties: Ties = "half",
    pairs: bool | None = None,
) -> xr.Dataset:
    """Compare the scores of all pairs of players.

    Parameters
    ----------
    scores : DataArray (player, round) or (tournament, player, round), or Dataset (vote)
        Scores as `read_scores` returns them; NaN where a player has none. Players, rounds and
        tournaments without any score are left out. Or votes of `read_votes`, which have no rounds
        and no ``place``, and ties "half" or "drop".
    within_round : bool
        Compare scores of the same round (the default), or every score of a player with every
        score of its opponent in the tournament.
    ties : {"half", "drop", "floor", "loss"}
        An equal pair of scores is half a win for both; or no match; or half a win for both,
        and then each pair's sum is rounded down (what EloML's glm route does, for
        comparison with published numbers); or, as PMRA publishes, the loss of the player who
        is listed first. Only ``round_intercept`` lists players and takes "loss"; the tables here
        know no list, and then count half. What takes matches says which rules it can use.
    pairs : bool, optional
        Make the tables of all pairs. By default those of up to 5000 players: 10 000 players have
        10^8 pairs, whose tables take 2.4 GB and ten seconds. Plackett-Luce, and ``round_intercept``
        by maximum likelihood, need none; what does says so. Votes always have theirs.

    Returns
    -------
    Dataset
        ``wins`` (player, opponent): how often the row beat the column, ties by the rule.
        ``n`` (player, opponent): number of matches. ``tied`` (player, opponent): number of equal
        pairs of scores, whatever the rule. ``place`` (round, player): 1 is best, tied players share
        the lowest, 0 is absent; over all rounds at once where ``within_round`` is False. ``scores``
        (round, player). Without ``pairs`` the last two are all. All with the dimension tournament
        first where the scores have it. attrs: ``within_round`` (0 or 1), ``ties``.

    Raises
    ------
    ScoresError
        If there are fewer than two players with a score, or the scores are no finite numbers.
    LeaderbayesError
        If ``ties`` is not one of the four, or another argument is not what it has to be.

    References
    ----------
    Gosiewska, Woźnica, Biecek (2022), Interpretable meta-score for model performance, section 3.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> board = lb.matches(lb.datasets.load("classifiers", "iris"))
    >>> pair = {"player": "svm C=1", "opponent": "knn k=1"}
    >>> [float(board[name].sel(pair)) for name in ("wins", "tied", "n")]
    [16.5, 13.0, 25.0]
    """
    check_ties(ties)
    if not is_flag(within_round):
        raise wrong("within_round", within_round, "True or False")
    if pairs is not None and not is_flag(pairs):
        raise wrong("pairs", pairs, "True, False or None")
    if is_votes(scores):
        if not within_round:
            raise LeaderbayesError("within_round=False is of scores: votes have no rounds.")
        return counted_votes(scores, ties)
    board = valid_scores(scores)
    names = ("tournament",) if "tournament" in board.dims else ()
    board = board.transpose(*names, "round", "player")
    if board.sizes["player"] * (1 if within_round else board.sizes["round"]) > _PLACES:
        raise ScoresError(
            f"Scores are ranked up to place {_PLACES}, and these are more: compare fewer players, "
            "or within rounds."
        )
    values = board.to_numpy().reshape(-1, board.sizes["round"], board.sizes["player"])
    better = bool(board.attrs.get("higher_is_better", 1))
    ranked = [places(v, higher_is_better=better, within_round=within_round) for v in values]
    variables: dict[str, Any] = {
        "place": (board.dims, np.stack(ranked).reshape(board.shape)),
        "scores": (board.dims, board.to_numpy(), board.attrs),
    }
    coords = {dim: board[dim].to_numpy() for dim in board.dims}
    if pairs or (pairs is None and board.sizes["player"] <= _PAIRED):
        each = [count(place, within_round=within_round, ties=ties) for place in ranked]
        for name, tables in zip(("wins", "n", "tied"), zip(*each, strict=True), strict=True):
            stacked = np.stack(tables) if names else tables[0]
            variables[name] = ((*names, "player", "opponent"), stacked)
        coords["opponent"] = coords["player"]
    return xr.Dataset(variables, coords, {"within_round": int(within_round), "ties": ties})


def check_ties(ties: object, possible: Sequence[Ties] = TIES, where: str = "") -> None:
    """Raise unless this is a rule for ties, and one of those that are possible here.

    Raises
    ------
    LeaderbayesError
        Listing what is possible.
    """
    if not is_hashable(ties):
        raise wrong("ties", ties, f"one of {listed(possible)}")
    if ties not in possible:
        fault = f"has no meaning for {where}" if where and ties in TIES else "is not known"
        choice = " or ".join(
            filter(None, (", ".join(map(repr, possible[:-1])), repr(possible[-1])))
        )
        raise LeaderbayesError(f"ties={ties!r} {fault}; choose {choice}.")


def require_matches(
    given: object,
    what: str,
    *,
    ties: Sequence[Ties],
    across: bool = True,
    pairs: bool = False,
) -> None:
    """Raise unless ``what`` can use these: matches, by one of its rules for ties.

    Parameters
    ----------
    given : object
        Dataset from `matches`, if the user is right.
    what : str
        Name of the function that asks.
    ties : sequence of str
        Rules that it can use.
    across : bool
        Whether it can use matches across rounds.
    pairs : bool
        Whether it needs the tables of all pairs.

    Raises
    ------
    LeaderbayesError
        Saying what to give.
    """
    if not isinstance(given, xr.Dataset) or "place" not in given or "ties" not in given.attrs:
        if is_votes(given) or (isinstance(given, xr.Dataset) and "wins" in given):
            raise LeaderbayesError(
                f"{what} takes matches of scores, in rounds, not of votes: of these take "
                "leaderbayes.fit(votes), likelihood.bradley_terry(votes) or round_intercept(votes)."
            )
        kind = "scores" if isinstance(given, xr.DataArray) else type(given).__name__
        raise LeaderbayesError(
            f"{what} takes matches, not {kind}: give leaderbayes.matches(scores)."
        )
    check_ties(given.attrs["ties"], ties, what)
    if not across and not given.attrs["within_round"]:
        raise LeaderbayesError(
            f"{what} compares within rounds: give leaderbayes.matches(scores), with "
            "within_round=True."
        )
    if pairs and "wins" not in given:
        raise LeaderbayesError(
            f"{what} needs the tables of all pairs: give leaderbayes.matches(scores), with "
            "pairs=True."
        )


def valid_scores(scores: Any) -> xr.DataArray:
    """Give scores as floats, without players, rounds and tournaments that have none.

    Raises
    ------
    ScoresError
        If names repeat, a score is no finite number, or fewer than two players have one.
    """
    if isinstance(scores, xr.Dataset) and "place" in scores:
        raise ScoresError(
            "These are matches: give the scores that they were made of, a DataArray (player, "
            "round)."
        )
    if not isinstance(scores, xr.DataArray):
        raise ScoresError(
            f"Scores are a DataArray (player, round), not {type(scores).__name__}: read a file or "
            "data frame with leaderbayes.read_scores."
        )
    if set(scores.dims) - {"tournament"} != {"player", "round"}:
        raise ScoresError(
            f"Scores need the dimensions player and round, not {tuple(map(str, scores.dims))}."
        )
    for dim in scores.dims:
        names = pd.Index(scores[dim].to_numpy())
        if names.has_duplicates:
            again = str(names[names.duplicated()][0])[:60]
            raise ScoresError(f"Scores have two {dim}s called {again!r}; rename one.")
    if scores.dtype.kind not in "biuf":
        raise ScoresError(f"Scores are numbers, not of dtype {scores.dtype}.")
    if scores.dtype.kind in "iu" and bool(((scores > _EXACT) | (scores < -_EXACT)).any()):
        raise ScoresError(
            "A score is a whole number beyond 2^53, where floating-point numbers take different "
            "scores for ties. Subtract a number from all of them."
        )
    # As floats: unsigned numbers cannot be negated.
    board = scores.astype(np.float64)
    if np.isinf(board.to_numpy()).any():
        raise ScoresError("A score is infinite; give NaN where a score is missing.")
    for dim in scores.dims:
        others = tuple(board.get_axis_num(other) for other in board.dims if other != dim)
        board = board[{dim: ~np.isnan(board.to_numpy()).all(axis=others)}]
    if board.sizes["player"] < 2:
        raise ScoresError(
            f"{counted(board.sizes['player'], 'player')} with a score; a comparison needs at least "
            "two."
        )
    return board


def one_tournament(scores: xr.DataArray) -> xr.DataArray:
    """Check scores of one tournament and give them as (player, round).

    Raises
    ------
    ScoresError
        If there are several.
    """
    board = valid_scores(scores)
    if "tournament" not in board.dims:
        return board
    names = [str(name) for name in board["tournament"].to_numpy()]
    if len(names) > 1:
        raise ScoresError(
            f"The scores hold {len(names)} tournaments ({listed(names)}); pick one, for example "
            f"scores.sel(tournament={names[0]!r}), or take model='tournaments'."
        )
    return board.isel(tournament=0, drop=True)


def listed_positions(matches: xr.Dataset, order: Sequence[str] | None) -> Longs:
    """Give the positions of the players in the order in which they are listed.

    By default this is by name without regard to case, as in PMRA's published software.

    Raises
    ------
    LeaderbayesError
        If ``order`` does not list every player once.
    """
    players = [str(name) for name in matches["player"].to_numpy()]
    if order is None:
        return np.array(sorted(range(len(players)), key=lambda i: (players[i].lower(), players[i])))
    listed = [str(name) for name in order]
    if sorted(listed) != sorted(players):
        absent = [name for name in players if name not in listed]
        extra = [name for name in listed if name not in players]
        problem = f"lacks {absent[0]!r}" if absent else f"has {extra[0] if extra else 'a name'!r}"
        raise LeaderbayesError(
            f"order {problem}: list each of the {len(players)} players once, as in the matches."
        )
    return np.array([players.index(name) for name in listed])


def components(matches: xr.Dataset) -> pd.Series:
    """Group players by the strong components of the win graph (an edge where i beat j).

    Within a group everybody has, directly or through others, both won and lost against everybody
    else (a tie counts for both). Only if there is one group does the maximum-likelihood estimate
    exist.

    Parameters
    ----------
    matches : Dataset
        One tournament's; within rounds ``pairs=False`` will do.

    Returns
    -------
    Series
        Group by player; 1 has the most average wins. attrs: ``weakly_connected`` (0 or 1): if 0,
        groups never met, and no data can compare them.

    References
    ----------
    Ford (1957), Solution of a ranking problem from binary comparisons, American Mathematical
    Monthly 64.
    """
    strong, graph = _strong_groups(matches)
    players = pd.Index(matches["player"].to_numpy(), name="player")
    if (strong == strong[0]).all():  # the rest would take as long again
        groups = pd.Series(1, index=players, name="group")
        groups.attrs["weakly_connected"] = 1
        return groups
    weak = connected_components(graph, connection="weak")[1][: len(players)]
    number = (-pd.Series(_share_of_wins(matches)).groupby(strong).mean()).rank(method="first")
    groups = pd.Series(strong, index=players, name="group").map(number.astype(int))
    groups.attrs["weakly_connected"] = int((weak == weak[0]).all())
    return groups


def is_one_group(matches: xr.Dataset) -> bool:
    """Whether `components` has one group: everybody has won and lost against everybody else."""
    strong, _ = _strong_groups(matches)
    return bool((strong == strong[0]).all())


def _strong_groups(matches: xr.Dataset) -> tuple[Ints, Any]:
    """Give the strong component of each player (player,), and the win graph."""
    graph: Any
    if "wins" in matches:
        graph = matches["wins"].to_numpy() > 0
        if _is_soon_everywhere(graph) and _is_soon_everywhere(graph.T):
            return np.zeros(len(graph), np.int32), graph
    else:
        graph = win_graph(matches["place"].to_numpy())
    # Nodes beyond the players only carry paths.
    strong = connected_components(graph, connection="strong")[1]
    return strong[: matches.sizes["player"]], graph


def _is_soon_everywhere(graph: Bools) -> bool:
    """Whether a few steps lead from the first player to everybody, as on most boards."""
    seen = graph[0]
    for _ in range(_FEW_STEPS):
        if seen.all():
            return True
        seen = seen | graph[seen].any(axis=0)
    return bool(seen.all())


def _share_of_wins(matches: xr.Dataset) -> Floats:
    """Share of a player's matches (player,) that it won, or of others in its rounds it is above."""
    if "wins" in matches:
        played = matches["n"].to_numpy().sum(axis=1)
        return matches["wins"].to_numpy().sum(axis=1) / np.where(played > 0, played, 1.0)
    place = matches["place"].to_numpy()
    present = place > 0
    size = present.sum(axis=1, keepdims=True)
    beaten = np.where(present, (size - place) / np.maximum(size - 1, 1), 0.0)
    return beaten.sum(axis=0) / np.maximum(present.sum(axis=0), 1)


class Apart(NamedTuple):
    """Why matches do not compare all of a board's players, in words for a sentence."""

    fact: str
    unknown: str  # what no match says
    known: str  # what matches say all the same; "" for nothing


def say_apart(matches: xr.Dataset, groups: pd.Series) -> Apart:
    """Say in words that a board falls into two or more groups, those of `components`."""
    number = groups.to_numpy() - 1
    if "place" not in matches:  # of votes
        beat = np.zeros((number.max() + 1,) * 2, dtype=bool)
        won, lost = np.nonzero(matches["wins"].to_numpy() > 0)
        beat[number[won], number[lost]] = True
        np.fill_diagonal(beat, False)
        return _say_apart(beat, groups)
    place = matches["place"].transpose("round", "player").to_numpy()
    if matches.attrs["within_round"]:
        beat = _groups_that_beat(place, number)
    else:
        # Places are among the scores of all rounds, as if in one.
        beat = _groups_that_beat(place.reshape(1, -1), np.tile(number, len(place)))
    return _say_apart(beat, groups)


def _say_apart(beat: Bools, groups: pd.Series) -> Apart:
    """Say it, of groups that beat each other (group, group)."""
    number, size = groups.to_numpy() - 1, len(beat)
    if not groups.attrs["weakly_connected"]:
        islands, island = connected_components(beat, directed=True, connection="weak")
        parts = ", and in some of these one part never beat the other" if islands < size else ""
        members = _list(island[number], groups)
        return Apart(
            f"groups of players never met, directly or through others ({members}){parts}",
            "how they compare",
            "",
        )
    if size > 2:
        met = beat | beat.T | np.eye(size, dtype=bool)
        return Apart(
            f"the players fall into {size} groups ({_list(number, groups)}), and of any two groups "
            "one never beat the other",
            "how far apart they lie",
            "which of two is ahead does not" + ("" if met.all() else ", where they met"),
        )
    # The smaller of the two is named.
    behind = groups.index[number == int(beat[0, 1])]
    ahead = groups.index[number == int(beat[1, 0])]
    few, did, way = (
        (behind, "never beat", "behind")
        if len(behind) <= len(ahead)
        else (ahead, "never lost to", "ahead")
    )
    lie = "it lies" if len(few) == 1 else "they lie"
    return Apart(
        f"{_names(few)} {did} anybody else", f"how far {way} {lie}", f"that {lie} {way} does not"
    )


def _groups_that_beat(place: Ints, group: Longs) -> Bools:
    """Find whether a player of one group was ever placed before one of another (group, group)."""
    size = int(group.max()) + 1
    beat = np.zeros((size, size), dtype=bool)
    last = np.iinfo(place.dtype).max
    for row in place:
        best, worst = np.full(size, last), np.zeros(size, dtype=place.dtype)
        np.minimum.at(best, group, np.where(row > 0, row, last))
        np.maximum.at(worst, group, row)
        here = np.flatnonzero(worst)
        beat[np.ix_(here, here)] |= best[here][:, None] < worst[here]
    np.fill_diagonal(beat, False)
    return beat


def _list(label: NDArray[Any], groups: pd.Series) -> str:
    """Write labelled groups, the first of them: 'a, b; c; and 2 more groups'."""
    order = list(dict.fromkeys(label[np.argsort(groups.to_numpy(), kind="stable")]))
    said = [_names(groups.index[label == k]) for k in order[:3]]
    left = len(order) - 3
    return "; ".join(said) + (f"; and {left} more" if left > 0 else "")


def _names(players: pd.Index) -> str:
    """Write a few names: 'a, b, c and 4 more'."""
    names = [str(name)[:60] for name in players[:3]]
    if len(players) > 3:
        names.append(f"{len(players) - 3} more")
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
