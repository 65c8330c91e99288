"""Moves of all particles in approximate Bayesian computation."""

import warnings
from typing import Any

import numpy as np
import pymc as pm
import pytensor
import pytensor.tensor as pt
import xarray as xr
from pymc.pytensorf import compile, join_nonshared_inputs, make_shared_replacements
from pymc.smc.kernels import SMC_KERNEL
from pytensor.compile.mode import Mode
from pytensor.graph.replace import vectorize_graph
from pytensor.tensor.random.type import RandomGeneratorType

from leaderbayes._inference.nuts import quiet
from leaderbayes._numerics.workers import workers_of

_WALKS, _FEW = 24, 12  # moves at each temper, of many numbers and of few
_PARTS = (1.0, 0.3, 0.1)  # of a particle's numbers that move at once
_SIZE = 0.5  # of the first steps
_AIM = 0.3  # share of moves that are accepted


def abc(model: Any, draws: int, chains: int, seed: int, *, progressbar: bool) -> xr.DataTree:
    """Draw parameters and the best theta by sequential Monte Carlo of simulated boards."""
    with quiet(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found: xr.DataTree = pm.sample_smc(
            draws,
            kernel=Walking,
            model=model,
            chains=chains,
            cores=min(chains, workers_of(None)),
            random_seed=[int(s) for s in np.random.default_rng(seed).integers(2**31, size=chains)],
            progressbar=progressbar,
            compute_convergence_checks=False,
            # For many boards at once Python's own code is as fast, and there is nothing to compile.
            compile_kwargs={"mode": Mode(linker="py", optimizer="fast_compile")},
        )
    return found


class Walking(SMC_KERNEL):  # type: ignore[misc]
    """Kernel that moves all particles at once, with one call of the simulator.

    Numbers move towards their mean and away from it again, as a normal distribution remains what
    it is (preconditioned Crank-Nicolson). Few numbers have the mean and covariance of the
    particles; many have those of a standard normal prior, so that only boards decide what is
    accepted, however many numbers there are.
    """

    def __init__(self, *args: Any, model: Any = None, **options: Any) -> None:
        super().__init__(*args, model=model, **options)
        model = pm.modelcontext(model)
        start = model.initial_point()
        shared = make_shared_replacements(start, self.variables, model)
        densities, point = join_nonshared_inputs(
            start, [model.varlogp, model.datalogp], self.variables, shared
        )
        points, self.compiled = pt.matrix("points"), options.get("compile_kwargs") or {}
        self.densities = compile(
            [points],
            vectorize_graph(densities, {point: points}),
            **{"on_unused_input": "ignore"} | self.compiled,
        )

    def initialize_population(self) -> dict[str, Any]:
        """Draw the first particles from the prior."""
        drawn = pm.draw(self._prior_expression, self.draws, random_seed=self.rng, **self.compiled)
        return dict(zip(self._prior_var_names, drawn, strict=True))

    def set_rng(self, rng: np.random.Generator) -> None:
        """Seed this chain."""
        super().set_rng(rng)
        old = [v for v in self.densities.get_shared() if isinstance(v.type, RandomGeneratorType)]
        new = [pytensor.shared(each, borrow=True) for each in rng.spawn(len(old))]
        self.densities = self.densities.copy(swap=dict(zip(old, new, strict=True)))
        self.size = _SIZE  # each chain begins the same

    def tune(self) -> None:
        """Compute mean and covariance of the particles, if there are enough."""
        particles, many = self.tempered_posterior.shape
        self.mean, self.root = np.zeros(many), None
        if 5 * many < particles:
            self.mean = self.tempered_posterior.mean(axis=0)
            covariance = np.atleast_2d(np.cov(self.tempered_posterior.T)) + 1e-9 * np.eye(many)
            self.root = np.linalg.cholesky(covariance)

    def mutate(self) -> None:
        """Move all particles several times."""
        for walk in range(_WALKS if self.root is None else _FEW):
            rate = self._walk(_PARTS[walk % len(_PARTS)])
            self.size = float(np.clip(self.size * np.exp(rate - _AIM), 0.01, 1.0))

    def _walk(self, part: float) -> float:
        """Move all particles once, and return the acceptance rate."""
        here, size = self.tempered_posterior, self.size
        noise = self.rng.standard_normal(here.shape)
        moved = self.rng.random(here.shape) < part
        if self.root is not None:  # correlated numbers move together
            noise, moved = noise @ self.root.T, np.ones(here.shape, bool)
        ahead = self.mean + np.sqrt(1.0 - size**2) * (here - self.mean) + size * noise
        there = np.where(moved, ahead, here)
        prior, likelihood = self.densities(there)
        density = prior + self.beta * likelihood
        # Walks go from one place to another as often as back under the normal distribution.
        back = 0.5 * (self._squares(there) - self._squares(here))
        gain = density - self.tempered_posterior_logp + back
        accepted = np.log(self.rng.random(len(here))) < gain
        here[accepted] = there[accepted]
        self.tempered_posterior_logp[accepted] = density[accepted]
        self.prior_logp[accepted] = prior[accepted]
        self.likelihood_logp[accepted] = likelihood[accepted]
        return float(accepted.mean())

    def _squares(self, at: Any) -> Any:
        """Squared distances from the mean (particle,), in standard deviations."""
        gap = (at - self.mean).T
        return ((gap if self.root is None else np.linalg.solve(self.root, gap)) ** 2).sum(axis=0)

    def sample_stats(self) -> dict[str, Any]:
        """Temper of a stage, and the evidence."""
        evidence = self.log_marginal_likelihood if self.beta == 1 else np.nan
        return {"log_marginal_likelihood": evidence, "beta": self.beta}

    def sample_settings(self) -> dict[str, Any]:
        """Return the settings of all chains."""
        return {"_n_draws": self.draws, "threshold": self.threshold}
