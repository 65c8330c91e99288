"""Draws from the posterior under a law of thetas that is learnt: Gibbs' sampler, in chains."""

import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import expit, logit

from leaderbayes._errors import ConvergenceWarning
from leaderbayes._inference.diagnostics import TAIL
from leaderbayes._numerics import flexible_law
from leaderbayes._numerics.chains import agreement
from leaderbayes._types import Floats
from leaderbayes.sota import _parameters as prior
from leaderbayes.sota._assemble import FEWEST, assemble, joined
from leaderbayes.sota._learnt_law import Luck, keep, log_prior_of, named, room
from leaderbayes.sota._model import Board, Part
from leaderbayes.sota._scale import Scale, scale_of

MAX_RHAT = 1.05
MIN_ESS = 100.0  # of the best theta, of 500 draws or more
_WARMUP = 60  # looks before the first draw
_SWEEPS = 3  # before the luck is moved
_MOVES = (3, 15)  # of the luck between two looks; if chains do not agree, once more with so many
_STEP = 0.5  # of rho in log-odds, and of the luck
_NEAR = 0.1  # of the furthest that cells are shifted
_MOST_RHO = 0.999


def gibbs(parts: Sequence[Part], chains: int, rng: np.random.Generator) -> xr.DataTree:
    """Draw P(theta), the test set's luck, and everybody's theta, of each n by itself."""
    scales = [scale_of(part.model) for part in parts]
    kept = [
        room(chains * part.draws, len(scale.of)) for part, scale in zip(parts, scales, strict=True)
    ]
    for moves in _MOVES:
        for part, scale, values in zip(parts, scales, kept, strict=True):
            _walks(scale, part.model, moves, rng.spawn(chains), values)
        found = _diagnose([values["at"].max(axis=1).reshape(chains, -1) for values in kept])
        if found["converged"]:
            break
    else:
        _doubt(found, sum(values["at"].shape[0] for values in kept))
    trees = []
    for (board, model, draws), values in zip(parts, kept, strict=True):
        tree = assemble(board, *named(model, values, rng), (chains, draws))
        tree["log_prior"] = xr.DataTree(log_prior_of(tree["posterior"].to_dataset(), model.rho))
        trees.append(tree)
    tree = joined(trees)
    tree.attrs |= found
    return tree


def _walks(
    scale: Scale,
    model: Board,
    moves: int,
    walkers: list[np.random.Generator],
    values: dict[str, Floats],
) -> None:
    """Draw all chains into values (chain x draw, ...), one chain behind the other."""
    parts = [np.array_split(value, len(walkers)) for value in values.values()]
    kept = [dict(zip(values, part, strict=True)) for part in zip(*parts, strict=True)]

    def walk(own: np.random.Generator, kept: dict[str, Floats]) -> None:
        _walk(scale, model.rho, moves, own, kept)

    workers = min(model.workers, len(walkers))
    if workers > 1:  # kernels let go of Python's lock
        with ThreadPoolExecutor(workers) as threads:
            list(threads.map(walk, walkers, kept))
    else:
        list(map(walk, walkers, kept))


def _walk(
    scale: Scale, rho: Any, moves: int, rng: np.random.Generator, kept: dict[str, Floats]
) -> None:
    """Draw one chain: parameters (draw,), thetas of teams and of others (draw, team)."""
    given = scale.cells
    # Chains begin where teams differ.
    law, alpha = flexible_law.start(given, rng), float(rng.choice(flexible_law.ALPHAS[1:]))
    shared = float(rho.rvs(random_state=rng)) if hasattr(rho, "logpdf") else float(rho)
    ease = rng.standard_normal() if prior.depends(rho) else 0.0
    luck = Luck(shared, ease, 0.0, *scale.likelihood(shared, ease, 0.0))
    for look in range(-_WARMUP, len(kept["rho"])):
        for _ in range(moves):
            alpha = flexible_law.sweep(
                given, luck.value, luck.log, scale.times, law, alpha, _SWEEPS, rng
            )
            luck = _move(scale, law, luck, rho, rng)
        flexible_law.share_out(given, luck.value, scale.times, law, alpha, rng)
        if look < 0:
            continue
        keep(scale, law, luck, alpha, rng, kept, look)


