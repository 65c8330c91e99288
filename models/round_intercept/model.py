"""Executable specification of the round-intercept model (PMRA): slow and obviously right."""

from itertools import combinations

import numpy as np
import pymc as pm


def model(scores, weight=1.0, prior_scale=2.0, intercept_scale=1.0, centring=0.0):
    """Build the model of a board whose players stand in their listed order.

    scores: array (player, round), higher is better, nan where a player did not play.
    weight: power of the likelihood of each round, or of all (1.0 is as published).
    centring: how b is sampled, from 0 to 1; whatever it is, b given its scale is the same.
    """
    players, rounds = scores.shape
    weight = np.broadcast_to(weight, rounds)
    with pm.Model(coords={"player": range(players), "round": range(rounds)}) as specification:
        scale = pm.HalfNormal("epp_scale", prior_scale)
        unit = pm.ZeroSumNormal("epp_unit", sigma=scale**centring, dims="player")
        b = pm.Deterministic("epp", scale ** (1 - centring) * unit, dims="player")
        b0 = pm.Normal("intercept", 0.0, intercept_scale)
        s = pm.HalfNormal("intercept_scale", intercept_scale)
        # u_k = s^(1/2) unit_k is normal with standard deviation s.
        round_unit = pm.Normal("intercept_unit", 0.0, s**0.5, dims="round")
        u = pm.Deterministic("intercept_round", s**0.5 * round_unit, dims="round")
        for k in range(rounds):
            present = np.flatnonzero(~np.isnan(scores[:, k]))
            for i, j in combinations(present, 2):
                p = pm.math.sigmoid(b0 + b[i] - b[j] + u[k])
                y = 0.5 + 0.5 * np.sign(scores[i, k] - scores[j, k])
                match = y * pm.math.log(p) + (1 - y) * pm.math.log(1 - p)
                pm.Potential(f"match_{k}_{i}_{j}", weight[k] * match)
    return specification
