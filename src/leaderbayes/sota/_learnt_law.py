"""What is kept of draws of a law that is learnt: parameters, thetas, scores."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import xarray as xr
from scipy.stats import norm

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics import flexible_law
from leaderbayes._types import Floats
from leaderbayes.sota import _parameters as prior
from leaderbayes.sota._model import Board
from leaderbayes.sota._model_of_estimates import EstimateBoard
from leaderbayes.sota._scale import Scale


@dataclass(frozen=True)
class Luck:
    """What teams share, and what follows for each score."""

    rho: float
    ease: float
    shift: float  # of the cells
    value: Floats  # as of `Scale.likelihood`
    factor: Floats

    @cached_property
    def log(self) -> Floats:
        """Logarithms of values; most luck that is proposed needs none."""
        with np.errstate(divide="ignore"):
            return np.log(self.value)


def room(points: int, teams: int) -> dict[str, Floats]:
    """Give what all chains are drawn into, (chain x draw, ...)."""
    values = {name: np.empty(points) for name in ("concentration", "rho", "ease")}
    return values | {name: np.empty((points, teams)) for name in ("at", "new", "log_likelihood")}


def keep(
    scale: Scale,
    law: Floats,
    luck: Luck,
    alpha: float,
    rng: np.random.Generator,
    kept: dict[str, Floats],
    look: int,
) -> None:
    """Draw thetas of the teams and of others, given P(theta) (cell,), into place ``look``."""
    at, log = flexible_law.place(scale.cells, luck.value, law, scale.of, rng)
    new = flexible_law.draw(scale.cells, law, len(scale.of), rng)
    kept["concentration"][look] = alpha
    kept["rho"][look], kept["ease"][look] = luck.rho, luck.ease
    kept["at"][look] = scale.theta(at + luck.shift, luck.rho, luck.ease)
    kept["new"][look] = scale.theta(new + luck.shift, luck.rho, luck.ease)
    kept["log_likelihood"][look] = (log + luck.factor)[scale.of]


def named(
    model: Board,
    values: dict[str, Floats],
    rng: np.random.Generator,
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    """Parameters (point, 1), and what follows from them, as the models' `draw` gives it."""
    rho, at = values["rho"], values["at"]
    if not np.isfinite(values["log_likelihood"]).all():
        lost = ~np.isfinite(values["log_likelihood"]).all(axis=0)
        raise LeaderbayesError(
            f"{int(lost.sum())} of the scores are so near the floor, or to 1, that no theta "
            "explains them: give a lower floor, or leave these teams out."
        )
    names = ["concentration"]
    names += ["ease"] if prior.depends(model.rho) else []
    names += ["rho"] if hasattr(model.rho, "logpdf") else []
    score = model.score if isinstance(model, EstimateBoard) else np.asarray
    drawn = {
        "theta": score(at),
        "theta_sota": score(at.max(axis=1)),
        "log_likelihood": values["log_likelihood"],
        "score": model.replicate(at, rho, rng),
        "new_score": _again(model, values["new"], rho, rng),
    }
    return {name: values[name][:, None] for name in names}, drawn


def _again(model: Board, theta: Floats, rho: Floats, rng: np.random.Generator) -> Floats:
    """Scores of other teams, all of them above the floor as those of the board are."""
    if isinstance(model, EstimateBoard):
        return model.replicate(theta, rho, rng)
    board = model.board
    right = rng.binomial(board.n, model.theta_0, size=(len(theta), 1))
    return model.above_floor(lambda where: model.shown(theta, rho, rng, right, where))


def log_prior_of(posterior: xr.Dataset, rho: Any) -> xr.Dataset:
    """Log densities of what has a prior of its own: the law's values have none by themselves."""
    chance = np.log(flexible_law.ALPHAS_PRIOR)
    laws: dict[str, Callable[[Any], Any]] = {
        "concentration": lambda alpha: chance[np.searchsorted(flexible_law.ALPHAS, alpha)],
        "ease": norm.logpdf,
    }
    if hasattr(rho, "logpdf"):
        laws["rho"] = rho.logpdf
    return xr.Dataset(
        {name: (v.dims, laws[name](v)) for name, v in posterior.items() if name in laws}
    )
