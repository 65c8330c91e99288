"""Model of a board of accuracies: thetas from P(theta), counts of right answers given them."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Literal

import numpy as np
from scipy.special import expit, logit

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.counts import Counts
from leaderbayes._numerics.hierarchy import (
    Law,
    beta_law,
    draw_thetas,
    empirical_law,
    known_law,
    marginals,
    of_maximum,
)
from leaderbayes._numerics.maximum import draw_given
from leaderbayes._types import Bools, Floats, Longs
from leaderbayes.models._theta import CONCENTRATION
from leaderbayes.sota import _parameters as prior
from leaderbayes.sota._parameters import Parameter
from leaderbayes.sota._variants import Variants

_GROUP = 0.1  # step within which scores are one theta of the empirical law's likelihood
_LEAST = 1e-300
_LOST = -600.0  # log-likelihood of a score, below which a known law's shares underflow
_TRIALS = 30  # of classifiers of a new board that must lie above the floor


@dataclass(frozen=True)
class CountBoard:
    """Posterior of the parameters of P(theta) and of the test set."""

    board: Counts
    law: Any  # "flexible", "beta", "mixture", "empirical", or a frozen scipy.stats law
    most: int  # components of a mixture
    chance: float  # score of a random classifier
    rho: Any  # a number, or a frozen scipy.stats law
    theta_0: float
    statistic: Literal["board", "moments", "maximum"]
    workers: int = 1  # threads
    variants: Variants | None = None  # of each team, of which the best is on the board

    @property
    def flexible(self) -> bool:
        """Whether P(theta) is learnt."""
        return isinstance(self.law, str) and self.law == "flexible"

    @property
    def components(self) -> int:
        """Betas in P(theta)."""
        return self.most if self.law == "mixture" else 1

    @property
    def parameters(self) -> Sequence[Parameter]:
        """What is sampled."""
        size = self.components
        of_law = []
        if self.law in ("beta", "mixture"):
            concentration = prior.log_normal("concentration", size, *CONCENTRATION)
            of_law += [prior.share("mean", size), concentration]
        if self.law == "mixture":
            of_law.append(prior.simplex("weight", size))
        if self.law == "empirical":
            of_law.append(prior.bounded("shrinkage"))
        return of_law + prior.of_dependence(self.rho)

    def start(self) -> Floats:
        """Guess by moments."""
        board = self.board
        score = board.scores
        halves = [score]
        if self.law == "mixture":
            halves = np.array_split(score, self.most)
        mean = np.clip([half.mean() for half in halves], 0.01, 0.99)
        noise = mean * (1.0 - mean) / board.n
        spread = np.maximum([half.var() for half in halves] - noise, 0.1 * noise)
        known = {
            "mean": logit(mean),
            "concentration": np.log(mean * (1.0 - mean) / spread),
            "shrinkage": np.full(1, 0.995),
        }
        return np.concatenate(
            [known.get(p.name, np.zeros(p.size)) for p in self.parameters] or [np.zeros(0)]
        )

    def log_density(self, points: Floats) -> Floats:
        """Prior and likelihood, (point,)."""
        value = prior.unpack(self.parameters, points)
        total = sum(prior.log_priors(self.parameters, points).values(), np.zeros(len(points)))
        rho, ease = prior.rho_and_ease(value, self.rho, len(points))
        s = self.theta_0 + ease * np.sqrt(self.theta_0 * (1.0 - self.theta_0) / self.board.n)
        inside = (s >= 0.0) & (s <= 1.0) & (rho < 0.999) & np.isfinite(total)
        if "mean" in value:
            # Means that round to 0 or 1 have no beta.
            a, b, _ = self._betas(value)
            inside &= ((a > _LEAST) & (b > _LEAST) & np.isfinite(a + b)).all(axis=1)
        total[~inside] = -np.inf
        total[inside] += self._log_likelihood(
            {name: v[inside] for name, v in value.items()}, rho[inside], ease[inside]
        )
        return total

    def _log_likelihood(self, value: dict[str, Floats], rho: Floats, ease: Floats) -> Floats:
        def at(i: int) -> float:
            given = rho[i], self.theta_0, ease[i]
            law = self._law(value, i, _GROUP)
            if self.statistic == "maximum":
                return of_maximum(self.board, law, *given)[0]
            return float(self.board.times @ marginals(self.board, law, *given))

        return np.array(self._in_parallel(at, len(rho)))

    def draw(
        self, value: dict[str, Floats], size: int, rng: np.random.Generator
    ) -> dict[str, Floats]:
        """Draw what follows from parameters (point, component), at so many points.

        Returns ``theta`` and ``log_likelihood`` (point, classifier), ``theta_sota`` (point,),
        ``score`` on another test set, and ``new_score`` of new classifiers, (point, classifier).
        """
        rho, ease = prior.rho_and_ease(value, self.rho, size)
        seeds = rng.integers(2**32, size=size)

        def at(i: int) -> tuple[Floats, Floats, float]:
            given = rho[i], self.theta_0, ease[i]
            law = self._law(value, i)
            own = np.random.default_rng(seeds[i])
            uniform = own.random((len(self.board.of), 2))
            theta, likelihood = draw_thetas(self.board, law, *given, uniform)
            if self.statistic != "maximum":
                return theta, likelihood, theta.max()
            log, node, chance = of_maximum(self.board, law, *given)
            return theta, likelihood, own.choice(node, p=chance) if log > -np.inf else np.nan

        thetas, likelihoods, best = zip(*self._in_parallel(at, size), strict=True)
        theta = np.array(thetas)
        self._require_explained(np.array(likelihoods), np.array(best))
        return {
            "theta": theta,
            "theta_sota": np.array(best),
            "log_likelihood": np.array(likelihoods)[:, self.board.of],
            "score": self.replicate(theta, rho, rng),
            "new_score": self._new_board(value, rho, rng),
        }

    def replicate(
        self,
        theta: Floats,
        rho: Floats,
        rng: np.random.Generator,
        right: Longs | None = None,
        where: Bools | None = None,
    ) -> Floats:
        """Scores on another test set of the same size, (point, classifier).

        On which the reference is ``right`` so often, (point, 1); those ``where`` only, in a row.
        """
        n, size, each = self.board.n, (len(theta), 1), rho[:, None]
        if where is not None:
            theta = theta[where]
        if not prior.depends(self.rho):
            return np.asarray(rng.binomial(n, theta) / n)
        s = rng.binomial(n, self.theta_0, size=size) if right is None else right
        if where is not None:
            point = np.nonzero(where)[0]
            s, each = s[point, 0], rho[point]
        return draw_given(theta, n, s, each, self.theta_0, rng) / n

    def shown(
        self,
        theta: Floats,
        rho: Floats,
        rng: np.random.Generator,
        right: Longs,
        where: Bools | None = None,
    ) -> Floats:
        """Scores as `replicate` gives them, each the best of its team's variants."""
        score = self.replicate(theta, rho, rng, right, where)
        if self.variants is None:
            return score
        many = rng.choice(self.variants.many, theta.shape, p=self.variants.weight)
        for tried in range(1, int(many.max())):
            more = (many > tried) & (True if where is None else where)
            mine = more if where is None else more[where]
            score[mine] = np.maximum(score[mine], self.replicate(theta, rho, rng, right, more))
        return score

    def _new_board(self, value: dict[str, Floats], rho: Floats, rng: np.random.Generator) -> Floats:
        """Scores of other classifiers, all of them above the floor, (point, classifier)."""
        size = len(rho)
        right = rng.binomial(self.board.n, self.theta_0, size=(size, 1))
        return self.above_floor(
            lambda where: self.replicate(self.thetas(value, size, rng), rho, rng, right, where)
        )

    def above_floor(self, draw: Callable[[Bools | None], Floats]) -> Floats:
        """Draw scores, and those below the floor again until none is, or will hardly ever be."""
        score = draw(None)
        low = np.asarray(np.round(score * self.board.n) <= self.board.floor)
        for _ in range(_TRIALS):
            if not low.any():
                break
            again = draw(low)
            score[low] = again
            low[low] = np.round(again * self.board.n) <= self.board.floor
        return score

    def _betas(self, value: dict[str, Floats]) -> tuple[Floats, Floats, Floats]:
        mean, size = value["mean"], value["concentration"]
        return mean * size, (1.0 - mean) * size, value.get("weight", np.ones_like(mean))

    @cached_property
    def _known(self) -> Law:
        return known_law(self.board, self.law)

    def _law(self, value: dict[str, Floats], i: int, step: float = 0.0) -> Law:
        """P(theta) at a point; of the empirical law, scores within a step are one theta."""
        if self.law == "empirical":
            return empirical_law(self.board, float(value["shrinkage"][i, 0]), self.chance, step)
        if "mean" not in value:
            return self._known
        a, b, weight = (v[i] for v in self._betas(value))
        return beta_law(a, b, weight)

    def _require_explained(self, log_likelihood: Floats, best: Floats) -> None:
        """Raise where P(theta) has no theta for a score, so that nothing is drawn of it."""
        lost = (log_likelihood < _LOST).any(axis=0) | ~np.isfinite(log_likelihood).all(axis=0)
        if isinstance(self.law, str):  # what a fitted law finds unlikely is computed all the same
            lost = ~np.isfinite(log_likelihood).all(axis=0)
        if not np.isfinite(best).all():
            lost[-1] = True
        if lost.any():
            score = self.board.x[lost][0] / self.board.n
            raise LeaderbayesError(
                f"The law of the teams' thetas all but excludes the score {score:.5g}: leave the "
                "team out (or give a floor), or take law='beta' or 'mixture'."
            )

    def score(self, theta: Floats) -> Floats:
        """Thetas are on the scale of the scores."""
        return theta

    def thetas(self, value: dict[str, Floats], size: int, rng: np.random.Generator) -> Floats:
        """Classifiers of another challenge, (point, classifier)."""
        m = len(self.board.of)
        if "mean" in value:
            a, b, weight = self._betas(value)
            at = (rng.random((size, m, 1)) > np.cumsum(weight, axis=1)[:, None, :-1]).sum(axis=2)
            rows = np.arange(size)[:, None]
            return rng.beta(a[rows, at], b[rows, at])
        if self.law != "empirical":
            return np.asarray(self.law.ppf(rng.random((size, m))))
        laws = [self._law(value, i) for i in range(size)]
        return np.array([expit(rng.choice(law.eta, m, p=np.exp(law.log_share))) for law in laws])

    def _in_parallel(self, at: Callable[[int], Any], size: int) -> list[Any]:
        """Call for each point; the kernels let go of Python's lock."""
        if self.workers == 1 or size < 2 * self.workers:  # done before a thread has started
            return [at(i) for i in range(size)]
        parts = np.array_split(np.arange(size), self.workers)
        with ThreadPoolExecutor(self.workers) as threads:
            return list(chain(*threads.map(lambda part: [at(int(i)) for i in part], parts)))
