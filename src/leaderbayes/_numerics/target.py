"""Target of the fast engine: a posterior of strengths, scale and few other parameters."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from leaderbayes._types import Floats

_BLOCK = 128_000  # numbers that a model is asked for at once: as many as processors keep at hand


class Target(NamedTuple):
    """A posterior of strengths: the likelihood of a model, and the scales of its priors."""

    players: int
    # Strengths (point, player) and parameters (point, k), and whether the gradient is wanted, to
    # the log-likelihood (point,) and its gradients (point, player) and (point, k).
    log_likelihood: Callable[[Floats, Floats, bool], tuple[Floats, Floats, Floats]]
    prior_scale: float
    prior_df: float
    extra_scale: Floats = np.empty(0)  # (k,): standard deviations of priors; inf is flat
    cells: int = 1  # numbers that one point takes, such as pairs
    # Strengths (player,) and parameters (k,) to the negative Hessian of the log-likelihood. Without
    # it differences of gradients serve, which many players take long for.
    hessian: Callable[[Floats, Floats], Floats] | None = None
    # Strengths that are not independent have their own log prior, with arguments as `exchangeable`.
    log_prior: Callable[[Floats, Floats, Floats], tuple[Floats, ...]] | None = None
    # With `hessian`, of such strengths: to the negative Hessian of their log prior.
    prior_hessian: Callable[[Floats, Floats, float], Floats] | None = None

    def log_density(self, x: Floats, log_scale: Floats | float) -> Floats:
        """Return the log posterior (point,) at points (point, player + k), up to a constant."""
        return self.evaluate(x, np.broadcast_to(log_scale, len(x)), False)[0]

    def gradient(self, x: Floats, log_scale: float) -> tuple[Floats, Floats]:
        """Return the log posterior and its gradient (point, player + k)."""
        return self.evaluate(x, np.full(len(x), log_scale), True)

    def curvature(self, x: Floats, log_scale: float) -> Floats:
        """Return the negative Hessian of the log posterior at a point (player + k,)."""
        assert self.hessian is not None
        m, prior = self.players, np.zeros(self.players)
        out = self.hessian(x[:m], x[m:])
        if self.prior_hessian is not None:
            out = out + self.prior_hessian(x[:m], x[m:], log_scale)
        else:
            prior = self.bend(x[:m], log_scale)
        out[np.diag_indices_from(out)] += np.append(prior, self.extra_scale**-2.0)
        return out

    def bend(self, a: Floats, log_scale: float) -> Floats:
        """Return minus the second derivative of Student-t's log density (player,)."""
        df, scale = self.prior_df, np.exp(log_scale)
        square = (a / scale) ** 2
        return np.asarray((df + 1.0) * (df - square) / (df + square) ** 2 / scale**2)

    def evaluate(self, x: Floats, t: Floats, gradient: bool) -> tuple[Floats, Floats]:
        """Return the log posterior (point,) at log sigma (point,), and perhaps its gradient."""
        m, size = self.players, max(_BLOCK // max(self.cells, x.shape[1]), 1)
        value, slope = np.empty(len(x)), np.empty(x.shape if gradient else (0, 0))
        for begin in range(0, len(x), size):
            some = slice(begin, begin + size)
            a, e = x[some, :m], x[some, m:]
            found, by_a, by_e = self.log_likelihood(a, e, gradient)
            prior, by_own, by_more = (self.log_prior or self.exchangeable)(a, e, t[some])
            value[some] = found + prior - 0.5 * ((e / self.extra_scale) ** 2).sum(axis=1)
            if gradient:
                slope[some, :m] = by_a + by_own
                slope[some, m:] = by_e + by_more - e / self.extra_scale**2
        # One sigma less, for the Jacobian of its logarithm.
        value -= (m - 1.0) * t + 0.5 * (np.exp(t) / self.prior_scale) ** 2
        value[np.isnan(value)] = -np.inf  # so far out that numbers overflow
        return value, slope

    def exchangeable(self, a: Floats, extra: Floats, log_scale: Floats) -> tuple[Floats, ...]:
        """Return Student-t's log density of strengths, up to sigma's factor, and gradients."""
        df, scale = self.prior_df, np.exp(log_scale)[:, None]
        unit = a / scale
        value = -0.5 * (df + 1.0) * np.log1p(unit**2 / df).sum(axis=1)
        return value, -(df + 1.0) * unit / (df + unit**2) / scale, np.zeros_like(extra)
