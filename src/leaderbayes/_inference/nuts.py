"""NUTS through PyMC."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._numerics.diagnostics import diagnose
from leaderbayes._numerics.kernels import report

_SMALL = 150  # parameters
_AUXILIARY = "_unit"  # how variables end whose prior no option sets


def draw_nuts(
    model: Any, sampler: str, chains: int, draws: int, seed: int, *, progressbar: bool
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Sample a pm.Model, and again with smaller steps if transitions diverge; and diagnose."""
    import pymc as pm

    report()
    size = sum(np.size(value) for value in model.initial_point().values())
    first, again = (int(s) for s in np.random.SeedSequence(seed).generate_state(2))
    options: list[dict[str, Any]] = [{"tune": 1000}, {"tune": 3000}]
    # Short steps cost little on small boards, and keep nearly equal players free of divergences.
    accept = 0.97 if size <= _SMALL else 0.9
    for number, (more, stream) in enumerate(zip(options, (first, again), strict=True)):
        nuts: dict[str, Any] = {"target_accept": accept if number == 0 else 0.99}
        if sampler == "nutpie":
            # Groups of players are correlated: a low-rank mass matrix pays on small boards.
            nuts["adaptation"] = "low_rank" if size <= _SMALL else "diag"
        with model, quiet():
            tree: xr.DataTree = pm.sample(
                draws=draws, chains=chains, nuts_sampler=sampler, nuts=nuts, random_seed=stream,
                progressbar=progressbar, compute_convergence_checks=False, **more,
            )  # fmt: skip
        drawn = {str(name): np.asarray(v) for name, v in tree["posterior"].data_vars.items()}
        sampled = {name: v for name, v in drawn.items() if not name.endswith(_AUXILIARY)}
        diverged = int(tree["sample_stats"]["diverging"].sum())
        found = diagnose(sampled, divergences=diverged)
        if found["converged"] or chains * draws < 2000:
            break
    return tree, found | {"sampler": sampler}


def predictive(model: Any, tree: xr.DataTree, draws: int, seed: int, *, likelihood: bool) -> None:
    """Add the groups computed from draws: replicates and log densities."""
    import pymc as pm

    shape = tree["posterior"].sizes
    step = max(shape["chain"] * shape["draw"] // max(draws, 1), 1)
    # With the model's data beside the draws PyMC sees that nothing has changed.
    thinned = {"posterior": tree["posterior"].to_dataset().isel(draw=slice(None, None, step))}
    if "constant_data" in tree:
        thinned["constant_data"] = tree["constant_data"].to_dataset()
    with model, quiet():
        found = pm.sample_posterior_predictive(
            xr.DataTree.from_dict(thinned),
            random_seed=seed, progressbar=False, extend_inferencedata=False,
        )  # fmt: skip
        tree["posterior_predictive"] = found["posterior_predictive"]
        if likelihood:
            pm.compute_log_likelihood(tree, progressbar=False)
        chosen = [rv.name for rv in model.free_RVs if not rv.name.endswith(_AUXILIARY)]
        pm.stats.compute_log_prior(tree, var_names=chosen, progressbar=False)


def add_prior(model: Any, tree: xr.DataTree, draws: int, seed: int) -> None:
    """Add the groups ``prior`` and ``prior_predictive``, in one chain."""
    import pymc as pm

    with model, quiet():
        found = pm.sample_prior_predictive(draws, random_seed=seed)
    for name in ("prior", "prior_predictive"):
        tree[name] = found[name]


@contextmanager
def quiet() -> Iterator[None]:
    """Silence PyMC's announcements, and warnings that users cannot act on."""
    import pymc  # noqa: F401  its import sets the level

    logger = logging.getLogger("pymc")
    level = logger.level
    try:
        logger.setLevel(logging.ERROR)
        with warnings.catch_warnings():
            for text in ("Numba will use object mode", "Found chain dimension to be longer"):
                warnings.filterwarnings("ignore", text, UserWarning)
            yield
    finally:
        logger.setLevel(level)
