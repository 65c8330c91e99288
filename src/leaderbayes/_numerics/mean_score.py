r"""Posterior of mean scores in closed form, with a prior in units of correlated noise.

.. math:: y_k \sim N(\mu, \Sigma), \quad \mu \sim N(g, \tau^2 \Sigma), \quad
          \Sigma \sim IW(\nu, \nu (\mathrm{diag}\,a + w))

for rounds' scores y (player,). The players' own variances a and that of the rounds' level w are
estimated, and count as nu rounds: 2 (m - 2) / (m - 1) of m players, none of two, who have nobody
to learn from. Then every difference of means has a Student t distribution with df = r - 1 + nu
around the estimated difference, all of them jointly with

.. math:: \mu = \bar y + \sqrt{c / r}\, E, \quad E \sim N(0, \Sigma^*), \quad
          c \sim df / \chi^2_{df}, \quad
          \Sigma^* = \bigl(D'D + \nu (\mathrm{diag}\,a + w)\bigr) / df

for D, the scores less their players' means, and `shrinkage` shrinks these draws. With nu = 0 and
no shrinkage it is the correlated t test of every pair (Corani and Benavoli 2015). Rounds that
share training data, with a test fraction f, have 1 / r + f / (1 - f) in place of 1 / r.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from leaderbayes._numerics.rounds import Weighing, equal
from leaderbayes._numerics.shrinkage import Pairs, Prior, pairs_of, scales, shrunken
from leaderbayes._numerics.two_way import effects
from leaderbayes._types import Floats

_STEPS = 60  # of own variances
_BORROWED = 2.0  # rounds that the mean own variance counts as
_BOARDS = 250  # at least, that are filled in where there are gaps
_BURN = 15  # before the first that counts


class Noise(NamedTuple):
    """Covariance of a round's noise, root' root + diag(own) + level, and how well it is known."""

    root: Floats  # (row, player)
    own: Floats  # (player,): variance
    level: float  # variance that all players share
    df: float

    @property
    def covariance(self) -> Floats:
        """Sigma*, (player, player)."""
        return np.asarray(self.root.T @ self.root + np.diag(self.own) + self.level)

    def draw(self, size: int, rng: np.random.Generator) -> Floats:
        """Draw noise (size, player)."""
        rows, m = self.root.shape
        shared = rng.standard_normal((size, rows)) @ self.root
        shared += np.sqrt(self.level) * rng.standard_normal((size, 1))
        return np.asarray(shared + np.sqrt(self.own) * rng.standard_normal((size, m)))


class Draws(NamedTuple):
    """Draws of the posterior of one complete board."""

    board: Floats  # (round, player)
    noise: Noise
    mean: Floats  # (draw, player)
    here: Floats  # (draw, player): means of the rounds' own data, with the luck that they share
    tau: Floats  # (draw,): players' scale, in standard deviations of a round's noise; or inf
    spread: Floats  # (draw,): c, by which the noise's covariance is multiplied


def own_variances(e: Floats, df: float) -> Floats:
    """Estimate players' own variances (..., player) beside the rounds' level, from `deviations`."""
    m, squares = e.shape[-1], (e**2).sum(axis=-2)
    apart = ((e - e.mean(axis=-1, keepdims=True)) ** 2).sum(axis=(-2, -1))
    a = np.tile(np.expand_dims(apart, -1) / (df * (m - 1.0)), m)
    for _ in range(_STEPS):
        w = 1.0 / a
        total = w.sum(axis=-1, keepdims=True)
        u = (e @ w[..., None])[..., 0] / total
        pull = (u[..., None, :] @ e)[..., 0, :]
        q = (squares - 2.0 * pull + (u**2).sum(axis=-1, keepdims=True)) / df + 1.0 / total
        shrunk = df * q + _BORROWED * np.exp(np.log(a).mean(axis=-1, keepdims=True))
        a, before = shrunk / (df + _BORROWED), a
        if float(abs(a / before - 1.0).max()) < 1e-9:
            break
    return np.asarray(a)


def deviations(board: Floats, weighing: Weighing) -> tuple[Floats, float]:
    """Return rows whose squares sum to df times the noise's covariance, and df."""
    df = weighing.df
    return np.sqrt(df / weighing.worth) * weighing.scatter(board), df


def noise_of(board: Floats, *, flat: bool = False, weighing: Weighing | None = None) -> Noise:
    """Estimate the noise of a round from a complete board (round, player)."""
    off, free = deviations(board, weighing or equal(len(board)))
    r, m = off.shape
    borrowed = 0.0 if flat else 2.0 * (m - 2.0) / (m - 1.0)
    df = free + borrowed
    # The level has its own rounds alone to learn from: the factor makes up for their few.
    level = (off.mean(axis=1) ** 2).sum() / free * ((free + 2.0) / free) ** 2
    own = own_variances(off, free) if borrowed > 0.0 else np.zeros(m)
    if r > m:  # as many rows as players: the same covariance
        off = np.linalg.qr(off, mode="r")
    return Noise(off / np.sqrt(df), borrowed / df * own, float(borrowed / df * level), df)


