"""A leaderboard without a model: Elo ratings."""

from functools import singledispatch
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes import _arguments
from leaderbayes._arguments import positive, whole
from leaderbayes._errors import LeaderbayesError, ScoresError
from leaderbayes._fits.posterior import Posterior
from leaderbayes._scores.matches import matches, one_tournament
from leaderbayes._scores.vote_matches import valid_votes, weights_of
from leaderbayes._types import Floats, Longs
from leaderbayes.models._registry import Scores, Votes, data_of

Played = tuple[Longs, Longs, Floats, Floats]  # first, second, points of the first, weight


def elo(
    scores: xr.DataArray | xr.Dataset | xr.DataTree,
    *,
    k: float = 16.0,
    orders: int | None = None,
    seed: int | None = None,
) -> pd.DataFrame:
    """Rate players by Elo, averaged over random orders of the matches, or in the votes' own order.

    After each match ratings change by k times (points minus expected points), so they depend on the
    order of matches, which a benchmark does not have. A difference of 400 is ten times the odds.

    Parameters
    ----------
    scores : DataArray (player, round), Dataset (vote) or DataTree
        Scores, of which every pair of a round is a match; votes, of which one of weight n is played
        n times; or a posterior that keeps either. Ties are half a win.
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
        If ``k`` or ``orders`` is not above 0, or votes were counted and have no order.
    ScoresError
        If scores are of several tournaments, or a vote has no time, where others do.

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
    k = positive("k", k)
    data = Posterior(scores).data if isinstance(scores, xr.DataTree) else scores
    if seed is not None:
        seed = _arguments.seed(seed)
    attrs: dict[str, object] = {"order": "random"}
    players, played, own = _played(data_of(data), orders)
    if own is None:
        times = whole("orders", 100 if orders is None else orders)
        seed = attrs["seed"] = _arguments.seed_or_new(seed)
        rng = np.random.default_rng(seed)
        rated = [
            ratings(played, rng.permutation(len(played[0])), len(players), k) for _ in range(times)
        ]
    else:
        at, attrs["order"] = own
        rated = [ratings(played, at, len(players), k)]
    mean = np.mean(rated, axis=0)
    table = pd.DataFrame(
        {
            "player": players,
            "elo": 1500.0 + mean,
            "sd": np.std(rated, axis=0, ddof=1) if len(rated) > 1 else np.nan,
            "epp": mean * np.log(10.0) / 400.0,
        }
    )
    table["rank"] = table["elo"].rank(method="min", ascending=False).astype(int)
    table.attrs.update(attrs)
    return table.sort_values("elo", ascending=False, kind="stable", ignore_index=True)


def ratings(played: Played, order: Longs, players: int, k: float) -> Floats:
    """Rate players (player,) by matches in this order, each played ``weight`` times, from 0."""
    rating = [0.0] * players
    rows = (each[order].tolist() for each in played)
    for i, j, points, left in zip(*rows, strict=True):
        while left > 0.0:
            expected = 1.0 / (1.0 + 10.0 ** ((rating[j] - rating[i]) / 400.0))
            change = min(left, 1.0) * k * (points - expected)
            rating[i] += change
            rating[j] -= change
            left -= 1.0
    return np.array(rating)


@singledispatch
def _played(
    given: Scores | Votes, orders: int | None
) -> tuple[Any, Played, tuple[Longs, str] | None]:
    """List all matches within rounds, or votes, with the order that these have."""
    board = one_tournament(given.values)
    place = matches(board, pairs=False)["place"].to_numpy()
    i, j = np.triu_indices(place.shape[1], 1)
    own, other = place[:, i], place[:, j]
    row, at = np.nonzero((own > 0) & (other > 0))
    points = 0.5 * (1.0 + np.sign(other[row, at] - own[row, at]))
    return board["player"].to_numpy(), (i[at], j[at], points, np.ones(len(at))), None


@_played.register
def _of_votes(given: Votes, orders: int | None) -> tuple[Any, Played, tuple[Longs, str] | None]:
    data = given.values
    if data.attrs.get("counted"):
        raise LeaderbayesError(
            "elo needs votes in their order, and these are counts. Read the single votes by "
            "leaderbayes.read_votes, or use likelihood.bradley_terry(votes)."
        )
    votes = valid_votes(data, "half")
    first, second = (votes[name].to_numpy().astype(np.int64) for name in ("first", "second"))
    played = first, second, votes["outcome"].to_numpy(), weights_of(votes)
    own = None if orders is not None else _sequence(votes)
    return votes["player"].to_numpy(), played, own


def _sequence(votes: xr.Dataset) -> tuple[Longs, str]:
    """Order votes by time, if it is known, and report the order."""
    if "time" not in votes.coords:
        return np.arange(votes.sizes["vote"]), "rows"
    time = votes["time"].to_numpy()
    if (missing := np.isnan(time)).any():
        raise ScoresError(
            f"Vote {int(np.argmax(missing))} has no time, so the order of votes is unknown: "
            "exclude such votes, or average over random orders (orders=100)."
        )
    return np.argsort(time, kind="stable"), "time"
