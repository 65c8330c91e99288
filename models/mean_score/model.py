r"""Executable specification of mean scores: slow and obviously right.

.. math:: y_k \sim N(\mu, c\,\Sigma^*), \quad \mu \sim N(g, \tau^2 c\,\Sigma^*), \quad
          \tau^2 = t^2 + 0.1^2, \quad t \sim \mathrm{HalfCauchy}(3)

What rounds together say of both scales is cut from the likelihood: c goes by the rounds' scatter
alone, tau by pairs of players.
"""

from itertools import combinations

import numpy as np
import pymc as pm


def noise(scores):
    """Covariance of a round's noise, Sigma*, and its degrees of freedom, of scores (player, round).

    Players' own variances, net of the rounds' level, and the level's count as nu further rounds.
    """
    players, rounds = scores.shape
    off = scores - scores.mean(axis=1, keepdims=True)
    own = np.full(players, (off - off.mean(axis=0)).var(ddof=1) * players / (players - 1.0))
    for _ in range(200):
        level = (off / own[:, None]).sum(axis=0) / (1.0 / own).sum()
        seen = ((off - level) ** 2).sum(axis=1) / (rounds - 1.0) + 1.0 / (1.0 / own).sum()
        own = ((rounds - 1.0) * seen + 2.0 * np.exp(np.log(own).mean())) / (rounds + 1.0)
    level = scores.mean(axis=0).var(ddof=1) * ((rounds + 1.0) / (rounds - 1.0)) ** 2
    nu = 2.0 * (players - 2.0) / (players - 1.0)
    df = rounds - 1.0 + nu
    return (off @ off.T + nu * (np.diag(own) + level)) / df, df


def model(scores, test_fraction=0.0, prior_scale=1.0):
    """Build the model of a board (player, round)."""
    players, rounds = scores.shape
    covariance, df = noise(scores)
    luck = test_fraction / (1.0 - test_fraction)  # variance that all rounds share
    count = 1.0 / (1.0 / rounds + luck)
    centre = scores.mean(axis=1)
    with pm.Model(coords={"player": range(players)}) as specification:
        t = pm.HalfCauchy("score_scale_raw", 3.0 * prior_scale)
        tau = pm.Deterministic("score_scale", pm.math.sqrt(t**2 + 0.1**2))
        c = pm.InverseGamma("noise_spread", df / 2.0, df / 2.0)
        effect = pm.MvNormal("effect", np.zeros(players), tau**2 * c * covariance, dims="player")
        # The level of all players is not shrunk: what the effects' lacks is added.
        level = pm.StudentT("level_unit", df, sigma=np.sqrt(covariance.mean() / count))
        score = centre.mean() + level / pm.math.sqrt(1.0 + count * tau**2) + effect
        pm.Deterministic("score", score, dims="player")
        shared = np.zeros(players)
        if luck > 0.0:
            shared = pm.MvNormal("luck", shared, luck * c * covariance, dims="player")
        for k in range(rounds):
            law = pm.MvNormal.dist(centre.mean() + effect + shared, c * covariance)
            pm.Potential(f"round_{k}", pm.logp(law, scores[:, k]))
        # Cut: the likelihood of both scales, all else integrated out ...
        alike = np.eye(rounds) + (tau**2 + luck) * np.ones((rounds, rounds))
        law = pm.MvNormal.dist(
            np.full(scores.size, centre.mean()), c * pm.math.kron(alike, covariance)
        )
        pm.Potential("cut", -pm.logp(law, scores.T.ravel()))
        # ... and that of tau by pairs in its place, which count as one fewer than players.
        for i, j in combinations(range(players), 2):
            variance = (covariance[i, i] + covariance[j, j] - 2.0 * covariance[i, j]) / count
            law = pm.StudentT.dist(df, sigma=pm.math.sqrt(variance * (1.0 + count * tau**2)))
            pm.Potential(f"pair_{i}_{j}", 2.0 / players * pm.logp(law, centre[i] - centre[j]))
    return specification
