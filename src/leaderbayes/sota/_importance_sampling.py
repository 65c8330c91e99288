"""Draws from the posterior by its likelihood: importance sampling of the parameters."""

import warnings

import numpy as np
import xarray as xr

from leaderbayes._errors import ConvergenceWarning
from leaderbayes._inference.psis import Smoothed, smooth
from leaderbayes._numerics.importance import sample
from leaderbayes.sota import _parameters as prior
from leaderbayes.sota._assemble import assemble, log_prior
from leaderbayes.sota._model import Board

MIN_POINTS = 200  # whose weights have a tail that can be smoothed


def exact(
    board: xr.DataArray, model: Board, draws: int, chains: int, rng: np.random.Generator
) -> xr.DataTree:
    """Draw from the posterior by importance sampling."""
    size = draws * chains
    if model.parameters:
        found = sample(model.log_density, model.start(), max(2 * size, MIN_POINTS), rng)
        smoothed = smooth(found.log_weight)
        points = found.point[rng.choice(len(smoothed.weight), size, p=smoothed.weight)]
    else:
        smoothed = Smoothed(np.full(size, 1.0 / size), 0.0, float(size))
        points = np.zeros((size, 0))
    converged = smoothed.reliable(size)
    if not converged:
        warnings.warn(
            f"LB001 not converged: importance weights {smoothed}. Do not report these numbers: "
            "take fewer components, a known rho, or sampler='abc-smc'.",
            ConvergenceWarning,
            stacklevel=3,
        )
    values = prior.unpack(model.parameters, points)
    tree = assemble(board, values, model.draw(values, size, rng), (chains, draws))
    tree["log_prior"] = log_prior(model.parameters, points, (chains, draws))
    tree.attrs |= {
        "converged": int(converged),
        "pareto_k": smoothed.pareto_k,
        "ess": smoothed.ess,
    }
    return tree
