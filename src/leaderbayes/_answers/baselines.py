"""Leaderboards without a model, to set beside ours: mean scores, and Elo's ratings."""

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._arguments import positive, whole
from leaderbayes._numerics.elo import pairs_of, ratings
from leaderbayes._scores.matches import matches, one_tournament


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
    table = pd.DataFrame(
        {
            "player": board["player"].to_numpy(),
            "mean": board.mean("round").to_numpy(),
            "sd": board.std("round", ddof=1).to_numpy(),
            "rounds": board.count("round").to_numpy(),
        }
    )
    table["rank"] = (sign * table["mean"]).rank(method="min", ascending=False).astype(int)
    return table.sort_values("rank", kind="stable", ignore_index=True)


def elo(
    scores: xr.DataArray, *, k: float = 16.0, orders: int = 100, seed: int | None = None
) -> pd.DataFrame:
    """Rate players by Elo, averaged over random orders of the matches.

    Ratings move by k times (points less expected points) at each match, and so depend on the
    order of matches, which a benchmark does not have; a rating of 400 more is ten times the odds.

    Parameters
    ----------
    scores : DataArray (player, round)
        Scores as `leaderbayes.read_scores` returns them; every pair of a round is a match, and
        equal scores are half a win.
    k : float
        Largest change by one match.
    orders : int
        Random orders of all matches.
    seed : int, optional
        Same seed, same orders. None draws one.

    Returns
    -------
    DataFrame
        ``player``, ``elo`` (mean over orders; 1500 is the average player), ``sd`` (between
        orders), ``epp`` (the same as log-odds), ``rank``, best first. attrs: ``seed``.

    Raises
    ------
    LeaderbayesError
        If ``k`` or ``orders`` is not above 0.
    ScoresError
        As for `mean_scores`.

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
    """
    k, orders = positive("k", k), whole("orders", orders)
    board = matches(one_tournament(scores), pairs=False)
    first, second, points = pairs_of(board["place"].to_numpy())
    seed = _arguments.seed_or_new(seed)
    rng = np.random.default_rng(seed)
    m = board.sizes["player"]
    rated = np.array(
        [ratings(first, second, points, rng.permutation(len(first)), m, k) for _ in range(orders)]
    )
    mean = rated.mean(axis=0)
    table = pd.DataFrame(
        {
            "player": board["player"].to_numpy(),
            "elo": 1500.0 + mean,
            "sd": rated.std(axis=0, ddof=1) if orders > 1 else np.nan,
            "epp": mean * np.log(10.0) / 400.0,
        }
    )
    table["rank"] = table["elo"].rank(method="min", ascending=False).astype(int)
    table.attrs["seed"] = seed
    return table.sort_values("elo", ascending=False, kind="stable", ignore_index=True)
