"""Leaderboards without a model, to set beside ours: mean scores, and Elo's ratings."""

import warnings
from collections.abc import Iterable
from typing import NamedTuple, cast

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._arguments import positive, whole
from leaderbayes._errors import LeaderbayesError, ScoresError
from leaderbayes._numerics.elo import pairs_of, ratings
from leaderbayes._scores.matches import matches, one_tournament
from leaderbayes._scores.vote_matches import is_votes, valid_votes, weights_of
from leaderbayes._types import Floats, Longs


def mean_scores(scores: xr.DataArray) -> pd.DataFrame:
    """Rank players by their mean score.

    A mean over the rounds that a player has: where scores are missing, means are not of the same
    rounds.

    Parameters
    ----------
    scores : DataArray (player, round)
        Scores as `leaderbayes.read_scores` returns them.

    Returns
    -------
    DataFrame
        ``player``; ``mean``, ``sd`` (between rounds; NaN of one round), in the scores' unit;
        ``rounds`` (number of scores), ``rank`` (tied players share the lowest), best first.

    Raises
    ------
    ScoresError
        If the scores are of several tournaments, or cannot be used.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> table = lb.mean_scores(lb.datasets.load("classifiers", "digits"))
    >>> table.round(2).head(3)
                 player  mean    sd  rounds  rank
    0          svm C=10  0.97  0.01      25     1
    1           svm C=1  0.96  0.02      25     2
    2  forest trees=100  0.96  0.02      25     3
    """
    board = one_tournament(scores)
    sign = 1.0 if board.attrs.get("higher_is_better", 1) else -1.0
    with warnings.catch_warnings():
        # Of a single score there is none, of which some versions of NumPy warn.
        warnings.simplefilter("ignore", RuntimeWarning)
        sd = board.std("round", ddof=1).to_numpy()
    table = pd.DataFrame(
        {
            "player": board["player"].to_numpy(),
            "mean": board.mean("round").to_numpy(),
            "sd": sd,
            "rounds": board.count("round").to_numpy(),
        }
    )
    table["rank"] = (sign * table["mean"]).rank(method="min", ascending=False).astype(int)
    return table.sort_values("rank", kind="stable", ignore_index=True)


def elo(
    scores: xr.DataArray | xr.Dataset,
    *,
    k: float = 16.0,
    orders: int | None = None,
    seed: int | None = None,
) -> pd.DataFrame:
    """Rate players by Elo, averaged over random orders of the matches, or in the votes' own order.

    Ratings move by k times (points less expected points) at each match, and so depend on the
    order of matches, which a benchmark does not have; a rating of 400 more is ten times the odds.

    Parameters
    ----------
    scores : DataArray (player, round) or Dataset (vote)
        Scores as `leaderbayes.read_scores` returns them; every pair of a round is a match, and
        equal scores are half a win. Or votes of `leaderbayes.read_votes`: ties are half a win, and
        a vote of weight n is played n times.
    k : float
        Largest change by one match.
    orders : int, optional
        Random orders of all matches: 100 by default. Votes are by default taken once, in the order
        of their time where they have one, else of their rows.
    seed : int, optional
        Same seed, same orders. None draws one.

    Returns
    -------
    DataFrame
        ``player``, ``elo`` (mean over orders; 1500 is the average player), ``sd`` (between
        orders; NaN of one), ``epp`` (the same as log-odds), ``rank``, best first. attrs: ``order``
        ("random", or of votes "time" or "rows"), ``seed`` where that is random.

    Raises
    ------
    LeaderbayesError
        If ``k`` or ``orders`` is not above 0.
    ScoresError
        As for `mean_scores`; or if a vote has no time, where others do.

    References
    ----------
    Elo (1978), The rating of chessplayers, past and present.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> table = lb.elo(lb.datasets.load("classifiers", "digits"), orders=20, seed=0)
    >>> table[["player", "elo"]].round().head(3)
                 player     elo
    0          svm C=10  2005.0
    1           svm C=1  1911.0
    2  forest trees=100  1857.0

    >>> import pandas as pd
    >>> votes = lb.read_votes(pd.DataFrame({"winner": ["fox", "owl"], "loser": ["owl", "elk"]}))
    >>> lb.elo(votes)[["player", "elo"]].round(1)
      player     elo
    0    fox  1508.0
    1    owl  1500.2
    2    elk  1491.8
    """
    k = positive("k", k)
    board: xr.DataArray | xr.Dataset
    attrs: dict[str, object] = {"order": "random"}
    own = None
    if isinstance(scores, xr.Dataset) and is_votes(scores):
        if scores.attrs.get("counted"):
            raise LeaderbayesError(
                "elo goes from vote to vote, and counted votes have lost their order: read them by "
                "leaderbayes.read_votes, or take likelihood.bradley_terry(votes)."
            )
        board = valid_votes(scores, "half")
        played = _votes(board)
        if seed is not None:
            seed = _arguments.seed(seed)
        if orders is None:
            own, attrs["order"] = _sequence(board)
    else:
        board = one_tournament(cast("xr.DataArray", scores))
        played = _matches(board)
    size, m = len(played.first), board.sizes["player"]
    every: Iterable[Longs] = () if own is None else (own,)
    if own is None:
        times = whole("orders", 100 if orders is None else orders)
        seed = attrs["seed"] = _arguments.seed_or_new(seed)
        rng = np.random.default_rng(seed)
        every = (rng.permutation(size) for _ in range(times))
    rated = np.array([ratings(*played, order, m, k) for order in every])
    mean = rated.mean(axis=0)
    table = pd.DataFrame(
        {
            "player": board["player"].to_numpy(),
            "elo": 1500.0 + mean,
            "sd": rated.std(axis=0, ddof=1) if len(rated) > 1 else np.nan,
            "epp": mean * np.log(10.0) / 400.0,
        }
    )
    table["rank"] = table["elo"].rank(method="min", ascending=False).astype(int)
    table.attrs.update(attrs)
    return table.sort_values("elo", ascending=False, kind="stable", ignore_index=True)


class _Played(NamedTuple):
    """Matches, in the order in which they are listed."""

    first: Longs
    second: Longs
    points: Floats  # of the first
    weight: Floats


def _matches(board: xr.DataArray) -> _Played:
    """List the matches of scores."""
    first, second, points = pairs_of(matches(board, pairs=False)["place"].to_numpy())
    return _Played(first, second, points, np.ones(len(points)))


def _votes(votes: xr.Dataset) -> _Played:
    """Take votes as matches."""
    first, second = (votes[name].to_numpy().astype(np.int64) for name in ("first", "second"))
    return _Played(first, second, votes["outcome"].to_numpy(), weights_of(votes))


def _sequence(votes: xr.Dataset) -> tuple[Longs, str]:
    """Order votes by their time, if they have one, and say by what they are."""
    if "time" not in votes.coords:
        return np.arange(votes.sizes["vote"]), "rows"
    time = votes["time"].to_numpy()
    if (missing := np.isnan(time)).any():
        raise ScoresError(
            f"Vote {int(np.argmax(missing))} has no time, so votes have no order: leave such votes "
            "out, or average over random orders (orders=100)."
        )
    return np.argsort(time, kind="stable"), "time"
