"""Posterior of a complete board of candidates, for a decision after every round."""

from typing import NamedTuple

import numpy as np

from leaderbayes._numerics.composite_weight import board_weight, weighted_counts
from leaderbayes._numerics.engine import Engine
from leaderbayes._numerics.places import places
from leaderbayes._types import Bools, Floats
from leaderbayes.models._board import target_of_pairs
from leaderbayes.models._weight import shared_luck

_DRAWS = 2000  # a probability of 0.05 has a standard error of 0.005
# Half the scale of `leaderbayes.fit`. After two or three rounds the prior still decides how far
# apart candidates are, and a wide one believes the first rounds too readily: it lost the best of
# five nearly equal candidates twice as often as stated.
_PRIOR_SCALE = 1.0
_PRIOR_DF = 4.0


class Standing(NamedTuple):
    """Weighted draws of the candidates' strengths, and who leads."""

    leader: int  # position
    epp: Floats  # (draw, candidate)
    weight: Floats  # (draw,), which sum to 1

    def p_beats(self, opponent: int, rope: float = 0.0) -> Floats:
        """Return each candidate's probability of being better than one, by more than the rope."""
        return np.asarray(self.weight @ self._ahead(opponent, rope))

    def p_best(self, rope: float = 0.0) -> Floats:
        """Return each one's probability of being the best, and ahead of the leader by the rope."""
        ahead = self._ahead(self.leader, rope)
        ahead[:, self.leader] = True
        first = self.epp == self.epp.max(axis=1, keepdims=True)
        return np.asarray(self.weight @ (first & ahead))

    def _ahead(self, opponent: int, rope: float) -> Bools:
        # P(win) = 1/2 + rope where the strengths differ by its logit.
        margin = np.log((0.5 + rope) / (0.5 - rope))
        return np.asarray(self.epp - self.epp[:, [opponent]] > margin)


def standing(
    scores: Floats, rng: np.random.Generator, *, test_fraction: float | None = None
) -> Standing:
    """Fit Bradley-Terry's model to scores (candidate, round), none missing, higher is better."""
    place = places(scores.T, higher_is_better=True, within_round=True)
    eta = board_weight(place, within_round=True, ties="half")
    eta /= 1.0 + scores.shape[1] * shared_luck(test_fraction)
    wins, n, _ = weighted_counts(place, eta, within_round=True, ties="half")
    points = wins.sum(axis=1)
    # On a complete board strengths are in the order of the points, which no draw disturbs.
    # Of equals the one that was proposed first leads, and newcomers do not take its place.
    leader = int(np.lexsort((-np.arange(len(points)), scores.mean(axis=1), points))[-1])
    target = target_of_pairs(points, n, _PRIOR_SCALE, _PRIOR_DF)
    proposed = Engine(target).propose(_DRAWS, rng)
    weight = np.exp(proposed.log_weight - proposed.log_weight.max())
    return Standing(leader, proposed.x, weight / weight.sum())
