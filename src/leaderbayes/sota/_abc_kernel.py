"""How particles of approximate Bayesian computation are moved, and when they are near enough."""

from typing import Any

import numpy as np
from pymc.smc.kernels import IMH

_MOVED = 0.7  # share of particles that must have moved before boards must come nearer
_MOST = 100  # moves of all particles at one epsilon


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
