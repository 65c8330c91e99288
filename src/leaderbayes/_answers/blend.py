r"""Win probabilities that blend the model with head-to-head results.

Let rounds come from a Dirichlet process of mass kappa centred at the model's rankings. Given the
strengths b, of which the model has the posterior, a pair's win probability is

.. math:: p_{ij} \mid b, \kappa \sim \mathrm{Beta}(\kappa\,\sigma(b_i - b_j) + c\,w_{ij},\
          \kappa\,\sigma(b_j - b_i) + c\,w_{ji})

so the model is worth kappa rounds beside the w wins of the pair itself (c as for `record`):
infinitely many are the model alone, none the record. The posterior of kappa comes from how well it
predicts parts of the data from the others, and from a log-normal prior.

As far as a pair's own results decide, draws have the record's half a win more for each (Jeffreys),
and means two more rounds of the model: on real boards, where many pairs always end alike, half a
win more would cost 0.002 of log score.
Of three players a pair's own results are two thirds of what the model knows of it, and would count
twice: both parameters are divided by 1 + s / 3, s the model's share kappa / (kappa + c n).

References
----------
Ferguson (1973), A Bayesian analysis of some nonparametric problems, Annals of Statistics 1.
"""

from collections.abc import Sequence
from functools import singledispatch
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from scipy.special import expit, softmax, xlogy

from leaderbayes._answers.parts import pseudo_rounds
from leaderbayes._answers.record import JEFFREYS, of_pairs, results, votes_of
from leaderbayes._fits.posterior import Posterior, StrengthsOfVotes
from leaderbayes._numerics.composite_weight import exchangeable_weight, weighted_counts
from leaderbayes._numerics.intervals import two_digits
from leaderbayes._numerics.pairs import estimates
from leaderbayes._numerics.rounds import equal
from leaderbayes._types import Floats, Longs
from leaderbayes.models._weight import shared_luck

_MASSES = np.array([0.5, 1, 2, 4, 8, 16, 32, 64, 128, 512])  # rounds that the model is worth
# Median, and standard deviation of the logarithm, of kappa's prior. Under a flat one, few players
# and rounds leave kappa below 1 by luck, where a pair that won all is all but sure to win again.
_MEDIAN, _LOG_SD = 30.0, 1.5
_ROUNDS = 2.0  # more of the model, in means, as far as a pair's own results decide
# How many parts are predicted from the others, and for how many players.
_PARTS, _PLAYERS = 50, 150
_MOST, _FEWEST = 2_000_000, 200  # numbers drawn for all pairs, and draws of each


class Parts(NamedTuple):
    """Results (part, player, opponent) of parts of the data: rounds, judges or votes."""

    won: Floats
    played: Floats
    # By the likelihood's weight, at most 1.
    weighted_won: Floats
    weighted_played: Floats


def blends(post: Posterior) -> bool:
    """Check whether there are results to blend; for two players the model agrees with them."""
    seen = {"constant_data", "observed_data"} & set(post.tree.children)
    known = bool(seen) and post.is_ours and post.model.blends
    return known and len(post.players) > 2


