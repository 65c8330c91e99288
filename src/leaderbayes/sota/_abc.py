"""Approximate Bayesian computation: sequential Monte Carlo with one simulation of all particles."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pymc as pm
import pytensor.tensor as pt
import xarray as xr
from pymc.pytensorf import compile, join_nonshared_inputs
from pymc.smc.kernels import systematic_resampling
from pytensor.compile.mode import Mode
from pytensor.graph.replace import vectorize_graph
from scipy.optimize import brentq
from scipy.special import logsumexp

from leaderbayes._files.progress import progress
from leaderbayes._inference.nuts import quiet
from leaderbayes._types import Floats

_WALKS = 24  # moves at each temper
_PARTS = (1.0, 0.3, 0.1)  # of a particle's numbers that move at once
_SIZE, _LEAST, _AIM = 0.5, 0.1, 0.2  # of moves: first and least size, and share that is accepted
_KEPT = 0.5  # effective share of particles that the next temper leaves
_FIRST = 1e-4  # temper at which progress begins to count
# For many boards at once Python's own code is as fast, and there is nothing to compile.
_PYTHON = Mode(linker="py", optimizer="fast_compile")


def abc(
    model: Any, draws: int, chains: int, times: int, seed: int, *, progressbar: bool
) -> xr.Dataset:
    """Draw parameters and the best theta of a model with a simulator, with more particles."""
    rng, size = np.random.default_rng(seed), times * draws
    with quiet(), np.errstate(all="ignore"), progress(progressbar, "Simulating boards") as advance:
        start, densities, values = _functions(model, rng)
        kept = []
        for _ in range(chains):
            points = _tempered(
                start(size), densities, rng, lambda more: advance(more, 100 * chains)
            )
            # Neighbours have ancestors in common, which the effective sample size must see.
            kept.append(values(points[::times]))
    dims = {name: ("chain", "draw", *model.named_vars_to_dims.get(name, ())) for name in kept[0]}
    found = {name: (dims[name], np.array([one[name] for one in kept])) for name in kept[0]}
    return xr.Dataset(found, {"chain": np.arange(chains), "draw": np.arange(draws)})


def _functions(model: Any, rng: np.random.Generator) -> tuple[Callable[..., Any], ...]:
    """Return functions: particles of the prior, their densities, and parameters by name."""
    own = [(rv, model.rvs_to_transforms[rv]) for rv in model.free_RVs]
    prior = [rv if t is None else t.forward(rv, *rv.owner.inputs) for rv, t in own]

    def start(size: int) -> Floats:
        drawn = pm.draw(prior, size, random_seed=rng, mode=_PYTHON)
        return np.concatenate([np.reshape(each, (size, -1)) for each in drawn], axis=1)

    shown = [v for v in [*model.free_RVs, *model.deterministics] if not v.name.endswith("_unit")]
    free = [model.rvs_to_values[rv] for rv in model.free_RVs]
    example = dict(zip((v.name for v in free), pm.draw(prior, mode=_PYTHON), strict=True))
    found = [model.varlogp, model.datalogp, *model.replace_rvs_by_values(shown)]
    outputs, point = join_nonshared_inputs(example, found, free)
    points = pt.matrix("points")
    outputs = vectorize_graph(list(outputs), {point: points})
    options = {
        "random_seed": int(rng.integers(2**31)),
        "mode": _PYTHON,
        "on_unused_input": "ignore",
    }
    densities, values = (compile([points], o, **options) for o in (outputs[:2], outputs[2:]))
    return start, densities, lambda at: {v.name: x for v, x in zip(shown, values(at), strict=True)}


def _tempered(
    here: Floats, densities: Callable[..., Any], rng: np.random.Generator,
    advance: Callable[[int], None],
) -> Floats:  # fmt: skip
    """Move particles of the prior to the posterior; ``advance`` is told each percent of the way.

    Some numbers of each particle move towards their mean and away from it again, as a normal
    distribution remains what it is (preconditioned Crank-Nicolson). Their size is tuned, but not to
    nothing: the luck of a simulated board alone makes most moves fail.
    """
    prior, likelihood = densities(here)
    temper, done, size = 0.0, 0, _SIZE
    while temper < 1.0:
        temper, weight = _next(temper, likelihood)
        kept = systematic_resampling(weight, rng)
        here, prior, likelihood = here[kept], prior[kept], likelihood[kept]
        mean, sd = here.mean(axis=0), here.std(axis=0) + 1e-9
        for walk in range(_WALKS):
            unit = (here - mean) / sd
            ahead = np.sqrt(1.0 - size**2) * unit + size * rng.standard_normal(here.shape)
            ahead = np.where(rng.random(here.shape) < _PARTS[walk % len(_PARTS)], ahead, unit)
            there = mean + sd * ahead
            of_prior, of_board = densities(there)
            # Walks go from one place to another as often as back under the normal distribution.
            back = 0.5 * (ahead**2 - unit**2).sum(axis=1)
            gain = of_prior - prior + temper * (of_board - likelihood) + back
            accepted = np.log(rng.random(len(here))) < gain
            here[accepted], prior[accepted] = there[accepted], of_prior[accepted]
            likelihood[accepted] = of_board[accepted]
            size = float(np.clip(size * np.exp(accepted.mean() - _AIM), _LEAST, 1.0))
        now = round(100.0 * max(1.0 - np.log(temper) / np.log(_FIRST), 0.0))
        advance(now - done)
        done = now
    return here


def _next(temper: float, likelihood: Floats) -> tuple[float, Floats]:
    """Return the next temper, and the weights of particles for it (particle,)."""

    def weights(step: float) -> Floats:
        log = step * likelihood
        return np.asarray(np.exp(log - logsumexp(log)))

    def spare(step: float) -> float:
        return float(1.0 / (weights(step) ** 2).sum() - _KEPT * len(likelihood))

    rest = 1.0 - temper
    if spare(rest) >= 0.0:
        return 1.0, weights(rest)
    step = brentq(spare, 0.0, rest)
    return temper + step, weights(step)
