"""Likelihood of votes on plain arrays, for the fast engine."""

import numpy as np
from scipy.special import ndtr

from leaderbayes._numerics import design
from leaderbayes._numerics.target import Target
from leaderbayes._numerics.votes import (
    EFFECT_SCALE,
    TIE_SCALE,
    Likelihood,
    Votes,
    counted,
    has_covariates,
    reduced,
)
from leaderbayes._types import Floats

_FEW = 120  # matched players, of whom differences of gradients find better proposals
_STEP = 1e-4  # of differences along z
_EXACT = 2000  # votes with covariates, beyond which effects are nearly normal given strengths


class VoteTarget:
    """Log-likelihood of weighted votes at many points at once, and what its parameters stand for.

    Beside strengths there are, in this order, effects, Davidson's nu, whose prior has the standard
    deviation ``tie_scale``, and, where pairs were matched, ``ways``, a standard normal number z, of
    which ``matching`` is 2 Phi(z). For many votes with covariates effects and nu are integrated
    out, and drawn given strengths.
    """

    def __init__(
        self, votes: Votes, prior_scale: float, prior_df: float, *, ways: design.Ways | None = None,
        tie_scale: float | None = None,
    ) -> None:  # fmt: skip
        self.ways, self.effects, self.tie = ways, votes.effect.shape[1], tie_scale is not None
        scales = [EFFECT_SCALE] * self.effects + ([] if tie_scale is None else [tie_scale])
        self.scales, self.reduced = np.array(scales), None
        votes = counted(votes)
        if len(votes.n) > _EXACT and has_covariates(votes):
            self.reduced = reduced(votes, tie=self.tie, tie_scale=tie_scale or TIE_SCALE)
            votes, scales = self.reduced.votes, []
        self.likelihood = Likelihood(votes, tie=self.tie and self.reduced is None)
        self.target = Target(
            votes.players,
            self.log_likelihood,
            prior_scale,
            prior_df,
            np.array(scales + [1.0] * (ways is not None)),
            cells=votes.players if self.likelihood.tables else len(votes.n),
            hessian=self._hessian if ways is None or votes.players > _FEW else None,
            log_prior=None if ways is None else self._log_prior,
            prior_hessian=None if ways is None else self._prior_hessian,
        )

    def log_likelihood(
        self, a: Floats, extra: Floats, gradient: bool = True
    ) -> tuple[Floats, Floats, Floats]:
        """Return the log-likelihood (point,), and its gradients unless they are not asked for."""
        none, m = np.empty((0, 0)), a.shape[1]
        x = np.column_stack([a, extra[:, : self.likelihood.size - m]])
        if not gradient:
            return self.likelihood.value(x), none, none
        value, slope = self.likelihood.gradient(x)
        more = np.pad(slope[:, m:], ((0, 0), (0, int(self.ways is not None))))
        return value, slope[:, :m], more

    def _hessian(self, a: Floats, extra: Floats) -> Floats:
        more = int(self.ways is not None)
        found = self.likelihood.information(np.append(a, extra)[: self.likelihood.size])
        return np.pad(found, (0, more))

    def _log_prior(self, a: Floats, extra: Floats, log_scale: Floats) -> tuple[Floats, ...]:
        """Return the log density of matched strengths."""
        assert self.ways is not None
        z, more = extra[:, -1], np.zeros_like(extra)
        way, log_known = self.ways
        alpha, by_way = design.LARGEST * ndtr(z), a @ way
        grow = np.exp(0.5 * np.multiply.outer(alpha, log_known))
        value, by_unit, _ = self.target.exchangeable((by_way * grow) @ way.T, extra, log_scale)
        pull = by_unit @ way * grow
        by_alpha = 0.5 * (log_known.sum() + (pull * by_way) @ log_known)
        more[:, -1] = by_alpha * design.LARGEST * np.exp(-0.5 * z**2) / np.sqrt(2.0 * np.pi)
        return value + 0.5 * alpha * log_known.sum(), pull @ way.T, more

    def _prior_hessian(self, a: Floats, extra: Floats, log_scale: float) -> Floats:
        """Return the negative Hessian of the log density of matched strengths."""
        assert self.ways is not None
        m, d, alpha = len(a), len(a) + len(extra), design.LARGEST * ndtr(extra[-1:])
        unit = design.along(a[None], -alpha, self.ways)[0]
        back = design.along(np.eye(m), -alpha, self.ways)
        out = np.zeros((d, d))
        out[:m, :m] = back.T @ (self.target.bend(unit, log_scale)[:, None] * back)
        near = np.repeat(extra[None], 2, axis=0)
        near[:, -1] += _STEP * np.array([1.0, -1.0])
        _, by_a, by_more = self._log_prior(
            np.repeat(a[None], 2, axis=0), near, np.full(2, log_scale)
        )
        up, down = np.column_stack([by_a, by_more])
        out[-1] = out[:, -1] = (down - up) / (2.0 * _STEP)
        return out

    def expand(
        self, a: Floats, extra: Floats, rng: np.random.Generator, *, prior: bool = False
    ) -> dict[str, Floats]:
        """Return epp and, if present, effect_size, tie, matching; by ``prior``, its draws."""
        found, k = {}, self.effects
        if self.ways is not None:
            found["matching"] = alpha = design.LARGEST * ndtr(extra[:, -1])
            a = design.along(a, alpha, self.ways) if prior else a
        found["epp"] = epp = a - a.mean(axis=1, keepdims=True)
        if self.reduced is not None:
            own = self.scales * rng.standard_normal((len(epp), len(self.scales)))
            extra = own if prior else self.reduced.draw(epp, rng)
        if k:
            found["effect_size"] = extra[:, :k]
        if self.tie:
            found["tie"] = extra[:, k]
        return found
