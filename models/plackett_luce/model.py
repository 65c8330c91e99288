"""Executable specification of the Plackett-Luce model with ties: slow and obviously right."""

from itertools import combinations

import numpy as np
import pymc as pm


def model(scores, weight=1.0, prior_scale=2.0, tie_scale=2.0, centring=0.0):
    """Build the model of a board.

    scores: array (player, round), higher is better, nan where a player did not play.
    weight: power of the likelihood.
    centring: how b is sampled, from 0 to 1; whatever it is, b given its scale is the same.
    """
    players, rounds = scores.shape
    # Each round, best first: sets of players with the same score.
    orders = [
        [np.flatnonzero(scores[:, k] == s) for s in np.unique(scores[:, k])[::-1] if s == s]
        for k in range(rounds)
    ]
    sizes = sorted({len(tied) for order in orders for tied in order} | {1})
    with pm.Model(coords={"player": range(players)}) as specification:
        scale = pm.HalfNormal("epp_scale", prior_scale)
        unit = pm.ZeroSumNormal("epp_unit", sigma=scale**centring, dims="player")
        b = pm.Deterministic("epp", scale ** (1 - centring) * unit, dims="player")
        log_delta = {1: 0.0}
        if len(sizes) > 1:
            tie = pm.Normal("tie", 0.0, tie_scale, shape=len(sizes) - 1)
            log_delta |= {c: tie[n] for n, c in enumerate(sizes[1:])}

        def weight_of(chosen):
            mean = sum(b[i] for i in chosen) / len(chosen)
            return pm.math.exp(log_delta[len(chosen)] + mean)

        for k, order in enumerate(orders):
            for place, tied in enumerate(order):
                left = np.concatenate(order[place:])
                total = sum(weight_of(c) for size in sizes for c in combinations(left, size))
                choice = pm.math.log(weight_of(tied)) - pm.math.log(total)
                pm.Potential(f"choice_{k}_{place}", weight * choice)
    return specification
