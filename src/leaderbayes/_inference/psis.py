"""Pareto-smoothed importance sampling, and when it can be trusted."""

from typing import NamedTuple

import numpy as np

from leaderbayes._errors import LeaderbayesError
from leaderbayes._numerics.pareto import smooth_tail
from leaderbayes._types import Floats

MAX_PARETO_K = 0.7
MIN_ESS = 400.0


class Smoothed(NamedTuple):
    """Weights of draws from another distribution, and what they are worth."""

    weight: Floats  # (draw,), sum to 1
    pareto_k: float
    ess: float

    def __str__(self) -> str:
        return (
            f"have Pareto k {self.pareto_k:.2f} (below {MAX_PARETO_K} is good) and are worth "
            f"{self.ess:.0f} draws (above {MIN_ESS:.0f})"
        )

    def reliable(self, draws: int) -> bool:
        """Say whether so many draws can be taken by these weights."""
        return self.pareto_k < MAX_PARETO_K and self.ess > min(MIN_ESS, draws / 4.0)


def smooth(log_weight: Floats) -> Smoothed:
    """Replace the heaviest weights (draw,) by what their tail says they should be."""
    size = len(log_weight)
    if np.ptp(log_weight) == 0.0:
        return Smoothed(np.full(size, 1.0 / size), 0.0, float(size))
    try:
        smoothed, pareto_k = smooth_tail(log_weight)
    except ValueError as problem:
        raise LeaderbayesError(
            f"{size} draws do not tell how far their weights can be trusted ({problem}): take more."
        ) from problem
    weight = np.exp(smoothed - smoothed.max())
    weight /= weight.sum()
    return Smoothed(weight, pareto_k, float(1.0 / (weight**2).sum()))
