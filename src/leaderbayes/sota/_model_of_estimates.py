"""Model of a board of estimates with standard errors: normal thetas, normal errors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr, softmax

from leaderbayes._types import Floats, Longs
from leaderbayes.sota import _parameters as prior
from leaderbayes.sota._parameters import Parameter


def identity(x: Floats) -> Floats:
    """Leave a score as it is."""
    return x


@dataclass(frozen=True)
class EstimateBoard:
    r"""Posterior of the parameters of P(theta) and of the test set.

    .. math:: t_j \sim \sum_c w_c N(\mu_c, \tau_c^2), \quad
              y_j \mid t_j, z \sim N(t_j + \rho \sigma_j z, (1 - \rho^2) \sigma_j^2)

    on a scale on which errors are normal: ``score`` gives scores from it.
    """

    estimate: Floats  # (classifier,)
    se: Floats  # (classifier,)
    components: int
    rho: Any  # a number, or a frozen scipy.stats law
    centre: float  # of the prior of locations
    unit: float  # its standard deviation; scales are about half of it
    score: Callable[[Floats], Floats] = identity
    flexible: bool = False  # P(theta) is learnt in place of normal laws
    workers: int = 1  # threads

    @property
    def parameters(self) -> Sequence[Parameter]:
        """What is sampled."""
        of_law = [
            prior.normal("location", self.components, self.centre, self.unit),
            prior.log_normal("scale", self.components, np.log(0.5 * self.unit), 1.0),
        ]
        if self.components > 1:
            of_law.append(prior.simplex("weight", self.components))
        return of_law + prior.of_dependence(self.rho)

    def start(self) -> Floats:
        """Guess by moments."""
        parts = np.array_split(np.sort(self.estimate), self.components)
        noise = float(np.mean(self.se**2))
        known = {
            "location": np.array([part.mean() for part in parts]),
            "scale": 0.5 * np.log([max(part.var() - noise, 0.1 * noise) for part in parts]),
        }
        return np.concatenate([known.get(p.name, np.zeros(p.size)) for p in self.parameters])

    def log_density(self, points: Floats) -> Floats:
        """Prior and likelihood, (point,)."""
        value = prior.unpack(self.parameters, points)
        total = sum(prior.log_priors(self.parameters, points).values(), np.zeros(len(points)))
        rho, ease = prior.rho_and_ease(value, self.rho, len(points))
        for i in range(len(points)):
            joint = self._joint(value, i, rho[i], ease[i])
            total[i] += np.logaddexp.reduce(joint, axis=0).sum()
        return np.asarray(np.where(np.isfinite(total), total, -np.inf))

    def draw(
        self, value: dict[str, Floats], size: int, rng: np.random.Generator
    ) -> dict[str, Floats]:
        """Draw what follows from parameters, as `CountBoard.draw` does."""
        m = len(self.estimate)
        rho, ease = prior.rho_and_ease(value, self.rho, size)
        latent = np.empty((size, m))
        likelihood = np.empty((size, m))
        for i in range(size):
            joint = self._joint(value, i, rho[i], ease[i])
            likelihood[i] = np.logaddexp.reduce(joint, axis=0)
            at = _choose(softmax(joint, axis=0), rng)
            mean, scale = value["location"][i, at], value["scale"][i, at]
            noise = (1.0 - rho[i] ** 2) * self.se**2
            seen = self.estimate - rho[i] * ease[i] * self.se
            kept = scale**2 / (scale**2 + noise)
            latent[i] = mean + kept * (seen - mean)
            latent[i] += np.sqrt(kept * noise) * rng.standard_normal(m)
        new = self.thetas(value, size, rng)
        return {
            "theta": self.score(latent),
            "theta_sota": self.score(latent.max(axis=1)),
            "log_likelihood": likelihood,
            "score": self.replicate(latent, rho, rng),
            "new_score": self.replicate(new, rho, rng),
        }

    def thetas(self, value: dict[str, Floats], size: int, rng: np.random.Generator) -> Floats:
        """Estimates' means in another challenge, (point, classifier)."""
        m = len(self.estimate)
        latent = np.empty((size, m))
        for i in range(size):
            at = _choose(np.repeat(self._weight(value, i)[:, None], m, axis=1), rng)
            latent[i] = value["location"][i, at] + value["scale"][i, at] * rng.standard_normal(m)
        return latent

    def replicate(self, latent: Floats, rho: Floats, rng: np.random.Generator) -> Floats:
        """Scores on another test set with the same standard errors, (point, classifier)."""
        common = rho[:, None] * rng.standard_normal((len(latent), 1))
        own = np.sqrt(1.0 - rho[:, None] ** 2) * rng.standard_normal(latent.shape)
        return self.score(latent + self.se * (common + own))

    def _joint(self, value: dict[str, Floats], i: int, rho: float, ease: float) -> Floats:
        """Log of weight and density of each component, (component, classifier)."""
        location, scale = value["location"][i][:, None], value["scale"][i][:, None]
        variance = scale**2 + (1.0 - rho**2) * self.se**2
        gap = self.estimate - rho * ease * self.se - location
        log = -0.5 * gap**2 / variance - 0.5 * np.log(2.0 * np.pi * variance)
        return np.asarray(np.log(self._weight(value, i))[:, None] + log)

    def _weight(self, value: dict[str, Floats], i: int) -> Floats:
        return value["weight"][i] if "weight" in value else np.ones(1)


def from_probit(latent: Floats) -> Floats:
    """Give the AUC of a separation in standard normal units."""
    return np.asarray(ndtr(latent))


def _choose(share: Floats, rng: np.random.Generator) -> Longs:
    """Draw a component for each classifier from shares (component, classifier)."""
    return np.asarray((rng.random(share.shape[1]) > np.cumsum(share, axis=0)[:-1]).sum(axis=0))
