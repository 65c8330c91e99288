"""Scores to matches: wins and counts of every pair of players, and who can be compared."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from leaderbayes._arguments import is_flag, is_hashable, one_of, wrong
from leaderbayes._errors import LeaderbayesError, ScoresError
from leaderbayes._numerics.places import count, places, win_graph
from leaderbayes._scores.metrics import metric_of
from leaderbayes._scores.tables import EXACT, counted, is_unicode, listed, shown
from leaderbayes._scores.vote_matches import counted_votes, is_votes
from leaderbayes._types import Bools, Floats, Ints, Longs

Ties = Literal["half", "drop", "floor", "loss"]
TIES: tuple[Ties, ...] = get_args(Ties)
Scheme = Literal["Model/CV", "Model/Task", "Data set/Model"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)

_PLACES = 2**31 - 1  # places are 32-bit
_PAIRED = 5000  # players of whom all pairs are counted unasked: 0.6 GB


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
        From `read_scores`, NaN where missing; or votes of `read_votes`, without rounds.
    within_round : bool
        Compare scores of the same round, or every score of a player with every score of its
        opponent in the tournament.
    ties : {"half", "drop", "floor", "loss"}
        Count equal scores as half a win for both, as no match, as half a win with the sum of each
        pair rounded down (EloML), or as a loss of the first-listed player (PMRA, only in
        ``round_intercept``; the tables here count half). For votes "half" or "drop".
    pairs : bool, optional
        Whether to make tables of all pairs, by default for up to 5000 players.

    Returns
    -------
    Dataset
        - ``wins`` (player, opponent): how often the row beat the column, ties by the rule
        - ``n``, ``tied`` (player, opponent): number of matches, and of equal pairs of scores
        - ``place`` (round, player): 1 is best, tied players share the lowest, 0 is absent; over
          all rounds at once without ``within_round``
        - ``scores`` (player, round): what was compared

        All with tournament first where the scores have it; votes have the first three only.
        attrs: ``within_round`` (0 or 1), ``ties``, ``higher_is_better``; ``metric``, ``scheme``
        if known.

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
            raise LeaderbayesError("within_round=False is for scores: votes have no rounds.")
        return counted_votes(scores, ties)
    return compared(valid_scores(scores), within_round=within_round, ties=ties, pairs=pairs)


def compared(
    board: xr.DataArray, *, within_round: bool, ties: Ties, pairs: bool | None
) -> xr.Dataset:
    """Compare valid scores, as `matches`."""
    names = tuple(dim for dim in board.dims if dim not in ("player", "round"))
    by_round = board.transpose(*names, "round", "player")
    if board.sizes["player"] * (1 if within_round else board.sizes["round"]) > _PLACES:
        raise ScoresError(f"More than {_PLACES} scores are compared with each other: use fewer.")
    values = by_round.to_numpy().reshape(-1, board.sizes["round"], board.sizes["player"])
    better = bool(board.attrs.get("higher_is_better", 1))
    ranked = [places(v, higher_is_better=better, within_round=within_round) for v in values]
    variables: dict[str, Any] = {
        "place": (by_round.dims, np.stack(ranked).reshape(by_round.shape)),
        "scores": board.transpose(*names, "player", "round").variable.to_base_variable(),
    }
    coords: dict[Any, Any] = {dim: board[dim].to_numpy() for dim in by_round.dims}
    own = [name for name, of in board.coords.items() if of.dims == ("round",) and name != "round"]
    coords |= {name: ("round", board[name].to_numpy()) for name in own}
    if pairs or (pairs is None and board.sizes["player"] <= _PAIRED):
        each = [count(place, within_round=within_round, ties=ties) for place in ranked]
        for name, tables in zip(("wins", "n", "tied"), zip(*each, strict=True), strict=True):
            stacked = np.stack(tables) if names else tables[0]
            variables[name] = ((*names, "player", "opponent"), stacked)
        coords["opponent"] = coords["player"]
    attrs = {"within_round": int(within_round), "ties": ties, "higher_is_better": int(better)}
    metric = board.attrs.get("metric") or metric_of(str(board.attrs.get("columns", "")))
    known = {"metric": metric, "scheme": board.attrs.get("scheme")}
    return xr.Dataset(variables, coords, attrs | {k: v for k, v in known.items() if v})


def check_ties(ties: object, possible: Sequence[Ties] = TIES, where: str = "") -> None:
    """Raise unless this is a rule for ties, and one of those that are possible here."""
    if not is_hashable(ties) or ties not in possible:
        takes = " or ".join(map(repr, possible)) + (f" for {where}" if where else "")
        raise LeaderbayesError(f"ties={ties!r:.60}: choose {takes}.")


def require_matches(
    given: object, what: str, *, ties: Sequence[Ties], across: bool = True, pairs: bool = False,
    several: bool = False,
) -> None:  # fmt: skip
    """Raise unless these are matches that the function ``what`` can use.

    ``ties`` are the rules that it knows; ``across``, whether it compares across rounds, too;
    ``pairs``, whether it needs the tables of all pairs; ``several``, whether it is of several
    tournaments.
    """
    if not isinstance(given, xr.Dataset) or "place" not in given or "ties" not in given.attrs:
        if {"outcome", "wins"} & {*getattr(given, "data_vars", ())}:
            raise LeaderbayesError(
                f"{what} takes matches of scores, not of votes: use leaderbayes.fit."
            )
        kind = "scores" if isinstance(given, xr.DataArray) else type(given).__name__
        raise LeaderbayesError(
            f"{what} takes matches, not {kind}: pass leaderbayes.matches(scores)."
        )
    check_ties(given.attrs["ties"], ties, what)
    if not across and not given.attrs["within_round"]:
        raise LeaderbayesError(f"{what} compares within rounds: use within_round=True in matches.")
    if pairs and "wins" not in given:
        raise LeaderbayesError(f"{what} needs tables of pairs: use pairs=True in matches.")
    if ("tournament" in given["place"].dims) != several:
        raise LeaderbayesError(
            f"{what} needs matches of several tournaments."
            if several
            else "These matches come from several tournaments: choose one, for example "
            "matches.isel(tournament=0), or use models.tournaments."
        )


def valid_scores(scores: Any) -> xr.DataArray:
    """Return scores as floats, without players, rounds and tournaments that have none."""
    if isinstance(scores, xr.Dataset) and "place" in scores:
        raise ScoresError("These are matches: pass the scores from which they were made.")
    if not isinstance(scores, xr.DataArray):
        raise ScoresError(
            f"Scores must be a DataArray (player, round), not {type(scores).__name__}: read them "
            "with leaderbayes.read_scores."
        )
    if set(scores.dims) - {"tournament"} != {"player", "round"}:
        raise ScoresError(
            f"Scores need the dimensions player and round, not {tuple(map(str, scores.dims))}."
        )
    for dim in scores.dims:
        for k, name in enumerate(scores[dim].to_numpy().tolist()):
            if name is None or name != name or isinstance(name, bytes):
                raise ScoresError(f"The name of {dim} {k} (from 0) is {name!r:.60}, and no text.")
    # Numbers are names, too.
    scores = scores.assign_coords(player=[str(name) for name in scores["player"].values.tolist()])
    for dim in scores.dims:
        every = scores[dim].to_numpy().tolist()
        whole = (is_unicode(it) if isinstance(it, str) else is_hashable(it) for it in every)
        if broken := [name for name, right in zip(every, whole, strict=True) if not right]:
            raise ScoresError(f"Scores have a {dim} called {shown(broken[0])}, which is not text.")
        names = pd.Index(scores[dim].to_numpy())
        if names.has_duplicates:
            again = str(names[names.duplicated()][0])[:60]
            raise ScoresError(f"Scores have two {dim}s called {again!r}; rename one.")
    better = scores.attrs.get("higher_is_better", 1)
    if not isinstance(better, int | np.integer | np.bool_) or better not in (0, 1):
        raise ScoresError(f"Scores have attrs['higher_is_better']={better!r:.60}: use 0 or 1.")
    if "judge" in scores.coords and {*scores["judge"].dims} != {"player", "round"}:
        raise ScoresError("The coordinate judge needs scores of a judge (player, round).")
    if (scheme := scores.attrs.get("scheme")) is not None:
        one_of("attrs['scheme']", scheme, *SCHEMES)
    if scores.dtype.kind not in "biuf":
        raise ScoresError(
            f"Scores must be numbers, not of dtype {scores.dtype}: use scores.astype(float)."
        )
    if scores.dtype.kind in "iu" and bool(((scores > EXACT) | (scores < -EXACT)).any()):
        raise ScoresError(
            "A score above 2^53 is too large for exact comparisons: subtract a constant."
        )
    # As floats: unsigned numbers cannot be negated.
    board: xr.DataArray = scores.astype(np.float64)
    if (infinite := np.isinf(board.to_numpy())).any():
        at = zip(board.dims, np.argwhere(infinite)[0], strict=True)
        where = ", ".join(f"{dim} {str(board[dim].values[k])!r:.60}" for dim, k in at)
        raise ScoresError(f"A score is infinite ({where}); use NaN for a missing score.")
    # What nobody but a judge has scored counts, too.
    for dim in [each for each in scores.dims if each == "player" or "judge" not in scores.coords]:
        others = tuple(board.get_axis_num(other) for other in board.dims if other != dim)
        if (empty := np.isnan(board.to_numpy()).all(axis=others)).any():
            board = board[{dim: ~empty}]
    if board.sizes["player"] < 2:
        players = counted(board.sizes["player"], "player")
        raise ScoresError(f"{players} with a score; a comparison needs at least two.")
    return board


def one_tournament(scores: xr.DataArray) -> xr.DataArray:
    """Return valid scores of one tournament as (player, round)."""
    return only_tournament(valid_scores(scores))


def only_tournament(board: xr.DataArray) -> xr.DataArray:
    """Return those of one tournament; or raise."""
    if "tournament" not in board.dims:
        return board
    names = [str(name) for name in board["tournament"].to_numpy()]
    if len(names) > 1:
        raise ScoresError(
            f"The scores hold {len(names)} tournaments ({listed(names)}); choose one, for example "
            f"scores.sel(tournament={names[0]!r}), or use model='tournaments'."
        )
    return board.isel(tournament=0, drop=True)


def listed_positions(matches: xr.Dataset, order: Sequence[str] | None) -> Longs:
    """Return the players' positions in the order in which they are listed, by default by name."""
    players = [str(name) for name in matches["player"].to_numpy()]
    if order is None:
        # Without regard to case, as in PMRA's published software.
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
    """Group players by the strong components of the win graph; of one group an estimate exists."""
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
    """Return the strong component of each player (player,), and the win graph."""
    graph: Any
    if "wins" in matches:
        graph = matches["wins"].to_numpy() > 0
    else:
        graph = win_graph(matches["place"].to_numpy())
    # Nodes beyond the players only carry paths.
    strong = connected_components(graph, connection="strong")[1]
    return strong[: matches.sizes["player"]], graph


