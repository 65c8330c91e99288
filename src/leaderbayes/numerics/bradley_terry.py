r"""Bradley-Terry and Davidson on counts of unordered pairs: value, Newton, covariance.

.. math:: P(i\ wins) : P(tie) : P(j\ wins) = e^{b_i} : e^{\nu + (b_i + b_j)/2} : e^{b_j}

Bradley-Terry is :math:`\nu = -\infty`; its half-counted ties enter as half a win for both.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit, xlogy

from leaderbayes._errors import NotConvergedError

Floats = NDArray[np.float64]


def probability(epp: Floats) -> Floats:
    """P(row beats column), (player, player); 1/2 on the diagonal."""
    return np.asarray(expit(epp[:, None] - epp))


def log_likelihood(epp: Floats, wins: Floats) -> float:
    """Bradley-Terry log-likelihood of wins (player, opponent), each match once."""
    return float((wins * -np.logaddexp(0.0, epp - epp[:, None])).sum())


def deviance(epp: Floats, wins: Floats, n: Floats) -> float:
    """Twice the log-likelihood that a saturated model gains, over unordered pairs."""
    played = np.where(n > 0, n, 1.0)
    saturated = (xlogy(wins, wins / played)).sum()
    return float(2.0 * (saturated - log_likelihood(epp, wins)))


def davidson_probability(epp: Floats, nu: float) -> tuple[Floats, Floats]:
    """P(row wins) and P(tie), each (player, player)."""
    half = 0.5 * (epp[:, None] - epp)
    gap = np.abs(half)
    kappa = np.exp(nu)
    scale = 1.0 / (1.0 + np.exp(-2.0 * gap) + kappa * np.exp(-gap))
    return np.exp(half - gap) * scale, kappa * np.exp(-gap) * scale


def newton(
    wins: Floats,
    n: Floats,
    ties: Floats | None = None,
    *,
    pseudo_rounds: float = 0.0,
    tolerance: float = 1e-10,
    max_iter: int = 100,
) -> tuple[Floats, float, Floats]:
    """Maximise the likelihood by damped Newton steps on the Laplacian Hessian.

    Parameters
    ----------
    wins : (player, opponent)
        Wins; with ``ties`` given, wins plus half the ties all the same.
    n : (player, opponent)
        Matches of each pair.
    ties : (player, opponent), optional
        Number of ties. Given: Davidson's model, nu is estimated. Absent: Bradley-Terry.
    pseudo_rounds : float
        Matches of every player, half of them won, against a player at 0. Makes the estimate
        exist on any board.

    Returns
    -------
    epp : (player,)
        Sum to zero.
    nu : float
        -inf for Bradley-Terry.
    hessian : (player, player), or one larger with nu last
        Observed information. Its null space is the constant vector (without pseudo-rounds).

    Raises
    ------
    NotConvergedError
        After ``max_iter`` steps (where the estimate exists a dozen suffice), or where nu has no
        finite estimate.
    """
    m = len(wins)
    points = wins.sum(axis=1)
    matches = n.sum() / 2.0
    tied = 0.0 if ties is None else ties.sum() / 2.0
    if ties is not None and not 0.0 < tied < matches:
        raise NotConvergedError(
            "LB002 Davidson's nu has no finite estimate where no match, or every match, is tied."
        )
    nu = -np.inf if ties is None else float(np.log(2.0 * (tied + 0.5) / (matches - tied + 0.5)))
    epp = np.zeros(m)

    def parts(epp: Floats, nu: float) -> tuple[float, Floats, Floats]:
        p, t = davidson_probability(epp, nu)
        e = p + 0.5 * t
        v = n * (p + 0.25 * t - e * e)
        drawn = pseudo_rounds * (0.5 - expit(epp))
        gradient = points - (n * e).sum(axis=1) + drawn
        hessian = np.diag(v.sum(axis=1)) - v
        q = expit(epp)
        hessian[np.diag_indices(m)] += pseudo_rounds * q * (1.0 - q)
        value = points @ epp - _normaliser(epp, nu, n)
        value -= pseudo_rounds * float((np.logaddexp(0.0, epp) - 0.5 * epp).sum())
        if ties is not None:
            value += nu * tied
            cross = (n * t * (0.5 - e)).sum(axis=1)
            corner = float((n * t * (1.0 - t)).sum() / 2.0)
            gradient = np.append(gradient, tied - float((n * t).sum()) / 2.0)
            hessian = np.block([[hessian, cross[:, None]], [cross[None], np.array([[corner]])]])
        return float(value), gradient, hessian

    value, gradient, hessian = parts(epp, nu)
    for _ in range(max_iter):
        step = solve(hessian, gradient, m)
        decrement = float(gradient @ step)
        if decrement < tolerance:
            return epp - epp.mean(), nu, hessian
        size = 1.0
        while True:
            trial, trial_nu = (
                epp + size * step[:m],
                nu + (size * step[m] if ties is not None else 0),
            )
            new = parts(trial, trial_nu)
            if new[0] >= value - 1e-12 * abs(value) or size < 1e-8:
                break
            size /= 2.0
        epp, nu, (value, gradient, hessian) = trial, trial_nu, new
    raise NotConvergedError(
        f"LB002 Newton's method did not converge in {max_iter} steps (decrement {decrement:.2g}); "
        "check leaderbayes.components(matches), or add pseudo-rounds."
    )


def _normaliser(epp: Floats, nu: float, n: Floats) -> float:
    gap = 0.5 * np.abs(epp[:, None] - epp)
    mean = 0.5 * (epp[:, None] + epp)
    log_sum = mean + gap + np.log1p(np.exp(-2.0 * gap) + np.exp(nu) * np.exp(-gap))
    return float((n * log_sum).sum() / 2.0)


def solve(hessian: Floats, right: Floats, m: int) -> Floats:
    """Pseudo-inverse of the Hessian times ``right``: the first m coordinates sum to zero.

    Adding 11'/m to the player block fills the null space and leaves the rest as it is.
    """
    filled = hessian.copy()
    filled[:m, :m] += np.trace(hessian[:m, :m]) / m / m
    answer = np.asarray(cho_solve(cho_factor(filled), right))
    answer[:m] -= answer[:m].mean(axis=0)
    return answer
