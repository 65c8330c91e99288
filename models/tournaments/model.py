"""Executable specification of the tournaments model: slow and obviously right.

Here every player has a strength b[t, i] ~ N(mean_i, spread^2) in every tournament. The fast model
leaves the level of a tournament out, which no match knows, and samples what is left in rotated
coordinates: the laws of all differences of players are the same.
"""

from itertools import combinations

import numpy as np
import pymc as pm


def model(scores, weight, prior_scale=2.0, spread_scale=2.0, mean_centring=0.0):
    """Build the model of several boards.

    scores: array (tournament, player, round), higher is better, nan where a player did not play.
    weight: array (tournament, round), power of the likelihood.
    mean_centring: how means are sampled, from 0 to 1; whatever it is, the model is the same.
    """
    tournaments, players, rounds = scores.shape
    coords = {"tournament": range(tournaments), "player": range(players)}
    with pm.Model(coords=coords) as specification:
        scale = pm.HalfNormal("epp_scale", prior_scale)
        unit = pm.ZeroSumNormal("epp_unit", sigma=scale**mean_centring, dims="player")
        mean = pm.Deterministic("epp", scale ** (1 - mean_centring) * unit, dims="player")
        spread = pm.HalfNormal("epp_spread", spread_scale)
        b = pm.Normal("strength", mean, spread, dims=("tournament", "player"))
        for t in range(tournaments):
            for k in range(rounds):
                present = np.flatnonzero(~np.isnan(scores[t, :, k]))
                for i, j in combinations(present, 2):
                    p = pm.math.sigmoid(b[t, i] - b[t, j])
                    y = 0.5 + 0.5 * np.sign(scores[t, i, k] - scores[t, j, k])
                    match = y * pm.math.log(p) + (1 - y) * pm.math.log(1 - p)
                    pm.Potential(f"match_{t}_{k}_{i}_{j}", weight[t, k] * match)
    return specification