def _share_of_wins(matches: xr.Dataset) -> Floats:
    """Return the share of its matches (player,) that each player won."""
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
    """Describe how a board falls into two or more groups, those of `components`."""
    number = groups.to_numpy() - 1
    beat = _groups_that_beat(matches, number)
    if not groups.attrs["weakly_connected"]:
        islands, island = connected_components(beat, directed=True, connection="weak")
        parts = ", and in some groups one part never beat the other"
        return Apart(
            "groups of players never met, directly or through others "
            f"({_list(island[number], groups)}){parts if islands < len(beat) else ''}",
            "how they compare",
            "",
        )
    if len(beat) > 2:
        met = (beat | beat.T | np.eye(len(beat), dtype=bool)).all()
        return Apart(
            f"the players fall into {len(beat)} groups ({_list(number, groups)}), and of any two "
            "groups one never beat the other",
            "how far apart they lie",
            f"which of two is ahead does not{'' if met else ', where they met'}",
        )
    # The smaller of the two is named.
    behind, ahead = groups.index[number == int(beat[0, 1])], groups.index[number == int(beat[1, 0])]
    last = len(behind) <= len(ahead)
    few, did, way = (behind, "beat", "behind") if last else (ahead, "lost to", "ahead")
    lie = "it lies" if len(few) == 1 else "they lie"
    fact = f"{_names(few)} never {did} anybody else"
    return Apart(fact, f"how far {way} {lie}", f"that {lie} {way} does not")


def _groups_that_beat(matches: xr.Dataset, group: Longs) -> Bools:
    """Find whether a player of one group ever beat one of another (group, group)."""
    size = int(group.max()) + 1
    beat = np.zeros((size, size), dtype=bool)
    if "wins" in matches:
        won, lost = np.nonzero(matches["wins"].to_numpy() > 0)
        beat[group[won], group[lost]] = True
    else:
        place = matches["place"].transpose("round", "player").to_numpy()
        if not matches.attrs["within_round"]:  # places are among the scores of all rounds
            place, group = place.reshape(1, -1), np.tile(group, len(place))
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
    """Write labelled groups, the first of them: 'a, b; c; and 2 more'."""
    order = list(dict.fromkeys(label[np.argsort(groups.to_numpy(), kind="stable")]))
    said = [_names(groups.index[label == k]) for k in order[:3]]
    return "; ".join([*said, f"and {len(order) - 3} more"] if len(order) > 3 else said)


def _names(players: pd.Index) -> str:
    """Write a few names: 'a, b, c and 4 more'."""
    names = [str(name)[:60] for name in players[:3]]
    names += [f"{len(players) - 3} more"] if len(players) > 3 else []
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
