"""The likelihood of votes on plain arrays, for the fast engine."""

import numpy as np
from scipy.special import expit, ndtr

from leaderbayes._numerics import design
from leaderbayes._numerics.engine import Target
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

_EXACT = 2000  # votes with covariates, beyond which effects are nearly normal given strengths


class VoteTarget:
    """Log-likelihood of votes at many points at once, and what its parameters stand for.

    Beside strengths there are, in this order, effects, Davidson's nu with ``tie``, and, where pairs
    were matched, the logit of ``matching`` / 2, whose prior is part of the likelihood. Of many
    votes with covariates effects and nu are integrated out, and drawn given strengths.

    Parameters
    ----------
    votes : Votes
        Weighted.
    ways : Ways, optional
        Where pairs were matched by strength.
    tie_scale : float, optional
        Standard deviation of nu's prior; None for Bradley-Terry.
    """

    def __init__(
        self, votes: Votes, ways: design.Ways | None = None, tie_scale: float | None = None
    ) -> None:
        self.ways, self.effects, self.tie = ways, votes.effect.shape[1], tie_scale is not None
        scales = [EFFECT_SCALE] * self.effects + ([] if tie_scale is None else [tie_scale])
        self.scales = np.array(scales)
        votes, self.reduced = counted(votes), None
        if len(votes.n) > _EXACT and has_covariates(votes):
            self.reduced = reduced(votes, tie=self.tie, tie_scale=tie_scale or TIE_SCALE)
            votes, scales = self.reduced.votes, []
        self.likelihood = Likelihood(votes, tie=bool(self.tie and self.reduced is None))
        self.extra_scale = np.array(scales + [np.inf] * (ways is not None))

    def target(self, prior_scale: float, prior_df: float) -> Target:
        """Return the posterior for the engine."""
        votes = self.likelihood.votes
        cells = len(votes.n) if has_covariates(votes) else votes.players
        hessian = None if self.ways is not None else self._hessian
        return Target(
            votes.players, self.log_likelihood, prior_scale, prior_df, self.extra_scale, cells,
            hessian,
        )  # fmt: skip

    def _hessian(self, a: Floats, extra: Floats) -> Floats:
        return self.likelihood.information(np.append(a, extra))

    def log_likelihood(
        self, a: Floats, extra: Floats, gradient: bool = True
    ) -> tuple[Floats, Floats, Floats]:
        """Return the log-likelihood (point,), and gradients in strengths and in the rest.

        Parameters
        ----------
        a : (point, player)
        extra : (point, k)
        gradient : bool
            Whether gradients are wanted; else they are empty.
        """
        none, m = np.empty((0, 0)), a.shape[1]
        if self.ways is None:
            x = np.column_stack([a, extra])
            if not gradient:
                return self.likelihood.value(x), none, none
            value, slope = self.likelihood.gradient(x)
            return value, slope[:, :m], slope[:, m:]
        logit = extra[:, -1]
        share = expit(logit)
        alpha = design.LARGEST * share
        x = np.column_stack([design.along(a, alpha, self.ways), extra[:, :-1]])
        prior = -np.logaddexp(0.0, logit) - np.logaddexp(0.0, -logit)
        if not gradient:
            return self.likelihood.value(x) + prior, none, none
        value, slope = self.likelihood.gradient(x)
        by_a, by_alpha = design.pull_back(a, alpha, self.ways, slope[:, :m])
        by_logit = by_alpha * alpha * (1.0 - share) + 1.0 - 2.0 * share
        return value + prior, by_a, np.column_stack([slope[:, m:], by_logit])

    def expand(
        self, a: Floats, extra: Floats, rng: np.random.Generator, *, prior: bool = False
    ) -> dict[str, Floats]:
        """Return epp (draw, player), and effect_size, tie and matching, those that there are.

        With ``prior`` draws are of the prior, and of these ``extra`` has normal numbers.
        """
        found, k = {}, self.effects
        if self.ways is not None:
            share = ndtr(extra[:, -1]) if prior else expit(extra[:, -1])
            found["matching"] = alpha = design.LARGEST * share
            a = design.along(a, alpha, self.ways)
        found["epp"] = epp = a - a.mean(axis=1, keepdims=True)
        if self.reduced is not None:
            own = self.scales * rng.standard_normal((len(epp), len(self.scales)))
            extra = own if prior else self.reduced.draw(epp, rng)
        if k:
            found["effect_size"] = extra[:, :k]
        if self.tie:
            found["tie"] = extra[:, k]
        return found
