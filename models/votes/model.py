"""Executable specification of models on votes: slow and obviously right.

Votes of a judge, and on a prompt, go together. Each judge, prompt, and judge on a prompt has an own
opinion of every player; its variance is what the products of residuals of its votes say. With it
the estimate has the covariance V, and the posterior is that of matches whose estimate and
covariance are these.

That is Bradley-Terry's. Davidson's model and PMRA have other likelihoods, and the same opinions
about their own estimates. Of several tournaments strengths vary around each player's mean, and
judges take their opinions along.
"""

import numpy as np
import pymc as pm
from scipy.optimize import minimize, nnls
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
    # Votes vary as their probabilities say, or as much less as many tie.
    least = ((outcome != 0.5).sum() + 1.0) / (len(outcome) + 1.0)
    phi = max((residual**2).sum() / w.sum(), least)
    meat = phi * hessian + opinions(x, residual, w, hessian, clusterings)
    return b, bread @ meat @ bread


def opinions(x, residual, w, hessian, clusterings):
    """What votes that go together add to the variance of the score: sum of tau^2 times shapes.

    Of votes x (vote, parameter), the first of them strengths, their residuals and variances w.
    """
    bread, players = np.linalg.pinv(hessian, rcond=1e-6), x.shape[1]
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
    return sum(v * f * a for v, f, a in zip(tau2, wider, shape, strict=True))


def davidson(first, second, outcome, clusterings, players):
    """Davidson's model: strengths and nu by maximum likelihood, and the covariance of strengths.

    P(first) : P(tie) : P(second) = exp(eta / 2) : exp(nu) : exp(-eta / 2), eta = b_i - b_j.
    """
    x = np.eye(players)[first] - np.eye(players)[second]

    def law(at):
        eta = x @ at[:-1]
        weight = np.exp(np.stack([0.5 * eta, np.full(len(eta), at[-1]), -0.5 * eta]))
        return weight / weight.sum(axis=0)

    which = np.where(outcome == 1.0, 0, np.where(outcome == 0.5, 1, 2))
    value = np.array([1.0, 0.5, 0.0])

    def loss(at):
        return -np.log(law(at)[which, np.arange(len(which))]).sum() + 0.5 * at[:-1].sum() ** 2

    at = minimize(loss, np.zeros(players + 1), method="BFGS", options={"gtol": 1e-7}).x
    p = law(at)
    # Scores of eta and of nu, and their covariance in each vote: what is counted less its mean.
    mean, tie = value @ p, p[1]
    w, cross = value**2 @ p - mean**2, tie * (0.5 - mean)
    hessian = np.zeros((players + 1, players + 1))
    hessian[:-1, :-1] = (x * w[:, None]).T @ x
    hessian[-1, :-1] = hessian[:-1, -1] = cross @ x
    hessian[-1, -1] = (tie * (1.0 - tie)).sum()
    meat, inner = hessian.copy(), hessian[:-1, :-1]
    meat[:-1, :-1] += opinions(x, outcome - mean, w, inner, clusterings)
    # How many ties clusters have differs beyond chance, too.
    left = (outcome == 0.5) - tie

    def excess(c):
        sums = np.array([left[c == g].sum() for g in set(c.tolist())])
        return (sums**2).sum() * len(sums) / (len(sums) - 1.0) - (left**2).sum()

    both = np.unique(np.stack(clusterings), axis=1, return_inverse=True)[1]
    ties = sum(excess(c) for c in clusterings) - (excess(both) if len(clusterings) == 2 else 0.0)
    meat[-1, -1] += max(ties, 0.0)
    bread = np.linalg.pinv(hessian, rcond=1e-10)
    return at, (bread @ meat @ bread)[:players, :players]


def round_intercept(first, second, outcome, clusterings, players):
    """PMRA: strengths, the average advantage of the first and its spread, and V of strengths.

    logit P(first wins) = b_0 + u_g + b_i - b_j, u_g ~ N(0, s^2) of each judge g; the clusterings'
    first is of judges. Integrated over u on a grid.
    """
    x = np.column_stack([np.eye(players)[first] - np.eye(players)[second], np.ones(len(first))])
    z = np.linspace(-8.0, 8.0, 801)
    prior = norm.pdf(z) * (z[1] - z[0])
    judges = [clusterings[0] == g for g in range(clusterings[0].max() + 1)]

    def heights(at, own):
        eta = (x[own] @ at[:-1])[:, None] + at[-1] * z
        return (outcome[own, None] * eta - np.logaddexp(0.0, eta)).sum(axis=0)

    def loss(at):
        likelihood = [np.log(np.exp(heights(at, own)) @ prior) for own in judges]
        return -sum(likelihood) + 0.5 * at[:players].sum() ** 2

    start = np.append(np.zeros(players + 1), 0.5)
    at = minimize(loss, start, method="BFGS", options={"gtol": 1e-6}).x
    # How judges differ is held: curvature by differences, without what holds the sum.
    size, step = players + 1, 1e-3 * np.eye(players + 2)
    hessian = np.array([
        [sum(a * b * loss(at + a * step[i] + b * step[j]) for a in (1, -1) for b in (1, -1))
         for j in range(size)]
        for i in range(size)
    ]) / 4e-6  # fmt: skip
    hessian[:players, :players] -= 1.0
    # Residuals beside each judge's likeliest advantage.
    u = np.empty(len(first))
    for own in judges:
        u[own] = at[-1] * z[np.argmax(heights(at, own) - 0.5 * z**2)]
    p = 1.0 / (1.0 + np.exp(-(x @ at[:-1] + u)))
    inner = hessian[:players, :players]
    meat = hessian.copy()
    meat[:players, :players] += opinions(
        x[:, :players], outcome - p, p * (1.0 - p), inner, clusterings
    )
    bread = np.linalg.pinv(hessian, rcond=1e-6)
    return at, (bread @ meat @ bread)[:players, :players]


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


