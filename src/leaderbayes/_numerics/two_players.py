r"""Draws of Bradley-Terry's posterior of two players, from tables: one difference is all there is.

.. math:: \sigma \sim \mathrm{HalfNormal}(s), \quad a_i \sim t_\nu(0, \sigma), \quad
          d = a_1 - a_2, \quad \log p(y \mid d) = w d - n \log(1 + e^d)

The two are far apart because one of them is far out, and which it is matches cannot say: what is
known of the strengths looks like a cross, and is nothing like a normal. But log sigma and d alone
have a density that a table holds, and given them the strengths lie near what either prior says.
"""

import numpy as np
from scipy.special import expit, logit, logsumexp

from leaderbayes._types import Floats

_RANGE, _SCALES = (-7.0, 4.0), 88  # of log sigma, and cells of it
_REACH, _CELLS = 18.0, 500  # of the difference: sinh of it in standard deviations, and cells
_QUANTILES = 400  # of a quadrature


def draw(
    won: float, n: float, prior_scale: float, df: float, draws: int, rng: np.random.Generator
) -> tuple[Floats, Floats, Floats]:
    """Draw strengths (draw, player), scales (draw,), and give the log-density of these draws.

    Parameters
    ----------
    won, n : float
        Matches that the first player won, and all, by weight.
    prior_scale, df : float
        Of sigma's half-normal prior, in log-odds, and of the strengths' law.
    """
    from scipy.stats import t  # which takes long to import

    log_scale, step = np.linspace(*_RANGE, _SCALES, endpoint=False, retstep=True)
    log_scale += 0.5 * step
    edges = _edges(won, n, prior_scale)
    width, gap = np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
    scale = np.exp(log_scale)[:, None]
    table = won * gap - n * np.logaddexp(0.0, gap) - 0.5 * (scale / prior_scale) ** 2
    table += _log_density_of_difference(gap / scale, df)
    mass = np.exp(table - table.max()) * width
    below = np.cumsum(mass)
    cell = np.searchsorted(below, below[-1] * rng.random(draws), side="right")
    row, column = np.divmod(np.minimum(cell, mass.size - 1), len(gap))
    drawn = np.exp(log_scale[row] + step * (rng.random(draws) - 0.5))
    difference = edges[column] + width[column] * rng.random(draws)
    log_density = table[row, column] - np.log(drawn)
    # One of the two, whichever it is, lies as the prior says.
    near = drawn * t.rvs(df, size=draws, random_state=rng)
    first = np.where(rng.random(draws) < 0.5, near, near + difference)
    strength = np.stack([first, first - difference], axis=1)
    either = t.logpdf(strength / drawn[:, None], df)
    return strength, drawn, log_density + np.logaddexp(*either.T)


def _edges(won: float, n: float, prior_scale: float) -> Floats:
    """Give the ends of cells of the difference: fine where matches say it is, and around 0."""
    # Half a match each, as if it were drawn.
    middle = float(logit((won + 0.5) / (n + 1.0)))
    p = float(expit(middle))
    sd = float(1.0 / np.sqrt(n * p * (1.0 - p) + 1.0 / prior_scale**2))
    far = np.sinh(np.linspace(-_REACH, _REACH, _CELLS))
    # Around 0 where they are alike as far as one can tell.
    return np.unique(np.concatenate([middle + sd * far, np.exp(_RANGE[0]) * far]))


def _log_density_of_difference(v: Floats, df: float) -> Floats:
    """Log-density of the difference of two standard Student variables, at any shape."""
    from scipy.stats import t

    # Up to a constant the mean of f(x) f(x - v) / (f(x) + f(x - v)) over x from f: of f(x) f(x - v)
    # it is the half in which x is the one that is not far out.
    x = t.ppf((np.arange(_QUANTILES) + 0.5) / _QUANTILES, df)
    across = np.linspace(0.0, 30.0, 301)
    log_f, shifted = t.logpdf(x, df), t.logpdf(x - np.sinh(across)[:, None], df)
    both = logsumexp(log_f + shifted - np.logaddexp(log_f, shifted), axis=1)
    # Along straight lines of the logarithms, as heavy tails are.
    return np.asarray(np.interp(np.arcsinh(np.abs(v)), across, both))
