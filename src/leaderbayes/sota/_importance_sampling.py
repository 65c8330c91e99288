"""Draws from the posterior by its likelihood: importance sampling of the parameters."""

import warnings
from collections.abc import Sequence

import numpy as np
import xarray as xr

from leaderbayes._errors import ConvergenceWarning
from leaderbayes._inference.psis import Smoothed, smooth
from leaderbayes._numerics.importance import sample
from leaderbayes.sota import _parameters as prior
from leaderbayes.sota._assemble import FEWEST, assemble, joined, log_prior
from leaderbayes.sota._model import Part

MIN_POINTS = 200  # whose weights have a tail that can be smoothed


def exact(parts: Sequence[Part], chains: int, rng: np.random.Generator) -> xr.DataTree:
    """Draw from the posterior by importance sampling, of each n by itself."""
    trees, quality = zip(*(_drawn(part, chains, rng) for part in parts), strict=True)
    worst = max(quality, key=lambda smoothed: smoothed.pareto_k)
    sizes = [part.draws * chains for part in parts]
    reliable = all(smoothed.reliable(size) for smoothed, size in zip(quality, sizes, strict=True))
    converged = reliable and sum(sizes) > FEWEST
    if not converged:
        what = f"importance weights {worst}"
        remedy = "fewer components, a known rho, or sampler='abc-smc'"
        if reliable:
            what, remedy = f"{sum(sizes)} draws (above {FEWEST:.0f} is good)", "more draws"
        warnings.warn(
            f"LB001 not converged: {what}. Do not report these numbers: take {remedy}.",
            ConvergenceWarning,
            stacklevel=3,
        )
    tree = joined(trees)
    tree.attrs |= {
        "converged": int(converged),
        "pareto_k": worst.pareto_k,
        "ess": sum(smoothed.ess for smoothed in quality),
    }
    return tree


def _drawn(part: Part, chains: int, rng: np.random.Generator) -> tuple[xr.DataTree, Smoothed]:
    """Draw where n is known; and say what the weights are worth."""
    board, model, draws = part
    size = draws * chains
    if model.parameters:
        found = sample(model.log_density, model.start(), max(2 * size, MIN_POINTS), rng)
        smoothed = smooth(found.log_weight)
        points = found.point[rng.choice(len(smoothed.weight), size, p=smoothed.weight)]
    else:
        smoothed = Smoothed(np.full(size, 1.0 / size), 0.0, float(size))
        points = np.zeros((size, 0))
    values = prior.unpack(model.parameters, points)
    tree = assemble(board, values, model.draw(values, size, rng), (chains, draws))
    tree["log_prior"] = log_prior(model.parameters, points, (chains, draws))
    return tree, smoothed
