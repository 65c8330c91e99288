"""Posterior of the best theta of a board, by likelihood or by simulation."""

import warnings
from typing import Any, Literal

import numpy as np
import pandas as pd
import xarray as xr
from scipy.stats import binom

from leaderbayes import _arguments
from leaderbayes._answers.check import check
from leaderbayes._arguments import one_of, positive, whole
from leaderbayes._errors import LeaderbayesError, LeaderbayesWarning, warn
from leaderbayes._inference.fit import repeated, versions, written
from leaderbayes._inference.nuts import draw_nuts
from leaderbayes._numerics.board_scale import Scale
from leaderbayes._scores.facts import own_rho
from leaderbayes._types import Floats
from leaderbayes.models._sota import sota
from leaderbayes.models._sota_completed import board_of, complete, with_draws
from leaderbayes.models._theta import constants_of, scale_of
from leaderbayes.sota._gibbs import gibbs

MAX_RHAT = 1.05  # of the best theta
MIN_ESS = 80.0  # with fewer its interval is too narrow by a twentieth, and by up to three tenths
MIN_UNIQUE = 0.3
_MOVES = (3, 15)  # of Gibbs' sampler between two draws; the second where chains do not agree


def posterior(
    board: xr.DataArray,
    *,
    law: Literal["flexible", "beta"] = "flexible",
    sampler: Literal["exact", "abc-smc"] = "exact",
    rho: Any = None,
    theta_0: float | None = None,
    statistic: Literal["board", "maximum"] = "board",
    epsilon: float = 0.5,
    draws: int = 250,
    chains: int = 4,
    seed: int | None = None,
    progressbar: bool = True,
) -> xr.DataTree:
    r"""Return the posterior of the best theta on a board, and of the theta of every team.

    .. math:: \theta_j \sim P(\theta), \quad \theta_{SOTA} = \max_j \theta_j, \quad
              X_j \mid \theta_j \sim \mathrm{Bin}(n, \theta_j)

    with Boland's dependence, as in `maximum`: all teams share the luck of the test set. AUCs (on
    the probit scale) and scores with standard errors are normal given their thetas.

    Parameters
    ----------
    board : DataArray (team)
        From `read_board` or `read_answers`. Accuracies at or below chance are excluded.
    law : {"flexible", "beta"}
        P(theta): learnt from the board (a Dirichlet process), or a beta (or normal) distribution.
    sampler : {"exact", "abc-smc"}
        Sample the likelihood, or simulate boards (sequential Monte Carlo; accuracies only).
    rho : float or (float, float), optional
        Dependence, known or with mean and standard deviation of its beta prior; by default the
        board's own, else 0. For AUCs as for `maximum`.
    theta_0 : float, optional
        P(the reference is right); by default the best score, which matters little.
    statistic, epsilon
        For "abc-smc", as for `leaderbayes.models.sota`.
    draws, chains : int
        Draws kept per chain, number of chains.
    seed : int, optional
        Same seed, versions and machine: same numbers. None draws one and records it.
    progressbar : bool
        Show the sampler's progress on standard error.

    Returns
    -------
    DataTree
        ``posterior``: ``theta_sota``, ``theta`` (team), parameters of P(theta), ``ease`` of the
        test set. ``posterior_predictive``: ``score`` (team) on another test set, ``new_score`` of
        other teams. attrs: ``converged``, ``max_rhat``, ``min_ess``, ``sampler``, ``warnings``, ...

    Warns
    -----
    LeaderbayesWarning
        If the chains did not converge (LB001), or the model does not describe the board (LB016).

    References
    ----------
    Møllersen, Holsbø (2025), Accounting for multiplicity in machine learning benchmark
    performance, sections 5.3.2 and 4.2.

    Examples
    --------
    >>> import leaderbayes as lb
    >>> scores = [0.93, 0.92, 0.92, 0.91, 0.91, 0.9, 0.89, 0.89, 0.88, 0.88, 0.87, 0.85]
    >>> dt = lb.sota.posterior(lb.sota.read_board(scores, n=200), seed=1)
    >>> round(float(dt.posterior["theta_sota"].mean()), 2)
    0.91
    """
    one_of("sampler", sampler, "exact", "abc-smc")
    one_of("law", law, "flexible", "beta")
    draws, chains = whole("draws", draws), whole("chains", chains)
    epsilon, seed = positive("epsilon", epsilon), _arguments.seed_or_new(seed)
    rho = own_rho(board) if rho is None else rho
    if sampler == "exact" and statistic != "board":
        raise LeaderbayesError(
            "statistic='maximum' needs sampler='abc-smc': the likelihood uses the whole board."
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", LeaderbayesWarning)
        by_gibbs = law == "flexible" and sampler == "exact"
        kept, scale = scale_of(board, rho, theta_0)
        drawn: dict[str, Floats] = {}
        if by_gibbs:
            rng = np.random.default_rng(seed)
            parameters, drawn = _by_gibbs(scale, draws, chains, rng, progressbar=progressbar)
        else:
            near = epsilon if sampler == "abc-smc" else None
            model = sota(
                board, law=law, rho=rho, theta_0=theta_0, statistic=statistic, epsilon=near
            )
            parameters = _by_pymc(model, near, draws, chains, seed, progressbar=progressbar)
        groups = {"posterior": parameters, "observed_data": xr.Dataset({"score": kept})}
        tree = xr.DataTree.from_dict(groups | {"constant_data": constants_of(kept, scale, rho)})
        if by_gibbs:
            tree = with_draws(tree, drawn, kept)
        else:
            tree = complete(tree, seed=seed, likelihood=True)
        if by_gibbs or sampler == "abc-smc":
            found = _diagnosed(tree["posterior"]["theta_sota"].to_numpy(), sampler)
        else:
            found = _worst(tree["posterior"].to_dataset())
        _doubt(found, draws * chains)
        arguments = {
            "law": law, "rho": rho, "theta_0": theta_0, "statistic": statistic,
            "epsilon": epsilon, "draws": draws, "chains": chains,
        }  # fmt: skip
        tree.attrs = {
            "model": "sota",
            "sampler": "gibbs" if by_gibbs else "nutpie" if sampler == "exact" else sampler,
            "arguments": written(arguments),
            "versions": versions(),
            "seed": seed,
            **found,
        }
        question(tree, flexible=law == "flexible")
    tree.attrs["warnings"] = repeated(caught)
    return tree


def _by_gibbs(
    scale: Scale, draws: int, chains: int, rng: np.random.Generator, *, progressbar: bool
) -> tuple[xr.Dataset, dict[str, Floats]]:
    """Draw parameters and teams by Gibbs sampling, longer if necessary."""
    for moves in _MOVES:
        parameters, drawn = gibbs(scale, draws, chains, moves, rng, progressbar=progressbar)
        if _diagnosed(drawn["theta_sota"].reshape(chains, draws))["converged"]:
            break
    return parameters, drawn


def _by_pymc(
    model: Any, epsilon: float | None, draws: int, chains: int, seed: int, *, progressbar: bool
) -> xr.Dataset:
    """Draw parameters (and thetas) by NUTS or by simulated boards."""
    # Chains that do not agree on a parameter are drawn once more, four times longer.
    for times in (1, 4):
        if epsilon is None:
            tree, _ = draw_nuts(
                model, "nutpie", chains, times * draws, seed, progressbar=progressbar
            )
            found = tree["posterior"].to_dataset().isel(draw=slice(None, None, times))
            agreed = _worst(found)
        else:
            from leaderbayes.sota._abc import abc

            found = abc(model, draws, chains, times, seed, progressbar=progressbar)
            agreed = _diagnosed(found["theta_sota"].to_numpy(), "abc-smc")
        if agreed["converged"]:
            break
    own = [name for name in found if not str(name).endswith("_unit")]
    return found[own].drop_attrs()


def _worst(drawn: xr.Dataset) -> dict[str, Any]:
    """Return `_diagnosed` for the parameter on which chains agree least."""
    scalars = [str(name) for name in drawn if drawn[name].dims == ("chain", "draw")]
    each = {name: _diagnosed(drawn[name].to_numpy()) for name in scalars}
    worst = max(each.values(), key=lambda one: np.nan_to_num(one["max_rhat"]))
    return worst if worst["max_rhat"] >= MAX_RHAT else each.get("theta_sota", worst)


def _diagnosed(best: Floats, sampler: str = "exact") -> dict[str, Any]:
    """Diagnose chains (chain, draw) of a parameter."""
    from arviz_stats.base import array_stats

    several = len(best) > 1 and best.shape[1] > 3
    found = {
        "max_rhat": float(array_stats.rhat(best)) if several else np.nan,
        # An interval's ends are of no more draws than there are, however evenly these fall.
        "min_ess": min(
            float(array_stats.ess(best)) if best.shape[1] > 3 else 0.0, float(best.size)
        ),
    }
    agreed = not found["max_rhat"] >= MAX_RHAT and found["min_ess"] > MIN_ESS
    if sampler == "abc-smc":
        found["unique"] = min(len(np.unique(row)) / row.size for row in best)
        agreed &= found["unique"] > MIN_UNIQUE
    return {"converged": int(agreed), **found}


def _doubt(found: dict[str, Any], draws: int) -> None:
    """Warn if chains did not converge."""
    if found["converged"]:
        return
    other = " or sampler='exact'" if "unique" in found else ""
    warn(
        f"LB001 The chains did not converge: R-hat {found['max_rhat']:.3f} (should be below "
        f"{MAX_RHAT}), effective sample size {found['min_ess']:.0f} (above {MIN_ESS:.0f}). Do not "
        f"report these numbers; fit with draws={max(2000, 2 * draws)}{other}.",
    )


_MISFIT = 0.005  # p-value of a statistic of the board, below which the model is called in question
# Boards of the model: fewer all lie on one side of a board of the same model more often than that.
_FEWEST = round(2.0 / _MISFIT)


def question(tree: xr.DataTree, *, flexible: bool) -> None:
    """Warn (LB016) if the model does not describe the board."""
    boards = tree["posterior_predictive"].sizes
    compared = check(tree, seed=0).to_dataframe()
    remedies = [] if flexible else ["law='flexible'"]
    if boards["chain"] * boards["draw"] >= _FEWEST and compared["p_value"].min() < _MISFIT:
        _warn(_misfit(compared), remedies)
    if low := _low(tree):
        _warn(low, [*remedies, *(["a lower rho"] if "ease" in tree["posterior"] else [])])


def _warn(fact: str, remedies: list[str]) -> None:
    fit = f"Fit {' or '.join(remedies)}" if remedies else "Look for copies of one submission"
    warn(f"LB016 {fact}. {fit} (see leaderbayes.check).")


def _misfit(compared: pd.DataFrame) -> str:
    """Describe how boards of the model differ from this one."""
    first = compared[compared["p_value"] < _MISFIT].iloc[0]
    observed, *ends = (float(first[name]) for name in ("observed", "lower", "upper"))
    for digits in range(4, 17):  # as many as distinguish them
        seen, low, high = (f"{value:.{digits}g}" for value in (observed, *ends))
        if seen not in (low, high) or observed in ends:
            break
    boards = f"{low} to {high}" if low != high else f"nearly always {low}"
    return (
        f"The model does not describe the board: its {first.name} is {seen}, but on boards of the "
        f"model {boards}"
    )


def _low(tree: xr.DataTree) -> str:
    """Report if the best theta is below the median score."""
    board, best = board_of(tree), tree["posterior"]["theta_sota"]
    # If a few teams' scores are mostly luck, the best team is about as good as the middle one.
    highest, median = float(best.mean() + best.std()), float(board.median())
    if board.attrs["metric"] == "accuracy":  # next to 1 the median score of a theta is 1
        n = int(board.attrs["n"])
        highest = max(float(binom.median(n, min(highest, 1.0))) / n, highest)
    if highest >= median:
        return ""
    return (
        f"The model does not describe the board: its best is {float(best.mean()):.4g}, below the "
        f"median score, {median:.4g}"
    )
