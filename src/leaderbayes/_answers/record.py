"""Head-to-head results of each pair."""

from collections.abc import Sequence
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import betainc, betaincinv, expit

from leaderbayes._errors import LeaderbayesError
from leaderbayes._fits.posterior import OfTournaments, Posterior, Teams
from leaderbayes._numerics.composite_weight import weighted_counts
from leaderbayes._scores.vote_matches import weights_of
from leaderbayes._types import Floats, Longs
from leaderbayes.models._weight import shared_luck

JEFFREYS = 0.5  # of the prior Beta(1/2, 1/2)
_STEPS = 20  # of Newton's method, by which effects are taken off


class Results(NamedTuple):
    """Head-to-head results (player, opponent)."""

    names: np.ndarray
    won: Floats
    played: Floats
    tied: Floats  # half a win each
    worth: Floats  # of one match
    a: Floats  # wins, by what they are worth, without what sways votes beside the players
    b: Floats  # losses, alike


@singledispatch
def results(post: Posterior, players: Sequence[str] | None = None) -> Results:
    """Count the results of each pair, of all or of some players; or raise if it has none."""
    board = post.matches(players)
    won, played, tied = (board[name].to_numpy().astype(float) for name in ("wins", "n", "tied"))
    # Votes of one judge, or on one prompt, go together.
    worth = board["worth"].to_numpy() if "worth" in board else np.ones_like(played)
    if post.weighing is not None:
        place, each = board["place"].transpose("round", "player").to_numpy(), post.weighing.weight
        rule = str(board.attrs["ties"])
        won, played, tied = weighted_counts(place, each, within_round=True, ties=rule)
        squares = weighted_counts(place, each**2, within_round=True, ties=rule)[1]
        worth = np.where(squares > 0.0, played / np.maximum(squares, 1e-300), 1.0)
    won, played = post.model.counted(won, played, tied)
    if post.model.tie_parameter or board.attrs["ties"] != "half":
        tied = np.zeros_like(tied)
    if not board.attrs["within_round"]:
        rounds = (board["place"] > 0).sum("round").to_numpy()
        worth = 3.0 / (rounds[:, None] + rounds + 1.0)
    worth = worth / (1.0 + worth * played * shared_luck(post.test_fraction))
    names, a, b = board["player"].to_numpy(), won, played - won
    if post.offset.any():
        votes, at = votes_of(post), post.players.get_indexer(pd.Index(names))
        a, b, doubt = (table[np.ix_(at, at)] for table in votes.tables(len(post.players)))
        worth = worth / (1.0 + worth * doubt)
    return Results(names, won, played, tied, worth, worth * a, worth * b)


@results.register
def _of_tournaments(post: OfTournaments, players: Sequence[str] | None = None) -> Results:
    raise LeaderbayesError(
        "Head-to-head results need one tournament: use leaderbayes.study.select(fit, name)."
    )


class Votes(NamedTuple):
    """Votes (vote,) with other effects removed."""

    first: Longs
    second: Longs
    won: Floats  # by the first
    lost: Floats
    doubt: Floats  # its information times the variance that effects add to the pair's log-odds

    def tables(self, m: int) -> Floats:
        """Sum wins, losses and uncertainty of each pair (3, player, opponent)."""
        pair, back = self.first * m + self.second, self.second * m + self.first
        sides = ((self.won, self.lost), (self.lost, self.won), (self.doubt, self.doubt))
        each = [np.bincount(pair, x, m * m) + np.bincount(back, y, m * m) for x, y in sides]
        return np.maximum(np.stack(each).reshape(3, m, m), 0.0)


