"""Draws by PyMC: NUTS where the board has a likelihood, else simulated boards (ABC-SMC)."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._files.progress import shows_bars_of_others
from leaderbayes._types import Floats

_TUNE = 1000
_TARGET_ACCEPT = 0.9


def nuts(
    model: Any, draws: int, chains: int, workers: int, seed: int, *, progressbar: bool
) -> tuple[xr.Dataset, xr.Dataset]:
    """Draw parameters and thetas by NUTS; returns ``posterior`` and ``sample_stats``."""
    import pymc as pm

    with model, _quiet():
        found = pm.sample(
            draws,
            tune=_TUNE,
            chains=chains,
            cores=min(chains, workers),
            target_accept=_TARGET_ACCEPT,
            nuts_sampler="nutpie",
            random_seed=seed,
            progressbar=progressbar and shows_bars_of_others(),
            compute_convergence_checks=False,
        )
    return _own(model, found), found["sample_stats"].to_dataset()[["diverging"]]


def abc(
    model: Any, epsilon: float, draws: int, chains: int, workers: int, seed: int, *,
    progressbar: bool,
) -> tuple[xr.Dataset, xr.Dataset]:  # fmt: skip
    """Draw parameters and the best theta by sequential Monte Carlo of simulated boards.

    Returns ``posterior`` and ``sample_stats``: ``epsilon`` and ``accept_rate`` (chain, stage), and
    ``unique`` (chain), the share of different particles.
    """
    import pymc as pm
    from pytensor.compile.mode import Mode

    from leaderbayes.sota._abc_kernel import Walking

    with _quiet():
        found = pm.sample_smc(
            draws,
            kernel=Walking,
            model=model,
            chains=chains,
            cores=min(chains, workers),
            random_seed=[int(s) for s in np.random.default_rng(seed).integers(2**31, size=chains)],
            progressbar=progressbar and shows_bars_of_others(),
            compute_convergence_checks=False,
            # Of many boards at once Python's own code is as fast, and there is nothing to compile.
            compile_kwargs={"mode": Mode(linker="py", optimizer="fast_compile")},
        )
    posterior = _own(model, found)
    return posterior, _stages(found["sample_stats"].to_dataset(), epsilon, posterior["theta_sota"])


def _own(model: Any, found: xr.DataTree) -> xr.Dataset:
    """Drop what only moves the sampler."""
    posterior: xr.Dataset = found["posterior"].to_dataset()
    return posterior.drop_vars(
        ["offset", "eta", "level", "many", "stick", "place", "rank"], errors="ignore"
    )


def _stages(stats: xr.Dataset, epsilon: float, best: xr.DataArray) -> xr.Dataset:
    """Tempering a normal kernel by beta is widening it to epsilon / sqrt(beta)."""
    chains = best.sizes["chain"]

    def ragged(name: str) -> Floats:
        # PyMC returns a list a chain, an array where all are as long, or of one chain its list.
        values = stats[name].to_numpy()
        lists = values if chains > 1 else [values]
        rows = [np.hstack([np.asarray(v, dtype=float) for v in np.atleast_1d(r)]) for r in lists]
        out = np.full((chains, max(map(len, rows))), np.nan)
        for line, row in zip(out, rows, strict=True):
            line[: len(row)] = row
        return out

    return xr.Dataset(
        {
            "epsilon": (("chain", "stage"), epsilon / np.sqrt(ragged("beta"))),
            "accept_rate": (("chain", "stage"), ragged("accept_rate")),
            "unique": ("chain", [len(np.unique(row)) / row.size for row in best.to_numpy()]),
        },
        coords={"chain": best["chain"]},
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what PyMC logs and warns of to itself: the diagnostics here are ours."""
    logger = logging.getLogger("pymc")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