def _move(scale: Scale, law: Floats, luck: Luck, rho: Any, rng: np.random.Generator) -> Luck:
    """Move the luck and how much of it is shared, or the cells, by Metropolis' rule, thetas out."""

    def total(luck: Luck) -> float:
        sums = flexible_law.log_sums(scale.cells, luck.value, law)
        return float(scale.times @ (sums + luck.factor))

    here = total(luck)

    def moved(now: Luck, shared: float, ease: float, shift: float, gain: float) -> Luck:
        nonlocal here
        then = Luck(shared, ease, shift, *scale.likelihood(shared, ease, shift))
        there = total(then)
        if not np.log(rng.random()) < there - here + gain:
            return now
        here = there
        return then

    if not prior.depends(rho):
        # A value that many share is known better than to a cell: cells move by themselves.
        furthest = scale.cells.furthest
        luck = moved(luck, luck.rho, 0.0, rng.uniform(-furthest, furthest), 0.0)
        near = luck.shift + _NEAR * furthest * rng.standard_normal()
        return moved(luck, luck.rho, 0.0, near, 0.0) if abs(near) < furthest else luck
    # The scale moves with the luck, of which the board therefore hardly knows anything: its own
    # law is where to propose from.
    luck = moved(luck, luck.rho, rng.standard_normal(), 0.0, 0.0)
    # The law comes to fit the luck that it is drawn with; small steps leave where that is rare.
    near = luck.ease + _STEP * rng.standard_normal()
    luck = moved(luck, luck.rho, near, 0.0, 0.5 * (luck.ease**2 - near**2))
    if hasattr(rho, "logpdf"):
        shared = float(expit(logit(luck.rho) + _STEP * rng.standard_normal()))
        if 0.0 < shared < _MOST_RHO:
            gain = _log_rho(rho, shared) - _log_rho(rho, luck.rho)
            luck = moved(luck, shared, luck.ease, 0.0, gain)
    return luck


def _log_rho(rho: Any, value: float) -> float:
    """Log prior of rho as log-odds."""
    return float(rho.logpdf(value) + np.log(value) + np.log1p(-value))


def _diagnose(parts: Sequence[Floats]) -> dict[str, Any]:
    """Say whether the chains agree on the best theta, (chain, draw), but for what n makes of it."""
    best = np.hstack([_standard(part) for part in parts]) if len(parts) > 1 else parts[0]
    found = agreement(best[None], TAIL)
    # An interval's ends are of no more draws than there are, however evenly these fall.
    max_rhat, ess = float(found.rhat[0]), min(float(found.bulk[0]), float(best.size))
    agreed = max_rhat < MAX_RHAT and ess > _enough(best.size)
    return {"converged": int(agreed), "max_rhat": max_rhat, "ess": ess}


def _enough(draws: int) -> float:
    """Give the effective sample size of the best theta that so many draws must be worth."""
    return float(np.clip(draws / 5.0, FEWEST, MIN_ESS))


def _standard(best: Floats) -> Floats:
    """Take its n from the best theta: half a chain is of small ones, and half of large ones."""
    return np.asarray((best - best.mean()) / max(float(best.std()), 1e-12))


def _doubt(found: dict[str, Any], draws: int) -> None:
    warnings.warn(
        f"LB001 not converged: R-hat of theta_sota is {found['max_rhat']:.3f} (below {MAX_RHAT} is "
        f"good), and its {draws} draws are worth {found['ess']:.0f} (above {_enough(draws):.0f} is "
        "good). Do not report these numbers: take more draws, such as draws=2000 (--draws 2000), "
        "in several chains.",
        ConvergenceWarning,
        stacklevel=4,
    )
