"""How particles of approximate Bayesian computation are moved, and when they are near enough."""

from typing import Any

import numpy as np
from pymc.smc.kernels import IMH

_MOVED = 0.7  # share of particles that must have moved before boards must come nearer
_MOST = 100  # moves of all particles at one epsilon
_WALKS = 60  # moves of particles that walk, at one time
_PARTS = (1.0, 0.3, 0.1)  # of a particle's numbers that walk at once
_SIZE = 0.5  # of the first steps
_AIM = 0.3  # share of moves that are accepted


class Nearing(IMH):  # type: ignore[misc]
    """PyMC's independent Metropolis-Hastings kernel, for an epsilon that nobody has to name.

    By itself it moves particles a few times, however few are accepted, so that at a small epsilon
    few different ones are left. This one goes on until most have moved, and where that is too much
    asked is content with the epsilon that it has come to.
    """

    acc_rate: Any
    beta: float
    reached: float

    def mutate(self) -> None:
        """Move particles until most have moved; else let this be the last stage."""
        before, steps, rates = self.tempered_posterior.copy(), 0, []
        moved = 0.0
        while moved < _MOVED and steps < _MOST:
            super().mutate()
            steps += self.n_steps - 1  # PyMC counts from 1
            rates.append(self.acc_rate)
            moved = float((self.tempered_posterior != before).any(axis=1).mean())
        self.acc_rate = np.mean(rates)
        self.reached = self.beta
        if moved < _MOVED:
            self.beta = 1.0  # at which PyMC ends

    def sample_stats(self) -> dict[str, Any]:
        """As of PyMC, with the temper that was reached."""
        return {**super().sample_stats(), "beta": self.reached}


class Walking(IMH):  # type: ignore[misc]
    """Particles of many numbers, whose law is not normal: each walks, and keeps to the prior.

    Some of its numbers go towards 0 and away from it again, as a standard normal law stays what it
    is (preconditioned Crank and Nicolson): where that is their prior only boards decide what is
    accepted, however many numbers there are. Of another prior the density says the rest.
    """

    rng: np.random.Generator
    n_steps: int
    acc_rate: Any
    beta: float
    tempered_posterior: Any
    tempered_posterior_logp: Any
    prior_logp: Any
    likelihood_logp: Any
    size: float  # of steps

    def setup_kernel(self) -> None:
        """Begin each chain alike, whichever was drawn in this process before."""
        self.size = _SIZE

    def tune(self) -> None:
        """Do nothing: steps are tuned as particles walk."""

    def mutate(self) -> None:
        """Let all particles walk for a while."""
        rates = []
        for walk in range(_WALKS):
            rates.append(self._walk(_PARTS[walk % len(_PARTS)]))
            self.size = float(np.clip(self.size * np.exp(rates[-1] - _AIM), 0.01, 1.0))
        self.n_steps, self.acc_rate = _WALKS + 1, np.mean(rates)

    def _walk(self, part: float) -> float:
        """Move all once; give the share that is accepted."""
        size = self.size
        here = self.tempered_posterior
        moved = self.rng.random(here.shape) < part
        ahead = np.sqrt(1.0 - size**2) * here + size * self.rng.standard_normal(here.shape)
        proposal = np.where(moved, ahead, here)
        likelihood = np.array([self.likelihood_logp_func(point) for point in proposal]).ravel()
        prior = np.array([self.prior_logp_func(point) for point in proposal]).ravel()
        there = prior + self.beta * likelihood
        # Walks go from one place to another as often as back under the standard normal law.
        back = 0.5 * (proposal**2 - here**2).sum(axis=1)
        gain = there - self.tempered_posterior_logp + back
        accepted = np.log(self.rng.random(len(here))) < gain
        self.tempered_posterior[accepted] = proposal[accepted]
        self.tempered_posterior_logp[accepted] = there[accepted]
        self.prior_logp[accepted] = prior[accepted]
        self.likelihood_logp[accepted] = likelihood[accepted]
        return float(accepted.mean())


class WalkingNearer(Nearing, Walking):
    """Walks for an epsilon that nobody has to name."""
