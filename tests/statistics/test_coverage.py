"""Coverage of 95 % intervals of win-probability logits, over simulated tournaments.

By the posterior's normal approximation at the maximum-likelihood estimate, so that thousands of
boards take seconds. The composite weight has to cover 0.93 to 0.98 in every cell; what weight 1
covers is asserted to be wrong where there are many players.
"""

import numpy as np
import pytest
from scipy.special import logit
from scipy.stats import norm

import leaderbayes as lb
from conftest import simulate
from leaderbayes._numerics.bradley_terry import newton
from leaderbayes._numerics.newton import inverse
from leaderbayes._scores.matches import components
from leaderbayes.models._weight import resolve_weight

TOURNAMENTS = 150
CELLS = [(m, r, noise) for m in (4, 8, 20) for r in (10, 20, 50) for noise in ("gumbel", "normal")]
PRIOR_SD = 2.0


def laplace(matches):
    """Mode and covariance without the weight, under a N(0, 2^2) prior at weight one or below."""
    wins, n = matches["wins"].to_numpy(), matches["n"].to_numpy()
    m = len(wins)
    connected = components(matches).nunique() == 1
    epp, _, hessian = newton(wins.sum(1), n, pseudo_rounds=0.0 if connected else 1.0)
    return epp, hessian, m


def win_logit(gap, noise):
    """Log-odds that a player beats one whose strength is ``gap`` lower."""
    # Gumbel noise has logistic differences; `simulate` gives the normal ones the same variance.
    return gap if noise == "gumbel" else logit(norm.cdf(gap * np.sqrt(3.0) / np.pi))


def covered(matches, truth, weight, noise):
    """Share of all pairs whose 95 % interval holds the true log-odds of winning."""
    epp, hessian, m = laplace(matches)
    precision = weight * hessian + np.eye(m) / PRIOR_SD**2
    covariance = inverse(precision, m)
    # One Newton step from the likelihood's mode to the posterior's.
    mode = epp - covariance @ (epp / PRIOR_SD**2)
    i, j = np.triu_indices(m, 1)
    sd = np.sqrt(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j])
    error = mode[i] - mode[j] - win_logit(truth[i] - truth[j], noise)
    return (np.abs(error) < 1.96 * sd).mean()


@pytest.mark.slow
@pytest.mark.parametrize(("m", "r", "noise"), CELLS)
def test_composite_weight_covers(m, r, noise):
    rng = np.random.default_rng([m, r, len(noise)])
    composite, plain = [], []
    for _ in range(TOURNAMENTS):
        truth = rng.normal(size=m)
        truth -= truth.mean()
        matches = lb.matches(simulate(truth, r, rng, noise))
        # All rounds are complete, and weigh the same.
        weight = resolve_weight(matches, "composite", None, with_ties=False).mean()
        composite.append(covered(matches, truth, weight, noise))
        plain.append(covered(matches, truth, 1.0, noise))
    error = np.std(composite) / np.sqrt(TOURNAMENTS)
    print(f"\n{m} x {r} {noise}: {np.mean(composite):.3f}, weight=1 {np.mean(plain):.3f}")
    assert 0.93 - 2 * error < np.mean(composite) < 0.98 + 2 * error
    assert np.mean(plain) < np.mean(composite)
