"""Executable specification of Bradley-Terry on votes: slow and obviously right.

Votes of a judge, and on a prompt, go together. Each judge, prompt, and judge on a prompt has an own
opinion of every player; its variance is what the products of residuals of its votes say. With it
the estimate has the covariance V, and the posterior is that of matches whose estimate and
covariance are these.
"""

import numpy as np
import pymc as pm
from scipy.optimize import nnls
from scipy.stats import norm, t


def estimate(first, second, outcome, players):
    """Maximum of the likelihood by Newton's method, and its Hessian."""
    b = np.zeros(players)
    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(b[second] - b[first]))
        x = np.eye(players)[first] - np.eye(players)[second]
        hessian = (x * (p * (1.0 - p))[:, None]).T @ x
        b = b + np.linalg.pinv(hessian) @ x.T @ (outcome - p)
    return b, hessian, x, outcome - p, p * (1.0 - p)


def covariance(first, second, outcome, clusterings, players):
    """Estimate b, and its covariance V = H^+ J H^+.

    clusterings: of judges, of prompts, or of both: arrays (vote,).
    """
    b, hessian, x, residual, w = estimate(first, second, outcome, players)
    bread = np.linalg.pinv(hessian)
    phi = (residual**2).sum() / w.sum()
    if len(clusterings) == 2:
        clusterings = [
            *clusterings,
            np.unique(np.stack(clusterings), axis=1, return_inverse=True)[1],
        ]
    others = ~np.eye(len(w), dtype=bool)
    same = [(c[:, None] == c) & others for c in clusterings]
    # Scores of two votes of one opinion: w_v w_u x_v (x_v' x_u) x_u', its variance being 1.
    shape = [(x * w[:, None]).T @ (s * (x @ x.T)) @ (x * w[:, None]) for s in same]
    size = np.array([np.trace(bread @ each) for each in shape])
    # What clusters make of the estimate themselves: 1 / G where all of G see everything.
    own = [
        [bread @ (x[c == g] * w[c == g, None]).T @ x[c == g] for g in set(c.tolist())]
        for c in clusterings
    ]
    part = np.array([sum(np.trace(each @ each) for each in of) for of in own]) / (players - 1)
    # Residuals about an estimate are less alike than those about the truth.
    alike = np.array([(s * (x @ bread @ x.T) * np.outer(residual, residual)).sum() for s in same])
    alike = (alike + phi * (players - 1) * part) / (1.0 - np.minimum(part, 0.5))
    system = np.diag(size)
    if len(size) == 3:
        # Votes of one judge on one prompt share all three opinions.
        system[2, :2] = system[:2, 2] = system[0, 1] = system[1, 0] = size[2]
    # Too few votes that go together make no difference, and say nothing.
    counted = np.flatnonzero(size > 0.005 * (players - 1))
    root = np.sqrt(size[counted])
    tau2 = np.zeros(len(size))
    tau2[counted] = nnls(system[np.ix_(counted, counted)] / root[:, None], alike[counted] / root)[0]
    # What few clusters say of a variance is unsure: as of Student's t in place of a normal law.
    df = [0.5 * (1.0 / c - 1.0) * np.trace(bread @ a) ** 2 / np.trace(bread @ a @ bread @ a)
          for c, a in zip(part, shape, strict=True)]  # fmt: skip
    wider = (t.ppf(0.975, np.maximum(df, 1.0)) / norm.ppf(0.975)) ** 2
    meat = phi * hessian + sum(v * f * a for v, f, a in zip(tau2, wider, shape, strict=True))
    return b, bread @ meat @ bread


def matches(b, v):
    """Matches whose estimate is b and whose covariance is v: points (player,), n of each pair."""
    link = -np.linalg.pinv(v, rcond=1e-10)
    np.fill_diagonal(link, 0.0)
    p = 1.0 / (1.0 + np.exp(b - b[:, None]))
    n = np.maximum(link, 0.0) / (p * (1.0 - p))
    return (n * p).sum(axis=1), n


def model(points, n, prior_scale=2.0, prior_df=None):
    """Build the model of these matches."""
    players = len(points)
    prior_df = prior_df or (4.0 if players <= 10 else 2.0)
    with pm.Model(coords={"player": range(players)}) as specification:
        scale = pm.HalfNormal("epp_scale", prior_scale)
        strength = pm.StudentT("strength", nu=prior_df, sigma=scale, dims="player")
        pm.Deterministic("epp", strength - strength.mean(), dims="player")
        met = [
            n[i, j] * pm.math.logaddexp(strength[i], strength[j])
            for i in range(players)
            for j in range(i)
        ]
        pm.Potential("votes", pm.math.dot(points, strength) - sum(met))
    return specification
