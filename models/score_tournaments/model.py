r"""Executable specification of mean scores over data sets: slow and obviously right.

.. math:: \theta_q \sim N(\mu, c\,T - N), \quad \bar y_q \sim N(\theta_q, c_q N_q), \quad
          c_q \sim df_q / \chi^2_{df_q}

Data sets are the rounds of mean scores: mu, c and the noise T are those of the table of means. In
coordinates in which T is 1 and N diagonal, what varies between data sets is a fifth at least.
"""

import runpy
from pathlib import Path

import numpy as np
import pymc as pm
from scipy.linalg import eigh

MEANS = runpy.run_path(str(Path(__file__).parents[1] / "mean_score" / "model.py"))


def noise_of_means(scores, test_fraction=0.0):
    """Covariance of the noise of each data set's means, N_q, all of one shape; and df_q.

    The shape N is the mean over data sets, and the scale that of the variances of differences.
    """
    _, players, rounds = scores.shape
    worth = 1.0 / rounds + test_fraction / (1.0 - test_fraction)
    found = [MEANS["noise"](board) for board in scores]
    own = np.array([worth * covariance for covariance, _ in found])
    total = np.trace(own, axis1=1, axis2=2) * players - own.sum(axis=(1, 2))
    scale = total / total.mean()
    return own.mean(axis=0), scale, np.array([df for _, df in found])


def model(scores, test_fraction=0.0, prior_scale=1.0):
    """Build the model of boards (tournament, player, round)."""
    means = scores.mean(axis=2)
    total, _ = MEANS["noise"](means.T)
    within, scale, df = noise_of_means(scores, test_fraction)
    e, back = eigh(within, total)
    v = np.linalg.inv(back.T)
    specification = MEANS["model"](means.T, prior_scale=prior_scale)
    specification.add_coord("tournament", range(len(scores)))
    with specification:
        c, score = specification["noise_spread"], specification["score"]
        between = (v * pm.math.maximum(c - e, 0.2 * c)) @ v.T
        own = pm.InverseGamma("round_spread", df / 2.0, df / 2.0, dims="tournament")
        theta = pm.MvNormal("score_tournament", score, between, dims=("tournament", "player"))
        for q, mean in enumerate(means):
            noise = own[q] * scale[q] * within
            there = pm.logp(pm.MvNormal.dist(theta[q], noise), mean)
            # Cut: what the means say of mu and of scales is in the model of the table.
            cut = pm.logp(pm.MvNormal.dist(score, between + noise), mean)
            pm.Potential(f"table_{q}", there - cut)
    return specification
