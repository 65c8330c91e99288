"""Draws from the approximate posterior: simulated boards, by sequential Monte Carlo."""

import logging
import warnings
from typing import Literal

import numpy as np
import xarray as xr

from leaderbayes._errors import ConvergenceWarning
from leaderbayes._files.progress import shows_bars_of_others
from leaderbayes._inference.diagnostics import TAIL
from leaderbayes._numerics.chains import agreement
from leaderbayes._types import Floats
from leaderbayes.sota import _parameters as prior
from leaderbayes.sota._assemble import assemble, log_prior
from leaderbayes.sota._learnt_law import Luck, keep, log_prior_of, named, room
from leaderbayes.sota._model_of_counts import CountBoard
from leaderbayes.sota._scale import scale_of

MAX_RHAT = 1.05
MIN_UNIQUE = 0.3
_BASE = 1e-6  # of the law, spread evenly over its cells
_FINEST = 0.3  # epsilon by itself: finer ones take many times the moves for little


def abc_smc(
    board: xr.DataArray,
    model: CountBoard,
    epsilon: float | Literal["auto"],
    draws: int,
    chains: int,
    rng: np.random.Generator,
    *,
    progressbar: bool,
) -> xr.DataTree:
    """Draw from the approximate posterior by sequential Monte Carlo."""
    import pymc as pm

    from leaderbayes import models
    from leaderbayes.sota._abc_kernel import Nearing, Walking, WalkingNearer

    if model.flexible:
        kernel = WalkingNearer if epsilon == "auto" else Walking
    else:
        kernel = Nearing if epsilon == "auto" else pm.smc.IMH
    epsilon = _FINEST if epsilon == "auto" else epsilon
    logger = logging.getLogger("pymc")
    level = logger.level
    try:
        logger.setLevel(logging.ERROR)
        with warnings.catch_warnings():
            # Simulators are Python, and that is meant; early particles lie far out.
            warnings.simplefilter("ignore")
            simulator = models.sota(
                board,
                law=model.law,
                components=max(model.components, 2),
                floor=(model.board.floor + 0.5) / model.board.n,
                rho=model.rho,
                theta_0=model.theta_0,
                statistic=model.statistic,
                epsilon=epsilon,
            )
            found = pm.sample_smc(
                draws,
                kernel=kernel,
                model=simulator,
                chains=chains,
                # By itself PyMC leaves half of them idle.
                cores=min(chains, model.workers),
                random_seed=[int(s) for s in rng.integers(2**31, size=chains)],
                progressbar=progressbar and shows_bars_of_others(),
                compute_convergence_checks=False,
            )
    finally:
        logger.setLevel(level)
    drawn = found["posterior"].to_dataset()
    tree = (_of_atoms if model.flexible else _of_parameters)(board, model, drawn, rng)
    found_best = tree["posterior"].to_dataset().assign(theta_sota=drawn["theta_sota"])
    tree["posterior"] = xr.DataTree(found_best)
    tree["sample_stats"] = xr.DataTree(_stages(found, epsilon, drawn["theta_sota"]))
    by_chain = tree["posterior"]["theta_sota"].to_numpy()
    max_rhat = float(agreement(by_chain[None], TAIL).rhat[0])
    unique = float(tree["sample_stats"]["unique"].min())
    converged = max_rhat < MAX_RHAT and unique > MIN_UNIQUE
    if not converged:
        warnings.warn(
            f"LB001 not converged: R-hat of theta_sota is {max_rhat:.3f} (below {MAX_RHAT} is "
            f"good), and {unique:.0%} of the particles differ (above {MIN_UNIQUE:.0%}). Do not "
            "report these numbers: take more draws, a larger epsilon, or sampler='exact'.",
            ConvergenceWarning,
            stacklevel=3,
        )
    tree.attrs |= {"converged": int(converged), "max_rhat": max_rhat}
    return tree


def _of_parameters(
    board: xr.DataArray, model: CountBoard, drawn: xr.Dataset, rng: np.random.Generator
) -> xr.DataTree:
    """Draw teams, given each particle's parameters of P(theta)."""
    shape = drawn.sizes["chain"], drawn.sizes["draw"]
    size = shape[0] * shape[1]
    values = {p.name: drawn[p.name].to_numpy().reshape(size, -1) for p in model.parameters}
    tree = assemble(board, values, model.draw(values, size, rng), shape)
    points = prior.free(model.parameters, values)
    tree["log_prior"] = log_prior(model.parameters, points, shape)
    return tree


def _of_atoms(
    board: xr.DataArray, model: CountBoard, drawn: xr.Dataset, rng: np.random.Generator
) -> xr.DataTree:
    """Draw teams, given each particle's P(theta) that is learnt, by its atoms."""
    scale = scale_of(model)
    edge = scale.cells.edge
    base = _BASE * np.diff(edge) / (edge[-1] - edge[0])
    shape = drawn.sizes["chain"], drawn.sizes["draw"]
    size = shape[0] * shape[1]

    def flat(name: str, otherwise: float = 0.0) -> Floats:
        return (
            drawn[name].to_numpy().reshape(size, -1)
            if name in drawn
            else np.full((size, 1), otherwise)
        )

    # Rho is one of these, or known.
    rhos = flat("rho", 0.0 if hasattr(model.rho, "logpdf") else float(model.rho))[:, 0]
    kept = room(size, len(scale.of))
    points = zip(
        flat("at"),
        flat("weight"),
        flat("concentration")[:, 0],
        rhos,
        flat("ease")[:, 0],
        strict=True,
    )
    for look, (at, weight, alpha, rho, ease) in enumerate(points):
        cell = np.searchsorted(edge, at, side="right") - 1
        # Statistics do not say that there is an atom near every score.
        law = base + np.bincount(cell.clip(0, len(base) - 1), weight, len(base))
        luck = Luck(rho, ease, 0.0, *scale.likelihood(rho, ease))
        keep(scale, law / law.sum(), luck, alpha, rng, kept, look)
    tree = assemble(board, *named(model, kept, rng), shape)
    tree["log_prior"] = xr.DataTree(log_prior_of(tree["posterior"].to_dataset(), model.rho))
    return tree


def _stages(found: xr.DataTree, epsilon: float, best: xr.DataArray) -> xr.Dataset:
    """Epsilon and acceptance of each stage, and how many particles differ in the end.

    Tempering a normal kernel by beta is widening it to epsilon / sqrt(beta).
    """
    stats = found["sample_stats"].to_dataset()
    chains = best.sizes["chain"]

    def ragged(name: str) -> Floats:
        # PyMC gives a list a chain, or an array where all are as long, or of one chain its list.
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
