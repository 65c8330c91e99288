r"""Sums over all items with missing answers, by a two-way model in each draw.

With weights w of the items (the same for a cluster's items), an item's and a player's part are
those of weighted least squares over the answers that are there,

.. math:: \min_{a, b} \sum_{k, i} w_k z_{ki} (x_{ki} - a_k - b_i)^2, \qquad
          u_i = \sum_k w_k (a_k + b_i)

where z is 1 where there is an answer and 0 elsewhere. Residuals of a player sum to 0, so that u is
the sum of its answers and of what the model predicts for the others; with none missing that is
:math:`\sum_k w_k x_{ki}`. Items are eliminated: b has the normal equations

.. math:: \Bigl(D - \sum_k \frac{w_k}{n_k} z_k z_k^T\Bigr) b =
          \sum_k w_k z_k (x_k - \bar x_k), \qquad D_i = \sum_k w_k z_{ki}, \quad
          n_k = \sum_i z_{ki}

whose terms are added up by pattern of missing answers. All draws are solved at once by conjugate
gradients, from the solution of equal weights and in coordinates in which its equations are the
identity: a few steps. What only one player has right, or wrong (its atoms), is as an item that all
answered.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from leaderbayes._numerics.two_way import effects
from leaderbayes._types import Bools, Floats, Longs

_NEAR = 1e-20  # of the first residual's square
_MOST = 20  # steps beside two a player, where exact numbers would need one a player


class Gaps(NamedTuple):
    """Equations for sums over all items with missing answers."""

    sizes: Floats  # (cluster,): items
    effects: Floats  # (player,): of equal weights
    level: Floats  # (cluster,): sum of the items' effects, of equal weights
    residuals: Floats  # (cluster, player): sums of an answer's from its item's and player's effects
    counts: csr_array  # (cluster, pattern): items
    patterns: Floats  # (pattern, player): 1 where there are answers
    share: Floats  # (pattern, player): the same over the number of players there
    inverse: Floats  # (player, player): of the equations of equal weights


def gaps_of(scores: Floats, codes: Longs) -> Gaps:
    """Prepare the equations of scores (item, player), NaN where missing; codes number clusters."""
    there = np.isfinite(scores)
    different, pattern = np.unique(there, axis=0, return_inverse=True)
    patterns = different.astype(float)
    share = patterns / patterns.sum(axis=1, keepdims=True)
    items, ones, m = np.arange(len(codes)), np.ones(len(codes)), scores.shape[1]
    members = csr_array((ones, (codes, items)))
    counts = csr_array((ones, (codes, pattern.ravel())))
    of_pattern: Floats = np.asarray(counts.sum(axis=0))
    equations = np.diag(of_pattern @ patterns) - (patterns.T * of_pattern) @ share
    inverse = np.linalg.inv(equations + np.trace(equations) / m**2)  # the mean of all at 0
    players, level = effects(scores.T)
    level, players = level + players.mean(), players - players.mean()
    left = np.where(there, scores - level[:, None] - players, 0.0)
    return Gaps(
        np.asarray(members.sum(axis=1)), players, members @ level, members @ left, counts,
        patterns, share, inverse,
    )  # fmt: skip


def sums(gaps: Gaps, weights: Floats, atoms: Floats) -> Floats:
    """Return sums over all items (draw, player), by ``weights`` (draw, cluster)."""
    shared = atoms.mean(axis=1, keepdims=True)
    of_pattern = weights @ gaps.counts
    moved = _solved(gaps, of_pattern, weights @ gaps.residuals + (atoms - shared))
    level = weights @ gaps.level - (of_pattern * (moved @ gaps.share.T)).sum(axis=1)
    total = weights @ gaps.sizes
    return np.asarray(total[:, None] * (gaps.effects + moved) + level[:, None] + shared)


def separate(there: Bools) -> Longs:
    """Return each player's group (player,), from 0: groups answered no item in common."""
    together = csr_array(there.astype(np.int32))
    _, groups = connected_components(together.T @ together, directed=False)
    return np.asarray(groups, int)


def _solved(gaps: Gaps, of_pattern: Floats, right: Floats) -> Floats:
    """Solve each draw's equations, (draw, player)."""
    diagonal = of_pattern @ gaps.patterns
    x, left = np.zeros_like(right), right
    turned = left @ gaps.inverse
    step, square = turned, (left * turned).sum(axis=1)
    goal = _NEAR * square
    for _ in range(2 * right.shape[1] + _MOST):
        if (square <= goal).all():
            break
        applied = diagonal * step - (of_pattern * (step @ gaps.share.T)) @ gaps.patterns
        along = (step * applied).sum(axis=1)
        # Draws that are done stay where they are.
        going = (square > goal) & (along > 0.0)
        far = np.where(going, square / np.where(going, along, 1.0), 0.0)[:, None]
        x, left = x + far * step, left - far * applied
        turned = left @ gaps.inverse
        before, square = square, np.where(going, (left * turned).sum(axis=1), 0.0)
        step = turned + (square / np.where(before > 0.0, before, 1.0))[:, None] * step
    return x
