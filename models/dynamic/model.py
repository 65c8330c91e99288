"""Executable specification of strengths that walk from period to period: slow and obvious."""

from itertools import combinations

import numpy as np
import pymc as pm


def model(scores, weight, period, prior_scale=2.0, step_scale=0.5):
    """Build the model of a board.

    scores: array (player, round), higher is better, nan where a player did not play.
    weight: power of the likelihood of each round.
    period: number of each round's period, from 0.
    """
    players, rounds = scores.shape
    with pm.Model(coords={"player": range(players)}) as specification:
        scale = pm.HalfNormal("epp_scale", prior_scale)
        step = pm.HalfNormal("epp_step", step_scale)
        b = [pm.ZeroSumNormal("epp_0", sigma=scale, dims="player")]
        for t in range(1, max(period) + 1):
            b.append(b[-1] + pm.ZeroSumNormal(f"step_{t}", sigma=step, dims="player"))
        pm.Deterministic("epp_period", pm.math.stack(b))
        pm.Deterministic("epp", b[-1])
        for k in range(rounds):
            for i, j in combinations(np.flatnonzero(~np.isnan(scores[:, k])), 2):
                p = pm.math.sigmoid(b[period[k]][i] - b[period[k]][j])
                # 1, 1/2 or 0: i's score is better than, equal to or worse than j's.
                y = 0.5 + 0.5 * np.sign(scores[i, k] - scores[j, k])
                match = y * pm.math.log(p) + (1 - y) * pm.math.log(1 - p)
                pm.Potential(f"match_{k}_{i}_{j}", weight[k] * match)
    return specification
