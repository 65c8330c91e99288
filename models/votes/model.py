"""Executable specification of votes under Bradley-Terry's and Davidson's model: slow, obvious.

Votes of a judge, and on a prompt, go together: each judge, prompt, and judge on a prompt has an own
opinion of every player, whose variance is what the products of residuals of its votes say. Every
vote's log-likelihood is multiplied by a weight, so that the votes of a judge add up to what one
judge can say.
"""

import numpy as np
import pymc as pm
from scipy.optimize import minimize, nnls
from scipy.stats import t

EFFECT_SCALE = 5.0  # of the effect of the order, log-odds


def log_law(gap, nu):
    """Log-probabilities that the first wins, that nobody does, that the second does (Davidson)."""
    logs = np.stack([gap / 2.0, np.full(len(gap), nu), -gap / 2.0])
    return logs - np.logaddexp.reduce(logs, axis=0)


def estimate(first, second, outcome, players, order, tie_scale):
    """Likeliest outcomes, with half of a win against a player at 0 for each; and their variance.

    Ties have a parameter (Davidson), or are half a win each.
    """
    rank = (2.0 - 2.0 * outcome).astype(int)
    likes = np.eye(3)[:, rank] if tie_scale else np.stack([outcome, 0.0 * outcome, 1.0 - outcome])

    def law(at):
        gap = at[first] - at[second] + order * at[players]
        return log_law(gap, at[-1] if tie_scale else -np.inf)

    def loss(at):
        logs = law(at)
        seen = np.where(likes > 0.0, likes * np.where(np.isfinite(logs), logs, 0.0), 0.0).sum()
        seen -= np.logaddexp(at[:players] / 2.0, -at[:players] / 2.0).sum()
        prior = (at[players] / EFFECT_SCALE) ** 2 + (at[-1] / (tie_scale or 1.0)) ** 2
        return 0.5 * prior - seen

    options = {"gtol": 1e-8, "maxiter": 10_000}
    p = np.exp(law(minimize(loss, np.zeros(players + 2), method="BFGS", options=options).x))
    value = np.array([1.0, 0.5, 0.0])
    mean = value @ p
    return mean, value**2 @ p - mean**2


def weights(first, second, outcome, clusterings, players, *, order=False, tie_scale=None):
    """Weight of each vote.

    clusterings: of judges, of prompts, or of both: arrays (vote,).
    """
    mean, w = estimate(first, second, outcome, players, order, tie_scale)
    residual = outcome - mean
    x = np.eye(players)[first] - np.eye(players)[second]
    known = (x**2 * w[:, None]).sum(axis=0)  # information on each player
    # Votes vary as their probabilities say, or as much less as many tie.
    decided = ((outcome != 0.5).sum() + 1.0) / (len(outcome) + 1.0)
    phi = 1.0 if tie_scale else max((residual**2).sum() / w.sum(), decided)
    if len(clusterings) == 2:
        both = np.unique(np.stack(clusterings), axis=1, return_inverse=True)[1]
        clusterings = [*clusterings, both]
    size, alike, part, load = [], [], [], []
    for of in clusterings:
        same = (of[:, None] == of) & ~np.eye(len(of), dtype=bool)
        # All pairs of votes of a cluster, by what they have to do with each player.
        shared = same * ((x / known) @ x.T)
        size.append((shared * (x @ x.T) * np.outer(w, w)).sum())
        alike.append((shared * np.outer(residual, residual)).sum())
        held = np.array([(x[of == g] ** 2 * w[of == g, None]).sum(axis=0) / known for g in of])
        one_each = np.unique(of, return_index=True)[1]
        part.append((held[one_each] ** 2).sum() / players)
        others = np.where(x != 0.0, held - w[:, None] / known, 0.0).max(axis=1)
        load.append(2.0 * others / (x**2 / known).sum(axis=1))
    size, part = np.array(size), np.array(part)
    # Residuals about an estimate are less alike than those about the truth.
    alike = (np.array(alike) + phi * players * part) / (1.0 - np.minimum(part, 0.5))
    system = np.diag(size)
    if len(size) == 3:  # votes of one judge on one prompt share all three opinions
        system[2, :2] = system[:2, 2] = system[0, 1] = system[1, 0] = size[2]
    tau2 = np.zeros(len(size))
    if (some := np.flatnonzero(size > 0.005 * players)).size:  # fewer say nothing
        root = np.sqrt(size[some])
        tau2[some] = nnls(system[np.ix_(some, some)] / root[:, None], alike[some] / root)[0]
    # What few clusters say of a variance is unsure: as of Student's t in place of a normal law.
    df = 0.5 * (1.0 / part - 1.0) * (players - 1.0)
    wider = (t.ppf(0.975, np.maximum(df, 1.0)) / 1.96) ** 2
    return 1.0 / (phi + (tau2 * wider) @ np.array(load))


def model(
    first, second, outcome, weight, players, *,
    order=False, tie_scale=None, matched=False, prior_scale=2.0, prior_df=None,
):  # fmt: skip
    """Build the model of weighted votes: the first wins (1), nobody (1/2), or the second (0).

    order: whoever is shown first has an advantage. matched: who met whom depends on strengths.
    """
    prior_df = prior_df or (4.0 if players <= 10 else 2.0)
    met = np.zeros((players, players))
    np.add.at(met, (first, second), 1.0)
    laplacian = np.diag((met + met.T).sum(axis=1)) - met - met.T
    known, way = np.linalg.eigh(laplacian * (players - 1) / np.trace(laplacian))
    known = np.where(known > 1e-9, known, 1.0)
    with pm.Model(coords={"player": range(players)}) as specification:
        scale = pm.HalfNormal("epp_scale", prior_scale)
        strength = pm.StudentT("strength", nu=prior_df, sigma=scale, dims="player")
        if matched:  # strengths vary more along the design's long ways
            alpha = pm.Uniform("matching", 0.0, 2.0)
            strength = pm.math.dot(way, known ** (-alpha / 2.0) * pm.math.dot(way.T, strength))
        epp = pm.Deterministic("epp", strength - strength.mean(), dims="player")
        advantage = pm.Normal("effect_size", 0.0, EFFECT_SCALE) if order else 0.0
        nu = pm.Normal("tie", 0.0, tie_scale) if tie_scale else None
        half = (epp[first] - epp[second] + advantage) / 2.0
        total, seen = pm.math.logaddexp(half, -half), (2.0 * outcome - 1.0) * half
        if nu is not None:
            total, seen = pm.math.logaddexp(total, nu), seen + nu * (outcome == 0.5)
        pm.Potential("votes", (weight * (seen - total)).sum())
    return specification
