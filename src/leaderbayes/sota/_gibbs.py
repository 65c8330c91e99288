"""Gibbs sampler of the posterior under the flexible distribution."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import xarray as xr
from scipy.special import expit, logit

from leaderbayes._errors import LeaderbayesError
from leaderbayes._files.progress import progress
from leaderbayes._numerics import flexible_law
from leaderbayes._numerics.board_scale import Luck, Scale, place
from leaderbayes._numerics.workers import workers_of
from leaderbayes._types import Floats

_WARMUP = 60  # looks before the first draw
_SWEEPS = 3  # before the luck is moved
_STEP = 0.5  # of rho in log-odds, and of the luck
_NEAR = 0.1  # of the furthest that cells are shifted
_MOST_RHO = 0.999


def gibbs(
    scale: Scale, draws: int, chains: int, moves: int, rng: np.random.Generator,
    *, progressbar: bool = False,
) -> tuple[xr.Dataset, dict[str, Floats]]:  # fmt: skip
    """Draw P(theta), the luck of the test set, and the theta of every team.

    Returns parameters (chain, draw), and what `complete` adds to other posteriors, (chain x draw,
    ...). moves: of the luck between two draws.
    """

    def walk(own: np.random.Generator) -> dict[str, Floats]:
        return _walk(scale, draws, moves, own, lambda: advance(1, chains * (_WARMUP + draws)))

    threads = ThreadPoolExecutor(min(workers_of(None), chains))  # kernels free Python's lock
    with threads, progress(progressbar, "Sampling", after=2.0) as advance:
        walks = list(threads.map(walk, rng.spawn(chains)))
    kept = {name: np.concatenate([each[name] for each in walks]) for name in walks[0]}
    if not np.isfinite(kept["log_likelihood"]).all():
        lost = ~np.isfinite(kept["log_likelihood"]).all(axis=0)
        raise LeaderbayesError(
            f"{int(lost.sum())} scores are so near chance, or 1, that no theta explains them: set "
            "a lower chance, or exclude these teams."
        )
    names = ["concentration"]
    names += ["ease"] if hasattr(scale.rho, "logpdf") or scale.rho else []
    names += ["rho"] if hasattr(scale.rho, "logpdf") else []
    parameters = xr.Dataset(
        {name: (("chain", "draw"), kept[name].reshape(chains, draws)) for name in names},
        {"chain": np.arange(chains), "draw": np.arange(draws)},
    )
    at, rho = kept["at"], kept["rho"]
    return parameters, {
        "theta": scale.score(at),
        "theta_sota": scale.score(at.max(axis=1)),
        "log_likelihood": kept["log_likelihood"],
        "score": scale.replicate(at, rho, rng),
        "new_score": scale.replicate(kept["new"], rho, rng, above=True),
    }


def _walk(
    scale: Scale, draws: int, moves: int, rng: np.random.Generator, advance: Callable[[], None]
) -> dict[str, Floats]:
    """Draw one chain: parameters (draw,), thetas of teams and of others (draw, team)."""
    given, rho, many = scale.cells, scale.rho, len(scale.of)
    kept = {name: np.empty(draws) for name in ("concentration", "rho", "ease")}
    kept |= {name: np.empty((draws, many)) for name in ("at", "new", "log_likelihood")}
    # Chains begin where teams differ.
    law, alpha = flexible_law.start(given, rng), float(rng.choice(flexible_law.ALPHAS[1:]))
    shared = float(rho.rvs(random_state=rng)) if hasattr(rho, "logpdf") else float(rho)
    luck, last = scale.luck(shared, rng.standard_normal() if shared else 0.0), None
    furthest = 0.5 * float(np.median(np.diff(given.edge)))  # that cells are shifted: half a cell
    for look in range(-_WARMUP, draws):
        advance()
        for _ in range(moves):
            if luck is not last:
                with np.errstate(divide="ignore"):
                    last, log = luck, np.log(luck.value)
            alpha = flexible_law.sweep(
                given, luck.value, log, scale.times, law, alpha, _SWEEPS, rng
            )
            luck = _move(scale, law, luck, furthest, rng)
        flexible_law.share_out(given, luck.value, scale.times, law, alpha, rng)
        if look < 0:
            continue
        kept["concentration"][look] = alpha
        kept["rho"][look], kept["ease"][look] = luck.rho, luck.ease
        placed = place(scale, law, luck, rng)
        for name, values in placed._asdict().items():
            kept[name][look] = values
    return kept


def _move(scale: Scale, law: Floats, luck: Luck, furthest: float, rng: np.random.Generator) -> Luck:
    """Move luck and correlation, or the cells, by Metropolis steps with thetas integrated out."""

    def total(luck: Luck) -> float:
        sums = flexible_law.log_sums(scale.cells, luck.value, law)
        return float(scale.times @ (sums + luck.factor))

    here = total(luck)

    def moved(now: Luck, rho: float, ease: float, shift: float, gain: float) -> Luck:
        nonlocal here
        then = scale.luck(rho, ease, shift)
        there = total(then)
        if not np.log(rng.random()) < there - here + gain:
            return now
        here = there
        return then

    prior = scale.rho if hasattr(scale.rho, "logpdf") else None
    if prior is None and not scale.rho:
        # A value that many share is known better than to a cell: cells move by themselves.
        luck = moved(luck, 0.0, 0.0, rng.uniform(-furthest, furthest), 0.0)
        near = luck.shift + _NEAR * furthest * rng.standard_normal()
        return moved(luck, 0.0, 0.0, near, 0.0) if abs(near) < furthest else luck
    # The scale moves with the luck, of which the board therefore hardly knows anything: its own
    # distribution is where to propose from.
    luck = moved(luck, luck.rho, rng.standard_normal(), 0.0, 0.0)
    # P(theta) comes to fit the luck that it is drawn with; small steps leave where that is rare.
    near = luck.ease + _STEP * rng.standard_normal()
    luck = moved(luck, luck.rho, near, 0.0, 0.5 * (luck.ease**2 - near**2))
    if prior is not None:
        shared = float(expit(logit(luck.rho) + _STEP * rng.standard_normal()))
        if 0.0 < shared < _MOST_RHO:
            gain = _log_rho(prior, shared) - _log_rho(prior, luck.rho)
            luck = moved(luck, shared, luck.ease, 0.0, gain)
    return luck


def _log_rho(prior: Any, value: float) -> float:
    """Return the log prior of the log-odds of rho."""
    return float(prior.logpdf(value) + np.log(value) + np.log1p(-value))
