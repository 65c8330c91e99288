"""Posterior of a complete board of candidates, for a decision after every round."""

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from leaderbayes._numerics.composite_weight import board_weight, weighted_counts
from leaderbayes._numerics.engine import Engine
from leaderbayes._numerics.places import places
from leaderbayes._types import Bools, Floats
from leaderbayes.models._board import target_of_pairs
from leaderbayes.models._scores import luck_of
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
    # Among equals the one proposed first leads, so that newcomers do not take its place.
    leader = int(np.lexsort((-np.arange(len(points)), scores.mean(axis=1), points))[-1])
    target = target_of_pairs(points, n, _PRIOR_SCALE, _PRIOR_DF)
    proposed = Engine(target).propose(_DRAWS, rng)
    weight = np.exp(proposed.log_weight - proposed.log_weight.max())
    return Standing(leader, proposed.x, weight / weight.sum())


_GRID = 201  # values of a candidate's mean score
_WIDE = 3.0  # the grid around the median, in distances of the best from it


def gains(
    scores: Floats, more: int, rng: np.random.Generator, *, test_fraction: float | None = None
) -> Floats:
    """Draw what ``more`` further candidates gain, exchangeable ones of a two-piece normal law."""
    mean, variance = _means(scores, test_fraction)
    rounds = (~np.isnan(scores)).sum(axis=1)
    leader = int(np.argmax(np.where(rounds == rounds.max(), mean, -np.inf)))
    middle = float(np.median(mean))
    unit = max(float(mean.max()) - middle, float(np.sqrt(np.median(variance))), 1e-12)
    x = np.linspace(middle - _WIDE * unit, middle + _WIDE * unit, _GRID)
    mode = middle + unit * np.linspace(-1.0, 1.25, 19)
    right = unit * np.geomspace(0.05, 2.0, 13)
    left = np.geomspace(0.5, 30.0, 10)  # times the right one
    at, above, times = (one.ravel()[:, None] for one in np.meshgrid(mode, right, left))
    scale = np.where(x < at, above * times, above)
    law = np.exp(-0.5 * ((x - at) / scale) ** 2)
    # What lies below the grid is one value, at its lower end.
    law[:, 0] += scale[:, 0] * np.sqrt(2.0 * np.pi) * ndtr((x[0] - at[:, 0]) / scale[:, 0]) / (
        x[1] - x[0]
    )  # fmt: skip
    law /= law.sum(axis=1, keepdims=True)
    seen = np.maximum(mean, x[0])[:, None]
    sd = np.sqrt(np.maximum(variance, (0.5 * (x[1] - x[0])) ** 2))[:, None]
    given = np.exp(-0.5 * ((seen - x) / sd) ** 2) / sd
    log_weight = np.log(given @ law.T + 1e-300).sum(axis=0)
    log_weight -= np.log1p((2.0 * above[:, 0] / unit) ** 2)  # half-Cauchy
    weight = np.exp(log_weight - log_weight.max())
    row = rng.choice(len(law), _DRAWS, p=weight / weight.sum())
    best = _quantile(x, law[row] * given[leader], rng.random(_DRAWS))
    newest = _quantile(x, law[row], rng.random(_DRAWS) ** (1.0 / more))
    return np.maximum(newest - best, 0.0)


def _quantile(x: Floats, density: Floats, u: Floats) -> Floats:
    """Return a quantile of each density (draw, value), which need not be normalised."""
    total = density.cumsum(axis=1)
    u = u * total[:, -1]
    k = np.minimum((total < u[:, None]).sum(axis=1), len(x) - 1)
    draw = np.arange(len(u))
    part = (total[draw, k] - u) / np.maximum(density[draw, k], 1e-300)
    return np.asarray(x[k] + (0.5 - part) * (x[1] - x[0]))


def _means(scores: Floats, test_fraction: float | None) -> tuple[Floats, Floats]:
    """Return candidates' means, as if all had played all rounds, and their variances."""
    there = ~np.isnan(scores)
    rounds, filled = there.sum(axis=1), np.where(there, scores, 0.0)
    level = np.zeros(scores.shape[1])
    for _ in range(20):
        mean = (filled - there * level).sum(axis=1) / rounds
        level = (filled - there * mean[:, None]).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
        level -= level.mean()
    left = np.where(there, scores - mean[:, None] - level, 0.0)
    free = np.maximum(rounds - 1, 0)
    own = (left**2).sum(axis=1) / np.maximum(free, 1)
    usual = float(np.median(own[free > 0])) if (free > 0).any() else 0.0
    noise = (free * own + 4.0 * usual) / (free + 4.0)
    return mean, noise * (1.0 / rounds + luck_of(test_fraction))