def worth(rounds: float, luck: float) -> float:
    """Return the effective number of independent rounds, if rounds share luck f / (1 - f)."""
    return 1.0 / (1.0 / rounds + luck)


def pairs_of_board(board: Floats, noise: Noise, rounds: float) -> Pairs:
    """Compare all pairs of players by their mean scores."""
    return pairs_of(board.mean(axis=0), noise.covariance / rounds, noise.df)


def draw(
    board: Floats, size: int, luck: float, prior: Prior | None, rng: np.random.Generator,
    weighing: Weighing | None = None,
) -> Draws:  # fmt: skip
    """Draw from the posterior of a complete board; ``luck`` is shared variance over the noise's."""
    weighing = weighing or equal(len(board))
    noise = noise_of(board, flat=prior is None, weighing=weighing)
    rounds, centre = worth(weighing.worth, luck), weighing.weight @ board / weighing.worth
    spread = noise.df / rng.chisquare(noise.df, size)
    root = np.sqrt(spread)[:, None]
    mean = centre + root / np.sqrt(rounds) * noise.draw(size, rng)
    tau = np.full(size, np.inf)
    if prior is not None:
        pairs = pairs_of(centre, noise.covariance / rounds, noise.df)
        grid, weights = scales(pairs, rounds, prior)
        tau = rng.choice(grid, size, p=weights)
        mean = shrunken(mean, centre, tau, rounds, rng)
    here = mean
    if luck > 0.0:  # given the mean on fresh data, luck explains its share of what is off
        share = luck * rounds
        off = np.sqrt(luck * (1.0 - share)) * root * noise.draw(size, rng)
        here = mean + share * (centre - mean) + off
    return Draws(board, noise, mean, here, tau, spread)


def draw_filled(
    scores: Floats, size: int, luck: float, prior: Prior | None, rng: np.random.Generator,
    weighing: Weighing | None = None,
) -> list[Draws]:  # fmt: skip
    """Draw from the posterior with missing values, which are imputed by data augmentation."""
    there = np.isfinite(scores)
    if there.all():
        return [draw(scores, size, luck, prior, rng, weighing)]
    weighing = weighing or equal(len(scores))
    boards = min(size, max(_BOARDS, size // 4))  # more draws, more independent ones
    sizes = [len(some) for some in np.array_split(np.arange(size), boards)]
    m = scores.shape[1]
    players, levels = effects(scores.T)
    board = np.where(there, scores, levels[:, None] + players)
    drawn = []
    for some in [1] * _BURN + sizes:
        drawn.append(draw(board, some, luck, prior, rng, weighing))
        # A player's own mean in each category, whose means are as far apart as on this board.
        here = weighing.means(board) - weighing.weight @ board / weighing.worth
        here = drawn[-1].here[-1] + here
        off, free = deviations(board, weighing)
        own = own_variances(off, free)
        free += _BORROWED
        own = own * free / rng.chisquare(free, m)
        weights = there / own
        total = weights.sum(axis=1)
        level = (weights * np.where(there, scores - here, 0.0)).sum(axis=1) / total
        level += rng.standard_normal(len(level)) / np.sqrt(total)
        filled = here + level[:, None] + np.sqrt(own) * rng.standard_normal(scores.shape)
        board = np.where(there, scores, filled)
    return drawn[_BURN:]


def draw_rounds(
    here: Floats, spread: Floats, noise: Noise, rounds: int, rng: np.random.Generator
) -> Floats:
    """Draw boards (draw, round, player) of means here (draw, player)."""
    size, m = here.shape
    off = noise.draw(size * rounds, rng).reshape(size, rounds, m)
    return np.asarray(here[:, None] + np.sqrt(spread)[:, None, None] * off)


def round_log_likelihood(here: Floats, board: Floats, noise: Noise) -> Floats:
    r"""Return the log-density of each round given the means and all other rounds, (draw, round).

    The noise's covariance is integrated out, so that rounds are not independent, and this is what
    leave-one-out cross-validation takes (Bürkner, Gabry and Vehtari 2021):

    .. math:: p(y_k \mid \mu, y_{-k}) \propto |A|^{-1/2} (1 - x_k' A^{-1} x_k)^{(df + m - 1) / 2}

    for x the scores less the means, and A = df Sigma* + r (ybar - mu)(ybar - mu)'.
    """
    r, m = board.shape
    centre = board.mean(axis=0)
    root = np.linalg.cholesky(noise.df * noise.covariance)
    seen = np.linalg.solve(root, (board - centre).T)  # (player, round)
    away = np.linalg.solve(root, (centre - here).T).T  # (draw, player)
    square = (away**2).sum(axis=1, keepdims=True)
    along = away @ seen
    own = (seen**2).sum(axis=0) + 2.0 * along + square
    own -= r * (along + square) ** 2 / (1.0 + r * square)
    volume = np.log(np.diag(root)).sum() + 0.5 * np.log1p(r * square)
    n = noise.df + m
    constant = gammaln(0.5 * n) - gammaln(0.5 * noise.df) - 0.5 * m * np.log(np.pi)
    return np.asarray(constant - volume + 0.5 * (n - 1.0) * np.log1p(-np.minimum(own, 1 - 1e-15)))
