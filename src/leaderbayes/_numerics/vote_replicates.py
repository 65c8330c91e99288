"""Replicated votes, with opinions of judges and prompts."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import sparse

from leaderbayes._numerics.bradley_terry import law_of
from leaderbayes._numerics.vote_weights import with_shared
from leaderbayes._numerics.votes import Votes, row_of
from leaderbayes._types import Floats, Longs

_MOST = 1.2  # variance of all opinions together of those who are drawn to vote again


class Again:
    """How to draw votes again, many times at once: ``rows``, the votes, or these `counted`.

    ``clusterings`` (vote,) number clusters of votes, -1 where each vote is one by itself, and
    ``tau2`` (clustering,) are variances of their opinions of a player; of two also of what they
    share.
    """

    def __init__(
        self, rows: Votes, votes: Votes, clusterings: Sequence[Longs], tau2: Floats
    ) -> None:
        self.n, self.shift = rows.n[:, None], []
        row = row_of(votes, rows)
        variance = tau2 * min(1.0, _MOST / max(float(tau2.sum()), 1e-9))
        groups = with_shared(votes, clusterings)
        for group, each in zip(groups, variance, strict=True):
            kept = np.flatnonzero(group >= 0)
            if each == 0.0 or not len(kept):
                continue
            sides = [group[kept] * votes.players + side[kept] for side in votes[1:3]]
            opinion, names = pd.factorize(np.concatenate(sides))
            share = np.sqrt(each) * votes.n[kept] / rows.n[row[kept]]
            cells = np.concatenate([share, -share]), (np.tile(row[kept], 2), opinion)
            self.shift.append(sparse.coo_array(cells, (len(rows.n), len(names))).tocsr())
        # Single votes vary as they do anyway: opinions are to add to rows of several only.
        self.own = 2.0 * float(variance.sum()) * (1.0 - 1.0 / np.maximum(self.n, 1.0))

    def draw(
        self, eta: Floats, rng: np.random.Generator, *, nu: Floats | None = None, phi: float = 1.0
    ) -> tuple[Floats, Floats]:
        """Draw votes won by the first, and ties (row, draw), by log-odds of an average judge."""
        for shift in self.shift:
            eta = eta + shift @ rng.standard_normal((shift.shape[1], eta.shape[1]))
        law = law_of(eta, -np.inf if nu is None else nu)
        tie = law.tie
        if nu is None:
            tie = np.minimum(4.0 * max(1.0 - phi, 0.0) * law.variance, 2.0 * law.mean)
            tie = np.minimum(tie, 2.0 * (1.0 - law.mean))
        size = np.ceil(self.n).astype(np.int64)
        win = np.clip(law.mean - 0.5 * tie, 0.0, 1.0)
        if (size == 1).all():  # as most votes are: one uniform number says who won
            u = rng.random(win.shape)
            wins, ties = (u < win).astype(float), ((u >= win) & (u < win + tie)).astype(float)
        else:
            wins = rng.binomial(size, win)
            rest = np.clip(tie / np.maximum(1.0 - win, 1e-300), 0.0, 1.0)
            ties = rng.binomial(size - wins, rest) if tie.any() else np.zeros_like(wins)
        scale = self.n / size
        won, mean = (wins + 0.5 * ties) * scale, self.n * law.mean
        less = np.sqrt(np.maximum(1.0 - self.own * law.variance / phi, 0.0)) if self.shift else 1.0
        return mean + less * (won - mean), ties * scale
