"""ArviZ groups of the draws of the fast engine."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._types import Floats
from leaderbayes.models._model import Problem

_CELLS = ("chain", "draw")
_MOST = 20_000_000  # numbers of replicates


def groups_of(
    problem: Problem, drawn: Mapping[str, Floats], stats: Mapping[str, Floats],
    rng: np.random.Generator, *, replicates: int, prior: bool,
) -> xr.DataTree:  # fmt: skip
    """Return all groups of a fit from variables and statistics (chain, draw, ...)."""
    (name, observed), *_ = problem.observed.data_vars.items()
    chains, draws = next(iter(drawn.values())).shape[:2]
    flat = {key: value.reshape(-1, *value.shape[2:]) for key, value in drawn.items()}
    most = max(_MOST // max(observed.size, 1), chains)
    step = -(-chains * draws // min(replicates, most, chains * draws))
    some = {k: v[:, ::step].reshape(-1, *v.shape[2:]) for k, v in drawn.items()}
    again = problem.replicate(some, rng).reshape(chains, -1, *observed.shape)
    log_prior = {
        key: density(drawn[key]) for key, density in problem.log_prior.items() if key in drawn
    }
    groups = {
        "posterior": _named(problem, drawn, problem.dims),
        "sample_stats": _named(problem, stats, {}),
        "posterior_predictive": _named(
            problem, {str(name): again}, {str(name): observed.dims}, step=step
        ),
        "log_prior": _named(problem, log_prior, problem.dims),
        "observed_data": problem.observed,
        "constant_data": problem.constant,
    }
    if problem.log_likelihood is not None:
        by = problem.log_likelihood(flat).reshape(chains, draws, -1)
        groups["log_likelihood"] = _named(problem, {str(name): by}, {str(name): observed.dims[:1]})
    if prior:
        first = _draw_prior(problem, draws, rng)
        chained = {name: value[None] for name, value in first.items()}
        groups["prior"] = _named(problem, chained, problem.dims)
        before = problem.replicate(first, rng)
        groups["prior_predictive"] = _named(
            problem, {str(name): before[None]}, {str(name): observed.dims}
        )
    return xr.DataTree.from_dict(groups)


def _draw_prior(problem: Problem, draws: int, rng: np.random.Generator) -> dict[str, Floats]:
    """Draw variables (draw, ...) from the prior."""
    target = problem.target
    scale = abs(target.prior_scale * rng.standard_normal(draws))
    if target.prior_df < 1e6:
        unit = rng.standard_t(target.prior_df, (draws, target.players))
    else:
        unit = rng.standard_normal((draws, target.players))
    width = np.where(np.isfinite(target.extra_scale), target.extra_scale, 1.0)
    extra = width * rng.standard_normal((draws, len(width)))
    return dict(problem.prior(scale[:, None] * unit, extra, scale, rng))


def _named(
    problem: Problem, values: Mapping[str, Floats], dims: Mapping[Any, Any], *, step: int = 1
) -> xr.Dataset:
    """Label variables (chain, draw, ...) with dimensions and coordinates."""
    named = {key: ((*_CELLS, *dims.get(key, ())), value) for key, value in values.items()}
    used = {str(dim) for of, _ in named.values() for dim in of}
    coords = {dim: problem.coords[dim] for dim in problem.coords if dim in used}
    if named:
        chains, draws = next(iter(values.values())).shape[:2]
        coords |= {"chain": np.arange(chains), "draw": step * np.arange(draws)}
    return xr.Dataset(named, coords)