def votes_of(post: Posterior) -> Votes:
    r"""Return votes with effects of order and covariates removed.

    .. math:: \sum_v (y_v - \sigma(d_{ij} + x_v'\beta)) + 1/2 - \sigma(d_{ij}) = 0

    gives a pair's own log-odds d; a vote counts as many matches at d as it has information there.
    """
    votes: Any = post.data
    m = len(post.players)
    to = post.players.get_indexer(pd.Index(votes["player"].to_numpy()))
    first, second = (to[votes[name].to_numpy()] for name in ("first", "second"))
    outcome, n = votes["outcome"].to_numpy(), weights_of(votes)
    _, n = post.model.counted(n, n, np.where((outcome > 0.0) & (outcome < 1.0), n, 0.0))
    won, offset = n * outcome, post.offset
    if not offset.any():
        return Votes(first, second, won, n - won, np.zeros(len(n)))
    side = np.where(first < second, 1.0, -1.0)
    pair = np.minimum(first, second) * m + np.maximum(first, second)
    own = np.zeros(m * m)  # of the one that comes first among the players
    for _ in range(_STEPS):
        p, at_zero = expit(side * own[pair] + offset), expit(own)
        slope = np.bincount(pair, side * (won - n * p), m * m) + 0.5 - at_zero
        curve = np.bincount(pair, n * p * (1.0 - p), m * m) + at_zero * (1.0 - at_zero)
        own += np.clip(slope / curve, -1.0, 1.0)
    p, at_zero = expit(side * own[pair] + offset), expit(side * own[pair])
    known = n * p * (1.0 - p)
    free = known / (at_zero * (1.0 - at_zero))
    free_won = free * at_zero + won - n * p
    doubt = known * _variance(post, side, pair, known)
    return Votes(first, second, free_won, free - free_won, doubt)


def _variance(post: Posterior, side: Floats, pair: Longs, known: Floats) -> Floats:
    """Return the variance (vote,) that uncertain effects add to log-odds."""
    values = side[:, None] * post.constant["effect_value"].transpose("vote", "effect").to_numpy()
    size = post.read("effect_size", "effect")
    total = np.bincount(pair, known)
    mean = np.column_stack([np.bincount(pair, known * each) for each in values.T])
    mean = np.divide(mean, total[:, None], out=mean, where=total[:, None] > 0.0)
    law = np.atleast_2d(np.cov(size.T))
    return np.asarray(np.einsum("pe,ef,pf->p", mean, law, mean)[pair])


def record(post: Posterior, prob: float, players: Sequence[str] | None = None) -> xr.Dataset:
    r"""Return the posterior of each pair's win probability by head-to-head results.

    .. math:: p_{ij} \sim \mathrm{Beta}(c\,w_{ij} + 1/2,\ c\,w_{ji} + 1/2)

    w counts wins, ties as the model has them, and c is what a match is worth: 1 of n independent
    rounds; with a test fraction f 1 / (1 + n rho / (1 - rho)), rho = 2 / pi asin f; across rounds
    3 / (r_i + r_j + 1), at which w has the variance of a Mann-Whitney count; for votes what these
    are worth by the dependence that all votes show. What sways votes beside the players, such as
    who is shown first, is taken off as the model has it.

    Returns
    -------
    Dataset
        ``mean``, ``lower``, ``upper``, ``better`` (P(p > 1/2)), ``won``, ``played`` and ``tied``
        (matches by their rounds' weights, half a win each), and ``worth`` of one, all (player,
        opponent).

    Raises
    ------
    LeaderbayesError
        If it is of several tournaments, or has no matches.
    """
    found = results(post, players)
    a, b = found.a + JEFFREYS, found.b + JEFFREYS
    low, high, better = _summary(a, b, prob)
    values = {
        "mean": a / (a + b), "lower": low, "upper": high, "better": better,
        "won": found.won, "played": found.played, "tied": found.tied, "worth": found.worth,
    }  # fmt: skip
    return of_pairs(post, found.names, values)


@singledispatch
def known_record(post: Posterior, prob: float, players: Any = None) -> xr.Dataset | None:
    """Return the same; None of a posterior without results of one tournament."""
    return record(post, prob, players)


for _none in (OfTournaments, Teams):
    known_record.register(_none, lambda post, prob, players=None: None)


def of_pairs(post: Posterior, names: np.ndarray, values: dict[str, Floats]) -> xr.Dataset:
    """Return tables (player, opponent) of win probabilities, 1/2 on the diagonal, and more."""
    for name in ("mean", "lower", "upper", "better"):
        np.fill_diagonal(values[name], 0.5)
    return xr.Dataset(
        {name: (("player", "opponent"), value) for name, value in values.items()},
        {"player": names, "opponent": names},
        post.trust,
    )


def _summary(a: Floats, b: Floats, prob: float) -> tuple[Floats, ...]:
    """Return lower and upper end, and P(p > 1/2), of Beta(a, b); many pairs have the same."""
    # As complex numbers pairs are sorted at once.
    pairs, at = np.unique(a + 1j * b, return_inverse=True)
    a, b = pairs.real, pairs.imag
    low, high = (betaincinv(a, b, tail) for tail in ((1.0 - prob) / 2.0, (1.0 + prob) / 2.0))
    return tuple(each[at].reshape(at.shape) for each in (low, high, betainc(b, a, 0.5)))
