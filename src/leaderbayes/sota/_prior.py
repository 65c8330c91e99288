"""What a board's model believes before it has seen the scores: the prior, and boards of it."""

from collections.abc import Callable
from functools import partial

import numpy as np
import xarray as xr

from leaderbayes._numerics import flexible_law
from leaderbayes._types import Bools, Floats
from leaderbayes.sota import _parameters as prior
from leaderbayes.sota._model_of_counts import CountBoard
from leaderbayes.sota._model_of_estimates import EstimateBoard
from leaderbayes.sota._scale import scale_of

_TRIALS = 30  # of classifiers that must lie above the floor


def prior_groups(
    board: xr.DataArray, model: CountBoard | EstimateBoard, draws: int, rng: np.random.Generator
) -> dict[str, xr.Dataset]:
    """Draw the groups ``prior`` and ``prior_predictive`` of `posterior`, in one chain."""
    values = prior.random(model.parameters, draws, rng)
    rho, ease = prior.rho_and_ease(values, model.rho, draws)
    if model.flexible:
        values = {name: values[name] for name in ("ease", "rho") if name in values}
        alphas, chance = flexible_law.ALPHAS, flexible_law.ALPHAS_PRIOR
        values["concentration"] = rng.choice(alphas, (draws, 1), p=chance)
        law = _learnt(model, values["concentration"][:, 0], rho, ease, rng)
    else:
        law = partial(model.thetas, values, draws, rng)
    theta = law()
    score = _scores(model, theta, rho, ease, rng)
    for _ in range(_TRIALS):
        low = _below(model, score)
        if not low.any():
            break
        again = law()
        theta = np.where(low, again, theta)
        score = np.where(low, _scores(model, again, rho, ease, rng), score)
    best = theta.max(axis=1)
    values["theta_sota"] = model.score(best)[:, None]
    return {
        "prior": xr.Dataset({name: _parameter(value) for name, value in values.items()}),
        "prior_predictive": xr.Dataset(
            {"score": (("chain", "draw", "team"), model.score(score)[None])},
            coords={"team": board["team"].to_numpy()},
        ),
    }


def _learnt(
    model: CountBoard | EstimateBoard,
    alpha: Floats,
    rho: Floats,
    ease: Floats,
    rng: np.random.Generator,
) -> Callable[[], Floats]:
    """Draw laws from the Dirichlet process; give what draws teams from each, (point, team)."""
    scale = scale_of(model)
    given, m = scale.cells, len(scale.of)
    share = np.diff(given.edge) / (given.edge[-1] - given.edge[0])
    # Not of gamma numbers: those of so small shapes may all be 0.
    weight = [rng.dirichlet(one * share) for one in alpha]
    shift = np.zeros(len(alpha))
    if not prior.depends(model.rho):
        shift = rng.uniform(-given.furthest, given.furthest, len(alpha))

    def thetas() -> Floats:
        at = (flexible_law.draw(given, weight[i], m, rng) + shift[i] for i in range(len(alpha)))
        return np.array([scale.theta(a, rho[i], ease[i]) for i, a in enumerate(at)])

    return thetas


def _below(model: CountBoard | EstimateBoard, score: Floats) -> Bools:
    """Whether scores are not above the board's floor."""
    if isinstance(model, EstimateBoard):
        return np.zeros(score.shape, bool)
    return np.asarray(np.round(score * model.board.n) <= model.board.floor)


def _scores(
    model: CountBoard | EstimateBoard,
    theta: Floats,
    rho: Floats,
    ease: Floats,
    rng: np.random.Generator,
) -> Floats:
    """Scores on the test set whose luck ``ease`` is, (point, team)."""
    if isinstance(model, EstimateBoard):
        own = np.sqrt(1.0 - rho[:, None] ** 2) * rng.standard_normal(theta.shape)
        return theta + model.se * (rho[:, None] * ease[:, None] + own)
    n, theta_0 = model.board.n, model.theta_0
    right = np.round(n * theta_0 + ease * np.sqrt(n * theta_0 * (1.0 - theta_0)))
    right = np.clip(right, 0, n).astype(np.int64)
    return model.shown(theta, rho, rng, right[:, None])


def _parameter(value: Floats) -> xr.Variable:
    """One chain of values (draw, component)."""
    if value.shape[1] == 1:
        return xr.Variable(("chain", "draw"), value[None, :, 0])
    return xr.Variable(("chain", "draw", "component"), value[None])