class Blend:
    """Win probabilities that blend the model with each pair's head-to-head results."""

    def __init__(self, post: Posterior) -> None:
        self.post = post
        prior = -0.5 * (np.log(_MASSES / _MEDIAN) / _LOG_SD) ** 2
        self.weights = softmax(prior - _left_out(post))
        self.mass = float(np.exp(self.weights @ np.log(_MASSES)))

    def said(self) -> str:
        """Describe the mass in words."""
        unit = self.post.kind.unit
        worth = two_digits(self.mass)
        return f"The model counts as much as {worth} {unit}s of a pair's head-to-head results."

    def pairs(self, prob: float, players: Sequence[str] | None = None) -> xr.Dataset:
        """Return ``mean``, ``lower``, ``upper`` and ``better`` (P(p > 1/2)), (player, opponent)."""
        found = results(self.post, players)
        at, m = self.post.players.get_indexer(pd.Index(found.names)), len(found.names)
        draws = len(self.post.standing)
        used = int(np.clip(_MOST // m**2, min(_FEWEST, draws), draws))
        tails = [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0]
        mean, low, high, better = np.full((4, m, m), 0.5)
        for i in range(m - 1):
            rest = slice(i + 1, m)
            a, b = found.a[i, rest], found.b[i, rest]
            mean[i, rest], drawn = self._draw(at[i], at[rest], a, b, used)
            # Quantiles along the last axis, where each pair's draws lie side by side.
            low[i, rest], high[i, rest] = np.quantile(drawn, tails, axis=1)
            better[i, rest] = (drawn > 0.5).mean(axis=1)
        below = np.tril_indices(m, -1)
        for one, other in ((mean, mean), (better, better), (low, high.copy()), (high, low.copy())):
            one[below] = 1.0 - other.T[below]
        values = {"mean": mean, "lower": low, "upper": high, "better": better}
        table = of_pairs(self.post, found.names, values)
        return table.assign_attrs(draws_used=used, mass=self.mass, note=self.said())

    def pair(self, one: str, other: str) -> tuple[float, Floats]:
        """Return the mean of a pair's win probability, and draws (sample,)."""
        found = results(self.post, [one, other])
        at = self.post.players.get_indexer(pd.Index([one, other]))
        a, b = found.a[0, 1:], found.b[0, 1:]
        mean, drawn = self._draw(at[0], at[1:], a, b, len(self.post.standing))
        return float(mean[0]), drawn[0]

    def _draw(
        self, one: Any, others: Longs, a: Floats, b: Floats, used: int
    ) -> tuple[Floats, Floats]:
        """Return means (other,) and draws (other, sample) of one player's win probabilities."""
        standing = self.post.standing
        share = expit(standing[:, [one]] - standing[:, others]).T
        mean = self.weights @ _mean(share.mean(axis=1), a, a + b, _MASSES[:, None])
        share = share[:, np.linspace(0, len(standing) - 1, used).astype(int)]
        rng = np.random.default_rng([self.post.seed, 55])
        parts = (rng.permutation(used) + 0.5) / used
        kappa = _MASSES[np.searchsorted(np.cumsum(self.weights)[:-1], parts)]
        drawn, begin, tiny = np.empty_like(share), rng.bit_generator.state, 1e-9
        for k, other in enumerate(others):
            rng.bit_generator.state = begin
            own = (a[k] + b[k]) / (kappa + a[k] + b[k])
            once = 1.0 + (1.0 - own) * max(4.0 / len(self.post.players) - 1.0, 0.0)
            ahead = (kappa * share[k] + a[k] + JEFFREYS * own + tiny) / once
            behind = (kappa * (1.0 - share[k]) + b[k] + JEFFREYS * own + tiny) / once
            # Drawn for the player listed first, so that both orders of a pair agree.
            drawn[k] = rng.beta(ahead, behind) if one < other else 1.0 - rng.beta(behind, ahead)
        return np.asarray(mean), drawn


def _left_out(post: Posterior) -> Floats:
    r"""Compute minus the log score of held-out parts for each mass (mass,).

    The model without a part is its estimate without it, with the posterior's width taken in.
    Rounds that share training data share luck, too, with the correlation rho of who won: among
    them a pair is as far from the model as at a mass kappa' with

    .. math:: 1 / (1 + \kappa') = 1 / (1 + \kappa) + \rho\,(1 - 1 / (1 + \kappa)).
    """
    names = post.players
    if len(names) > _PLAYERS:
        names = names[np.linspace(0, len(names) - 1, _PLAYERS).astype(int)]
    at = post.players.get_indexer(names)
    parts, found = _parts(post, at), results(post, list(names))
    if len(parts.won) < 2:
        return np.zeros(len(_MASSES))
    standing, few = post.standing[:, at], pseudo_rounds(post)
    won, played = parts.weighted_won, parts.weighted_played
    luck = shared_luck(post.test_fraction)
    own_share = 1.0 / (1.0 + _MASSES)
    masses = 1.0 / (own_share + luck / (1.0 + luck) * (1.0 - own_share)) - 1.0
    own = estimates(won.sum((0, 2))[None] / few, played.sum(0)[None] / few)
    without = estimates((won.sum(0) - won).sum(2) / few, (played.sum(0) - played) / few, start=own)
    upper = np.triu_indices(len(at), 1)
    covariance = np.atleast_2d(np.cov(standing.T))
    variance = np.diag(covariance)[:, None] + np.diag(covariance) - 2.0 * covariance
    rounds = post.weighing.worth if post.weighing else post.constant.sizes.get("round", 0)
    variance /= 1.0 + luck * rounds
    flatter = 1.0 / np.sqrt(1.0 + np.pi / 8.0 * variance[upper])
    worth = found.worth / (1.0 - found.worth * found.played * luck)  # among these rounds
    a, b = (table * worth / found.worth for table in (found.a, found.b))
    a, b, worth = (table[upper] for table in (a, b, worth))
    loss = np.zeros(len(_MASSES))
    for k, epp in enumerate(without):
        met = np.flatnonzero(parts.played[k][upper])
        q = expit((epp[upper[0]] - epp[upper[1]])[met] * flatter[met])
        gone, left = (each[k][upper][met] for each in (parts.won, parts.played))
        more = np.maximum(a[met] - worth[met] * gone, 0.0)
        less = np.maximum(b[met] - worth[met] * (left - gone), 0.0)
        y, n = (each[k][upper][met] for each in (won, played))
        p = _mean(q, more, more + less, masses[:, None])
        loss -= (xlogy(y, p) + xlogy(n - y, 1.0 - p)).sum(axis=1)
    return loss


def _mean(p: Floats, won: Floats, played: Floats, kappa: Any) -> Floats:
    """Return the mean win probability, given the model's p and a pair's own results."""
    kappa = kappa + _ROUNDS * played / (kappa + played)
    return np.asarray((kappa * p + won) / (kappa + played))


@singledispatch
def _parts(post: Posterior, at: Longs) -> Parts:
    """Split the results of some players by rounds, judges, prompts or votes."""
    board = post.matches(list(post.players[at]))
    place, weight = board["place"].to_numpy(), post.constant["weight"].to_numpy()
    within, ties = bool(board.attrs["within_round"]), str(board.attrs["ties"])
    if not post.model.pairs:  # the weight is of whole rankings
        weight = weight * exchangeable_weight(place, within_round=within)
    weighing = post.weighing or equal(len(place))
    weight = weight * (1.0 + shared_luck(post.test_fraction) * weighing.worth)
    part = np.arange(len(place)) % _PARTS
    light = np.minimum(weight, weighing.weight)

    def tables(rows: np.ndarray) -> Floats:
        each = [
            weighted_counts(place[rows], weighing.weight[rows], within_round=within, ties=ties),
            weighted_counts(place[rows], light[rows], within_round=within, ties=ties),
        ]
        return np.stack([table for counts in each for table in post.model.counted(*counts)])

    parts = range(int(part.max()) + 1)
    if within:
        found = np.stack([tables(part == k) for k in parts], axis=1)
    else:  # whatever a round's scores have a part in, half of each match
        whole = tables(part >= 0)
        found = np.stack([(whole - tables(part != k)) for k in parts], axis=1)
        found[2:] *= 0.5
    return Parts(*found)


@_parts.register
def _parts_of_votes(post: StrengthsOfVotes, at: Longs) -> Parts:
    votes, m = votes_of(post), len(at)
    to = np.full(len(post.players), -1)
    to[at] = np.arange(m)
    known = [str(name) for name in post.constant.get("clustering", xr.DataArray()).to_numpy().flat]
    inside = next((name for name in known if name in post.constant), None)
    code = np.arange(len(votes.won))
    if inside is not None:
        code = pd.factorize(post.constant[inside].to_numpy())[0]
    parts, part = min(int(code.max()) + 1, _PARTS), code % _PARTS
    row, share = np.arange(len(part)), np.ones(len(part))
    times = np.maximum(np.rint(post.constant["count"].to_numpy()), 1).astype(int)
    if inside is None and (times > 1).any():  # votes that a row stands for are parted, too
        rng, parts = np.random.default_rng([post.seed, 56]), _PARTS
        some = rng.multinomial(times, np.full(parts, 1.0 / parts))
        row, part = np.nonzero(some)
        share = some[row, part] / times[row]
    first, second = to[votes.first[row]], to[votes.second[row]]
    kept, weight = (first >= 0) & (second >= 0), post.constant["weight"].to_numpy()[row]
    won, lost = share * votes.won[row], share * votes.lost[row]

    def table(won: Floats, lost: Floats) -> Floats:
        ahead = (part * m + first) * m + second
        behind = (part * m + second) * m + first
        size = parts * m * m
        both = np.bincount(ahead[kept], won[kept], size) + np.bincount(
            behind[kept], lost[kept], size
        )
        return both.reshape(parts, m, m)

    n = won + lost
    return Parts(
        table(won, lost), table(n, n),
        table(weight * won, weight * lost), table(weight * n, weight * n),
    )  # fmt: skip