def matched(points, n, met, prior_scale=2.0, prior_df=None):
    """Build the model where pairs were matched: met (player, player) counts the votes on them.

    Strengths vary along the eigenvectors of who met whom as their eigenvalues to the power of
    -alpha / 2: from exchangeable ones, alpha 0, to those that go evenly along a chain, alpha 2.
    """
    players = len(points)
    prior_df = prior_df or (4.0 if players <= 10 else 2.0)
    laplacian = np.diag(met.sum(axis=1)) - met
    known, way = np.linalg.eigh(laplacian * (players - 1) / np.trace(laplacian))
    known = np.where(known > 1e-9, known, 1.0)
    with pm.Model(coords={"player": range(players)}) as specification:
        scale = pm.HalfNormal("epp_scale", prior_scale)
        alpha = pm.Uniform("matching", 0.0, 2.0)
        unit = pm.StudentT("unit", nu=prior_df, sigma=scale, dims="player")
        strength = pm.math.dot(way, known ** (-alpha / 2.0) * pm.math.dot(way.T, unit))
        pm.Deterministic("epp", strength - strength.mean(), dims="player")
        one, other = np.triu_indices(players, 1)
        total = pm.math.logaddexp(strength[one], strength[other])
        pm.Potential("votes", pm.math.dot(points, strength) - pm.math.dot(n[one, other], total))
    return specification


def in_common(first, second, outcome, tournament, clusters, players):
    """Variance of what judges (vote,) think of a player in all tournaments (vote,) alike.

    As large as makes the products of residuals of a judge's votes in two tournaments what they are.
    """
    x = np.eye(players)[first] - np.eye(players)[second]
    residual, w, parts, says = np.empty(len(first)), np.empty(len(first)), [], []
    for each in np.unique(tournament):
        own = tournament == each
        _, hessian, here, residual[own], w[own] = estimate(
            first[own], second[own], outcome[own], players
        )
        # What judges make of the tournament's estimate themselves, as in `opinions`.
        bread, free = np.linalg.pinv(hessian, rcond=1e-6), np.linalg.matrix_rank(hessian)
        made = 0.0
        for g in np.unique(clusters[own]):
            theirs = clusters[own] == g
            share = bread @ (here[theirs] * w[own][theirs, None]).T @ here[theirs]
            made += np.trace(share @ share)
        parts.append(made / free)
        # Tournaments count by the pairs of votes of a judge, and by their votes a strength.
        of, weighted = clusters[own], here * w[own][:, None]
        same = (of[:, None] == of) & ~np.eye(len(of), dtype=bool)
        shape = weighted.T @ (same * (here @ here.T)) @ weighted
        says.append(np.trace(bread @ shape) * own.sum() / free)
    part = np.average(parts, weights=says)
    bread = np.linalg.pinv((x * w[:, None]).T @ x, rcond=1e-6)
    same = (clusters[:, None] == clusters) & (tournament[:, None] != tournament)
    alike = (same * (x @ bread @ x.T) * np.outer(residual, residual)).sum()
    size = np.trace(bread @ (x * w[:, None]).T @ (same * (x @ x.T)) @ (x * w[:, None]))
    return max(alike / size, 0.0) / (1.0 - min(part, 0.5))


def tournaments(points, n, player, tournament, shared, prior_scale=2.0, spread_scale=2.0):
    """Build the model of several tournaments' matches, of cells: players (cell,) in tournaments.

    points, n: of each tournament's votes by themselves.
    shared: (cell, direction): what opinions that judges take along move its estimate by.
    """
    cells = len(points)
    with pm.Model() as specification:
        scale = pm.HalfNormal("epp_scale", prior_scale)
        spread = pm.HalfNormal("epp_spread", spread_scale)
        mean = pm.Normal("mean", 0.0, scale, shape=int(player.max()) + 1)
        pm.Deterministic("epp", mean - mean.mean())
        strength = pm.Normal("strength", mean[player], spread, shape=cells)
        opinion = pm.Normal("opinion", shape=shared.shape[1])
        voted = strength + pm.math.dot(shared, opinion)
        met = [
            n[i, j] * pm.math.logaddexp(voted[i], voted[j])
            for i in range(cells)
            for j in range(i)
            if tournament[i] == tournament[j]
        ]
        pm.Potential("votes", pm.math.dot(points, voted) - sum(met))
    return specification
