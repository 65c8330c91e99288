"""Draw from a model of a board by NUTS: posterior, replicates, log-likelihood, prior."""

import logging
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import xarray as xr

from leaderbayes._files.progress import progress, say, shows_bars_of_others
from leaderbayes._inference.diagnostics import MIN_ESS, careful, diagnose, warn
from leaderbayes._inference.log_likelihood import with_notice
from leaderbayes._inference.replicates import step_of
from leaderbayes._types import Floats

_TUNE = 1000  # steps, by default
# Of which the sign says nothing, in models of mean scores: chains of either have the same scale.
_UNSIGNED = "score_scale_raw"
_GLANCE = 0.1  # seconds between looks whether somebody interrupts
# Boards are drawn by Python code: compiling what leads there takes longer than it saves.
_DRAWING = {"mode": "FAST_COMPILE"}


def until_converged(
    draw: Callable[[int, dict[str, Any], int], xr.DataTree],
    sampling: dict[str, Any],
    sampler: str,
    size: int,
    seeds: tuple[int, int],
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw chains of NUTS and diagnose them, LB001.

    Chains that did not converge are drawn again, once, with a longer tune and shorter steps, where
    that may help and no tune was asked for.

    Parameters
    ----------
    draw : callable
        Of steps of tuning, options of NUTS and a seed: groups ``posterior``, ``sample_stats``.
    sampling : dict
        Arguments of `fit`.
    sampler : str
        By PyMC's name.
    size : int
        Number of parameters.
    seeds : tuple
        Of the first chains and of those drawn again.
    """
    nuts = adaptation(size, sampler, sampling["target_accept"])
    tune = _TUNE if sampling["tune"] is None else sampling["tune"]
    tree = draw(tune, nuts, seeds[0])
    found = _diagnosed(tree)
    enough = sampling["draws"] * sampling["chains"] >= 5 * MIN_ESS
    if not found["converged"] and sampling["tune"] is None and enough:
        tune, nuts = 3 * tune, nuts | {"target_accept": careful(nuts["target_accept"])}
        tree = draw(tune, nuts, seeds[1])
        found = _diagnosed(tree)
    warn(found, sampling["draws"], tune, nuts["target_accept"])
    return tree, found | {"tune": tune, "sampler": sampler}


def sample_density(
    density: Callable[[Any], tuple[float, Floats]],
    expand: Callable[[Any], dict[str, Any]],
    start: Floats,
    shapes: dict[str, tuple[int, ...]],
    sampling: dict[str, Any],
    seeds: tuple[int, int],
    *,
    progressbar: bool,
    failed: str = "",
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw by nutpie from a density's function, and diagnose: nothing is compiled again.

    Parameters
    ----------
    density, expand : callable
        Of coordinates: log-density and its gradient; what they stand for, by name.
    start : (coordinate,)
        Near the highest density.
    shapes : dict
        Of what ``expand`` gives.
    sampling, seeds
        As for `until_converged`.
    failed : str
        Why proposals of a Laplace approximation did not do, where they were tried: said before, and
        the attribute ``why_nuts``.
    """
    why = {"why_nuts": failed} if failed else {}
    say(progressbar and bool(why), f"NUTS takes over from Laplace's proposals: {failed}.")
    import nutpie

    def named(x: Any) -> dict[str, Any]:
        found = expand(x)
        return {name: np.asarray(found[name]) for name in shapes}

    model = nutpie.compiled_pyfunc.from_pyfunc(
        start.size,
        lambda: density,
        lambda *_: named,
        [np.dtype("float64")] * len(shapes),
        list(shapes.values()),
        list(shapes),
        make_initial_point_fn=lambda seed: (
            start + 0.1 * np.random.default_rng(seed).standard_normal(start.size)
        ),
    )

    def draw(tune: int, nuts: dict[str, Any], seed: int) -> xr.DataTree:
        running = nutpie.sample(
            model,
            draws=sampling["draws"],
            tune=max(tune, 1),  # it stops at none
            chains=sampling["chains"],
            # Python calls the function: one thread at a time.
            cores=1,
            seed=seed,
            save_warmup=False,
            progress_bar=progressbar,
            blocking=False,
            **nuts,
        )
        try:
            return _ended(running)
        except BaseException:
            # nutpie's own waiting takes an interrupt for a wish to have what there is.
            running.cancel()
            raise

    tree, found = until_converged(draw, sampling, "nutpie", start.size, seeds)
    return tree, found | why


def _ended(running: Any) -> xr.DataTree:
    """Wait for nutpie's chains, and for who interrupts them."""
    while True:
        try:
            tree: xr.DataTree = running.wait(timeout=_GLANCE)
        except TimeoutError:
            continue
        return tree


def sample(
    model: Any, arguments: dict[str, Any], seed: int, *, prior: bool, progressbar: bool
) -> tuple[xr.DataTree, dict[str, Any]]:
    """Draw every group of `fit` from a PyMC model, and diagnose."""
    import pymc as pm

    # One independent stream for each of: posterior, predictive, prior, posterior again.
    streams = [int(s) for s in np.random.SeedSequence(seed).generate_state(4)]
    sampler = arguments["sampler"]
    size = sum(np.size(value) for value in model.initial_point().values())

    shown = progressbar and shows_bars_of_others()

    def draw(tune: int, nuts: dict[str, Any], seed: int) -> xr.DataTree:
        steps = arguments["chains"] * (tune + arguments["draws"])
        own = progressbar and not shown and sampler == "pymc"
        with progress(own, "Steps") as advance, _heeding_interrupts():
            tree: xr.DataTree = pm.sample(
                draws=arguments["draws"],
                tune=tune,
                chains=arguments["chains"],
                nuts_sampler=sampler,
                nuts=nuts,
                random_seed=seed,
                progressbar=shown,
                callback=(lambda trace, draw: advance(1, steps)) if own else None,
                compute_convergence_checks=False,
            )
        if _UNSIGNED in tree["posterior"]:
            tree["posterior"][_UNSIGNED] = abs(tree["posterior"][_UNSIGNED])
        return tree

    with model, _quiet():
        tree, found = until_converged(draw, arguments, sampler, size, (streams[0], streams[3]))
        pm.compute_log_likelihood(tree, progressbar=False)
        if "weight" in model.named_vars:
            tree["log_likelihood"] = xr.DataTree(with_notice(tree["log_likelihood"].to_dataset()))
        pm.stats.compute_log_prior(tree, var_names=_chosen(model), progressbar=False)
        replicates = pm.sample_posterior_predictive(
            _thin(tree, arguments["replicates"]),
            random_seed=streams[1],
            progressbar=False,
            extend_inferencedata=False,
            compile_kwargs=_DRAWING,
        )
        tree["posterior_predictive"] = replicates["posterior_predictive"]
        if prior:
            groups = pm.sample_prior_predictive(
                arguments["draws"], random_seed=streams[2], compile_kwargs=_DRAWING
            )
            tree.update(groups)
    return tree, found


def _diagnosed(tree: xr.DataTree) -> dict[str, float | int]:
    """Diagnose chains of NUTS."""
    divergences = int(tree["sample_stats"]["diverging"].sum())
    return diagnose(tree["posterior"].to_dataset(), divergences)


@contextmanager
def _heeding_interrupts() -> Iterator[None]:
    """Let an interrupt end it: PyMC's samplers take it for a wish to have what draws there are."""
    before, asked = signal.getsignal(signal.SIGINT), []
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return

    def heed(number: int, frame: Any) -> None:
        asked.append(number)
        before(number, frame)

    signal.signal(signal.SIGINT, heed)
    try:
        yield
    except Exception as problem:
        if asked:
            raise KeyboardInterrupt from problem
        raise
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep PyMC from announcing its samplers: the progress bar says enough."""
    import pymc  # noqa: F401  its import sets the level

    logger = logging.getLogger("pymc")
    level = logger.level
    try:
        logger.setLevel(logging.ERROR)
        yield
    finally:
        logger.setLevel(level)


def adaptation(size: int, sampler: str, target_accept: float | None = None) -> dict[str, Any]:
    """Choose options of NUTS by the number of parameters.

    Players that split into groups are correlated, so a low-rank mass matrix pays; its cost grows
    with the cube of the parameters, and beyond 150 it is more than it saves.
    """
    small = size <= 150
    # Short steps cost little on small boards, and keep nearly equal players free of divergences.
    default = 0.97 if small else 0.9
    nuts: dict[str, Any] = {"target_accept": default if target_accept is None else target_accept}
    if sampler == "nutpie":
        nuts["adaptation"] = "low_rank" if small else "diag"
    return nuts


def _chosen(model: Any) -> list[str]:
    """Name the variables whose priors options set, for ``az.psense``.

    Laws given these are part of the model, and their densities another for each centring: with them
    the sensitivity of one posterior would be 0.10 or 0.40 as its players are sampled.
    """
    return [rv.name for rv in model.free_RVs if not rv.name.endswith("_unit")]


def _thin(tree: xr.DataTree, replicates: int | None) -> xr.DataTree:
    """Take the draws that get replicates: fewer where that, or memory, asks for it."""
    posterior = tree["posterior"].to_dataset()
    size = sum(int(observed.size) for observed in tree["observed_data"].to_dataset().values())
    shape = posterior.sizes["chain"], posterior.sizes["draw"]
    step = step_of(shape, size, replicates)
    return xr.DataTree.from_dict({"posterior": posterior.isel(draw=slice(None, None, step))})
