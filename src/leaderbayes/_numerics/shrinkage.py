"""Draw players together: draws of a flat posterior, shrunken towards each other.

Players' values get a prior, Student-t around a common level, and the prior moves of each value what
is its own: the part that varies given all others'. What players share, such as rounds that are hard
for all or for a family of them, and with it their mean, stays where the rounds put it. (With the
whole covariance the prior of very many players, some of them nearly the same, is stronger than the
rounds: it then takes what they share for luck, of 115 classifiers on 600 items by ten of its
standard deviations.)

Given the players' scale, and were what is their own normal, a draw of the flat posterior and one of
the prior make one of the posterior (perturb and optimise); the draws keep what is not normal in
them, and are the flat ones where the prior says nothing.
"""

from typing import NamedTuple

import numpy as np

from leaderbayes._types import Floats

# Of the players' scale, in standard errors. Lower, and where few items tell players apart the scale
# goes so low that intervals are too narrow: at 0.3 of 50 items that nearly all of 50 players answer
# alike they cover 0.90, at 0.6 0.96 (models/evidence/sizes), and elsewhere nearly the same.
FLOOR = 0.6
_WARM = 100  # steps before the first that is kept
_WIDEST = 100.0  # scale of players
_POINTS = 400  # of it, above its floor
_RIDGE = 1e-9  # of a correlation: players can be the same in every round


class Shrinkage(NamedTuple):
    """What is each player's own in the flat posterior, as if normal, and the prior."""

    centre: Floats  # (player,)
    own: Floats  # (player,): variance
    prior_scale: float
    prior_df: float


def own_variance(residuals: Floats, sd: Floats, beside: Floats | float = 0.0) -> Floats:
    """Estimate of each player's value the variance that is its own (player,), given all others'.

    By a covariance that is drawn towards one of all pairs, as far as others are noise (Schäfer and
    Strimmer 2005). All in all no more than differences of two vary.

    Parameters
    ----------
    residuals : (round, player)
        Of rounds, or clusters, which vary independently.
    sd : (player,)
        Standard deviations of the values.
    beside : float or (player,)
        Variance of a residual that players do not share, beside.
    """
    n, m = residuals.shape
    scatter = residuals.T @ residuals / n
    scatter[np.diag_indices(m)] += beside
    of_sums = np.sqrt(np.diag(scatter))
    seen = scatter / np.outer(of_sums, of_sums)
    share = 0.0
    others = ~np.eye(m, dtype=bool)
    both = np.outer(sd, sd)
    # No more than the surest player's variance has, or no such law would exist.
    least = 0.9 * float(both.diagonal().min())
    common = float(np.clip((seen * both)[others].mean(), -least / max(m - 1, 1), least))
    if m > 2:
        unit = (residuals / of_sums) ** 2
        noise = (unit.T @ unit / n - seen**2) / n
        spread = float(((seen - common / both)[others] ** 2).sum())
        share = min(float(noise[others].sum()) / spread, 1.0) if spread > 0.0 else 1.0
    covariance = (1.0 - share) * seen * both + share * common
    covariance[np.diag_indices(m)] = (1.0 + _RIDGE) * sd**2
    # Up to a level, which nobody's differences have.
    level = 1e3 * float((sd**2).mean())
    own = 1.0 / np.diag(np.linalg.inv(covariance + level))
    differ = float((m * (sd**2).sum() - covariance.sum()) / (m * (m - 1.0)))  # half, of pairs
    return np.asarray(own * min(differ / float(own.mean()), 1.0))


def shrunken(
    flat: Floats, by: Shrinkage, rng: np.random.Generator, *, sweeps: int = 1
) -> tuple[Floats, Floats]:
    """Draw values (draw, player) and the players' scale (draw,).

    By Gibbs' sampler. Scale and level are drawn twice a step, given the players' effects and given
    these in units of the scale (interwoven, Yu and Meng 2011), or they would hardly move where
    scores say little.

    Parameters
    ----------
    flat : (draw, player)
        Draws of the flat posterior, of one chain, in a unit in which the prior's scale is not far
        from 1.
    sweeps : int
        Steps to one that is kept.
    """
    centre, variance, prior_scale, prior_df = by
    m, error, precision = len(centre), np.sqrt(variance), 1.0 / variance
    floor = FLOOR * float(error.mean())
    widest = max(min(6.0 * prior_scale, _WIDEST), floor)
    above = np.concatenate([[0.0], np.geomspace(0.02 * floor, widest, _POINTS)])
    taus = np.hypot(above, floor)
    log_prior = np.log(np.gradient(above)) - 0.5 * (above / prior_scale) ** 2
    by_effects = log_prior - m * np.log(taus)
    tau, own, level = max(float(centre.std()), floor), np.ones(m), float(centre.mean())
    out, scales = np.empty_like(flat), np.empty(len(flat))
    for step in range(-_WARM, len(flat) * sweeps):
        at = max(step, 0) // sweeps
        scales[at] = tau
        # One as if the flat posterior were normal, by which the sampler goes on, and one of it.
        given = np.stack([centre + error * rng.standard_normal(m), flat[at]])
        spread = tau**2 * own
        away = np.sqrt(spread) * rng.standard_normal((2, m))
        # What all share moves the level of the draw along: players are drawn together by unequal
        # parts, which would else make differences of it.
        weights = 1.0 / (variance + spread)
        of_draw = float(weights @ (flat[at] - away[1]) / weights.sum())
        prior = np.array([[level], [of_draw]]) + away
        effect, kept = given + variance * weights * (prior - given)
        out[at] = kept + (flat[at].mean() - kept.mean())
        # Given the effects.
        level = _level(effect, 1.0 / spread, rng)
        away = effect - level
        own = 0.5 * (prior_df + (away / tau) ** 2) / rng.standard_gamma(0.5 * (prior_df + 1.0), m)
        tau = _pick(taus, by_effects - 0.5 * float((away**2 / own).sum()) / taus**2, rng)
        # Given these in units of tau.
        unit = away / tau
        pulled = precision * unit
        square, along = float(unit @ pulled), float(pulled @ (centre - level))
        tau = _pick(taus, log_prior - 0.5 * square * taus**2 + along * taus, rng)
        level = _level(centre - tau * unit, precision, rng)
    return out, scales


def _level(values: Floats, weights: Floats, rng: np.random.Generator) -> float:
    """Draw what values (player,) have in common, of so much precision each."""
    total = float(weights.sum())
    return float(weights @ values / total + rng.standard_normal() / np.sqrt(total))


def _pick(values: Floats, log_weights: Floats, rng: np.random.Generator) -> float:
    """Draw one of the values."""
    sums = np.cumsum(np.exp(log_weights - log_weights.max()))
    return float(values[np.searchsorted(sums, rng.random() * sums[-1])])
